//! The memory of a GPU: freed blocks are kept by size, the last freed first, so that loops repeat
//! their addresses.

use std::collections::HashMap;

/// Blocks are rounded up to this, which is also how they are aligned.
const GRAIN: usize = 512;

/// What is known of a device's memory.
#[derive(Default)]
pub(super) struct Pool {
    free: HashMap<usize, Vec<Block>>,
    /// What is freed now has this turn; the work enqueued before a turn ends is done once it is
    /// settled.
    turn: u64,
    /// Turns before this one are settled.
    settled: u64,
    /// Bytes of free blocks.
    pub cached: usize,
    pub in_use: usize,
    pub peak: usize,
}

/// A free block, and the turn in which it was freed.
type Block = (u64, u64);

impl Pool {
    /// The size of the block that holds so many bytes.
    pub fn size(bytes: usize) -> usize {
        bytes.max(1).next_multiple_of(GRAIN)
    }

    /// A free block of exactly this size, which is in use from now on, and the turn in which it was
    /// freed: what used it before may be under way until that is settled.
    pub fn take(&mut self, size: usize) -> Option<(u64, u64)> {
        let block = self.free.get_mut(&size)?.pop()?;
        self.cached -= size;
        self.used(size);
        Some(block)
    }

    /// Ends a turn, and tells which.
    pub fn end_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn - 1
    }

    /// Notes that all work is done that was enqueued before a turn ended.
    pub fn settle(&mut self, turn: u64) {
        self.settled = self.settled.max(turn + 1);
    }

    /// Whether nothing uses any more what was freed in a turn.
    pub fn is_settled(&self, turn: u64) -> bool {
        turn < self.settled
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
        self.free.entry(size).or_default().push((address, self.turn));
    }

    /// How many free blocks there are.
    pub fn free_blocks(&self) -> usize {
        self.free.values().map(Vec::len).sum()
    }

    /// All free blocks with their sizes, which are the caller's to give back to the allocator.
    pub fn drain(&mut self) -> Vec<(u64, usize)> {
        self.cached = 0;
        let of_size =
            |(size, blocks): (usize, Vec<Block>)| blocks.into_iter().map(move |(at, _)| (at, size));
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
        assert_eq!((pool.take(512), pool.take(size)), (None, Some((8192, 0))));
        assert_eq!((pool.free_blocks(), pool.cached), (1, size));
        assert_eq!(pool.drain(), [(4096, size)]);
    }

    #[test]
    fn what_was_freed_before_a_wait_is_settled_by_it() {
        let mut pool = Pool::default();
        pool.used(512);
        pool.used(512);
        pool.give(4096, 512);
        // Somebody waits for all work, and meanwhile another block is freed.
        let waited = pool.end_turn();
        pool.give(8192, 512);
        pool.settle(waited);
        let turns = [pool.take(512), pool.take(512)].map(|block| block.expect("a free block").1);
        assert_eq!(turns.map(|turn| pool.is_settled(turn)), [false, true]);
        // A wait that began earlier and ended later settles no more.
        let (first, second) = (pool.end_turn(), pool.end_turn());
        pool.settle(second);
        pool.settle(first);
        assert!(pool.is_settled(second) && !pool.is_settled(second + 1));
    }
}
