//! Ranges: numbers at equal distances, or with equal ratios.

use crate::array::Array;
use crate::creation::basic::{INDEX_BYTES, ShapeArgument, current_mesh, index_of};
use crate::elementwise::mesh_of;
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::math::select;
use crate::operand::Argument;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{DType, Scalar, Shape, Weak, promote, promote_weak};

/// The numbers `start, start + step, …` before `stop`, of dtype `i64` if all arguments are
/// integers, else `f64`.
///
/// Local (records a node). Errors: `OpError::Argument` for a zero step or arguments that are not
/// finite.
#[track_caller]
pub fn arange(start: impl Into<Weak>, stop: impl Into<Weak>, step: impl Into<Weak>) -> Array {
    let site = call_site();
    let (start, stop, step) = (start.into(), stop.into(), step.into());
    Array::catch((|| {
        let wrong = |argument, value: f64| refused("arange", argument, value.to_string(), site);
        let integer = |value: Weak| if let Weak::Int(value) = value { Some(value) } else { None };
        let mesh = current_mesh(site)?;
        if let (Some(start), Some(stop), Some(step)) =
            (integer(start), integer(stop), integer(step))
        {
            if step == 0 {
                let (operation, argument) = ("arange", "step");
                return Err(Error::op(OpError::Zero { operation, argument }, site));
            }
            let count = ((stop - start + step - step.signum()) / step).max(0);
            let shape = ShapeArgument(vec![saturating(count)]).resolve(INDEX_BYTES, site)?;
            let index = index_of(&shape, 0, &mesh, site)?;
            return Ok(within(site, || {
                let scaled = if step == 1 { index } else { index * step as i64 };
                if start == 0 { scaled } else { scaled + start as i64 }
            }));
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
        // NumPy computes start + i * (second - start), where second = start + step was rounded.
        let index = index_of(&shape, 0, &mesh, site)?.astype_at(DType::F64, site);
        Ok(within(site, || index * ((start + step) - start) + start))
    })())
}

/// As [`arange`], of the given dtype, in which the first number and the step to the second one are
/// rounded, as in NumPy: integers from 0 on in steps of a half are all 0. Errors: as there,
/// `OpError::Arguments` for more than two bools.
#[track_caller]
pub fn arange_as(
    start: impl Into<Weak>,
    stop: impl Into<Weak>,
    step: impl Into<Weak>,
    dtype: DType,
) -> Array {
    let (site, start, step) = (call_site(), start.into(), step.into());
    within(site, || {
        let range = arange(start, stop, step);
        if range.ok().is_err() || range.dtype() == dtype {
            return range;
        }
        if dtype == DType::Bool && range.size() > 2 {
            let (operation, problem) = ("arange", "bools are two at most");
            return Array::broken(Error::op(OpError::Arguments { operation, problem }, site));
        }
        if range.dtype() == DType::F64 && !dtype.is_complex() && dtype != DType::Bool {
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

/// How many numbers a range has, whether the last of them is the end, and their dtype.
///
/// A number alone is that many numbers with the end, of the dtype of the ends.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    count: usize,
    endpoint: bool,
    dtype: Option<DType>,
}

impl From<usize> for Samples {
    fn from(count: usize) -> Samples {
        Samples { count, endpoint: true, dtype: None }
    }
}

impl Samples {
    /// Whether the last number is the end.
    #[must_use]
    pub fn endpoint(self, endpoint: bool) -> Samples {
        Samples { endpoint, ..self }
    }

    /// The dtype of the numbers.
    #[must_use]
    pub fn dtype(self, dtype: DType) -> Samples {
        Samples { dtype: Some(dtype), ..self }
    }

    /// The distance between two numbers from `start` to `stop`, what NumPy returns for `retstep`;
    /// NaN if there is none.
    pub fn step(self, start: f64, stop: f64) -> f64 {
        match self.steps() {
            0 => f64::NAN,
            steps => (stop - start) / steps as f64,
        }
    }

    /// The number of steps from the start to the end.
    fn steps(self) -> usize {
        if self.endpoint { self.count.saturating_sub(1) } else { self.count }
    }
}

/// A number as a float, if it is an integer.
pub(crate) fn widened(number: Weak) -> Weak {
    match number {
        Weak::Int(_) | Weak::Bool(_) => Weak::Float(number.to_complex().re),
        other => other,
    }
}

/// The float or complex dtype that NumPy computes a range between two ends in.
fn range_dtype(start: &Argument, stop: &Argument) -> DType {
    let floating = |argument: &Argument| match argument {
        Argument::Weak(weak) => promote_weak(DType::F64, *weak),
        strong => promote(strong.strong().unwrap_or(DType::F64), DType::F64),
    };
    let (a, b) = (floating(start), floating(stop));
    match (start.strong(), stop.strong()) {
        // Ends with dtypes of their own keep theirs if those are floating point.
        (Some(a), Some(b)) if promote(a, b).is_inexact() => promote(a, b),
        (Some(a), None) | (None, Some(a)) if a.is_inexact() => {
            let other = if let Argument::Weak(weak) = start { Some(*weak) } else { None };
            let other = other.or(if let Argument::Weak(weak) = stop { Some(*weak) } else { None });
            other.map_or(a, |weak| promote_weak(a, weak))
        }
        _ => promote(a, b),
    }
}

/// Evenly spaced numbers from `start` to `stop`: `linspace(0.0, 1.0, 11)`, or with
/// `Samples::from(11).endpoint(false).dtype(DType::F32)` without the end and of another dtype.
///
/// Shapes: one axis, before those of the ends if they are arrays (broadcast together). Dtype: `f64`
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
    Array::catch(within(site, || try_linspace(&start, &stop, samples.into(), site)))
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
    let end = |argument: &Argument| -> Result<Array, Error> {
        Ok(match argument {
            Argument::Array(array) => array.ok()?.converted(computed, site),
            Argument::Scalar(scalar) => {
                super::full((), scalar.to_weak(), scalar.dtype()).converted(computed, site)
            }
            Argument::Weak(weak) => super::full((), *weak, computed),
        })
    };
    let (start, stop) = (end(start)?, end(stop)?);
    let span = &stop - &start;
    span.ok()?;
    let mut column = vec![1usize; span.ndim() + 1];
    column[0] = count;
    let index = index.astype(computed.real()).reshape(column);
    if steps == 0 {
        return Ok(finish(index * 0.0 * &span + &start));
    }
    // As NumPy: a step that vanishes is not divided first.
    let step = &span / steps as f64;
    let line = select(&step.equal(0), &index / steps as f64 * &span, &index * &step) + &start;
    if !samples.endpoint || count < 2 {
        return Ok(finish(line));
    }
    let line = select(&index.equal((count - 1) as f64), &stop, &line);
    Ok(finish(line.converted(computed, site)))
}

/// Numbers evenly spaced on a logarithmic scale: `base` to the powers of
/// `linspace(start, stop, samples)`. Local (records nodes).
#[track_caller]
pub fn logspace(
    start: impl Into<Argument>,
    stop: impl Into<Argument>,
    samples: impl Into<Samples>,
    base: f64,
) -> Array {
    let (site, samples) = (call_site(), samples.into());
    within(site, || {
        let exponents = linspace(start, stop, Samples { dtype: None, ..samples });
        let base = match super::full((), base, DType::F64) {
            base if exponents.dtype() == DType::F64 => base,
            base => base.astype(exponents.dtype()),
        };
        let numbers = base.power(&exponents);
        match samples.dtype {
            Some(dtype) if dtype != numbers.dtype() => numbers.astype(dtype),
            _ => numbers,
        }
    })
}

/// Numbers with equal ratios from `start` to `stop`, of dtype `f64` unless the samples say another.
/// Between ends of different signs there is NaN. Local (records nodes). Errors: `OpError::Argument`
/// for an end that is zero.
#[track_caller]
pub fn geomspace(start: f64, stop: f64, samples: impl Into<Samples>) -> Array {
    let (site, samples) = (call_site(), samples.into());
    Array::catch(within(site, || {
        for (argument, value) in [("start", start), ("stop", stop)] {
            if value == 0.0 {
                return Err(refused("geomspace", argument, "0", site));
            }
        }
        let sign = start.signum();
        let (first, last) = (start * sign, stop * sign);
        let plain = Samples { dtype: None, ..samples };
        let numbers = logspace(first.log10(), last.log10(), plain, 10.0);
        let shape: Shape = numbers.ok()?.shape().into();
        let index = index_of(&shape, 0, &numbers.mesh()?, site)?;
        let numbers = select(&index.equal(0), first, &numbers);
        let count = samples.count;
        let numbers = if samples.endpoint && count > 1 {
            select(&index.equal(saturating(count - 1)), last, &numbers)
        } else {
            numbers
        };
        let numbers = if sign < 0.0 { numbers * sign } else { numbers };
        Ok(match samples.dtype {
            Some(dtype) if dtype != DType::F64 => numbers.astype(dtype),
            _ => numbers,
        })
    }))
}
