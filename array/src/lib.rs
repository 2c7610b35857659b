//! Arrays with NumPy's semantics, recorded into windows.
//!
//! An [`Array`] is a cell and a view. Operations record nodes in the window of their mesh. The
//! observation of a value closes the window and passes it to the engine, which `scheduler`
//! implements.
#![forbid(unsafe_code)]
// `Array` is `must_use` and gives the reason; functions that return it are marked too.
#![allow(clippy::double_must_use)]

mod array;
mod creation;
mod display;
mod dtypes;
pub mod fft;
mod floating;
mod functional;
pub mod indexing;
pub mod io;
pub mod launches;
pub mod linalg;
mod manipulation;
mod math;
pub mod ndimage;
mod polynomials;
mod products;
pub mod random;
mod recording;
pub mod records;
mod reductions;
mod sets;
mod sharding;
pub mod signal;
mod sorting;
pub mod sparse;
pub mod spatial;
pub mod special;
mod statistics;
mod ufunc;
pub mod user_kernels;

pub use array::*;
pub use creation::*;
pub use display::*;
pub use dtypes::*;
pub use floating::*;
pub use functional::*;
pub use indexing::*;
pub use manipulation::*;
pub use math::*;
pub use phalanx_graph::{
    DataError, Entered, Error, ErrorKind, Failure, HostArray, LocalShard, MeshHandle, Place,
    ShardBytes, ShardMemory, Site, call_site, called_from, room_on_host, within,
};
pub use phalanx_ops::{Casting, Index, can_cast};
pub use polynomials::*;
pub use products::*;
pub use recording::NotInitialised;
pub use reductions::*;
pub use sets::*;
pub use sharding::*;
pub use sorting::*;
pub use statistics::*;
pub use ufunc::*;
