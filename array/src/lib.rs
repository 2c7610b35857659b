//! Arrays with NumPy's semantics, recorded into windows.
//!
//! An [`Array`] is a cell and a view; operations record nodes into their mesh's window; observing a
//! value closes the window and hands it to the [`Engine`], which `scheduler` implements.
#![forbid(unsafe_code)]

mod array;
mod creation;
mod deferral;
mod display;
mod elementwise;
mod engine;
mod error;
mod graph;
mod host;
pub mod indexing;
mod interval;
pub mod io;
mod lens;
mod linalg;
mod manipulation;
mod math;
mod operand;
mod power;
mod reductions;
mod sharding;
mod statistics;
mod view;
mod window;

pub use array::Array;
pub use creation::{
    NotInitialised, ShapeArgument, arange, empty, flush, from_function, from_slice, full, linspace,
    ones, zeros,
};
pub use deferral::deferred_errors;
pub use display::print;
pub use engine::{Cause, Engine, Limits};
pub use error::{DataError, Error, ErrorKind, Failure, Site};
pub use graph::{Evaluated, Graph, Input, Node, NodeData, NodeOp, Source};
pub use host::HostArray;
pub use indexing::{Ellipsis, IndexItem, NewAxis};
pub use lens::complex;
pub use linalg::matmul;
pub use math::select;
pub use operand::Argument;
pub use phalanx_ops::Index;
pub use reductions::{Axes, keepdims};
pub use sharding::picture;
pub use statistics::{histogram, percentile};
pub use window::MeshHandle;
