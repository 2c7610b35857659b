//! The union of two matrices' entries, and the values of a matrix at entries of another one.

use super::entries::per_row;
use super::rows::{Column, Rows, by_column, elements};
use super::value::{Value, by_value};
use crate::structured::Block;
use crate::structured::lines::each;
use std::cmp::Ordering;

/// The least number of rows of a job.
const ROWS: usize = 256;

/// A matrix's rows and columns: operands (starts, ends, columns).
pub fn pattern<'a, C: Column>(operands: &'a [Block<'_>]) -> (Rows<'a>, &'a [C]) {
    (Rows::of(&operands[0], &operands[1], operands[2].len()), elements::<C>(&operands[2]))
}

/// Calls `each` with the columns of the union of two sorted rows.
fn union<C: Column>(a: &[C], b: &[C], mut each: impl FnMut(C)) {
    let (mut at, mut other) = (0, 0);
    while at < a.len() && other < b.len() {
        let (left, right) = (a[at], b[other]);
        each(left.min(right));
        let order = left.cmp(&right);
        at += usize::from(order != Ordering::Greater);
        other += usize::from(order != Ordering::Less);
    }
    a[at..].iter().chain(&b[other..]).for_each(|&column| each(column));
}

/// `Sparse::UnionCount`: operands (starts, ends, columns) of A and of B.
pub fn union_count(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(operands[2], C => {
        let ((a, a_columns), (b, b_columns)) =
            (pattern::<C>(&operands[..3]), pattern::<C>(&operands[3..]));
        per_row(a, to, pool, |row| {
            let mut count = 0;
            union(&a_columns[a.get(row)], &b_columns[b.get(row)], |_| count += 1);
            count
        });
    });
}

/// `Sparse::Union`: operands (into, starts, ends), and (starts, ends, columns) of A and of B.
pub fn union_columns(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(to, C => {
        let rows = Rows::of(&operands[1], &operands[2], to.len());
        let ((a, a_columns), (b, b_columns)) =
            (pattern::<C>(&operands[3..6]), pattern::<C>(&operands[6..]));
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let entries = rows.get(row);
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            let mut to = unsafe { to.part_mut::<C>(entries.start, entries.len()) }.iter_mut();
            union(&a_columns[a.get(row)], &b_columns[b.get(row)], |column| {
                if let Some(to) = to.next() {
                    *to = column;
                }
            });
        }));
    });
}

/// `Sparse::Align`: operands (columns, starts, ends) of the entries, and (starts, ends, columns,
/// values) of the matrix.
pub fn align(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(operands[0], C => by_value!(to.dtype, T => {
        let rows = Rows::of(&operands[1], &operands[2], to.len());
        let wanted = elements::<C>(&operands[0]);
        let (matrix, columns) = pattern::<C>(&operands[3..6]);
        let values = elements::<T>(&operands[6]);
        each(pool, rows.len(), ROWS, |range| range.for_each(|row| {
            let (entries, own) = (rows.get(row), matrix.get(row));
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<T>(entries.start, entries.len()) };
            align_row(&wanted[entries], &columns[own.clone()], &values[own], to);
        }));
    }));
}

fn align_row<C: Column, T: Value>(wanted: &[C], columns: &[C], values: &[T], to: &mut [T]) {
    let (mut at, mut last) = (0, None);
    for (&column, to) in wanted.iter().zip(to) {
        if last.is_some_and(|last| column < last) {
            at = columns.partition_point(|&own| own < column);
        }
        last = Some(column);
        while at < columns.len() && columns[at] < column {
            at += 1;
        }
        let count = columns[at..].iter().take_while(|&&own| own == column).count();
        let mut found = values[at..at + count].iter();
        let first = found.next().map_or(T::ZERO, |value| value.widen());
        *to = T::narrow(found.fold(first, |sum, value| T::add(sum, value.widen())));
    }
}
