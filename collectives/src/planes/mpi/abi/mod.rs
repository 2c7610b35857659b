//! The differences between implementations: the representation of handles, and the predefined ones.

mod family;
mod mpich;
mod open_mpi;
mod standard;

pub(super) use family::{Abi, Address, Constants, Handle};
