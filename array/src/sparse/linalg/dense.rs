//! Small dense matrices on the host, of the size of a search space.
//!
//! Every process computes the same from the same numbers, so decisions agree. Only `+ - * /` and
//! square roots are used, which round alike on all machines.

use num_complex::Complex64;

/// A matrix in columns.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    pub(super) rows: usize,
    pub(super) columns: usize,
    elements: Vec<Complex64>,
}

const ZERO: Complex64 = Complex64::new(0.0, 0.0);
const ONE: Complex64 = Complex64::new(1.0, 0.0);

/// The most sweeps of Jacobi's method, and the most steps for each eigenvalue of the QR algorithm.
const SWEEPS: usize = 30;
const QR_STEPS: usize = 60;

/// The absolute value, by operations that round alike everywhere.
pub(super) fn absolute(value: Complex64) -> f64 {
    let (large, small) = (value.re.abs().max(value.im.abs()), value.re.abs().min(value.im.abs()));
    if large == 0.0 || !large.is_finite() {
        return large;
    }
    let ratio = small / large;
    large * (1.0 + ratio * ratio).sqrt()
}

/// The principal square root, by such operations.
fn square_root(value: Complex64) -> Complex64 {
    let size = absolute(value);
    if size == 0.0 {
        return ZERO;
    }
    let re = ((size + value.re.abs()) / 2.0).sqrt();
    let im = value.im.abs() / (2.0 * re);
    let (re, im) = if value.re >= 0.0 { (re, im) } else { (im, re) };
    Complex64::new(re, if value.im < 0.0 { -im } else { im })
}

impl Dense {
    pub(super) fn zeros(rows: usize, columns: usize) -> Dense {
        Dense { rows, columns, elements: vec![ZERO; rows * columns] }
    }

    pub(super) fn new(
        rows: usize,
        columns: usize,
        element: impl Fn(usize, usize) -> Complex64,
    ) -> Dense {
        let mut made = Dense::zeros(rows, columns);
        for column in 0..columns {
            for row in 0..rows {
                made.set(row, column, element(row, column));
            }
        }
        made
    }

    pub(super) fn identity(size: usize) -> Dense {
        Dense::new(size, size, |row, column| if row == column { ONE } else { ZERO })
    }

    pub(super) fn at(&self, row: usize, column: usize) -> Complex64 {
        self.elements[column * self.rows + row]
    }

    pub(super) fn set(&mut self, row: usize, column: usize, value: Complex64) {
        self.elements[column * self.rows + row] = value;
    }

    pub(super) fn column(&self, column: usize) -> &[Complex64] {
        &self.elements[column * self.rows..(column + 1) * self.rows]
    }

    /// The elements row by row.
    pub(super) fn in_rows(&self) -> Vec<Complex64> {
        let row = |row: usize| (0..self.columns).map(move |column| self.at(row, column));
        (0..self.rows).flat_map(row).collect()
    }

    pub(super) fn adjoint(&self) -> Dense {
        Dense::new(self.columns, self.rows, |row, column| self.at(column, row).conj())
    }

    pub(super) fn times(&self, right: &Dense) -> Dense {
        Dense::new(self.rows, right.columns, |row, column| {
            (0..self.columns).map(|at| self.at(row, at) * right.at(at, column)).sum()
        })
    }

    /// Some of the columns, in this order.
    pub(super) fn selected(&self, columns: &[usize]) -> Dense {
        Dense::new(self.rows, columns.len(), |row, column| self.at(row, columns[column]))
    }

    /// The Hermitian part, which removes differences by rounding.
    pub(super) fn hermitian(&self) -> Dense {
        Dense::new(self.rows, self.rows, |row, column| {
            (self.at(row, column) + self.at(column, row).conj()) * 0.5
        })
    }

    /// The largest sum of absolute values of a column.
    pub(super) fn one_norm(&self) -> f64 {
        let sum = |column: usize| self.column(column).iter().map(|value| absolute(*value)).sum();
        (0..self.columns).map(sum).fold(0.0, f64::max)
    }

    /// Replaces two columns by `cosine · a - conj(sine) · b` and `sine · a + cosine · b`.
    fn rotate_columns(&mut self, [a, b]: [usize; 2], cosine: f64, sine: Complex64) {
        for row in 0..self.rows {
            let (left, right) = (self.at(row, a), self.at(row, b));
            self.set(row, a, left * cosine - sine.conj() * right);
            self.set(row, b, sine * left + right * cosine);
        }
    }

    /// Replaces two rows by `cosine · a - sine · b` and `conj(sine) · a + cosine · b`.
    fn rotate_rows(&mut self, [a, b]: [usize; 2], cosine: f64, sine: Complex64) {
        for column in 0..self.columns {
            let (upper, lower) = (self.at(a, column), self.at(b, column));
            self.set(a, column, upper * cosine - sine * lower);
            self.set(b, column, sine.conj() * upper + lower * cosine);
        }
    }

    /// The eigenvalues of a Hermitian matrix, ascending, and its eigenvectors in columns. Source:
    /// G. H. Golub, C. F. Van Loan, "Matrix Computations" (2013), section 8.5 (Jacobi's method).
    pub(super) fn eigen_hermitian(&self) -> (Vec<f64>, Dense) {
        let (mut a, mut vectors) = (self.hermitian(), Dense::identity(self.rows));
        let n = self.rows;
        for _ in 0..SWEEPS {
            let mut is_diagonal = true;
            for p in 0..n {
                for q in p + 1..n {
                    let off = a.at(p, q);
                    let size = absolute(off);
                    let (first, second) = (a.at(p, p).re, a.at(q, q).re);
                    let scale = (first.abs() * second.abs()).sqrt();
                    // Also far below the rounding of the larger element, if the other one is tiny.
                    let noise = f64::EPSILON / 64.0 * first.abs().max(second.abs());
                    if size <= f64::EPSILON * scale || size <= noise || size == 0.0 {
                        continue;
                    }
                    is_diagonal = false;
                    let ratio = (second - first) / (2.0 * size);
                    let tangent = {
                        let sign = if ratio >= 0.0 { 1.0 } else { -1.0 };
                        sign / (ratio.abs() + (1.0 + ratio * ratio).sqrt())
                    };
                    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                    let sine = off / size * (tangent * cosine);
                    a.rotate_columns([p, q], cosine, sine);
                    a.rotate_rows([p, q], cosine, sine);
                    a.set(p, q, ZERO);
                    a.set(q, p, ZERO);
                    vectors.rotate_columns([p, q], cosine, sine);
                }
            }
            if is_diagonal {
                break;
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&left, &right| a.at(left, left).re.total_cmp(&a.at(right, right).re));
        let values = order.iter().map(|&at| a.at(at, at).re).collect();
        (values, vectors.selected(&order))
    }

    /// The factors `T` and `Q` of `A = Q T Qᴴ` with an upper triangle `T` and a unitary `Q`.
    /// Source: Golub and Van Loan (see `eigen_hermitian`), sections 7.4 and 7.5: reduction to
    /// Hessenberg form by reflections, then single shifts of Wilkinson.
    pub(super) fn schur(&self) -> (Dense, Dense) {
        let n = self.rows;
        let (mut t, mut q) = (self.clone(), Dense::identity(n));
        for column in 0..n.saturating_sub(2) {
            for row in (column + 2..n).rev() {
                t.annihilate([row - 1, row], column, &mut q);
            }
        }
        let mut end = n;
        let mut steps = 0;
        while end > 1 {
            let last = end - 1;
            let start = t.start_of_block(last);
            if start == last {
                (end, steps) = (last, 0);
                continue;
            }
            steps += 1;
            if steps > QR_STEPS {
                // Not reached in practice; the element is dropped so that the loop ends.
                t.set(last, last - 1, ZERO);
                continue;
            }
            let shift = match steps % 11 {
                10 => Complex64::from(absolute(t.at(last, last - 1))) + t.at(last, last),
                _ => t.wilkinson(last),
            };
            // The first rotation is that of the shifted matrix; the others chase its bulge.
            let (first, second) = (t.at(start, start) - shift, t.at(start + 1, start));
            t.rotate_similar([start, start + 1], rotation(first, second), &mut q);
            for at in start + 1..last {
                t.annihilate([at, at + 1], at - 1, &mut q);
            }
        }
        for column in 0..n {
            for row in column + 1..n {
                t.set(row, column, ZERO);
            }
        }
        (t, q)
    }

    /// The start of the unreduced block that ends in row `last`; negligible elements become zero.
    fn start_of_block(&mut self, last: usize) -> usize {
        let mut start = last;
        while start > 0 {
            let size = absolute(self.at(start, start - 1));
            let near = absolute(self.at(start, start)) + absolute(self.at(start - 1, start - 1));
            let near = if near == 0.0 { self.one_norm() } else { near };
            if size <= f64::EPSILON * near {
                self.set(start, start - 1, ZERO);
                break;
            }
            start -= 1;
        }
        start
    }

    /// The eigenvalue of the last 2 × 2 block that is nearer to its last element.
    fn wilkinson(&self, last: usize) -> Complex64 {
        let (a, b) = (self.at(last - 1, last - 1), self.at(last - 1, last));
        let (c, d) = (self.at(last, last - 1), self.at(last, last));
        let half = (a - d) * 0.5;
        let root = square_root(half * half + b * c);
        let sum =
            if absolute(half + root) >= absolute(half - root) { half + root } else { half - root };
        if absolute(sum) == 0.0 { d } else { d - b * c / sum }
    }

    /// Makes the element in a column and the second of two neighbouring rows zero, by a rotation of
    /// both rows and of the same columns.
    fn annihilate(&mut self, rows: [usize; 2], column: usize, q: &mut Dense) {
        let [upper, lower] = rows.map(|row| self.at(row, column));
        if lower == ZERO {
            return;
        }
        self.rotate_similar(rows, rotation(upper, lower), q);
        self.set(rows[1], column, ZERO);
    }

    fn rotate_similar(&mut self, rows: [usize; 2], by: (f64, Complex64), q: &mut Dense) {
        let (cosine, sine) = by;
        // `rotate_rows` takes the negated sine of `rotation`.
        self.rotate_rows(rows, cosine, -sine);
        self.rotate_columns(rows, cosine, -sine);
        q.rotate_columns(rows, cosine, -sine);
    }

    /// Brings selected eigenvalues of a Schur form to its front, in this order. Source: Golub and
    /// Van Loan (see `eigen_hermitian`), section 7.6.2.
    pub(super) fn reorder_schur(&mut self, q: &mut Dense, wanted: &[usize]) {
        let mut order: Vec<usize> = (0..self.rows).collect();
        for (to, &value) in wanted.iter().enumerate() {
            let from = order.iter().position(|&at| at == value).unwrap_or(to);
            for at in (to..from).rev() {
                let (upper, lower) = (self.at(at, at), self.at(at + 1, at + 1));
                let off = self.at(at, at + 1);
                let by = rotation(off, lower - upper);
                self.rotate_similar([at, at + 1], by, q);
                self.set(at + 1, at, ZERO);
                self.set(at, at, lower);
                self.set(at + 1, at + 1, upper);
                order.swap(at, at + 1);
            }
        }
    }

    /// The eigenvectors of an upper triangle, of norm 1, in columns.
    pub(super) fn triangle_vectors(&self) -> Dense {
        let n = self.rows;
        let least = (f64::EPSILON * self.one_norm()).max(f64::MIN_POSITIVE);
        let mut vectors = Dense::zeros(n, n);
        for at in 0..n {
            vectors.set(at, at, ONE);
            for row in (0..at).rev() {
                let sum: Complex64 =
                    (row + 1..=at).map(|k| self.at(row, k) * vectors.at(k, at)).sum();
                let mut pivot = self.at(row, row) - self.at(at, at);
                if absolute(pivot) < least {
                    pivot = Complex64::from(least);
                }
                vectors.set(row, at, -sum / pivot);
            }
            let size: f64 =
                vectors.column(at).iter().map(|value| value.norm_sqr()).sum::<f64>().sqrt();
            for row in 0..=at {
                vectors.set(row, at, vectors.at(row, at) / size);
            }
        }
        vectors
    }
}

/// The rotation of two numbers whose second result is zero: `cosine · a + sine · b`, and
/// `-conj(sine) · a + cosine · b = 0`, with a real cosine.
pub(super) fn rotation(a: Complex64, b: Complex64) -> (f64, Complex64) {
    let (left, right) = (absolute(a), absolute(b));
    if right == 0.0 {
        return (1.0, ZERO);
    }
    if left == 0.0 {
        return (0.0, b.conj() / right);
    }
    let size = absolute(Complex64::new(left, right));
    (left / size, a / left * b.conj() / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(n: usize, seed: u64) -> Dense {
        let element = |row: usize, column: usize| {
            let mut bits = (row * 131 + column * 17 + 1) as u64 ^ (seed << 20);
            let mut next = || {
                bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ((bits >> 33) as f64) / (1u64 << 31) as f64 - 0.5
            };
            let _first = next();
            Complex64::new(next(), next())
        };
        Dense::new(n, n, element)
    }

    fn distance(a: &Dense, b: &Dense) -> f64 {
        Dense::new(a.rows, a.columns, |row, column| a.at(row, column) - b.at(row, column))
            .one_norm()
    }

    fn diagonal(values: &[f64]) -> Dense {
        let of = |row: usize, column: usize| if row == column { values[row] } else { 0.0 };
        Dense::new(values.len(), values.len(), |row, column| of(row, column).into())
    }

    #[test]
    fn hermitian_matrices_are_diagonalised() {
        for n in [1, 2, 3, 8, 30] {
            let a = made(n, 3).hermitian();
            let (values, vectors) = a.eigen_hermitian();
            assert!(values.is_sorted());
            assert!(distance(&vectors.adjoint().times(&vectors), &Dense::identity(n)) < 1e-12);
            assert!(distance(&a.times(&vectors), &vectors.times(&diagonal(&values))) < 1e-12);
        }
        let zero = Dense::zeros(3, 3);
        assert_eq!(zero.eigen_hermitian().0, [0.0; 3]);
    }

    #[test]
    fn matrices_have_schur_forms_in_any_order() {
        for n in [1, 2, 3, 9, 30] {
            let a = made(n, 5);
            let (mut t, mut q) = a.schur();
            let check = |t: &Dense, q: &Dense| {
                assert!(distance(&q.adjoint().times(q), &Dense::identity(n)) < 1e-12);
                assert!(distance(&a.times(q), &q.times(t)) < 1e-11);
                for column in 0..n {
                    assert!((column + 1..n).all(|row| t.at(row, column) == ZERO));
                }
            };
            check(&t, &q);
            let wanted: Vec<usize> = (0..n).rev().step_by(2).collect();
            let values: Vec<Complex64> = wanted.iter().map(|&at| t.at(at, at)).collect();
            t.reorder_schur(&mut q, &wanted);
            check(&t, &q);
            for (at, value) in values.iter().enumerate() {
                assert!(absolute(t.at(at, at) - value) < 1e-13);
            }
            let vectors = t.triangle_vectors();
            for at in 0..n {
                let vector = vectors.selected(&[at]);
                let image = Dense::new(n, 1, |row, _| vector.at(row, 0) * t.at(at, at));
                assert!(distance(&t.times(&vector), &image) < 1e-12);
            }
        }
    }

    #[test]
    fn real_matrices_with_rotations_converge() {
        // A permutation: without exceptional shifts its QR steps change nothing.
        let n = 5;
        let a = Dense::new(n, n, |row, column| if row == (column + 1) % n { ONE } else { ZERO });
        let (t, q) = a.schur();
        assert!(distance(&a.times(&q), &q.times(&t)) < 1e-12);
        for at in 0..n {
            assert!((absolute(t.at(at, at)) - 1.0).abs() < 1e-12);
        }
    }
}
