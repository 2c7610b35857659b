//! The synchronisation primitives of this crate's threads. `tests/model/` compiles the modules that
//! use them a second time, with the model checker's primitives instead.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::{Condvar, Mutex, atomic};
pub(crate) use std::thread::yield_now;

/// Turns of the busy loop before yielding: about 4 µs, the time in which a running neighbour
/// answers.
pub(crate) const SPINS: u32 = 100;
/// Yields before sleeping: lets neighbours run where threads share cores.
pub(crate) const YIELDS: u32 = 20;
