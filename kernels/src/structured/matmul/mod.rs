//! Matrix products.

pub mod cpu;
pub mod cuda;
