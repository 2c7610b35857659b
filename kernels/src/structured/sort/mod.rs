//! Sorting along an axis, partitions, and merges of runs.

mod complex;
pub mod cpu;
pub mod cuda;
mod merge;
mod merge_path;
pub(super) mod order;
mod positions;
mod quick;
pub(super) mod radix;
mod select;
mod values;

pub use order::key_of;
