//! Fourier transforms: NumPy's `fft` module.
//!
//! Transforms run along one axis after the other. An axis that is split is brought together for its
//! transform by splitting another one; a vector, which has no other, is gathered. The plan says so.
//! `f16` and `f32` are transformed in single precision, everything else in double.

mod frequencies;
mod options;
mod transforms;

pub use frequencies::{fftfreq, fftshift, ifftshift, rfftfreq};
pub use options::{Grid, Line, Norm, axes, axis};
pub use transforms::{
    fft, fft2, fftn, hfft, ifft, ifft2, ifftn, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftn,
};
