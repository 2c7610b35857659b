//! Mathematical functions: elementwise operations and what is composed of them, differences,
//! running sums, convolutions and interpolation.

mod bits;
mod closeness;
mod complexes;
mod convolution;
mod differences;
mod elementwise;
mod interpolation;
mod methods;
mod power;
mod rounding;
mod scans;
mod special;

pub use bits::{BitOrder, byteswap, packbits, unpackbits};
pub use closeness::{
    Replacements, Tolerance, allclose, array_equal, array_equiv, isclose, isneginf, isposinf,
    nan_to_num,
};
pub use complexes::{angle, iscomplex, iscomplexobj, isreal, isrealobj, real_if_close};
pub use convolution::{ConvolveMode, convolve, correlate};
pub(crate) use differences::as_array;
pub use differences::{DiffOptions, GradientOptions, diff, ediff1d, gradient, trapezoid};
pub(crate) use elementwise::{
    by_loop, check_shape, copy_order, elementwise, in_order, memory_order, mesh_of, mesh_of_arrays,
    on_mesh_of, order_of_strides, record, record_as, try_elementwise,
};
pub use interpolation::{interp, interp_periodic};
pub use methods::select;
pub(crate) use methods::{is_real, without_leading};
pub(crate) use power::refuse_negative;
pub use rounding::{Bound, around, clip, fix, round};
pub(crate) use scans::{accumulate, combined_in, reduce_at};
pub use scans::{
    cumprod, cumsum, cumulative_as, cumulative_prod, cumulative_sum, nancumprod, nancumsum,
};
pub use special::{i0, sinc};
