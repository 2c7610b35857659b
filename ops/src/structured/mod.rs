//! Structured operations: those that are no function of single elements, one file each: their
//! arguments, and a record of the shape and dtype of the result, of how operands may be split, and
//! of costs.
//!
//! The same names stand in `distributed/src/lower/` (how devices share the work) and in
//! `kernels/src/structured/` (the routines on blocks).

mod ends;
mod fft;
mod gather;
mod linalg;
mod matmul;
mod record;
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
pub use table::{Operand, Structured};
