//! The steps of a device.

use crate::build::ScalarSource;
use crate::ids::{ExchangeId, LocalId, SlotId};
use phalanx_collectives::Rows;
use phalanx_device::Buffer;
use phalanx_graph::{LeafId, NodeId, ScalarId};
use phalanx_kernels::structured::Block;
use phalanx_ops::{Bytes, DType, IndexBox, Monoid, Shape, Structured};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Memory that a step accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Memory {
    /// A slot of the plan.
    Slot(SlotId),
    /// The device's shard of a leaf.
    Leaf(LeafId),
    /// A buffer of this device alone: a slab or a message.
    Local(LocalId),
}

/// A strided position in memory; offset and strides are in bytes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct At {
    pub memory: Memory,
    pub offset: isize,
    pub strides: SmallVec<[isize; 4]>,
}

impl At {
    /// The number of the first access to the memory of `access`.
    pub fn first_in_memory(accesses: &[At], access: &At) -> usize {
        accesses.iter().position(|other| other.memory == access.memory).unwrap_or(0)
    }
}

/// A device's block of a value, or a part of it, in C order in some memory.
#[derive(Clone, Debug)]
pub(crate) struct BlockAt {
    pub memory: Memory,
    /// The bytes of the memory that hold the block, if it is only a part of what is there.
    pub part: Option<Range<usize>>,
    pub dtype: DType,
    pub shape: Shape,
    /// The index of its first element in the value.
    pub origin: Shape,
}

impl BlockAt {
    pub fn new(memory: Memory, dtype: DType, block: &IndexBox) -> BlockAt {
        BlockAt {
            memory,
            part: None,
            dtype,
            shape: block.iter().map(|range| range.len()).collect(),
            origin: block.iter().map(|range| range.start).collect(),
        }
    }

    /// The block, in a buffer that holds nothing else.
    pub fn on<'a>(&'a self, buffer: &'a Buffer) -> Block<'a> {
        Block { buffer, dtype: self.dtype, shape: &self.shape, origin: &self.origin }
    }

    /// The bytes of the block.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
}

/// A structured operation on blocks.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub node: NodeId,
    pub op: Structured,
    pub operands: SmallVec<[BlockAt; 3]>,
    /// The numbers among the operation's inputs, which follow the operands.
    pub scalars: SmallVec<[ScalarId; 4]>,
    pub to: BlockAt,
    /// What a routine has that communicates.
    pub together: Option<Together>,
}

/// What a routine has that communicates while it runs.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    /// The mesh axes of its communicator.
    pub mesh_axes: SmallVec<[u8; 2]>,
    /// For each operand, extents that no block of it exceeds.
    pub largest: SmallVec<[Shape; 3]>,
    /// Memory that the routine may use.
    pub room: Vec<LocalId>,
}

/// A copy of a box of items.
#[derive(Clone, Debug)]
pub(crate) struct CopyBox {
    pub from: At,
    pub to: At,
    pub extents: SmallVec<[usize; 4]>,
    /// Bytes of an item.
    pub item: usize,
}

/// A message to or from another device: bytes of some memory.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub peer: usize,
    pub memory: Memory,
    /// From the start of the memory.
    pub offset: Bytes,
    pub bytes: Bytes,
    /// The copy that puts these bytes together before they are sent, or apart once they are
    /// received.
    pub copy: Option<CopyBox>,
    /// The same bytes as rows where that copy takes or puts them. A communicator that takes rows
    /// needs no copy.
    pub in_place: Option<InPlace>,
}

/// Rows of some memory.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct InPlace {
    pub memory: Memory,
    /// The bytes from the start of the first row to the end of the last one.
    pub span: Range<usize>,
    pub rows: Rows,
}

impl InPlace {
    /// The items of a box as rows; `None` if their distances differ.
    pub fn of(at: &At, extents: &[usize], item: usize) -> Option<InPlace> {
        let axes = extents.iter().zip(&at.strides).rev().filter(|(extent, _)| **extent != 1);
        let (mut len, mut count, mut pitch) = (item, 1, 0);
        for (&extent, &stride) in axes {
            let stride = usize::try_from(stride).ok()?;
            if count == 1 && stride == len {
                len *= extent;
            } else if count == 1 && stride > len {
                (count, pitch) = (extent, stride);
            } else if count > 1 && stride == count * pitch {
                count *= extent;
            } else {
                return None;
            }
        }
        let start = usize::try_from(at.offset).ok()?;
        let span = start..start + (count.max(1) - 1) * pitch + len;
        let rows = Rows { len, pitch: pitch.max(len) };
        Some(InPlace { memory: at.memory, span, rows })
    }
}

/// A step of a device.
#[derive(Clone, Debug)]
pub(crate) enum LocalStep {
    /// Starts an exchange, or one of its chunks, after the copies of what is sent.
    Start { exchange: ExchangeId, sends: Vec<Packet>, receives: Vec<Packet> },
    /// Waits for all chunks of an exchange, and runs the copies of what was received.
    Wait { exchange: ExchangeId, unpack: Vec<Packet> },
    /// Launches kernel `kernel` (a position among the plan's launches) on a box.
    Launch {
        kernel: usize,
        extents: SmallVec<[usize; 4]>,
        origins: SmallVec<[i64; 4]>,
        accesses: Vec<At>,
        guards: Vec<Vec<(i64, i64)>>,
        scalars: Arc<[ScalarSource]>,
    },
    /// Sets a table to zeros.
    Zero { memory: Memory, bytes: Bytes },
    /// Copies a box.
    Copy(CopyBox),
    /// Combines shards over mesh axes. Several parts are copied to `together`, for one collective.
    Combine {
        parts: Vec<(Memory, Bytes)>,
        together: Option<Memory>,
        dtype: DType,
        monoid: Monoid,
        mesh_axes: SmallVec<[u8; 2]>,
    },
    /// Runs the routine of a structured operation.
    Routine(Box<Routine>),
    /// Selects by a mask (`compress`).
    Compress {
        node: NodeId,
        value: Memory,
        mask: Memory,
        to: Memory,
        /// The elements to select from.
        count: usize,
        /// Bytes of an element.
        item: usize,
        is_split: bool,
    },
}

impl LocalStep {
    /// Whether the step sends to or receives from other devices.
    pub fn communicates(&self) -> bool {
        match self {
            LocalStep::Start { sends, receives, .. } => !sends.is_empty() || !receives.is_empty(),
            LocalStep::Combine { .. } => true,
            LocalStep::Compress { is_split, .. } => *is_split,
            LocalStep::Routine(routine) => routine.together.is_some(),
            LocalStep::Wait { .. }
            | LocalStep::Launch { .. }
            | LocalStep::Zero { .. }
            | LocalStep::Copy(_) => false,
        }
    }
}

/// A plan on one device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    /// The size of each slot.
    pub slots: Vec<Bytes>,
    /// The size of each local buffer.
    pub locals: Vec<Bytes>,
    pub steps: Vec<LocalStep>,
}

impl Instance {
    /// An estimate of the work: the number of elements that the steps visit. A routine visits each
    /// several times, more often on larger blocks.
    pub fn work(&self) -> usize {
        // The loops of a kernel run one after the other, so this product may be too large, never
        // too small.
        let product = |extents: &[usize]| {
            extents.iter().fold(1, |points: usize, &extent| points.saturating_mul(extent))
        };
        let of_step = |step: &LocalStep| match step {
            LocalStep::Launch { extents, .. } => product(extents),
            LocalStep::Copy(copy) => product(&copy.extents),
            LocalStep::Compress { count, .. } => *count,
            LocalStep::Routine(routine) => {
                let blocks = routine.operands.iter().chain([&routine.to]);
                let elements = blocks.map(|block| product(&block.shape)).max().unwrap_or(0);
                elements.saturating_mul(elements.isqrt())
            }
            LocalStep::Start { .. }
            | LocalStep::Wait { .. }
            | LocalStep::Zero { .. }
            | LocalStep::Combine { .. } => 0,
        };
        self.steps.iter().map(of_step).fold(0, usize::saturating_add)
    }
}
