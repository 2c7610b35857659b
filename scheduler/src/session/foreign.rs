//! Arrays whose elements another library owns in the memory of a device.

use super::Session;
use super::data::{buffer_of, first_byte, in_one_piece};
use crate::digest::data_digest;
use crate::error::RunError;
use crate::shards::{Shards, Storage};
use phalanx_device::{
    Buffer, Device, DeviceError, ForeignMemory, Strided, contiguous, copy_strided, copy_to_host,
};
use phalanx_graph::{Error, Evaluated, LocalShard, ShardBytes, Site};
use phalanx_ops::{DType, IndexBox};
use phalanx_waiting::aside;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// The alignment in bytes that foreign memory needs to be used without a copy: kernels read such
/// words.
const ALIGNMENT: usize = 16;

/// The memory of a local device's part of an array.
pub(super) struct Part {
    pub buffer: Buffer,
    /// Whether code outside the session has it too.
    pub is_shared: bool,
}

impl Part {
    /// The memory of all local devices' parts.
    pub(super) fn storage(
        parts: impl Iterator<Item = Result<Part, RunError>>,
    ) -> Result<Arc<Storage>, RunError> {
        let (mut buffers, mut is_shared) = (Vec::new(), false);
        for part in parts {
            let part = part?;
            is_shared |= part.is_shared;
            buffers.push(part.buffer);
        }
        Ok(if is_shared { Storage::shared(buffers) } else { Storage::new(buffers) })
    }
}

/// The memory behind a shard of a device.
fn foreign(memory: &Arc<dyn Any + Send + Sync>) -> &ForeignMemory {
    match memory.downcast_ref() {
        Some(memory) => memory,
        None => unreachable!("bug: memory of another engine"),
    }
}

impl Session {
    /// All of a foreign memory, as a buffer of the local device that has it.
    fn adopted(&self, memory: &ForeignMemory) -> Result<Buffer, RunError> {
        let adopt = |device: &Arc<dyn Device>| device.clone().adopt(memory, 0..memory.length());
        let devices = || self.devices.iter().map(|device| device.name()).collect::<Vec<_>>();
        self.devices.iter().find_map(adopt).ok_or_else(|| RunError::Elsewhere {
            device: String::from(memory.device()),
            devices: devices().join(", "),
        })
    }

    /// A range of a foreign memory as a buffer of a local device, without a copy; `None` if that is
    /// impossible.
    fn lent(&self, local: usize, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        let buffer = self.devices[local].clone().adopt(memory, bytes)?;
        let is_aligned = (buffer.as_ptr() as usize).is_multiple_of(ALIGNMENT);
        (is_aligned || buffer.is_empty()).then_some(buffer)
    }

    /// A block of a foreign array, on a local device; without a copy if it is there in one piece.
    fn block_of(
        &self,
        local: usize,
        memory: &ForeignMemory,
        source: &Buffer,
        block: &IndexBox,
        shape: &[usize],
        item: usize,
    ) -> Result<Part, DeviceError> {
        if memory.is_lent_in_order()
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

    /// Waits for the copies, if the foreign memory may change after the call.
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
        self.all_given()?;
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
            let from = Strided { buffer: &source, offset, strides: memory.strides() };
            let strides = contiguous(shape, dtype.size());
            copy_to_host(&from, &mut bytes, 0, &strides, shape, dtype.size());
            data_digest(dtype, shape, &bytes)
        };
        self.processes.declare(declared, site);
        self.done_with(memory);
        // Parts may be shared even if not all are.
        let storage = Storage::shared(buffers);
        self.live.note(&storage, dtype, shape, site);
        self.intact()?;
        Ok((Arc::new(Shards::new(dtype, shape, sharding, storage, None)), is_shared))
    }

    /// The storage of the local devices' blocks of a foreign array.
    pub(super) fn shares_of(
        &self,
        memory: &Arc<dyn Any + Send + Sync>,
        blocks: &[IndexBox],
        shape: &[usize],
        item: usize,
    ) -> Result<Arc<Storage>, RunError> {
        let memory = foreign(memory);
        let source = self.adopted(memory)?;
        let storage = Part::storage(blocks.iter().enumerate().map(|(local, block)| {
            let part = self.block_of(local, memory, &source, block, shape, item);
            part.map_err(RunError::Device)
        }))?;
        self.done_with(memory);
        Ok(storage)
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
        let buffer = if device.is_host() {
            host
        } else {
            let own = device.clone().allocate(host.len()).map_err(RunError::Device)?;
            own.update_from_host(&host);
            own
        };
        Ok(Part { buffer, is_shared })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionOptions;
    use phalanx_array::{Array, MeshHandle};
    use phalanx_collectives::World;
    use phalanx_distributed::Policy;

    /// A shard of a device: a view of 48 numbers with this first byte, shape and byte strides.
    fn lent(
        bytes: &Arc<Vec<u8>>,
        device: &str,
        first: usize,
        shape: &[usize],
        strides: &[isize],
        is_lasting: bool,
    ) -> LocalShard {
        let (device, bytes) = (device.to_owned(), bytes.clone());
        let memory = ForeignMemory::of_host(device, bytes, first, shape, strides, 4, is_lasting);
        let length = shape.iter().product::<usize>() * 4;
        let bytes = ShardBytes::OfDevice { length, memory: Arc::new(memory) };
        LocalShard { dtype: DType::I32, shape: shape.to_vec(), bytes }
    }

    fn mesh(devices: usize) -> MeshHandle {
        let policy = Policy { split_from: 1 };
        let options = SessionOptions { policy, ..SessionOptions::default() };
        let world = World::local(devices).expect("a world");
        MeshHandle::new(Session::new(world, options).expect("a session"))
    }

    fn numbers() -> Arc<Vec<u8>> {
        // As aligned as device memory.
        let aligned = (0..8).map(|shift| {
            let own = (0i32..48 + shift).flat_map(i32::to_ne_bytes);
            own.collect::<Vec<u8>>()
        });
        let aligned =
            aligned.into_iter().find(|bytes| (bytes.as_ptr() as usize).is_multiple_of(ALIGNMENT));
        Arc::new(aligned.expect("allocations of the system are aligned"))
    }

    #[test]
    fn memory_in_order_is_read_in_place_until_it_is_written() {
        let bytes = numbers();
        mesh(1).enter(|| {
            let shard = lent(&bytes, "cpu:0", 0, &[12, 4], &[16, 4], true);
            let (array, is_shared) = Array::from_shared(&shard);
            assert!(is_shared);
            let memory = array.device_memory().expect("memory");
            assert_eq!(memory[0].address, bytes.as_ptr() as usize);
            array.slice(phalanx_array::s![0, 0]).assign(-1);
            assert_eq!(array.to_vec::<i32>().expect("numbers")[..3], [-1, 1, 2]);
            assert_eq!(bytes[..4], [0; 4]);
            let joined = Array::from_local_shards(vec![shard], 0);
            let memory = joined.device_memory().expect("memory");
            assert_eq!(memory[0].address, bytes.as_ptr() as usize);
            drop((array, joined, memory));
        });
        assert_eq!(Arc::strong_count(&bytes), 1, "let go");
    }

    #[test]
    fn memory_of_any_strides_and_device_is_copied() {
        let bytes = numbers();
        for devices in [1, 3] {
            mesh(devices).enter(|| {
                let turned = lent(&bytes, "cpu:0", 4, &[4, 11], &[4, 16], true);
                let (array, is_shared) = Array::from_shared(&turned);
                let expected = (0..4).flat_map(|row| (0..11).map(move |at| 1 + row + 4 * at));
                assert_eq!(array.to_vec::<i32>().expect("numbers"), expected.collect::<Vec<_>>());
                assert!(!is_shared);
                // A reversed view, of memory that may change after the call.
                let back = lent(&bytes, "cpu:0", 188, &[48], &[-4], false);
                let (array, is_shared) = Array::from_shared(&back);
                let expected: Vec<i32> = (0..48).rev().collect();
                assert_eq!(array.to_vec::<i32>().expect("numbers"), expected);
                assert!(!is_shared);
                // One of several devices has the memory.
                let last = format!("cpu:{}", devices - 1);
                let whole = lent(&bytes, &last, 0, &[48], &[4], true);
                let (array, is_shared) = Array::from_shared(&whole);
                assert_eq!(array.to_vec::<i32>().expect("numbers")[47], 47);
                assert_eq!(is_shared, devices == 1);
                let parts = vec![whole; devices];
                let joined = Array::from_local_shards(parts, 0);
                assert_eq!(joined.shape(), [48 * devices]);
                assert_eq!(joined.to_vec::<i32>().expect("numbers")[48 * devices - 1], 47);
            });
        }
    }

    #[test]
    fn memory_of_no_device_of_the_session_is_refused() {
        let shard = lent(&numbers(), "cuda:7", 0, &[48], &[4], true);
        mesh(1).enter(|| {
            let error = Array::from_shared(&shard).0.ok().expect_err("elsewhere");
            assert_eq!((error.code(), error.numpy_class()), ("PX058", "BufferError"));
            assert!(error.to_string().contains("cuda:7"), "{error}");
            assert_eq!(Array::from_local_shards(vec![shard], 0).ok().unwrap_err().code(), "PX058");
        });
    }
}
