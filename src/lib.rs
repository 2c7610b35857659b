//! Phalanx: NumPy's arrays over the devices of one machine or many.
//!
//! Arrays are *global*: a program indexes, adds and reduces whole arrays, and every process owns
//! blocks of them. Operations are recorded and run fused when a value is observed.
//!
//! ```
//! use phalanx::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let session = phalanx::init(Config::default().devices(2))?;
//! let a = arange(0, 6, 1).reshape([2, 3]).astype(DType::F64);
//! let mut b = (&a * 2.0 + 1.0).sqrt();
//! b += a.sum(keepdims(1));
//! a.slice(s![0, 1..]).assign(-1.0);
//! assert_eq!(a.to_vec::<f64>()?, [0.0, -1.0, -1.0, 3.0, 4.0, 5.0]);
//! assert_eq!(b.slice(s![.., 0]).to_vec::<f64>()?, [4.0, 7f64.sqrt() + 12.0]);
//! session.finish()?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod config;
pub mod environment;
mod logging;
mod session;

pub use config::{Config, ConfigError, Startup};
pub use phalanx_array::Limits;
pub use phalanx_array::{
    Argument, Array, Axes, DataError, Ellipsis, Error, ErrorKind, Failure, HostArray, MeshHandle,
    NewAxis, ShapeArgument, Site, arange, complex, deferred_errors, empty, flush, from_function,
    from_slice, full, histogram, indexing, io, keepdims, linspace, matmul, ones, percentile,
    picture, print, s, s_items, select, zeros,
};
pub use phalanx_distributed::Policy;
pub use phalanx_ops::{Bounds, DType, Element, Index, Mesh, Op, Scalar, Sharding, Split};
pub use phalanx_scheduler::{Counters, planning};
pub use session::{InitError, InitFailure, Session, agree, init, rank, size};

/// What most programs use.
pub mod prelude {
    pub use crate::{
        Array, Config, DType, Ellipsis, HostArray, NewAxis, arange, empty, from_function,
        from_slice, full, histogram, keepdims, linspace, matmul, ones, percentile, s, select,
        zeros,
    };
}
