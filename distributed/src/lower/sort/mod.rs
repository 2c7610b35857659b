//! Schedules of sorts and partitions.
//!
//! - *by rule*: every device sorts whole lines, so a split of the sorted axis moves to another one.
//! - *in ranks*: every device sorts its block of each line, the devices find the exact positions at
//!   which to cut the blocks, each part goes to the device whose ranks it has, and each merges the
//!   parts that it receives. The result is split evenly. Chosen if there are too few lines to
//!   share, or if it moves less than half of the bytes; never for several short lines. A partition
//!   is then a full sort.
//!
//! Source: "A Novel Parallel Sorting Algorithm for Contemporary Architectures" (Cheng, Shah,
//! Gilbert and Edelman, 2006): sorted blocks, exact cuts, one exchange, merges. The cuts are found
//! from samples instead of medians of medians.

mod cuts;
mod ranks;
mod sorts;

pub use cuts::{Cuts, Samples};
pub(crate) use sorts::Sorts;
