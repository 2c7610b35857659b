//! Buffers: counted handles to device memory.

use crate::strides::assert_in_bounds;
use crate::{Device, DeviceError, DevicePointer};
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

/// A counted handle to one allocation of a device.
///
/// Conditions that code using `as_ptr` relies on:
/// 1. The pointer is valid for `len` bytes while any clone lives (lifetime: the buffer).
/// 2. Steps of one device run in plan order, and a step that writes bytes is ordered before and
///    after every other step that touches them (order and aliasing: the plan).
#[derive(Clone)]
pub struct Buffer(Arc<Allocation>);

struct Allocation {
    pointer: NonNull<u8>,
    len: usize,
    /// The owner that accesses the bytes, if the host cannot address them.
    remote: Option<Arc<dyn Remote>>,
    release: Release,
}

/// Memory that the host cannot address. Its owner reads and writes it, in the order of the device's
/// work. Addresses are those of `Slice::device_pointer`, and the bytes must be inside a buffer.
///
/// A failure is kept by the device (`Device::failure`).
pub trait Remote: Send + Sync {
    /// Copies bytes to the host, after earlier work is done.
    fn read(&self, address: DevicePointer, bytes: &mut [u8]);
    /// Copies bytes from the host; the caller may change them after this returns.
    fn write(&self, address: DevicePointer, bytes: &[u8]);
    /// Sets bytes to zero.
    fn zero(&self, address: DevicePointer, len: usize);
    /// Copies a box of items of `item` bytes between two buffers of this memory.
    fn copy(&self, from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize);
    /// Copies the items of `item` bytes at `value` whose byte at `mask` is not zero to consecutive
    /// positions at `to`. Waits for their number and returns it.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`, and those of compiling a kernel.
    fn compress(
        &self,
        value: DevicePointer,
        mask: DevicePointer,
        to: DevicePointer,
        count: usize,
        item: usize,
    ) -> Result<usize, DeviceError>;
    /// Copies bytes from a slice of this memory to one of equal length elsewhere, beside the work
    /// of both devices, and waits for the copy. No work in flight may touch either range.
    /// `None` if there is no such way between the two.
    ///
    /// Errors: those of the devices.
    fn copy_beside(&self, _from: &Slice, _to: &Slice) -> Option<Result<(), DeviceError>> {
        None
    }
    /// The device.
    fn device(&self) -> Arc<dyn Device>;
}

/// The owner of the memory of buffers.
pub trait Pool: Send + Sync {
    /// Takes back the memory of a buffer: its address and length.
    fn release(&self, pointer: NonNull<u8>, len: usize);
}

impl<F: Fn(NonNull<u8>, usize) + Send + Sync> Pool for F {
    fn release(&self, pointer: NonNull<u8>, len: usize) {
        self(pointer, len);
    }
}

enum Release {
    /// Memory of a pool.
    Pool(Arc<dyn Pool>),
    /// Memory owned elsewhere, kept alive by the box.
    Owner(#[allow(dead_code, reason = "held for its Drop")] Box<dyn std::any::Any + Send + Sync>),
    /// A part of another buffer, from an offset.
    Part(Buffer, usize),
    /// No memory at all.
    Nothing,
}

// SAFETY: the pointer is to plain bytes without thread affinity; conditions 1 and 2 of `Buffer`
// order accesses.
unsafe impl Send for Allocation {}
// SAFETY: as for `Send`; no method of `Buffer` reads or writes the bytes without an `unsafe`
// promise of condition 2.
unsafe impl Sync for Allocation {}

impl Buffer {
    /// A buffer over memory that `pool` takes back when the last clone is dropped.
    /// # Safety
    /// `pointer` is valid for reads and writes of `len` bytes until `pool` takes it back.
    pub unsafe fn from_pool(pointer: NonNull<u8>, len: usize, pool: Arc<dyn Pool>) -> Buffer {
        let release = Release::Pool(pool);
        Buffer(Arc::new(Allocation { pointer, len, remote: None, release }))
    }

    /// A buffer over memory that the host cannot address; `release` frees it when the last clone is
    /// dropped.
    ///
    /// # Safety
    /// `remote` may read and write `len` bytes from `address` until `release` is called with it.
    pub unsafe fn from_remote(
        address: DevicePointer,
        len: usize,
        remote: Arc<dyn Remote>,
        release: impl Fn(DevicePointer) + Send + Sync + 'static,
    ) -> Buffer {
        let pointer = NonNull::new(address.as_ptr()).unwrap_or(NonNull::dangling());
        let release = Release::Pool(Arc::new(move |_, _| release(address)));
        Buffer(Arc::new(Allocation { pointer, len, remote: Some(remote), release }))
    }

    /// A buffer that adopts host memory without copying it.
    pub fn from_vec<T: Copy + Send + Sync + 'static>(mut data: Vec<T>) -> Buffer {
        let len = std::mem::size_of_val(data.as_slice());
        let pointer = NonNull::new(data.as_mut_ptr().cast()).unwrap_or(NonNull::dangling());
        let release = Release::Owner(Box::new(data));
        Buffer(Arc::new(Allocation { pointer, len, remote: None, release }))
    }

    /// A buffer over `len` bytes from `offset` of memory that others share. It is never written:
    /// the plan ensures that, condition 2.
    pub fn from_shared(
        owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
        offset: usize,
        len: usize,
    ) -> Buffer {
        let bytes = &(*owner).as_ref()[offset..offset + len];
        let pointer = NonNull::new(bytes.as_ptr().cast_mut()).unwrap_or(NonNull::dangling());
        Buffer(Arc::new(Allocation {
            pointer,
            len,
            remote: None,
            release: Release::Owner(Box::new(owner)),
        }))
    }

    /// A buffer that has a size but no memory (null devices); its pointer must not be dereferenced.
    pub fn without_memory(len: usize) -> Buffer {
        Buffer(Arc::new(Allocation {
            pointer: NonNull::dangling(),
            len,
            remote: None,
            release: Release::Nothing,
        }))
    }

    /// A buffer over a part of this one, which lives as long.
    pub fn part(&self, bytes: Range<usize>) -> Buffer {
        let pointer =
            NonNull::new(self.at(bytes.start, bytes.len())).unwrap_or(NonNull::dangling());
        let (len, remote) = (bytes.len(), self.0.remote.clone());
        let release = Release::Part(self.clone(), bytes.start);
        Buffer(Arc::new(Allocation { pointer, len, remote, release }))
    }

    /// The size of the allocation in bytes.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether the allocation has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// The address of the first byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.pointer.as_ptr()
    }

    /// The address of the first byte in its device's memory.
    pub fn device_pointer(&self) -> DevicePointer {
        self.as_ptr().into()
    }

    /// The owner that accesses the bytes, if the host cannot address them.
    pub fn remote(&self) -> Option<&Arc<dyn Remote>> {
        self.0.remote.as_ref()
    }

    /// Whether this is the only handle.
    pub fn is_unique(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether both are handles to the same allocation, or the same part of one.
    pub fn same(&self, other: &Buffer) -> bool {
        let are_parts = || match (&self.0.release, &other.0.release) {
            (Release::Part(one, start), Release::Part(another, from)) => {
                one.same(another) && start == from && self.len() == other.len()
            }
            _ => false,
        };
        Arc::ptr_eq(&self.0, &other.0) || are_parts()
    }

    /// The whole buffer as a slice.
    pub fn whole(&self) -> Slice {
        Slice { buffer: self.clone(), offset: 0, len: self.len() }
    }

    /// `len` bytes from `offset`.
    pub fn slice(&self, offset: usize, len: usize) -> Slice {
        self.at(offset, len);
        Slice { buffer: self.clone(), offset, len }
    }

    /// The address of the byte at `offset`, after a check that `len` bytes follow.
    #[inline]
    pub(crate) fn at(&self, offset: usize, len: usize) -> *mut u8 {
        let end = offset.checked_add(len);
        assert!(
            end.is_some_and(|end| end <= self.len()),
            "bug: slice {offset}+{len} of a buffer of {} bytes",
            self.len()
        );
        self.as_ptr().wrapping_add(offset)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Release::Pool(pool) = &self.release {
            pool.release(self.pointer, self.len);
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

/// A range of bytes of a buffer.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The buffer.
    pub buffer: Buffer,
    /// The offset of the first byte.
    pub offset: usize,
    /// The number of bytes.
    pub len: usize,
}

impl Slice {
    /// The address of the first byte.
    pub fn as_ptr(&self) -> *mut u8 {
        // SAFETY: `offset + len <= buffer.len()` was checked when the slice was made, so the result
        // stays inside the allocation (condition 1 of `Buffer`).
        unsafe { self.buffer.as_ptr().add(self.offset) }
    }

    /// The address of the first byte in its device's memory.
    pub fn device_pointer(&self) -> DevicePointer {
        self.as_ptr().into()
    }

    /// The bytes, for reading. Panics (`bug:`) if the host cannot address them.
    ///
    /// # Safety
    /// Condition 2 of `Buffer`: nothing writes these bytes while the reference lives.
    pub unsafe fn bytes(&self) -> &[u8] {
        assert!(self.buffer.remote().is_none(), "bug: the host cannot address these bytes");
        // SAFETY: in bounds and alive (condition 1); not written meanwhile (the caller's promise).
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len) }
    }

    /// The bytes, for writing.
    ///
    /// # Safety
    /// Condition 2 of `Buffer`: nothing else reads or writes these bytes while the reference lives.
    #[allow(
        clippy::mut_from_ref,
        reason = "exclusive access is the caller's promise, ordered by the plan"
    )]
    pub unsafe fn bytes_mut(&self) -> &mut [u8] {
        assert!(self.buffer.remote().is_none(), "bug: the host cannot address these bytes");
        // SAFETY: in bounds and alive (condition 1); exclusive (the caller's promise).
        unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.len) }
    }

    /// `len` bytes from `offset` of this slice.
    pub fn slice(&self, offset: usize, len: usize) -> Slice {
        assert!(offset + len <= self.len, "bug: slice {offset}+{len} of {} bytes", self.len);
        Slice { buffer: self.buffer.clone(), offset: self.offset + offset, len }
    }
}

/// A box of items inside a buffer.
#[derive(Clone, Debug)]
pub struct Strided<'a> {
    /// The buffer.
    pub buffer: &'a Buffer,
    /// The byte offset of the first item.
    pub offset: isize,
    /// The byte stride of each axis.
    pub strides: &'a [isize],
}

impl Strided<'_> {
    /// Panics unless all items of a box with these extents are inside the buffer.
    pub(crate) fn check(&self, extents: &[usize], item: usize) {
        assert_in_bounds(self.buffer.len(), self.offset, self.strides, extents, item);
    }
}
