//! Sorting keys on several threads: pieces are sorted, then merged in pairs.

use super::quick::{self, Key};
use crate::structured::lines::threads;

/// Keys that one thread sorts.
pub(super) const PIECE: usize = 1 << 15;

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
            pool.install(|| sort_pieces(keys, &mut room, levels, true));
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
    rayon::join(
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
        return merge_piece(a, b, to);
    }
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let middle = long.len() / 2;
    let place = short.partition_point(|key| *key < long[middle]);
    let (low, high) = to.split_at_mut(middle + place);
    rayon::join(
        || merge(&long[..middle], &short[..place], low),
        || merge(&long[middle..], &short[place..], high),
    );
}

fn merge_piece<K: Key>(mut a: &[K], mut b: &[K], to: &mut [K]) {
    let mut done = 0;
    while let (Some(&first), Some(&second)) = (a.first(), b.first()) {
        let takes_second = second < first;
        to[done] = if takes_second { second } else { first };
        done += 1;
        a = &a[usize::from(!takes_second)..];
        b = &b[usize::from(takes_second)..];
    }
    to[done..][..a.len()].copy_from_slice(a);
    to[done + a.len()..].copy_from_slice(b);
}
