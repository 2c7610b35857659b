//! Eigenvalues of general matrices.

use super::number::Number;
use super::samples::{Dense, EXTENTS, assert_nan, assert_near, epsilon, sample, unwritten};
use num_complex::Complex64;
use phalanx_numerics::linalg::Element;
use phalanx_ops::structured::Decomposition;

/// The eigenvectors in columns and the eigenvalues in a row.
fn pairs_of<T: Number + Element>(a: &Dense, real: bool) -> (Dense, Dense) {
    let n = a.rows;
    let mut to = unwritten::<T>((n + 1) * n);
    T::factorise(Decomposition::Eig { real }, &a.write::<T>(), [n, n], &[], &mut to);
    let (vectors, values) = to.split_at(n * n);
    (Dense::read([n, n], vectors), Dense::read([1, n], values))
}

#[track_caller]
fn check_pairs<T: Number + Element>(a: &Dense, vectors: &Dense, values: &Dense) {
    let n = a.rows;
    let weighted = vectors.times(&values.diagonal([n, n]));
    assert_near::<T>(&a.times(vectors), &weighted, a.size());
    // One pair that is found several times would pass the first check.
    let trace: Complex64 = (0..n).map(|at| a.at(at, at)).sum();
    let sum: Complex64 = values.elements.iter().sum();
    assert_near::<T>(&Dense::row(&[sum]), &Dense::row(&[trace]), a.size());
    for column in 0..n {
        let sizes: Vec<f64> = (0..n).map(|row| vectors.at(row, column).norm()).collect();
        let norm = sizes.iter().map(|size| size * size).sum::<f64>().sqrt();
        assert!((norm - 1.0).abs() <= 32.0 * epsilon::<T>(), "{norm} of {vectors:?}");
        let nearly_largest = sizes.iter().copied().fold(0.0, f64::max) * (1.0 - 1e-6);
        // Components of nearly the same size may both count as the largest.
        let mut largest = (0..n).filter(|&row| sizes[row] >= nearly_largest);
        let is_real = |row: usize| vectors.at(row, column).im.abs() <= 4.0 * epsilon::<T>();
        assert!(largest.any(is_real), "column {column} of {vectors:?}");
    }
}

/// A matrix with `n` equal eigenvalues and one eigenvector.
fn jordan_block(n: usize, value: f64) -> Dense {
    Dense::new([n, n], |row, column| {
        let element = if row == column { value } else { 0.0 };
        Complex64::from(if row + 1 == column { 1.0 } else { element })
    })
}

#[test]
fn eigenvectors_have_norm_1_and_a_real_largest_component() {
    fn check<T: Number + Element>() {
        for n in EXTENTS {
            for (a, real) in [
                (sample::<f64>([n, n]), true),
                (sample::<f64>([n, n]), false),
                (sample::<T>([n, n]), false),
            ] {
                let (vectors, values) = pairs_of::<T>(&a, real);
                check_pairs::<T>(&a, &vectors, &values);
            }
        }
    }
    check::<Complex64>();
}

#[test]
fn eigenvalues_of_a_real_matrix_are_real_or_pairs_of_conjugates() {
    fn check<T: Number + Element>() {
        let rotation = Dense::real([2, 2], &[0.0, -1.0, 1.0, 0.0]);
        let (vectors, values) = pairs_of::<T>(&rotation, true);
        check_pairs::<T>(&rotation, &vectors, &values);
        assert!(values.elements.iter().all(|value| value.im != 0.0), "{values:?}");
        for a in EXTENTS.map(|n| sample::<f64>([n, n])).iter().chain([&rotation]) {
            let (_, values) = pairs_of::<T>(a, true);
            let has_pair = |value: &Complex64| values.elements.contains(&value.conj());
            assert!(values.elements.iter().all(has_pair), "{values:?}");
        }
    }
    check::<Complex64>();
}

#[test]
fn a_single_element_is_its_own_eigenvalue() {
    fn check<T: Number + Element>() {
        let a = sample::<T>([1, 1]);
        assert_eq!(pairs_of::<T>(&a, false), (Dense::identity(1), a));
    }
    check::<Complex64>();
}

#[test]
fn matrices_with_equal_eigenvalues_have_vectors_of_norm_1() {
    fn check<T: Number + Element>() {
        for n in EXTENTS {
            for a in [
                Dense::new([n, n], |_, _| Complex64::from(0.0)),
                Dense::identity(n),
                jordan_block(n, 0.0),
                jordan_block(n, 2.0),
            ] {
                for real in [false, true] {
                    let (vectors, values) = pairs_of::<T>(&a, real);
                    check_pairs::<T>(&a, &vectors, &values);
                }
            }
        }
    }
    check::<Complex64>();
}

/// The components grow with each equal eigenvalue, and their squares overflow from here on.
#[test]
fn vectors_of_a_jordan_block_of_twelve_have_norm_1() {
    let a = jordan_block(12, 0.0);
    let (vectors, values) = pairs_of::<Complex64>(&a, true);
    check_pairs::<Complex64>(&a, &vectors, &values);
}

#[test]
fn squares_of_elements_neither_overflow_nor_vanish() {
    fn check<T: Number + Element>() {
        for power in [2 * T::SAFE_EXPONENT, -2 * T::SAFE_EXPONENT] {
            for (a, real) in [(sample::<f64>([3, 3]), true), (sample::<T>([3, 3]), false)] {
                let (vectors, values) = pairs_of::<T>(&a.scaled(power), real);
                check_pairs::<T>(&a, &vectors, &values.scaled(-power));
            }
        }
    }
    check::<Complex64>();
}

#[test]
fn a_matrix_that_is_not_finite_has_no_eigenvalues() {
    fn check<T: Number + Element>() {
        for wrong in [f64::NAN, f64::INFINITY] {
            for (n, elements) in [(1, &[wrong][..]), (2, &[1.0, 0.0, wrong, 1.0])] {
                let a = Dense::real([n, n], elements).write::<T>();
                let mut to = unwritten::<T>((n + 1) * n);
                for real in [true, false] {
                    T::factorise(Decomposition::Eig { real }, &a, [n, n], &[], &mut to);
                    assert_nan(&to);
                }
            }
        }
    }
    check::<Complex64>();
}
