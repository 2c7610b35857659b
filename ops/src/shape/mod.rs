//! Shapes: extents, broadcasting and axis arguments.

mod extents;
mod rules;

pub use extents::{MAX_BYTES, MAX_NDIM, Shape, saturating, size};
pub use rules::{broadcast, check, check_ndim, normalize_axis, resolve_reshape};
