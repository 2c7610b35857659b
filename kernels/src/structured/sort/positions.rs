//! Sorting positions, and complex numbers by their positions.
//!
//! A key holds the order of an element and its row in one integer, so no two keys are equal.

use super::merge;
use super::order::{Form, Word, order_c64, order_c128};
use super::quick::Key;
use crate::structured::lines::{GRAIN, Lines, Places, each, share};
use crate::structured::{Block, Plain};
use num_complex::{Complex32, Complex64};
use phalanx_ops::DType;
use phalanx_ops::structured::{Order, Ranks, Sort};

/// Sorts or partitions the positions of each line into `to`; those of `Order::Packed` are below the
/// orders of the elements.
pub(super) fn sort(sort: Sort, from: &Block<'_>, to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let lines = (Lines::of(to.shape, sort.axis), sort);
    match (from.dtype, from.dtype.size()) {
        (DType::C64, _) => of_wide(lines, from, to, order_c64, pool),
        (DType::C128, _) => of_pairs(lines, from, to, order_c128, pool),
        (_, 1) => of_words::<u8>(lines, from, to, pool),
        (_, 2) => of_words::<u16>(lines, from, to, pool),
        (_, 4) => of_words::<u32>(lines, from, to, pool),
        (dtype, _) => {
            let form = Form::<u64>::of(dtype);
            of_wide(lines, from, to, |bits| form.order(bits), pool);
        }
    }
}

/// Sorts the numbers of each line and stores the positions that are packed in them into `to`.
pub(super) fn unpack(
    sort: Sort,
    from: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let lines = (Lines::of(to.shape, sort.axis), sort);
    let stored = |key, _: u64, _| (key & LOW) as i64;
    // The rows of the packed numbers do not matter.
    store(lines, from, to, pool, |number: u64, _| number, |_| 0, stored);
}

/// Sorts complex numbers.
pub(super) fn sort_complex(
    sort: Sort,
    from: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let lines = (Lines::of(to.shape, sort.axis), Sort { ranks: None, ..sort });
    match from.dtype {
        DType::C64 => {
            let pack = |number: Complex32, row| pack_wide(order_c64(number), row);
            store(lines, from, to, pool, pack, |key| key as u64, |_, number, _| number);
        }
        _ => {
            let pack = |number: Complex64, row| (order_c128(number), row as u64);
            store(lines, from, to, pool, pack, |key| key.1, |_, number, _| number);
        }
    }
}

/// Lines, and how they are sorted.
type Sorted = (Lines, Sort);

/// Elements of at most four bytes; lines are shorter than 2^32.
fn of_words<W: Word>(
    lines: Sorted,
    from: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let form = Form::<W>::of(from.dtype);
    if u32::try_from(lines.0.extent).is_err() {
        return of_wide(lines, from, to, |bits: W| form.order(bits).into(), pool);
    }
    let pack = |bits: W, row: usize| pack(form, bits, row);
    let row_of = |key: u64| key & LOW;
    match lines.1.order {
        Order::Packed => {
            let stored = |key: u64, _: W, row: i64| (key & !LOW) | row as u64;
            store(lines, from, to, pool, pack, row_of, stored);
        }
        _ => store(lines, from, to, pool, pack, row_of, |_, _, row| row),
    }
}

/// The bits of a packed position.
const LOW: u64 = u32::MAX as u64;

/// The order of an element above its row.
#[inline(always)]
fn pack<W: Word>(form: Form<W>, bits: W, row: usize) -> u64 {
    (Into::<u64>::into(form.order(bits)) << 32) | row as u64
}

/// Elements whose order has eight bytes.
fn of_wide<T: Plain>(
    lines: Sorted,
    from: &Block<'_>,
    to: &Block<'_>,
    order: impl Fn(T) -> u64 + Sync,
    pool: Option<&rayon::ThreadPool>,
) {
    let pack = |element: T, row| pack_wide(order(element), row);
    store(lines, from, to, pool, pack, |key| key as u64, |_, _, row| row);
}

fn of_pairs<T: Plain>(
    lines: Sorted,
    from: &Block<'_>,
    to: &Block<'_>,
    order: impl Fn(T) -> u128 + Sync,
    pool: Option<&rayon::ThreadPool>,
) {
    let pack = |element: T, row| (order(element), row as u64);
    store(lines, from, to, pool, pack, |key| key.1, |_, _, row| row);
}

/// Partitions keys.
fn partition<K: Key>(
    keys: &mut [K],
    Ranks { first, last }: Ranks,
    pool: Option<&rayon::ThreadPool>,
) {
    let (_, _, rest) = keys.select_nth_unstable(first);
    if let Some(next) = (last - first).checked_sub(1) {
        let (middle, _, _) = rest.select_nth_unstable(next);
        merge::sort(middle, pool);
    }
}

fn pack_wide(order: u64, row: usize) -> u128 {
    (u128::from(order) << 64) | row as u128
}

/// Sorts the keys of each line and stores, for each position, the result of `stored` for the key
/// and the element that belong there and the row it had in the whole axis.
fn store<T: Plain, K: Key, S: Plain>(
    (lines, sort): Sorted,
    from: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    pack: impl Fn(T, usize) -> K + Sync,
    row_of: impl Fn(K) -> u64 + Sync,
    stored: impl Fn(K, T, i64) -> S + Sync,
) {
    let origin = from.origin[usize::from(sort.axis)];
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let from = unsafe { from.elements::<T>() };
    let to = Places::<S>::of(to);
    let tiles = lines.tiles_of_lines(size_of::<T>());
    let count = tiles.count(lines);
    let (many, one) = share(pool, count, lines.extent);
    each(many, count, GRAIN / (tiles.width * lines.extent), |range| {
        let mut keys: Vec<K> = Vec::new();
        for tile in range {
            let (outer, columns) = tiles.get(tile);
            keys.clear();
            if columns.len() == 1 {
                let key = |row| pack(from[lines.at(outer, row, columns.start)], row);
                keys.extend((0..lines.extent).map(key));
            } else {
                keys.resize(columns.len() * lines.extent, pack(from[0], 0));
                for row in 0..lines.extent {
                    let of_tile = &from[lines.at(outer, row, columns.start)..][..columns.len()];
                    for (line, &element) in of_tile.iter().enumerate() {
                        keys[line * lines.extent + row] = pack(element, row);
                    }
                }
            }
            for line in keys.chunks_exact_mut(lines.extent) {
                match (sort.ranks, sort.runs) {
                    (Some(ranks), _) => partition(line, ranks, one),
                    (None, Some(most)) => merge::sort_runs(line, most, one),
                    (None, None) => merge::sort(line, one),
                }
            }
            let keys = &keys;
            each(one, lines.extent, GRAIN, |rows| {
                for row in rows {
                    for (line, column) in columns.clone().enumerate() {
                        let key = keys[line * lines.extent + row];
                        let had = row_of(key);
                        let element = from[lines.at(outer, had as usize, column)];
                        let place = to.at(lines.at(outer, row, column));
                        // SAFETY: the position is inside the block, and this turn's alone.
                        unsafe { *place = stored(key, element, (origin as u64 + had) as i64) };
                    }
                }
            });
        }
    });
}
