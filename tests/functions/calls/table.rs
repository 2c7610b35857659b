//! The form of the tables.

use crate::answer::Answer;
use crate::arguments::Arguments;

/// Calls a function with the arguments of a case.
pub type Call = fn(&Arguments) -> Answer;

/// The table `CALLS` of a topic: NumPy's name of each function, and an expression of the arguments
/// that converts to an [`Answer`]. Names with the same call are joined by `|`.
macro_rules! calls {
    ($arguments:ident => $($($name:literal)|+: $call:expr),* $(,)?) => {
        /// The functions of this topic by NumPy's names.
        pub const CALLS: &[(&str, $crate::calls::Call)] = &[
            $($(($name, |$arguments| $crate::answer::Answer::from($call))),+),*
        ];
    };
}
