//! What differs between implementations: how handles are written, and which ones are given.

mod family;
mod mpich;
mod open_mpi;
mod standard;

pub(super) use family::{Abi, Address, Constants, Handle};
