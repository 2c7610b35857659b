//! Failures of planning and execution.

use phalanx_collectives::CollectiveError;
use phalanx_device::DeviceError;
use phalanx_graph::{Failure, Site};
use phalanx_kernels::KernelError;
use phalanx_ops::{Bytes, DType};
use std::fmt::Write;

/// A failure of the work that a program asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// A device failed, for another reason than too little memory.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A device has too little memory.
    #[error("{}{refusal}{}", named(.value.as_ref()), table(.largest))]
    Memory {
        /// The value that cannot be computed, if it is a single one.
        value: Option<(DType, Vec<usize>)>,
        /// The refused request and its device.
        refusal: Box<DeviceError>,
        /// The largest arrays that this process holds blocks of.
        largest: Vec<LargeArray>,
    },
    /// The communication between ranks failed.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// A kernel was refused.
    #[error("a fused kernel was refused: {0}")]
    Kernel(#[from] KernelError),
    /// Shards given to `from_local` do not fit together.
    #[error("the shards do not fit together: {reason}")]
    Shards {
        /// The reason.
        reason: String,
    },
    /// Elements of another library reside on a device that is not one of the session's.
    #[error("the elements reside on {device}, but the devices of the session are {devices}")]
    Elsewhere {
        /// The device on which they reside.
        device: String,
        /// The devices of the session.
        devices: String,
    },
    /// The number of positions of a mesh differs from the number of devices.
    #[error("{mesh} does not fit the {devices} devices of the world")]
    Mesh {
        /// The mesh.
        mesh: String,
        /// The number of devices.
        devices: usize,
    },
    /// An internal invariant of Phalanx was violated.
    #[error("{message}")]
    Bug {
        /// The text of the panic or check.
        message: String,
    },
    /// The user interrupted a wait.
    #[error("the wait was interrupted")]
    Interrupted,
    /// The session belongs to the process from which this one was forked.
    #[error("this process is a fork of the process that owns the session, and lacks its threads")]
    Forked,
    /// A local action failed on one rank.
    #[error("on rank {rank}: {message}")]
    Rank {
        /// The rank.
        rank: usize,
        /// Its message.
        message: String,
    },
}

/// An array that takes much memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LargeArray {
    /// Bytes of the blocks that this process holds.
    pub bytes: usize,
    /// Its dtype.
    pub dtype: DType,
    /// Its shape.
    pub shape: Vec<usize>,
    /// The call in the program that made it.
    pub site: Site,
}

fn named(value: Option<&(DType, Vec<usize>)>) -> String {
    value.map_or_else(String::new, |(dtype, shape)| {
        format!("{}{shape:?} cannot be made: ", dtype.name())
    })
}

fn table(largest: &[LargeArray]) -> String {
    let mut text = String::new();
    if !largest.is_empty() {
        text.push_str("\nthe largest arrays in memory:");
    }
    for LargeArray { bytes: size, dtype, shape, site } in largest {
        let _ = write!(text, "\n  {:>10}  {}{shape:?}, made at {site}", Bytes(*size), dtype.name());
    }
    text
}

impl RunError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            RunError::Device(error) => error.code(),
            RunError::Memory { refusal, .. } => refusal.code(),
            RunError::Collective(error) => error.code(),
            RunError::Kernel(error) => error.code(),
            RunError::Shards { .. } => "PX031",
            RunError::Rank { .. } => "PX032",
            RunError::Bug { .. } => "PX033",
            RunError::Mesh { .. } => "PX034",
            RunError::Interrupted => "PX035",
            RunError::Forked => "PX037",
            RunError::Elsewhere { .. } => "PX058",
        }
    }

    /// The remedy for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            RunError::Device(error) => error.hint(),
            RunError::Memory { refusal, .. } => refusal.hint(),
            RunError::Collective(error) => error.hint(),
            RunError::Kernel(error) => error.hint(),
            RunError::Shards { .. } => {
                "give one part on every rank, or one for each of its devices; dtypes and extents \
                 must be equal, except the extent of the joined axis"
            }
            RunError::Mesh { .. } => {
                "the product of the mesh's extents must be the number of devices of all processes"
            }
            RunError::Bug { .. } => "please report it with the program that caused it",
            RunError::Rank { .. } => "see the message of that rank",
            RunError::Interrupted => {
                "a program of one process may continue, and started operations are still computed; \
                 with several processes, all of them end"
            }
            RunError::Forked => {
                "start processes by spawn (`multiprocessing.set_start_method(\"spawn\")`), or fork \
                 before the first array"
            }
            RunError::Elsewhere { .. } => {
                "copy them to the host first (x.cpu() in PyTorch), or start the session with the \
                 device that holds them (PHALANX_DEVICES)"
            }
        }
    }
}

impl Failure for RunError {
    fn code(&self) -> &'static str {
        RunError::code(self)
    }

    fn hint(&self) -> &'static str {
        RunError::hint(self)
    }

    fn is_interrupt(&self) -> bool {
        matches!(self, RunError::Interrupted)
    }

    fn numpy_class(&self) -> &'static str {
        match self {
            RunError::Memory { .. } => "MemoryError",
            RunError::Interrupted => "KeyboardInterrupt",
            RunError::Elsewhere { .. } => "BufferError",
            RunError::Shards { .. } | RunError::Mesh { .. } => "ValueError",
            RunError::Device(_)
            | RunError::Collective(_)
            | RunError::Kernel(_)
            | RunError::Bug { .. }
            | RunError::Forked
            | RunError::Rank { .. } => "RuntimeError",
        }
    }
}
