//! Elementary functions that are no ufuncs: rounding, clipping, closeness.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::writing::written;
use crate::convert;
use crate::functions;
use crate::interpreter::errors::{raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use phalanx::{Bound as Limit, Casting, Replacements, Tolerance, UfuncOptions};
use pyo3::prelude::*;

functions! { FUNCTIONS, a =>
    "clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, where=None, dtype=None, \
     casting='same_kind')",
    "The elements limited to the range between two bounds.":
    {
        let bounds = match (a.find("a_min").or(a.find("a_max")), a.find("min").or(a.find("max"))) {
            (Some(_), Some(_)) => {
                return Err(value_error(Mistake::Value,
                    "Passing `min` or `max` keyword argument when `a_min` and `a_max` are \
                     provided is forbidden.",
                ));
            }
            (Some(_), None) if a.find("a_min").is_none() || a.find("a_max").is_none() => {
                return Err(type_error(
                    Mistake::Count,
                    "clip() takes both of a_min and a_max, of which one may be None",
                ));
            }
            (Some(_), None) => ["a_min", "a_max"],
            _ => ["min", "max"],
        };
        clipped(a, bounds)?
    };

    "round(a, decimals=0, out=None)",
    "The elements rounded to a number of decimals; halves are rounded to the even digit.":
    a.stored(a.array("a")?.round(a.integer_or("decimals", 0)? as i32))?;

    "around(a, decimals=0, out=None)",
    "The elements rounded to a number of decimals; halves are rounded to the even digit.":
    a.stored(a.array("a")?.round(a.integer_or("decimals", 0)? as i32))?;

    "fix(x, out=None)",
    "The elements rounded towards zero to an integer.":
    a.stored(phalanx::fix(&a.array("x")?))?;

    "sinc(x)",
    "The normalized sinc function.":
    phalanx::sinc(&a.array("x")?);

    "i0(x)",
    "The modified Bessel function of the first kind of order 0.":
    phalanx::i0(&a.array("x")?);

    "angle(z, deg=False)",
    "The angle of complex numbers.":
    phalanx::angle(&a.array("z")?, a.truth_or("deg", false)?);

    "real(val)",
    "The real part.":
    match a.object("val")?.cast::<Ndarray>() {
        Ok(own) if !own.get().array.dtype().is_complex() => {
            Answer::Object(own.clone().into_any().unbind())
        }
        _ => Answer::Array(a.array("val")?.real()),
    };

    "imag(val)",
    "The imaginary part.":
    a.array("val")?.imag();

    "isreal(x)",
    "Whether the imaginary part is zero.":
    phalanx::isreal(&a.array("x")?);

    "iscomplex(x)",
    "Whether the imaginary part is not zero.":
    phalanx::iscomplex(&a.array("x")?);

    "isrealobj(x)",
    "Whether the dtype is not complex.":
    phalanx::isrealobj(&a.array("x")?);

    "iscomplexobj(x)",
    "Whether the dtype is complex.":
    phalanx::iscomplexobj(&a.array("x")?);

    "isposinf(x, out=None)",
    "Whether elements are positive infinity.":
    a.stored(phalanx::isposinf(&a.array("x")?))?;

    "isneginf(x, out=None)",
    "Whether elements are negative infinity.":
    a.stored(phalanx::isneginf(&a.array("x")?))?;

    "real_if_close(a, tol=100)",
    "The real parts, if all imaginary parts are close to zero.":
    phalanx::real_if_close(&a.array("a")?, a.float_or("tol", 100.0)?);

    "nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None)",
    "The elements with numbers in place of NaN and infinities.":
    {
        let array = a.array("x")?;
        let mut replacements = Replacements::from(());
        if let Some(value) = a.optional_argument("nan")? {
            replacements = replacements.nan(value);
        }
        if let Some(value) = a.optional_argument("posinf")? {
            replacements = replacements.posinf(value);
        }
        if let Some(value) = a.optional_argument("neginf")? {
            replacements = replacements.neginf(value);
        }
        let numbers = phalanx::nan_to_num(&array, replacements);
        if a.truth_or("copy", true)? {
            numbers.into()
        } else {
            written(a.py(), || array.try_assign(numbers))?;
            Answer::Object(a.object("x")?.clone().unbind())
        }
    };

    "isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "Whether elements are equal within a tolerance.":
    phalanx::isclose(&a.array("a")?, a.argument("b")?, tolerance(a)?);

    "allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "Whether all elements are equal within a tolerance.":
    a.truth(phalanx::allclose(&a.array("a")?, a.argument("b")?, tolerance(a)?))?;

    "array_equal(a1, a2, equal_nan=False)",
    "Whether two arrays are equal in shape and in all elements.":
    match (a.array("a1"), a.array("a2")) {
        (Ok(first), Ok(second)) => {
            a.truth(phalanx::array_equal(&first, &second, a.truth_or("equal_nan", false)?))?
        }
        // An object that is no array equals no array.
        _ => false,
    };

    "array_equiv(a1, a2)",
    "Whether two arrays are equal after they are broadcast together.":
    match (a.array("a1"), a.array("a2")) {
        (Ok(first), Ok(second)) => a.truth(phalanx::array_equiv(&first, &second))?,
        _ => false,
    };
}

functions! { METHODS, a =>
    "clip(a, min=None, max=None, out=None, *, where=None, dtype=None, casting='same_kind')",
    "The elements limited to the range between two bounds.":
    clipped(a, ["min", "max"])?;

    "conj(a)",
    "The complex conjugate.":
    a.array("a")?.conj();

    "conjugate(a)",
    "The complex conjugate.":
    a.array("a")?.conj();
}

fn clipped(a: &Arguments<'_, '_>, bounds: [&str; 2]) -> PyResult<Answer> {
    let bound = |name: &str| -> PyResult<Limit> {
        a.given(name).map_or(Ok(().into()), |object| Ok(Limit::from(convert::argument(object)?)))
    };
    let (low, high) = (bound(bounds[0])?, bound(bounds[1])?);
    let (array, casting) = (a.array("a")?, a.casting("casting", Casting::SameKind)?);
    let dtype = a.optional_dtype("dtype")?;
    let mask = a.elements_that_count()?;
    let out = vec![a.out()?];
    let options = UfuncOptions { dtype, casting, mask, out, ..UfuncOptions::default() };
    let clipped = at_line(a.py(), || array.clip_with(low, high, &options));
    let clipped = clipped.map_err(|error| raised(a.py(), &error))?;
    Ok(a.out_object()?.map_or(clipped.into(), |out| Answer::Object(out.unbind())))
}

fn tolerance(a: &Arguments<'_, '_>) -> PyResult<Tolerance> {
    let both = (a.float_or("rtol", 1e-5)?, a.float_or("atol", 1e-8)?);
    let tolerance = Tolerance::from(both);
    Ok(if a.truth_or("equal_nan", false)? { tolerance.equal_nan() } else { tolerance })
}
