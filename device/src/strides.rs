//! Byte strides: the bytes that they reach, and those of items in C order.

/// Panics unless all items that the strides reach from an offset are inside `len` bytes. A box
/// without items always passes.
pub fn assert_in_bounds(
    len: usize,
    offset: isize,
    strides: &[isize],
    extents: &[usize],
    item: usize,
) {
    if extents.contains(&0) {
        return;
    }
    let (mut lowest, mut highest) = (offset, offset);
    for (&stride, &extent) in strides.iter().zip(extents) {
        let reach = stride * (extent as isize - 1);
        lowest += reach.min(0);
        highest += reach.max(0);
    }
    assert!(
        lowest >= 0 && highest + item as isize <= len as isize,
        "bug: bytes {lowest}..{} of a buffer of {len}",
        highest + item as isize
    );
}

/// Byte strides of a C-ordered box of items of `item` bytes.
pub fn contiguous(extents: &[usize], item: usize) -> Vec<isize> {
    let mut strides = vec![item as isize; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as isize;
    }
    strides
}
