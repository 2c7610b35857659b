//! The rules of NumPy for shapes, with the errors of shapes that break them.

use super::extents::{MAX_BYTES, MAX_NDIM, Shape, size};
use crate::error::OpError;

/// Checks that an array may have this shape with elements of `item` bytes.
///
/// As in NumPy, an extent of 0 counts as 1, so that the strides can be computed too. Errors:
/// `OpError::TooManyAxes`, `OpError::TooLarge`.
pub fn check(shape: &[usize], item: usize) -> Result<(), OpError> {
    check_ndim(shape.len())?;
    let bytes = shape.iter().try_fold(item, |bytes, &extent| bytes.checked_mul(extent.max(1)));
    match bytes {
        Some(bytes) if bytes <= MAX_BYTES => Ok(()),
        _ => Err(OpError::TooLarge { shape: shape.to_vec() }),
    }
}

/// Checks that an array may have this number of axes.
pub const fn check_ndim(ndim: usize) -> Result<(), OpError> {
    if ndim > MAX_NDIM { Err(OpError::TooManyAxes { ndim }) } else { Ok(()) }
}

/// The shape to which `a` and `b` broadcast by NumPy's rule: aligned at the last axis, extents are
/// equal or 1.
pub fn broadcast(a: &[usize], b: &[usize]) -> Result<Shape, OpError> {
    let ndim = a.len().max(b.len());
    let mut shape = Shape::with_capacity(ndim);
    for axis in 0..ndim {
        let extent =
            |of: &[usize]| (axis + of.len()).checked_sub(ndim).map_or(1, |position| of[position]);
        let (x, y) = (extent(a), extent(b));
        shape.push(match (x, y) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => {
                return Err(OpError::Broadcast { left: a.into(), right: b.into() });
            }
        });
    }
    Ok(shape)
}

/// The axis that a possibly negative argument names.
pub fn normalize_axis(axis: i64, ndim: usize) -> Result<usize, OpError> {
    let position = if axis < 0 { axis + ndim as i64 } else { axis };
    if (0..ndim as i64).contains(&position) {
        Ok(position as usize)
    } else {
        Err(OpError::Axis { axis, ndim })
    }
}

/// The shape that `reshape(requested)` gives to an array of shape `from`; one extent may be -1.
pub fn resolve_reshape(from: &[usize], requested: &[i64]) -> Result<Shape, OpError> {
    let wrong = || OpError::Reshape { from: from.into(), to: requested.to_vec() };
    let total = size(from);
    let unknown = requested.iter().filter(|&&extent| extent == -1).count();
    if unknown > 1 || requested.iter().any(|&extent| extent < -1) {
        return Err(wrong());
    }
    check_ndim(requested.len())?;
    let known = if requested.contains(&0) {
        0
    } else {
        let mut extents = requested.iter().filter(|&&extent| extent > 0);
        extents.try_fold(1, |n: usize, &e| n.checked_mul(e as usize)).ok_or_else(wrong)?
    };
    if unknown == 0 {
        return if known == total {
            Ok(requested.iter().map(|&e| e as usize).collect())
        } else {
            Err(wrong())
        };
    }
    if known == 0 || !total.is_multiple_of(known) {
        return Err(wrong());
    }
    Ok(requested.iter().map(|&e| if e == -1 { total / known } else { e as usize }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::saturating;

    #[test]
    fn broadcasting_follows_numpy() {
        assert_eq!(broadcast(&[3, 1], &[4]).unwrap().as_slice(), &[3, 4]);
        assert_eq!(broadcast(&[], &[2, 0]).unwrap().as_slice(), &[2, 0]);
        assert!(broadcast(&[3], &[4]).is_err());
    }

    #[test]
    fn sizes_are_limited() {
        assert!(check(&[1; 64], 16).is_ok());
        assert_eq!(check(&[1; 65], 1), Err(OpError::TooManyAxes { ndim: 65 }));
        assert!(check(&[1 << 57], 8).is_ok());
        assert!(check(&[1 << 57, 2], 8).is_err());
        assert!(check(&[0, 1 << 40, 1 << 40], 1).is_err());
        assert_eq!(saturating(usize::MAX), i64::MAX);
    }

    #[test]
    fn reshape_infers_one_extent() {
        assert_eq!(resolve_reshape(&[4, 6], &[-1, 8]).unwrap().as_slice(), &[3, 8]);
        assert!(resolve_reshape(&[4, 6], &[5, -1]).is_err());
        assert!(resolve_reshape(&[0, 6], &[0, -1]).is_err());
        assert!(resolve_reshape(&[0], &[1 << 32, 1 << 32]).is_err());
        assert!(resolve_reshape(&[4, 6], &[i64::MAX, 3, -1]).is_err());
        assert_eq!(resolve_reshape(&[0, 6], &[3, 0]).unwrap().as_slice(), &[3, 0]);
    }
}
