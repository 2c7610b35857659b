//! Lowered kernels and their launches: plans, the recent launches of a thread, and the bytes that a
//! launch touches.

mod arguments;
mod half_tables;
mod lowered;
pub(super) mod recent;
mod touched;

pub use arguments::BufferLaunch;
pub(super) use half_tables::Wide;
pub(super) use lowered::Lowered;
