//! Creation: constants, ranges, host data, functions of the index, and arrays like other arrays.

mod basic;
mod conversions;
mod copies;
mod fill;
mod grids;
mod like;
mod matrices;
mod ranges;
mod shaped;
mod windows;

pub(crate) use basic::{Extent, index_of};
pub use basic::{
    ShapeArgument, empty, flush, from_function, from_slice, full, hand_over, ones, synchronize,
    zeros,
};
pub(crate) use conversions::NEEDS_COPY;
pub use conversions::{
    array, array_of_list, asanyarray, asarray, asarray_chkfinite, astype, copy, copy_if_needed,
    frombuffer, fromiter, fromstring, isfortran, require,
};
pub use fill::{FillOptions, full_as, full_like_as};
pub use grids::{
    Grid, GridRange, Indexing, diag_indices, indices, indices_as, meshgrid, mgrid, ogrid,
    sparse_indices, sparse_indices_as, tril_indices, triu_indices, whole_indices_as,
};
pub use like::{ascontiguousarray, asfortranarray, empty_like, full_like, ones_like, zeros_like};
pub use matrices::{diag, diagflat, eye, eye_in, identity, tri, tril, triu, vander};
pub(crate) use ranges::widened;
pub use ranges::{Samples, arange, arange_as, geomspace, linspace, linspace_step, logspace};
pub use shaped::{diag_indices_from, mask_indices, tril_indices_from, triu_indices_from};
pub use windows::{bartlett, blackman, hamming, hanning, kaiser};
