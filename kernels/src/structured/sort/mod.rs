//! Sorting along an axis.

pub mod cpu;
mod merge;
pub(super) mod order;
mod positions;
mod values;
