//! Phalanx: NumPy's arrays over the devices of one machine or many.
//!
//! Arrays are *global*: a program indexes, adds and reduces whole arrays, and every process owns
//! blocks of them. Operations are recorded and run fused when a value is observed.
//!
//! Start with the [tutorial]; [`prelude`] has the names that most programs need. The folder `docs/`
//! of the repository is a book with all pages, to which the tutorial's links lead.
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
pub mod cuda;
pub mod environment;
pub mod host_kernels;
mod logging;
pub mod placement;
pub mod planning;
pub mod prices;
mod session;
mod startup;
mod timeline;

pub use config::{
    BlasChoice, Config, ConfigError, CudaOptions, Devices, InstructionLevel, IntroductionFlaw,
    Left, Listener, Meeting, MemoryLimit, Startup, Way,
};
pub use phalanx_array::*;
use phalanx_collectives::Transport;
#[doc(hidden)]
pub use phalanx_collectives::{
    ReservedPort, address_towards, default_address, host_name, resolved,
};
pub use phalanx_distributed::Policy;
pub use phalanx_graph::Limits;
pub use phalanx_ops::elementwise::{Arg, MULTI_OUTPUT, MultiOutput};
pub use phalanx_ops::error::OpError;
pub use phalanx_ops::{
    Bounds, Bytes, DType, Element, Index, Kind, Mesh, Op, Scalar, Sharding, Split, Weak,
};
pub use phalanx_scheduler::Counters;
pub use phalanx_waiting as waiting;
pub use session::{
    DeviceMemory, ProcessFacts, Session, agree, check_process, declare, init, rank, size,
};
pub use startup::{InitError, InitFailure, blas, gpus, start_up};

/// The names that most programs use.
pub mod prelude {
    pub use crate::{
        Argument, Array, BitOrder, Casting, Config, ConvolveMode, CovarianceOptions, DType,
        DataError, DiffOptions, Ellipsis, Error, ErrorKind, GradientOptions, GridRange,
        HistogramOptions, HostArray, Indexing, LocalShard, MemoryOrder, Mode, NewAxis, Op, OpError,
        PadMode, QuantileMethod, Samples, Scalar, Session, Sharding, Side, Trim, Weak,
    };
    pub use crate::{
        allclose, angle, append, arange, argsort, array_equal, array_equiv, array_split, average,
        average_and_weights, axis, bartlett, bincount, blackman, block, broadcast_arrays,
        column_stack, concatenate, convolve, copyto, corrcoef, correlate, cov, cross, cumsum,
        delete, diag, diff, dot, dstack, ediff1d, einsum, einsum_with, empty, empty_like, eye, fft,
        fill_diagonal, flip, from_function, from_slice, full, full_like, geomspace, gradient,
        hamming, hanning, histogram, histogram2d, hstack, i0, identity, indices, inner, insert, io,
        isclose, ix, kaiser, keepdims, kron, lexsort, linalg, linspace, logspace, matmul,
        matrix_power, matvec, median, meshgrid, mgrid, moveaxis, multi_dot, nan_to_num, nanmean,
        nansum, nanvar, nonzero, ones, outer, packbits, pad, partition, percentile, piecewise,
        polyadd, polyder, polyfit, polyval, product, put_along_axis, putmask, quantile, random,
        repeat, repeat_by, repeat_each, resize, roll, rot90, s, searchsorted, select, select_list,
        sinc, sort, split, stack, take, take_along_axis, tensordot, tile, topk, trapezoid, tri,
        tril, tril_indices, trim_zeros, ufunc, unique, vander, vdot, vecdot, vecmat, vstack, zeros,
        zeros_like,
    };
}

#[doc = include_str!("../docs/tutorial.md")]
pub mod tutorial {}
