//! Factorisations of one matrix by one thread, mostly by the `faer` crate. Results do not depend on
//! the number of threads.

mod cholesky;
mod element;
mod general;
mod lu;
mod number;
mod qr;
mod small;
mod spectral;

pub use element::Element;
pub use lu::product_of_pivots;
pub use number::Components;
