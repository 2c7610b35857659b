//! Ids: the positions of nodes, leaves and scalars in a graph, each with a type of its own, so that
//! none is taken for another.

/// Defines an id: a position in a list, with its own type. Its text is the bare position.
#[doc(hidden)]
#[macro_export]
macro_rules! id_type {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident;) => {
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
    };
}

id_type! {
    /// A node of a graph, by its position in [`Graph::nodes`](crate::Graph::nodes). An id holds for
    /// one graph: a window and the graph of its plan number their nodes differently.
    pub struct NodeId;
}

id_type! {
    /// A leaf of a graph, by its position in [`Graph::leaves`](crate::Graph::leaves).
    pub struct LeafId;
}

id_type! {
    /// A scalar argument of a graph, by its position in [`Graph::scalars`](crate::Graph::scalars).
    pub struct ScalarId;
}
