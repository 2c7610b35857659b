//! Solutions, inverses and determinants by LU factorisation with partial pivoting.

use super::number::{Number, matrix, nan, store};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use faer::{Mat, Par};
use num_complex::Complex64;

/// Both factors in one matrix, the permutation and its inverse, and whether the permutation is odd.
struct Lu<T> {
    factors: Mat<T>,
    permutation: [Vec<usize>; 2],
    odd: bool,
}

impl<T: Number> Lu<T> {
    fn new(a: &[T], n: usize) -> Lu<T> {
        let mut factors = matrix(a, n, 0);
        let mut permutation = [vec![0; n], vec![0; n]];
        let [forward, backward] = &mut permutation;
        let scratch = lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Default::default());
        let (information, _) = lu_in_place(
            factors.as_mut(),
            forward,
            backward,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        Lu { factors, permutation, odd: information.transposition_count % 2 == 1 }
    }

    fn pivots(&self) -> impl Iterator<Item = [f64; 2]> {
        (0..self.factors.nrows()).map(|at| self.factors[(at, at)].parts())
    }

    /// Solves for the columns of a matrix, which become the solution; NaN if there is none.
    fn solve(&self, mut right: Mat<T>, to: &mut [T]) {
        if self.pivots().any(|pivot| pivot == [0.0, 0.0]) {
            to.fill(nan());
            return;
        }
        let (n, columns) = (right.nrows(), right.ncols());
        let [forward, backward] = &self.permutation;
        let scratch = solve_in_place_scratch::<usize, T>(n, columns, Par::Seq);
        solve_in_place(
            self.factors.as_ref(),
            self.factors.as_ref(),
            PermRef::new_checked(forward, backward, n),
            right.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        store(&right, to, columns);
    }
}

/// The solution of `A X = B`.
pub(super) fn solve<T: Number>(a: &[T], n: usize, b: &[T], to: &mut [T]) {
    Lu::new(a, n).solve(matrix(b, b.len() / n, 0), to);
}

/// The inverse.
pub(super) fn inverse<T: Number>(a: &[T], n: usize, to: &mut [T]) {
    Lu::new(a, n).solve(Mat::identity(n, n), to);
}

/// The determinant, its sign and the logarithm of its absolute value.
pub(super) fn determinant<T: Number>(a: &[T], n: usize, to: &mut [T]) {
    if a.iter().any(|element| element.parts().iter().any(|part| part.is_nan())) {
        to.fill(nan());
        return;
    }
    let lu = Lu::new(a, n);
    let results = product(lu.pivots(), lu.odd, T::IS_REAL);
    to.iter_mut().zip(results).for_each(|(to, result)| *to = T::of(result.re, result.im));
}

/// The product of numbers with its sign and logarithm; partial products neither overflow nor
/// vanish.
fn product(numbers: impl Iterator<Item = [f64; 2]>, odd: bool, real: bool) -> [Complex64; 3] {
    let times = |a: Complex64, b: Complex64| {
        if real { Complex64::new(a.re * b.re, 0.0) } else { a * b }
    };
    let mut mantissa = Complex64::new(if odd { -1.0 } else { 1.0 }, 0.0);
    let (mut exponent, mut sign, mut logarithm) = (0_i64, mantissa, 0.0);
    for [re, im] in numbers {
        if [re, im] == [0.0, 0.0] {
            let zero = Complex64::new(0.0, 0.0);
            return [zero, zero, Complex64::new(f64::NEG_INFINITY, 0.0)];
        }
        let (number, power) = split(Complex64::new(re, im));
        let size = number.re.hypot(number.im);
        sign = if real { sign * number.re.signum() } else { sign * (number / size) };
        logarithm += re.hypot(im).ln();
        let next = split(times(mantissa, number));
        mantissa = next.0;
        exponent += power + next.1;
    }
    let exponent = exponent.clamp(-5000, 5000) as i32;
    let value =
        Complex64::new(libm::ldexp(mantissa.re, exponent), libm::ldexp(mantissa.im, exponent));
    [value, sign, Complex64::new(logarithm, 0.0)]
}

/// A number of common size and the power of two that it is multiplied by.
fn split(number: Complex64) -> (Complex64, i64) {
    let largest = number.re.abs().max(number.im.abs());
    if largest == 0.0 || !largest.is_finite() {
        return (number, 0);
    }
    let exponent = libm::ilogb(largest);
    let scaled =
        Complex64::new(libm::ldexp(number.re, -exponent), libm::ldexp(number.im, -exponent));
    (scaled, i64::from(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::samples::{
        Dense, EXTENTS, assert_nan, assert_near, epsilon, for_each_number, sample, unwritten,
    };

    /// A well-conditioned matrix whose factorisation exchanges rows: the largest element of each
    /// column is not on the diagonal but on the other one.
    fn exchanged<T: Number>(n: usize) -> Dense {
        let small = sample::<T>([n, n]);
        Dense::new([n, n], |row, column| {
            small.at(row, column) + if row + column + 1 == n { 40.0 } else { 0.0 }
        })
    }

    fn determinant_of<T: Number>(a: &Dense) -> Vec<T> {
        let mut to = unwritten::<T>(3);
        determinant(&a.write::<T>(), a.rows, &mut to);
        to
    }

    fn numbers<T: Number>(numbers: [f64; 3]) -> [T; 3] {
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
        fn check<T: Number>() {
            for n in EXTENTS {
                for columns in [1, 3] {
                    let (a, b) = (exchanged::<T>(n), sample::<T>([n, columns]));
                    let mut to = unwritten::<T>(n * columns);
                    solve(&a.write::<T>(), n, &b.write::<T>(), &mut to);
                    let x = Dense::read([n, columns], &to);
                    assert_near::<T>(&a.times(&x), &b, b.size());
                }
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn the_matrix_times_its_inverse_is_the_identity() {
        fn check<T: Number>() {
            for n in EXTENTS {
                let a = exchanged::<T>(n);
                let mut to = unwritten::<T>(n * n);
                inverse(&a.write::<T>(), n, &mut to);
                let inverse = Dense::read([n, n], &to);
                assert_near::<T>(&a.times(&inverse), &Dense::identity(n), 1.0);
                assert_near::<T>(&inverse.times(&a), &Dense::identity(n), 1.0);
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn a_singular_matrix_has_neither_solution_nor_inverse() {
        fn check<T: Number>() {
            for (n, elements) in [
                (1, &[0.0][..]),
                (2, &[0.0, 0.0, 0.0, 0.0]),
                (2, &[1.0, 2.0, 2.0, 4.0]),
                (2, &[0.0, 1.0, 0.0, 1.0]),
            ] {
                let a = Dense::real([n, n], elements).write::<T>();
                let mut to = unwritten::<T>(n * 3);
                solve(&a, n, &sample::<T>([n, 3]).write::<T>(), &mut to);
                assert_nan(&to);
                let mut to = unwritten::<T>(n * n);
                inverse(&a, n, &mut to);
                assert_nan(&to);
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn the_determinant_has_its_sign_and_its_logarithm() {
        fn check<T: Number>() {
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
        fn check<T: Number>() {
            let empty = Dense::identity(0);
            assert_eq!(determinant_of::<T>(&empty), numbers::<T>([1.0, 1.0, 0.0]));
        }
        for_each_number!(check);
    }

    #[test]
    fn the_determinant_of_a_singular_matrix_is_0_and_that_of_nan_is_nan() {
        fn check<T: Number>() {
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
        fn check<T: Number>() {
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
}
