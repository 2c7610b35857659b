//! MPI: a library found at run time, and messages over it.
//!
//! One table (`table`) holds the functions in use, typed by how an implementation represents its
//! handles. One module for each binary interface (`abi`) knows the handles of communicators, types
//! and operations; `loaded` hides their types behind one trait (`calls`). Above them, [`Library`]
//! is the library of this process, [`Mpi`] is the initialised library, and `engine` moves a world's
//! messages over its own communicator. Groups with one member in each process use MPI's own
//! non-blocking collectives on their own communicators (`native`, started by `start`); `departures`
//! knows which ranks have left and whether they took part. If `proof` finds that the library
//! accepts addresses of GPU memory, `plane` passes them. With the cargo feature `mpi`, `linked`
//! fills the table at link time.

mod abi;
mod calls;
mod departures;
mod end;
mod engine;
mod find;
mod library;
#[cfg(feature = "mpi")]
mod linked;
mod loaded;
mod native;
mod obstacle;
mod pace;
mod plane;
mod process;
mod proof;
mod staging;
mod start;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use departures::Departures;
pub(crate) use end::{world_begins, world_ends_in_peace};
pub(crate) use engine::{End, Engine, Route, Watcher};
pub use library::Library;
pub(crate) use native::Native;
pub(crate) use plane::MpiPlane;
pub use process::{Mpi, MpiOptions, Threads};
pub(crate) use proof::prove;
