//! Linear recurrences along lines.

pub(super) mod cpu;
pub(super) mod cuda;
