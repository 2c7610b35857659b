//! Structured operations: those that are no function of single elements, one file each: their
//! arguments, the shape and dtype of their result, and how their operands may be split.
//!
//! The same names stand in `distributed/src/lower/` (where operands have to lie) and in
//! `kernels/src/structured/` (the routines on blocks).

mod ends;
mod fft;
mod gather;
mod linalg;
mod matmul;
mod rule;
mod scan;
mod sort;
mod sparse;
mod table;

pub use ends::{SearchSorted, Side};
pub use fft::{Fft, Transform};
pub use gather::{Put, Take, TakeAlong};
pub use linalg::Decomposition;
pub use matmul::Matmul;
pub use rule::{Follow, Rule};
pub use scan::{ReduceAt, Scan};
pub use sort::{Order, Sort};
pub use table::Structured;
