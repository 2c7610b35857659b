//! Products of sparse matrices.

pub mod cpu;
