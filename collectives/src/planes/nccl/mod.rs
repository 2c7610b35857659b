//! The plane `nccl`: slices in the memory of GPUs, one GPU for each member.
//!
//! Work of a group (`plane`) is enqueued in a separate stream of the device (`endpoint`). That
//! stream waits for the device's earlier work, and the device's later work waits for the stream
//! (`Event::wait`); the host waits for neither. Short data of GPUs that can access each other's
//! memory travels within the device's own work (`peers`); copy engines carry their long messages
//! (`copies`). When the world ends, a thread ends all
//! groups of GPUs (`watch`), so that nothing hangs.

mod combine;
mod copies;
mod endpoint;
mod facts;
mod messages;
mod peers;
mod plane;
mod reach;
mod reduction;
mod texts;
mod transfer;
mod watch;

pub(crate) use combine::Combination;
pub(crate) use endpoint::Endpoint;
pub use facts::device_facts;
pub(crate) use facts::{common_nccl, gpus};
pub(crate) use plane::NcclPlane;
pub(crate) use texts::Kernel;
pub use texts::cuda_sources;
pub(crate) use watch::Watch;
