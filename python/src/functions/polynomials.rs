//! Polynomials as vectors of coefficients, with the highest power first.
//!
//! As in NumPy, functions return a `poly1d` if they are given one. The class is written in Python.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::convert::{self, dtypes};
use crate::functions;
use crate::interpreter::errors::{raised, value_error, warn};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::{
    Array, PolynomialFit, poly, polyadd, polyder, polydiv, polyfit_full, polyint, polymul, polysub,
    polyval, roots,
};
use pyo3::prelude::*;

/// The class of polynomials.
fn class<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("phalanx._polynomial")?.getattr("poly1d")
}

/// Whether one of the arguments is a polynomial of the class.
fn has_polynomial(a: &Arguments<'_, '_>, names: &[&str]) -> PyResult<bool> {
    let class = class(a.py())?;
    for name in names {
        if a.object(name)?.is_instance(&class)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The coefficients of an argument, which may be a `poly1d`.
fn coefficients(a: &Arguments<'_, '_>, name: &str) -> PyResult<Array> {
    let object = a.object(name)?;
    if object.is_instance(&class(a.py())?)? {
        return convert::array(&object.getattr("coeffs")?, None);
    }
    a.array(name)
}

/// The coefficients of an argument, which must be a sequence, as in NumPy.
fn sequence(a: &Arguments<'_, '_>, name: &str) -> PyResult<Array> {
    let array = coefficients(a, name)?;
    match array.ndim() {
        0 => Err(a.wrong(name, "a sequence")),
        _ => Ok(array),
    }
}

/// The answer, as a polynomial if one of the arguments is one.
fn answered(a: &Arguments<'_, '_>, names: &[&str], found: Array) -> PyResult<Answer> {
    if !has_polynomial(a, names)? {
        return Ok(found.into());
    }
    let array = Ndarray::wrap(a.py(), found)?;
    Ok(Answer::Object(class(a.py())?.call1((array,))?.unbind()))
}

type OfTwo = fn(&Array, &Array) -> Array;

fn of_two(a: &Arguments<'_, '_>, compute: OfTwo) -> PyResult<Answer> {
    let found = compute(&coefficients(a, "a1")?, &coefficients(a, "a2")?);
    answered(a, &["a1", "a2"], found)
}

fn divided(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let both = ["u", "v"];
    let found = polydiv(&coefficients(a, "u")?, &coefficients(a, "v")?);
    let (quotient, rest) = found.map_err(|error| raised(a.py(), &error))?;
    Ok(Answer::Tuple(vec![answered(a, &both, quotient)?, answered(a, &both, rest)?]))
}

/// An order: any number that `int` converts, as in NumPy.
fn order(a: &Arguments<'_, '_>, name: &str, default: i64) -> PyResult<i64> {
    let Some(object) = a.find(name) else { return Ok(default) };
    a.py().import("builtins")?.getattr("int")?.call1((object,))?.extract()
}

fn value(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let p = coefficients(a, "p")?;
    if !has_polynomial(a, &["x"])? {
        return Ok(polyval(&p, &a.array("x")?).into());
    }
    let composed = a.py().import("phalanx._polynomial")?.getattr("_composed")?;
    Ok(Answer::Object(composed.call1((Ndarray::wrap(a.py(), p)?, a.object("x")?))?.unbind()))
}

fn fitted(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let py = a.py();
    let weights = a.optional_array("w")?;
    let degree = usize::try_from(order(a, "deg", 0)?)
        .map_err(|_| value_error(Mistake::Value, "expected deg >= 0"))?;
    let (x, y) = (a.array("x")?, a.array("y")?);
    let fit = polyfit_full(&x, &y, degree, a.optional_float("rcond")?, weights.as_ref());
    let fit = fit.map_err(|error| raised(py, &error))?;
    let is_full = a.truth_or("full", false)?;
    let failed = |error| raised(py, &error);
    if !is_full && !fit.has_full_rank().map_err(failed)? {
        warn(py, "RankWarning", "Polyfit may be poorly conditioned")?;
    }
    if is_full {
        let rcond = match a.given("rcond") {
            Some(given) => Answer::Object(given.clone().unbind()),
            None => {
                let class = dtypes::to_python(py, fit.dtype)?.getattr("type")?;
                Answer::Object(class.call1((fit.rcond,))?.unbind())
            }
        };
        let PolynomialFit { coefficients, residuals, rank, singular_values, .. } = fit;
        return Ok(Answer::Tuple(vec![
            coefficients.into(),
            residuals.into(),
            rank.into(),
            singular_values.into(),
            rcond,
        ]));
    }
    if !a.truth_or("cov", false)? {
        return Ok(fit.coefficients.into());
    }
    let is_unscaled = a.object("cov")?.eq("unscaled")?;
    let covariance = if is_unscaled { fit.unscaled_covariance() } else { fit.covariance() };
    Ok(Answer::Tuple(vec![fit.coefficients.into(), covariance.into()]))
}

functions! { FUNCTIONS, a =>
    "poly(seq_of_zeros)",
    "The coefficients of the polynomial with given roots.":
    {
        let zeros = sequence(a, "seq_of_zeros")?;
        // As in NumPy, the product of no factors is a Python number.
        match zeros.shape() {
            [0] => Answer::Float(1.0),
            _ => poly(&zeros).into(),
        }
    };

    "roots(p)",
    "The roots of a polynomial. Collective.":
    roots(&sequence(a, "p")?);

    "polyadd(a1, a2)",
    "The sum of two polynomials.":
    of_two(a, |one, two| polyadd(one, two));

    "polysub(a1, a2)",
    "The difference of two polynomials.":
    of_two(a, |one, two| polysub(one, two));

    "polymul(a1, a2)",
    "The product of two polynomials.":
    of_two(a, |one, two| polymul(one, two));

    "polydiv(u, v)",
    "The quotient and the remainder of two polynomials.":
    divided(a);

    "polyder(p, m=1)",
    "The derivative of a polynomial, of order `m`.":
    answered(a, &["p"], polyder(&coefficients(a, "p")?, order(a, "m", 1)?));

    "polyint(p, m=1, k=None)",
    "The integral of a polynomial, of order `m`, with constants of integration.":
    {
        let constants = a.optional_array("k")?;
        answered(a, &["p"], polyint(&coefficients(a, "p")?, order(a, "m", 1)?, constants.as_ref()))
    };

    "polyval(p, x)",
    "The values of a polynomial at points.":
    value(a);

    "polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False)",
    "The polynomial of degree `deg` that fits points by least squares.":
    fitted(a);
}
