//! The planes that carry data between the members of a group, and the one member that uses them.
//!
//! `local` is memory that threads of one process share, `nccl` and `mpi` are the libraries of these
//! names. Messages over TCP are in `transport`, which all planes use to fail together.

pub(crate) mod local;
pub mod mpi;
pub(crate) mod nccl;
