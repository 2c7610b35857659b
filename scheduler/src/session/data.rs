//! Host data to shards and back, and messages of ranks outside of plans.

use super::Session;
use super::memory::word;
use crate::digest::data_digest;
use crate::error::RunError;
use crate::shards::{Shards, Storage};
use phalanx_collectives::TicketKind;
use phalanx_device::{Buffer, Strided, contiguous, copy_from_host};
use phalanx_graph::{
    Engine, Error, Evaluated, HostArray, LocalShard, ShardBytes, ShardMemory, Site, room_on_host,
};
use phalanx_ops::sharding::volume;
use phalanx_ops::{DType, IndexBox, Sharding};
use phalanx_waiting::copying;
use std::any::Any;
use std::sync::Arc;

impl Session {
    /// See `Engine::upload`.
    pub(super) fn upload_data(
        &self,
        dtype: DType,
        shape: &[usize],
        bytes: &[u8],
        site: Site,
    ) -> Result<Arc<dyn Evaluated>, Error> {
        let sharding = self.options.policy.sharding(shape, &self.mesh);
        let item = dtype.size();
        let strides = contiguous(shape, item);
        let fill = |_: usize, block: &IndexBox, buffer: &Buffer| {
            let extents: Vec<usize> = block.iter().map(std::ops::Range::len).collect();
            let packed = contiguous(&extents, item);
            let target = Strided { buffer, offset: 0, strides: &packed };
            copy_from_host(bytes, first_byte(block, &strides), &strides, &target, &extents, item);
        };
        let value = self.filled(dtype, shape, sharding, fill, site)?;
        self.processes.declare(|| data_digest(dtype, shape, bytes), site);
        Ok(value)
    }

    /// See `Engine::share`.
    pub(super) fn share_data(
        &self,
        data: &LocalShard,
        site: Site,
    ) -> Result<(Arc<dyn Evaluated>, bool), Error> {
        let LocalShard { dtype, shape, bytes } = data;
        if let ShardBytes::OfDevice { memory, .. } = bytes {
            return self.share_foreign(*dtype, shape, memory, site);
        }
        let (sharding, blocks) = self.place(shape);
        let shared = |owner: &Arc<dyn AsRef<[u8]> + Send + Sync>| -> Option<Vec<Buffer>> {
            let start = (**owner).as_ref().as_ptr();
            let one = |block: &IndexBox| {
                let (first, elements) = in_one_piece(block, shape)?;
                let (first, length) = (first * dtype.size(), elements * dtype.size());
                let is_aligned = is_aligned(start.wrapping_add(first), *dtype);
                is_aligned.then(|| Buffer::from_shared(owner.clone(), first, length))
            };
            blocks.iter().map(one).collect()
        };
        let buffers = match bytes {
            // Only host devices can use the memory directly.
            ShardBytes::Shared(owner) if self.is_on_host() => shared(owner),
            _ => None,
        };
        let bytes = bytes.on_host().unwrap_or(&[]);
        let Some(buffers) = buffers else {
            return Ok((self.upload_data(*dtype, shape, bytes, site)?, false));
        };
        let storage = Storage::shared(buffers);
        self.live.note(&storage, *dtype, shape, site);
        self.processes.declare(|| data_digest(*dtype, shape, bytes), site);
        Ok((Arc::new(Shards::new(*dtype, shape, sharding, storage, None)), true))
    }

    /// Whether all devices are host devices.
    fn is_on_host(&self) -> bool {
        self.devices.iter().all(|device| device.is_host())
    }

    /// See `Engine::placement`.
    pub(super) fn place(&self, shape: &[usize]) -> (Sharding, Vec<IndexBox>) {
        let sharding = self.options.policy.sharding(shape, &self.mesh);
        let blocks = self.local_blocks(&sharding, shape);
        (sharding, blocks)
    }

    /// See `Engine::from_blocks`.
    pub(super) fn join_blocks(
        &self,
        dtype: DType,
        shape: &[usize],
        blocks: &[Vec<u8>],
        site: Site,
    ) -> Result<Arc<dyn Evaluated>, Error> {
        let sharding = self.options.policy.sharding(shape, &self.mesh);
        let fill = |local: usize, _: &IndexBox, buffer: &Buffer| buffer.write(0, &blocks[local]);
        self.filled(dtype, shape, sharding, fill, site)
    }

    /// The block of each local device.
    fn local_blocks(&self, sharding: &Sharding, shape: &[usize]) -> Vec<IndexBox> {
        (0..self.devices.len())
            .map(|local| self.mesh.coordinates(self.first_device + local))
            .map(|coordinates| sharding.block(shape, &self.mesh, &coordinates))
            .collect()
    }

    /// A new value; `fill` writes each local block, given the device's number, the block and its
    /// buffer.
    fn filled(
        &self,
        dtype: DType,
        shape: &[usize],
        sharding: Sharding,
        fill: impl Fn(usize, &IndexBox, &Buffer),
        site: Site,
    ) -> Result<Arc<dyn Evaluated>, Error> {
        self.all_given()?;
        let mut buffers = Vec::new();
        for (local, block) in self.local_blocks(&sharding, shape).iter().enumerate() {
            let bytes = volume(block) * dtype.size();
            let mut copied = |buffer: &Buffer| copying(bytes, || fill(local, block, buffer));
            let mut allocate = || self.devices[local].clone().allocate_filled(bytes, &mut copied);
            let mut allocated = allocate();
            if allocated.is_err() && self.world.size() == 1 {
                // Copies of values that plans moved give way. Other processes would not know.
                self.state().moved.free_all();
                allocated = allocate();
            }
            let buffer = match allocated {
                Ok(buffer) => buffer,
                // Making an array is Local, so the refusal is reported when all ranks plan with the
                // value.
                Err(refusal) if self.world.size() > 1 && self.options.memory_limit.is_some() => {
                    return Ok(Arc::new(Shards::refused(dtype, shape, sharding, refusal, site)));
                }
                Err(error) => {
                    let error = self.fatal(self.too_little(error));
                    return Err(Error::failure(error, Some(site)));
                }
            };
            buffers.push(buffer);
        }
        let storage = Storage::new(buffers);
        self.live.note(&storage, dtype, shape, site);
        Ok(Arc::new(Shards::new(dtype, shape, sharding, storage, None)))
    }

    /// See `Engine::local_shards`.
    pub(super) fn shards_of(
        &self,
        value: &Arc<dyn Evaluated>,
    ) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        self.wait(value)?;
        self.has_elements()?;
        self.all_given()?;
        let shards = Shards::of(value);
        let blocks = shards.blocks(&self.mesh, self.first_device);
        room_on_host(shards.storage().bytes(), None)?;
        let parts = Ok(blocks
            .iter()
            .enumerate()
            .map(|(local, block)| {
                (
                    block.iter().map(|range| range.start).collect(),
                    shards.block_to_host(local, block),
                )
            })
            .collect());
        self.intact()?;
        parts
    }

    /// See `Engine::shard_memory`.
    pub(super) fn memory_of(
        &self,
        value: &Arc<dyn Evaluated>,
        on_host: bool,
    ) -> Result<Vec<ShardMemory>, Error> {
        self.wait(value)?;
        self.has_elements()?;
        self.all_given()?;
        let shards = Shards::of(value);
        let blocks = shards.blocks(&self.mesh, self.first_device);
        if on_host && shards.buffers().iter().any(|buffer| buffer.remote().is_some()) {
            room_on_host(shards.storage().bytes(), None)?;
        }
        let memory = |(local, block): (usize, &IndexBox)| {
            let buffer = &shards.buffers()[local];
            let is_on_host = on_host || buffer.remote().is_none();
            let (address, owner): (usize, Arc<dyn Any + Send + Sync>) = match buffer.remote() {
                Some(_) if on_host => {
                    let copy = buffer.on_host();
                    (copy.as_ptr() as usize, Arc::new(copy))
                }
                _ => (buffer.as_ptr() as usize, shards.storage()),
            };
            ShardMemory {
                start: block.iter().map(|range| range.start).collect(),
                shape: block.iter().map(|range| range.len()).collect(),
                address,
                device: self.devices[local].name(),
                is_on_host,
                owner,
            }
        };
        let memory = blocks.iter().enumerate().map(memory).collect();
        self.intact()?;
        Ok(memory)
    }

    /// See `Engine::exchange`.
    pub(super) fn exchange_words(&self, own: Vec<u8>, site: Site) -> Result<Vec<Vec<u8>>, Error> {
        self.processes.post(TicketKind::Read, 2, "exchanges messages", site);
        let fail = |error| Error::failure(error, Some(site));
        let size = (own.len() as u64).to_ne_bytes().to_vec();
        let sizes = self.processes.gather(size, |_| 8).map_err(fail)?;
        self.processes.gather(own, |rank| word(&sizes[rank])).map_err(fail)
    }

    /// See `Engine::agree`.
    pub(super) fn agree_on(&self, outcome: Result<(), String>, site: Site) -> Result<(), Error> {
        const LONGEST: usize = 1024;
        let message = outcome.err();
        if self.world.size() == 1 {
            return match message {
                None => Ok(()),
                Some(message) => {
                    Err(Error::failure(RunError::Rank { rank: 0, message }, Some(site)))
                }
            };
        }
        let text = message.as_deref().unwrap_or("").as_bytes();
        let mut own = vec![u8::from(message.is_some())];
        own.extend(&text[..text.len().min(LONGEST)]);
        own.resize(LONGEST + 1, 0);
        self.processes.post(TicketKind::Read, 0, "agrees on an outcome", site);
        let all = self
            .processes
            .gather(own, |_| LONGEST + 1)
            .map_err(|error| Error::failure(error, Some(site)))?;
        let Some(rank) = all.iter().position(|bytes| bytes[0] != 0) else { return Ok(()) };
        let text = all[rank][1..].split(|&byte| byte == 0).next().unwrap_or(&[]);
        let message = String::from_utf8_lossy(text).into_owned();
        Err(Error::failure(RunError::Rank { rank, message }, Some(site)))
    }
}

/// The first element and the number of elements of a block within an array in C order; `None`
/// unless they are consecutive.
pub(super) fn in_one_piece(block: &IndexBox, shape: &[usize]) -> Option<(usize, usize)> {
    let elements = volume(block);
    if elements == 0 {
        return Some((0, 0));
    }
    let inner = block.iter().zip(shape).rposition(|(range, &extent)| range.len() != extent);
    let outer = &block[..inner.unwrap_or(0)];
    if outer.iter().any(|range| range.len() != 1) {
        return None;
    }
    let first = block.iter().zip(shape).fold(0, |at, (range, &extent)| at * extent + range.start);
    Some((first, elements))
}

/// Whether an address is aligned for elements of a dtype.
pub(super) fn is_aligned(start: *const u8, dtype: DType) -> bool {
    (start as usize).is_multiple_of(dtype.size())
}

/// The byte offset of a block in an array with these strides.
pub(super) fn first_byte(block: &IndexBox, strides: &[isize]) -> isize {
    block.iter().zip(strides).map(|(range, stride)| range.start as isize * stride).sum()
}

/// The memory of a shard; without a copy if its elements are aligned.
pub(super) fn buffer_of(dtype: DType, bytes: ShardBytes) -> Buffer {
    let host = bytes.on_host().unwrap_or(&[]);
    let (start, length) = (host.as_ptr(), host.len());
    let is_aligned = is_aligned(start, dtype);
    // Memory that the session owns may be reused for other dtypes, so it needs the largest
    // alignment.
    let is_fit_for_all = (start as usize).is_multiple_of(align_of::<u128>());
    match bytes {
        ShardBytes::Own(bytes) if is_fit_for_all => Buffer::from_vec(bytes),
        ShardBytes::Shared(owner) if is_aligned => Buffer::from_shared(owner, 0, length),
        ShardBytes::Own(bytes) => Buffer::aligned(&bytes),
        ShardBytes::Shared(owner) => Buffer::aligned((*owner).as_ref()),
        ShardBytes::OfDevice { .. } => unreachable!("bug: the host has no such bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_in_one_piece_are_recognised() {
        let shape = [4, 3, 5];
        let whole = [0..4, 0..3, 0..5];
        let place =
            |block: [std::ops::Range<usize>; 3]| in_one_piece(&block.into_iter().collect(), &shape);
        assert_eq!(place(whole), Some((0, 60)));
        assert_eq!(place([1..3, 0..3, 0..5]), Some((15, 30)));
        assert_eq!(place([2..3, 1..3, 0..5]), Some((35, 10)));
        assert_eq!(place([2..3, 1..2, 1..4]), Some((36, 3)));
        // Rows of other blocks are in between.
        assert_eq!(place([1..3, 1..3, 0..5]), None);
        assert_eq!(place([0..4, 0..3, 0..2]), None);
        assert_eq!(place([2..2, 1..3, 0..2]), Some((0, 0)));
        assert_eq!(in_one_piece(&IndexBox::default(), &[]), Some((0, 1)));
    }
}
