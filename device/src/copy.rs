//! Copies between buffers and to and from the host, checked against the buffers' bounds.
//!
//! The plan orders accesses to the bytes (condition 2 of `Buffer`); these functions check the rest.

use crate::compress::compress;
use crate::strides::contiguous;
use crate::{Buffer, DeviceError, Slice, Strided};
use std::ptr::NonNull;
use std::sync::Arc;

/// Copies a box of items of `item` bytes between two memory ranges, which must not overlap.
pub fn copy_strided(from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
    if extents.contains(&0) {
        return;
    }
    from.check(extents, item);
    to.check(extents, item);
    match (from.buffer.remote(), to.buffer.remote()) {
        (None, None) => copy_on_host(from, to, extents, item),
        (Some(remote), Some(target)) if Arc::ptr_eq(remote, target) => {
            remote.copy(from, to, extents, item);
        }
        _ => copy_through_host(from, to, extents, item),
    }
}

/// Copies bytes between slices of equal length, which must not overlap.
pub fn copy_slice(from: &Slice, to: &Slice) {
    let place = |slice: &Slice| slice.offset as isize;
    copy_strided(
        &Strided { buffer: &from.buffer, offset: place(from), strides: &[1] },
        &Strided { buffer: &to.buffer, offset: place(to), strides: &[1] },
        &[from.len],
        1,
    );
}

/// Copies bytes between slices of equal length and waits for the copy. On the host they may
/// overlap. No work in flight may touch either range.
///
/// Errors: those of the devices.
pub fn copy_settled(from: &Slice, to: &Slice) -> Result<(), DeviceError> {
    assert_eq!(from.len, to.len, "bug: copy between slices of different lengths");
    let (source, target) = (from.buffer.remote(), to.buffer.remote());
    if source.is_none() && target.is_none() {
        // SAFETY: both are valid for their length (condition 1 of `Buffer`) and nobody else touches
        // them (condition 2); `copy` allows overlap.
        unsafe { std::ptr::copy(from.as_ptr(), to.as_ptr(), from.len) };
        return Ok(());
    }
    if let Some(source) = source
        && let Some(copied) = source.copy_beside(from, to)
    {
        return copied;
    }
    copy_slice(from, to);
    if let Some(target) = target {
        target.device().synchronize();
    }
    Ok(())
}

/// Copies a box of items to host bytes: the first to `offset`, the others by the strides.
pub fn copy_to_host(
    from: &Strided<'_>,
    to: &mut [u8],
    offset: isize,
    strides: &[isize],
    extents: &[usize],
    item: usize,
) {
    let start = NonNull::from(&mut *to).cast();
    // SAFETY: the bytes are this function's alone until it returns, and no clone of the buffer
    // leaves it.
    let buffer = unsafe { Buffer::from_pool(start, to.len(), Arc::new(|_, _| {})) };
    copy_strided(from, &Strided { buffer: &buffer, offset, strides }, extents, item);
}

/// Copies a box of items from host bytes: the first from `offset`, the others by the strides.
pub fn copy_from_host(
    from: &[u8],
    offset: isize,
    strides: &[isize],
    to: &Strided<'_>,
    extents: &[usize],
    item: usize,
) {
    let start = NonNull::from(from).cast();
    // SAFETY: as in `copy_to_host`; the buffer is only read.
    let buffer = unsafe { Buffer::from_pool(start, from.len(), Arc::new(|_, _| {})) };
    copy_strided(&Strided { buffer: &buffer, offset, strides }, to, extents, item);
}

/// Copies between memories that cannot access each other: packed, through the host.
fn copy_through_host(from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
    let strides = contiguous(extents, item);
    let bytes = extents.iter().product::<usize>() * item;
    let is_packed = |place: &Strided<'_>| {
        let mut axes = place.strides.iter().zip(&strides).zip(extents);
        axes.all(|((own, packed), &extent)| own == packed || extent == 1)
    };
    let through = |middle: &Buffer| {
        let middle = Strided { buffer: middle, offset: 0, strides: &strides };
        copy_strided(from, &middle, extents, item);
        copy_strided(&middle, to, extents, item);
    };
    // A box that is not packed on a device is packed there first, in the device's own memory.
    let scattered = |place: &&Strided<'_>| place.buffer.remote().is_some() && !is_packed(place);
    let remote = [from, to].into_iter().find(scattered).and_then(|place| place.buffer.remote());
    if let Some(remote) = remote {
        match remote.device().allocate(bytes) {
            Ok(buffer) => through(&buffer),
            Err(error) => remote.device().fail(error),
        }
        return;
    }
    match (from.buffer.remote(), to.buffer.remote()) {
        (Some(_), None) if is_packed(to) => {
            let target = to.buffer.slice(to.offset as usize, bytes);
            // SAFETY: in bounds; nothing else touches them meanwhile (condition 2 of `Buffer`).
            from.buffer.read(from.offset as usize, unsafe { target.bytes_mut() });
        }
        (None, Some(_)) if is_packed(from) => {
            let source = from.buffer.slice(from.offset as usize, bytes);
            // SAFETY: in bounds; nothing writes them meanwhile (condition 2).
            to.buffer.write(to.offset as usize, unsafe { source.bytes() });
        }
        _ => through(&Buffer::from_vec(vec![0u8; bytes])),
    }
}

/// Copies within host memory.
fn copy_on_host(from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
    // Axes that are contiguous on both sides form one run.
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
        // every index of the box; nothing else touches them now (condition 2).
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
    /// Copies bytes of the buffer to the host. Panics if the range is out of bounds.
    #[inline]
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        let from = self.at(offset, bytes.len());
        match self.remote() {
            Some(remote) => remote.read(from.into(), bytes),
            // SAFETY: in bounds; nothing writes meanwhile (condition 2).
            None => bytes.copy_from_slice(unsafe { std::slice::from_raw_parts(from, bytes.len()) }),
        }
    }

    /// Copies host bytes into the buffer. Panics if the range is out of bounds.
    #[inline]
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let to = self.at(offset, bytes.len());
        match self.remote() {
            Some(remote) => remote.write(to.into(), bytes),
            // SAFETY: in bounds; nothing else touches them meanwhile (condition 2).
            None => unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) },
        }
    }

    /// Sets `len` bytes from `offset` to zero. Panics if the range is out of bounds.
    pub fn zero(&self, offset: usize, len: usize) {
        let slice = self.slice(offset, len);
        match self.remote() {
            Some(remote) => remote.zero(slice.device_pointer(), len),
            // SAFETY: in bounds; nothing else touches them meanwhile (condition 2).
            None => unsafe { slice.bytes_mut() }.fill(0),
        }
    }

    /// The bytes on the host: the buffer itself if the host can address it, otherwise a copy.
    pub fn on_host(&self) -> Buffer {
        if self.remote().is_none() {
            return self.clone();
        }
        let mut bytes = vec![0u8; self.len()];
        self.read(0, &mut bytes);
        Buffer::aligned(&bytes)
    }

    /// A copy of bytes in host memory that is aligned for every dtype.
    pub fn aligned(bytes: &[u8]) -> Buffer {
        let words = bytes.chunks(16).map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        });
        Buffer::from_vec(words.collect())
    }

    /// Fills the buffer from `host`, which `on_host` returned; does nothing if that is the buffer
    /// itself.
    pub fn update_from_host(&self, host: &Buffer) {
        if self.remote().is_some() {
            let slice: Slice = host.slice(0, self.len());
            // SAFETY: in bounds, and the copy is the caller's own.
            self.write(0, unsafe { slice.bytes() });
        }
    }

    /// Copies the items of `value` whose byte in `mask` is not zero to the front of this buffer.
    /// Returns their number.
    ///
    /// Errors: those of a GPU that lacks memory, fails or cannot load the kernel.
    pub fn compress_from(
        &self,
        value: &Buffer,
        mask: &Buffer,
        count: usize,
        item: usize,
        pool: Option<&rayon::ThreadPool>,
    ) -> Result<usize, DeviceError> {
        if let Some(remote) = self.remote() {
            let [value, mask] = [value.slice(0, count * item), mask.slice(0, count)];
            let [value, mask] = [value, mask].map(|slice| slice.device_pointer());
            let to = self.device_pointer();
            return remote.compress(value, mask, to, count, item);
        }
        let (value, mask) = (value.slice(0, count * item), mask.slice(0, count));
        let target = self.slice(0, (count * item).min(self.len()));
        // SAFETY: in bounds; nothing writes the sources or touches the target meanwhile (condition
        // 2).
        let (value, mask, target) = unsafe { (value.bytes(), mask.bytes(), target.bytes_mut()) };
        Ok(compress(value, mask, target, item, pool))
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
    fn boxes_of_bytes_of_the_host_are_copied() {
        let from: Vec<u8> = (0..12).collect();
        let middle = Buffer::from_vec(vec![0u8; 6]);
        // Columns 1 and 3 of a 3 × 4 matrix, and back into every second byte.
        let place = Strided { buffer: &middle, offset: 0, strides: &[2, 1] };
        copy_from_host(&from, 1, &[4, 2], &place, &[3, 2], 1);
        let mut to = [0; 12];
        copy_to_host(&place, &mut to, 0, &[4, 2], &[3, 2], 1);
        assert_eq!(to, [1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11, 0]);
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
