//! Lowering: how the devices share a structured operation.
//!
//! `lowering` is the seam: a trait whose default follows the operation's rule (`rule`). `table` has
//! the operations with a schedule of their own, each in a folder here. An operation of several
//! steps expands into phases (`expansion`); the rest of the planner sees the phases and never the
//! operation's name.

mod call;
mod expansion;
mod fft;
mod gather;
mod launch;
mod lowering;
mod matmul;
mod rule;
mod scan;
mod search;
mod sort;
mod table;

pub use call::{Call, PlacedOperand};
pub use expansion::{Expansion, Phase, PhaseInput, PhaseSource};
pub use lowering::Lowering;
pub use sort::{Cuts, Samples};
pub use table::Lowerings;
