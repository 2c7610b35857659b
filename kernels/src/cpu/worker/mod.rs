//! A worker: one thread's registers, and the interpretation of executor steps over lane blocks.
//!
//! Conditions on which the `unsafe` blocks of this folder rely:
//!
//! 1. The caller of `Compiled::run` promises that every element a launch loads or stores is valid
//!    and aligned, and that different points store different elements.
//! 2. A lane block never has more SIMD lanes than `Prepared::width`, which sizes the arena;
//!    registers that are alive together do not overlap (`registers`), nor do accumulators
//!    (`Prepared`).
//! 3. The kernel was verified: every operand is computed before its use and has the dtype that the
//!    code expects.

mod accumulate;
mod block;
mod interpret;
mod lane_state;
mod memory;
mod sequential;
mod state;

pub(super) use interpret::{ReadOnly, Worker};
pub(super) use lane_state::LaneState;
pub(super) use state::State;
