//! Products of two sparse matrices, row by row with a table of the columns that the row has.
//!
//! Sources: F. G. Gustavson, "Two fast algorithms for sparse matrices: multiplication and permuted
//! transposition" (1978); for very wide matrices Y. Nagasaka, S. Matsuoka, A. Azad, A. Buluç,
//! "High-performance sparse matrix-matrix products on Intel KNL and multicore architectures"
//! (2018), section 4: hash tables whose size is the least power of two above the number of products
//! of a row.

use super::merge::pattern;
use super::rows::{Column, Rows, by_column, elements};
use super::semiring::{Ring, Sum, by_ring};
use super::value::Value;
use crate::structured::Block;
use crate::structured::lines::each;
use phalanx_ops::structured::Semiring;
use std::ops::Range;

/// The least number of rows of a job.
const ROWS: usize = 64;
/// A place of a table without a column.
const FREE: i64 = -1;
/// Up to this number of columns, a table has a place for each.
const WIDE: usize = 1 << 22;

/// A table from columns to numbers: a place for each column, or where there are very many, a hash
/// table.
enum Table {
    /// For each column, the turn in which it was last put, and its number.
    Direct { turn: u32, places: Vec<(u32, u32)> },
    /// The column of each place, and its number.
    Hashed { shift: u32, places: Vec<(i64, u32)> },
}

impl Table {
    fn new(width: usize) -> Table {
        match width {
            0..=WIDE => Table::Direct { turn: 0, places: vec![(0, 0); width] },
            _ => Table::Hashed { shift: 0, places: Vec::new() },
        }
    }

    /// Removes all columns, and makes room for `most` of them.
    fn clear(&mut self, most: usize) {
        match self {
            Table::Direct { turn, places } => {
                *turn = turn.wrapping_add(1);
                if *turn == 0 {
                    places.fill((0, 0));
                    *turn = 1;
                }
            }
            Table::Hashed { shift, places } => {
                let size = (2 * most).next_power_of_two().max(16);
                *shift = 64 - size.trailing_zeros();
                places.clear();
                places.resize(size, (FREE, 0));
            }
        }
    }

    /// Puts a column with a number. Returns whether the table did not have it.
    #[inline(always)]
    fn put(&mut self, column: i64, number: u32) -> bool {
        match self {
            Table::Direct { turn, places } => {
                let place = &mut places[column as usize];
                let is_new = place.0 != *turn;
                *place = (*turn, number);
                is_new
            }
            Table::Hashed { shift, places } => {
                let place = hashed(places, *shift, column);
                let is_new = place.0 == FREE;
                *place = (column, number);
                is_new
            }
        }
    }

    /// The number of a column.
    #[inline(always)]
    fn get(&mut self, column: i64) -> Option<u32> {
        match self {
            Table::Direct { turn, places } => {
                let place = places[column as usize];
                (place.0 == *turn).then_some(place.1)
            }
            Table::Hashed { shift, places } => {
                let place = hashed(places, *shift, column);
                (place.0 != FREE).then_some(place.1)
            }
        }
    }
}

/// The place of a column: one that it has, or one that is free.
fn hashed(places: &mut [(i64, u32)], shift: u32, column: i64) -> &mut (i64, u32) {
    // Fibonacci hashing: the high bits of the product with 2^64 divided by the golden ratio.
    let mut at = ((column as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
    while places[at].0 != column && places[at].0 != FREE {
        at = (at + 1) & (places.len() - 1);
    }
    &mut places[at]
}

/// The rows of B that a row of A needs.
struct Factors<'a, C> {
    a: Rows<'a>,
    a_columns: &'a [C],
    b: Rows<'a>,
    b_columns: &'a [C],
    /// The number of columns of the product.
    width: usize,
}

impl<'a, C: Column> Factors<'a, C> {
    fn new((a, a_columns): (Rows<'a>, &'a [C]), (b, b_columns): (Rows<'a>, &'a [C])) -> Self {
        let last = b_columns.iter().max().map_or(-1, |column| column.number());
        let width = usize::try_from(last.saturating_add(1)).unwrap_or(usize::MAX);
        Factors { a, a_columns, b, b_columns, width }
    }

    /// The entries of the row of B for an entry of A.
    fn entries(&self, entry: usize) -> Range<usize> {
        let row = usize::try_from(self.a_columns[entry].number());
        row.ok().filter(|&row| row < self.b.len()).map_or(0..0, |row| self.b.get(row))
    }

    /// The number of products of a row.
    fn products(&self, row: usize) -> usize {
        self.a.get(row).map(|entry| self.entries(entry).len()).sum()
    }

    /// Puts the columns of a row of the product into a table, and calls `new` with each.
    fn columns(&self, row: usize, table: &mut Table, mut new: impl FnMut(C)) {
        table.clear(self.products(row));
        for entry in self.a.get(row) {
            for &column in &self.b_columns[self.entries(entry)] {
                if table.put(column.number(), 0) {
                    new(column);
                }
            }
        }
    }
}

/// `Sparse::ProductCount`: operands (starts, ends, columns) of A and of B.
pub fn count(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(operands[5], C => {
        let factors = Factors::new(pattern::<C>(&operands[..3]), pattern::<C>(&operands[3..]));
        assert_eq!(factors.a.len(), to.len(), "bug: a number for each row");
        each(pool, to.len(), ROWS, |range| {
            let mut table = Table::new(factors.width);
            // SAFETY: a range is one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<i64>(range.start, range.len()) };
            for (row, to) in range.zip(to) {
                let mut count = 0;
                factors.columns(row, &mut table, |_| count += 1);
                *to = count;
            }
        });
    });
}

/// `Sparse::ProductColumns`: operands (into, starts, ends), and (starts, ends, columns) of A and of
/// B.
pub fn columns(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    by_column!(to, C => {
        let rows = Rows::of(&operands[1], &operands[2], to.len());
        let factors = Factors::new(pattern::<C>(&operands[3..6]), pattern::<C>(&operands[6..]));
        each(pool, rows.len(), ROWS, |range| {
            let mut table = Table::new(factors.width);
            for row in range {
                let entries = rows.get(row);
                // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
                let to = unsafe { to.part_mut::<C>(entries.start, entries.len()) };
                let mut at = 0;
                factors.columns(row, &mut table, |column| {
                    if let Some(to) = to.get_mut(at) {
                        *to = column;
                    }
                    at += 1;
                });
                to.sort_unstable();
            }
        });
    });
}

/// `Sparse::ProductValues`: operands (columns, starts, ends), and (starts, ends, columns, values)
/// of A and of B.
pub fn values(
    semiring: Semiring,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    by_column!(operands[0], C => by_ring!(semiring, to.dtype, ring => {
        values_of::<C, _>(ring, operands, to, pool);
    }));
}

fn values_of<C: Column, R: Ring>(
    ring: R,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = Rows::of(&operands[1], &operands[2], to.len());
    let b = pattern::<C>(&operands[7..10]);
    let (b_columns, factors) = (b.1, Factors::new(pattern::<C>(&operands[3..6]), b));
    let columns = elements::<C>(&operands[0]);
    let (a_values, b_values) =
        (elements::<R::Value>(&operands[6]), elements::<R::Value>(&operands[10]));
    each(pool, rows.len(), ROWS, |range| {
        let mut table = Table::new(factors.width);
        let mut sums: Vec<Sum<R>> = Vec::new();
        for row in range {
            let entries = rows.get(row);
            table.clear(entries.len());
            for (at, column) in columns[entries.clone()].iter().enumerate() {
                table.put(column.number(), at as u32);
            }
            sums.clear();
            sums.resize(entries.len(), ring.zero());
            for entry in factors.a.get(row) {
                let own = factors.entries(entry);
                let (columns, values) = (&b_columns[own.clone()], &b_values[own]);
                ring.add_at(&mut sums, a_values[entry], columns, values, |column| {
                    table.get(column.number())
                });
            }
            // SAFETY: the entries of a row are one job's, and the result is the plan's alone.
            let to = unsafe { to.part_mut::<R::Value>(entries.start, entries.len()) };
            to.iter_mut().zip(&sums).for_each(|(to, &sum)| *to = R::Value::narrow(sum));
        }
    });
}
