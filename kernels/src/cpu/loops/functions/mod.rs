//! Elementary functions without branches, which the compiler turns into vector instructions.
//!
//! Each is written for `f64`, and is exact to a unit in the last place of the result's precision:
//! `exp::<Double>` of an `f64`, and `exp::<Single>` of an `f32` that was widened, whose result is
//! then rounded. The bits are the same for every number of lanes and level of instructions.
//!
//! Products are contracted with sums by `mul_add` and nowhere else. Every processor since 2013 has
//! the instruction; without it, `mul_add` calls a function of the same bits, tens of times slower
//! (docs/decisions/0022-fused-multiply-add.md).

mod arithmetic;
pub mod complex;
mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod trigonometric;

pub use arithmetic::{Double, Single};
pub use exponential::{exp, exp2, expm1};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{log, log1p, log2, log10};
pub use power::{cbrt, hypot, pow};
pub use trigonometric::{LARGE, cos, sin, tan};

#[cfg(test)]
mod tests;
