//! Placements: the devices that run an operation and hold its value, and how they share the work.

use phalanx_ops::{Partial, Sharding};
use smallvec::SmallVec;

/// Where an operation runs and where its value resides.
#[derive(Clone, PartialEq, Debug)]
pub struct Placement {
    /// The sharding of the iteration space: of the value, or of the input of a reduction or
    /// reshape.
    pub space: Sharding,
    /// The sharding of the value, once combined.
    pub output: Sharding,
    /// How the devices share the work.
    pub schedule: Schedule,
}

/// How the devices share the work of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Each device computes its block of the result from the parts of the operands that the
    /// operation's rule assigns to it.
    Rule,
    /// Each device computes a term of the result. A collective combines the terms.
    Partial(Partial),
    /// The result is a sum over this many panels of the contracted axis. Each panel is a phase.
    Panels(usize),
    /// As `Panels`, on a grid of devices: each panel takes equally much of the parts of the
    /// contracted axis that the devices hold.
    Grid(usize),
    /// Each device applies the operation to its own block as if that were the whole operand: one
    /// phase of an operation that other phases complete.
    Blocks,
    /// As `Rule`, and the routine of a device may communicate while it runs: it holds the
    /// communicator of the devices that differ from its own only on these mesh axes. All of them
    /// run it, also those whose block is empty.
    Together(SmallVec<[u8; 2]>),
}

/// For each operand of an operation, the sharding that it must have; `None` if any will do.
pub type OperandShardings = SmallVec<[Option<Sharding>; 3]>;

impl Placement {
    /// Each device computes its block of a value with this sharding.
    pub fn on(sharding: Sharding) -> Placement {
        Placement { space: sharding.clone(), output: sharding, schedule: Schedule::Rule }
    }

    /// The combination of the terms that devices compute, if they compute terms.
    pub fn partial(&self) -> Option<&Partial> {
        match &self.schedule {
            Schedule::Partial(partial) => Some(partial),
            _ => None,
        }
    }

    /// The mesh axes of the communicator that the routine holds, if it holds one.
    pub fn together(&self) -> Option<&[u8]> {
        match &self.schedule {
            Schedule::Together(mesh_axes) => Some(mesh_axes),
            _ => None,
        }
    }
}

impl From<Option<Partial>> for Schedule {
    fn from(partial: Option<Partial>) -> Schedule {
        partial.map_or(Schedule::Rule, Schedule::Partial)
    }
}
