//! The CPU executor: cache-sized lane blocks over the scalar tree of the kernel, on all threads of
//! the device.
//!
//! The layers, each of which uses those above it:
//!
//! - `loops`: typed loops over contiguous elements, for each level of `instructions`; `transfer`
//!   moves elements of strided memory;
//! - `folds`: the canonical order in which points are combined;
//! - `program`: executor steps over registers, which `lower` makes from a kernel. A register holds
//!   one element for each SIMD lane of a lane block, so each step is one typed loop and its
//!   dispatch is paid once a lane block;
//! - `layout`: the geometry of a launch, the width of its lane blocks, and an estimate of its time;
//! - `worker`: one thread, which interprets the executor steps for one lane block after the other.
//!   They read contiguous operands from their buffers and write contiguous results to theirs,
//!   without a copy;
//! - `schedule`: the division of a launch among threads;
//! - `executable`: lowered kernels and the plans of their launches. A thread remembers the plans of
//!   its recent launches;
//! - `compile` and `launch`: the executor as other modules use it; `small` runs operations
//!   on few elements, without a kernel.
//!
//! Each launch chooses the points that are SIMD lanes, the width of lane blocks, and the number of
//! threads. No result depends on these choices (`folds`, `schedule`).

mod compile;
mod executable;
mod folds;
pub(crate) mod instructions;
mod launch;
mod layout;
pub mod loops;
mod lower;
mod program;
mod schedule;
pub mod small;
pub(crate) mod transfer;
mod worker;

pub use compile::{Compiled, compile};
pub use executable::BufferLaunch;
pub(crate) use folds::identity;
pub use launch::launch;
pub use layout::Tuning;
pub use program::LaneChoice;
