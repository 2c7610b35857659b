//! Our own kernel that combines items in a GPU's memory: one for each dtype and monoid.

use phalanx_device::DeviceError;
use phalanx_device::cuda::{Coming, Function, GridSize, Stream};

/// Threads of a thread block.
const THREADS: usize = 256;
/// The most thread blocks; each thread combines as many items as that requires.
const MOST_BLOCKS: usize = 1 << 12;

/// The arguments of the kernel; `combine.cu` declares the same. The distance from one member's
/// items to the next may be negative: it wraps around the address space.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Combination {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) items: u64,
    pub(crate) stride: u64,
    pub(crate) members: u64,
}

impl Combination {
    /// Enqueues the kernel in a stream.
    ///
    /// Errors: `DeviceError::Cuda`, `DeviceError::OutOfMemory`.
    ///
    /// # Safety
    /// The addresses are of so many items of each member, and of as many results, in the device's
    /// memory, disjoint or the same for one of the members; the function is the one for the items.
    pub(crate) unsafe fn launch(
        &self,
        function: Function,
        stream: &Stream,
    ) -> Result<(), DeviceError> {
        if self.items == 0 {
            return Ok(());
        }
        let blocks = (self.items as usize).div_ceil(THREADS).min(MOST_BLOCKS);
        let size = GridSize {
            blocks: [blocks as u32, 1, 1],
            threads: [THREADS as u32, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        let words = [self.from, self.to, self.items, self.stride, self.members];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // SAFETY: the bytes are what the kernel declares; the caller's promise.
        unsafe { function.launch_in(stream, size, &bytes) }
    }
}
