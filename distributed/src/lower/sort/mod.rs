//! Schedules of sorts and partitions.
//!
//! - *by rule*: every device sorts whole lines, so a split of the sorted axis moves to another one.
//! - *in ranks*: every device sorts its block of each line, the devices find the exact positions at
//!   which to cut the blocks, each part goes to the device whose ranks it has, and each merges the
//!   parts that it receives. The result is split evenly. Chosen if there are too few lines to
//!   share, or if it moves fewer bytes. A partition is then a full sort.
//!
//! Source: "Parallel Sorting by Overpartitioning" (Li and Sevcik, 1994) for the outline with one
//! exchange; "A scalable parallel sorting algorithm using exact splitting" (Siebert and Wolf, 2011)
//! for exact cuts.

mod cuts;
mod ranks;
mod sorts;

pub use cuts::{Cuts, Samples};
pub(crate) use sorts::Sorts;
