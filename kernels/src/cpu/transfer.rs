//! Moving elements between strided memory and contiguous registers.

#[cfg(target_arch = "x86_64")]
use phalanx_device::instructions::Level;

/// Copies `count` elements of `size` bytes from `source`, `stride` bytes apart, to contiguous
/// memory.
///
/// # Safety
/// Every element read is valid and aligned to `min(size, 8)`; `target` holds `count` elements and
/// does not overlap.
pub(super) unsafe fn gather(
    size: usize,
    source: *const u8,
    stride: isize,
    target: *mut u8,
    count: usize,
) {
    // SAFETY: the caller's promise, for the one type of this size.
    unsafe {
        match size {
            1 => gather_as::<u8>(source, stride, target, count),
            2 => gather_as::<u16>(source, stride, target, count),
            4 => gather_as::<u32>(source, stride, target, count),
            8 => gather_as::<u64>(source, stride, target, count),
            16 => gather_as::<[u64; 2]>(source, stride, target, count),
            _ => panic!("bug: no element has {size} bytes"),
        }
    }
}

unsafe fn gather_as<T: Copy>(source: *const u8, stride: isize, target: *mut u8, count: usize) {
    let size = size_of::<T>() as isize;
    let target = target.cast::<T>();
    // SAFETY: the caller of `gather` promises valid, aligned elements on both sides.
    unsafe {
        if stride == size && count >= 16 {
            std::ptr::copy_nonoverlapping(source.cast::<T>(), target, count);
        } else if stride == 0 {
            if count > 0 {
                let value = source.cast::<T>().read();
                std::slice::from_raw_parts_mut(target, count).fill(value);
            }
        } else if stride == -size {
            let source = source.cast::<T>();
            for at in 0..count {
                target.add(at).write(source.sub(at).read());
            }
        } else {
            for at in 0..count {
                target.add(at).write(source.offset(at as isize * stride).cast::<T>().read());
            }
        }
    }
}

/// Repeats elements of `size` bytes: for each run, the element at this offset from `source` so many
/// times.
///
/// # Safety
/// Every element read is valid and aligned to `min(size, 8)`; `target` holds all runs and does not
/// overlap.
pub(super) unsafe fn repeat(
    size: usize,
    source: *const u8,
    runs: impl Iterator<Item = (isize, usize)>,
    target: *mut u8,
) {
    // SAFETY: the caller's promise, for the one type of this size.
    unsafe {
        match size {
            1 => repeat_as::<u8>(source, runs, target),
            2 => repeat_as::<u16>(source, runs, target),
            4 => repeat_as::<u32>(source, runs, target),
            8 => repeat_as::<u64>(source, runs, target),
            16 => repeat_as::<[u64; 2]>(source, runs, target),
            _ => panic!("bug: no element has {size} bytes"),
        }
    }
}

unsafe fn repeat_as<T: Copy>(
    source: *const u8,
    runs: impl Iterator<Item = (isize, usize)>,
    target: *mut u8,
) {
    let mut target = target.cast::<T>();
    for (offset, count) in runs {
        // SAFETY: the caller of `repeat` promises valid, aligned elements on both sides.
        unsafe {
            let element = source.offset(offset).cast::<T>().read();
            for at in 0..count {
                target.add(at).write(element);
            }
            target = target.add(count);
        }
    }
}

/// Copies one element of `size` bytes.
///
/// # Safety
/// Both sides are valid and aligned to `min(size, 8)`.
pub(super) unsafe fn element(size: usize, source: *const u8, target: *mut u8) {
    // SAFETY: the caller's promise, for the one type of this size.
    unsafe {
        match size {
            1 => target.write(source.read()),
            2 => target.cast::<u16>().write(source.cast::<u16>().read()),
            4 => target.cast::<u32>().write(source.cast::<u32>().read()),
            8 => target.cast::<u64>().write(source.cast::<u64>().read()),
            16 => target.cast::<[u64; 2]>().write(source.cast::<[u64; 2]>().read()),
            _ => panic!("bug: no element has {size} bytes"),
        }
    }
}

/// Copies `count` contiguous elements of `size` bytes to `target`, `stride` bytes apart.
///
/// # Safety
/// Every element written is valid and aligned to `min(size, 8)`; `source` holds `count` elements.
/// An element written does not overlap an element still to be read, except its own source.
pub(super) unsafe fn scatter(
    size: usize,
    source: *const u8,
    target: *mut u8,
    stride: isize,
    count: usize,
) {
    // SAFETY: the caller's promise, for the one type of this size.
    unsafe {
        match size {
            1 => scatter_as::<u8>(source, target, stride, count),
            2 => scatter_as::<u16>(source, target, stride, count),
            4 => scatter_as::<u32>(source, target, stride, count),
            8 => scatter_as::<u64>(source, target, stride, count),
            16 => scatter_as::<[u64; 2]>(source, target, stride, count),
            _ => panic!("bug: no element has {size} bytes"),
        }
    }
}

unsafe fn scatter_as<T: Copy>(source: *const u8, target: *mut u8, stride: isize, count: usize) {
    let size = size_of::<T>() as isize;
    let source = source.cast::<T>();
    // SAFETY: the caller of `scatter` promises valid, aligned elements on both sides. A contiguous
    // copy may be onto itself, which `copy` allows.
    unsafe {
        if stride == size && count >= 16 {
            std::ptr::copy(source, target.cast::<T>(), count);
        } else {
            for at in 0..count {
                target.offset(at as isize * stride).cast::<T>().write(source.add(at).read());
            }
        }
    }
}

/// Copies `count` elements of `size` bytes between strided positions.
///
/// # Safety
/// Every element is valid and aligned to `min(size, 8)`; no element written is one that is read.
pub(super) unsafe fn strided(
    size: usize,
    source: *const u8,
    source_stride: isize,
    target: *mut u8,
    target_stride: isize,
    count: usize,
) {
    macro_rules! copy {
        ($type:ty) => {
            for at in 0..count as isize {
                // SAFETY: the caller's promise, for the one type of this size.
                unsafe {
                    let element = source.offset(at * source_stride).cast::<$type>().read();
                    target.offset(at * target_stride).cast::<$type>().write(element);
                }
            }
        };
    }
    match size {
        1 => copy!(u8),
        2 => copy!(u16),
        4 => copy!(u32),
        8 => copy!(u64),
        16 => copy!([u64; 2]),
        _ => panic!("bug: no element has {size} bytes"),
    }
}

/// Whether `stream` may be used: AVX-512 stores whole lines; smaller stores past caches are slow.
pub(super) fn can_stream() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Level::current() == Level::Avx512;
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Copies contiguous memory past the caches, for results larger than the caches: the written memory
/// is not read first. Call `fence` before another thread may read it.
///
/// # Safety
/// Both sides are valid for `bytes` bytes and do not overlap; `can_stream` is true.
pub(super) unsafe fn stream(source: *const u8, target: *mut u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the caller's promise.
    unsafe {
        stream_lines(source, target, bytes);
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(source, target, bytes);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn stream_lines(source: *const u8, target: *mut u8, bytes: usize) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_stream_si512};
    const LINE: usize = 64;
    let head = target.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    // SAFETY: the caller's promise; lines of the target are aligned.
    unsafe {
        std::ptr::copy_nonoverlapping(source, target, head);
        for at in (head..head + lines * LINE).step_by(LINE) {
            let line = _mm512_loadu_si512(source.add(at).cast());
            _mm512_stream_si512(target.add(at).cast(), line);
        }
        let done = head + lines * LINE;
        std::ptr::copy_nonoverlapping(source.add(done), target.add(done), bytes - done);
    }
}

/// Fetches the cache line of an address, which need not be valid, to the second-level cache.
#[inline(always)]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, which ignores addresses that are not
    // mapped.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Fetches `bytes` from an address on, which need not be valid.
pub(super) fn prefetch_all(address: *const u8, bytes: usize) {
    for line in (0..bytes).step_by(64) {
        prefetch(address.wrapping_add(line));
    }
}

/// Makes this thread's streamed stores visible to threads that synchronize with it later.
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
