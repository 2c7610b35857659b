//! The QR factorisation.

use super::number::Number;
use super::samples::{Dense, SHAPES, assert_near, for_each_number, sample, unwritten};
use num_complex::Complex64;
use phalanx_numerics::linalg::Element;
use phalanx_ops::structured::Decomposition;

/// `Q` and `R`.
fn factors_of<T: Number + Element>(a: &Dense, complete: bool) -> (Dense, Dense) {
    let [m, n] = [a.rows, a.columns];
    let width = if complete { m } else { m.min(n) };
    let mut to = unwritten::<T>((m + n) * width);
    T::factorise(Decomposition::Qr { complete }, &a.write::<T>(), [m, n], &[], &mut to);
    let (q, r) = to.split_at(m * width);
    (Dense::read([m, width], q), Dense::read([n, width], r).transposed())
}

#[track_caller]
fn check_factors<T: Number + Element>(a: &Dense, q: &Dense, r: &Dense) {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
        let (q, r) = factors_of::<T>(&Dense::real([3, 0], &[]), true);
        assert_eq!((q, [r.rows, r.columns]), (Dense::identity(3), [3, 0]));
    }
    for_each_number!(check);
}

#[test]
fn squares_of_elements_neither_overflow_nor_vanish() {
    fn check<T: Number + Element>() {
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
    fn check<T: Number + Element>() {
        let (q, r) = factors_of::<T>(&Dense::real([2, 2], &[f64::NAN; 4]), false);
        let upper = [r.at(0, 0), r.at(0, 1), r.at(1, 1)];
        assert!(q.elements.iter().chain(&upper).all(|element| element.re.is_nan()), "{q:?}");
    }
    for_each_number!(check);
}
