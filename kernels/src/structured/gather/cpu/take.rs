//! Reading at positions.

use crate::structured::Block;
use crate::structured::lines::{Bytes, GRAIN, Lines, each};
use phalanx_ops::DType;
use phalanx_ops::structured::{Take, TakeAlong};

/// The position in a non-empty axis; negative positions count from its end, and a position outside
/// becomes the nearest one inside.
fn inside(position: i64, extent: usize) -> usize {
    let position = if position < 0 { position + extent as i64 } else { position };
    (position.max(0) as usize).min(extent - 1)
}

/// `to[…, k, …] = table[…, positions[k], …]`; zeros where the axis of the table is empty.
///
/// Panics (`bug:`) if shapes or dtypes do not fit.
pub fn take(take: Take, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let (table, positions) = (&operands[0], &operands[1]);
    let (lines, result) = (Lines::of(table.shape, take.axis), Lines::of(to.shape, take.axis));
    assert!(
        table.dtype == to.dtype
            && positions.dtype == DType::I64
            && (lines.outer, lines.inner) == (result.outer, result.inner)
            && positions.len() == result.extent,
        "bug: {:?} of {:?} into {:?}",
        positions.shape,
        table.shape,
        to.shape
    );
    if to.is_empty() || lines.extent == 0 {
        return zero(to);
    }
    match lines.inner * to.dtype.size() {
        1 => take_rows::<1>(lines, table, positions, to, pool),
        2 => take_rows::<2>(lines, table, positions, to, pool),
        4 => take_rows::<4>(lines, table, positions, to, pool),
        8 => take_rows::<8>(lines, table, positions, to, pool),
        12 => take_rows::<12>(lines, table, positions, to, pool),
        16 => take_rows::<16>(lines, table, positions, to, pool),
        24 => take_rows::<24>(lines, table, positions, to, pool),
        32 => take_rows::<32>(lines, table, positions, to, pool),
        bytes => take_long_rows(lines, bytes, table, positions, to, pool),
    }
}

fn zero(to: &Block<'_>) {
    let bytes = to.buffer.slice(0, to.len() * to.dtype.size());
    // SAFETY: nothing else touches the result meanwhile (condition 2 of `Buffer`).
    unsafe { bytes.bytes_mut() }.fill(0);
}

/// The bytes of the table, and the positions.
fn read<'a>(table: &'a Block<'_>, positions: &'a Block<'_>) -> (&'a [u8], &'a [i64]) {
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
    unsafe { (table.bytes(), positions.elements()) }
}

/// Rows of `N` bytes.
fn take_rows<const N: usize>(
    lines: Lines,
    table: &Block<'_>,
    positions: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (table, positions) = read(table, positions);
    let (table, _) = table.as_chunks::<N>();
    let to = Bytes::of(to);
    for_rows(lines.outer, positions, N, pool, |outer, first, positions| {
        let table = &table[outer * lines.extent..][..lines.extent];
        // SAFETY: the rows are inside the result, and this turn's alone.
        let to = unsafe {
            std::slice::from_raw_parts_mut(to.at(first * N).cast::<[u8; N]>(), positions.len())
        };
        for (row, &position) in to.iter_mut().zip(positions) {
            *row = table[inside(position, table.len())];
        }
    });
}

/// Rows of any number of bytes.
fn take_long_rows(
    lines: Lines,
    bytes: usize,
    table: &Block<'_>,
    positions: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (table, positions) = read(table, positions);
    let to = Bytes::of(to);
    for_rows(lines.outer, positions, bytes, pool, |outer, first, positions| {
        for (row, &position) in positions.iter().enumerate() {
            let from = outer * lines.extent + inside(position, lines.extent);
            let from = &table[from * bytes..][..bytes];
            // SAFETY: the row is inside the result, and this turn's alone.
            unsafe {
                let row = to.at((first + row) * bytes);
                std::ptr::copy_nonoverlapping(from.as_ptr(), row, bytes);
            }
        }
    });
}

/// Calls `body` with a stretch, the first of some rows of the result in it, and the positions of
/// these rows.
fn for_rows(
    outer: usize,
    positions: &[i64],
    bytes: usize,
    pool: Option<&rayon::ThreadPool>,
    body: impl Fn(usize, usize, &[i64]) + Sync,
) {
    each(pool, outer * positions.len(), 4 * GRAIN / bytes, |range| {
        let mut first = range.start;
        while first < range.end {
            let (outer, at) = (first / positions.len(), first % positions.len());
            let count = (positions.len() - at).min(range.end - first);
            body(outer, first, &positions[at..][..count]);
            first += count;
        }
    });
}

/// `to[…, k, …] = table[…, positions[…, k, …], …]`, with positions in the whole axis of the table;
/// zeros where the axis of the table is empty.
///
/// Panics (`bug:`) if shapes or dtypes do not fit.
pub fn take_along(
    take: TakeAlong,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (table, positions) = (&operands[0], &operands[1]);
    let (lines, result) = (Lines::of(table.shape, take.axis), Lines::of(to.shape, take.axis));
    assert!(
        table.dtype == to.dtype
            && positions.dtype == DType::I64
            && positions.shape == to.shape
            && (lines.outer, lines.inner) == (result.outer, result.inner),
        "bug: {:?} of {:?} into {:?}",
        positions.shape,
        table.shape,
        to.shape
    );
    if to.is_empty() || lines.extent == 0 {
        return zero(to);
    }
    let origin = table.origin[usize::from(take.axis)] as i64;
    match to.dtype.size() {
        1 => take_elements::<1>([lines, result], origin, [table, positions], to, pool),
        2 => take_elements::<2>([lines, result], origin, [table, positions], to, pool),
        4 => take_elements::<4>([lines, result], origin, [table, positions], to, pool),
        8 => take_elements::<8>([lines, result], origin, [table, positions], to, pool),
        _ => take_elements::<16>([lines, result], origin, [table, positions], to, pool),
    }
}

/// Elements of `N` bytes.
fn take_elements<const N: usize>(
    [lines, result]: [Lines; 2],
    origin: i64,
    [table, positions]: [&Block<'_>; 2],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (table, positions) = read(table, positions);
    let (table, _) = table.as_chunks::<N>();
    let to = Bytes::of(to);
    let (extent, inner) = (lines.extent, lines.inner);
    each(pool, positions.len(), GRAIN, |range| {
        // SAFETY: the range is inside the result, and this turn's alone.
        let to = unsafe {
            std::slice::from_raw_parts_mut(to.at(range.start * N).cast::<[u8; N]>(), range.len())
        };
        let positions = &positions[range.clone()];
        let mut done = 0;
        while done < to.len() {
            let (row, column) = ((range.start + done) / inner, (range.start + done) % inner);
            let outer = row / result.extent;
            let table = &table[outer * extent * inner..][..extent * inner];
            // The rest of the row, or of the stretch if a row is one element.
            let left = match inner {
                1 => result.extent - row % result.extent,
                _ => inner - column,
            };
            let count = left.min(to.len() - done);
            let pairs = to[done..][..count].iter_mut().zip(&positions[done..][..count]);
            if inner == 1 {
                pairs.for_each(|(element, &at)| *element = table[inside(at - origin, extent)]);
            } else {
                for (column, (element, &at)) in (column..).zip(pairs) {
                    *element = table[inside(at - origin, extent) * inner + column];
                }
            }
            done += count;
        }
    });
}
