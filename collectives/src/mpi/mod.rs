//! MPI: a library found at run time, and messages over it.
//!
//! The functions in use stand in one table (`table`), typed by how an implementation writes its
//! handles; what the handles of communicators, types and operations are is told by one module for
//! each binary interface (`abi`). Above them, [`Library`] is the library of this process, [`Mpi`]
//! the same once it is initialised, and `engine` moves the messages of a world over a communicator
//! of its own. Groups with one member in each process have MPI's own collectives, in the form that
//! does not wait, on communicators of theirs (`native`, started by `start`); `departures` knows who
//! has left and whether it took part. Where `proof` finds that the library takes addresses of GPU
//! memory, `device` has GPUs talk by it. With the cargo feature `mpi`, `linked` fills the table at
//! link time.

mod abi;
mod calls;
mod departures;
mod device;
mod end;
mod engine;
mod find;
mod library;
#[cfg(feature = "mpi")]
mod linked;
mod native;
mod pace;
mod process;
mod proof;
mod staging;
mod start;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use departures::Departures;
pub(crate) use device::DeviceMember;
pub(crate) use end::{world_begins, world_ends_in_peace};
pub(crate) use engine::{End, Engine, Route, Watcher};
pub use library::Library;
pub(crate) use native::Native;
pub use process::{Mpi, MpiOptions, Threads};
pub(crate) use proof::prove;
