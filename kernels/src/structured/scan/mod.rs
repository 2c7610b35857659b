//! Running combinations, and combinations of stretches.

pub(super) mod combination;
pub mod cpu;
pub mod cuda;
pub(super) mod fold;
mod reduce_at;
mod typed;

pub use reduce_at::{reduce_at, reduce_at_routines, reduce_at_sources};
