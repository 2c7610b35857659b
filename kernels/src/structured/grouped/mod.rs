//! Combination of elements by slot, in their order, on a GPU: a stable sort by slot groups the
//! elements of each slot.

pub mod cuda;
