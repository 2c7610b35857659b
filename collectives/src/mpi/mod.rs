//! MPI: a library found at run time, and messages over it.
//!
//! The functions in use stand in one table (`table`), typed by how an implementation writes its
//! handles; what the handles of communicators, types and operations are is told by one module for
//! each binary interface (`abi`). Above them, [`Mpi`] is the library of this process, initialised,
//! and `engine` moves the messages of a world over a communicator of its own.

mod abi;
mod calls;
mod end;
mod engine;
mod find;
mod process;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use engine::{End, Engine, Route, Watcher};
pub use process::{Mpi, MpiOptions, Threads};
