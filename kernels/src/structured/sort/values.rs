//! Sorting and partitions of elements of real dtypes.

use super::merge;
use super::order::{Form, Word};
use super::select::{Originals, partition_line};
use crate::cpu::instructions::for_each_level;
use crate::structured::Block;
use crate::structured::lines::{GRAIN, Lines, Places, each, share};
use phalanx_ops::structured::Sort;
use std::ops::Range;

/// Lines of one-byte elements that are at least this long are sorted by counting.
const COUNTED_BYTES: usize = 64;
/// The same for two-byte elements.
const COUNTED_PAIRS: usize = 1 << 15;

/// Sorts or partitions the lines of elements that have the bits of `W`.
pub(super) fn sort<W: Word>(
    sort: Sort,
    from: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (lines, form) = (Lines::of(to.shape, sort.axis), Form::<W>::of(to.dtype));
    let places = Places::<W>::of(to);
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let from = unsafe { from.elements::<W>() };
    let tiles = lines.tiles_of_lines(size_of::<W>());
    let count = tiles.count(lines);
    let (many, one) = share(pool, count, lines.extent);
    each(many, count, GRAIN / (tiles.width * lines.extent), |range| {
        let mut room = Vec::new();
        for tile in range {
            let (outer, columns) = tiles.get(tile);
            if lines.inner == 1 {
                let start = lines.at(outer, 0, 0);
                // SAFETY: the line lies inside the block and is this tile's alone.
                let line =
                    unsafe { std::slice::from_raw_parts_mut(places.at(start), lines.extent) };
                let originals = Originals { elements: from, start, step: 1 };
                arrange(line, form, originals, sort, one);
                continue;
            }
            room.resize(tiles.width * lines.extent, W::default());
            for row in 0..lines.extent {
                let row_of_tile = &from[lines.at(outer, row, columns.start)..][..columns.len()];
                for (line, &bits) in row_of_tile.iter().enumerate() {
                    room[line * lines.extent + row] = bits;
                }
            }
            for (line, column) in room.chunks_exact_mut(lines.extent).zip(columns.clone()) {
                let (start, step) = (lines.at(outer, 0, column), lines.inner);
                let originals = Originals { elements: from, start, step };
                arrange(line, form, originals, sort, one);
            }
            for row in 0..lines.extent {
                for (line, column) in columns.clone().enumerate() {
                    // SAFETY: the position is inside the block and belongs to this tile alone.
                    unsafe {
                        *places.at(lines.at(outer, row, column)) = room[line * lines.extent + row];
                    }
                }
            }
        }
    });
}

/// Sorts or partitions the elements of a line into `line`.
fn arrange<W: Word>(
    line: &mut [W],
    form: Form<W>,
    originals: Originals<'_, W>,
    sort: Sort,
    pool: Option<&rayon::ThreadPool>,
) {
    match sort.ranks {
        Some(ranks) => partition_line(line, form, originals, ranks, pool),
        None => sort_line(line, form, originals, sort.runs, pool),
    }
}

/// Sorts all elements of a line into `line`.
fn sort_line<W: Word>(
    line: &mut [W],
    form: Form<W>,
    elements: Originals<'_, W>,
    runs: Option<usize>,
    pool: Option<&rayon::ThreadPool>,
) {
    each_part(line, pool, |rows, keys| elements.orders(form, rows, keys));
    match size_of::<W>() {
        1 if line.len() >= COUNTED_BYTES => count_keys(line, &mut [0; 1 << 8]),
        2 if line.len() >= COUNTED_PAIRS => count_keys(line, &mut vec![0; 1 << 16]),
        // The strict order has -0 before 0. A line in which they are mixed has more runs than said,
        // and is sorted.
        _ => match runs {
            Some(most) => merge::sort_runs(line, most, pool),
            None => merge::sort(line, pool),
        },
    }
    let count = line.len();
    if let Form::Float(_) = form {
        let numbers = line.partition_point(|&order| order < W::LAST);
        let zeros = line.partition_point(|&order| order < W::SIGN.not());
        let zeros = zeros..line.partition_point(|&order| order <= W::SIGN);
        each_part(&mut line[..numbers], pool, |_, orders| restore(form, orders));
        // Elements that compare as equal but differ in bits are put back in their original order.
        let originals = || (0..count).map(|row| elements.get(row));
        if !zeros.is_empty() && line[zeros.start] != line[zeros.end - 1] {
            let given: Vec<W> = originals().filter(|&bits| form.order(bits) == W::SIGN).collect();
            line[zeros].copy_from_slice(&given);
        }
        if numbers < count {
            let given: Vec<W> = originals().filter(|&bits| form.order(bits) == W::LAST).collect();
            line[numbers..].copy_from_slice(&given);
        }
    } else {
        each_part(line, pool, |_, orders| restore(form, orders));
    }
}

/// Calls `act` with parts of a line and their rows.
fn each_part<W: Word>(
    line: &mut [W],
    pool: Option<&rayon::ThreadPool>,
    act: impl Fn(Range<usize>, &mut [W]) + Sync,
) {
    let (start, count) = (Places::new(line), line.len());
    each(pool, count, GRAIN, |rows| {
        // SAFETY: ranges lie inside the line and do not overlap.
        let part = unsafe { std::slice::from_raw_parts_mut(start.at(rows.start), rows.len()) };
        act(rows, part);
    });
}

for_each_level! {
    /// Replaces places in the strict order by the elements that belong there.
    fn restore[W: Word][W](form: Form<W>, orders: &mut [W]) {
        match form {
            Form::Unsigned => {}
            Form::Signed => {
                for place in orders {
                    *place = place.xor(W::SIGN);
                }
            }
            Form::Float(infinity) => {
                for place in orders {
                    *place = Form::Float(infinity).bits(*place);
                }
            }
        }
    }
}

/// Sorts by counting how often each key occurs.
fn count_keys<W: Word>(line: &mut [W], counts: &mut [usize]) {
    line.iter().for_each(|&key| counts[Into::<u64>::into(key) as usize] += 1);
    let mut rest = line;
    for (key, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (part, others) = rest.split_at_mut(count);
        part.fill(W::truncated(key as u64));
        rest = others;
    }
}
