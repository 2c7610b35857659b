//! A square matrix in compressed columns.

use super::Scalar;
use std::ops::Range;

/// A square matrix in compressed columns (CSC).
#[derive(Clone, Debug, PartialEq)]
pub struct Columns<T> {
    /// For each column, the number of its first entry; then the number of entries.
    pub starts: Vec<usize>,
    /// The row of each entry.
    pub rows: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<T>,
}

impl<T: Scalar> Columns<T> {
    /// The matrix without columns, with memory for entries.
    pub(super) fn with_capacity(entries: usize) -> Columns<T> {
        let (rows, values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        Columns { starts: vec![0], rows, values }
    }

    /// The number of columns.
    pub fn extent(&self) -> usize {
        self.starts.len() - 1
    }

    /// The numbers of the entries of a column.
    pub(super) fn entries(&self, column: usize) -> Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// The rows of a column.
    pub(super) fn rows_of(&self, column: usize) -> &[u32] {
        &self.rows[self.entries(column)]
    }

    /// The rows of a column with their values.
    pub(super) fn column(&self, column: usize) -> impl DoubleEndedIterator<Item = (usize, T)> + '_ {
        let entries = self.entries(column);
        let rows = self.rows[entries.clone()].iter().map(|&row| row as usize);
        rows.zip(self.values[entries].iter().copied())
    }

    pub(super) fn push(&mut self, row: usize, value: T) {
        self.rows.push(row as u32);
        self.values.push(value);
    }

    /// Ends a column.
    pub(super) fn end_column(&mut self) {
        self.starts.push(self.rows.len());
    }

    /// The transposed matrix. The rows of its columns ascend.
    #[must_use]
    pub fn transposed(&self) -> Columns<T> {
        let mut starts = vec![0; self.starts.len()];
        for &row in &self.rows {
            starts[row as usize + 1] += 1;
        }
        for column in 0..self.extent() {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut made = Columns {
            starts,
            rows: vec![0; self.rows.len()],
            values: vec![T::default(); self.values.len()],
        };
        for column in 0..self.extent() {
            for (row, value) in self.column(column) {
                made.rows[next[row]] = column as u32;
                made.values[next[row]] = value;
                next[row] += 1;
            }
        }
        made
    }
}
