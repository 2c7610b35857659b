//! Routines of structured operations that communicate while they run.

use crate::error::RunError;
use phalanx_collectives::Communicator;
use phalanx_device::Device;
use phalanx_kernels::structured::Block;
use phalanx_ops::Structured;
use std::fmt;
use std::sync::Arc;

/// What a routine works on: the blocks of one device, and its communicator.
pub struct Together<'a> {
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
}

/// The routine of an operation whose placement has the schedule
/// [`Together`](phalanx_distributed::Schedule::Together).
pub trait Routine: Sync {
    /// Computes the block of the result on one device. All members of the communicator run it, each
    /// on a thread of its own, and must call the same collectives in the same order.
    ///
    /// Errors: those of the communicator and of the device.
    fn run(&self, step: &Together<'_>) -> Result<(), RunError>;
}

/// The routine of each structured operation that communicates while it runs.
#[derive(Clone, Copy)]
pub struct Routines(fn(&Structured) -> Option<&'static dyn Routine>);

impl Routines {
    /// The routines that `find` returns; the same on all ranks.
    pub const fn new(find: fn(&Structured) -> Option<&'static dyn Routine>) -> Routines {
        Routines(find)
    }

    /// The routine of an operation.
    pub fn of(self, op: &Structured) -> Option<&'static dyn Routine> {
        (self.0)(op)
    }
}

impl Default for Routines {
    /// No routine: none of the crate's operations communicates while it runs.
    fn default() -> Routines {
        Routines::new(|_| None)
    }
}

impl fmt::Debug for Routines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Routines")
    }
}
