//! Reductions over any axes.

mod axes;
mod by_op;
mod functions;
mod methods;
mod moments;
mod nan;
mod record;
mod reproducible;
mod slices;

pub use axes::{Axes, axis, keepdims};
pub(crate) use by_op::reduce_by;
pub use functions::{
    all, amax, amin, any, argmax, argmin, count_nonzero, max, mean, min, prod, ptp, std, sum, var,
};
pub use nan::{nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar};
pub(crate) use slices::{EMPTY_SLICE, NO_DEGREES, warn_of_empty, warn_of_nan};
