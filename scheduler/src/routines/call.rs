//! The call of a routine that communicates while it runs.

use crate::error::RunError;
use phalanx_collectives::Communicator;
use phalanx_device::Device;
use phalanx_kernels::structured::Block;
use phalanx_ops::Structured;
use std::sync::Arc;

/// The operands of a routine: the blocks of one device, and its communicator.
pub struct RoutineCall<'a> {
    /// The operation.
    pub op: &'a Structured,
    /// The blocks of the operands.
    pub operands: &'a [Block<'a>],
    /// The block of the result; it may be empty.
    pub to: &'a Block<'a>,
    /// The device that holds the blocks.
    pub device: &'a Arc<dyn Device>,
    /// The devices that run the routine together, in the order of the mesh.
    pub communicator: &'a dyn Communicator,
    /// Whether the communicator may get the memory of the device in this run. If not, the routine
    /// copies what it sends and receives through the host.
    pub takes_device_memory: bool,
}

/// The routine of an operation whose placement has the schedule
/// [`Together`](phalanx_distributed::Schedule::Together).
pub trait CollectiveRoutine: Sync {
    /// Computes the block of the result on one device. All members of the communicator run it, each
    /// on a thread of its own, and must call the same collectives in the same order. All of them
    /// run it also if some process has dropped the value.
    ///
    /// The block of the result may be the memory of an operand that nobody needs afterwards, on
    /// some devices only. The plan reserves no workspace for the routine and loads no code for it:
    /// on a GPU it must not allocate or load while another device of the process may wait for it.
    ///
    /// Collective over the communicator. Errors: those of the communicator and of the device.
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError>;
}
