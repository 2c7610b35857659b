//! Scalar values of any dtype, and weak scalars that take their dtype from an array.

mod element;
mod weak;

pub use element::{Scalar, f64_to_f32_odd};
pub use weak::Weak;
