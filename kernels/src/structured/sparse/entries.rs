//! The entries of rows: what is kept, in which order, and what belongs to their rows.

use super::rows::{Column, Rows, by_column, elements};
use super::value::by_size;
use crate::structured::Block;
use crate::structured::lines::{Bytes, each};
use crate::structured::scan::combination::Combination;
use crate::structured::scan::fold::fold as combine;
use phalanx_ops::Op;
use std::cmp::Ordering;

/// The least numbers of rows and of entries of a job.
const ROWS: usize = 512;
const ENTRIES: usize = 1 << 14;

/// `Sparse::Spread`: operands (columns, starts, ends, x).
pub fn spread(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_size!(to.dtype.size(), T => {
        let rows = Rows::of(&operands[1], &operands[2], to.len());
        let x = elements::<T>(&operands[3]);
        assert_eq!(x.len(), rows.len(), "bug: an element for each row");
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let entries = rows.get(row);
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            unsafe { to.part_mut::<T>(entries.start, entries.len()) }.fill(x[row]);
        }));
    });
}

/// `Sparse::Order`: operands (columns, starts, ends).
pub fn order(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(operands[0], C => {
        let rows = Rows::of(&operands[1], &operands[2], to.len());
        let columns = elements::<C>(&operands[0]);
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let entries = rows.get(row);
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<i64>(entries.start, entries.len()) };
            to.iter_mut().zip(entries).for_each(|(to, entry)| *to = entry as i64);
            to.sort_by_key(|&entry| columns[entry as usize]);
        }));
    });
}

/// `Sparse::Pick`: operands (positions, source). Positions outside give zeros.
pub fn pick(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let positions = elements::<i64>(&operands[0]);
    by_size!(to.dtype.size(), T => {
        let source = elements::<T>(&operands[1]);
        each(pool, to.len(), ENTRIES, |range| {
            // SAFETY: a range is one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<T>(range.start, range.len()) };
            for (to, &position) in to.iter_mut().zip(&positions[range]) {
                let found = usize::try_from(position).ok().and_then(|at| source.get(at));
                *to = found.copied().unwrap_or_default();
            }
        });
    });
}

/// `Sparse::Join`: operands (like, a, b).
pub fn join(operands: &[Block<'_>], to: &Block<'_>) {
    by_size!(to.dtype.size(), T => {
        let (a, b) = (elements::<T>(&operands[1]), elements::<T>(&operands[2]));
        // SAFETY: the result is the plan's alone.
        let to = unsafe { to.elements_mut::<T>() };
        assert_eq!(to.len(), a.len() + b.len(), "bug: the lengths of joined blocks");
        to[..a.len()].copy_from_slice(a);
        to[a.len()..].copy_from_slice(b);
    });
}

/// `Sparse::Rises`: operands (columns, starts, ends).
pub fn rises(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(operands[0], C => {
        let rows = Rows::of(&operands[1], &operands[2], to.len());
        let columns = elements::<C>(&operands[0]);
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let entries = rows.get(row);
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<u8>(entries.start, entries.len()) };
            let columns = &columns[entries];
            for (at, to) in to.iter_mut().enumerate() {
                let before = at.checked_sub(1).map(|before| columns[before]);
                let order = before.map_or(Ordering::Less, |before| before.cmp(&columns[at]));
                *to = match order {
                    Ordering::Less => 2,
                    Ordering::Equal => 1,
                    Ordering::Greater => 0,
                };
            }
        }));
    });
}

/// `Sparse::CountKept`: operands (starts, ends, mask).
pub fn count_kept(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let mask = elements::<u8>(&operands[2]);
    let rows = Rows::of(&operands[0], &operands[1], mask.len());
    per_row(rows, to, pool, |row| mask[rows.get(row)].iter().filter(|&&it| it != 0).count());
}

/// Writes a number of each row.
pub fn per_row(
    rows: Rows<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    count: impl Fn(usize) -> usize + Sync,
) {
    assert_eq!(rows.len(), to.len(), "bug: a number for each row");
    each(pool, rows.len(), ROWS, |range| {
        // SAFETY: a range is one job's, and the result is the plan's alone.
        let to = unsafe { to.part_mut::<i64>(range.start, range.len()) };
        to.iter_mut().zip(range).for_each(|(to, row)| *to = count(row) as i64);
    });
}

/// `Sparse::Group`: operands (starts, ends, rows).
pub fn group(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let groups = Rows::of(&operands[0], &operands[1], to.len());
    by_column!(operands[2], C => {
        let rows = elements::<C>(&operands[2]);
        // Each job reads all rows and places the entries of some groups.
        let jobs = pool.map_or(1, rayon::ThreadPool::current_num_threads).min(8);
        each(pool, groups.len(), groups.len().div_ceil(jobs), |range| {
            let mut next: Vec<usize> = range.clone().map(|row| groups.get(row).start).collect();
            for (entry, row) in rows.iter().enumerate() {
                let own = usize::try_from(row.number()).ok().filter(|row| range.contains(row));
                let Some(row) = own else { continue };
                let at = &mut next[row - range.start];
                // SAFETY: each group has a range of its own in the result, which is the plan's
                // alone; `part_mut` refuses positions outside.
                let place = unsafe { to.part_mut::<i64>(*at, 1) };
                place[0] = entry as i64;
                *at += 1;
            }
        });
    });
}

/// `Sparse::CopyRows`: operands (into, starts, ends), and (begins, source).
pub fn copy_rows(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let rows = Rows::of(&operands[1], &operands[2], to.len());
    let begins = elements::<i64>(&operands[3]);
    assert_eq!(rows.len(), begins.len(), "bug: a position for each row");
    by_size!(to.dtype.size(), T => {
        let source = elements::<T>(&operands[4]);
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let entries = rows.get(row);
            let Ok(begin) = usize::try_from(begins[row]) else { return };
            let Some(from) = source.get(begin..begin + entries.len()) else { return };
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            unsafe { to.part_mut::<T>(entries.start, entries.len()) }.copy_from_slice(from);
        }));
    });
}

/// `Sparse::Keep`: operands (into, starts, ends), and (starts, ends, mask, source).
pub fn keep(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let rows = Rows::of(&operands[1], &operands[2], to.len());
    let mask = elements::<u8>(&operands[5]);
    let own = Rows::of(&operands[3], &operands[4], mask.len());
    assert_eq!((rows.len(), mask.len()), (own.len(), operands[6].len()), "bug: other entries");
    by_size!(to.dtype.size(), T => {
        let source = elements::<T>(&operands[6]);
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let (entries, own) = (rows.get(row), own.get(row));
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<T>(entries.start, entries.len()) };
            let kept = own.filter(|&entry| mask[entry] != 0);
            to.iter_mut().zip(kept).for_each(|(to, entry)| *to = source[entry]);
        }));
    });
}

/// `Sparse::Fold`: operands (starts, ends, values).
pub fn fold(op: Op, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let rows = Rows::of(&operands[0], &operands[1], operands[2].len());
    assert_eq!(rows.len(), to.len(), "bug: a combination for each row");
    let combination = Combination::of(op, to.dtype);
    let (size, from, to) = (combination.size, Bytes::of(&operands[2]), Bytes::of(to));
    each(pool, rows.len(), ROWS, |range| {
        range.for_each(|row| {
            let entries = rows.get(row);
            // SAFETY: the entries are inside of the operand, and each row has its own element.
            unsafe {
                let to = to.at(row * size);
                match entries.len() {
                    0 => to.write_bytes(0, size),
                    count => combine(&combination, from.at(entries.start * size), to, count, None),
                }
            }
        })
    });
}

/// The different columns of entries: a bit for each column, or where the columns are far apart,
/// sorted numbers.
pub enum Distinct {
    Bits(Vec<u64>),
    Sorted(Vec<i64>),
}

impl Distinct {
    fn of(columns: &Block<'_>) -> Distinct {
        by_column!(columns, C => {
            let columns = elements::<C>(columns);
            let Some(most) = columns.iter().max() else { return Distinct::Sorted(Vec::new()) };
            let words = usize::try_from(most.number()).map_or(0, |most| most / 64 + 1);
            if words <= columns.len().max(1024) {
                let mut bits = vec![0u64; words];
                for column in columns {
                    let column = column.number().max(0) as usize;
                    bits[column / 64] |= 1 << (column % 64);
                }
                return Distinct::Bits(bits);
            }
            let mut sorted: Vec<i64> = columns.iter().map(|column| column.number()).collect();
            sorted.sort_unstable();
            sorted.dedup();
            Distinct::Sorted(sorted)
        })
    }
}

/// `Sparse::NeededCount`: operands (into, columns).
pub fn needed_count(operands: &[Block<'_>], to: &Block<'_>) {
    if to.is_empty() {
        return;
    }
    let count = match Distinct::of(&operands[1]) {
        Distinct::Bits(bits) => bits.iter().map(|word| word.count_ones() as usize).sum(),
        Distinct::Sorted(sorted) => sorted.len(),
    };
    // SAFETY: the result is the plan's alone.
    let to = unsafe { to.elements_mut::<i64>() };
    to.fill(0);
    to[0] = count as i64;
}

/// `Sparse::Needed`: operands (into, columns).
pub fn needed(operands: &[Block<'_>], to: &Block<'_>) {
    // SAFETY: the result is the plan's alone.
    let mut to = unsafe { to.elements_mut::<i64>() }.iter_mut();
    let mut write = |column: i64| {
        if let Some(to) = to.next() {
            *to = column;
        }
    };
    match Distinct::of(&operands[1]) {
        Distinct::Sorted(sorted) => sorted.into_iter().for_each(write),
        Distinct::Bits(bits) => {
            for (at, mut word) in bits.into_iter().enumerate() {
                while word != 0 {
                    write(at as i64 * 64 + i64::from(word.trailing_zeros()));
                    word &= word - 1;
                }
            }
        }
    }
}

/// `Sparse::Renumber`: operands (columns, needed).
pub fn renumber(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let needed = elements::<i64>(&operands[1]);
    // The places of the columns, where these are near each other.
    let width = needed.last().and_then(|&last| usize::try_from(last).ok()).map_or(0, |it| it + 1);
    let is_near = width <= 16 * needed.len();
    let mut places = vec![0i32; if is_near { width } else { 0 }];
    for (place, &column) in needed.iter().enumerate() {
        if let Some(at) = usize::try_from(column).ok().and_then(|at| places.get_mut(at)) {
            *at = place as i32;
        }
    }
    by_column!(operands[0], C => {
        let columns = elements::<C>(&operands[0]);
        each(pool, to.len(), ENTRIES, |range| {
            // SAFETY: a range is one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<i32>(range.start, range.len()) };
            for (to, column) in to.iter_mut().zip(&columns[range]) {
                let column = column.number();
                let near = usize::try_from(column).ok().and_then(|at| places.get(at));
                let far = || needed.binary_search(&column).unwrap_or_else(|at| at) as i32;
                *to = near.copied().unwrap_or_else(far);
            }
        });
    });
}
