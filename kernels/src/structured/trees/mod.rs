//! Searches in trees of points.

pub(super) mod cpu;
pub(super) mod cuda;
