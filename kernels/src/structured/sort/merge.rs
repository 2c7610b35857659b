//! Sorting keys on several threads, and keys that consist of few ascending runs: pieces are sorted,
//! then pieces or runs are merged in pairs.

use super::quick::{self, Key};
use crate::structured::lines::{GRAIN, each, threads};
use crate::structured::tasks::{both, within};
use phalanx_device::HostRoom;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Keys that one thread sorts or merges.
pub(super) const PIECE: usize = 1 << 15;
/// Keys that are looked through together for the start of a run.
const BLOCK: usize = 1 << 10;

/// Sorts keys. Equal keys are identical, so stability does not matter.
pub(super) fn sort<K: Key>(keys: &mut [K], pool: Option<&rayon::ThreadPool>) {
    let threads = threads(pool);
    // Threads share the sorting of a piece in registers, but one of them makes the first split
    // alone. So many threads start from several pieces.
    let pieces = if quick::is_shared::<K>() { threads / 2 } else { 2 * threads };
    match pool {
        Some(pool) if threads > 1 && pieces > 1 && keys.len() >= 2 * PIECE => {
            let levels = pieces.next_power_of_two().ilog2();
            let levels = levels.min((keys.len() / PIECE).ilog2());
            let mut room = keys.to_vec();
            within(pool, &mut || sort_pieces(keys, &mut room, levels, true));
        }
        _ => quick::sort(keys, pool),
    }
}

/// Sorts into `keys` or into `room`; both hold the same keys at the start.
fn sort_pieces<K: Key>(keys: &mut [K], room: &mut [K], levels: u32, is_in_place: bool) {
    if levels == 0 {
        let (sorted, beside) = if is_in_place { (keys, room) } else { (room, keys) };
        return quick::sort_beside(sorted, beside);
    }
    let middle = keys.len() / 2;
    let (low_keys, high_keys) = keys.split_at_mut(middle);
    let (low_room, high_room) = room.split_at_mut(middle);
    both(
        || sort_pieces(low_keys, low_room, levels - 1, !is_in_place),
        || sort_pieces(high_keys, high_room, levels - 1, !is_in_place),
    );
    if is_in_place {
        merge(low_room, high_room, keys);
    } else {
        merge(low_keys, high_keys, room);
    }
}

/// Merges sorted keys.
fn merge<K: Key>(a: &[K], b: &[K], to: &mut [K]) {
    if to.len() <= PIECE {
        return quick::merge(a, b, to);
    }
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let middle = long.len() / 2;
    let place = short.partition_point(|key| *key < long[middle]);
    let (low, high) = to.split_at_mut(middle + place);
    both(
        || merge(&long[..middle], &short[..place], low),
        || merge(&long[middle..], &short[place..], high),
    );
}

/// Sorts keys by merging the ascending runs they consist of, if these are at most `most`.
pub(super) fn sort_runs<K: Key>(keys: &mut [K], most: usize, pool: Option<&rayon::ThreadPool>) {
    let Some(mut starts) = starts(keys, most, pool) else { return sort(keys, pool) };
    if starts.len() <= 2 {
        return;
    }
    let levels = (starts.len() - 1).next_power_of_two().ilog2();
    let Some(memory) = HostRoom::new(size_of_val(keys)) else { return sort(keys, pool) };
    let start = memory.start().cast::<K>().as_ptr();
    // SAFETY: the room has the bytes of the keys, aligned to 64, and is this call's alone; the copy
    // makes all of it keys.
    let room = unsafe {
        std::ptr::copy_nonoverlapping(keys.as_ptr(), start, keys.len());
        std::slice::from_raw_parts_mut(start, keys.len())
    };
    // Both hold the keys; the last level writes into their place.
    let mut is_in_room = levels % 2 == 1;
    while starts.len() > 2 {
        let (from, to) = if is_in_room { (&*room, &mut *keys) } else { (&*keys, &mut *room) };
        let mut rest = to;
        for pair in starts.windows(3).step_by(2) {
            let (merged, others) = rest.split_at_mut(pair[2] - pair[0]);
            let (a, b) = (&from[pair[0]..pair[1]], &from[pair[1]..pair[2]]);
            match pool {
                Some(pool) => within(pool, &mut || merge(a, b, merged)),
                None => merge(a, b, merged),
            }
            rest = others;
        }
        // A run without a partner.
        rest.copy_from_slice(&from[from.len() - rest.len()..]);
        let end = from.len();
        starts = starts.into_iter().step_by(2).filter(|&start| start < end).collect();
        starts.push(end);
        is_in_room = !is_in_room;
    }
}

/// The position at which each run starts, and the end; `None` if there are more than `most`.
fn starts<K: Key>(keys: &[K], most: usize, pool: Option<&rayon::ThreadPool>) -> Option<Vec<usize>> {
    let (starts, count) = (Mutex::new(vec![0]), AtomicUsize::new(1));
    each(pool, keys.len().div_ceil(BLOCK), GRAIN / BLOCK, |blocks| {
        for block in blocks {
            let first = (block * BLOCK).max(1);
            let pairs = keys[first - 1..keys.len().min((block + 1) * BLOCK)].windows(2);
            if !pairs.clone().fold(false, |any, pair| any | (pair[1] < pair[0])) {
                continue;
            }
            let found = pairs.enumerate().filter(|(_, pair)| pair[1] < pair[0]);
            let found: Vec<usize> = found.map(|(at, _)| first + at).collect();
            if count.fetch_add(found.len(), Ordering::Relaxed) + found.len() > most {
                return;
            }
            starts.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    });
    let mut starts = starts.into_inner().unwrap_or_else(PoisonError::into_inner);
    starts.sort_unstable();
    starts.push(keys.len());
    (count.into_inner() <= most).then_some(starts)
}
