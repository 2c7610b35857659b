//! NCCL: communication between GPUs of one or several processes.

mod communicator;
mod connecting;
mod element;
mod library;

pub use communicator::{NcclCommunicator, NcclId};
pub use element::{NcclElement, NcclReduction};
pub use library::nccl_version;
