//! Quantiles of weighted elements, by the inverse of the distribution function.

use super::methods::Rounding;
use super::quantiles::{Lines, Quantiles, in_c_order};
use crate::array::Array;
use crate::creation::from_slice;
use crate::indexing::take_along_axis;
use crate::manipulation::{along, refused, span};
use crate::math::cumsum;
use crate::math::{is_real, select};
use crate::recording::on_mesh_of;
use crate::reductions::{Axes, keepdims, nanmean, warn_of_nan};
use crate::sorting::argsort;
use phalanx_graph::{DataError, Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Weak};

/// The weights with the axes of the array. `weights` has one for each element, or one for each
/// position along `axes`.
fn fitted(
    operation: &'static str,
    array: &Array,
    weights: &Array,
    axes: &Axes,
    site: Site,
) -> Result<Array, Error> {
    if weights.ok()?.shape() == array.shape() {
        return Ok(weights.clone());
    }
    if axes.is_all() {
        let problem = "weights of another shape than the array's need axes";
        return Err(Error::op(OpError::Arguments { operation, problem }, site));
    }
    let given = axes.in_order(array.ndim(), site)?;
    let expected: Vec<usize> = given.iter().map(|&axis| array.shape()[axis]).collect();
    if weights.shape() != expected.as_slice() {
        let value = format!("{:?}", weights.shape());
        return Err(refused(operation, "weights.shape", value, site));
    }
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by_key(|&place| given[place]);
    let order: Vec<i64> = order.into_iter().map(|place| place as i64).collect();
    let extent = |axis: usize| if given.contains(&axis) { array.shape()[axis] } else { 1 };
    let shape: Vec<usize> = (0..array.ndim()).map(extent).collect();
    weights.transpose(order).reshape(shape).broadcast_to(array.shape()).into_result()
}

fn try_weighted(
    (operation, whole): (&'static str, f64),
    array: &Array,
    q: &Quantiles,
    axes: &Axes,
    weights: &Array,
    site: Site,
) -> Result<Array, Error> {
    let skips_nan = operation.starts_with("nan");
    if !is_real(array.ok()?.dtype()) {
        return Err(Error::op(OpError::Dtype { operation, dtypes: vec![array.dtype()] }, site));
    }
    axes.allow(operation, &[], site)?;
    let q = q.checked(operation, whole, site)?;
    let weights = fitted(operation, array, weights, axes, site)?;
    if weights.dtype().is_complex() {
        return Err(Error::op(OpError::Dtype { operation, dtypes: vec![weights.dtype()] }, site));
    }
    let negative = DataError::Negative { operation, argument: "weights" };
    weights.less(0).any(()).refuse(Error::data(negative, site), site)?;
    if array.size() == 0 {
        if skips_nan {
            return nanmean(array, axes.clone()).into_result();
        }
        let error = OpError::Index { index: -1, axis: 0, extent: 0 };
        return Err(Error::op(error, site));
    }
    let lines = Lines::new(array, axes, site)?;
    let weights = Lines::new(&weights, axes, site)?.array.converted(DType::F64, site);
    let (axis, ndim) = (lines.axis as i64, lines.array.ndim());
    let order = argsort(&lines.array, axis);
    let sorted = take_along_axis(&lines.array, &order, axis);
    let mut weights = take_along_axis(&weights, &order, axis);
    let is_inexact = array.dtype().is_inexact();
    let last =
        |of: &Array| of.slice(along(ndim, lines.axis, span(lines.extent() - 1, lines.extent())));
    let end = (lines.extent() - 1) as i64;
    let mut greatest = from_slice(&[end], vec![1; ndim]);
    if is_inexact && skips_nan {
        let is_nan = sorted.isnan();
        weights = select(&is_nan, 0.0, weights);
        greatest = is_nan.logical_not().sum(keepdims(axis)) - 1;
    }
    let summed = cumsum(&weights, axis);
    let share = &summed / last(&summed);
    let empty = greatest.less(0);
    let unknown = last(&share).isnan().logical_and(empty.logical_not()).any(());
    let problem = refused(operation, "weights", "values that are NaN, infinite or all zero", site);
    unknown.refuse(problem, site)?;
    let share = share.converted(q.dtype(), site);
    // A quantile of 0 is the first element with a weight above zero.
    let share = select(&share.equal(0), -1.0, share);
    let rounding = Rounding(q.dtype());
    let mut found = Vec::new();
    for &part in q.all() {
        let below = share.less(rounding.to(part)).sum(keepdims(axis));
        let place = below.minimum(&greatest).maximum(0);
        found.push(take_along_axis(&sorted, &place, axis));
    }
    if found.is_empty() {
        found.push(sorted.slice(along(ndim, lines.axis, span(0, 0))));
    }
    let found: Vec<&Array> = found.iter().collect();
    let mut found = crate::concatenate(&found, axis);
    if is_inexact {
        found = if skips_nan {
            select(&empty, Weak::Float(f64::NAN), found)
        } else {
            select(&last(&sorted).isnan(), last(&sorted), found)
        };
    }
    in_c_order(lines.shaped(&found, &q))
}

/// NumPy's `quantile` with `weights`, by the inverse of the distribution function: the first of the
/// sorted elements at which the cumulative weight reaches the fraction `q` of all weights.
///
/// `weights` has one weight for each element, or one for each position along `axes`. Shape: that of
/// the quantiles, followed by that of the reduction. Dtype: that of the elements. Collective over
/// the mesh: no weight may be negative, and the sum of the weights of a line must be finite and
/// above zero. Errors: as for [`quantile`](crate::quantile), `DataError::Negative`,
/// `OpError::Argument` and `OpError::Arguments` for weights that do not fit.
#[track_caller]
#[must_use]
pub fn quantile_weighted(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    weights: &Array,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let found = on_mesh_of(array, site, || {
        try_weighted(("quantile", 1.0), array, &q, &axes, weights, site)
    });
    found.stored(out, Casting::SameKind, site)
}

/// NumPy's `nanquantile` with `weights`: as [`quantile_weighted`], of the elements that are not
/// NaN. A line with NaN alone gives NaN.
#[track_caller]
#[must_use]
pub fn nanquantile_weighted(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    weights: &Array,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("nanquantile", 1.0);
    let found = on_mesh_of(array, site, || try_weighted(named, array, &q, &axes, weights, site));
    warn_of_nan(array, &axes, &found, site);
    found.stored(out, Casting::Unsafe, site)
}

/// NumPy's `percentile` with `weights`: as [`quantile_weighted`], from 0 to 100.
#[track_caller]
#[must_use]
pub fn percentile_weighted(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    weights: &Array,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("percentile", 100.0);
    let found = on_mesh_of(array, site, || try_weighted(named, array, &q, &axes, weights, site));
    found.stored(out, Casting::SameKind, site)
}

/// NumPy's `nanpercentile` with `weights`: as [`nanquantile_weighted`], from 0 to 100.
#[track_caller]
#[must_use]
pub fn nanpercentile_weighted(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    weights: &Array,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("nanpercentile", 100.0);
    let found = on_mesh_of(array, site, || try_weighted(named, array, &q, &axes, weights, site));
    warn_of_nan(array, &axes, &found, site);
    found.stored(out, Casting::Unsafe, site)
}
