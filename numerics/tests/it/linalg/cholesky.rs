//! The Cholesky factorisation.

use super::number::Number;
use super::samples::{
    Dense, EXTENTS, assert_nan, assert_near, epsilon, for_each_number, sample, unwritten,
};
use num_complex::Complex64;
use phalanx_numerics::linalg::Element;
use phalanx_ops::structured::Decomposition;

fn factor_of<T: Number + Element>(a: &Dense) -> Vec<T> {
    let mut to = unwritten::<T>(a.rows * a.rows);
    T::factorise(Decomposition::Cholesky, &a.write::<T>(), [a.rows; 2], &[], &mut to);
    to
}

/// A positive definite matrix of integers.
fn positive<T: Number + Element>(n: usize) -> Dense {
    let root = sample::<T>([n, n]);
    let product = root.times(&root.adjoint());
    Dense::new([n, n], |row, column| {
        product.at(row, column) + if row == column { 10.0 } else { 0.0 }
    })
}

#[test]
fn the_factor_times_its_adjoint_is_the_matrix() {
    fn check<T: Number + Element>() {
        for n in EXTENTS {
            let a = positive::<T>(n);
            let lower = Dense::read([n, n], &factor_of::<T>(&a));
            assert_near::<T>(&lower.times(&lower.adjoint()), &a, a.size());
            for row in 0..n {
                let diagonal = lower.at(row, row);
                assert!(diagonal.re > 0.0, "{diagonal}");
                let rounding = 32.0 * epsilon::<T>() * diagonal.re;
                assert!(diagonal.im.abs() <= rounding, "{diagonal}");
                for column in row + 1..n {
                    assert_eq!(lower.at(row, column), Complex64::from(0.0), "{row} {column}");
                }
            }
        }
    }
    for_each_number!(check);
}

#[test]
fn only_the_lower_triangle_and_the_real_diagonal_are_read() {
    fn check<T: Number + Element>() {
        let a = positive::<T>(3);
        let hidden = Dense::new([3, 3], |row, column| match row.cmp(&column) {
            std::cmp::Ordering::Less => Complex64::new(f64::NAN, f64::NAN),
            std::cmp::Ordering::Equal => Complex64::new(a.at(row, column).re, f64::NAN),
            std::cmp::Ordering::Greater => a.at(row, column),
        });
        assert_eq!(factor_of::<T>(&hidden), factor_of::<T>(&a));
    }
    for_each_number!(check);
}

#[test]
fn a_matrix_that_is_not_positive_definite_gives_nan() {
    fn check<T: Number + Element>() {
        for (n, elements) in [
            (1, &[0.0][..]),
            (1, &[-1.0]),
            (1, &[f64::NAN]),
            (2, &[1.0, 2.0, 2.0, 1.0]),
            (2, &[1.0, 1.0, 1.0, 1.0]),
            (2, &[1.0, 0.0, 0.0, -1.0]),
            (2, &[1.0, f64::NAN, f64::NAN, 1.0]),
            (2, &[1.0, 0.0, 0.0, f64::NAN]),
        ] {
            assert_nan(&factor_of::<T>(&Dense::real([n, n], elements)));
        }
    }
    for_each_number!(check);
}
