//! Choices of a launch.

use crate::cpu::program::LaneChoice;

/// Choices of a launch that change its speed and never its result.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tuning {
    /// Which points are the SIMD lanes; estimated if `None`. Kernels without a loop always use the
    /// grid's. Where the order of accumulation requires one choice, that choice is used.
    pub lanes: Option<LaneChoice>,
    /// The widest lane block in SIMD lanes.
    pub width: Option<usize>,
    /// The least estimate, in nanoseconds of one thread, for which the pool's threads are used.
    pub worthwhile: Option<f64>,
    /// The smallest result in bytes that is written past the caches, where the processor can.
    pub stream_from: Option<usize>,
}
