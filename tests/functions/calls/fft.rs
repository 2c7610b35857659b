//! Discrete Fourier transforms.

use crate::arguments::{Arguments, inexpressible};
use phalanx::fft::{self, Grid, Line, Norm};

calls! { a =>
    "fft.fft": fft::fft(&a.array(0), line(a)),
    "fft.ifft": fft::ifft(&a.array(0), line(a)),
    "fft.rfft": fft::rfft(&a.array(0), line(a)),
    "fft.irfft": fft::irfft(&a.array(0), line(a)),
    "fft.hfft": fft::hfft(&a.array(0), line(a)),
    "fft.ihfft": fft::ihfft(&a.array(0), line(a)),
    "fft.fftn": fft::fftn(&a.array(0), grid(a)),
    "fft.ifftn": fft::ifftn(&a.array(0), grid(a)),
    "fft.rfftn": fft::rfftn(&a.array(0), grid(a)),
    "fft.irfftn": fft::irfftn(&a.array(0), grid(a)),
    "fft.fft2": fft::fft2(&a.array(0), grid(a)),
    "fft.ifft2": fft::ifft2(&a.array(0), grid(a)),
    "fft.rfft2": fft::rfft2(&a.array(0), grid(a)),
    "fft.irfft2": fft::irfft2(&a.array(0), grid(a)),
    "fft.fftfreq": fft::fftfreq(a.int(0), a.float_or(1, 1.0)),
    "fft.rfftfreq": fft::rfftfreq(a.int(0), a.float_or(1, 1.0)),
    "fft.fftshift": fft::fftshift(&a.array(0), a.optional_integers("axes").as_deref()),
    "fft.ifftshift": fft::ifftshift(&a.array(0), a.optional_integers("axes").as_deref()),
}

fn norm(a: &Arguments) -> Norm {
    match a.optional_text("norm").as_deref() {
        None | Some("backward") => Norm::Backward,
        Some("ortho") => Norm::Ortho,
        Some("forward") => Norm::Forward,
        Some(other) => inexpressible(format!("norm {other}")),
    }
}

/// The axis of a transform with its options.
pub fn line(a: &Arguments) -> Line {
    let line = fft::axis(a.int_or("axis", -1)).norm(norm(a));
    a.optional_int("n").map_or(line, |extent| line.extent(extent))
}

fn grid(a: &Arguments) -> Grid {
    let axes = a.optional_integers("axes");
    let grid = axes.map_or_else(|| ().into(), fft::axes).norm(norm(a));
    match a.optional_integers("s") {
        Some(extents) => grid.extents(extents),
        None => grid,
    }
}
