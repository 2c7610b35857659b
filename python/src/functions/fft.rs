//! The functions of `phalanx.fft`.

use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, integer, is_integer};
use crate::functions;
use crate::interpreter::errors::{value_error, warn};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::Array;
use phalanx::fft::{self, Grid, Line, Norm};
use pyo3::prelude::*;

fn norm(a: &Arguments<'_, '_>) -> PyResult<Norm> {
    match a.text_or("norm", "backward")?.as_str() {
        "backward" => Ok(Norm::Backward),
        "ortho" => Ok(Norm::Ortho),
        "forward" => Ok(Norm::Forward),
        other => Err(value_error(
            Mistake::Choice,
            format!(
                "Invalid norm value {other}; should be \"backward\", \"ortho\" or \"forward\"."
            ),
        )),
    }
}

fn line(a: &Arguments<'_, '_>) -> PyResult<Line> {
    let line = fft::axis(a.integer_or("axis", -1)?).norm(norm(a)?);
    Ok(a.optional_integer("n")?.map_or(line, |extent| line.extent(extent)))
}

fn grid(a: &Arguments<'_, '_>, default: Option<&[i64]>) -> PyResult<Grid> {
    let axes = match a.find("axes") {
        None => default.map(<[i64]>::to_vec),
        Some(_) => a.optional_integers("axes")?,
    };
    let is_given = axes.is_some();
    let grid = axes.map_or_else(|| ().into(), fft::axes).norm(norm(a)?);
    let Some(object) = a.given("s") else { return Ok(grid) };
    if !is_given {
        let text = "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0)";
        warn(a.py(), "DeprecationWarning", text)?;
    }
    let items = object.try_iter().ok().map(|items| items.collect::<PyResult<Vec<_>>>());
    let Some(items) = items.transpose()? else { return Ok(grid.extents(a.integers("s")?)) };
    if items.iter().any(|item| item.is_none()) {
        let text = "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0";
        warn(a.py(), "DeprecationWarning", text)?;
    }
    let extent = |item: &Bound<'_, PyAny>| {
        if item.is_none() {
            Ok(None)
        } else {
            integer(item).map(Some).map_err(|_| a.wrong("s", "integers"))
        }
    };
    Ok(grid.optional_extents(items.iter().map(extent).collect::<PyResult<Vec<_>>>()?))
}

/// The transform along several axes. Without axes it is the object itself, as in NumPy.
fn along_axes(
    a: &Arguments<'_, '_>,
    default: Option<&[i64]>,
    compute: fn(&Array, Grid) -> Array,
) -> PyResult<Answer> {
    let (grid, object) = (grid(a, default)?, a.object("a")?);
    if grid.is_empty() && !a.has("out") && object.is_instance_of::<Ndarray>() {
        return Ok(Answer::Object(object.clone().unbind()));
    }
    a.stored(compute(&a.array("a")?, grid))
}

/// The default axes of transforms along two axes.
const TWO: Option<&[i64]> = Some(&[-2, -1]);

functions! { FUNCTIONS, a =>
    "fft(a, n=None, axis=-1, norm=None, out=None)",
    "The discrete Fourier transform along an axis.":
    a.stored(fft::fft(&a.array("a")?, line(a)?));

    "ifft(a, n=None, axis=-1, norm=None, out=None)",
    "The inverse of `fft`.":
    a.stored(fft::ifft(&a.array("a")?, line(a)?));

    "rfft(a, n=None, axis=-1, norm=None, out=None)",
    "The discrete Fourier transform of real numbers, at the frequencies that are not negative.":
    a.stored(fft::rfft(&a.array("a")?, line(a)?));

    "irfft(a, n=None, axis=-1, norm=None, out=None)",
    "The inverse of `rfft`.":
    a.stored(fft::irfft(&a.array("a")?, line(a)?));

    "hfft(a, n=None, axis=-1, norm=None, out=None)",
    "The real discrete Fourier transform of Hermitian input, of which the first half is given.":
    a.stored(fft::hfft(&a.array("a")?, line(a)?));

    "ihfft(a, n=None, axis=-1, norm=None, out=None)",
    "The inverse of `hfft`.":
    a.stored(fft::ihfft(&a.array("a")?, line(a)?));

    "fftn(a, s=None, axes=None, norm=None, out=None)",
    "The discrete Fourier transform along several axes.":
    along_axes(a, None, |array, grid| fft::fftn(array, grid));

    "ifftn(a, s=None, axes=None, norm=None, out=None)",
    "The inverse of `fftn`.":
    along_axes(a, None, |array, grid| fft::ifftn(array, grid));

    "rfftn(a, s=None, axes=None, norm=None, out=None)",
    "The discrete Fourier transform of real numbers along several axes.":
    a.stored(fft::rfftn(&a.array("a")?, grid(a, None)?));

    "irfftn(a, s=None, axes=None, norm=None, out=None)",
    "The inverse of `rfftn`.":
    a.stored(fft::irfftn(&a.array("a")?, grid(a, None)?));

    "fft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The discrete Fourier transform along two axes.":
    along_axes(a, TWO, |array, grid| fft::fftn(array, grid));

    "ifft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The inverse of `fft2`.":
    along_axes(a, TWO, |array, grid| fft::ifftn(array, grid));

    "rfft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The discrete Fourier transform of real numbers along two axes.":
    a.stored(fft::rfftn(&a.array("a")?, grid(a, TWO)?));

    "irfft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The inverse of `rfft2`.":
    a.stored(fft::irfftn(&a.array("a")?, grid(a, TWO)?));

    "fftfreq(n, d=1.0, device=None, *, dtype=None)",
    "The frequencies of the elements that `fft` returns.":
    frequencies(a, fft::fftfreq(samples(a)?, a.float_or("d", 1.0)?))?;

    "rfftfreq(n, d=1.0, device=None, *, dtype=None)",
    "The frequencies of the elements that `rfft` returns.":
    frequencies(a, fft::rfftfreq(samples(a)?, a.float_or("d", 1.0)?))?;

    "fftshift(x, axes=None)",
    "The elements shifted so that the frequency zero is in the middle.":
    fft::fftshift(&a.array("x")?, a.optional_integers("axes")?.as_deref());

    "ifftshift(x, axes=None)",
    "The inverse of `fftshift`.":
    fft::ifftshift(&a.array("x")?, a.optional_integers("axes")?.as_deref());
}

/// A number of samples.
fn samples(a: &Arguments<'_, '_>) -> PyResult<i64> {
    if is_integer(a.object("n")?)? {
        a.integer("n")
    } else {
        Err(value_error(Mistake::Value, "n should be an integer"))
    }
}

/// Frequencies in the dtype that is asked for.
fn frequencies(a: &Arguments<'_, '_>, made: Array) -> PyResult<Array> {
    Ok(match a.optional_dtype("dtype")? {
        Some(dtype) => made.astype(dtype),
        None => made,
    })
}
