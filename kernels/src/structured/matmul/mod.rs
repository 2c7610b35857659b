//! Matrix products.

mod blas;
pub mod cpu;
pub mod cuda;
mod in_order;
