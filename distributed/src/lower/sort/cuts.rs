//! Exact cuts of sorted blocks: for a rank, the number of elements of each block that precede it in
//! the sorted whole.
//!
//! Elements are ordered by key, then by block, then by position. All members look at the same
//! samples of the blocks, so they find the same cuts. Each round of samples leaves a small part of
//! what was open.

use std::ops::Range;

/// The cuts of blocks at some ranks.
#[derive(Clone, Debug)]
pub struct Cuts {
    ranks: Vec<usize>,
    /// For each rank, for each block, the range of the number of elements that precede the rank.
    open: Vec<Vec<Range<usize>>>,
}

impl Cuts {
    /// The cuts of sorted blocks of these lengths at these ranks.
    pub fn new(lengths: &[usize], ranks: &[usize]) -> Cuts {
        let total: usize = lengths.iter().sum();
        let of_rank = |&rank: &usize| -> Vec<Range<usize>> {
            match rank {
                0 => lengths.iter().map(|_| 0..0).collect(),
                rank if rank == total => lengths.iter().map(|&length| length..length).collect(),
                _ => lengths.iter().map(|&length| 0..length).collect(),
            }
        };
        Cuts { ranks: ranks.to_vec(), open: ranks.iter().map(of_rank).collect() }
    }

    /// Whether all cuts are known.
    pub fn are_known(&self) -> bool {
        self.open.iter().flatten().all(Range::is_empty)
    }

    /// The number of elements of a block before a rank, once the cuts are known.
    pub fn before(&self, rank: usize, block: usize) -> usize {
        self.open[rank][block].start
    }

    /// The positions of a block to look at next for a rank: `most` or fewer.
    pub fn samples(&self, rank: usize, block: usize, most: usize) -> Samples {
        let open = &self.open[rank][block];
        let step = open.len().div_ceil(most).max(1);
        Samples { first: open.start, step, count: open.len() / step }
    }

    /// Narrows the cuts at a rank. `keys` returns the key of a sample of a block, by the number of
    /// the sample among `samples(rank, block, most)`.
    pub fn narrow<K: Ord>(&mut self, rank: usize, most: usize, key: impl Fn(usize, usize) -> K) {
        let blocks = self.open[rank].len();
        let samples: Vec<Samples> = (0..blocks).map(|at| self.samples(rank, at, most)).collect();
        let mut order: Vec<(K, usize, usize)> = Vec::new();
        for (block, samples) in samples.iter().enumerate() {
            order.extend((0..samples.count).map(|number| (key(block, number), block, number)));
        }
        // The samples of each block are in order, which this sort finds and merges.
        order.sort();
        let (wanted, open) = (self.ranks[rank], &mut self.open[rank]);
        // With a sample at the cut, each block has at least `low` and at most `high` elements
        // before the rank.
        let mut low: Vec<usize> = open.iter().map(|open| open.start).collect();
        let mut high: Vec<usize> = open
            .iter()
            .zip(&samples)
            .map(|(open, samples)| if samples.count > 0 { samples.at(0) } else { open.end })
            .collect();
        let (mut sum_low, mut sum_high): (usize, usize) = (low.iter().sum(), high.iter().sum());
        let ends: Vec<usize> = open.iter().map(|open| open.end).collect();
        for (_, block, number) in order {
            let position = samples[block].at(number);
            // If the sample followed the cut, at most these elements would precede it.
            if sum_high - high[block] + position < wanted {
                open[block].start = open[block].start.max(position + 1);
            }
            // If it preceded the cut, so would at least these besides itself.
            if sum_low - low[block] + position >= wanted {
                open[block].end = open[block].end.min(position);
            }
            sum_low += position + 1 - low[block];
            low[block] = position + 1;
            let next = if number + 1 < samples[block].count {
                samples[block].at(number + 1)
            } else {
                ends[block]
            };
            sum_high += next - high[block];
            high[block] = next;
        }
    }
}

/// Positions in a block: evenly spaced in what is open, or all of it.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    /// The first open position.
    pub first: usize,
    /// The positions from one sample to the next.
    pub step: usize,
    /// How many samples there are.
    pub count: usize,
}

impl Samples {
    /// The position of a sample.
    pub fn at(self, number: usize) -> usize {
        self.first + number * self.step + self.step / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of sorted keys below `distinct`, by a linear congruence.
    fn blocks(lengths: &[usize], distinct: u64, seed: u64) -> Vec<Vec<u64>> {
        let mut state = seed;
        let mut next = || {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) % distinct
        };
        let block = |&length: &usize| {
            let mut keys: Vec<u64> = (0..length).map(|_| next()).collect();
            keys.sort_unstable();
            keys
        };
        lengths.iter().map(block).collect()
    }

    /// Finds the cuts with `most` samples, compares them with those of a full sort, and returns the
    /// number of rounds.
    fn check(blocks: &[Vec<u64>], ranks: &[usize], most: usize) -> usize {
        let lengths: Vec<usize> = blocks.iter().map(Vec::len).collect();
        let mut cuts = Cuts::new(&lengths, ranks);
        let mut rounds = 0;
        while !cuts.are_known() {
            rounds += 1;
            assert!(rounds < 200, "{cuts:?}");
            for rank in 0..ranks.len() {
                let samples: Vec<Samples> =
                    (0..blocks.len()).map(|block| cuts.samples(rank, block, most)).collect();
                cuts.narrow(rank, most, |block, number| blocks[block][samples[block].at(number)]);
            }
        }
        let keys = blocks.iter().enumerate().flat_map(|(block, keys)| {
            keys.iter().enumerate().map(move |(at, &key)| (key, block, at))
        });
        let mut order: Vec<(u64, usize, usize)> = keys.collect();
        order.sort_unstable();
        for (number, &rank) in ranks.iter().enumerate() {
            for block in 0..blocks.len() {
                let should = order[..rank].iter().filter(|element| element.1 == block).count();
                assert_eq!(cuts.before(number, block), should, "{rank} of {lengths:?}");
            }
        }
        rounds
    }

    #[test]
    fn cuts_are_those_of_the_sorted_whole() {
        for lengths in [&[1][..], &[5, 0], &[0, 1, 0], &[40, 3, 17, 29], &[100, 100, 1, 0, 250]] {
            let total: usize = lengths.iter().sum();
            for distinct in [1, 2, 7, 1 << 20] {
                for seed in 0..6 {
                    let ranks: Vec<usize> = (0..=total).step_by(1 + total / 9).collect();
                    for most in [4, 16] {
                        check(&blocks(lengths, distinct, seed), &ranks, most);
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_in_order_and_in_reverse_are_cut_between_them() {
        let ascending: Vec<Vec<u64>> = (0..4).map(|b| (b * 100..b * 100 + 100).collect()).collect();
        let descending: Vec<Vec<u64>> = ascending.iter().rev().cloned().collect();
        for blocks in [ascending, descending] {
            check(&blocks, &[100, 200, 250, 300, 400], 16);
        }
    }

    #[test]
    fn a_round_leaves_a_small_part() {
        let random = blocks(&[200_000, 150_000, 1000, 249_000], 1 << 30, 3);
        let equal = blocks(&[200_000, 150_000, 1000, 249_000], 1, 3);
        for blocks in [random, equal] {
            let rounds = [16, 64, 256].map(|most| check(&blocks, &[150_000, 300_000], most));
            assert!(rounds[0] <= 14 && rounds[1] <= 6 && rounds[2] <= 4, "{rounds:?} rounds");
        }
    }
}
