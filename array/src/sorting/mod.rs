//! Sorting and searching.
//!
//! If the sorted axis is split and there are few lines, every device sorts its block and sends each
//! element to the device that has its rank; the result is split evenly. Many lines are each sorted
//! on one device: another axis is split instead. The plan shows these steps.

mod order;

pub(crate) use order::partitioned_at;
pub use order::{
    Side, argpartition, argsort, argsort_descending, digitize, lexsort, partition, searchsorted,
    searchsorted_by, sort, sort_complex, sort_descending, topk,
};
