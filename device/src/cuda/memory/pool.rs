//! The memory pool of a GPU: freed memory blocks are cached by size, and the last freed is reused
//! first, so loops repeat their addresses.

use crate::DevicePointer;
use std::collections::HashMap;

/// The unit to which memory blocks are rounded up, and their alignment.
const GRAIN: usize = 512;

/// The state of a device's memory.
#[derive(Default)]
pub(in crate::cuda) struct Pool {
    free: HashMap<usize, Vec<Block>>,
    /// The turn of memory blocks freed now. A turn is settled once the work enqueued before its end
    /// is done.
    turn: u64,
    /// The first turn that is not settled.
    settled: u64,
    /// The number of the source of new memory blocks (`Source`); those of earlier sources are not
    /// cached.
    source: u64,
    /// Whether freed memory blocks are not cached.
    without_cache: bool,
    /// Bytes of free memory blocks.
    pub cached: usize,
    pub in_use: usize,
    pub peak: usize,
}

/// A free memory block, and the turn in which it was freed.
type Block = (DevicePointer, u64);

impl Pool {
    /// The size of a memory block for this many bytes.
    pub fn size(bytes: usize) -> usize {
        bytes.max(1).next_multiple_of(GRAIN)
    }

    /// Takes a free memory block of exactly this size of the source with this number, with the turn
    /// in which it was freed: until that turn is settled, earlier work may still use the block.
    pub fn take(&mut self, size: usize, source: u64) -> Option<(DevicePointer, u64)> {
        if source != self.source {
            return None;
        }
        let block = self.free.get_mut(&size)?.pop()?;
        self.cached -= size;
        self.used(size);
        Some(block)
    }

    /// Ends the current turn and returns its number.
    pub fn end_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn - 1
    }

    /// Records that all work enqueued before the end of a turn is done.
    pub fn settle(&mut self, turn: u64) {
        self.settled = self.settled.max(turn + 1);
    }

    /// Whether no work uses the memory blocks freed in a turn any more.
    pub fn is_settled(&self, turn: u64) -> bool {
        turn < self.settled
    }

    /// Records that a new memory block is in use.
    pub fn used(&mut self, size: usize) {
        self.in_use += size;
        self.peak = self.peak.max(self.in_use);
    }

    /// Adds a freed memory block of the source with this number; returns whether it is cached.
    /// Otherwise the caller returns it to its source.
    pub fn add_free(&mut self, address: DevicePointer, size: usize, source: u64) -> bool {
        self.in_use -= size;
        let is_kept = source == self.source && !self.without_cache;
        if is_kept {
            self.cached += size;
            self.free.entry(size).or_default().push((address, self.turn));
        }
        is_kept
    }

    /// Makes the source with this number the one of new memory blocks, and returns the free memory
    /// blocks of the one before.
    pub fn change_source(&mut self, source: u64, caches: bool) -> Vec<(DevicePointer, usize)> {
        (self.source, self.without_cache) = (source, !caches);
        self.drain()
    }

    /// The number of free memory blocks.
    pub fn free_blocks(&self) -> usize {
        self.free.values().map(Vec::len).sum()
    }

    /// Takes all free memory blocks with their sizes; the caller returns them to the allocator.
    pub fn drain(&mut self) -> Vec<(DevicePointer, usize)> {
        self.cached = 0;
        let of_size =
            |(size, blocks): (usize, Vec<Block>)| blocks.into_iter().map(move |(at, _)| (at, size));
        self.free.drain().flat_map(of_size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u64) -> DevicePointer {
        DevicePointer::from_address(address)
    }

    #[test]
    fn the_last_freed_block_comes_first() {
        let mut pool = Pool::default();
        let size = Pool::size(1000);
        assert_eq!(size, 1024);
        pool.used(size);
        pool.used(size);
        pool.add_free(at(4096), size, 0);
        pool.add_free(at(8192), size, 0);
        assert_eq!((pool.in_use, pool.cached, pool.peak), (0, 2048, 2048));
        assert_eq!((pool.take(512, 0), pool.take(size, 0)), (None, Some((at(8192), 0))));
        assert_eq!((pool.free_blocks(), pool.cached), (1, size));
        assert_eq!(pool.drain(), [(at(4096), size)]);
    }

    #[test]
    fn only_blocks_of_the_present_source_are_cached() {
        let mut pool = Pool::default();
        for _ in 0..4 {
            pool.used(512);
        }
        assert!(pool.add_free(at(4096), 512, 0));
        assert_eq!(pool.change_source(1, true), [(at(4096), 512)]);
        assert!(!pool.add_free(at(8192), 512, 0));
        assert!(pool.add_free(at(12288), 512, 1));
        assert_eq!(pool.take(512, 0), None);
        assert_eq!(pool.change_source(2, false), [(at(12288), 512)]);
        assert!(!pool.add_free(at(16384), 512, 2));
        assert_eq!((pool.in_use, pool.cached, pool.free_blocks()), (0, 0, 0));
    }

    #[test]
    fn memory_freed_before_a_wait_is_settled_by_it() {
        let mut pool = Pool::default();
        pool.used(512);
        pool.used(512);
        pool.add_free(at(4096), 512, 0);
        // While one thread waits for all work, another memory block is freed.
        let waited = pool.end_turn();
        pool.add_free(at(8192), 512, 0);
        pool.settle(waited);
        let turns =
            [pool.take(512, 0), pool.take(512, 0)].map(|block| block.expect("a free block").1);
        assert_eq!(turns.map(|turn| pool.is_settled(turn)), [false, true]);
        // A wait that started earlier and ended later settles nothing more.
        let (first, second) = (pool.end_turn(), pool.end_turn());
        pool.settle(second);
        pool.settle(first);
        assert!(pool.is_settled(second) && !pool.is_settled(second + 1));
    }
}
