//! Differences, gradients and integrals along an axis.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::{full, zeros};
use crate::manipulation::{along, axis_of, refused, try_concatenate, with_extent};
use crate::recording::on_mesh_of;
use crate::reductions::Axes;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;
use phalanx_ops::shape::normalize_axis;
use phalanx_ops::{Casting, DType, Index, Kind, Op, Weak, can_cast};

/// The part of an array from `start` to before `stop` along an axis.
fn part(array: &Array, axis: usize, start: Option<i64>, stop: Option<i64>) -> Array {
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
    on_mesh_of(array, site, || try_diff(array, &options, site))
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
    on_mesh_of(array, site, || {
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

/// The options of [`gradient`]: NumPy's further arguments. `()` is their defaults.
#[derive(Clone, Default)]
pub struct GradientOptions {
    spacing: Vec<Argument>,
    axes: Option<Axes>,
    edge_order: Option<i64>,
}

impl From<()> for GradientOptions {
    fn from((): ()) -> GradientOptions {
        GradientOptions::default()
    }
}

impl GradientOptions {
    /// The distance of neighbours (a number), or their coordinates (a vector). Call this once for
    /// all axes, or once for each axis.
    #[must_use]
    pub fn spacing(mut self, spacing: impl Into<Argument>) -> GradientOptions {
        self.spacing.push(spacing.into());
        self
    }

    /// Takes gradients along these axes; the default is all axes.
    #[must_use]
    pub fn axis(self, axes: impl Into<Axes>) -> GradientOptions {
        GradientOptions { axes: Some(axes.into()), ..self }
    }

    /// Differences at the ends are accurate to this order: 1 or 2.
    #[must_use]
    pub fn edge_order(self, edge_order: i64) -> GradientOptions {
        GradientOptions { edge_order: Some(edge_order), ..self }
    }
}

/// NumPy's `gradient`: for each axis, the derivative by central differences inside and by one-sided
/// differences at the ends.
///
/// Shape: that of the array; dtype `f64` for integers. Local (records nodes). On an error the
/// result is one array that carries it. Errors: `OpError::Axis`, `OpError::Argument` for too few
/// elements, an edge order above 2 or coordinates that do not fit, `OpError::Arguments` for a wrong
/// number of spacings.
#[track_caller]
#[must_use]
pub fn gradient(array: &Array, options: impl Into<GradientOptions>) -> Vec<Array> {
    let (site, options) = (call_site(), options.into());
    let gradients = array
        .mesh()
        .and_then(|mesh| mesh.enter(|| within(site, || try_gradient(array, &options, site))));
    gradients.unwrap_or_else(|error| vec![Array::broken(error)])
}

fn try_gradient(array: &Array, options: &GradientOptions, site: Site) -> Result<Vec<Array>, Error> {
    let axes = match &options.axes {
        Some(axes) => axes.in_order(array.ndim(), site)?,
        None => (0..array.ndim()).collect(),
    };
    let spacings = match options.spacing.len() {
        0 => vec![Argument::Weak(Weak::Float(1.0)); axes.len()],
        1 => vec![options.spacing[0].clone(); axes.len()],
        count if count == axes.len() => options.spacing.clone(),
        _ => {
            let problem = "there must be one spacing, or one for each axis";
            return Err(Error::op(OpError::Arguments { operation: "gradient", problem }, site));
        }
    };
    let edge_order = options.edge_order.unwrap_or(1);
    if edge_order > 2 {
        return Err(refused("gradient", "edge_order", edge_order.to_string(), site));
    }
    let values = if array.dtype().is_integer() && array.dtype() != DType::Bool {
        array.converted(DType::F64, site)
    } else {
        array.clone()
    };
    let mut gradients = Vec::new();
    for (&axis, spacing) in axes.iter().zip(&spacings) {
        let extent = array.shape()[axis];
        if (extent as i64) < edge_order + 1 {
            return Err(refused("gradient", "extent", extent.to_string(), site));
        }
        gradients.push(gradient_along(&values, axis, spacing, edge_order, site)?);
    }
    Ok(gradients)
}

/// The gradient along one axis.
fn gradient_along(
    values: &Array,
    axis: usize,
    spacing: &Argument,
    edge_order: i64,
    site: Site,
) -> Result<Array, Error> {
    let (extent, ndim) = (values.shape()[axis], values.ndim());
    let dtype = if values.dtype().is_inexact() { values.dtype() } else { DType::F64 };
    let steps = match spacing {
        Argument::Array(x) if x.ok()?.ndim() > 0 => {
            if x.shape() != [extent] {
                let value = format!("coordinates of shape {:?}", x.shape());
                return Err(refused("gradient", "spacing", value, site));
            }
            let x = if x.dtype().is_inexact() { x.clone() } else { x.converted(DType::F64, site) };
            let mut shape = vec![1usize; ndim];
            shape[axis] = extent - 1;
            Some(diff(&x, ()).reshape(shape))
        }
        _ => None,
    };
    // `inner`: the elements from `start` on, as many as have two neighbours. `at`: the elements at
    // one position.
    let last = extent as i64;
    let inner = |start: i64| part(values, axis, Some(start), Some(last - 2 + start));
    let at = |array: &Array, place: i64| part(array, axis, Some(place), Some(place + 1));
    let result = zeros(values.shape(), dtype);
    let write = |start: i64, stop: i64, value: Array| {
        part(&result, axis, Some(start), Some(stop)).try_assign(value)
    };
    let Some(steps) = steps else {
        let by = |value: Array| {
            let arguments = [value.into(), spacing.clone()];
            Array::apply(Op::Divide, &arguments)
        };
        // As NumPy, which combines the numbers in f64 before it combines them with elements of a
        // narrower dtype.
        let number = |op: Op, number: f64| match (spacing, op) {
            (Argument::Weak(weak), Op::Multiply) if weak.kind() != Kind::Complex => {
                Argument::from(number * weak.to_complex().re)
            }
            (Argument::Weak(weak), Op::Divide) if weak.kind() != Kind::Complex => {
                Argument::from(number / weak.to_complex().re)
            }
            _ => Array::apply(op, &[number.into(), as_array(spacing).into()]).into(),
        };
        write(1, last - 1, (inner(2) - inner(0)) / number(Op::Multiply, 2.0))?;
        let value = |place: i64| at(values, place);
        if edge_order == 2 {
            let factor = |factor: f64| number(Op::Divide, factor);
            let start = value(0) * factor(-1.5) + value(1) * factor(2.0) + value(2) * factor(-0.5);
            write(0, 1, start)?;
            let end = value(last - 3) * factor(0.5)
                + value(last - 2) * factor(-2.0)
                + value(last - 1) * factor(1.5);
            write(last - 1, last, end)?;
        } else {
            write(0, 1, by(value(1) - value(0)))?;
            write(last - 1, last, by(value(last - 1) - value(last - 2)))?;
        }
        return Ok(result);
    };
    let (before, after) = (part(&steps, axis, None, Some(-1)), part(&steps, axis, Some(1), None));
    let both = &before + &after;
    write(
        1,
        last - 1,
        -(&after / (&before * &both)) * inner(0)
            + (&after - &before) / (&before * &after) * inner(1)
            + &before / (&after * &both) * inner(2),
    )?;
    let value = |place: i64| at(values, place);
    if edge_order == 2 {
        let (one, two) = (at(&steps, 0), at(&steps, 1));
        let both = &one + &two;
        let start = -((&one * 2.0 + &two) / (&one * &both)) * value(0)
            + &both / (&one * &two) * value(1)
            - &one / (&two * &both) * value(2);
        write(0, 1, start)?;
        let (one, two) = (at(&steps, last - 3), at(&steps, last - 2));
        let both = &one + &two;
        let end = &two / (&one * &both) * value(last - 3) - &both / (&one * &two) * value(last - 2)
            + (&two * 2.0 + &one) / (&two * &both) * value(last - 1);
        write(last - 1, last, end)?;
    } else {
        write(0, 1, (value(1) - value(0)) / at(&steps, 0))?;
        write(last - 1, last, (value(last - 1) - value(last - 2)) / at(&steps, last - 2))?;
    }
    Ok(result)
}
