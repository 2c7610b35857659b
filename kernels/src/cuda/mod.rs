//! The GPU executor: kernels as CUDA C, compiled for the device at hand.
//!
//! A launch works out its *shape* (`shape`): which axes step together in all accesses, which points
//! are the lanes of a thread, how many threads and blocks share the points of a loop. What the text
//! depends on of that is the *variant*; everything else (extents, strides, bounds, addresses,
//! scalars) is an argument, so that a new shape seldom needs a new text (`text`). Texts are
//! compiled once for each variant and kept in memory and on disk.
//!
//! Ways to run a kernel:
//! - *columns*: threads go along the innermost axis of the grid, each with a few consecutive
//!   points; loops run inside of a thread, or are shared by the threads of a team that have the
//!   same columns;
//! - *rows*: the threads of a team go along the innermost axis of a loop and combine what they have
//!   found; each team has one point of the grid;
//! - *strides* and *tiles*, of kernels without loops: stretches of a block's length for accesses
//!   that are not aligned or read the same elements, squares for those that cross each other.
//!
//! Where there are too few teams for the device, a loop is also cut into chunks for different
//! blocks. A result may lie in the memory of an input: threads that share a point load first, and
//! wait for each other before one of them stores over what another may have yet to load. The order
//! in which a fold combines depends on extents alone: on virtual lanes, whatever the number of
//! points that a thread loads at once.
//!
//! Into tables of integers threads combine as they come. Where the order of a sum shows, a kernel
//! writes positions and numbers instead, which are sorted by position and combined (`tables`).

mod arguments;
mod describe;
mod executable;
mod moments;
mod neighbours;
pub mod prelude;
pub(crate) mod routine;
mod shape;
mod tables;
mod text;
mod variant;

pub use describe::describe;
pub use executable::{BUFFERS_APART, CudaKernel};
pub use routine::loaded_late;
pub use shape::{Geometry, Shape};
pub use text::{source, source_of_many};
pub use variant::{Chunks, GuardKind, Mode, Step, Variant};
