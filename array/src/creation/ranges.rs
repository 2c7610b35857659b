//! Ranges: numbers with equal distances, or with equal ratios.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::basic::{INDEX_BYTES, ShapeArgument, index_of};
use crate::dtypes::result_type;
use crate::floating::warn_discarded;
use crate::manipulation::{moveaxis, refused};
use crate::math::select;
use crate::recording::{current_mesh, mesh_of};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{DType, Scalar, Weak, promote, promote_weak};

/// The numbers `start, start + step, …` before `stop`. Dtype: `i64` if all arguments are integers
/// or bools within `i64`, `c128` if one is complex, else `f64`. For complex arguments the count is
/// the smaller of those of the real and the imaginary part of `(stop - start) / step`, as in NumPy.
///
/// Local (records a node). Errors: `OpError::Zero` for a zero step, `OpError::Argument` for
/// arguments that are not finite, `OpError::OutOfRange` for integers beyond `i64` and `u64`.
#[track_caller]
pub fn arange(start: impl Into<Weak>, stop: impl Into<Weak>, step: impl Into<Weak>) -> Array {
    let (site, numbers) = (call_site(), [start.into(), stop.into(), step.into()]);
    let outside = numbers.iter().find_map(|number| number.held_by(DType::I64).err());
    let Some(error) = outside else { return range(numbers, site) };
    // Beside `u64`, NumPy's signed integers promote to `f64`.
    let is_held =
        |number: &Weak| [DType::I64, DType::U64].iter().any(|&dtype| number.held_by(dtype).is_ok());
    if numbers.iter().all(is_held) {
        let [start, stop, step] = numbers;
        return within(site, || arange_as(start, stop, step, DType::F64));
    }
    Array::broken(Error::op(error, site))
}

/// The numbers of [`arange`]; integers beyond `i64` wrap. Errors also: `OpError::OutOfRange` for
/// integers beyond `f64`.
fn range([start, stop, step]: [Weak; 3], site: Site) -> Array {
    Array::catch((|| {
        let wrong = |argument, value: f64| refused("arange", argument, value.to_string(), site);
        let integer = |value: Weak| match value {
            Weak::Int(value) => Some(value),
            Weak::Bool(value) => Some(value.into()),
            _ => None,
        };
        for number in [start, stop, step] {
            number.held_by(DType::F64).map_err(|error| Error::op(error, site))?;
        }
        let mesh = current_mesh(site)?;
        if let (Some(start), Some(stop), Some(step)) =
            (integer(start), integer(stop), integer(step))
        {
            if step == 0 {
                let (operation, argument) = ("arange", "step");
                return Err(Error::op(OpError::Zero { operation, argument }, site));
            }
            let span = stop.saturating_sub(start).saturating_add(step - step.signum());
            let count = span.saturating_div(step).max(0);
            let shape = ShapeArgument(vec![saturating(count)]).resolve(INDEX_BYTES, site)?;
            let index = index_of(&shape, 0, &mesh, site)?;
            return Ok(within(site, || {
                let scaled = if step == 1 { index } else { index * step as i64 };
                if start == 0 { scaled } else { scaled + start as i64 }
            }));
        }
        if [start, stop, step].iter().any(|number| matches!(number, Weak::Complex(_))) {
            return complex_range([start, stop, step], site);
        }
        let (start, stop, step) =
            (start.to_complex().re, stop.to_complex().re, step.to_complex().re);
        for (name, value) in [("start", start), ("stop", stop), ("step", step)] {
            if !value.is_finite() {
                return Err(wrong(name, value));
            }
        }
        if step == 0.0 {
            let (operation, argument) = ("arange", "step");
            return Err(Error::op(OpError::Zero { operation, argument }, site));
        }
        let count = ((stop - start) / step).ceil().max(0.0);
        let shape = ShapeArgument(vec![count as i64]).resolve(INDEX_BYTES, site)?;
        // NumPy computes `start + i * (second - start)`, where `second = start + step` is rounded.
        let index = index_of(&shape, 0, &mesh, site)?.astype_at(DType::F64, site);
        Ok(within(site, || index * ((start + step) - start) + start))
    })())
}

/// The numbers of [`arange`] if one of its arguments is complex.
fn complex_range(numbers: [Weak; 3], site: Site) -> Result<Array, Error> {
    let [start, stop, step] = numbers.map(Weak::to_complex);
    for (name, value) in [("start", start), ("stop", stop), ("step", step)] {
        if !value.is_finite() {
            return Err(refused("arange", name, value.to_string(), site));
        }
    }
    if step == 0.0.into() {
        return Err(Error::op(OpError::Zero { operation: "arange", argument: "step" }, site));
    }
    let steps = (stop - start) / step;
    let count = steps.re.ceil().min(steps.im.ceil()).max(0.0);
    let shape = ShapeArgument(vec![count as i64]).resolve(INDEX_BYTES, site)?;
    let index = index_of(&shape, 0, &current_mesh(site)?, site)?.astype_at(DType::F64, site);
    Ok(within(site, || index * ((start + step) - start) + start))
}

/// As [`arange`], in the given dtype. The first number and the step to the second one are rounded
/// to the dtype, as in NumPy: integers from 0 in steps of a half are all 0. Errors: as for
/// [`arange`], `OpError::Arguments` for more than two bools, `OpError::Cast` for complex numbers in
/// a real dtype.
#[track_caller]
pub fn arange_as(
    start: impl Into<Weak>,
    stop: impl Into<Weak>,
    step: impl Into<Weak>,
    dtype: DType,
) -> Array {
    let (site, start, stop, step) = (call_site(), start.into(), stop.into(), step.into());
    within(site, || {
        let numbers = [start, stop, step];
        let range = range(numbers, site);
        let is_beyond = numbers.iter().any(|number| number.held_by(DType::I64).is_err());
        if range.ok().is_err() || range.dtype() == dtype {
            return range;
        }
        if range.dtype().is_complex() && !dtype.is_complex() {
            let (from, to) = (range.dtype(), dtype);
            return Array::broken(Error::op(OpError::cast(from, to), site));
        }
        if dtype == DType::Bool && range.size() > 2 {
            let (operation, problem) = ("arange", "a range of bools has at most two elements");
            return Array::broken(Error::op(OpError::Arguments { operation, problem }, site));
        }
        if is_beyond && dtype.is_complex() {
            // The range of integers has wrapped.
            return arange_as(start, stop, step, DType::F64).astype(dtype);
        }
        let is_rounded = range.dtype() == DType::F64 || (is_beyond && dtype.is_inexact());
        if is_rounded && !dtype.is_complex() && dtype != DType::Bool {
            let [first, step] = [start, step].map(|number| number.to_complex().re);
            let rounded = |value: f64| {
                let wide = Scalar::from_weak(DType::F64, Weak::Float(value)).cast(dtype);
                wide.cast(DType::F64).to_weak().to_complex().re
            };
            let (first, second) = (rounded(first), rounded(first + step));
            let index = arange(0, saturating(range.size()), 1);
            if dtype.is_integer() {
                return (index * (second - first) as i64 + first as i64).astype(dtype);
            }
            return index.astype(dtype) * (second - first) + first;
        }
        range.astype(dtype)
    })
}

/// The count, the end, the dtype and the axis of the numbers of a range.
///
/// A number alone is a count of numbers that include the end, in the dtype of the ends.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    count: usize,
    endpoint: bool,
    dtype: Option<DType>,
    axis: i64,
}

impl From<usize> for Samples {
    fn from(count: usize) -> Samples {
        Samples { count, endpoint: true, dtype: None, axis: 0 }
    }
}

impl Samples {
    /// Whether the end is the last number.
    #[must_use]
    pub fn endpoint(self, endpoint: bool) -> Samples {
        Samples { endpoint, ..self }
    }

    /// The dtype of the numbers.
    #[must_use]
    pub fn dtype(self, dtype: DType) -> Samples {
        Samples { dtype: Some(dtype), ..self }
    }

    /// The axis of the result along which the numbers are placed. The default is the first axis.
    #[must_use]
    pub fn axis(self, axis: i64) -> Samples {
        Samples { axis, ..self }
    }

    /// The numbers with their axis moved to `axis`; NumPy computes them along the first axis.
    fn turned(self, numbers: Array) -> Result<Array, Error> {
        match self.axis {
            0 => numbers.into_result(),
            axis => moveaxis(&numbers, 0, axis).into_result(),
        }
    }

    /// The distance between neighbouring numbers from `start` to `stop`: NumPy's `retstep`. NaN if
    /// there are no two numbers.
    pub fn step(self, start: f64, stop: f64) -> f64 {
        match self.steps() {
            0 => f64::NAN,
            steps => (stop - start) / steps as f64,
        }
    }

    /// Warns of the imaginary parts of samples that the requested dtype discards.
    fn warn_of_ends(self, ends: &[Argument], site: Site) -> Result<(), Error> {
        // The function itself refuses ends without a common dtype.
        match (self.dtype, within(site, || result_type(ends))) {
            (Some(dtype), Ok(own)) => warn_discarded(own, dtype, site),
            _ => Ok(()),
        }
    }

    /// The number of steps from the start to the end.
    fn steps(self) -> usize {
        if self.endpoint { self.count.saturating_sub(1) } else { self.count }
    }
}

/// The number as a float if it is a bool or an integer within `f64`.
pub(crate) fn widened(number: Weak) -> Weak {
    match number {
        number if number.held_by(DType::F64).is_err() => number,
        Weak::Int(_) | Weak::Large(_) | Weak::Bool(_) => Weak::Float(number.to_complex().re),
        other => other,
    }
}

/// The float or complex dtype in which NumPy computes a range between two ends.
fn range_dtype(start: &Argument, stop: &Argument) -> DType {
    let floating = |argument: &Argument| match argument {
        Argument::Weak(weak) => promote_weak(DType::F64, *weak),
        strong => promote(strong.strong().unwrap_or(DType::F64), DType::F64),
    };
    let (a, b) = (floating(start), floating(stop));
    match (start.strong(), stop.strong()) {
        // Ends with dtypes of their own keep these if they are floating point.
        (Some(a), Some(b)) if promote(a, b).is_inexact() => promote(a, b),
        (Some(a), None) | (None, Some(a)) if a.is_inexact() => {
            let other = if let Argument::Weak(weak) = start { Some(*weak) } else { None };
            let other = other.or(if let Argument::Weak(weak) = stop { Some(*weak) } else { None });
            other.map_or(a, |weak| promote_weak(a, weak))
        }
        _ => promote(a, b),
    }
}

/// Evenly spaced numbers from `start` to `stop`: `linspace(0.0, 1.0, 11)`. For numbers without the
/// end, in another dtype, use `Samples::from(11).endpoint(false).dtype(DType::F32)`.
///
/// Shapes: one axis, followed by the axes of the ends, which are broadcast together. Dtype: `f64`
/// or `c128` for numbers, that of floating-point arrays. Local (records nodes). Errors:
/// `OpError::Broadcast`.
#[track_caller]
pub fn linspace(
    start: impl Into<Argument>,
    stop: impl Into<Argument>,
    samples: impl Into<Samples>,
) -> Array {
    let site = call_site();
    let (start, stop) = (start.into(), stop.into());
    let samples = samples.into();
    Array::catch((|| {
        samples.warn_of_ends(&[start.clone(), stop.clone()], site)?;
        within(site, || samples.turned(try_linspace(&start, &stop, samples, site)?))
    })())
}

/// The distance between neighbouring numbers of [`linspace`]: NumPy's `retstep`. Its shape is that
/// to which the ends broadcast. The distance is NaN if there are no two numbers. Local (records
/// nodes). Errors: `OpError::Broadcast`.
#[track_caller]
pub fn linspace_step(
    start: impl Into<Argument>,
    stop: impl Into<Argument>,
    samples: impl Into<Samples>,
) -> Array {
    let (site, start, stop) = (call_site(), start.into(), stop.into());
    let steps = samples.into().steps();
    Array::catch(within(site, || {
        let mesh = mesh_of(&[start.clone(), stop.clone()], site)?;
        let step = mesh.enter(|| -> Result<Array, Error> {
            if steps == 0 {
                return Ok(super::full((), Weak::Float(f64::NAN), DType::F64));
            }
            let dtype = range_dtype(&start, &stop);
            Ok((end_in(dtype, &stop, site)? - end_in(dtype, &start, site)?) / steps as f64)
        });
        step?.into_result()
    }))
}

/// An end of a range as an array in `dtype`.
fn end_in(dtype: DType, end: &Argument, site: Site) -> Result<Array, Error> {
    Ok(match end {
        Argument::Array(array) => array.ok()?.converted(dtype, site),
        Argument::Scalar(scalar) => {
            super::full((), scalar.to_weak(), scalar.dtype()).converted(dtype, site)
        }
        Argument::Weak(weak) => super::full((), *weak, dtype),
    })
}

fn try_linspace(
    start: &Argument,
    stop: &Argument,
    samples: Samples,
    site: Site,
) -> Result<Array, Error> {
    let computed = range_dtype(start, stop);
    let dtype = samples.dtype.unwrap_or(computed);
    let finish = |line: Array| {
        if line.dtype() == dtype {
            return line;
        }
        let line =
            if dtype.is_integer() && !line.dtype().is_complex() { line.floor() } else { line };
        line.astype(dtype)
    };
    let (count, steps) = (samples.count, samples.steps());
    let shape = ShapeArgument(vec![saturating(count)]).resolve(INDEX_BYTES, site)?;
    let mesh = mesh_of(&[start.clone(), stop.clone()], site)?;
    let index = index_of(&shape, 0, &mesh, site)?.astype(DType::F64);
    if let (Argument::Weak(start), Argument::Weak(stop)) = (start, stop)
        && !computed.is_complex()
    {
        for number in [start, stop] {
            number.held_by(computed).map_err(|error| Error::op(error, site))?;
        }
        let (start, stop) = (start.to_complex().re, stop.to_complex().re);
        if steps == 0 {
            return Ok(finish(index * 0.0 + start));
        }
        let step = (stop - start) / steps as f64;
        let line = if step == 0.0 {
            &index / steps as f64 * (stop - start) + start
        } else {
            &index * step + start
        };
        if !samples.endpoint || count < 2 {
            return Ok(finish(line));
        }
        return Ok(finish(select(&index.equal((count - 1) as f64), stop, &line)));
    }
    let (start, stop) = (end_in(computed, start, site)?, end_in(computed, stop, site)?);
    let span = &stop - &start;
    span.ok()?;
    let mut column = vec![1usize; span.ndim() + 1];
    column[0] = count;
    let index = index.astype(computed.real()).reshape(column);
    if steps == 0 {
        return Ok(finish(index * 0.0 * &span + &start));
    }
    // As in NumPy, a step that underflows to zero is not computed before the multiplication.
    let step = &span / steps as f64;
    let line = select(&step.equal(0), &index / steps as f64 * &span, &index * &step) + &start;
    if !samples.endpoint || count < 2 {
        return Ok(finish(line));
    }
    let line = select(&index.equal((count - 1) as f64), &stop, &line);
    Ok(finish(line.converted(computed, site)))
}

/// Numbers evenly spaced on a logarithmic scale: `base` to the powers of
/// `linspace(start, stop, samples)`.
///
/// Shapes: one axis, followed by the axes of the ends and the base, which are broadcast together.
/// Dtype: as for [`linspace`], promoted with that of a base that is an array. Local (records
/// nodes). Errors: `OpError::Broadcast`.
#[track_caller]
pub fn logspace(
    start: impl Into<Argument>,
    stop: impl Into<Argument>,
    samples: impl Into<Samples>,
    base: impl Into<Argument>,
) -> Array {
    let (site, samples) = (call_site(), samples.into());
    let arguments = [start.into(), stop.into(), base.into()];
    let mesh = mesh_of(&arguments, site);
    Array::catch(mesh.and_then(|mesh| {
        samples.warn_of_ends(&arguments, site)?;
        mesh.enter(|| within(site, || samples.turned(powers(arguments, samples))))
    }))
}

fn powers([start, stop, base]: [Argument; 3], samples: Samples) -> Array {
    let ndim = |argument: &Argument| match argument {
        Argument::Array(array) => array.ndim(),
        _ => 0,
    };
    let base_ndim = ndim(&base);
    let ndim = base_ndim.max(ndim(&start)).max(ndim(&stop));
    // With a base that has axes, the numbers become arrays with their own dtypes. The axis of the
    // samples then precedes the axes of all three.
    let with_axes = |argument: Argument| match argument {
        _ if base_ndim == 0 => argument,
        Argument::Weak(weak) => {
            super::full(vec![1; ndim], weak, promote_weak(DType::Bool, weak)).into()
        }
        Argument::Scalar(scalar) => {
            super::full(vec![1; ndim], scalar.to_weak(), scalar.dtype()).into()
        }
        Argument::Array(array) => {
            let mut shape = vec![1; ndim - array.ndim()];
            shape.extend_from_slice(array.shape());
            Argument::Array(array.reshape(shape))
        }
    };
    let exponents =
        linspace(with_axes(start), with_axes(stop), Samples { dtype: None, axis: 0, ..samples });
    let base = match with_axes(base) {
        Argument::Weak(weak) => {
            super::full((), widened(weak), promote_weak(exponents.dtype(), weak))
        }
        Argument::Scalar(scalar) => super::full((), scalar.to_weak(), scalar.dtype()),
        Argument::Array(array) if base_ndim > 0 => array.expand_dims(0),
        Argument::Array(array) => array,
    };
    let numbers = base.power(&exponents);
    match samples.dtype {
        Some(dtype) if dtype != numbers.dtype() => numbers.astype(dtype),
        _ => numbers,
    }
}

/// Numbers with equal ratios from `start` to `stop`. The ends may be negative or complex: between
/// complex ends the numbers are on a spiral around zero, and between reals of different signs they
/// are NaN.
///
/// Shapes: one axis, followed by the axes of the ends, which are broadcast together. Dtype: that of
/// the ends, at least `f64`, unless the samples give another. Local (records nodes); Collective
/// over the mesh if an end is an array, whose elements are read (see
/// [`deferred_errors`](crate::deferred_errors)). Errors: `OpError::Argument` for an end that is
/// zero, `OpError::Broadcast`.
#[track_caller]
pub fn geomspace(
    start: impl Into<Argument>,
    stop: impl Into<Argument>,
    samples: impl Into<Samples>,
) -> Array {
    let (site, start, stop) = (call_site(), start.into(), stop.into());
    let (samples, ends) = (samples.into(), [start, stop]);
    let mesh = mesh_of(&ends, site);
    Array::catch(mesh.and_then(|mesh| {
        samples.warn_of_ends(&ends, site)?;
        mesh.enter(|| within(site, || samples.turned(try_geomspace(ends, samples, site)?)))
    }))
}

fn try_geomspace(ends: [Argument; 2], samples: Samples, site: Site) -> Result<Array, Error> {
    let zero = |argument| refused("geomspace", argument, "0", site);
    let ends = ends.map(|end| match end {
        Argument::Weak(weak) => {
            let zero = weak.to_complex() == 0.0.into();
            let weak = if weak.held_by(DType::I64).is_err() { widened(weak) } else { weak };
            (super::full((), weak, promote_weak(DType::Bool, weak)), Some(zero))
        }
        Argument::Scalar(scalar) => {
            let zero = scalar.to_weak().to_complex() == 0.0.into();
            (super::full((), scalar.to_weak(), scalar.dtype()), Some(zero))
        }
        Argument::Array(array) => (array, None),
    });
    let mut conditions = Vec::new();
    for (name, (end, is_zero)) in ["start", "stop"].into_iter().zip(&ends) {
        match is_zero {
            Some(true) => return Err(zero(name)),
            Some(false) => {}
            None => conditions.push((name, end.ok()?.equal(0).any(()))),
        }
    }
    let [(start, _), (stop, _)] = ends;
    let asked = samples.dtype.unwrap_or(DType::F64);
    let dtype = promote(promote(start.dtype(), stop.dtype()), asked);
    let dtype = promote_weak(dtype, Weak::Float(1.0));
    // As in NumPy, the first number is rotated to the positive reals, and all numbers are rotated
    // back at the end.
    let start = start.converted(dtype, site);
    let sign = start.sign();
    let (first, last) = (&start / &sign, stop.converted(dtype, site) / &sign);
    let plain = Samples { dtype: None, axis: 0, ..samples };
    let numbers = logspace(first.log10(), last.log10(), plain, 10.0);
    let count = samples.count;
    let mut column = vec![1usize; numbers.ok()?.ndim()];
    column[0] = count;
    let index = super::arange(0i64, saturating(count), 1i64).reshape(column);
    let numbers = select(&index.equal(0), first, &numbers);
    let numbers = if samples.endpoint && count > 1 {
        select(&index.equal(saturating(count - 1)), last, &numbers)
    } else {
        numbers
    };
    let numbers = (numbers * sign).converted(samples.dtype.unwrap_or(dtype), site);
    let numbers = numbers.into_result()?;
    for (name, condition) in conditions {
        condition.refuse(zero(name), site)?;
    }
    Ok(numbers)
}
