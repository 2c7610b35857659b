//! Running combinations, and combinations of stretches.

pub(super) mod combination;
pub mod cpu;
pub mod cuda;
mod typed;
