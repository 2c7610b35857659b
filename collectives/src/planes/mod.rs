//! The planes that carry data between the members of a group, and the member that chooses between
//! them.
//!
//! A [`Member`] is the communicator of every group. Slices on the host travel by the [`HostGroup`]:
//! in memory that threads of one process share (`local`), or by messages over TCP or MPI
//! (`algorithms` above `transport`). Slices of devices travel by a [`DevicePlane`]: `nccl`, or
//! `mpi`, which sends them from GPU memory or stages them on the host.

mod agreement;
mod device;
mod host;
pub(crate) mod local;
mod member;
pub mod mpi;
pub(crate) mod nccl;
#[cfg(test)]
mod tests;

pub(crate) use device::DevicePlane;
pub(crate) use host::HostGroup;
pub(crate) use member::Member;
