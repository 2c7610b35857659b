//! Products of sparse matrices.

pub mod cpu;
pub mod cuda;
