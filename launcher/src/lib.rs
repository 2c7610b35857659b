//! The `phalanx` program: starts worlds of processes, shows what a session would use, runs the
//! demo.
//!
//! It is a library so that the Python module can also run it: `python -m phalanx`.

#![forbid(unsafe_code)]

mod arguments;
mod demo;
mod entry;
mod error;
mod info;
mod own;
mod run;

pub use entry::main;
pub use own::Own;
