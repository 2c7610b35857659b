//! Values of splines at points.

pub(super) mod cpu;
pub(super) mod cuda;
mod points;
mod taps;
