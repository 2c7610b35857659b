//! Scalar values of any dtype, and weak scalars that take their dtype from an array.

mod element;
mod weak;

pub use element::Scalar;
pub use weak::Weak;
