//! The communicator of threads, checked by `loom`: every test runs in all orders in which its
//! threads may go on, with all values that the orderings of their accesses let them read.
//!
//! The modules of the crate are compiled here once more, with the checker's parts in the place of
//! the standard library's (`sync.rs`). Each test says which change of them it was seen to find.
//! Not checked: the standard `OnceLock` of a failure, the spinning before a sleep, and more
//! preemptions of an order than each test says.

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
