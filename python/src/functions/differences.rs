//! Differences, gradients, integrals, interpolation and convolutions.

use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, is_integer};
use crate::convert;
use crate::functions;
use crate::interpreter::errors::value_error;
use crate::interpreter::mistakes::Mistake;
use phalanx::{
    Argument, Array, Bound as Edge, ConvolveMode, DiffOptions, GradientOptions, axis, convolve,
    correlate, diff, ediff1d, gradient, interp, interp_periodic, trapezoid, unwrap,
};
use pyo3::prelude::*;

fn difference(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let mut options = DiffOptions::from(a.integer_or("n", 1)?).axis(a.integer_or("axis", -1)?);
    if let Some(edge) = a.optional_argument("prepend")? {
        options = options.prepend(edge);
    }
    if let Some(edge) = a.optional_argument("append")? {
        options = options.append(edge);
    }
    Ok(diff(&a.array("a")?, options))
}

fn gradients(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let mut options = GradientOptions::default();
    for spacing in a.object("varargs")?.try_iter()? {
        options = options.spacing(convert::argument(&spacing?)?);
    }
    match a.given("axis") {
        None => {}
        Some(object) if is_integer(object)? => options = options.axis(a.integer("axis")?),
        Some(_) => options = options.axis(axis(a.integers("axis")?.as_slice())),
    }
    if let Some(order) = a.optional_integer("edge_order")? {
        options = options.edge_order(order);
    }
    let mut found = gradient(&a.array("f")?, options);
    Ok(if found.len() == 1 { found.remove(0).into() } else { found.into() })
}

fn mode(a: &Arguments<'_, '_>, default: ConvolveMode) -> PyResult<ConvolveMode> {
    if let Some(Ok(number)) = a.given("mode").map(|mode| mode.extract::<i64>()) {
        let modes = [ConvolveMode::Valid, ConvolveMode::Same, ConvolveMode::Full];
        let refused =
            || value_error(Mistake::Choice, "integer convolve/correlate mode must be 0, 1, or 2");
        let place = usize::try_from(number).map_err(|_| refused())?;
        return modes.into_iter().nth(place).ok_or_else(refused);
    }
    let Some(name) = a.optional_text("mode")? else { return Ok(default) };
    let refused = || value_error(Mistake::Choice, "mode must be one of 'valid', 'same', or 'full'");
    ConvolveMode::from_name(&name).ok_or_else(refused)
}

fn edge(a: &Arguments<'_, '_>, name: &str) -> PyResult<Edge> {
    Ok(a.optional_argument(name)?.map_or(().into(), Edge::from))
}

functions! { FUNCTIONS, a =>
    "diff(a, n=1, axis=-1, prepend=None, append=None)",
    "The differences of neighbouring elements along an axis, taken `n` times.":
    difference(a);

    "ediff1d(ary, to_end=None, to_begin=None)",
    "The differences of neighbouring elements in C order, after `to_begin` and before `to_end`.":
    {
        let (begin, end) = (a.optional_array("to_begin")?, a.optional_array("to_end")?);
        ediff1d(&a.array("ary")?, begin.as_ref(), end.as_ref())
    };

    "gradient(f, *varargs, axis=None, edge_order=1)",
    "The derivatives along axes by central differences.":
    gradients(a);

    "trapezoid(y, x=None, dx=1.0, axis=-1)",
    "The integral along an axis by the trapezoidal rule.":
    {
        let spacing = match a.optional_argument("x")? {
            Some(points) => points,
            None => a.optional_argument("dx")?.unwrap_or(Argument::from(1.0)),
        };
        trapezoid(&a.array("y")?, spacing, a.integer_or("axis", -1)?)
    };

    "interp(x, xp, fp, left=None, right=None, period=None)",
    "The values of the piecewise linear function through given points.":
    {
        let (x, xp, fp) = (a.array("x")?, a.array("xp")?, a.array("fp")?);
        match a.optional_float("period")? {
            Some(period) => interp_periodic(&x, &xp, &fp, period),
            None => interp(&x, &xp, &fp, edge(a, "left")?, edge(a, "right")?),
        }
    };

    "convolve(a, v, mode='full')",
    "The convolution of two vectors.":
    convolve(&a.array("a")?, &a.array("v")?, mode(a, ConvolveMode::Full)?);

    "correlate(a, v, mode='valid')",
    "The cross-correlation of two vectors.":
    correlate(&a.array("a")?, &a.array("v")?, mode(a, ConvolveMode::Valid)?);

    "unwrap(p, discont=None, axis=-1, *, period=6.283185307179586)",
    "Angles with multiples of the period added, which reduces large steps between neighbours.":
    {
        let (jump, axis) = (a.optional_float("discont")?, a.integer_or("axis", -1)?);
        unwrap(&a.array("p")?, jump, axis, a.float_or("period", std::f64::consts::TAU)?)
    };
}
