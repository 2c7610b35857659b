//! Mathematical functions: elementwise operations and what is composed of them, differences,
//! running sums, convolutions and interpolation.

mod bits;
mod closeness;
mod complexes;
mod components;
mod convolution;
mod differences;
mod gradient;
mod interpolation;
mod methods;
mod operators;
mod rounding;
mod scans;
mod special;

pub use bits::{BitOrder, byteswap, packbits, unpackbits};
pub use closeness::{
    Replacements, Tolerance, allclose, array_equal, array_equiv, isclose, isneginf, isposinf,
    nan_to_num,
};
pub use complexes::{angle, iscomplex, iscomplexobj, isreal, isrealobj, real_if_close};
pub use components::complex;
pub use convolution::{ConvolveMode, convolve, correlate};
pub(crate) use differences::as_array;
pub use differences::{DiffOptions, diff, ediff1d, trapezoid};
pub use gradient::{GradientOptions, gradient};
pub use interpolation::{interp, interp_periodic};
pub use methods::select;
pub(crate) use methods::{checked, is_real};
pub use rounding::{Bound, around, clip, fix, round};
pub(crate) use scans::{accumulate, combined_in, reduce_at};
pub use scans::{
    cumprod, cumsum, cumulative_as, cumulative_prod, cumulative_sum, nancumprod, nancumsum,
    nancumulative_as,
};
pub use special::{i0, sinc};
