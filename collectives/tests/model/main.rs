//! The communicator of threads, checked by `loom`: every test runs in all orders of its threads,
//! with all values that the memory orderings let them read.
//!
//! The modules of the crate are compiled a second time here, with the checker's primitives instead
//! of the standard library's (`sync.rs`). Each test names the faults that it was seen to find. Not
//! checked: the standard `OnceLock` of a failure, the spinning before a sleep, and more preemptions
//! than each test states.

#[allow(dead_code, reason = "tests reach a part of it")]
#[path = "../../src/failure.rs"]
mod failure;
mod local;
#[allow(dead_code, reason = "counters of two types have the same methods")]
mod sync;
#[allow(clippy::reversed_empty_ranges, reason = "nobody spins here")]
#[path = "../../src/wait.rs"]
mod wait;

use phalanx_collectives::{CollectiveError, Operation};
