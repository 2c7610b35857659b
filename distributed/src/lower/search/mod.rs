//! The search of values in a sorted vector that is split: every device counts the elements of its
//! block that stand before each value, and the counts are added.

mod searches;

pub(super) use searches::Searches;
