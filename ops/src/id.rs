//! Ids: positions in lists, each with a type of its own, so that none is taken for another.

/// Defines ids, each a position in a list with its own type. The text of an id is the bare
/// position.
#[doc(hidden)]
#[macro_export]
macro_rules! id_type {
    ($($(#[$meta:meta])* $visibility:vis struct $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(u32);

        impl $name {
            /// The id of the entry at this position.
            #[inline]
            $visibility const fn new(position: usize) -> $name {
                debug_assert!(position <= u32::MAX as usize, "bug: too many entries");
                $name(position as u32)
            }

            /// The position of the entry.
            #[inline]
            $visibility const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}
