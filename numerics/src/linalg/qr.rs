//! The QR factorisation by Householder reflections with LAPACK's choice of signs, so that `R` has a
//! real diagonal with NumPy's signs.

use super::number::{Number, exponent, matrix};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};

/// Columns whose reflections are applied together.
const PANEL: usize = 32;

/// Reflections `I - V T Vᴴ` of a panel; they do not change the rows before `first`.
struct Reflections<T> {
    first: usize,
    vectors: Mat<T>,
    factor: Mat<T>,
}

/// Writes `Q` and the transpose of `R`.
pub(super) fn factor<T: Number>(a: &[T], [m, n]: [usize; 2], complete: bool, to: &mut [T]) {
    let smaller = m.min(n);
    let width = if complete { m } else { smaller };
    let zero = T::of(0.0, 0.0);
    let power = exponent(a.iter().copied()).unwrap_or(0);
    let mut r = if n == 0 { Mat::zeros(m, 0) } else { matrix(a, n, power) };
    let mut panels = Vec::new();
    for first in (0..smaller).step_by(PANEL) {
        let last = (first + PANEL).min(smaller);
        let panel = reflect(&mut r, first, last);
        let factor = panel.factor.adjoint().to_owned();
        panel.apply(factor, r.as_mut().submatrix_mut(first, last, m - first, n - last));
        panels.push(panel);
    }
    let mut q = Mat::<T>::identity(m, width);
    for panel in panels.iter().rev() {
        let first = panel.first;
        let rest = q.as_mut().submatrix_mut(first, first, m - first, width - first);
        panel.apply(panel.factor.clone(), rest);
    }
    let (upper, lower) = to.split_at_mut(m * width);
    for (at, to) in upper.iter_mut().enumerate() {
        *to = q[(at / width, at % width)];
    }
    for (at, to) in lower.iter_mut().enumerate() {
        let (column, row) = (at / width, at % width);
        let element = if row <= column { r[(row, column)] } else { zero };
        *to = if power == 0 { element } else { element.scaled(power) };
    }
}

impl<T: Number> Reflections<T> {
    /// `to -= V factor Vᴴ to`.
    fn apply(&self, factor: Mat<T>, to: MatMut<'_, T>) {
        let (columns, count) = (to.ncols(), self.factor.nrows());
        if columns == 0 {
            return;
        }
        let (zero, one) = (T::of(0.0, 0.0), T::of(1.0, 0.0));
        let mut to = to;
        let mut products = Mat::full(count, columns, zero);
        matmul(&mut products, Accum::Replace, self.vectors.adjoint(), to.as_ref(), one, Par::Seq);
        let mut weighted = Mat::full(count, columns, zero);
        matmul(&mut weighted, Accum::Replace, &factor, &products, one, Par::Seq);
        matmul(to.as_mut(), Accum::Add, &self.vectors, &weighted, -one, Par::Seq);
    }
}

/// Makes columns of a matrix upper triangular.
fn reflect<T: Number>(a: &mut Mat<T>, first: usize, last: usize) -> Reflections<T> {
    let (rows, count) = (a.nrows() - first, last - first);
    let zero = T::of(0.0, 0.0);
    let mut vectors = Mat::full(rows, count, zero);
    let mut factor = Mat::full(count, count, zero);
    for at in 0..count {
        let column = &mut a.col_as_slice_mut(first + at)[first + at..];
        let (scale, vector) = reflection(column);
        let tail = &mut vectors.col_as_slice_mut(at)[at..];
        tail.copy_from_slice(&vector);
        for other in first + at + 1..last {
            let column = &mut a.col_as_slice_mut(other)[first + at..];
            let weight = scale.conjugate() * inner(&vector, column);
            column.iter_mut().zip(&vector).for_each(|(to, &v)| *to -= weight * v);
        }
        let products = (0..at).map(|before| inner(&vectors.col_as_slice(before)[at..], &vector));
        let products = products.collect::<Vec<T>>();
        for row in 0..at {
            let terms = (row..at).map(|inner| factor[(row, inner)] * products[inner]);
            factor[(row, at)] = -scale * terms.fold(zero, |sum, term| sum + term);
        }
        factor[(at, at)] = scale;
    }
    Reflections { first, vectors, factor }
}

/// The reflection `I - t v vᴴ` whose adjoint zeroes all elements of a vector but the first;
/// LAPACK's `larfg`. Replaces the vector by the reflected one.
fn reflection<T: Number>(vector: &mut [T]) -> (T, Vec<T>) {
    let zero = T::of(0.0, 0.0);
    let [re, im] = vector[0].parts();
    let tail = norm(&vector[1..]);
    let mut reflector = vec![zero; vector.len()];
    reflector[0] = T::of(1.0, 0.0);
    if tail == 0.0 && im == 0.0 {
        return (zero, reflector);
    }
    let left = -re.hypot(im).hypot(tail).copysign(re);
    // A complex division squares the divisor.
    let power = if left.is_finite() && left != 0.0 { libm::ilogb(left) } else { 0 };
    let power = if power.abs() <= T::SAFE_EXPONENT { 0 } else { power };
    let divisor = T::of(libm::ldexp(re - left, -power), libm::ldexp(im, -power));
    for (to, &tail) in reflector[1..].iter_mut().zip(&vector[1..]) {
        *to = if power == 0 { tail / divisor } else { tail.scaled(-power) / divisor };
    }
    vector[1..].fill(zero);
    vector[0] = T::of(left, 0.0);
    (T::of((left - re) / left, -im / left), reflector)
}

/// The Euclidean norm.
fn norm<T: Number>(vector: &[T]) -> f64 {
    let parts = || vector.iter().flat_map(|element| element.parts());
    let squares = parts().map(|part| part * part).sum::<f64>();
    if squares == 0.0 || squares < 1e-280 {
        let largest = parts().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let power = libm::ilogb(largest);
        let scaled = parts().map(|part| libm::ldexp(part, -power));
        return libm::ldexp(scaled.map(|part| part * part).sum::<f64>().sqrt(), power);
    }
    squares.sqrt()
}

/// `aᴴ b`, in four sums.
fn inner<T: Number>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::of(0.0, 0.0); 4];
    let (a_parts, b_parts) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a_parts.remainder().iter().zip(b_parts.remainder());
    for (a, b) in a_parts.zip(b_parts) {
        for lane in 0..4 {
            sums[lane] += a[lane].conjugate() * b[lane];
        }
    }
    let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    rest.fold(sum, |sum, (a, &b)| sum + a.conjugate() * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::samples::{Dense, SHAPES, assert_near, for_each_number, sample, unwritten};
    use num_complex::Complex64;

    /// `Q` and `R`.
    fn factors_of<T: Number>(a: &Dense, complete: bool) -> (Dense, Dense) {
        let [m, n] = [a.rows, a.columns];
        let width = if complete { m } else { m.min(n) };
        let mut to = unwritten::<T>((m + n) * width);
        factor(&a.write::<T>(), [m, n], complete, &mut to);
        let (q, r) = to.split_at(m * width);
        (Dense::read([m, width], q), Dense::read([n, width], r).transposed())
    }

    #[track_caller]
    fn check_factors<T: Number>(a: &Dense, q: &Dense, r: &Dense) {
        assert_near::<T>(&q.times(r), a, a.size());
        assert_near::<T>(&q.adjoint().times(q), &Dense::identity(q.columns), 1.0);
        for row in 0..r.rows.min(r.columns) {
            assert_eq!(r.at(row, row).im, 0.0, "row {row} of {r:?}");
        }
        for row in 1..r.rows {
            for column in 0..row.min(r.columns) {
                assert_eq!(r.at(row, column), Complex64::from(0.0), "{row} {column}");
            }
        }
    }

    #[test]
    fn the_factors_are_unitary_and_triangular_and_their_product_is_the_matrix() {
        fn check<T: Number>() {
            // The last shapes have more columns than a panel.
            for shape in SHAPES.into_iter().chain([[35, 33], [33, 35], [65, 65]]) {
                for complete in [false, true] {
                    let a = sample::<T>(shape);
                    let (q, r) = factors_of::<T>(&a, complete);
                    check_factors::<T>(&a, &q, &r);
                }
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn signs_are_those_of_lapack() {
        fn check<T: Number>() {
            for (column, q, r) in [
                ([3.0, 4.0], [-0.6, -0.8], -5.0),
                ([-3.0, 4.0], [-0.6, 0.8], 5.0),
                ([2.0, 0.0], [1.0, 0.0], 2.0),
                ([-2.0, 0.0], [1.0, 0.0], -2.0),
            ] {
                let found = factors_of::<T>(&Dense::real([2, 1], &column), false);
                assert_near::<T>(&found.0, &Dense::real([2, 1], &q), 1.0);
                assert_near::<T>(&found.1, &Dense::real([1, 1], &[r]), 5.0);
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn without_columns_the_complete_q_is_the_identity() {
        fn check<T: Number>() {
            let (q, r) = factors_of::<T>(&Dense::real([3, 0], &[]), true);
            assert_eq!((q, [r.rows, r.columns]), (Dense::identity(3), [3, 0]));
        }
        for_each_number!(check);
    }

    #[test]
    fn squares_of_elements_neither_overflow_nor_vanish() {
        fn check<T: Number>() {
            let a = sample::<T>([5, 3]);
            for power in [2 * T::SAFE_EXPONENT, -2 * T::SAFE_EXPONENT] {
                let (q, r) = factors_of::<T>(&a.scaled(power), false);
                check_factors::<T>(&a, &q, &r.scaled(-power));
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn nan_reaches_both_factors() {
        fn check<T: Number>() {
            let (q, r) = factors_of::<T>(&Dense::real([2, 2], &[f64::NAN; 4]), false);
            let upper = [r.at(0, 0), r.at(0, 1), r.at(1, 1)];
            assert!(q.elements.iter().chain(&upper).all(|element| element.re.is_nan()), "{q:?}");
        }
        for_each_number!(check);
    }
}
