//! Sorting and searching.
//!
//! A line is sorted on the device where it resides. If the sorted axis is split, another axis is
//! split instead, so that each line is on one device. A vector has no other axis and is gathered.
//! The plan shows these steps.

mod order;
mod sets;

pub use order::{
    Side, argpartition, argsort, argsort_descending, digitize, lexsort, partition, searchsorted,
    searchsorted_by, sort, sort_complex, sort_descending, topk,
};
pub use sets::{
    Unique, intersect1d, intersect1d_indices, isin, setdiff1d, setdiff1d_in_order, setxor1d,
    union1d, unique, unique_all, unique_along, unique_with,
};
