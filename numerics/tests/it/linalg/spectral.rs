//! Eigenvalues of Hermitian matrices and singular values.

use super::number::Number;
use super::samples::{
    Dense, EXTENTS, SHAPES, assert_nan, assert_near, for_each_number, sample, unwritten,
};
use num_complex::Complex64;
use phalanx_numerics::linalg::Element;
use phalanx_ops::structured::Decomposition;
use std::cmp::Ordering;

/// A Hermitian matrix of integers.
fn hermitian<T: Number + Element>(n: usize) -> Dense {
    let half = sample::<T>([n, n]);
    Dense::new([n, n], |row, column| half.at(row, column) + half.at(column, row).conj())
}

/// The eigenvectors in columns and the eigenvalues in a row.
fn pairs_of<T: Number + Element>(a: &Dense, lower: bool) -> (Dense, Dense) {
    let n = a.rows;
    let mut to = unwritten::<T>((n + 1) * n);
    T::factorise(Decomposition::Eigh { lower }, &a.write::<T>(), [n, n], &[], &mut to);
    let (vectors, values) = to.split_at(n * n);
    (Dense::read([n, n], vectors), Dense::read([1, n], values))
}

#[track_caller]
fn check_pairs<T: Number + Element>(a: &Dense, vectors: &Dense, values: &Dense) {
    let n = a.rows;
    let weighted = vectors.times(&values.diagonal([n, n]));
    assert_near::<T>(&a.times(vectors), &weighted, a.size());
    assert_near::<T>(&vectors.adjoint().times(vectors), &Dense::identity(n), 1.0);
    assert!(values.elements.is_sorted_by(|a, b| a.re <= b.re), "{values:?}");
    assert!(values.elements.iter().all(|value| value.im == 0.0), "{values:?}");
}

/// `U`, the singular values in a row, and `Vᴴ`.
fn svd_of<T: Number + Element>(a: &Dense, full: bool) -> [Dense; 3] {
    let [m, n] = [a.rows, a.columns];
    let smaller = m.min(n);
    let width = if full { m.max(n) } else { smaller };
    let [left, right] = if full { [m, n] } else { [smaller; 2] };
    let mut to = unwritten::<T>((m + n + 1) * width);
    T::factorise(Decomposition::Svd { full }, &a.write::<T>(), [m, n], &[], &mut to);
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
fn check_svd<T: Number + Element>(a: &Dense, [u, values, v]: &[Dense; 3]) {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let a = Dense::real([2, 2], &[1.0, wrong, wrong, 1.0]).write::<T>();
            for (decomposition, count) in [
                (Decomposition::Eigh { lower: true }, 6),
                (Decomposition::Eigh { lower: false }, 6),
                (Decomposition::Svd { full: false }, 10),
                (Decomposition::Svd { full: true }, 10),
            ] {
                let mut to = unwritten::<T>(count);
                T::factorise(decomposition, &a, [2, 2], &[], &mut to);
                assert_nan(&to);
            }
        }
    }
    for_each_number!(check);
}
