//! The memory of a GPU: freed blocks are kept by size, the last freed first, so that loops repeat
//! their addresses.

use std::collections::HashMap;

/// Blocks are rounded up to this, which is also how they are aligned.
const GRAIN: usize = 512;

/// What is known of a device's memory.
#[derive(Default)]
pub(super) struct Pool {
    free: HashMap<usize, Vec<u64>>,
    /// Bytes of free blocks.
    pub cached: usize,
    pub in_use: usize,
    pub peak: usize,
}

impl Pool {
    /// The size of the block that holds so many bytes.
    pub fn size(bytes: usize) -> usize {
        bytes.max(1).next_multiple_of(GRAIN)
    }

    /// A free block of exactly this size, which is in use from now on.
    pub fn take(&mut self, size: usize) -> Option<u64> {
        let address = self.free.get_mut(&size)?.pop()?;
        self.cached -= size;
        self.used(size);
        Some(address)
    }

    /// Notes that a new block is in use.
    pub fn used(&mut self, size: usize) {
        self.in_use += size;
        self.peak = self.peak.max(self.in_use);
    }

    /// Takes a block back.
    pub fn give(&mut self, address: u64, size: usize) {
        self.in_use -= size;
        self.cached += size;
        self.free.entry(size).or_default().push(address);
    }

    /// How many free blocks there are.
    pub fn free_blocks(&self) -> usize {
        self.free.values().map(Vec::len).sum()
    }

    /// All free blocks with their sizes, which are the caller's to give back to the allocator.
    pub fn drain(&mut self) -> Vec<(u64, usize)> {
        self.cached = 0;
        let of_size =
            |(size, blocks): (usize, Vec<u64>)| blocks.into_iter().map(move |block| (block, size));
        self.free.drain().flat_map(of_size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_freed_block_comes_first() {
        let mut pool = Pool::default();
        let size = Pool::size(1000);
        assert_eq!(size, 1024);
        pool.used(size);
        pool.used(size);
        pool.give(4096, size);
        pool.give(8192, size);
        assert_eq!((pool.in_use, pool.cached, pool.peak), (0, 2048, 2048));
        assert_eq!((pool.take(512), pool.take(size)), (None, Some(8192)));
        assert_eq!((pool.free_blocks(), pool.cached), (1, size));
        assert_eq!(pool.drain(), [(4096, size)]);
    }
}
