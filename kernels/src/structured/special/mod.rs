//! Special functions of real numbers, elementwise.

pub(super) mod cpu;
pub(super) mod cuda;
