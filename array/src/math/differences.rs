//! Differences and integrals along an axis.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::full;
use crate::manipulation::{along, axis_of, refused, try_concatenate, with_extent};
use crate::recording::in_place_on_mesh_of;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;
use phalanx_ops::shape::normalize_axis;
use phalanx_ops::{Casting, DType, Index, can_cast};

/// The part of an array from `start` to before `stop` along an axis.
pub(super) fn part(array: &Array, axis: usize, start: Option<i64>, stop: Option<i64>) -> Array {
    array.slice(along(array.ndim(), axis, Index::Range { start, stop, step: 1 }))
}

/// The argument as an array of the current mesh.
pub(crate) fn as_array(argument: &Argument) -> Array {
    match argument {
        Argument::Array(array) => array.clone(),
        Argument::Scalar(scalar) => full((), scalar.to_weak(), scalar.dtype()),
        Argument::Weak(weak) => full((), *weak, default_dtype(*weak)),
    }
}

/// The options of [`diff`]: NumPy's keyword arguments. `()` is their defaults.
#[derive(Clone)]
pub struct DiffOptions {
    order: i64,
    axis: i64,
    prepend: Option<Argument>,
    append: Option<Argument>,
}

impl From<()> for DiffOptions {
    fn from((): ()) -> DiffOptions {
        DiffOptions { order: 1, axis: -1, prepend: None, append: None }
    }
}

/// The difference of the given order: NumPy's `n`.
impl From<i64> for DiffOptions {
    fn from(order: i64) -> DiffOptions {
        DiffOptions { order, ..().into() }
    }
}

impl DiffOptions {
    /// Takes differences along this axis; the default is the last one.
    #[must_use]
    pub fn axis(self, axis: i64) -> DiffOptions {
        DiffOptions { axis, ..self }
    }

    /// Adds these before the elements: an array, or a number, which is repeated across the other
    /// axes.
    #[must_use]
    pub fn prepend(self, value: impl Into<Argument>) -> DiffOptions {
        DiffOptions { prepend: Some(value.into()), ..self }
    }

    /// Adds these after the elements: an array, or a number, which is repeated across the other
    /// axes.
    #[must_use]
    pub fn append(self, value: impl Into<Argument>) -> DiffOptions {
        DiffOptions { append: Some(value.into()), ..self }
    }
}

/// NumPy's `diff`: the differences of neighbours along an axis, repeated `order` times.
///
/// Dtype: that of the array; for bools, whether neighbours differ. Local (records nodes). Sharding:
/// that of the array; neighbours at the borders of blocks move. Errors: `OpError::Ndim`,
/// `OpError::Argument` for a negative order, `OpError::Axis`, `OpError::Broadcast` for a `prepend`
/// or `append` that does not fit.
#[track_caller]
#[must_use]
pub fn diff(array: &Array, options: impl Into<DiffOptions>) -> Array {
    let (site, options) = (call_site(), options.into());
    in_place_on_mesh_of(array, site, || try_diff(array, &options, site))
}

fn try_diff(array: &Array, options: &DiffOptions, site: Site) -> Result<Array, Error> {
    if options.order < 0 {
        return Err(refused("diff", "n", options.order.to_string(), site));
    }
    if options.order == 0 {
        return Ok(array.clone());
    }
    if array.ndim() == 0 {
        let error = OpError::Ndim { operation: "diff", expected: "1 or more", ndim: 0 };
        return Err(Error::op(error, site));
    }
    let axis = axis_of(options.axis, array.ndim(), site)?;
    let mut values = array.clone();
    if options.prepend.is_some() || options.append.is_some() {
        let edge = |argument: &Option<Argument>| {
            argument.as_ref().map(|argument| {
                let edge = as_array(argument);
                if edge.ndim() > 0 {
                    return edge;
                }
                edge.broadcast_to(with_extent(array.shape(), axis, 1).as_slice())
            })
        };
        let before = edge(&options.prepend);
        let parts: Vec<Array> =
            before.into_iter().chain([array.clone()]).chain(edge(&options.append)).collect();
        for edge in &parts {
            edge.ok()?;
            axis_of(axis as i64, parts[0].ndim(), site)?;
            if edge.ndim() != array.ndim() {
                let (left, right) = (array.shape().into(), edge.shape().into());
                return Err(Error::op(OpError::Broadcast { left, right }, site));
            }
        }
        let parts: Vec<&Array> = parts.iter().collect();
        values = try_concatenate(&parts, &(axis as i64).into(), None, site)?;
    }
    for _ in 0..options.order.min(values.shape()[axis] as i64) {
        let (next, previous) =
            (part(&values, axis, Some(1), None), part(&values, axis, None, Some(-1)));
        let is_bool = values.dtype() == DType::Bool;
        values = if is_bool { next.not_equal(previous) } else { next - previous };
    }
    Ok(values)
}

/// NumPy's `ediff1d`: the differences of neighbours of all elements in C order, between the raveled
/// `to_begin` and `to_end`.
///
/// Dtype: that of the array. Local (records nodes). Errors: `OpError::Cast` for ends that do not
/// cast to it under the rule `same_kind`.
#[track_caller]
#[must_use]
pub fn ediff1d(array: &Array, to_begin: Option<&Array>, to_end: Option<&Array>) -> Array {
    let site = call_site();
    in_place_on_mesh_of(array, site, || {
        let values = array.ravel();
        let difference = part(&values, 0, Some(1), None) - part(&values, 0, None, Some(-1));
        difference.ok()?;
        if to_begin.is_none() && to_end.is_none() {
            return Ok(difference);
        }
        let dtype = array.dtype();
        for end in [to_begin, to_end].into_iter().flatten() {
            let from = end.ok()?.dtype();
            if !can_cast(from, dtype, Casting::SameKind) {
                return Err(Error::op(OpError::cast(from, dtype), site));
            }
        }
        let parts: Vec<&Array> = to_begin.into_iter().chain([&difference]).chain(to_end).collect();
        try_concatenate(&parts, &().into(), Some(dtype), site)
    })
}

/// NumPy's `trapezoid`: the integral along `axis` by the trapezoidal rule. `spacing` is the
/// coordinates of the samples (a vector, or an array that broadcasts to the samples), or the
/// constant step.
///
/// Local (records nodes). Errors: `OpError::TooManyIndices` for an axis that does not exist,
/// `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn trapezoid(array: &Array, spacing: impl Into<Argument>, axis: i64) -> Array {
    let (site, spacing) = (call_site(), spacing.into());
    Array::catch(within(site, || {
        let ndim = array.ok()?.ndim();
        // NumPy indexes along the axis, so an axis that does not exist is an error of indexing.
        let axis = normalize_axis(axis, ndim)
            .map_err(|_| Error::op(OpError::TooManyIndices { ndim, given: ndim + 1 }, site))?;
        let steps: Argument = match &spacing {
            Argument::Array(x) if x.ok()?.ndim() == 1 => {
                let mut shape = vec![1usize; ndim];
                let steps = diff(x, ());
                shape[axis] = steps.ok()?.shape()[0];
                steps.reshape(shape).into()
            }
            Argument::Array(x) if x.ndim() > 1 => {
                let last = axis as i64 - ndim as i64;
                diff(x, DiffOptions::from(()).axis(last)).into()
            }
            other => other.clone(),
        };
        let sums = part(array, axis, Some(1), None) + part(array, axis, None, Some(-1));
        let areas = crate::recording::try_elementwise(
            phalanx_ops::Op::Multiply,
            &[sums.into(), steps],
            site,
        )?;
        Ok((areas / 2.0).sum(axis as i64))
    }))
}
