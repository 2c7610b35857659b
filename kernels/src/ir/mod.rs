//! The kernel IR: one fused computation, independent of extents, buffers and devices.
//!
//! A kernel runs its `body` once for every point of its *grid*, the first `grid` of its axes;
//! points are independent and may run in any order. Inside, statements run in sequence:
//!
//! - `Let` computes a value. Values are pure; each is computed once, before its first use, in the
//!   scope of its `Let`.
//! - `Loop` visits every point of further axes (never grid axes, never an axis of an enclosing
//!   loop) and runs its body for each. Its folds combine a body value over all points; their
//!   results are values that exist after the loop. A loop may also hold stores and further loops,
//!   so a kernel is a sequence of phases, and reductions nest.
//! - `Store` writes a value through an access. Different points write different elements.
//! - `Accumulate` combines a value into the element at a computed position of a table; positions
//!   outside the table are skipped. Tables are initialised by the caller.
//!
//! **Extents are arguments.** A kernel never contains an extent, a stride, an offset or a bound.
//! Each launch supplies them (`Launch`), so a new shape never needs a new kernel. A guard is a box
//! of axis indices, given at launch.
//!
//! **Indices.** Every axis runs from 0 to its extent; `Index(axis)` is that position plus the
//! launch's origin of the axis, that is, a global index. Guards compare global indices.
//!
//! **Folds are deterministic.** The order of combination is a function of the number of points
//! alone (see `cpu::fold`): threads, vector width and the kernel's other values do not change it.

mod kernel;
mod launch;
mod parse;
mod print;
mod verify;

pub use kernel::{
    Access, AccessId, AxisId, Expr, Fold, GuardId, Kernel, Param, ParamId, Role, ScalarId, Stmt,
    Value, ValueId,
};
pub use launch::{AccessArgument, GuardArgument, Launch};
pub use parse::{ParseError, parse};
pub use verify::{VerifyError, verify};
