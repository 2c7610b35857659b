//! Reading and writing at positions.

pub mod cpu;
pub mod cuda;
