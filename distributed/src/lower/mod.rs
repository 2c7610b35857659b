//! Lowering: how the devices share a structured operation.
//!
//! `lowering` is the seam: a trait whose default follows the operation's rule (`rule`), and the
//! table of those operations that have a schedule of their own. Such an operation has a folder
//! here. An operation that takes more than one step expands into phases (`expansion`); the rest of
//! the planner knows phases and never the operation's name.

mod expansion;
mod lowering;
mod matmul;
mod rule;

pub use expansion::{Expansion, Phase, PhaseInput, PhaseSource};
pub use lowering::{Call, Lowering, Lowerings, OperandShardings, PlacedOperand};
