//! The extents of an array, and their limits.

use smallvec::SmallVec;

/// The extents of an array, outermost first.
pub type Shape = SmallVec<[usize; 4]>;

/// The most axes an array may have, as in NumPy 2.
pub const MAX_NDIM: usize = 64;

/// The most bytes that an array may have: more than any memory has, and few enough that the sizes
/// of several arrays add up without overflow.
pub const MAX_BYTES: usize = 1 << 60;

/// A number as an index or extent; if it does not fit, the greatest `i64`, which no axis has.
pub fn saturating(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The number of elements of an array of this shape.
pub fn size(shape: &[usize]) -> usize {
    shape.iter().product()
}
