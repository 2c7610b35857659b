//! The plane `nccl`: slices in the memory of GPUs, each of which one member has.
//!
//! A member of such a group is two: slices on the host go the way that they always go, and what
//! lies on GPUs is enqueued in a stream of the device's own beside its work. The stream waits for
//! the work before, and the work after waits for the stream (`Event::wait`); the host waits for
//! neither. Short data of GPUs that reach each other's memory goes at once, among the work itself
//! (`peers`). When the world ends, a thread ends all groups of GPUs, so that nothing hangs.

mod combine;
mod facts;
mod member;
mod messages;
mod peers;
mod reduction;
mod texts;
mod watch;

pub(crate) use combine::Combination;
pub use facts::device_facts;
pub(crate) use facts::{common_nccl, gpus};
pub(crate) use member::{Endpoint, GpuMember};
pub(crate) use texts::Kernel;
pub use texts::cuda_sources;
pub(crate) use watch::Watch;
