//! Sorting and searching.
//!
//! Lines are sorted where they lie; an axis that is split is brought together by splitting another
//! one, and a vector, which has no other, is gathered. The plan says so.

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
