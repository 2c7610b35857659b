//! LU factorisations of matrices of few rows, without memory from the heap: a stack has many.
//!
//! Gaussian elimination with partial pivoting (G. H. Golub, C. F. Van Loan, "Matrix Computations",
//! 4th edition, algorithm 3.4.1), row by row.

use super::number::Number;

/// The most rows of such a matrix.
pub(super) const MOST: usize = 8;

/// Both factors of a matrix with its rows in another order.
pub(super) struct Small<T> {
    n: usize,
    /// The factors in C order; the diagonal is that of the upper one.
    factors: [T; MOST * MOST],
    /// The row of the matrix that became each row of the factors.
    rows: [usize; MOST],
    /// Whether an odd number of rows was exchanged.
    pub odd: bool,
}

/// The sum of the magnitudes of a number's components.
fn size<T: Number>(number: T) -> f64 {
    let [real, imaginary] = number.parts();
    real.abs() + imaginary.abs()
}

/// A quotient; that of real numbers is the nearest number.
fn over<T: Number>(number: T, by: T) -> T {
    match T::IS_REAL {
        // Twice the digits, rounded twice, are those of a division in f32.
        true => T::of(number.parts()[0] / by.parts()[0], 0.0),
        false => number * T::recip_impl(&by),
    }
}

/// Factorises a matrix in C order in place. A column of zeros stays. `exchanged` gets each pair of
/// rows that is exchanged.
///
/// Gaussian elimination with partial pivoting, row by row (algorithm 3.4.1 there).
pub(super) fn eliminate<T: Number>(
    all: &mut [T],
    width: usize,
    mut exchanged: impl FnMut(usize, usize),
) {
    let zero = T::of(0.0, 0.0);
    let count = all.len().checked_div(width).unwrap_or(0);
    for at in 0..count.min(width) {
        let (mut pivot, mut largest) = (at, size(all[at * width + at]));
        for row in at + 1..count {
            let size = size(all[row * width + at]);
            if size > largest {
                (pivot, largest) = (row, size);
            }
        }
        if pivot != at {
            let (above, below) = all.split_at_mut(pivot * width);
            above[at * width..][..width].swap_with_slice(&mut below[..width]);
            exchanged(at, pivot);
        }
        let (above, below) = all.split_at_mut((at + 1) * width);
        let top = &above[at * width..];
        if top[at] == zero {
            continue;
        }
        for row in below.chunks_exact_mut(width) {
            let factor = over(row[at], top[at]);
            row[at] = factor;
            for (element, &top) in row[at + 1..].iter_mut().zip(&top[at + 1..]) {
                *element -= factor * top;
            }
        }
    }
}

impl<T: Number> Small<T> {
    /// Factorises a matrix of `n` rows, at most `MOST`, in C order.
    pub fn new(a: &[T], n: usize) -> Small<T> {
        let zero = T::of(0.0, 0.0);
        let mut factors = [zero; MOST * MOST];
        let all = &mut factors[..n * n];
        all.copy_from_slice(a);
        let mut rows = std::array::from_fn(|row| row);
        let mut odd = false;
        eliminate(all, n, |at, pivot| {
            rows.swap(at, pivot);
            odd = !odd;
        });
        Small { n, factors, rows, odd }
    }

    /// The components of the pivots.
    pub fn pivots(&self) -> impl Iterator<Item = [f64; 2]> {
        (0..self.n).map(|at| self.factors[at * (self.n + 1)].parts())
    }

    /// Writes the solution for the columns of a matrix in C order.
    pub fn solve(&self, right: &[T], to: &mut [T]) {
        let columns = right.len() / self.n;
        for (to, &row) in to.chunks_exact_mut(columns.max(1)).zip(&self.rows) {
            to.copy_from_slice(&right[row * columns..][..columns]);
        }
        self.substitute(to, columns);
    }

    /// Writes the inverse.
    pub fn invert(&self, to: &mut [T]) {
        to.fill(T::of(0.0, 0.0));
        for (to, &row) in to.chunks_exact_mut(self.n).zip(&self.rows) {
            to[row] = T::of(1.0, 0.0);
        }
        self.substitute(to, self.n);
    }

    /// Solves for right-hand sides in the order of the factors' rows, in place.
    fn substitute(&self, right: &mut [T], columns: usize) {
        if columns == 0 {
            return;
        }
        let n = self.n;
        let row = |at: usize| &self.factors[at * n..][..n];
        let subtract = |to: &mut [T], factor: T, from: &[T]| {
            for (to, &from) in to.iter_mut().zip(from) {
                *to -= factor * from;
            }
        };
        for at in 1..n {
            let (above, below) = right.split_at_mut(at * columns);
            for (above, &factor) in above.chunks_exact(columns).zip(row(at)) {
                subtract(&mut below[..columns], factor, above);
            }
        }
        for at in (0..n).rev() {
            let (above, below) = right.split_at_mut((at + 1) * columns);
            let to = &mut above[at * columns..];
            for (below, &factor) in below.chunks_exact(columns).zip(&row(at)[at + 1..]) {
                subtract(to, factor, below);
            }
            to.iter_mut().for_each(|element| *element = over(*element, row(at)[at]));
        }
    }
}
