//! The GPU executor: kernels as CUDA C, compiled for the device at hand.
//!
//! A launch computes its *shape* (`shape`): which axes are merged in all accesses, which points a
//! thread computes together, how many threads and thread blocks share the points of a loop. The
//! *variant* is the part of the shape that the text depends on. Everything else (extents,
//! strides, bounds, addresses, scalars) is an argument, so a new shape seldom needs a new text
//! (`text`). Texts are compiled once for each variant and kept in memory and on disk
//! (`executable`).
//!
//! Ways to run a kernel:
//! - *columns*: threads are laid out along the innermost axis of the grid, each with a few
//!   consecutive points; a loop runs inside a thread, or the threads of a team, which have the same
//!   columns, share its points;
//! - *rows*: the threads of a team are laid out along the innermost axis of a loop and combine
//!   their partial results; each team has one point of the grid;
//! - *strides* and *tiles*, for kernels without loops: *strides* for accesses that are not aligned
//!   or that read the same elements, *tiles* (squares) for accesses with transposed axes.
//!
//! If there are too few teams for the device, a loop is also cut into chunks for different thread
//! blocks.
//! A result may share the memory of an input: threads that share a point load first, and wait for
//! each other before one of them overwrites an element that another may still load. The order in
//! which a fold combines depends on extents alone: it follows virtual lanes, not the number of
//! points that a thread loads at once.
//!
//! Threads combine into tables of integers in any order. Where a sum depends on the order, a kernel
//! writes positions and numbers instead, which are sorted by position and combined
//! (`executable/tables.rs`).

mod describe;
mod device;
mod executable;
pub mod prelude;
pub(crate) mod routine;
mod shape;
pub(crate) mod special;
mod text;
mod variant;

pub use describe::describe;
pub(crate) use device::gpu;
pub use executable::{BUFFERS_APART, CudaKernel, Missing};
pub use routine::loaded_late;
pub use shape::{Geometry, Shape};
pub use text::{source, source_of_many};
pub use variant::{Chunks, GuardKind, Mode, Step, Variant};
