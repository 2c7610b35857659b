//! Products of a sparse matrix in rows and a vector or a matrix.

use super::rows::{Column, Rows, by_column, elements};
use super::semiring::{Ring, by_ring};
use super::value::Value;
use crate::structured::Block;
use crate::structured::lines::{copy, each};
use phalanx_ops::structured::Semiring;

/// The least number of rows of a job.
const ROWS: usize = 512;

/// `to = A x` for the operands (starts, ends, columns, values, x) of `Sparse::Product`.
///
/// The products of a row are combined in the order of its entries. Entries outside of the blocks,
/// and entries of columns that `x` lacks, are skipped.
pub fn run(
    semiring: Semiring,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    by_column!(operands[2], C => by_ring!(semiring, to.dtype, ring => match *to.shape {
        [_] => vector::<C, _>(ring, operands, to, pool),
        _ => matrix::<C, _>(ring, operands, to, pool),
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

fn vector<C: Column, R: Ring>(
    ring: R,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = rows(operands, to);
    let columns = elements::<C>(&operands[2]);
    let (values, x) = (elements::<R::Value>(&operands[3]), elements::<R::Value>(&operands[4]));
    each(pool, rows.len(), ROWS, |range| {
        // SAFETY: each range of rows is one job's, and the result is the plan's alone.
        let to = unsafe { to.part_mut::<R::Value>(range.start, range.len()) };
        for (row, to) in range.zip(to) {
            let entries = rows.get(row);
            let sum = ring.dot(&columns[entries.clone()], &values[entries], x);
            *to = R::Value::narrow(sum);
        }
    });
}

fn matrix<C: Column, R: Ring>(
    ring: R,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = rows(operands, to);
    let width = to.shape[1];
    assert_eq!(operands[4].shape[1], width, "bug: the columns of a sparse product");
    let columns = elements::<C>(&operands[2]);
    let (values, x) = (elements::<R::Value>(&operands[3]), elements::<R::Value>(&operands[4]));
    each(pool, rows.len(), ROWS.div_ceil(width), |range| {
        let mut sums = vec![ring.zero(); width];
        // SAFETY: as in `vector`.
        let to = unsafe { to.part_mut::<R::Value>(range.start * width, range.len() * width) };
        for (row, to) in range.zip(to.chunks_exact_mut(width)) {
            sums.fill(ring.zero());
            let entries = rows.get(row);
            for (column, &value) in columns[entries.clone()].iter().zip(&values[entries]) {
                let Ok(column) = usize::try_from(column.number()) else { continue };
                let Some(start) = column.checked_mul(width) else { continue };
                let Some(x) = x.get(start..start + width) else { continue };
                ring.add_row(&mut sums, value, x);
            }
            to.iter_mut().zip(&sums).for_each(|(to, &sum)| *to = R::Value::narrow(sum));
        }
    });
}

/// Some rows of `to = A x` for the operands (into, rows, starts, ends, columns, values, x,
/// received) of `Sparse::ProductRows`.
///
/// Each row has the bits that `run` gives it for the whole vector. Rows outside of the block are
/// left out.
pub fn run_rows(
    semiring: Semiring,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    copy(&operands[0], to, pool);
    by_column!(operands[4], C => by_ring!(semiring, to.dtype, ring => {
        some_rows::<C, _>(ring, operands, to, pool);
    }));
}

fn some_rows<C: Column, R: Ring>(
    ring: R,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = rows(&operands[2..], to);
    let wanted = elements::<i64>(&operands[1]);
    // Jobs write different elements because no row is wanted twice.
    let is_ascending = wanted.is_sorted_by(|a, b| a < b);
    assert!(is_ascending, "bug: rows of a product that are not ascending");
    let columns = elements::<C>(&operands[4]);
    let (values, x) = (elements::<R::Value>(&operands[5]), elements::<R::Value>(&operands[6]));
    let received = elements::<R::Value>(&operands[7]);
    each(pool, wanted.len(), ROWS, |range| {
        for &row in &wanted[range] {
            let Some(row) = usize::try_from(row).ok().filter(|row| *row < rows.len()) else {
                continue;
            };
            let entries = rows.get(row);
            let pairs = columns[entries.clone()].iter().zip(&values[entries]);
            let sum = pairs.fold(ring.zero(), |sum, (column, &value)| {
                let column = usize::try_from(column.number()).ok();
                let x = column
                    .and_then(|column| x.get(column).or_else(|| received.get(column - x.len())));
                x.map_or(sum, |&x| ring.add_product(sum, value, x))
            });
            // SAFETY: a row is one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<R::Value>(row, 1) };
            to[0] = R::Value::narrow(sum);
        }
    });
}
