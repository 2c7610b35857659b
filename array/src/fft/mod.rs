//! Fourier transforms: NumPy's `fft` module.
//!
//! Transforms run along one axis after the other. If the axis of a transform is split, another axis
//! is split instead, so that each line is on one device. A vector has no other axis and is
//! gathered. The plan shows these steps. `f16`, `bf16`, `f32` and `c64` are transformed in single
//! precision, and all other dtypes in double precision.

mod frequencies;
mod options;
mod transforms;

pub use frequencies::{fftfreq, fftshift, ifftshift, rfftfreq};
pub use options::{Grid, Line, Norm, axes, axis};
pub use transforms::{
    fft, fft2, fftn, hfft, ifft, ifft2, ifftn, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftn,
};
