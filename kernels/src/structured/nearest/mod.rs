//! The nearest elements along lines.

pub(super) mod cpu;
pub(super) mod cuda;
