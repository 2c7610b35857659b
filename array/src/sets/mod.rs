//! Sets: the distinct elements of an array, and operations on vectors as sets.

mod operations;
mod unique;

pub use operations::{
    intersect1d, intersect1d_indices, isin, setdiff1d, setdiff1d_in_order, setxor1d, union1d,
};
pub use unique::{Unique, unique, unique_all, unique_along, unique_with};
