//! Matrix products.

pub mod cpu;
