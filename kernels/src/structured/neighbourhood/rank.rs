//! Ranks in windows: by a network of exchanges on many elements at once, or by selection in large
//! windows.
//!
//! The network is Batcher's merge exchange sort (Knuth, The Art of Computer Programming, volume 3,
//! 5.2.2, algorithm M), without the exchanges that the wanted rank does not need.

use crate::cpu::instructions::for_each_level;
use crate::structured::Plain;

/// Elements of the result that are computed together.
pub(super) const LANES: usize = 32;
/// The most elements of a window for which a network is faster than selections.
pub(super) const LARGEST_NETWORK: usize = 200;

/// An exchange of two places: the first gets the lesser element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Exchange {
    pub low: u16,
    pub high: u16,
    /// Whether the lesser and the greater element are used.
    pub keeps: [bool; 2],
}

/// The exchanges that bring the element of rank `rank` of `count` elements to place `rank`.
pub(super) fn network(count: usize, rank: usize) -> Vec<Exchange> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    let top = count.next_power_of_two() / 2;
    let mut p = top;
    while p > 0 {
        let (mut q, mut r, mut d) = (top, 0, p);
        loop {
            all.extend((0..count.saturating_sub(d)).filter(|i| i & p == r).map(|i| (i, i + d)));
            if q == p {
                break;
            }
            d = q - p;
            q /= 2;
            r = p;
        }
        p /= 2;
    }
    let mut is_used = vec![false; count];
    is_used[rank] = true;
    let mut needed = Vec::new();
    for (low, high) in all.into_iter().rev() {
        let keeps = [is_used[low], is_used[high]];
        if keeps != [false; 2] {
            needed.push(Exchange { low: low as u16, high: high as u16, keeps });
            (is_used[low], is_used[high]) = (true, true);
        }
    }
    needed.reverse();
    needed
}

for_each_level! {
    /// The elements at place `rank` after the exchanges, for `LANES` elements of the result from
    /// `start` on. `lanes` is room for the elements of a window.
    fn ranked[T: Plain + Ord][T](
        out: &mut [T; LANES],
        rows: &[T],
        places: &[usize],
        start: usize,
        exchanges: &[Exchange],
        rank: usize,
        lanes: &mut [[T; LANES]],
    ) {
        for (lane, &place) in lanes.iter_mut().zip(places) {
            if let Some(read) = rows[place + start..].first_chunk::<LANES>() {
                *lane = *read;
            }
        }
        for exchange in exchanges {
            let (low, high) = (usize::from(exchange.low), usize::from(exchange.high));
            let (a, b) = (lanes[low], lanes[high]);
            if exchange.keeps[0] {
                let into = &mut lanes[low];
                for lane in 0..LANES {
                    into[lane] = if b[lane] < a[lane] { b[lane] } else { a[lane] };
                }
            }
            if exchange.keeps[1] {
                let into = &mut lanes[high];
                for lane in 0..LANES {
                    into[lane] = if b[lane] < a[lane] { a[lane] } else { b[lane] };
                }
            }
        }
        *out = lanes[rank];
    }
}

/// For each element, the one of rank `rank` among those at `places`, which count from that element.
/// `lanes` is room for as many elements as there are places.
pub(super) fn rank_row<T: Plain + Ord>(
    out: &mut [T],
    rows: &[T],
    places: &[usize],
    (exchanges, rank): (Option<&[Exchange]>, usize),
    lanes: &mut [[T; LANES]],
    window: &mut Vec<T>,
) {
    for (number, out) in out.chunks_mut(LANES).enumerate() {
        let start = number * LANES;
        if let (Some(exchanges), Ok(out)) = (exchanges, <&mut [T; LANES]>::try_from(&mut *out)) {
            ranked(out, rows, places, start, exchanges, rank, lanes);
            continue;
        }
        for (lane, out) in out.iter_mut().enumerate() {
            window.clear();
            window.extend(places.iter().map(|&place| rows[place + start + lane]));
            *out = *window.select_nth_unstable(rank).1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_find_each_rank() {
        for count in 1..=40usize {
            let numbers: Vec<u32> =
                (0..count as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            for rank in 0..count {
                let mut lanes = numbers.clone();
                for Exchange { low, high, keeps } in network(count, rank) {
                    let (low, high) = (usize::from(low), usize::from(high));
                    let (a, b) = (lanes[low].min(lanes[high]), lanes[low].max(lanes[high]));
                    // What is not kept is spoiled.
                    lanes[low] = if keeps[0] { a } else { u32::MAX };
                    lanes[high] = if keeps[1] { b } else { u32::MAX };
                }
                assert_eq!(lanes[rank], sorted[rank], "rank {rank} of {count}");
            }
        }
    }
}
