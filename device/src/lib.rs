//! Devices: the memory of shards, and the threads that work on it.
//!
//! `Buffer` is a counted handle to one allocation. Several owners may write its bytes over time.
//! The plan orders the writes (a step reads its inputs and writes its outputs, and steps of a
//! device run in order), so access is through raw pointers at the edges and is never checked here.

pub mod blas;
mod buffer;
mod compress;
mod copy;
mod cpu;
pub mod cuda;
mod device;
mod error;
mod event;
mod foreign;
pub mod instructions;
mod moment;
mod null;
pub mod observer;
mod pages;
mod pointer;
mod strides;

pub use buffer::{Buffer, Pool, Remote, Slice, Strided};
pub use copy::{copy_from_host, copy_settled, copy_slice, copy_strided, copy_to_host};
pub use cpu::CpuDevice;
pub use device::{Captured, Device};
pub use error::DeviceError;
pub use event::{Completion, Event, EventError};
pub use foreign::ForeignMemory;
pub use moment::Moment;
pub use null::NullDevice;
pub use pages::HostRoom;
pub use pointer::DevicePointer;
pub use strides::{assert_in_bounds, contiguous};
