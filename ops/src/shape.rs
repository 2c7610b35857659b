//! Shapes: extents, broadcasting and axis arguments.

use crate::error::OpError;
use smallvec::SmallVec;

/// The extents of an array, outermost first.
pub type Shape = SmallVec<[usize; 4]>;

/// How many elements an array of this shape has.
pub fn size(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The shape to which `a` and `b` broadcast together, by NumPy's rule: aligned at the last axis,
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

/// The axis a possibly negative argument names.
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
    let known: usize =
        requested.iter().filter(|&&extent| extent >= 0).map(|&extent| extent as usize).product();
    if unknown > 1 || requested.iter().any(|&extent| extent < -1) {
        return Err(wrong());
    }
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

    #[test]
    fn broadcasting_follows_numpy() {
        assert_eq!(broadcast(&[3, 1], &[4]).unwrap().as_slice(), &[3, 4]);
        assert_eq!(broadcast(&[], &[2, 0]).unwrap().as_slice(), &[2, 0]);
        assert!(broadcast(&[3], &[4]).is_err());
    }

    #[test]
    fn reshape_infers_one_extent() {
        assert_eq!(resolve_reshape(&[4, 6], &[-1, 8]).unwrap().as_slice(), &[3, 8]);
        assert!(resolve_reshape(&[4, 6], &[5, -1]).is_err());
        assert!(resolve_reshape(&[0, 6], &[0, -1]).is_err());
        assert_eq!(resolve_reshape(&[0, 6], &[3, 0]).unwrap().as_slice(), &[3, 0]);
    }
}
