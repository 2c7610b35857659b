//! Sorting along an axis.

pub mod cpu;
pub mod cuda;
mod merge;
pub(super) mod order;
mod positions;
mod values;
