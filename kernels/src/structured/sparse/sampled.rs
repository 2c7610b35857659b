//! Products of dense matrices at the entries of a sparse one.

use super::rows::{Column, Rows, by_column, elements};
use super::value::{Value, by_value};
use crate::structured::Block;
use crate::structured::lines::each;

/// The least number of products of elements of a job.
const PRODUCTS: usize = 1 << 14;
/// Partial sums of a product of rows. Processors add them together.
const LANES: usize = 8;

/// `Sparse::SampledProduct`: operands (columns, starts, ends, values, x, y).
///
/// Terms are summed in an order that depends on the extent of the rows alone. The product of rows
/// is rounded before it is multiplied by the value. Entries of columns that `y` lacks become zero.
pub fn run(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(operands[0], C => by_value!(to.dtype, T => sampled::<C, T>(operands, to, pool)));
}

fn sampled<C: Column, T: Value>(
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = Rows::of(&operands[1], &operands[2], to.len());
    let columns = elements::<C>(&operands[0]);
    let values = elements::<T>(&operands[3]);
    let (x, y) = (elements::<T>(&operands[4]), elements::<T>(&operands[5]));
    let [count, width] = *operands[4].shape else { unreachable!("bug: x is a matrix") };
    assert!(
        count == rows.len()
            && operands[5].shape[1] == width
            && [columns.len(), values.len()] == [to.len(); 2],
        "bug: {count} rows of x, {} columns and {} values for {} rows and {} entries",
        columns.len(),
        values.len(),
        rows.len(),
        to.len()
    );
    // Jobs share entries and not rows, which may be of any lengths.
    each(pool, to.len(), PRODUCTS.div_ceil(width.max(1)), |range| {
        // SAFETY: a range is one job's, and the result is the plan's alone.
        let to = unsafe { to.part_mut::<T>(range.start, range.len()) };
        for row in row_of(rows, range.start)..rows.len() {
            let entries = rows.get(row);
            if entries.start >= range.end {
                break;
            }
            let own = &x[row * width..(row + 1) * width];
            for entry in entries.start.max(range.start)..entries.end.min(range.end) {
                let start = usize::try_from(columns[entry].number()).ok();
                let start = start.and_then(|column| column.checked_mul(width));
                let other = start.and_then(|start| y.get(start..start.checked_add(width)?));
                let product = other.map_or(T::ZERO, |other| product(own, other));
                let scaled = add_product::<T>(T::ZERO, values[entry], T::narrow(product));
                to[entry - range.start] = T::narrow(scaled);
            }
        }
    });
}

/// The last row that begins at or before an entry.
fn row_of(rows: Rows<'_>, entry: usize) -> usize {
    let (mut low, mut high) = (0, rows.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match rows.get(middle).start <= entry {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low.saturating_sub(1)
}

/// The sum of the products of the elements of two rows.
fn product<T: Value>(a: &[T], b: &[T]) -> T::Sum {
    let mut sums = [T::ZERO; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a.remainder().iter().zip(b.remainder());
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            sums[lane] = add_product::<T>(sums[lane], a[lane], b[lane]);
        }
    }
    for (sum, (&a, &b)) in sums.iter_mut().zip(rest) {
        *sum = add_product::<T>(*sum, a, b);
    }
    for width in [4, 2, 1] {
        for lane in 0..width {
            sums[lane] = T::add(sums[lane], sums[lane + width]);
        }
    }
    sums[0]
}

/// `sum + a b`.
#[inline(always)]
fn add_product<T: Value>(sum: T::Sum, a: T, b: T) -> T::Sum {
    T::add(sum, T::multiply(a, b))
}
