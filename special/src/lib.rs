//! Special functions of real numbers, on CPUs and, by translation to CUDA C, on GPUs.
//!
//! The functions are written once, in a subset of Rust (`README-subset.md`), which `build.rs`
//! translates. They have the names, the order of arguments and the values at special points of
//! `scipy.special`. They depend on no library of the system, so that every machine gives the same
//! bits.
#![forbid(unsafe_code)]
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    clippy::manual_range_contains,
    reason = "`!(x >= 0.0)` is true of NaN, too; the subset has no ranges as values"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    clippy::manual_clamp,
    reason = "the subset has no iterators, structures or tuples"
)]
#![allow(
    clippy::excessive_precision,
    clippy::approx_constant,
    reason = "coefficients as they are published"
)]

/// The polynomial `c0 + x*(c1 + x*(c2 + ...))`: `horner!(x; c0, c1, c2)`.
#[macro_export]
macro_rules! horner {
    ($x:expr; $c:expr $(,)?) => { $c };
    ($x:expr; $c:expr, $($rest:expr),+ $(,)?) => {
        $c + $x * $crate::horner!($x; $($rest),+)
    };
}

pub mod airy;
pub mod airy_integral_tables;
pub mod airy_integrals;
pub mod airy_tables;
mod arithmetic;
pub mod basic;
pub mod bessel01;
pub mod bessel_ik;
pub mod bessel_integral_tables;
pub mod bessel_integrals;
pub mod bessel_jy;
pub mod bessel_spherical;
pub mod bessel_tables;
pub mod bessel_uniform;
pub mod bessel_uniform_tables;
pub mod confluent;
pub mod digamma;
pub mod distributions;
pub mod double_double;
pub mod elementary;
pub mod elliptic;
pub mod erf;
pub mod expint;
mod function;
pub mod gamma;
pub mod hypergeometric;
pub mod incbeta;
pub mod incgamma;
pub mod kelvin;
pub mod kelvin_tables;
pub mod kolmogorov;
pub mod lambert;
pub mod mathieu;
pub mod noncentral;
pub mod normal_more;
pub mod orthogonal;
pub mod parabolic;
pub mod recurrence;
pub mod root;
pub mod rounding;
pub mod spheroidal;
pub mod struve;
pub mod struve_tables;
pub mod table;

pub use function::{CUDA, FUNCTIONS, Function, Pointer, find};
