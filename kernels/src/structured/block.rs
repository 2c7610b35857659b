//! Blocks: the memory that routines read and write.

use phalanx_device::{Buffer, Slice};
use phalanx_ops::DType;

/// A device's block of a value: all of it, in C order from the start of a buffer.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// The memory.
    pub buffer: &'a Buffer,
    /// The dtype of the elements.
    pub dtype: DType,
    /// The extents of the block.
    pub shape: &'a [usize],
    /// The index of its first element in the whole value.
    pub origin: &'a [usize],
}

/// A type of plain bytes: every bit pattern is a valid value.
pub trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($type:ty),*) => { $(impl Plain for $type {})* };
}
plain!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
plain!(half::f16, half::bf16, num_complex::Complex32, num_complex::Complex64);

impl Block<'_> {
    /// How many elements the block has.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the block has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The memory of the elements.
    pub fn memory(&self) -> Slice {
        self.buffer.slice(0, self.len() * self.dtype.size())
    }

    /// The elements. `T` has the size of the dtype (bools are `u8`).
    ///
    /// # Safety
    /// Condition 2 of `Buffer`: nothing writes the block while the reference lives.
    pub unsafe fn elements<T: Plain>(&self) -> &[T] {
        if self.is_empty() {
            return &[];
        }
        self.check::<T>();
        // SAFETY: `check` saw that the allocation has this many aligned elements (condition 1 of
        // `Buffer`), any bytes are a `T`, and nothing writes them (the caller's promise).
        unsafe { std::slice::from_raw_parts(self.buffer.as_ptr().cast(), self.len()) }
    }

    /// The elements as bytes.
    ///
    /// # Safety
    /// As `elements`.
    pub(super) unsafe fn bytes(&self) -> &[u8] {
        let bytes = self.len() * self.dtype.size();
        assert!(bytes <= self.buffer.len(), "bug: a block beyond its buffer");
        // SAFETY: the allocation has this many bytes (condition 1 of `Buffer`), and nothing writes
        // them (the caller's promise).
        unsafe { std::slice::from_raw_parts(self.buffer.as_ptr(), bytes) }
    }

    /// The elements as bytes, for writing.
    ///
    /// # Safety
    /// As `elements_mut`.
    #[allow(clippy::mut_from_ref, reason = "exclusive access is the caller's promise")]
    pub(super) unsafe fn bytes_mut(&self) -> &mut [u8] {
        let bytes = self.len() * self.dtype.size();
        assert!(bytes <= self.buffer.len(), "bug: a block beyond its buffer");
        // SAFETY: the allocation has this many bytes (condition 1 of `Buffer`); exclusive (the
        // caller's promise).
        unsafe { std::slice::from_raw_parts_mut(self.buffer.as_ptr(), bytes) }
    }

    /// The elements, for writing.
    ///
    /// # Safety
    /// Condition 2 of `Buffer`: nothing else reads or writes the block while the reference lives.
    #[allow(clippy::mut_from_ref, reason = "exclusive access is the caller's promise")]
    pub unsafe fn elements_mut<T: Plain>(&self) -> &mut [T] {
        if self.is_empty() {
            return &mut [];
        }
        self.check::<T>();
        // SAFETY: as `elements`; exclusive (the caller's promise).
        unsafe { std::slice::from_raw_parts_mut(self.buffer.as_ptr().cast(), self.len()) }
    }

    /// Some of the elements, for writing.
    ///
    /// # Safety
    /// Condition 2 of `Buffer`: nothing else reads or writes these elements while the reference
    /// lives.
    #[allow(clippy::mut_from_ref, reason = "exclusive access is the caller's promise")]
    pub(super) unsafe fn part_mut<T: Plain>(&self, start: usize, len: usize) -> &mut [T] {
        self.check::<T>();
        assert!(start + len <= self.len(), "bug: a part outside of its block");
        // SAFETY: `check` saw that the allocation has the block's aligned elements (condition 1 of
        // `Buffer`), any bytes are a `T`; exclusive (the caller's promise).
        unsafe {
            let first = self.buffer.as_ptr().cast::<T>().add(start);
            std::slice::from_raw_parts_mut(first, len)
        }
    }

    /// Copies the elements of a block of equal shape and dtype.
    pub(super) fn copy_from(&self, from: &Block<'_>) {
        let bytes = self.len() * self.dtype.size();
        assert_eq!((self.shape, self.dtype), (from.shape, from.dtype), "bug: unlike blocks");
        let (from, to) = (from.buffer.slice(0, bytes), self.buffer.slice(0, bytes));
        // SAFETY: both lie inside their buffers; nothing else writes them (condition 2 of
        // `Buffer`), and the blocks are of different buffers.
        unsafe { to.bytes_mut().copy_from_slice(from.bytes()) };
    }

    fn check<T>(&self) {
        assert_eq!(size_of::<T>(), self.dtype.size(), "bug: elements of {} as others", self.dtype);
        assert!(
            self.len() * size_of::<T>() <= self.buffer.len()
                && self.buffer.as_ptr().cast::<T>().is_aligned(),
            "bug: a block of {:?} {} in {:?}",
            self.shape,
            self.dtype,
            self.buffer
        );
    }
}
