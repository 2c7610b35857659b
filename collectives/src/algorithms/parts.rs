//! The parts of a slice that belong to the members of a group, and the order of the members.

use crate::chunks::part_of;
use phalanx_device::Slice;

/// The other members, starting with the next, so that not all send to the same member at once.
pub(super) fn others(size: usize, rank: usize) -> impl DoubleEndedIterator<Item = usize> {
    (1..size).map(move |distance| (rank + distance) % size)
}

/// Member `index`'s part of a slice.
pub(super) fn of(data: &Slice, counts: &[usize], index: usize) -> Slice {
    let part = part_of(counts, index);
    data.slice(part.start, part.len())
}
