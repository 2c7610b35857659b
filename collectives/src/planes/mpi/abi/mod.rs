//! The differences between implementations: the representation of handles, and the predefined ones.

mod family;
mod handle;
mod mpich;
mod open_mpi;
mod standard;

pub(super) use family::Abi;
#[cfg(feature = "mpi")]
pub(super) use handle::Address;
pub(super) use handle::{Constants, Handle};
