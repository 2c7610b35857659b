//! Joining the parts of all processes to one array.

use super::Session;
use super::data::{buffer_of, is_aligned};
use super::foreign;
use super::memory::word;
use crate::error::RunError;
use crate::shards::{Shards, Storage};
use phalanx_collectives::TicketKind;
use phalanx_device::{Buffer, Strided, contiguous, copy_strided};
use phalanx_graph::{Error, Evaluated, LocalShard, ShardBytes, Site};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::{MAX_NDIM, normalize_axis, size};
use phalanx_ops::{Bounds, DType, IndexBox, Sharding, Split};
use std::sync::Arc;

/// The message of each device about its part: the dtype, the number of axes, the joined axis, and
/// the extents. If its process refuses: `REFUSED`, and the words of the refusal.
const WORDS: usize = EXTENTS + MAX_NDIM;
const EXTENTS: usize = 3;
const REFUSED: u64 = u64::MAX;

/// Why a process cannot give parts.
enum Refusal {
    /// The program gave this many parts for its devices.
    Count { parts: usize, devices: usize },
    /// A part has no such axis.
    Axis { axis: i64, ndim: usize },
}

impl Refusal {
    /// The refusal as words of a message.
    fn words(&self) -> [u64; 4] {
        match *self {
            Refusal::Count { parts, devices } => [REFUSED, 0, parts as u64, devices as u64],
            Refusal::Axis { axis, ndim } => [REFUSED, 1, axis as u64, ndim as u64],
        }
    }

    /// The refusal in the words of a message, if there is one.
    fn of(words: &[usize]) -> Option<Refusal> {
        match (words[0] as u64 == REFUSED, words[1]) {
            (false, _) => None,
            (true, 0) => Some(Refusal::Count { parts: words[2], devices: words[3] }),
            (true, _) => Some(Refusal::Axis { axis: words[2] as i64, ndim: words[3] }),
        }
    }

    /// The error on the rank that has it.
    fn own(&self, site: Site) -> Error {
        match *self {
            Refusal::Count { .. } => failed(format!("this rank gives {self}"), site),
            Refusal::Axis { axis, ndim } => Error::op(OpError::Axis { axis, ndim }, site),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Count { parts: 0, .. } => write!(f, "no part that can be joined"),
            Refusal::Count { parts, devices } => write!(f, "{parts} parts for {devices} devices"),
            Refusal::Axis { axis, ndim } => {
                write!(f, "a part of {ndim} axes, and names axis {axis}")
            }
        }
    }
}

fn failed(reason: String, site: Site) -> Error {
    Error::failure(RunError::Shards { reason }, Some(site))
}

impl Session {
    /// See `Engine::from_local`.
    pub(super) fn join_shards(
        &self,
        shards: Vec<LocalShard>,
        axis: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error> {
        let own = self.parts_of(&shards, axis);
        let words = |local: usize| -> Vec<u64> {
            let mut words = match &own {
                Ok(parts) => {
                    let Part { dtype, axis, shape } = &parts[local];
                    let mut words = vec![u64::from(*dtype as u8), shape.len() as u64, *axis as u64];
                    words.extend(shape.iter().map(|&extent| extent as u64));
                    words
                }
                Err(refusal) => refusal.words().to_vec(),
            };
            words.resize(WORDS, 0);
            words
        };
        let own_words =
            (0..self.devices.len()).flat_map(words).flat_map(u64::to_ne_bytes).collect();
        self.processes.post(TicketKind::Read, 1, "joins local shards", site);
        let counts = self.world.device_counts();
        let all: Vec<Vec<usize>> = self
            .processes
            .gather(own_words, |rank| counts[rank] * WORDS * 8)
            .map_err(|error| Error::failure(error, Some(site)))?
            .concat()
            .chunks_exact(WORDS * 8)
            .map(|bytes| bytes.chunks_exact(8).map(word).collect())
            .collect();
        let parts = own.map_err(|refusal| refusal.own(site))?;
        let ranks: Vec<usize> =
            (0..counts.len()).flat_map(|rank| vec![rank; counts[rank]]).collect();
        let refusals = ranks.iter().zip(&all).filter_map(|(rank, words)| {
            Refusal::of(words).map(|refusal| format!("rank {rank} gives {refusal}"))
        });
        if let Some(reason) = { refusals }.next() {
            return Err(failed(reason, site));
        }
        let axis = parts[0].axis;
        let alike = |words: &Vec<usize>| {
            words.iter().zip(&all[0]).enumerate().all(|(at, (x, y))| x == y || at == axis + EXTENTS)
        };
        if let Some(other) = all.iter().position(|words| !alike(words)) {
            let rank = ranks[other];
            // For another rank, the sum over its devices; for rank 0, the part of each device.
            let part_of = |device: usize| {
                let mut words = all[device].clone();
                if rank != 0 {
                    let place = words[2] + EXTENTS;
                    let of_rank = ranks.iter().zip(&all).filter(|(of, _)| **of == ranks[device]);
                    words[place] = of_rank.map(|(_, words)| words[place]).sum();
                }
                described(&words)
            };
            let reason = format!("rank 0 gives {}, and rank {rank} {}", part_of(0), part_of(other));
            return Err(failed(reason, site));
        }
        let sizes: Vec<usize> = all.iter().map(|words| words[axis + EXTENTS]).collect();
        let mut shape = parts[0].shape.clone();
        shape[axis] = sizes.iter().sum();
        let mut sharding = Sharding::replicated(shape.len());
        if self.mesh.devices() > 1 {
            let mesh_axes = (0..self.mesh.ndim() as u8).collect();
            sharding.axes[axis] = Some(Split { mesh_axes, bounds: Bounds::explicit(&sizes) });
        }
        let dtype = parts[0].dtype;
        self.all_given()?;
        let storage = self.stored(shards, &parts, axis);
        let storage = storage.map_err(|error| {
            let error = match error {
                RunError::Device(refusal) => self.too_little(refusal),
                error => error,
            };
            Error::failure(self.fatal(error), Some(site))
        })?;
        self.live.note(&storage, dtype, &shape, site);
        let value = Shards::new(dtype, &shape, sharding, storage, None);
        Ok((shape, Arc::new(value)))
    }

    /// The part of each device of this process: the one given for it, or a share of the one given
    /// for all.
    fn parts_of(&self, shards: &[LocalShard], axis: i64) -> Result<Vec<Part>, Refusal> {
        let devices = self.devices.len();
        if shards.len() != 1 && shards.len() != devices {
            return Err(Refusal::Count { parts: shards.len(), devices });
        }
        let part = |shard: &LocalShard| {
            let ndim = shard.shape.len();
            let axis = normalize_axis(axis, ndim).map_err(|_| Refusal::Axis { axis, ndim })?;
            Ok(Part { dtype: shard.dtype, axis, shape: shard.shape.clone() })
        };
        let parts: Vec<Part> = shards.iter().map(part).collect::<Result<_, _>>()?;
        if parts.len() == devices {
            return Ok(parts);
        }
        let whole = &parts[0];
        let bounds = Bounds::even(whole.shape[whole.axis], devices);
        let share = |device: usize| {
            let mut shape = whole.shape.clone();
            shape[whole.axis] = bounds.block(device).len();
            Part { shape, ..*whole }
        };
        Ok((0..devices).map(share).collect())
    }

    /// The memory of the parts of this process's devices.
    fn stored(
        &self,
        shards: Vec<LocalShard>,
        parts: &[Part],
        axis: usize,
    ) -> Result<Arc<Storage>, RunError> {
        if shards.len() == parts.len() {
            let shards = shards.into_iter().enumerate();
            return foreign::Part::storage(shards.map(|(local, shard)| self.part(local, shard)));
        }
        let is_on_host = self.devices.iter().all(|device| device.is_host());
        let item = parts[0].dtype.size();
        let bytes = |part: &Part| size(&part.shape) * item;
        // Shares of the first axis with more than one element are consecutive in memory.
        let is_outermost = shards[0].shape[..axis].iter().all(|&extent| extent == 1);
        if let ShardBytes::Shared(owner) = &shards[0].bytes
            && is_outermost
            && is_on_host
            && is_aligned((**owner).as_ref().as_ptr(), parts[0].dtype)
        {
            let mut first = 0;
            let share = |part: &Part| {
                first += bytes(part);
                Buffer::from_shared(owner.clone(), first - bytes(part), bytes(part))
            };
            return Ok(Storage::shared(parts.iter().map(share)));
        }
        let strides = contiguous(&shards[0].shape, item);
        let whole = shards.into_iter().next();
        let whole = whole.unwrap_or_else(|| unreachable!("bug: a part was there before"));
        if let ShardBytes::OfDevice { memory, .. } = &whole.bytes {
            let mut first = 0;
            let block = |part: &Part| {
                let mut block: IndexBox = part.shape.iter().map(|&extent| 0..extent).collect();
                block[axis] = first..first + part.shape[axis];
                first += part.shape[axis];
                block
            };
            let blocks: Vec<IndexBox> = parts.iter().map(block).collect();
            return self.shares_of(memory, &blocks, &whole.shape, item);
        }
        let whole = buffer_of(whole.dtype, whole.bytes);
        let (mut buffers, mut offset) = (Vec::with_capacity(parts.len()), 0);
        for (part, device) in parts.iter().zip(&self.devices) {
            let own = device.clone().allocate(bytes(part));
            let own = own.map_err(RunError::Device)?;
            copy_strided(
                &Strided { buffer: &whole, offset, strides: &strides },
                &Strided { buffer: &own, offset: 0, strides: &contiguous(&part.shape, item) },
                &part.shape,
                item,
            );
            offset += part.shape[axis] as isize * strides[axis];
            buffers.push(own);
        }
        Ok(Storage::new(buffers))
    }
}

/// The part of a device.
struct Part {
    dtype: DType,
    /// The axis along which it is joined to the others.
    axis: usize,
    shape: Vec<usize>,
}

/// The text of a part, from the message of its device.
fn described(words: &[usize]) -> String {
    let dtype = DType::ALL.iter().find(|dtype| **dtype as usize == words[0]);
    let name = dtype.map_or("?", |dtype| dtype.name());
    let shape = &words[EXTENTS..EXTENTS + words[1]];
    format!("{name}{shape:?} to be joined along axis {}", words[2])
}
