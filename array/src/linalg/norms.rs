//! Norms and condition numbers.

use super::matrices::{decomposed, factorised, square};
use super::singular::singular_values;
use crate::array::Array;
use crate::indexing::Ellipsis;
use crate::manipulation::refused;
use crate::math::select;
use crate::reductions::{Axes, axis, keepdims};
use crate::s;
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Decomposition;

/// The order of a norm. See NumPy's `linalg.norm`.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub enum Ord {
    /// The root of the sum of squares; matrices count as vectors.
    #[default]
    Default,
    /// The Frobenius norm of matrices.
    Frobenius,
    /// The sum of the singular values.
    Nuclear,
    /// The largest absolute value; of matrices, the largest sum of absolute values of a row.
    Infinity,
    /// The smallest absolute value; of matrices, the smallest sum of absolute values of a row.
    MinusInfinity,
    /// The p-norm of vectors; of matrices 1, -1 (sums of columns), 2 and -2 (singular values).
    P(f64),
}

/// NumPy's `linalg.norm` over `axes`: `None` is all axes, one axis gives norms of vectors, two give
/// norms of matrices.
///
/// Dtype: real, of the precision of the array. Local (records nodes); norms by singular values are
/// Collective. Errors: `OpError::Axis`, `OpError::DuplicateAxis`, `OpError::Argument` for an order
/// that does not exist for these axes, `OpError::EmptyReduction` for the smallest of no elements
/// (the largest of none is 0), `DataError::NotConverged` for singular values of matrices with NaN.
#[track_caller]
#[must_use]
pub fn norm(array: &Array, ord: Ord, axes: Option<&[i64]>, is_kept: bool) -> Array {
    let site = call_site();
    Array::catch(in_place_of(site, || {
        array.ok()?;
        let dtype = factorised(array.dtype(), "norm", site).unwrap_or(array.dtype());
        let array = array.converted(dtype, site);
        let all: Vec<i64> = (0..array.ndim() as i64).collect();
        let axes = match axes {
            Some(axes) => axes.to_vec(),
            None if ord == Ord::Default => {
                let root = squares(&array).sum(kept(&all, is_kept)).sqrt();
                return root.into_result();
            }
            None => all,
        };
        match axes.as_slice() {
            [axis] => vector_norm(&array, ord, kept(&[*axis], is_kept), site),
            [rows, columns] => matrix_norm(&array, ord, [*rows, *columns], is_kept, site),
            _ => Err(no_norm(ord, site)),
        }
    }))
}

fn no_norm(ord: Ord, site: Site) -> Error {
    refused("norm", "ord", format!("{ord:?}"), site)
}

pub(super) fn kept(axes: &[i64], is_kept: bool) -> Axes {
    if is_kept { keepdims(axes) } else { axes.into() }
}

/// The squares of the absolute values.
pub(super) fn squares(array: &Array) -> Array {
    if array.dtype().is_complex() {
        return array.real().square() + array.imag().square();
    }
    array.square()
}

fn vector_norm(array: &Array, ord: Ord, axes: Axes, site: Site) -> Result<Array, Error> {
    let sizes = array.absolute();
    let norm = match ord {
        Ord::Default => squares(array).sum(axes).sqrt(),
        Ord::P(2.0) => squares(array).sum(axes).sqrt(),
        Ord::Infinity => sizes.max(axes.initial(0)),
        Ord::MinusInfinity => sizes.min(axes),
        Ord::P(p) if p == f64::INFINITY => sizes.max(axes.initial(0)),
        Ord::P(p) if p == f64::NEG_INFINITY => sizes.min(axes),
        Ord::P(0.0) => array.not_equal(0).astype(sizes.dtype()).sum(axes),
        Ord::P(1.0) => sizes.sum(axes),
        Ord::P(p) => sizes.power(p).sum(axes).power(1.0 / p),
        Ord::Frobenius | Ord::Nuclear => return Err(no_norm(ord, site)),
    };
    norm.into_result()
}

fn matrix_norm(
    array: &Array,
    ord: Ord,
    [rows, columns]: [i64; 2],
    is_kept: bool,
    site: Site,
) -> Result<Array, Error> {
    let (row, column) = (array.axis(rows, site)? as i64, array.axis(columns, site)? as i64);
    if row == column {
        return Err(Error::op(OpError::DuplicateAxis { axis: row as usize }, site));
    }
    let sizes = array.absolute();
    let largest = |sums: Array, axis: i64| sums.max(keepdims(axis).initial(0));
    let singular = || -> Result<Array, Error> {
        let others = (0..array.ndim() as i64).filter(|axis| *axis != row && *axis != column);
        let order: Vec<i64> = others.chain([row, column]).collect();
        singular_values("norm", &array.transpose(order), site)
    };
    let norm = match ord {
        Ord::Default | Ord::Frobenius => squares(array).sum(keepdims([row, column])).sqrt(),
        Ord::P(1.0) => largest(sizes.sum(keepdims(row)), column),
        Ord::P(-1.0) => sizes.sum(keepdims(row)).min(keepdims(column)),
        Ord::Infinity => largest(sizes.sum(keepdims(column)), row),
        Ord::MinusInfinity => sizes.sum(keepdims(column)).min(keepdims(row)),
        Ord::P(p) if p == f64::INFINITY => largest(sizes.sum(keepdims(column)), row),
        Ord::P(p) if p == f64::NEG_INFINITY => sizes.sum(keepdims(column)).min(keepdims(row)),
        Ord::P(2.0) | Ord::P(-2.0) | Ord::Nuclear => {
            let values = singular()?;
            let norm = match ord {
                Ord::Nuclear => values.sum(-1),
                Ord::P(2.0) => values.max(axis(-1).initial(0)),
                _ => values.min(-1),
            };
            let mut shape = array.shape().to_vec();
            (shape[row as usize], shape[column as usize]) = (1, 1);
            norm.reshape(shape.as_slice())
        }
        Ord::P(_) => return Err(no_norm(ord, site)),
    };
    if is_kept {
        return norm.into_result();
    }
    let removed = |axis: &usize| *axis as i64 != row && *axis as i64 != column;
    let shape: Vec<usize> =
        (0..norm.ndim()).filter(removed).map(|axis| norm.shape()[axis]).collect();
    norm.reshape(shape.as_slice()).into_result()
}

/// NumPy's `linalg.cond`: the ratio of the largest to the smallest singular value, or the product
/// of the norms of the matrix and of its inverse. It is infinite for singular matrices. Collective
/// over the mesh. Errors: those of [`norm`], `OpError::Matrix`, `OpError::NotSquare`,
/// `OpError::Matrices` for matrices without elements.
#[track_caller]
#[must_use]
pub fn cond(array: &Array, ord: Ord) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let shape = array.ok()?.shape();
        if shape[shape.len().saturating_sub(2)..].contains(&0) {
            let (operation, problem) = ("cond", "it is not defined on empty matrices");
            return Err(Error::op(OpError::Matrices { operation, problem }, site));
        }
        if matches!(ord, Ord::Default | Ord::P(2.0) | Ord::P(-2.0)) {
            // Checked matrices with NaN are refused: a NaN ratio is 0 / 0 or due to infinities.
            let s = singular_values("cond", array, site)?;
            let (largest, smallest) = (s.slice(s![Ellipsis, 0]), s.slice(s![Ellipsis, -1]));
            let ratio = if ord == Ord::P(-2.0) { smallest / largest } else { largest / smallest };
            return select(&ratio.isnan(), f64::INFINITY, &ratio).into_result();
        }
        let matrix = square(array, "cond", site)?;
        let axes = [-2, -1];
        let inverse = decomposed(Decomposition::Inverse, &[&matrix], site)?;
        let product =
            norm(&matrix, ord, Some(&axes), false) * norm(&inverse, ord, Some(&axes), false);
        // As in NumPy, NaN becomes infinity unless the matrix has NaN, so a singular matrix has
        // an infinite condition number.
        let was_nan = matrix.isnan().any([-2, -1]);
        select(&product.isnan().logical_and(was_nan.logical_not()), f64::INFINITY, product)
            .into_result()
    }))
}
