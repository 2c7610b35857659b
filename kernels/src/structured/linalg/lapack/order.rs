//! Copies of matrices between the orders by rows and by columns.

/// The extent of the squares that are copied at once, which stay in the first-level cache.
const SQUARE: usize = 16;

/// A matrix in memory: the number of its lines, the elements of a line, and the elements from the
/// start of a line to the start of the next.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub count: usize,
    pub len: usize,
    pub step: usize,
}

impl Lines {
    /// Lines without gaps.
    pub(super) fn packed(count: usize, len: usize) -> Lines {
        Lines { count, len, step: len }
    }
}

/// Writes the lines of a matrix as columns: the elements of `to` at a distance of `to_step`.
pub(super) fn transpose<T: Copy>(from: &[T], lines: Lines, to: &mut [T], to_step: usize) {
    let Lines { count, len, step } = lines;
    for first in (0..count).step_by(SQUARE) {
        let last = (first + SQUARE).min(count);
        for start in (0..len).step_by(SQUARE) {
            for at in start..(start + SQUARE).min(len) {
                let to = &mut to[at * to_step + first..at * to_step + last];
                for (line, to) in (first..last).zip(to) {
                    *to = from[line * step + at];
                }
            }
        }
    }
}

/// The transpose of a matrix without gaps.
pub(super) fn transposed<T: Copy>(from: &[T], rows: usize, columns: usize, fill: T) -> Vec<T> {
    let mut to = vec![fill; rows * columns];
    transpose(from, Lines::packed(rows, columns), &mut to, rows);
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_columns() {
        for (rows, columns) in [(1, 1), (3, 20), (40, 17), (16, 33)] {
            let from: Vec<usize> = (0..rows * columns).collect();
            let to = transposed(&from, rows, columns, 0);
            let is_moved = |at: usize| to[at % columns * rows + at / columns] == at;
            assert!((0..rows * columns).all(is_moved));
        }
    }
}
