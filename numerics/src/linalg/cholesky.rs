//! The Cholesky factorisation.

use super::number::{Number, nan, store};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{Mat, Par};

/// The lower triangular factor of a Hermitian matrix whose lower triangle is given.
pub(super) fn factor<T: Number>(a: &[T], n: usize, to: &mut [T]) {
    let mut factor = Mat::from_fn(n, n, |row, column| match row.cmp(&column) {
        std::cmp::Ordering::Less => T::of(0.0, 0.0),
        std::cmp::Ordering::Equal => T::of(a[row * n + column].parts()[0], 0.0),
        std::cmp::Ordering::Greater => a[row * n + column],
    });
    let scratch = cholesky_in_place_scratch::<T>(n, Par::Seq, Default::default());
    let result = cholesky_in_place(
        factor.as_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    let positive = (0..n).all(|at| factor[(at, at)].parts()[0] > 0.0);
    if result.is_ok() && positive {
        for column in 0..n {
            (0..column).for_each(|row| factor[(row, column)] = T::of(0.0, 0.0));
        }
        store(&factor, to, n);
    } else {
        to.fill(nan());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::samples::{
        Dense, EXTENTS, assert_nan, assert_near, epsilon, for_each_number, sample, unwritten,
    };
    use num_complex::Complex64;

    fn factor_of<T: Number>(a: &Dense) -> Vec<T> {
        let mut to = unwritten::<T>(a.rows * a.rows);
        factor(&a.write::<T>(), a.rows, &mut to);
        to
    }

    /// A positive definite matrix of integers.
    fn positive<T: Number>(n: usize) -> Dense {
        let root = sample::<T>([n, n]);
        let product = root.times(&root.adjoint());
        Dense::new([n, n], |row, column| {
            product.at(row, column) + if row == column { 10.0 } else { 0.0 }
        })
    }

    #[test]
    fn the_factor_times_its_adjoint_is_the_matrix() {
        fn check<T: Number>() {
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
        fn check<T: Number>() {
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
        fn check<T: Number>() {
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
}
