//! Copies between buffers and to and from the host, checked against the buffers' bounds.
//!
//! Who may touch the bytes when is the plan's promise (condition 2 of `Buffer`); these functions
//! check the rest.

use crate::Buffer;

/// A box of items inside a buffer.
#[derive(Clone, Debug)]
pub struct Strided<'a> {
    /// The buffer.
    pub buffer: &'a Buffer,
    /// The byte at which the first item lies.
    pub offset: isize,
    /// The byte stride of each axis.
    pub strides: &'a [isize],
}

impl Strided<'_> {
    /// Panics unless all items of a box with these extents lie inside the buffer.
    fn check(&self, extents: &[usize], item: usize) {
        assert_in_bounds(self.buffer.len(), self.offset, self.strides, extents, item);
    }
}

/// Panics unless all items that strides reach from an offset lie inside `len` bytes; no item needs
/// no bytes.
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

/// Copies a box of items of `item` bytes from one place to another. The places must not overlap.
pub fn copy_strided(from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
    if extents.contains(&0) {
        return;
    }
    from.check(extents, item);
    to.check(extents, item);
    // Axes that are contiguous on both sides are copied at once.
    let mut run = item;
    let mut outer = extents.len();
    while outer > 0
        && (extents[outer - 1] == 1
            || (from.strides[outer - 1] == run as isize && to.strides[outer - 1] == run as isize))
    {
        run *= extents[outer - 1];
        outer -= 1;
    }
    let mut index = vec![0usize; outer];
    let (mut source, mut target) = (from.offset, to.offset);
    loop {
        // SAFETY: `check` proved both ranges inside their buffers (condition 1 of `Buffer`), for
        // every index of the box; nobody else touches them now (condition 2).
        unsafe {
            std::ptr::copy_nonoverlapping(
                from.buffer.as_ptr().offset(source),
                to.buffer.as_ptr().offset(target),
                run,
            );
        }
        let mut axis = outer;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            source += from.strides[axis];
            target += to.strides[axis];
            if index[axis] < extents[axis] {
                break;
            }
            source -= from.strides[axis] * extents[axis] as isize;
            target -= to.strides[axis] * extents[axis] as isize;
            index[axis] = 0;
        }
    }
}

impl Buffer {
    /// Copies bytes of the buffer to the host. Panics if they lie outside of it.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        let slice = self.slice(offset, bytes.len());
        // SAFETY: in bounds; nobody writes meanwhile (condition 2).
        bytes.copy_from_slice(unsafe { slice.bytes() });
    }

    /// Copies bytes of the host into the buffer. Panics if they lie outside of it.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let slice = self.slice(offset, bytes.len());
        // SAFETY: in bounds; nobody else touches them meanwhile (condition 2).
        unsafe { slice.bytes_mut() }.copy_from_slice(bytes);
    }

    /// Sets `len` bytes from `offset` to zero. Panics if they lie outside of the buffer.
    pub fn zero(&self, offset: usize, len: usize) {
        let slice = self.slice(offset, len);
        // SAFETY: in bounds; nobody else touches them meanwhile (condition 2).
        unsafe { slice.bytes_mut() }.fill(0);
    }

    /// Copies the items of `value` whose byte in `mask` is not zero to the front of this buffer;
    /// returns their number.
    pub fn compress_from(&self, value: &Buffer, mask: &Buffer, count: usize, item: usize) -> usize {
        let (value, mask) = (value.slice(0, count * item), mask.slice(0, count));
        let target = self.slice(0, (count * item).min(self.len()));
        // SAFETY: in bounds; nobody writes the sources or touches the target meanwhile (condition
        // 2).
        let (value, mask, target) = unsafe { (value.bytes(), mask.bytes(), target.bytes_mut()) };
        let mut kept = 0;
        for (position, &holds) in mask.iter().enumerate() {
            if holds != 0 {
                target[kept * item..][..item].copy_from_slice(&value[position * item..][..item]);
                kept += 1;
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_copied_with_any_strides() {
        let from = Buffer::from_vec((0u8..24).collect::<Vec<_>>());
        let to = Buffer::from_vec(vec![255u8; 8]);
        // Rows 1 and 3 of a 4 × 6 matrix, columns 4, 2 and 0, into a 2 × 4 one.
        copy_strided(
            &Strided { buffer: &from, offset: 10, strides: &[12, -2] },
            &Strided { buffer: &to, offset: 0, strides: &[4, 1] },
            &[2, 3],
            1,
        );
        let mut bytes = [0; 8];
        to.read(0, &mut bytes);
        assert_eq!(bytes, [10, 8, 6, 255, 22, 20, 18, 255]);
    }

    #[test]
    #[should_panic(expected = "bug: bytes")]
    fn a_box_outside_of_its_buffer_panics() {
        let from = Buffer::from_vec(vec![0u8; 8]);
        let to = Buffer::from_vec(vec![0u8; 8]);
        let of = |buffer| Strided { buffer, offset: 0, strides: &[5, 1] };
        copy_strided(&of(&from), &of(&to), &[2, 4], 1);
    }
}
