//! The layout of launches of one shape: merged axes and strides, width of lane blocks and memory,
//! and an estimate of the time.

mod cost;
mod geometry;
mod prepared;
mod tuning;

pub(super) use cost::{estimate, estimate_phase, grid_points, loop_estimate};
pub(super) use geometry::{LaneGuard, Lanes};
pub(super) use prepared::{Layout, Prepared};
pub use tuning::Tuning;
