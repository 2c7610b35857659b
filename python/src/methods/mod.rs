//! The methods of arrays, of sparse matrices and of parts of arrays on GPUs.

mod attributes;
mod buffers;
pub mod construct;
mod device_shard;
mod flags;
mod host;
mod items;
pub mod iteration;
mod numbers;
mod operators;
mod sparse_matrix;
pub mod text;

pub use host::element;
