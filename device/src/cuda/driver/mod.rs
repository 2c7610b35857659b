//! The driver: its results as typed errors, the search for libraries, the GPUs of the machine, and
//! a GPU's context with its stream and its failure.

mod attributes;
mod capturing;
mod context;
mod gpus;
mod kept;
mod library;
mod mark;
mod profiling;
mod result;
mod suspects;

pub(super) use capturing::{Capture, Kept, begin_capture, end_capture};
pub use context::Context;
pub(super) use context::living;
pub(super) use gpus::ordinal_of;
pub use gpus::{Properties, cuda_devices, usable_gpus};
pub use kept::{KeptContext, keep_context};
pub use library::{CudaOptions, Found, Library, find};
pub(super) use mark::Mark;
pub use profiling::{mark, pop_range, profile, push_range};
