//! Where values would stand in a sorted vector.

pub mod cpu;
pub mod cuda;
