//! Products of vectors and of stacks of vectors, as fused products and sums.

use super::checks::{check, of_matvec, of_vecdot, of_vecmat};
use crate::array::Array;
use crate::manipulation::{
    at_least, axis_of, blank, common_shape, moveaxis, refused, sound, write_part,
};
use crate::math::checked;
use crate::products::matrices::summed;
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Index, Op, Shape, promote};

/// The complex conjugates; a real array is returned as it is.
pub(crate) fn conjugated(array: &Array) -> Array {
    if array.dtype().is_complex() { array.conjugate() } else { array.clone() }
}

fn sizes(
    operation: &'static str,
    (a, left): (&Array, usize),
    (b, right): (&Array, usize),
    site: Site,
) -> Result<(), Error> {
    if left == right {
        return Ok(());
    }
    let (left, right) = (a.shape().into(), b.shape().into());
    Err(Error::op(OpError::ContractedSizes { operation, left, right }, site))
}

/// The sum of the products of all elements in C order; the elements of the left operand are
/// conjugated. Shapes: equal numbers of elements; the result is 0-d. Local (records nodes). Errors:
/// `OpError::ContractedSizes`.
#[track_caller]
#[must_use]
pub fn vdot(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound([a, b])?;
        sizes("vdot", (a, a.size()), (b, b.size()), site)?;
        let dtype = promote(a.dtype(), b.dtype());
        summed(&within(site, || conjugated(&a.ravel()) * b.ravel()), &[0], dtype, site)
    })())
}

/// The products of all pairs of elements; each array is flattened in C order. Shapes
/// `m, n -> (m, n)`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn outer(a: &Array, b: &Array) -> Array {
    let site = call_site();
    let factors = within(site, || [a.ravel().expand_dims(1).into(), b.ravel().into()]);
    checked(Op::Multiply, &factors, site)
}

/// The sums of the products along an axis of both operands; the left operand is conjugated. Shapes:
/// the extents along the axis are equal, and the other axes broadcast. Local (records nodes).
/// Errors: `OpError::Ndim`, `OpError::Axis`, `OpError::ContractedSizes`, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn vecdot(a: &Array, b: &Array, axis: i64) -> Array {
    let site = call_site();
    let result = Array::catch(within(site, || {
        sound([a, b])?;
        let named = ("vecdot", "1 or more");
        at_least(a, 1, named, site)?;
        at_least(b, 1, named, site)?;
        let (a, b) = (moveaxis(a, axis, -1), moveaxis(b, axis, -1));
        sound([&a, &b])?;
        sizes("vecdot", (&a, a.shape()[a.ndim() - 1]), (&b, b.shape()[b.ndim() - 1]), site)?;
        let dtype = promote(a.dtype(), b.dtype());
        summed(&(conjugated(&a) * &b), &[-1], dtype, site)
    }));
    check("vecdot", || of_vecdot(a, b, axis), &result, site);
    result
}

/// Matrices times vectors. Shapes `(…, m, n), (…, n) -> (…, m)`; leading axes broadcast. Local
/// (records nodes). Errors: `OpError::Ndim`, `OpError::ContractedSizes`, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn matvec(a: &Array, b: &Array) -> Array {
    let site = call_site();
    let result = Array::catch(within(site, || {
        at_least(a, 2, ("matvec", "2 or more"), site)?;
        at_least(b, 1, ("matvec", "1 or more"), site)?;
        sizes("matvec", (a, a.shape()[a.ndim() - 1]), (b, b.shape()[b.ndim() - 1]), site)?;
        let dtype = promote(a.dtype(), b.dtype());
        summed(&(a * b.expand_dims(-2)), &[-1], dtype, site)
    }));
    check("matvec", || of_matvec(a, b), &result, site);
    result
}

/// Conjugated vectors times matrices. Shapes `(…, n), (…, n, m) -> (…, m)`; leading axes broadcast.
/// Local (records nodes). Errors: `OpError::Ndim`, `OpError::ContractedSizes`,
/// `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn vecmat(a: &Array, b: &Array) -> Array {
    let site = call_site();
    let result = Array::catch(within(site, || {
        at_least(a, 1, ("vecmat", "1 or more"), site)?;
        at_least(b, 2, ("vecmat", "2 or more"), site)?;
        sizes("vecmat", (a, a.shape()[a.ndim() - 1]), (b, b.shape()[b.ndim() - 2]), site)?;
        let dtype = promote(a.dtype(), b.dtype());
        summed(&(conjugated(a).expand_dims(-1) * b), &[-2], dtype, site)
    }));
    check("vecmat", || of_vecmat(a, b), &result, site);
    result
}

/// The cross products of vectors along the axes `[a, b, result]`. A vector has three components, or
/// two and a third component of zero. For two vectors of two components the result is the third
/// component alone, without the last axis.
///
/// Local (records nodes). Errors: `OpError::Argument` for vectors of another length,
/// `OpError::Ndim`, `OpError::Axis`, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn cross(a: &Array, b: &Array, axes: [i64; 3]) -> Array {
    let site = call_site();
    Array::catch(in_place_of(site, || {
        sound([a, b])?;
        at_least(a, 1, ("cross", "1 or more"), site)?;
        at_least(b, 1, ("cross", "1 or more"), site)?;
        let (a, b) = (moveaxis(a, axes[0], -1), moveaxis(b, axes[1], -1));
        sound([&a, &b])?;
        let (m, n) = (a.shape()[a.ndim() - 1], b.shape()[b.ndim() - 1]);
        for length in [m, n] {
            if length != 2 && length != 3 {
                return Err(refused("cross", "length of vectors", length.to_string(), site));
            }
        }
        let of = |array: &Array, k: i64| array.slice([Index::Ellipsis, Index::At(k)]);
        let third = of(&a, 0) * of(&b, 1) - of(&a, 1) * of(&b, 0);
        if m == 2 && n == 2 {
            return Ok(third);
        }
        let (first, second) = match (m, n) {
            (3, 3) => (
                of(&a, 1) * of(&b, 2) - of(&a, 2) * of(&b, 1),
                of(&a, 2) * of(&b, 0) - of(&a, 0) * of(&b, 2),
            ),
            (2, _) => (of(&a, 1) * of(&b, 2), -(of(&a, 0) * of(&b, 2))),
            _ => (-(of(&a, 2) * of(&b, 1)), of(&a, 2) * of(&b, 0)),
        };
        sound([&first, &second, &third])?;
        let leading = [&a.shape()[..a.ndim() - 1], &b.shape()[..b.ndim() - 1]];
        let mut shape: Shape = common_shape(leading, site)?;
        shape.push(3);
        axis_of(axes[2], shape.len(), site)?;
        let result = blank(&third.mesh()?, &shape, third.dtype(), None, site)?;
        for (k, part) in [first, second, third].into_iter().enumerate() {
            write_part(&result, &[Index::Ellipsis, Index::At(k as i64)], part, site)?;
        }
        Ok(moveaxis(&result, -1, axes[2]))
    }))
}
