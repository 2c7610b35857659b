//! Solutions, inverses and determinants.

use super::number::Number;
use super::samples::{
    Dense, EXTENTS, assert_nan, assert_near, epsilon, for_each_number, sample, unwritten,
};
use num_complex::Complex64;
use phalanx_numerics::linalg::Element;
use phalanx_ops::structured::Decomposition;

/// A well-conditioned matrix whose factorisation exchanges rows: the largest element of each
/// column is not on the diagonal but on the other one.
fn exchanged<T: Number + Element>(n: usize) -> Dense {
    let small = sample::<T>([n, n]);
    Dense::new([n, n], |row, column| {
        small.at(row, column) + if row + column + 1 == n { 40.0 } else { 0.0 }
    })
}

fn determinant_of<T: Number + Element>(a: &Dense) -> Vec<T> {
    let mut to = unwritten::<T>(3);
    T::factorise(Decomposition::Determinant, &a.write::<T>(), [a.rows; 2], &[], &mut to);
    to
}

fn numbers<T: Number + Element>(numbers: [f64; 3]) -> [T; 3] {
    numbers.map(|number| T::of(number, 0.0))
}

/// The determinant by expansion along the first row, which is exact for small integers.
fn expanded(a: &Dense) -> Complex64 {
    if a.rows == 0 {
        return Complex64::from(1.0);
    }
    let term = |column: usize| {
        let kept = |at: usize| if at < column { at } else { at + 1 };
        let minor = Dense::new([a.rows - 1, a.rows - 1], |row, at| a.at(row + 1, kept(at)));
        let sign = if column.is_multiple_of(2) { 1.0 } else { -1.0 };
        a.at(0, column) * expanded(&minor) * sign
    };
    (0..a.rows).map(term).sum()
}

#[test]
fn the_matrix_times_the_solution_is_the_right_hand_side() {
    fn check<T: Number + Element>() {
        for n in EXTENTS {
            for columns in [1, 3] {
                let (a, b) = (exchanged::<T>(n), sample::<T>([n, columns]));
                let mut to = unwritten::<T>(n * columns);
                T::factorise(
                    Decomposition::Solve,
                    &a.write::<T>(),
                    [n, n],
                    &b.write::<T>(),
                    &mut to,
                );
                let x = Dense::read([n, columns], &to);
                assert_near::<T>(&a.times(&x), &b, b.size());
            }
        }
    }
    for_each_number!(check);
}

#[test]
fn the_matrix_times_its_inverse_is_the_identity() {
    fn check<T: Number + Element>() {
        for n in EXTENTS {
            let a = exchanged::<T>(n);
            let mut to = unwritten::<T>(n * n);
            T::factorise(Decomposition::Inverse, &a.write::<T>(), [n, n], &[], &mut to);
            let inverse = Dense::read([n, n], &to);
            assert_near::<T>(&a.times(&inverse), &Dense::identity(n), 1.0);
            assert_near::<T>(&inverse.times(&a), &Dense::identity(n), 1.0);
        }
    }
    for_each_number!(check);
}

#[test]
fn a_singular_matrix_has_neither_solution_nor_inverse() {
    fn check<T: Number + Element>() {
        for (n, elements) in [
            (1, &[0.0][..]),
            (2, &[0.0, 0.0, 0.0, 0.0]),
            (2, &[1.0, 2.0, 2.0, 4.0]),
            (2, &[0.0, 1.0, 0.0, 1.0]),
        ] {
            let a = Dense::real([n, n], elements).write::<T>();
            let mut to = unwritten::<T>(n * 3);
            let right = sample::<T>([n, 3]).write::<T>();
            T::factorise(Decomposition::Solve, &a, [n, n], &right, &mut to);
            assert_nan(&to);
            let mut to = unwritten::<T>(n * n);
            T::factorise(Decomposition::Inverse, &a, [n, n], &[], &mut to);
            assert_nan(&to);
        }
    }
    for_each_number!(check);
}

#[test]
fn the_determinant_has_its_sign_and_its_logarithm() {
    fn check<T: Number + Element>() {
        for n in EXTENTS {
            let a = exchanged::<T>(n);
            let expected = expanded(&a);
            let size = expected.norm();
            let logarithm = Complex64::from(size.ln());
            let found = Dense::read([1, 3], &determinant_of::<T>(&a));
            for (found, expected, size) in [
                (found.at(0, 0), expected, size),
                (found.at(0, 1), expected / size, 1.0),
                (found.at(0, 2), logarithm, size.ln()),
            ] {
                assert_near::<T>(&Dense::row(&[found]), &Dense::row(&[expected]), size);
            }
        }
        let exchange = Dense::real([2, 2], &[0.0, 1.0, 1.0, 0.0]);
        assert_eq!(determinant_of::<T>(&exchange), numbers::<T>([-1.0, -1.0, 0.0]));
    }
    for_each_number!(check);
}

#[test]
fn the_determinant_of_no_elements_is_1() {
    fn check<T: Number + Element>() {
        let empty = Dense::identity(0);
        assert_eq!(determinant_of::<T>(&empty), numbers::<T>([1.0, 1.0, 0.0]));
    }
    for_each_number!(check);
}

#[test]
fn the_determinant_of_a_singular_matrix_is_0_and_that_of_nan_is_nan() {
    fn check<T: Number + Element>() {
        for (n, elements) in [
            (1, &[0.0][..]),
            (2, &[0.0, 0.0, 0.0, 0.0]),
            (2, &[1.0, 2.0, 2.0, 4.0]),
            (2, &[0.0, 1.0, 0.0, 1.0]),
        ] {
            let found = determinant_of::<T>(&Dense::real([n, n], elements));
            assert_eq!(found, numbers::<T>([0.0, 0.0, f64::NEG_INFINITY]), "{elements:?}");
        }
        assert_nan(&determinant_of::<T>(&Dense::real([1, 1], &[f64::NAN])));
        assert_nan(&determinant_of::<T>(&Dense::real([2, 2], &[0.0, 0.0, 0.0, f64::NAN])));
    }
    for_each_number!(check);
}

#[test]
fn partial_products_neither_overflow_nor_vanish() {
    fn check<T: Number + Element>() {
        let power = 2 * T::SAFE_EXPONENT;
        let (large, small) = (libm::ldexp(1.0, power), libm::ldexp(1.0, -power));
        for elements in [[large, large, small, small], [small, small, large, large]] {
            let diagonal = Dense::row(&elements.map(Complex64::from)).diagonal([4, 4]);
            let found = determinant_of::<T>(&diagonal);
            assert_eq!(found[..2], [T::of(1.0, 0.0); 2]);
            let rounding = 4.0 * epsilon::<T>() * f64::from(power);
            assert!(found[2].parts()[0].abs() <= rounding, "{found:?}");
        }
        // The determinant overflows, its logarithm does not.
        let diagonal = Dense::row(&[Complex64::from(large); 2]).diagonal([2, 2]);
        let [value, sign, logarithm] = determinant_of::<T>(&diagonal)[..] else {
            panic!("a determinant has three results");
        };
        assert_eq!([value, sign], [T::of(f64::INFINITY, 0.0), T::of(1.0, 0.0)]);
        let expected = f64::from(2 * power) * std::f64::consts::LN_2;
        let error = (logarithm.parts()[0] - expected).abs();
        assert!(error <= 4.0 * epsilon::<T>() * expected, "{logarithm:?} is not {expected}");
    }
    for_each_number!(check);
}
