//! The functions of `phalanx.fft`.

use crate::arguments::{Arguments, is_integer};
use crate::errors::value_error;
use crate::functions;
use crate::mistakes::Mistake;
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
    let grid = axes.map_or_else(|| ().into(), fft::axes).norm(norm(a)?);
    Ok(match a.optional_integers("s")? {
        Some(extents) => grid.extents(extents),
        None => grid,
    })
}

/// The axes of transforms along two axes.
const TWO: Option<&[i64]> = Some(&[-2, -1]);

functions! { FUNCTIONS, a =>
    "fft(a, n=None, axis=-1, norm=None, out=None)",
    "The discrete Fourier transform along an axis.":
    a.stored(fft::fft(&a.array("a")?, line(a)?));

    "ifft(a, n=None, axis=-1, norm=None, out=None)",
    "The inverse of `fft`.":
    a.stored(fft::ifft(&a.array("a")?, line(a)?));

    "rfft(a, n=None, axis=-1, norm=None, out=None)",
    "The transform of real numbers: the frequencies that are not negative.":
    a.stored(fft::rfft(&a.array("a")?, line(a)?));

    "irfft(a, n=None, axis=-1, norm=None, out=None)",
    "The inverse of `rfft`.":
    a.stored(fft::irfft(&a.array("a")?, line(a)?));

    "hfft(a, n=None, axis=-1, norm=None, out=None)",
    "The transform of what is conjugate to its reverse: real numbers.":
    a.stored(fft::hfft(&a.array("a")?, line(a)?));

    "ihfft(a, n=None, axis=-1, norm=None, out=None)",
    "The inverse of `hfft`.":
    a.stored(fft::ihfft(&a.array("a")?, line(a)?));

    "fftn(a, s=None, axes=None, norm=None, out=None)",
    "The discrete Fourier transform along several axes.":
    a.stored(fft::fftn(&a.array("a")?, grid(a, None)?));

    "ifftn(a, s=None, axes=None, norm=None, out=None)",
    "The inverse of `fftn`.":
    a.stored(fft::ifftn(&a.array("a")?, grid(a, None)?));

    "rfftn(a, s=None, axes=None, norm=None, out=None)",
    "The transform of real numbers along several axes.":
    a.stored(fft::rfftn(&a.array("a")?, grid(a, None)?));

    "irfftn(a, s=None, axes=None, norm=None, out=None)",
    "The inverse of `rfftn`.":
    a.stored(fft::irfftn(&a.array("a")?, grid(a, None)?));

    "fft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The discrete Fourier transform along two axes.":
    a.stored(fft::fft2(&a.array("a")?, grid(a, TWO)?));

    "ifft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The inverse of `fft2`.":
    a.stored(fft::ifft2(&a.array("a")?, grid(a, TWO)?));

    "rfft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The transform of real numbers along two axes.":
    a.stored(fft::rfft2(&a.array("a")?, grid(a, TWO)?));

    "irfft2(a, s=None, axes=(-2, -1), norm=None, out=None)",
    "The inverse of `rfft2`.":
    a.stored(fft::irfft2(&a.array("a")?, grid(a, TWO)?));

    "fftfreq(n, d=1.0, device=None, *, dtype=None)",
    "The frequencies of `fft`.":
    frequencies(a, fft::fftfreq(samples(a)?, a.float_or("d", 1.0)?))?;

    "rfftfreq(n, d=1.0, device=None, *, dtype=None)",
    "The frequencies of `rfft`.":
    frequencies(a, fft::rfftfreq(samples(a)?, a.float_or("d", 1.0)?))?;

    "fftshift(x, axes=None)",
    "The frequency zero in the middle.":
    fft::fftshift(&a.array("x")?, a.optional_integers("axes")?.as_deref());

    "ifftshift(x, axes=None)",
    "The inverse of `fftshift`.":
    fft::ifftshift(&a.array("x")?, a.optional_integers("axes")?.as_deref());
}

/// A number of samples.
fn samples(a: &Arguments<'_, '_>) -> PyResult<i64> {
    match is_integer(a.object("n")?)? {
        true => a.integer("n"),
        false => Err(value_error(Mistake::Value, "n should be an integer")),
    }
}

/// Frequencies in the dtype that is asked for.
fn frequencies(a: &Arguments<'_, '_>, made: Array) -> PyResult<Array> {
    Ok(match a.optional_dtype("dtype")? {
        Some(dtype) => made.astype(dtype),
        None => made,
    })
}
