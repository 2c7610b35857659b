//! Running combinations on the CPU, strictly from left to right, lines in parallel; and
//! combinations of stretches.

use super::combination::Combination;
use super::fold::fold;
use crate::structured::Block;
use crate::structured::lines::{Bytes, GRAIN, Lines, Tiles, each, share};
use phalanx_ops::DType;
use phalanx_ops::structured::{ReduceAt, Scan};

/// Neighbouring elements of a row that one thread combines with the next row at a time.
const WIDTH: usize = 2048;
/// Rows of fewer elements are combined by `Typed::scan`, if there is one.
const NARROW: usize = 16;
/// Lines that are copied side by side.
const LINES: usize = 64;
/// Elements of each of these lines that are copied at a time.
const ROWS: usize = 64;

/// `to[0] = from[0]`, `to[i] = op(to[i - 1], from[i])` along an axis. If there is a second operand
/// with elements, `to[0]` combines its element of the line with `from[0]`.
///
/// Panics (`bug:`) if shapes or dtypes do not fit, or the operation has no such loop.
pub fn run(scan: Scan, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let from = &operands[0];
    assert_eq!((from.shape, from.dtype), (to.shape, to.dtype), "bug: unlike blocks of a scan");
    let combination = Combination::of(scan.op, to.dtype);
    let lines = Lines::of(to.shape, scan.axis);
    if to.is_empty() {
        return;
    }
    let before = operands.get(1).filter(|before| !before.is_empty());
    if let Some(before) = before {
        let of_before = Lines::of(before.shape, scan.axis);
        assert!(
            before.dtype == to.dtype
                && (of_before.outer, of_before.extent, of_before.inner)
                    == (lines.outer, 1, lines.inner),
            "bug: {:?} before {:?}",
            before.shape,
            to.shape
        );
    }
    let before = before.map(Bytes::of);
    let scan = Scanned { combination, lines, from: Bytes::of(from), to: Bytes::of(to), before };
    if lines.inner > 1 {
        let tiles = lines.tiles(WIDTH);
        each(pool, tiles.count(lines), GRAIN / (tiles.width * lines.extent), |range| {
            // SAFETY: tiles do not overlap; nothing writes the operand meanwhile (condition 2 of
            // `Buffer`).
            range.for_each(|tile| unsafe { scan.rows(tiles, tile) });
        });
    } else if combination.typed.is_none() && lines.outer >= LINES / 4 {
        each(pool, lines.outer.div_ceil(LINES), GRAIN / (LINES * lines.extent), |range| {
            for group in range {
                let first = group * LINES;
                // SAFETY: groups do not overlap; nothing writes the operand meanwhile.
                unsafe { scan.side_by_side(first, LINES.min(lines.outer - first)) };
            }
        });
    } else {
        each(pool, lines.outer, GRAIN / lines.extent, |range| {
            // SAFETY: lines do not overlap; nothing writes the operand meanwhile.
            range.for_each(|line| unsafe { scan.line(line) });
        });
    }
}

struct Scanned {
    combination: Combination,
    lines: Lines,
    from: Bytes,
    to: Bytes,
    /// For each line, the element that comes before its first.
    before: Option<Bytes>,
}

impl Scanned {
    /// Writes the first row of `count` neighbouring lines, of which `line` is the first.
    ///
    /// # Safety
    /// As for `rows`, and the lines have elements.
    unsafe fn first_row(&self, line: usize, count: usize, from: *const u8, to: *mut u8) {
        let size = self.combination.size;
        // SAFETY: `before` has an element for each line; the caller's promise.
        unsafe {
            match self.before {
                Some(before) => self.combination.apply(before.at(line * size), from, to, count),
                None => std::ptr::copy_nonoverlapping(from, to, count * size),
            }
        }
    }

    /// Scans the lines of a tile, row by row.
    ///
    /// # Safety
    /// Nothing else touches the lines of the result meanwhile, nothing writes those of the operand.
    unsafe fn rows(&self, tiles: Tiles, tile: usize) {
        let (outer, columns) = tiles.get(tile);
        let Scanned { combination, lines, from, to, .. } = self;
        let byte = |row: usize| lines.at(outer, row, columns.start) * combination.size;
        // SAFETY: `byte` is the start of the columns' part of a row, inside the block; operand and
        // result do not overlap, and neither do two rows.
        unsafe {
            match combination.typed {
                Some(typed) if columns.len() < NARROW => {
                    let line = outer * lines.inner + columns.start;
                    let (from, to) = (from.at(byte(0)), to.at(byte(0)));
                    self.first_row(line, columns.len(), from, to);
                    (typed.scan)(from, to, lines.extent, lines.inner, columns.len());
                }
                _ => {
                    let line = outer * lines.inner + columns.start;
                    self.first_row(line, columns.len(), from.at(byte(0)), to.at(byte(0)));
                    for row in 1..lines.extent {
                        let (old, new) = (to.at(byte(row - 1)), to.at(byte(row)));
                        combination.apply(old, from.at(byte(row)), new, columns.len());
                    }
                }
            }
        }
    }

    /// Scans a line whose elements are neighbours.
    ///
    /// # Safety
    /// As for `rows`.
    unsafe fn line(&self, line: usize) {
        let Scanned { combination, lines, from, to, .. } = self;
        let size = combination.size;
        let (from, to) = (from.at(line * lines.extent * size), to.at(line * lines.extent * size));
        // SAFETY: the line has `extent` elements inside the blocks, which do not overlap.
        unsafe {
            self.first_row(line, 1, from, to);
            match combination.typed {
                Some(typed) => (typed.scan)(from, to, lines.extent, 1, 1),
                None => {
                    for row in 1..lines.extent {
                        let (old, new) = (to.add((row - 1) * size), to.add(row * size));
                        combination.apply(old, from.add(row * size), new, 1);
                    }
                }
            }
        }
    }

    /// Scans lines whose elements are neighbours, many at once: parts of them are copied side by
    /// side.
    ///
    /// # Safety
    /// As for `rows`.
    unsafe fn side_by_side(&self, first: usize, count: usize) {
        let Scanned { combination, lines, from, to, before } = self;
        let size = combination.size;
        let byte = |line: usize, row: usize| lines.at(first + line, row, 0) * size;
        // Words, so that elements are aligned.
        let mut room = vec![0u128; (ROWS + 1) * LINES];
        let room = Bytes::new(&mut room);
        let place = |line: usize, row: usize| room.at((row * LINES + line) * size);
        for start in (0..lines.extent).step_by(ROWS) {
            let rows = ROWS.min(lines.extent - start);
            // SAFETY: the room has `ROWS + 1` rows of `LINES` elements of at most 16 bytes, and
            // overlaps neither block; lines and rows are those of the blocks.
            unsafe {
                for line in 0..count {
                    for row in 0..rows {
                        let element = from.at(byte(line, start + row));
                        std::ptr::copy_nonoverlapping(element, place(line, row + 1), size);
                    }
                }
                let mut first_row = 0;
                if start == 0 {
                    match before {
                        Some(before) => {
                            let before = before.at(first * size);
                            std::ptr::copy_nonoverlapping(before, place(0, 0), count * size);
                        }
                        None => first_row = 1,
                    }
                }
                for row in first_row..rows {
                    let new = place(0, row + 1);
                    combination.apply(place(0, row), new, new, count);
                }
                for line in 0..count {
                    for row in 0..rows {
                        let element = to.at(byte(line, start + row));
                        std::ptr::copy_nonoverlapping(place(line, row + 1), element, size);
                    }
                }
                std::ptr::copy_nonoverlapping(place(0, rows), place(0, 0), count * size);
            }
        }
    }
}

/// The combination of each stretch of an axis.
///
/// Panics (`bug:`) as `run` does. A start outside of the axis is moved to the nearest one inside.
pub fn reduce_at(
    reduce: ReduceAt,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (from, starts) = (&operands[0], &operands[1]);
    let mut combination = Combination::of(reduce.op, to.dtype);
    combination.is_free &= !reduce.in_order;
    let (lines, result) = (Lines::of(from.shape, reduce.axis), Lines::of(to.shape, reduce.axis));
    assert!(
        from.dtype == to.dtype
            && starts.dtype == DType::I64
            && (lines.outer, lines.inner) == (result.outer, result.inner)
            && starts.len() == result.extent
            && (lines.extent > 0 || to.is_empty()),
        "bug: stretches of {:?} from {:?} into {:?}",
        from.shape,
        starts.shape,
        to.shape
    );
    if to.is_empty() {
        return;
    }
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let starts = unsafe { starts.elements::<i64>() };
    let start = |at: usize| starts[at].clamp(0, lines.extent as i64 - 1) as usize;
    let (size, from, to) = (combination.size, Bytes::of(from), Bytes::of(to));
    let tiles = result.tiles(WIDTH);
    let of_stretch = tiles.count(result) * result.extent;
    let (across, within) = match lines.inner {
        1 => share(pool, of_stretch, lines.extent),
        _ => (pool, None),
    };
    let grain = GRAIN * result.extent / (tiles.width * lines.extent);
    each(across, of_stretch, grain, |range| {
        for at in range {
            let (tile, at) = (at / result.extent, at % result.extent);
            let (outer, columns) = tiles.get(tile);
            let first = start(at);
            let end = if at + 1 < result.extent { start(at + 1) } else { lines.extent };
            let end = end.max(first + 1);
            let read = |row| from.at(lines.at(outer, row, columns.start) * size);
            let written = to.at(result.at(outer, at, columns.start) * size);
            // SAFETY: the rows `first..end` are in the operand, `at` is a row of the result, and no
            // other turn has its columns; operand and result do not overlap.
            unsafe {
                if lines.inner == 1 {
                    fold(&combination, read(first), written, end - first, within);
                    continue;
                }
                let bytes = columns.len() * size;
                std::ptr::copy_nonoverlapping(read(first), written, bytes);
                for row in first + 1..end {
                    combination.apply(written, read(row), written, columns.len());
                }
            }
        }
    });
}
