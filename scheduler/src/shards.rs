//! Shards: the blocks of an array's value that this process holds.

use crate::error::RunError;
use crate::moves::Moved;
use crate::outcome::Outcome;
use phalanx_device::{Buffer, DeviceError, Strided, contiguous, copy_to_host};
use phalanx_distributed::preimage_range;
use phalanx_graph::{Error, Evaluated, HostArray, Site};
use phalanx_ops::sharding::is_empty;
use phalanx_ops::{AffineMap, DType, IndexBox, Mesh, Shape, Sharding};
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, Mutex, OnceLock};

/// The blocks of a value on this process's devices.
pub(crate) struct Shards {
    pub dtype: DType,
    sharding: Sharding,
    shape: Shape,
    storage: Arc<Storage>,
    /// The outcome of the plan that computes them.
    outcome: Option<Arc<Outcome>>,
    /// The sharding and shape of a value whose shape depends on data; set once the value is
    /// computed.
    late: Option<Box<OnceLock<Layout>>>,
    /// The refusal of memory for its blocks, if there was one.
    refusal: Option<Box<DeviceError>>,
    /// Where the value should lie, once a window has exchanged it.
    moved: OnceLock<Arc<Mutex<Moved>>>,
}

/// The sharding and the shape of a value.
type Layout = (Sharding, Vec<usize>);

/// The buffers of one value, or of several: a reshape shares those of its input.
pub(crate) struct Storage {
    /// One for each local device.
    buffers: SmallVec<[Buffer; 1]>,
    /// Whether code outside this session also has the memory, which is then read only.
    is_shared: bool,
}

impl Storage {
    pub fn new(buffers: impl IntoIterator<Item = Buffer>) -> Arc<Storage> {
        let buffers = buffers.into_iter().collect();
        Arc::new(Storage { buffers, is_shared: false })
    }

    /// The storage of a process with one device.
    pub fn of_one(buffer: Buffer) -> Arc<Storage> {
        Arc::new(Storage { buffers: SmallVec::from_buf([buffer]), is_shared: false })
    }

    /// Storage with at least one buffer that code outside this session owns.
    pub fn shared(buffers: impl IntoIterator<Item = Buffer>) -> Arc<Storage> {
        let buffers = buffers.into_iter().collect();
        Arc::new(Storage { buffers, is_shared: true })
    }

    /// The number of bytes of this process's blocks.
    pub fn bytes(&self) -> usize {
        self.buffers.iter().map(Buffer::len).sum()
    }
}

impl Shards {
    pub fn new(
        dtype: DType,
        shape: &[usize],
        sharding: Sharding,
        storage: Arc<Storage>,
        outcome: Option<Arc<Outcome>>,
    ) -> Shards {
        Shards {
            dtype,
            sharding,
            shape: Shape::from_slice(shape),
            storage,
            outcome,
            late: None,
            refusal: None,
            moved: OnceLock::new(),
        }
    }

    /// A value that a device of this process has no memory for. Reading it is an error, and
    /// planning with it is an error on all ranks.
    pub fn refused(
        dtype: DType,
        shape: &[usize],
        sharding: Sharding,
        refusal: DeviceError,
        site: Site,
    ) -> Shards {
        let error = RunError::Memory {
            value: Some((dtype, shape.to_vec())),
            refusal: Box::new(refusal.clone()),
            largest: Vec::new(),
        };
        let error = Error::failure(error, Some(site));
        let shards =
            Shards::new(dtype, shape, sharding, Storage::new([]), Some(Outcome::failed(error)));
        Shards { refusal: Some(Box::new(refusal)), ..shards }
    }

    /// Where the value should lie.
    pub fn moved(&self) -> &Arc<Mutex<Moved>> {
        self.moved.get_or_init(Arc::default)
    }

    /// Why this process has no memory for its blocks.
    pub fn refusal(&self) -> Option<&DeviceError> {
        self.refusal.as_deref()
    }

    /// Marks a value whose shape and sharding are known only after it is computed.
    pub fn with_unknown_shape(mut self) -> Shards {
        self.late = Some(Box::default());
        self
    }

    /// Whether the shape is known only after the value is computed.
    pub fn is_late(&self) -> bool {
        self.late.is_some()
    }

    /// Sets the shape and sharding of such a value.
    pub fn settle(&self, sharding: Sharding, shape: Vec<usize>) {
        if let Some(late) = &self.late {
            let _ = late.set((sharding, shape));
        }
    }

    /// The ticket of the plan that computes it, if devices communicate in that plan.
    pub fn ticket(&self) -> Option<u64> {
        self.outcome.as_ref()?.ticket
    }

    /// The error of the value, if its plan has ended with one. Local.
    pub fn failure(&self) -> Option<Error> {
        let outcome = self.outcome.as_ref().filter(|outcome| outcome.is_done())?;
        outcome.wait_surely().err()
    }

    /// The outcome of the plan that computes it, unless that plan is known to have succeeded.
    pub fn unknown_outcome(&self) -> Option<Arc<Outcome>> {
        self.outcome.clone().filter(|outcome| !outcome.has_succeeded())
    }

    /// Whether the elements are in memory and no plan computes them any more.
    pub fn is_computed(&self) -> bool {
        let is_whole = self.late.as_ref().is_none_or(|late| late.get().is_some());
        let is_whole = is_whole && self.refusal.is_none();
        is_whole && self.outcome.as_ref().is_none_or(|outcome| outcome.has_succeeded())
    }

    /// The local device that has the element at an index, and its byte in that device's buffer.
    /// `None` unless this process has all blocks.
    pub fn locate(&self, index: &[i64], mesh: &Mesh) -> Option<(usize, usize)> {
        if self.buffers().len() != mesh.devices() {
            return None;
        }
        let offset = |starts: &dyn Fn(usize) -> usize, extents: &dyn Fn(usize) -> usize| {
            let along = |at, (axis, &index): (usize, &i64)| {
                at * extents(axis) + (index as usize - starts(axis))
            };
            index.iter().enumerate().fold(0, along) * self.dtype.size()
        };
        if self.sharding().is_replicated() {
            return Some((0, offset(&|_| 0, &|axis| self.shape()[axis])));
        }
        let blocks = self.blocks(mesh, 0);
        let has = |block: &IndexBox| {
            block.iter().zip(index).all(|(range, &index)| range.contains(&(index as usize)))
        };
        let local = blocks.iter().position(has)?;
        let block = &blocks[local];
        Some((local, offset(&|axis| block[axis].start, &|axis| block[axis].len())))
    }

    /// The buffer of each local device.
    pub fn buffers(&self) -> &[Buffer] {
        &self.storage.buffers
    }

    /// The storage, which reshapes of the value share.
    pub fn storage(&self) -> Arc<Storage> {
        self.storage.clone()
    }

    /// Whether no other value and no code outside the session has the memory.
    pub fn is_sole_owner(&self) -> bool {
        let is_sole = Arc::strong_count(&self.storage) == 1 && !self.storage.is_shared;
        // What the last other owner read happened before.
        fence(Ordering::Acquire);
        is_sole
    }

    pub fn shape(&self) -> &[usize] {
        self.late.as_deref().and_then(OnceLock::get).map_or(&self.shape, |late| &late.1)
    }

    /// The shards behind a value of this engine.
    pub fn of(value: &Arc<dyn Evaluated>) -> &Shards {
        match value.as_any().downcast_ref::<Shards>() {
            Some(shards) => shards,
            None => unreachable!("bug: a value of another engine"),
        }
    }

    /// The block of each local device.
    pub fn blocks(&self, mesh: &Mesh, first_device: usize) -> Vec<IndexBox> {
        let shape = self.shape();
        (0..self.buffers().len())
            .map(|local| {
                self.sharding().block(shape, mesh, &mesh.coordinates(first_device + local))
            })
            .collect()
    }

    /// The elements of a view; `None` unless the sharding puts all elements on this process.
    pub fn read(&self, map: &AffineMap, mesh: &Mesh, first_device: usize) -> Option<HostArray> {
        tracing::trace!(target: "phalanx::path", file = file!());
        let holds_all = self.sharding().is_replicated() || self.buffers().len() == mesh.devices();
        if !holds_all {
            return None;
        }
        let item = self.dtype.size();
        let shape: Vec<usize> = map.shape.to_vec();
        let mut bytes = vec![0u8; shape.iter().product::<usize>() * item];
        let target: Vec<isize> = contiguous(&shape, item);
        let all: Vec<Range<usize>> = shape.iter().map(|&extent| 0..extent).collect();
        for (buffer, block) in self.buffers().iter().zip(self.blocks(mesh, first_device)) {
            if is_empty(&block) {
                continue;
            }
            // The part of the view inside this block.
            let mut part = all.clone();
            for (axis, own) in map.axes.iter().zip(&block) {
                let inside = preimage_range(own, axis.start, axis.step);
                match axis.axis {
                    Some(to) if axis.step != 0 => {
                        let range = &mut part[to as usize];
                        let start = inside.start.max(range.start as i64).min(range.end as i64);
                        *range =
                            start as usize..inside.end.min(range.end as i64).max(start) as usize;
                    }
                    _ if own.contains(&(axis.start as usize)) => {}
                    _ => part.iter_mut().for_each(|range| *range = 0..0),
                }
            }
            let is_outside = map.axes.iter().zip(&block).any(|(axis, own)| {
                (axis.axis.is_none() || axis.step == 0) && !own.contains(&(axis.start as usize))
            });
            if is_outside || is_empty(&part) {
                continue;
            }
            let lengths: Vec<usize> = block.iter().map(Range::len).collect();
            let strides = contiguous(&lengths, item);
            let mut offset = 0;
            let mut along = vec![0isize; shape.len()];
            for ((axis, own), stride) in map.axes.iter().zip(&block).zip(&strides) {
                let first = axis.axis.map_or(0, |to| axis.step * part[to as usize].start as i64);
                offset += (axis.start + first - own.start as i64) as isize * stride;
                if let Some(to) = axis.axis {
                    along[to as usize] += axis.step as isize * stride;
                }
            }
            let at: isize =
                part.iter().zip(&target).map(|(range, stride)| range.start as isize * stride).sum();
            let extents: Vec<usize> = part.iter().map(Range::len).collect();
            let from = Strided { buffer, offset, strides: &along };
            copy_to_host(&from, &mut bytes, at, &target, &extents, item);
        }
        Some(HostArray { dtype: self.dtype, shape, bytes })
    }

    /// The block of one local device.
    pub fn block_to_host(&self, local: usize, block: &[Range<usize>]) -> HostArray {
        let shape: Vec<usize> = block.iter().map(Range::len).collect();
        let mut bytes = vec![0; shape.iter().product::<usize>() * self.dtype.size()];
        self.buffers()[local].read(0, &mut bytes);
        HostArray { dtype: self.dtype, shape, bytes }
    }
}

impl Evaluated for Shards {
    fn sharding(&self) -> &Sharding {
        self.late.as_deref().and_then(OnceLock::get).map_or(&self.sharding, |late| &late.0)
    }

    fn wait(&self) -> Result<(), Error> {
        self.outcome.as_ref().map_or(Ok(()), |outcome| outcome.wait())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shards({}{:?} @ {})", self.dtype, self.shape(), self.sharding())
    }
}
