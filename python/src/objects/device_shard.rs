//! The object of the part of an array on a GPU, which other libraries read in place. Its methods
//! are in `methods`.

use crate::session::gpus::{GPUS, on_device};
use phalanx::cuda::{CudaDevice, Device, DevicePointer, ForeignMemory, Reader, Stream};
use phalanx::{DType, LocalShard, MemoryOrder, ShardBytes, ShardMemory, strides_without_gaps};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Elements of an array in the memory of a GPU, in C order.
///
/// Libraries that support DLPack or the CUDA Array Interface read them without a copy. Later
/// changes of the array do not change them. Write them only inside a block
/// ``with x.local_view() as shards:``.
#[pyclass(name = "DeviceShard", module = "phalanx", frozen, weakref)]
pub struct DeviceShard {
    /// The device.
    pub device: Arc<CudaDevice>,
    /// The number of the device in this process.
    pub number: usize,
    /// The dtype of the elements.
    pub dtype: DType,
    /// The reader by the CUDA Array Interface, whose stream is unknown. Dropped before the memory.
    pub reader: OnceLock<Reader>,
    /// The memory of the elements.
    pub memory: ShardMemory,
    /// See [`DeviceShard::is_read_only`].
    pub is_read_only: AtomicBool,
}

impl DeviceShard {
    /// The memory of a shard on a device of this process.
    pub fn new(
        number: usize,
        memory: ShardMemory,
        dtype: DType,
        is_read_only: bool,
    ) -> PyResult<DeviceShard> {
        let (device, reader) = (on_device(number)?, OnceLock::new());
        let is_read_only = AtomicBool::new(is_read_only);
        Ok(DeviceShard { device, number, dtype, reader, memory, is_read_only })
    }

    /// Whether other libraries must not write the elements.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only.load(Ordering::Relaxed)
    }

    /// The steps along the axes in bytes.
    pub fn strides(&self) -> Vec<isize> {
        strides_without_gaps(&self.memory.shape, self.dtype.size(), MemoryOrder::C)
    }

    /// The memory in the form in which another array, or this one again, receives it.
    pub fn lent(&self, is_lasting: bool) -> ForeignMemory {
        let strides = self.strides();
        one_order(&self.device);
        let name = self.memory.device.clone();
        let pointer = DevicePointer::from_address(self.memory.address as u64);
        let owner = Arc::new(self.memory.clone());
        let (shape, item) = (&self.memory.shape, self.dtype.size());
        // SAFETY: the owner keeps the memory alive. The end of the block that lends the memory for
        // writing waits for the writers.
        unsafe { ForeignMemory::new(name, pointer, shape, &strides, item, is_lasting, owner) }
    }

    /// The elements as a part of an array, which reads them in place if they last, and else copies
    /// them.
    pub fn shard(&self, is_lasting: bool) -> LocalShard {
        let shape = self.memory.shape.clone();
        let length = shape.iter().product::<usize>() * self.dtype.size();
        let memory = Arc::new(self.lent(is_lasting));
        LocalShard { dtype: self.dtype, shape, bytes: ShardBytes::OfDevice { length, memory } }
    }
}

/// Orders the work of a device before later work of the process's other devices on the same GPU.
/// Each device has a stream of its own, and it is not known here which device will read the memory.
pub fn one_order(device: &Arc<CudaDevice>) {
    let gpus = GPUS.all();
    let same = gpus.iter().filter(|gpu| gpu.ordinal() == device.ordinal());
    for other in same.filter(|other| !Arc::ptr_eq(other, device)) {
        if let Err(error) = Stream::of_work(device.context()).precede(other.context()) {
            other.fail(error);
        }
    }
}
