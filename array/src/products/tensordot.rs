//! Products summed over given axes of two arrays.

use super::checks::check_dot;
use crate::array::Array;
use crate::floating::check_elementwise;
use crate::manipulation::{axes_of, refused, sound};
use crate::math::checked;
use crate::products::matmul::try_matmul;
use crate::products::matrices::{matrix_product, vector_product};
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;
use phalanx_ops::{Casting, Op, Shape, promote};

/// The axes that a product sums over: a number of the last axes of the left operand and of the
/// first axes of the right one, or named axes.
#[derive(Clone, Debug)]
pub enum ContractedAxes {
    /// A number of axes.
    Count(usize),
    /// Axes of the left operand, and the axes of the right operand paired with them.
    Pairs(Vec<i64>, Vec<i64>),
}

impl From<usize> for ContractedAxes {
    fn from(count: usize) -> ContractedAxes {
        ContractedAxes::Count(count)
    }
}
impl From<(i64, i64)> for ContractedAxes {
    fn from((left, right): (i64, i64)) -> ContractedAxes {
        ContractedAxes::Pairs(vec![left], vec![right])
    }
}
impl<const M: usize, const N: usize> From<([i64; M], [i64; N])> for ContractedAxes {
    fn from((left, right): ([i64; M], [i64; N])) -> ContractedAxes {
        ContractedAxes::Pairs(left.to_vec(), right.to_vec())
    }
}
impl From<(Vec<i64>, Vec<i64>)> for ContractedAxes {
    fn from((left, right): (Vec<i64>, Vec<i64>)) -> ContractedAxes {
        ContractedAxes::Pairs(left, right)
    }
}

/// The sums of products over pairs of axes, computed as one matrix product.
///
/// Shapes: the other axes of `a`, followed by those of `b`. Dtype: the promotion of both. Local
/// (records nodes). Errors: `OpError::DuplicateAxis`, `OpError::Argument` for lists of different
/// lengths, `OpError::Index` for axes out of range, `OpError::ContractedSizes`.
#[track_caller]
#[must_use]
pub fn tensordot(a: &Array, b: &Array, axes: impl Into<ContractedAxes>) -> Array {
    let (site, axes) = (call_site(), axes.into());
    Array::catch(try_tensordot(a, b, &axes, site))
}

fn try_tensordot(a: &Array, b: &Array, axes: &ContractedAxes, site: Site) -> Result<Array, Error> {
    sound([a, b])?;
    let (left, right) = match axes {
        ContractedAxes::Count(count) => {
            let count = *count as i64;
            ((-count..0).collect(), (0..count).collect())
        }
        ContractedAxes::Pairs(left, right) => (left.clone(), right.clone()),
    };
    if left.len() != right.len() {
        return Err(refused("tensordot", "axes", format!("{left:?} and {right:?}"), site));
    }
    // NumPy indexes the shapes with these axes, so an axis out of range is an index error.
    let within_rank = |axes: &[i64], ndim: usize| {
        let is_beyond = |axis: &&i64| !(-(ndim as i64)..ndim as i64).contains(*axis);
        axes.iter().find(is_beyond).map_or(Ok(()), |&index| {
            Err(Error::op(OpError::Index { index, axis: 0, extent: ndim }, site))
        })
    };
    within_rank(&left, a.ndim())?;
    within_rank(&right, b.ndim())?;
    let (left, right) = (axes_of(&left, a.ndim(), site)?, axes_of(&right, b.ndim(), site)?);
    if left.iter().zip(&right).any(|(&l, &r)| a.shape()[l] != b.shape()[r]) {
        let (left, right) = (a.shape().into(), b.shape().into());
        let operation = "tensordot";
        return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
    }
    let kept_left: Vec<usize> = (0..a.ndim()).filter(|axis| !left.contains(axis)).collect();
    let kept_right: Vec<usize> = (0..b.ndim()).filter(|axis| !right.contains(axis)).collect();
    let extents = |array: &Array, axes: &[usize]| -> Shape {
        axes.iter().map(|&axis| array.shape()[axis]).collect()
    };
    let (rows, columns) = (extents(a, &kept_left), extents(b, &kept_right));
    let summed_over = size(&extents(a, &left));
    let matrix = |array: &Array, order: Vec<usize>, shape: [usize; 2]| -> Result<Array, Error> {
        let order: Vec<i64> = order.into_iter().map(|axis| axis as i64).collect();
        within(site, || array.transpose(order).reshape(shape)).into_result()
    };
    let tall = matrix(a, [kept_left, left].concat(), [size(&rows), summed_over])?;
    let wide = matrix(b, [right, kept_right].concat(), [summed_over, size(&columns)])?;
    let mut shape = rows;
    shape.extend_from_slice(&columns);
    crate::recording::check_shape(&shape, promote(a.dtype(), b.dtype()), site)?;
    let product = matrix_product(&tall, &wide, promote(a.dtype(), b.dtype()), site)?;
    check_dot(&tall, &wide, &product, site);
    product.reformed(&shape, site)
}

/// NumPy's `dot`: the elementwise product if either operand is 0-d, else the sum over the last axis
/// of `a` and the second last axis of `b` (or its only one). Local (records nodes). Errors:
/// `OpError::ContractedSizes`.
#[track_caller]
#[must_use]
pub fn dot(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound([a, b])?;
        match (a.ndim(), b.ndim()) {
            (0, _) | (_, 0) => scaled(a, b, site),
            (1 | 2, 1 | 2) | (_, 1) => {
                let product = try_matmul(a, b, site)?;
                check_dot(a, b, &product, site);
                Ok(product)
            }
            _ => try_tensordot(a, b, &(-1, -2).into(), site),
        }
    })())
}

/// The elementwise product that `dot` is if either operand is 0-d.
fn scaled(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    let factors = [a.into(), b.into()];
    let product = within(site, || a * b).into_result()?;
    check_elementwise("dot", &factors, &[(Op::Multiply, &product)], None, site);
    Ok(product)
}

/// [`dot`], written into `out`, which must have the shape and the dtype of the product: NumPy's
/// `dot(a, b, out)`. Local (records nodes). Errors: those of [`dot`] and of [`Array::try_assign`],
/// `OpError::Argument` for another output.
#[track_caller]
pub fn dot_into(a: &Array, b: &Array, out: &Array) -> Result<(), Error> {
    let site = call_site();
    let product = in_place_of(site, || dot(a, b).into_result())?;
    if (out.ok()?.dtype(), out.shape()) != (product.dtype(), product.shape()) {
        let value = format!("an array of {} and shape {:?}", out.dtype(), out.shape());
        return Err(refused("dot", "out", value, site));
    }
    product.store_at(out, Casting::No, site)
}

/// The sum of the products over the last axes of both; the elementwise product if either operand is
/// 0-d. Local (records nodes). Errors: `OpError::ContractedSizes`.
#[track_caller]
#[must_use]
pub fn inner(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound([a, b])?;
        match (a.ndim(), b.ndim()) {
            (0, _) | (_, 0) => scaled(a, b, site),
            (1, 1) if a.shape() == b.shape() => {
                let dtype = promote(a.dtype(), b.dtype());
                let product = vector_product(a, b, dtype, site)?;
                check_dot(a, b, &product, site);
                Ok(product)
            }
            _ => try_tensordot(a, b, &(-1, -1).into(), site),
        }
    })())
}

/// The Kronecker product: a block of `b` times each element of `a`. Shapes: the products of the
/// extents; the array with fewer axes gets leading axes of extent 1. Local (records nodes). Errors:
/// `OpError::TooLarge`.
#[track_caller]
#[must_use]
pub fn kron(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound([a, b])?;
        let ndim = a.ndim().max(b.ndim());
        let extents = |array: &Array| -> Vec<usize> {
            let mut extents = vec![1; ndim - array.ndim()];
            extents.extend_from_slice(array.shape());
            extents
        };
        let (left, right) = (extents(a), extents(b));
        let shape: Shape = left.iter().zip(&right).map(|(&l, &r)| l.saturating_mul(r)).collect();
        crate::recording::check_shape(&shape, promote(a.dtype(), b.dtype()), site)?;
        let spread = |extents: Vec<usize>, place: usize| -> Vec<usize> {
            let pair = |e| if place == 0 { [e, 1] } else { [1, e] };
            extents.into_iter().flat_map(pair).collect()
        };
        let (left, right) = (spread(left, 0), spread(right, 1));
        let factors = within(site, || [a.reshape(left).into(), b.reshape(right).into()]);
        checked(Op::Multiply, &factors, site).reformed(&shape, site)
    })())
}
