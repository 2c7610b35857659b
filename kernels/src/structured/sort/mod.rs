//! Sorting along an axis, and partitions.

mod complex;
pub mod cpu;
pub mod cuda;
mod merge;
pub(super) mod order;
mod positions;
mod quick;
pub(super) mod radix;
mod select;
mod values;
