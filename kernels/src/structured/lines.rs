//! The lines of a block along an axis, and work on them by the threads of a device.

use super::{Block, Plain, tasks};
use phalanx_device::Slice;
use std::ops::Range;

/// An axis of a block in C order: `outer` stretches of `extent` rows of `inner` elements. A line is
/// the elements at one position of a row, in all rows of a stretch.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub outer: usize,
    pub extent: usize,
    pub inner: usize,
}

impl Lines {
    pub(super) fn of(shape: &[usize], axis: u8) -> Lines {
        let axis = usize::from(axis);
        Lines {
            outer: shape[..axis].iter().product(),
            extent: shape[axis],
            inner: shape[axis + 1..].iter().product(),
        }
    }

    /// The position of an element.
    pub(super) fn at(self, outer: usize, row: usize, inner: usize) -> usize {
        (outer * self.extent + row) * self.inner + inner
    }

    /// The stretches of rows that are `width` elements wide at most.
    pub(super) fn tiles(self, width: usize) -> Tiles {
        let width = width.clamp(1, self.inner.max(1));
        Tiles { inner: self.inner, width, of_stretch: self.inner.div_ceil(width) }
    }

    /// Tiles of one or two cache lines of elements, small enough to copy (1 Mi elements).
    pub(super) fn tiles_of_lines(self, size: usize) -> Tiles {
        self.tiles(((1 << 20) / self.extent.max(1)).clamp(4, 128 / size))
    }
}

/// A division of the lines of each stretch into tiles of neighbouring lines.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    inner: usize,
    pub width: usize,
    of_stretch: usize,
}

impl Tiles {
    pub(super) fn count(self, lines: Lines) -> usize {
        lines.outer * self.of_stretch
    }

    /// The stretch and the positions in its rows of a tile.
    pub(super) fn get(self, tile: usize) -> (usize, Range<usize>) {
        let start = tile % self.of_stretch * self.width;
        (tile / self.of_stretch, start..self.inner.min(start + self.width))
    }
}

/// Elements that threads write to at different positions.
///
/// Conditions under which positions are read or written, to which `SAFETY` comments refer:
///
/// 1. The position is below the number of elements of the block.
/// 2. No other thread touches the position meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Places<T>(*mut T);

// SAFETY: plain elements may be touched from any thread; condition 2 orders the accesses.
unsafe impl<T: Send> Send for Places<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T: Plain> Places<T> {
    /// The elements of a block, after a check that they lie inside its buffer.
    pub(super) fn of(block: &Block<'_>) -> Places<T> {
        // SAFETY: the reference is dropped at once; users keep to conditions 1 and 2.
        Places(unsafe { block.elements_mut::<T>() }.as_mut_ptr())
    }

    /// The elements of a slice.
    pub(super) fn new(elements: &mut [T]) -> Places<T> {
        Places(elements.as_mut_ptr())
    }

    /// The address of a position.
    pub(super) fn at(self, place: usize) -> *mut T {
        self.0.wrapping_add(place)
    }
}

/// The bytes of a block that threads touch at different positions, under the conditions of
/// `Places`.
#[derive(Clone, Copy)]
pub(super) struct Bytes(*mut u8);

// SAFETY: plain bytes may be touched from any thread; condition 2 orders the accesses.
unsafe impl Send for Bytes {}
// SAFETY: as for `Send`.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// The bytes of a block, after a check that they lie inside its buffer.
    pub(super) fn of(block: &Block<'_>) -> Bytes {
        Bytes(block.memory().as_ptr())
    }

    /// The bytes of a slice in the host's memory.
    pub(super) fn of_slice(slice: &Slice) -> Bytes {
        Bytes(slice.as_ptr())
    }

    /// Bytes that are only read.
    pub(super) fn read_only(bytes: *const u8) -> Bytes {
        Bytes(bytes.cast_mut())
    }

    /// The bytes of a slice of words.
    pub(super) fn new(room: &mut [u128]) -> Bytes {
        Bytes(room.as_mut_ptr().cast())
    }

    /// The address of a byte.
    pub(super) fn at(self, byte: usize) -> *mut u8 {
        self.0.wrapping_add(byte)
    }
}

/// Calls `body` with ranges that cover `0..count`, on all threads of the pool. All ranges but the
/// last have at least `grain` items.
pub(super) fn each(
    pool: Option<&rayon::ThreadPool>,
    count: usize,
    grain: usize,
    body: impl Fn(Range<usize>) + Sync,
) {
    fn of_any(
        pool: Option<&rayon::ThreadPool>,
        count: usize,
        grain: usize,
        body: &(dyn Fn(Range<usize>) + Sync),
    ) {
        let threads = threads(pool);
        let grain = grain.max(1).max(count.div_ceil(8 * threads));
        if threads > 1 && count > grain {
            tasks::each(pool, count.div_ceil(grain), 1, &|piece| {
                body(piece * grain..count.min((piece + 1) * grain));
            });
        } else if count > 0 {
            body(0..count);
        }
    }
    of_any(pool, count, grain, &body);
}

/// The pools for work on `count` lines or tiles: one across the lines and one within a line. A few
/// long lines run one after the other on all threads each; other lines run on one thread each.
pub(super) fn share(
    pool: Option<&rayon::ThreadPool>,
    count: usize,
    extent: usize,
) -> (Option<&rayon::ThreadPool>, Option<&rayon::ThreadPool>) {
    let are_long = extent >= 1 << 16 && count < 2 * threads(pool);
    if are_long { (None, pool) } else { (pool, None) }
}

/// The number of threads of a pool.
pub(super) fn threads(pool: Option<&rayon::ThreadPool>) -> usize {
    pool.map_or(1, rayon::ThreadPool::current_num_threads)
}

/// The fewest elements for a thread.
pub(super) const GRAIN: usize = 1 << 14;

/// Copies the bytes of a block of equal shape and dtype, unless it is the same block.
pub(super) fn copy(from: &Block<'_>, to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    assert_eq!((to.shape, to.dtype), (from.shape, from.dtype), "bug: unlike blocks");
    if from.buffer.same(to.buffer) {
        return;
    }
    let bytes = to.len() * to.dtype.size();
    let (from, to) = (from.buffer.slice(0, bytes), to.buffer.slice(0, bytes));
    each(pool, bytes, GRAIN * 8, |part| {
        let (from, to) = (from.slice(part.start, part.len()), to.slice(part.start, part.len()));
        // SAFETY: parts lie inside different buffers and do not overlap; nothing else touches them
        // (condition 2 of `Buffer`).
        unsafe { to.bytes_mut().copy_from_slice(from.bytes()) };
    });
}
