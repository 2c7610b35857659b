//! Compression on the host: the items of an array whose mask holds, one after the other.

use rayon::prelude::*;

/// Items that one thread takes at a time.
const CHUNK: usize = 1 << 16;
/// Items that are written without a branch: each is written where the next kept one belongs, and
/// only a kept one is not overwritten.
const ROW: usize = 64;

/// Copies the items of `item` bytes whose byte of the mask is not zero to the start of `to`, in
/// order, and returns their number.
///
/// Panics (`bug:`) if `to` has too little room.
pub(crate) fn compress(
    value: &[u8],
    mask: &[u8],
    to: &mut [u8],
    item: usize,
    pool: Option<&rayon::ThreadPool>,
) -> usize {
    match pool.filter(|pool| pool.current_num_threads() > 1 && mask.len() > CHUNK) {
        Some(pool) => pool.install(|| {
            let kept: Vec<usize> = mask.par_chunks(CHUNK).map(count).collect();
            let all = kept.iter().sum::<usize>();
            check(all * item, to.len());
            let mut rest = to;
            let mut parts = Vec::with_capacity(kept.len());
            for &kept in &kept {
                let (part, others) = rest.split_at_mut(kept * item);
                parts.push(part);
                rest = others;
            }
            let chunks = value.par_chunks(CHUNK * item).zip(mask.par_chunks(CHUNK));
            chunks.zip(parts).for_each(|((value, mask), part)| chunk(value, mask, part, item));
            all
        }),
        None => {
            let kept = count(mask);
            check(kept * item, to.len());
            chunk(value, mask, &mut to[..kept * item], item);
            kept
        }
    }
}

fn check(kept: usize, room: usize) {
    assert!(kept <= room, "bug: {kept} bytes are kept, and there is room for {room}");
}

/// How many bytes are not zero.
fn count(mask: &[u8]) -> usize {
    // Sums of bytes fit in vector registers. 255 of them cannot overflow, and a check would keep
    // them out of the registers.
    let sum = |sum: u8, &byte: &u8| sum.wrapping_add(u8::from(byte != 0));
    mask.chunks(255).map(|few| usize::from(few.iter().fold(0, sum))).sum()
}

/// Fills `to` with the kept items.
fn chunk(value: &[u8], mask: &[u8], to: &mut [u8], item: usize) {
    match item {
        1 => typed::<1>(value, mask, to),
        2 => typed::<2>(value, mask, to),
        4 => typed::<4>(value, mask, to),
        8 => typed::<8>(value, mask, to),
        16 => typed::<16>(value, mask, to),
        _ => {
            let items = value.chunks_exact(item).zip(mask).filter(|(_, holds)| **holds != 0);
            for (to, (value, _)) in to.chunks_exact_mut(item).zip(items) {
                to.copy_from_slice(value);
            }
        }
    }
}

fn typed<const ITEM: usize>(value: &[u8], mask: &[u8], to: &mut [u8]) {
    let (value, _) = value.as_chunks::<ITEM>();
    let (to, _) = to.as_chunks_mut::<ITEM>();
    let mut kept = 0;
    for (value, mask) in value.chunks(ROW).zip(mask.chunks(ROW)) {
        match to.get_mut(kept..kept + ROW) {
            Some(row) => {
                let mut now = 0;
                for (value, &holds) in value.iter().zip(mask) {
                    // At most as many items are kept as were seen, so `now` is inside.
                    row[now % ROW] = *value;
                    now += usize::from(holds != 0);
                }
                kept += now;
            }
            None => {
                let items = value.iter().zip(mask).filter(|(_, holds)| **holds != 0);
                for (value, _) in items {
                    to[kept] = *value;
                    kept += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_items_stand_one_after_the_other() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for item in [1, 2, 3, 4, 8, 12, 16] {
            for (count, every) in
                [(0, 2), (1, 1), (63, 2), (64, 1), (65, 3), (1000, 1001), (200_003, 2), (CHUNK, 1)]
            {
                let value: Vec<u8> =
                    (0..count * item).map(|at| (at * 7 + at / item) as u8).collect();
                let holds = |at: usize| (at * 31 + at / 5).is_multiple_of(every);
                let mask: Vec<u8> = (0..count).map(|at| u8::from(holds(at)) * 3).collect();
                let kept = (0..count).filter(|&at| holds(at));
                let expected: Vec<u8> =
                    kept.flat_map(|at| value[at * item..][..item].to_vec()).collect();
                for pool in [None, Some(&pool)] {
                    let mut to = vec![255; count * item];
                    let found = compress(&value, &mask, &mut to, item, pool);
                    assert_eq!(found * item, expected.len(), "{count} items of {item} bytes");
                    assert!(to.starts_with(&expected), "{count} items of {item} bytes");
                }
            }
        }
    }
}
