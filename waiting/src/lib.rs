//! How a thread waits for the work of other threads: an interpreter may run meanwhile, and the user
//! may interrupt.
#![forbid(unsafe_code)]

mod waits;

pub use waits::{
    Attendant, Interrupted, LOOK, aside, attend, copying, interruptible, is_attended, lock, look,
};
