//! Eigenvalues of Hermitian matrices and singular values.

use super::number::{Number, exponent, matrix, store};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{self, ComputeSvdVectors, svd_scratch};
use faer::{Mat, Par};

/// Writes the eigenvectors and, in the last row, the eigenvalues. `None` if there are none.
pub(super) fn eigh<T: Number>(a: &[T], n: usize, lower: bool, to: &mut [T]) -> Option<()> {
    let element = |row: usize, column: usize| {
        let element = if lower { a[row * n + column] } else { a[column * n + row].conjugate() };
        if row == column { T::of(element.parts()[0], 0.0) } else { element }
    };
    let triangle = (0..n).flat_map(|row| (0..=row).map(move |column| element(row, column)));
    let power = exponent(triangle)?;
    let zero = T::of(0.0, 0.0);
    let triangle = Mat::from_fn(n, n, |row, column| match row < column {
        true => zero,
        false if power == 0 => element(row, column),
        false => element(row, column).scaled(-power),
    });
    let mut values = Diag::<T>::zeros(n);
    let mut vectors = Mat::full(n, n, zero);
    let scratch =
        self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        triangle.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    store(&vectors, to, n);
    let last = &mut to[n * n..];
    last.iter_mut().enumerate().for_each(|(at, to)| *to = values[at].scaled(power));
    Some(())
}

/// Writes `U`, the transpose of `Vᴴ` and the singular values. `None` if there are none.
pub(super) fn svd<T: Number>(a: &[T], [m, n]: [usize; 2], full: bool, to: &mut [T]) -> Option<()> {
    let smaller = m.min(n);
    let width = if full { m.max(n) } else { smaller };
    let zero = T::of(0.0, 0.0);
    let extents = if full { [m, n] } else { [smaller; 2] };
    let (mut u, mut v) = (Mat::<T>::identity(m, extents[0]), Mat::<T>::identity(n, extents[1]));
    let mut values = Diag::<T>::zeros(smaller);
    let power = exponent(a.iter().copied())?;
    if smaller > 0 {
        let computed = if full { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin };
        let scratch = svd_scratch::<T>(m, n, computed, computed, Par::Seq, Default::default());
        svd::svd(
            matrix(a, n, power).as_ref(),
            values.as_mut(),
            Some(u.as_mut()),
            Some(v.as_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        )
        .ok()?;
    }
    to.fill(zero);
    let (upper, rest) = to.split_at_mut(m * width);
    let (middle, last) = rest.split_at_mut(n * width);
    store(&u, upper, width);
    store(&v, middle, width);
    middle.iter_mut().for_each(|element| *element = element.conjugate());
    last[..smaller].iter_mut().enumerate().for_each(|(at, to)| *to = values[at].scaled(power));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::samples::{
        Dense, EXTENTS, SHAPES, assert_near, for_each_number, sample, unwritten,
    };
    use num_complex::Complex64;
    use std::cmp::Ordering;

    /// A Hermitian matrix of integers.
    fn hermitian<T: Number>(n: usize) -> Dense {
        let half = sample::<T>([n, n]);
        Dense::new([n, n], |row, column| half.at(row, column) + half.at(column, row).conj())
    }

    /// The eigenvectors in columns and the eigenvalues in a row.
    fn pairs_of<T: Number>(a: &Dense, lower: bool) -> (Dense, Dense) {
        let n = a.rows;
        let mut to = unwritten::<T>((n + 1) * n);
        eigh(&a.write::<T>(), n, lower, &mut to).expect("a finite matrix has eigenvalues");
        let (vectors, values) = to.split_at(n * n);
        (Dense::read([n, n], vectors), Dense::read([1, n], values))
    }

    #[track_caller]
    fn check_pairs<T: Number>(a: &Dense, vectors: &Dense, values: &Dense) {
        let n = a.rows;
        let weighted = vectors.times(&values.diagonal([n, n]));
        assert_near::<T>(&a.times(vectors), &weighted, a.size());
        assert_near::<T>(&vectors.adjoint().times(vectors), &Dense::identity(n), 1.0);
        assert!(values.elements.is_sorted_by(|a, b| a.re <= b.re), "{values:?}");
        assert!(values.elements.iter().all(|value| value.im == 0.0), "{values:?}");
    }

    /// `U`, the singular values in a row, and `Vᴴ`.
    fn svd_of<T: Number>(a: &Dense, full: bool) -> [Dense; 3] {
        let [m, n] = [a.rows, a.columns];
        let smaller = m.min(n);
        let width = if full { m.max(n) } else { smaller };
        let [left, right] = if full { [m, n] } else { [smaller; 2] };
        let mut to = unwritten::<T>((m + n + 1) * width);
        svd(&a.write::<T>(), [m, n], full, &mut to).expect("a finite matrix has singular values");
        let to = Dense::read([m + n + 1, width], &to);
        for row in 0..to.rows {
            let used = match row {
                row if row < m => left,
                row if row < m + n => right,
                _ => smaller,
            };
            for column in used..width {
                assert_eq!(to.at(row, column), Complex64::from(0.0), "{row} {column}");
            }
        }
        [
            Dense::new([m, left], |row, column| to.at(row, column)),
            Dense::new([1, smaller], |_, column| to.at(m + n, column)),
            Dense::new([right, n], |row, column| to.at(m + column, row)),
        ]
    }

    #[track_caller]
    fn check_svd<T: Number>(a: &Dense, [u, values, v]: &[Dense; 3]) {
        let product = u.times(&values.diagonal([u.columns, v.rows])).times(v);
        assert_near::<T>(&product, a, a.size());
        assert_near::<T>(&u.adjoint().times(u), &Dense::identity(u.columns), 1.0);
        assert_near::<T>(&v.times(&v.adjoint()), &Dense::identity(v.rows), 1.0);
        assert!(values.elements.is_sorted_by(|a, b| a.re >= b.re), "{values:?}");
        let is_size = |value: &Complex64| value.im == 0.0 && value.re >= 0.0;
        assert!(values.elements.iter().all(is_size), "{values:?}");
    }

    #[test]
    fn eigenpairs_of_hermitian_matrices_are_orthonormal_and_ascend() {
        fn check<T: Number>() {
            for n in EXTENTS {
                for lower in [false, true] {
                    let a = hermitian::<T>(n);
                    let (vectors, values) = pairs_of::<T>(&a, lower);
                    check_pairs::<T>(&a, &vectors, &values);
                }
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn only_one_triangle_and_the_real_diagonal_are_read() {
        fn check<T: Number>() {
            let a = hermitian::<T>(5);
            for (lower, read) in [(true, Ordering::Greater), (false, Ordering::Less)] {
                let hidden = Dense::new([5, 5], |row, column| match row.cmp(&column) {
                    Ordering::Equal => Complex64::new(a.at(row, column).re, f64::NAN),
                    order if order == read => a.at(row, column),
                    _ => Complex64::new(f64::NAN, f64::NAN),
                });
                let (vectors, values) = pairs_of::<T>(&hidden, lower);
                check_pairs::<T>(&a, &vectors, &values);
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn singular_vectors_are_orthonormal_and_values_descend() {
        fn check<T: Number>() {
            for shape in SHAPES {
                for full in [false, true] {
                    let a = sample::<T>(shape);
                    check_svd::<T>(&a, &svd_of::<T>(&a, full));
                }
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn singular_values_of_zeros_are_0() {
        fn check<T: Number>() {
            for shape in SHAPES {
                for full in [false, true] {
                    let zeros = Dense::new(shape, |_, _| Complex64::from(0.0));
                    check_svd::<T>(&zeros, &svd_of::<T>(&zeros, full));
                }
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn full_vectors_of_no_elements_are_the_identity() {
        fn check<T: Number>() {
            for [m, n] in [[0, 3], [3, 0]] {
                let [u, values, v] = svd_of::<T>(&Dense::real([m, n], &[]), true);
                assert_eq!((u, v), (Dense::identity(m), Dense::identity(n)));
                assert!(values.elements.is_empty());
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn squares_of_elements_neither_overflow_nor_vanish() {
        fn check<T: Number>() {
            for power in [2 * T::SAFE_EXPONENT, -2 * T::SAFE_EXPONENT] {
                let a = hermitian::<T>(3);
                let (vectors, values) = pairs_of::<T>(&a.scaled(power), true);
                check_pairs::<T>(&a, &vectors, &values.scaled(-power));
                let a = sample::<T>([5, 3]);
                let [u, values, v] = svd_of::<T>(&a.scaled(power), false);
                check_svd::<T>(&a, &[u, values.scaled(-power), v]);
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_neither_eigenvalues_nor_singular_values() {
        fn check<T: Number>() {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let a = Dense::real([2, 2], &[1.0, wrong, wrong, 1.0]).write::<T>();
                let mut to = unwritten::<T>(2 * 5);
                assert_eq!(eigh(&a, 2, true, &mut to[..6]), None);
                assert_eq!(eigh(&a, 2, false, &mut to[..6]), None);
                assert_eq!(svd(&a, [2, 2], false, &mut to), None);
                assert_eq!(svd(&a, [2, 2], true, &mut to), None);
            }
        }
        for_each_number!(check);
    }
}
