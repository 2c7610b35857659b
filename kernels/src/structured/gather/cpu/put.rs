//! Writing at positions.

use super::mixed::{Mixed, Rooms, STRETCH};
use crate::structured::Block;
use crate::structured::lines::{Bytes, GRAIN, Lines, Tiles, copy, each, threads};
use crate::structured::scan::combination::Combination;
use phalanx_ops::DType;
use phalanx_ops::structured::Put;
use std::ops::Range;

/// The fewest elements of a row that one thread writes.
const WIDTH: usize = 1024;

/// How values are combined with the elements at their positions.
enum Way {
    Replaced,
    Combined(Combination),
    Mixed(Mixed),
}

/// `to[…, positions[…, k, …], …] = values[…, k, …]`, or the operation on both, in C order; the
/// other elements are those of `old`. Positions refer to the whole axis; those outside of the block
/// write nothing. If the operation's loop has other dtypes than the array, it computes in these,
/// and its result is cast each time. An operation of one operand reads no values.
///
/// Panics (`bug:`) if shapes or dtypes do not fit, or the operation has no such loop.
pub fn put(put: Put, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let (old, positions, values) = (&operands[0], &operands[1], &operands[2]);
    let (lines, given) = (Lines::of(to.shape, put.axis), Lines::of(positions.shape, put.axis));
    assert!(
        (values.dtype == to.dtype || put.op.is_some())
            && positions.dtype == DType::I64
            && values.shape == positions.shape
            && (lines.outer, lines.inner) == (given.outer, given.inner),
        "bug: {:?} at {:?} into {:?}",
        values.shape,
        positions.shape,
        to.shape
    );
    copy(old, to, pool);
    if to.is_empty() || positions.is_empty() {
        return;
    }
    let way = match put.op {
        None => Way::Replaced,
        Some(op) if put.is_plain(to.dtype, values.dtype) => {
            Way::Combined(Combination::of(op, to.dtype))
        }
        Some(op) => Way::Mixed(Mixed::of(op, to.dtype, values.dtype)),
    };
    let (tiles, threads) = (lines.tiles(WIDTH), threads(pool));
    // If there are fewer tiles than threads, several threads read all positions of a tile and each
    // writes those in its window of rows. With two threads this is no faster.
    let windows = match tiles.count(lines) {
        _ if given.extent < GRAIN || threads <= 2 => 1,
        tiles => threads.div_ceil(tiles).min(8).min(lines.extent),
    };
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let positions = unsafe { positions.elements::<i64>() };
    let size = to.dtype.size();
    let written = Written {
        lines,
        given,
        tiles,
        first: to.origin[usize::from(put.axis)] as i64,
        positions,
        values: Bytes::of(values),
        to: Bytes::of(to),
    };
    each(pool, tiles.count(lines) * windows, GRAIN / (given.extent * tiles.width), |range| {
        for turn in range {
            let (tile, window) = (turn / windows, turn % windows);
            let start = lines.extent * window / windows;
            let rows = start..lines.extent * (window + 1) / windows;
            // SAFETY: turns have disjoint rows or columns; sizes are those of the dtype.
            unsafe {
                match (&way, size) {
                    (Way::Combined(combination), _) => written.combine(tile, rows, combination),
                    (Way::Mixed(mixed), _) => written.combine_mixed(tile, rows, mixed),
                    (Way::Replaced, 1) => written.replace::<1>(tile, rows),
                    (Way::Replaced, 2) => written.replace::<2>(tile, rows),
                    (Way::Replaced, 4) => written.replace::<4>(tile, rows),
                    (Way::Replaced, 8) => written.replace::<8>(tile, rows),
                    (Way::Replaced, _) => written.replace::<16>(tile, rows),
                }
            }
        }
    });
}

struct Written<'a> {
    lines: Lines,
    /// The lines of positions and values.
    given: Lines,
    tiles: Tiles,
    /// The position of the first row of the block.
    first: i64,
    positions: &'a [i64],
    values: Bytes,
    to: Bytes,
}

impl Written<'_> {
    /// Writes the values of a tile whose positions are in `rows`.
    ///
    /// # Safety
    /// Nothing else touches these rows of the tile meanwhile. Elements have `N` bytes.
    unsafe fn replace<const N: usize>(&self, tile: usize, rows: Range<usize>) {
        let (outer, columns) = self.tiles.get(tile);
        let first = self.first.wrapping_add(rows.start as i64);
        for row in 0..self.given.extent {
            let from = self.given.at(outer, row, columns.start);
            let to = self.lines.at(outer, rows.start, columns.start);
            let positions = &self.positions[from..][..columns.len()];
            for (column, &position) in positions.iter().enumerate() {
                let at = position.wrapping_sub(first) as u64;
                if at < rows.len() as u64 {
                    let to = self.to.at((to + at as usize * self.lines.inner + column) * N);
                    let value = self.values.at((from + column) * N);
                    // SAFETY: row `rows.start + at` is one of `rows`, so the element is inside the
                    // result and this turn's alone; the value has the index of its position.
                    unsafe { *to.cast::<[u8; N]>() = *value.cast::<[u8; N]>() };
                }
            }
        }
    }

    /// Combines the values of a tile whose positions are in `rows` with the elements there.
    ///
    /// # Safety
    /// Nothing else touches these rows of the tile meanwhile. Elements have the dtype of the
    /// combination.
    unsafe fn combine(&self, tile: usize, rows: Range<usize>, combination: &Combination) {
        let (outer, columns) = self.tiles.get(tile);
        let first = self.first.wrapping_add(rows.start as i64);
        let (lines, given, size) = (self.lines, self.given, combination.size);
        let target = lines.at(outer, rows.start, columns.start);
        if let Some(typed) = combination.typed.filter(|_| lines.inner == 1) {
            let from = given.at(outer, 0, 0);
            let positions = &self.positions[from..][..given.extent];
            let (values, to) = (self.values.at(from * size), self.to.at(target * size));
            // SAFETY: the line of the result has these rows from `to` on, this turn's alone, and as
            // many values as positions.
            return unsafe { (typed.put)(values, positions, to, first, rows.len()) };
        }
        let mut room = [0u128; STRETCH];
        let room = Bytes::new(&mut room);
        // SAFETY: the room has `STRETCH` elements of 16 bytes at most, and `count` values follow
        // each other; the rest is the caller's promise.
        unsafe {
            self.by_stretches(tile, rows, size, room, |from, count| {
                let values = self.values.at(from * size);
                combination.apply(room.at(0), values, room.at(0), count);
            });
        }
    }

    /// Like `combine`, with casts.
    ///
    /// # Safety
    /// As for `combine`; elements and values have the dtypes of the operation.
    unsafe fn combine_mixed(&self, tile: usize, rows: Range<usize>, mixed: &Mixed) {
        let (mut room, mut rooms) = ([0u128; STRETCH], Rooms::new());
        let room = Bytes::new(&mut room);
        // SAFETY: as in `combine`.
        unsafe {
            self.by_stretches(tile, rows, mixed.size, room, |from, count| {
                let values = self.values.at(from * mixed.value_size);
                mixed.apply(room.at(0), values, count, &mut rooms);
            });
        }
    }

    /// For each stretch of a row of values: copies the elements at its positions into the room,
    /// calls `combine` with the target position of the first value and the number of values, and
    /// copies the elements back.
    ///
    /// # Safety
    /// Nothing else touches these rows of the tile meanwhile. Elements have `size` bytes, and the
    /// room has `STRETCH` of them.
    unsafe fn by_stretches(
        &self,
        tile: usize,
        rows: Range<usize>,
        size: usize,
        room: Bytes,
        mut combine: impl FnMut(usize, usize),
    ) {
        let (outer, columns) = self.tiles.get(tile);
        let first = self.first.wrapping_add(rows.start as i64);
        let (lines, given) = (self.lines, self.given);
        let target = lines.at(outer, rows.start, columns.start);
        for row in 0..given.extent {
            for start in (0..columns.len()).step_by(STRETCH) {
                let count = STRETCH.min(columns.len() - start);
                let from = given.at(outer, row, columns.start + start);
                let positions = &self.positions[from..][..count];
                // The elements of a row belong to different lines, so no element occurs twice.
                let places = || {
                    positions.iter().enumerate().filter_map(|(column, &position)| {
                        let at = position.wrapping_sub(first) as u64;
                        let place = target + start + column;
                        (at < rows.len() as u64)
                            .then(|| (column, (place + at as usize * lines.inner) * size))
                    })
                };
                // SAFETY: target positions are inside the result and this turn's alone, as in
                // `replace`; the room is the caller's promise.
                unsafe {
                    for (column, place) in places() {
                        let old = room.at(column * size);
                        std::ptr::copy_nonoverlapping(self.to.at(place), old, size);
                    }
                    combine(from, count);
                    for (column, place) in places() {
                        let new = room.at(column * size);
                        std::ptr::copy_nonoverlapping(new, self.to.at(place), size);
                    }
                }
            }
        }
    }
}
