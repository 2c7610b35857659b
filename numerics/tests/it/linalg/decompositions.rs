//! Each decomposition is computed for its name.

use super::number::Number;
use super::samples::{assert_nan, unwritten};
use num_complex::Complex64;
use phalanx_numerics::linalg::Element;
use phalanx_ops::structured::Decomposition;
use std::any::type_name;

fn factorised<T: Number + Element>(
    decomposition: Decomposition,
    a: &[f64],
    n: usize,
    right: &[f64],
    count: usize,
) -> Vec<T> {
    let rounded =
        |numbers: &[f64]| -> Vec<T> { numbers.iter().map(|&number| T::of(number, 0.0)).collect() };
    let right = if decomposition == Decomposition::Solve { right } else { &[] };
    let mut to = unwritten::<T>(count);
    T::factorise(decomposition, &rounded(a), [n, n], &rounded(right), &mut to);
    to
}

#[test]
fn each_decomposition_computes_what_its_name_says() {
    fn check<T: Number + Element>() {
        // The last element of each result, which does not depend on the signs of vectors.
        for (decomposition, count, last) in [
            (Decomposition::Cholesky, 1, 2.0),
            (Decomposition::Solve, 1, 3.0),
            (Decomposition::Inverse, 1, 0.25),
            (Decomposition::Determinant, 3, 4.0_f64.ln()),
            (Decomposition::Qr { complete: false }, 2, 4.0),
            (Decomposition::Qr { complete: true }, 2, 4.0),
            (Decomposition::Eigh { lower: false }, 2, 4.0),
            (Decomposition::Eigh { lower: true }, 2, 4.0),
            (Decomposition::Eig { real: false }, 2, 4.0),
            (Decomposition::Eig { real: true }, 2, 4.0),
            (Decomposition::Svd { full: false }, 3, 4.0),
            (Decomposition::Svd { full: true }, 3, 4.0),
        ] {
            let found = factorised::<T>(decomposition, &[4.0], 1, &[12.0], count);
            let last = T::of(last, 0.0);
            assert_eq!(found[count - 1], last, "{decomposition:?} of {}", type_name::<T>());
        }
    }
    check::<f32>();
    check::<Complex64>();
}

#[test]
fn a_matrix_without_the_factorisation_gives_nan_in_all_elements() {
    fn check<T: Number + Element>() {
        let (indefinite, singular) = ([1.0, 2.0, 2.0, 1.0], [1.0, 2.0, 2.0, 4.0]);
        let not_finite = [1.0, f64::NAN, f64::NAN, 1.0];
        for (decomposition, a, count) in [
            (Decomposition::Cholesky, indefinite, 4),
            (Decomposition::Cholesky, not_finite, 4),
            (Decomposition::Solve, singular, 2),
            (Decomposition::Inverse, singular, 4),
            (Decomposition::Determinant, not_finite, 3),
            (Decomposition::Eigh { lower: false }, not_finite, 6),
            (Decomposition::Eigh { lower: true }, not_finite, 6),
            (Decomposition::Eig { real: false }, not_finite, 6),
            (Decomposition::Eig { real: true }, not_finite, 6),
            (Decomposition::Svd { full: false }, not_finite, 10),
            (Decomposition::Svd { full: true }, not_finite, 10),
        ] {
            assert_nan(&factorised::<T>(decomposition, &a, 2, &[1.0, 1.0], count));
        }
    }
    check::<f32>();
    check::<Complex64>();
}
