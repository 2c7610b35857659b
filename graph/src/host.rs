//! Arrays in host memory: plain data in C order, as read from files and returned by `to_host`.

use crate::error::{Error, Failure, Site};
use phalanx_ops::error::OpError;
use phalanx_ops::memory::has_room;
use phalanx_ops::{AffineMap, DType, Element};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The host has too little memory for elements.
#[derive(Debug, thiserror::Error)]
#[error("the host has too little memory for {bytes} bytes of elements")]
pub struct HostMemory {
    /// The bytes that could not be had.
    pub bytes: usize,
}

impl Failure for HostMemory {
    fn code(&self) -> &'static str {
        "PX038"
    }
    fn hint(&self) -> &'static str {
        "read a part of the array, drop what is no longer needed, or give the process more memory"
    }
    fn numpy_class(&self) -> &'static str {
        "MemoryError"
    }
}

/// Refuses a copy of so many bytes if the host has too little memory. Call this before each large
/// allocation, because a failed allocation ends the process. Local.
///
/// Errors: `PX038`.
pub fn room_on_host(bytes: usize, site: Option<Site>) -> Result<(), Error> {
    if has_room(bytes) { Ok(()) } else { Err(Error::failure(HostMemory { bytes }, site)) }
}

/// An array in host memory: C order, native byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArray {
    /// The dtype of the elements.
    pub dtype: DType,
    /// The extents of the array.
    pub shape: Vec<usize>,
    /// `product(shape) * dtype.size()` bytes.
    pub bytes: Vec<u8>,
}

/// The data of one device of this process, in C order, for an array that processes join.
#[derive(Clone, Debug)]
pub struct LocalShard {
    /// The dtype of the elements.
    pub dtype: DType,
    /// The extents of the shard.
    pub shape: Vec<usize>,
    /// The elements.
    pub bytes: ShardBytes,
}

/// The elements of a shard.
#[derive(Clone)]
pub enum ShardBytes {
    /// Bytes that the array owns from now on.
    Own(Vec<u8>),
    /// Bytes that other code also owns. They are read in place, never written, and kept while a
    /// value needs them. A write by the other owner changes the array.
    Shared(Arc<dyn AsRef<[u8]> + Send + Sync>),
    /// Bytes in the memory of a device that other code also owns.
    OfDevice {
        /// The number of bytes.
        length: usize,
        /// The engine's description of the memory.
        memory: Arc<dyn Any + Send + Sync>,
    },
}

impl ShardBytes {
    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self {
            ShardBytes::Own(bytes) => bytes.len(),
            ShardBytes::Shared(owner) => (**owner).as_ref().len(),
            ShardBytes::OfDevice { length, .. } => *length,
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if the host can read them.
    pub fn on_host(&self) -> Option<&[u8]> {
        match self {
            ShardBytes::Own(bytes) => Some(bytes),
            ShardBytes::Shared(owner) => Some((**owner).as_ref()),
            ShardBytes::OfDevice { .. } => None,
        }
    }
}

impl fmt::Debug for ShardBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShardBytes({})", self.len())
    }
}

impl From<HostArray> for LocalShard {
    fn from(array: HostArray) -> LocalShard {
        let HostArray { dtype, shape, bytes } = array;
        LocalShard { dtype, shape, bytes: ShardBytes::Own(bytes) }
    }
}

impl LocalShard {
    /// Checks that the number of bytes matches the shape and the dtype.
    ///
    /// Errors: those of `HostArray::check`.
    pub fn check(&self) -> Result<(), OpError> {
        check(self.dtype, &self.shape, self.bytes.len())
    }
}

/// Checks that an array of this shape and dtype has so many bytes.
fn check(dtype: DType, shape: &[usize], bytes: usize) -> Result<(), OpError> {
    let item = dtype.size();
    phalanx_ops::shape::check(shape, item)?;
    if phalanx_ops::shape::size(shape) * item == bytes {
        return Ok(());
    }
    Err(OpError::DataLength { given: bytes / item, shape: shape.to_vec() })
}

impl HostArray {
    /// A host array with a copy of `data`, whose length is the product of `shape`.
    pub fn from_slice<T: Element>(data: &[T], shape: &[usize]) -> HostArray {
        HostArray { dtype: T::DTYPE, shape: shape.to_vec(), bytes: T::to_bytes(data) }
    }

    /// The elements in C order as `T`, converted as by `astype`. The array can be a shard that
    /// `Array::local_shards` returned. Local.
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        if self.dtype == T::DTYPE {
            return T::from_bytes(&self.bytes);
        }
        self.bytes
            .chunks_exact(self.dtype.size())
            .map(|bytes| phalanx_ops::Scalar::from_bytes(self.dtype, bytes).to_element())
            .collect()
    }

    /// A copy of the elements that the map reads.
    pub fn through(&self, map: &AffineMap) -> HostArray {
        let shape = map.shape.to_vec();
        let item = self.dtype.size();
        let mut bytes = Vec::with_capacity(shape.iter().product::<usize>() * item);
        let mut index = vec![0; shape.len()];
        for _ in 0..shape.iter().product() {
            let place = map
                .apply(&index)
                .iter()
                .zip(&self.shape)
                .fold(0, |at, (&i, extent)| at * extent + i as usize);
            bytes.extend_from_slice(&self.bytes[place * item..(place + 1) * item]);
            for axis in (0..shape.len()).rev() {
                index[axis] += 1;
                if index[axis] < shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        HostArray { dtype: self.dtype, shape, bytes }
    }

    /// The number of elements; `usize::MAX` if it overflows.
    pub fn size(&self) -> usize {
        if self.shape.contains(&0) {
            return 0;
        }
        self.shape.iter().fold(1, |size, &extent| size.saturating_mul(extent))
    }

    /// Checks that the number of bytes matches the shape and the dtype.
    ///
    /// Errors: `OpError::TooManyAxes`, `OpError::TooLarge`, `OpError::DataLength`.
    pub fn check(&self) -> Result<(), OpError> {
        check(self.dtype, &self.shape, self.bytes.len())
    }
}
