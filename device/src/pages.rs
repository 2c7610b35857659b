//! Host memory of the system, in large pages if it is large.
//!
//! A processor caches the addresses of about a thousand pages. A loop over a large array in pages
//! of 4 KiB looks up a page that is not cached every few hundred elements, which halves the
//! memory's speed, most of all in a virtual machine. Linux gives pages of 2 MiB to an aligned
//! range if the program advises it to (Linux's documentation of transparent huge pages).

use crate::DeviceError;
use phalanx_ops::memory::has_some_left;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// Bytes of a large page, on every processor that we know to have them.
const LARGE_PAGE: usize = 2 << 20;
/// From this size on, memory is in large pages.
const IN_LARGE_PAGES: usize = 2 * LARGE_PAGE;
/// From this size on, an allocation checks that the system has memory left.
const CHECKED: usize = 1 << 20;

/// The layout of every allocation of this many bytes.
fn layout(bytes: usize) -> Result<Layout, DeviceError> {
    let alignment = if bytes >= IN_LARGE_PAGES { LARGE_PAGE } else { 64 };
    Layout::from_size_align(bytes.max(64), alignment).map_err(|_| DeviceError::OutOfMemory {
        device: String::from("host"),
        requested: bytes,
        in_use: 0,
        limit: None,
    })
}

/// Memory from the system; `None` if it refuses, or if too little would be left. The bytes are
/// arbitrary.
///
/// Errors: `DeviceError::OutOfMemory` if no address space has so many bytes.
pub(crate) fn allocate(bytes: usize) -> Result<Option<NonNull<u8>>, DeviceError> {
    let layout = layout(bytes)?;
    // SAFETY: the layout's size is at least 64.
    let Some(pointer) = NonNull::new(unsafe { alloc(layout) }) else { return Ok(None) };
    if bytes >= CHECKED && !has_some_left() {
        // SAFETY: it came from `alloc` with this layout just now, and nothing else has it.
        unsafe { dealloc(pointer.as_ptr(), layout) };
        return Ok(None);
    }
    if bytes >= IN_LARGE_PAGES {
        ask_for_large_pages(pointer, bytes);
    }
    Ok(Some(pointer))
}

/// Returns memory to the system.
///
/// # Safety
/// The pointer came from `allocate` with this number of bytes, and nothing uses it any more.
pub(crate) unsafe fn free(pointer: NonNull<u8>, bytes: usize) {
    if let Ok(layout) = layout(bytes) {
        // SAFETY: as this function's.
        unsafe { dealloc(pointer.as_ptr(), layout) };
    }
}

/// Memory of the host for the time of a call, in large pages if it is large. The bytes are
/// arbitrary.
pub struct HostRoom {
    pointer: NonNull<u8>,
    bytes: usize,
}

impl HostRoom {
    /// Memory from the system; `None` if it refuses, or if too little would be left.
    pub fn new(bytes: usize) -> Option<HostRoom> {
        let pointer = allocate(bytes).ok()??;
        Some(HostRoom { pointer, bytes })
    }

    /// The first byte, aligned to 64.
    pub fn start(&self) -> NonNull<u8> {
        self.pointer
    }
}

impl Drop for HostRoom {
    fn drop(&mut self) {
        // SAFETY: the memory came from `allocate` with this number of bytes, and its owner ends.
        unsafe { free(self.pointer, self.bytes) };
    }
}

/// Asks for large pages. A system without them refuses, and the memory serves as it is.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(pointer: NonNull<u8>, bytes: usize) {
    let whole = bytes / LARGE_PAGE * LARGE_PAGE;
    // SAFETY: the range is inside one allocation and begins at a page; the advice changes neither
    // its contents nor who may use it.
    let _ = unsafe {
        rustix::mm::madvise(pointer.as_ptr().cast(), whole, rustix::mm::Advice::LinuxHugepage)
    };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: NonNull<u8>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_begins_at_a_large_page() {
        for bytes in [1, 100, IN_LARGE_PAGES - 64, IN_LARGE_PAGES, IN_LARGE_PAGES + 4160] {
            let memory = allocate(bytes).unwrap().unwrap();
            let alignment = if bytes >= IN_LARGE_PAGES { LARGE_PAGE } else { 64 };
            assert_eq!(memory.as_ptr() as usize % alignment, 0, "{bytes} bytes");
            // SAFETY: the memory has so many bytes and nothing else uses it.
            unsafe {
                memory.write_bytes(1, bytes);
                free(memory, bytes);
            }
        }
    }
}
