//! Sorting and searching.
//!
//! A line is sorted on the device where it resides. If the sorted axis is split, another axis is
//! split instead, so that each line is on one device. A vector has no other axis and is gathered.
//! The plan shows these steps.

mod order;

pub(crate) use order::partitioned_at;
pub use order::{
    Side, argpartition, argsort, argsort_descending, digitize, lexsort, partition, searchsorted,
    searchsorted_by, sort, sort_complex, sort_descending, topk,
};
