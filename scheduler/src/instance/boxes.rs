//! The position of boxes of values in memory.

use super::steps::{At, CopyBox, Memory};
use phalanx_ops::Bytes;
use smallvec::SmallVec;
use std::ops::Range;

/// A block of a value, in C order in memory.
pub(super) struct Stored<'a> {
    pub memory: Memory,
    pub block: &'a [Range<usize>],
    /// Bytes from one element to the next.
    pub item: usize,
    /// The byte offset of the first element.
    pub offset: usize,
}

impl<'a> Stored<'a> {
    /// A block that fills its memory.
    pub fn whole(memory: Memory, block: &'a [Range<usize>], item: usize) -> Stored<'a> {
        Stored { memory, block, item, offset: 0 }
    }

    fn at(&self, region: &[Range<usize>]) -> At {
        let strides = strides_of(self.block, self.item);
        let offset = self.offset as isize + offset_of(region, self.block, &strides);
        At { memory: self.memory, offset, strides }
    }
}

/// Byte strides of a C-ordered block.
pub(super) fn strides_of(block: &[Range<usize>], item: usize) -> SmallVec<[isize; 4]> {
    let mut strides: SmallVec<[isize; 4]> = smallvec::smallvec![0; block.len()];
    let mut stride = item as isize;
    for axis in (0..block.len()).rev() {
        strides[axis] = stride;
        stride *= block[axis].len() as isize;
    }
    strides
}

/// The bytes from the start of a block to the start of a box in it.
fn offset_of(region: &[Range<usize>], block: &[Range<usize>], strides: &[isize]) -> isize {
    let starts = region.iter().zip(block).map(|(r, b)| r.start as isize - b.start as isize);
    starts.zip(strides).map(|(at, stride)| at * stride).sum()
}

/// The copy of a box between two stored blocks; the target gives the size of an element.
pub(super) fn copy_box(from: &Stored<'_>, to: &Stored<'_>, region: &[Range<usize>]) -> CopyBox {
    CopyBox {
        from: from.at(region),
        to: to.at(region),
        extents: region.iter().map(Range::len).collect(),
        item: to.item,
    }
}

/// The byte offset of a box in a block; `None` unless the box is one run of bytes.
pub(super) fn contiguous(
    region: &[Range<usize>],
    block: &[Range<usize>],
    item: usize,
) -> Option<Bytes> {
    let mut whole = true;
    for (part, all) in region.iter().zip(block).rev() {
        if whole {
            whole = part == all;
        } else if part.len() != 1 {
            return None;
        }
    }
    Some(Bytes(offset_of(region, block, &strides_of(block, item)) as usize))
}
