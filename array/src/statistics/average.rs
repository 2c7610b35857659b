//! Weighted averages.

use crate::array::Array;
use crate::creation::full;
use crate::manipulation::refused;
use crate::recording::try_elementwise;
use crate::reductions::Axes;
use phalanx_graph::{DataError, Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Op, Weak, promote};

/// NumPy's `average` over `axes`. It is weighted if `weights` are given: one for each element, or
/// one for each position along `axes`.
///
/// Dtype: the promotion of elements and weights, at least `f64` for integers. Option: `keepdims`.
/// Local without weights; Collective over the mesh with weights, whose sum must not be zero (see
/// [`deferred_errors`](crate::deferred_errors)). Errors: `DataError::ZeroWeights`,
/// `OpError::Arguments` for weights of another shape without axes, `OpError::Argument` for weights
/// that do not fit the axes.
#[track_caller]
#[must_use]
pub fn average(array: &Array, axes: impl Into<Axes>, weights: Option<&Array>) -> Array {
    let (site, axes) = (call_site(), axes.into());
    let averaged = try_average(array, &axes, weights, site);
    Array::catch(averaged.map(|(average, _)| average))
}

/// As [`average`], with the sums of the weights: NumPy's `average(…, returned=True)`.
#[track_caller]
#[must_use]
pub fn average_and_weights(
    array: &Array,
    axes: impl Into<Axes>,
    weights: Option<&Array>,
) -> (Array, Array) {
    let (site, axes) = (call_site(), axes.into());
    let averaged = try_average(array, &axes, weights, site).and_then(|(average, sum)| {
        let whole = within(site, || sum.broadcast_to(average.shape()));
        Ok((average, whole.ok()?.copy_at(site)))
    });
    averaged.unwrap_or_else(|error| (Array::broken(error.clone()), Array::broken(error)))
}

/// The averages, and the sums of the weights, which broadcast to the averages.
pub(super) fn try_average(
    array: &Array,
    axes: &Axes,
    weights: Option<&Array>,
    site: Site,
) -> Result<(Array, Array), Error> {
    array.ok()?;
    axes.allow("average", &[], site)?;
    let Some(weights) = weights else {
        let average = in_place_of(site, || array.mean(axes.clone()));
        if average.ok()?.size() == 0 {
            // NumPy divides by the number of elements of the result, which is 0.
            return Err(Error::data(DataError::ZeroWeights, site));
        }
        let count = array.size() as f64 / average.size() as f64;
        let mesh = array.mesh()?;
        let sum = mesh.enter(|| within(site, || full((), Weak::Float(count), average.dtype())));
        return Ok((average, sum));
    };
    weights.ok()?;
    let mut dtype = promote(array.dtype(), weights.dtype());
    if !array.dtype().is_inexact() {
        dtype = promote(dtype, DType::F64);
    }
    let removed = axes.resolve(array.ndim(), site)?;
    let weights = if weights.shape() == array.shape() {
        weights.clone()
    } else {
        if axes.is_all() {
            let problem = "weights of another shape than the array's need axes";
            return Err(Error::op(OpError::Arguments { operation: "average", problem }, site));
        }
        let given = axes.in_order(array.ndim(), site)?;
        let expected: Vec<usize> = given.iter().map(|&axis| array.shape()[axis]).collect();
        if weights.shape() != expected.as_slice() {
            let value = format!("{:?}", weights.shape());
            return Err(refused("average", "weights.shape", value, site));
        }
        let mut order: Vec<usize> = (0..given.len()).collect();
        order.sort_by_key(|&place| given[place]);
        let order: Vec<i64> = order.into_iter().map(|place| place as i64).collect();
        let shape: Vec<usize> = (0..array.ndim())
            .map(|axis| if removed.contains(&(axis as u8)) { array.shape()[axis] } else { 1 })
            .collect();
        within(site, || weights.transpose(order).reshape(shape))
    };
    let sum = in_place_of(site, || weights.sum(axes.clone().dtype(dtype)));
    let zero = try_elementwise(Op::Equal, &[(&sum).into(), Weak::Int(0).into()], site)?;
    // The check is recorded before the average, so every plan that computes the average also
    // computes the check.
    let any = zero.any_at(site)?;
    let (wide, weights) = (array.converted(dtype, site), weights.converted(dtype, site));
    let average = in_place_of(site, || (wide * weights).sum(axes.clone()) / &sum);
    average.ok()?;
    any.refuse(Error::data(DataError::ZeroWeights, site), site)?;
    Ok((average, sum))
}
