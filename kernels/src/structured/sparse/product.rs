//! Products of a sparse matrix in rows and a vector or a matrix.

use super::rows::{Column, Rows, by_column, elements};
use super::value::{Value, by_value};
use crate::structured::Block;
use crate::structured::lines::each;

/// The least number of rows of a job.
const ROWS: usize = 512;

/// `to = A x` for the operands (starts, ends, columns, values, x) of `Sparse::Product`.
///
/// The entries of a row are summed in their order. Entries outside of the blocks, and entries of
/// columns that `x` lacks, are skipped.
pub fn run(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    if to.is_empty() {
        return;
    }
    by_column!(operands[2], C => by_value!(to.dtype, T => match *to.shape {
        [_] => vector::<C, T>(operands, to, pool),
        _ => matrix::<C, T>(operands, to, pool),
    }));
}

fn rows<'a>(operands: &'a [Block<'_>], to: &Block<'_>) -> Rows<'a> {
    let rows = Rows::of(&operands[0], &operands[1], operands[3].len());
    assert!(
        rows.len() == to.shape[0] && operands[2].len() == operands[3].len(),
        "bug: {} rows, {} columns and {} values for {} rows",
        rows.len(),
        operands[2].len(),
        operands[3].len(),
        to.shape[0]
    );
    rows
}

fn vector<C: Column, T: Value>(
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = rows(operands, to);
    let columns = elements::<C>(&operands[2]);
    let (values, x) = (elements::<T>(&operands[3]), elements::<T>(&operands[4]));
    each(pool, rows.len(), ROWS, |range| {
        // SAFETY: each range of rows is one job's, and the result is the plan's alone.
        let to = unsafe { to.part_mut::<T>(range.start, range.len()) };
        for (row, to) in range.zip(to) {
            let entries = rows.get(row);
            let pairs = columns[entries.clone()].iter().zip(&values[entries]);
            let sum = pairs.fold(T::ZERO, |sum, (column, &value)| {
                let x = usize::try_from(column.number()).ok().and_then(|column| x.get(column));
                x.map_or(sum, |&x| T::add_product(sum, value, x))
            });
            *to = T::narrow(sum);
        }
    });
}

fn matrix<C: Column, T: Value>(
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = rows(operands, to);
    let width = to.shape[1];
    assert_eq!(operands[4].shape[1], width, "bug: the columns of a sparse product");
    let columns = elements::<C>(&operands[2]);
    let (values, x) = (elements::<T>(&operands[3]), elements::<T>(&operands[4]));
    each(pool, rows.len(), ROWS.div_ceil(width), |range| {
        let mut sums = vec![T::ZERO; width];
        // SAFETY: as in `vector`.
        let to = unsafe { to.part_mut::<T>(range.start * width, range.len() * width) };
        for (row, to) in range.zip(to.chunks_exact_mut(width)) {
            sums.fill(T::ZERO);
            let entries = rows.get(row);
            for (column, &value) in columns[entries.clone()].iter().zip(&values[entries]) {
                let Ok(column) = usize::try_from(column.number()) else { continue };
                let Some(start) = column.checked_mul(width) else { continue };
                let Some(x) = x.get(start..start + width) else { continue };
                add_row(&mut sums, value, x);
            }
            to.iter_mut().zip(&sums).for_each(|(to, &sum)| *to = T::narrow(sum));
        }
    });
}

fn add_row<T: Value>(sums: &mut [T::Sum], value: T, x: &[T]) {
    for (sum, &x) in sums.iter_mut().zip(x) {
        *sum = T::add_product(*sum, value, x);
    }
}
