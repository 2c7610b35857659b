//! Arithmetic of parts and pieces. All of it is in `usize` and free of intermediate overflow.

use std::ops::Range;

/// Data of at least this many bytes travels around a ring; shorter data takes the fewest rounds.
///
/// All planes use this number, because it decides the order of combination.
pub(crate) const RING_BYTES: usize = 64 << 10;

/// The byte range of part `index` when `total` bytes are cut into `parts` nearly equal parts.
pub(crate) fn part(total: usize, item: usize, parts: usize, index: usize) -> Range<usize> {
    let items = total / item;
    let (each, longer) = (items / parts, items % parts);
    let start = index * each + index.min(longer);
    let len = each + usize::from(index < longer);
    start * item..(start + len) * item
}

/// The byte range of part `index` when part `i` has `counts[i]` bytes.
pub(crate) fn part_of(counts: &[usize], index: usize) -> Range<usize> {
    let start: usize = counts[..index].iter().sum();
    start..start + counts[index]
}

/// Cuts `range` into pieces for a pipeline. Pieces hold whole items, and all but the last have one
/// length, which depends on the range's length and the item's size only.
pub(crate) fn pieces(
    range: Range<usize>,
    item: usize,
) -> impl Iterator<Item = Range<usize>> + Clone {
    // Small enough to overlap transfer with combination, and large enough to make the cost of a
    // frame negligible.
    let aim = (range.len() / 4).clamp(128 << 10, 1 << 20);
    let len = (aim / item).max(1) * item;
    let (start, end) = (range.start, range.end);
    (0..(end - start).div_ceil(len)).map(move |index| {
        let from = start + index * len;
        from..end.min(from.saturating_add(len))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_tile_totals_beyond_32_bits() {
        for total in [0, 8, 24, 1000, (1 << 31) + 8, (1 << 40) + 8 * 13] {
            for parts in [1, 2, 3, 7, 1024] {
                let mut end = 0;
                for index in 0..parts {
                    let range = part(total, 8, parts, index);
                    assert_eq!(range.start, end);
                    assert!(
                        range.len().is_multiple_of(8) && range.len() / 8 <= total / 8 / parts + 1
                    );
                    end = range.end;
                }
                assert_eq!(end, total);
            }
        }
        assert_eq!(part((1 << 62) - 1, 1, 1 << 20, (1 << 20) - 1).end, (1 << 62) - 1);
    }

    #[test]
    fn pieces_tile_ranges_beyond_32_bits() {
        for item in [1, 3, 16, 24] {
            for items in [0, 1, 100_000, (1 << 33) + 1] {
                let range = 48..48 + items * item;
                let mut end = range.start;
                let mut count = 0;
                for piece in pieces(range.clone(), item) {
                    assert_eq!(piece.start, end);
                    assert!(!piece.is_empty() && piece.len().is_multiple_of(item));
                    end = piece.end;
                    count += 1;
                }
                assert_eq!(end, range.end);
                assert!(
                    count <= 4 + 1 + range.len() / ((1 << 20) - 24),
                    "{count} pieces of {range:?}"
                );
            }
        }
    }

    #[test]
    fn counted_parts_follow_each_other() {
        let counts = [5, 0, (1 << 31) + 1, 7];
        assert_eq!(part_of(&counts, 1), 5..5);
        assert_eq!(part_of(&counts, 3), (1 << 31) + 6..(1 << 31) + 13);
    }
}
