//! Structured operations: operations that do not act on each element separately. Each has a file
//! with its arguments and its record: the shape and dtype of the result, how operands may be split,
//! and costs.
//!
//! The same names are in `distributed/src/lower/` (how devices share the work) and in
//! `kernels/src/structured/` (the routines on blocks).

mod ends;
mod fft;
mod gather;
mod halo;
mod interpolation;
mod launch;
mod linalg;
mod masks;
mod matmul;
mod neighbourhood;
mod record;
mod recurrence;
mod rule;
mod scan;
mod semiring;
mod sort;
mod sparse;
mod table;
mod trees;
mod work;

pub use ends::{SearchSorted, Side};
pub use fft::{Fft, Transform};
pub use gather::{Put, Take, TakeAlong};
pub use halo::{Beyond, Halo};
pub use interpolation::{Interpolate, Outside, SPLINE_ORDER};
pub use launch::{
    Code, Entry, HostCode, Launch, LaunchParameter, LaunchSize, LaunchedAt, Lend, PLACE_AXES,
    Program, Returned, ShardPlace, Share,
};
pub use linalg::Decomposition;
pub use masks::{Components, Nearest};
pub use matmul::Matmul;
pub use neighbourhood::{Border, Neighbourhood, WINDOW_AXES, WindowCombine};
pub use record::Operand;
pub use recurrence::{Filtered, Recurrence};
pub use rule::{Follow, Rule};
pub use scan::{ReduceAt, Scan};
pub use semiring::Semiring;
pub use sort::{Order, Ranks, Route, Sort};
pub use sparse::Sparse;
pub use table::Structured;
pub use trees::TreeSearch;
pub use work::Work;
