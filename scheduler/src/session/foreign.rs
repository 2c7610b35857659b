//! Elements that another library has in the memory of a device.

use super::Session;
use super::data::{buffer_of, first_byte, in_one_piece};
use crate::digest::data_digest;
use crate::error::RunError;
use crate::shards::{Shards, Storage};
use phalanx_array::{Error, Evaluated, LocalShard, ShardBytes, Site};
use phalanx_device::{
    Buffer, DeviceError, ForeignMemory, Strided, contiguous, copy_strided, copy_to_host,
};
use phalanx_ops::waiting::aside;
use phalanx_ops::{DType, IndexBox};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// How memory of others must lie to be read as our own is: by words of this many bytes.
const ALIGNMENT: usize = 16;

/// The memory of a local device's part of an array.
pub(super) struct Part {
    pub buffer: Buffer,
    /// Whether others have it, too.
    pub is_shared: bool,
}

/// The memory behind a shard of a device.
fn foreign(memory: &Arc<dyn Any + Send + Sync>) -> &ForeignMemory {
    match memory.downcast_ref() {
        Some(memory) => memory,
        None => unreachable!("bug: memory of another engine"),
    }
}

impl Session {
    /// Memory of others as a whole, and the local device that has it.
    fn adopted(&self, memory: &ForeignMemory) -> Result<(usize, Buffer), RunError> {
        let bytes = 0..memory.length();
        let adopt = |local: usize| {
            let buffer = self.devices[local].clone().adopt(memory, bytes.clone())?;
            Some((local, buffer))
        };
        let devices = || self.devices.iter().map(|device| device.name()).collect::<Vec<_>>();
        (0..self.devices.len()).find_map(adopt).ok_or_else(|| RunError::Elsewhere {
            device: String::from(memory.device()),
            devices: devices().join(", "),
        })
    }

    /// Some bytes of memory of others on a local device without a copy.
    fn lent(&self, local: usize, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        let buffer = self.devices[local].clone().adopt(memory, bytes)?;
        let is_aligned = (buffer.as_ptr() as usize).is_multiple_of(ALIGNMENT);
        (is_aligned || buffer.is_empty()).then_some(buffer)
    }

    /// A block of memory of others, on a local device: without a copy if it lies there in one
    /// piece.
    fn block_of(
        &self,
        local: usize,
        memory: &ForeignMemory,
        (owner, source): &(usize, Buffer),
        block: &IndexBox,
        shape: &[usize],
        item: usize,
    ) -> Result<Part, DeviceError> {
        if memory.is_lent_in_order()
            && *owner == local
            && let Some((first, elements)) = in_one_piece(block, shape)
            && let Some(buffer) = self.lent(local, memory, first * item..(first + elements) * item)
        {
            return Ok(Part { buffer, is_shared: true });
        }
        let extents: Vec<usize> = block.iter().map(Range::len).collect();
        let length = extents.iter().product::<usize>() * item;
        let buffer = self.devices[local].clone().allocate(length)?;
        let offset = memory.offset() as isize + first_byte(block, memory.strides());
        copy_strided(
            &Strided { buffer: source, offset, strides: memory.strides() },
            &Strided { buffer: &buffer, offset: 0, strides: &contiguous(&extents, item) },
            &extents,
            item,
        );
        Ok(Part { buffer, is_shared: false })
    }

    /// Waits for the copies of memory that may change from now on.
    fn done_with(&self, memory: &ForeignMemory) {
        if !memory.is_lasting() {
            aside(|| self.devices.iter().for_each(|device| device.synchronize()));
        }
    }

    /// See `Engine::share`.
    pub(super) fn share_foreign(
        &self,
        dtype: DType,
        shape: &[usize],
        memory: &Arc<dyn Any + Send + Sync>,
        site: Site,
    ) -> Result<(Arc<dyn Evaluated>, bool), Error> {
        let fail = |error: RunError| Error::failure(self.fatal(error), Some(site));
        let memory = foreign(memory);
        let source = self.adopted(memory).map_err(|error| Error::failure(error, Some(site)))?;
        let (sharding, blocks) = self.place(shape);
        let (mut buffers, mut is_shared) = (Vec::new(), true);
        for (local, block) in blocks.iter().enumerate() {
            let part = self.block_of(local, memory, &source, block, shape, dtype.size());
            let part = part.map_err(|error| fail(self.too_little(error)))?;
            is_shared &= part.is_shared || part.buffer.is_empty();
            buffers.push(part.buffer);
        }
        let declared = || {
            let mut bytes = vec![0; shape.iter().product::<usize>() * dtype.size()];
            let offset = memory.offset() as isize;
            let from = Strided { buffer: &source.1, offset, strides: memory.strides() };
            let strides = contiguous(shape, dtype.size());
            copy_to_host(&from, &mut bytes, 0, &strides, shape, dtype.size());
            data_digest(dtype, shape, &bytes)
        };
        self.processes.declare(declared, site);
        self.done_with(memory);
        // Some of it may be shared although not all is.
        let storage = Storage::shared(buffers);
        self.live.note(&storage, dtype, shape, site);
        self.intact()?;
        Ok((Arc::new(Shards::new(dtype, shape, sharding, storage, None)), is_shared))
    }

    /// The memory of a shard that the program gives a local device.
    pub(super) fn part(&self, local: usize, shard: LocalShard) -> Result<Part, RunError> {
        let LocalShard { dtype, shape, bytes } = shard;
        if let ShardBytes::OfDevice { memory, .. } = &bytes {
            let memory = foreign(memory);
            let source = self.adopted(memory)?;
            let whole: IndexBox = shape.iter().map(|&extent| 0..extent).collect();
            let part = self.block_of(local, memory, &source, &whole, &shape, dtype.size());
            self.done_with(memory);
            return part.map_err(RunError::Device);
        }
        let device = &self.devices[local];
        let is_shared = matches!(bytes, ShardBytes::Shared(_)) && device.is_host();
        let host = buffer_of(dtype, bytes);
        let buffer = match device.is_host() {
            true => host,
            false => {
                let own = device.clone().allocate(host.len()).map_err(RunError::Device)?;
                own.update_from_host(&host);
                own
            }
        };
        Ok(Part { buffer, is_shared })
    }
}
