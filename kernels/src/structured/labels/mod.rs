//! Connected elements of masks.

pub(super) mod cpu;
pub(super) mod cuda;
