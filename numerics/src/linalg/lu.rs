//! Solutions, inverses and determinants by LU factorisation with partial pivoting.

use super::number::{Number, matrix, nan, store};
use super::small::{MOST, Small, eliminate};
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
        if is_singular(self.pivots(), to) {
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

/// Factorises a matrix in C order in place; returns the order of its rows.
pub fn eliminated<T: Number>(a: &mut [T], width: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..a.len().checked_div(width).unwrap_or(0)).collect();
    eliminate(a, width, |at, pivot| order.swap(at, pivot));
    order
}

/// Whether the pivots make a matrix singular; then `to` becomes NaN.
fn is_singular<T: Number>(mut pivots: impl Iterator<Item = [f64; 2]>, to: &mut [T]) -> bool {
    let is_singular = pivots.any(|pivot| pivot == [0.0, 0.0]);
    if is_singular {
        to.fill(nan());
    }
    is_singular
}

/// The solution of `A X = B`.
pub(super) fn solve<T: Number>(a: &[T], n: usize, b: &[T], to: &mut [T]) {
    if n > MOST {
        return Lu::new(a, n).solve(matrix(b, b.len() / n, 0), to);
    }
    let small = Small::new(a, n);
    if n > 0 && !is_singular(small.pivots(), to) {
        small.solve(b, to);
    }
}

/// The inverse.
pub(super) fn inverse<T: Number>(a: &[T], n: usize, to: &mut [T]) {
    if n > MOST {
        return Lu::new(a, n).solve(Mat::identity(n, n), to);
    }
    let small = Small::new(a, n);
    if n > 0 && !is_singular(small.pivots(), to) {
        small.invert(to);
    }
}

/// The determinant, its sign and the logarithm of its absolute value.
pub(super) fn determinant<T: Number>(a: &[T], n: usize, to: &mut [T]) {
    if a.iter().any(|element| element.parts().iter().any(|part| part.is_nan())) {
        to.fill(nan());
        return;
    }
    let results = if n > MOST {
        let lu = Lu::new(a, n);
        product_of_pivots(lu.pivots(), lu.odd, T::IS_REAL)
    } else {
        let small = Small::new(a, n);
        product_of_pivots(small.pivots(), small.odd, T::IS_REAL)
    };
    to.iter_mut().zip(results).for_each(|(to, result)| *to = T::of(result.re, result.im));
}

/// The determinant of a factorised matrix with its sign and logarithm: the product of its pivots,
/// whose components are given, negative if an odd number of rows was exchanged. Partial products
/// neither overflow nor vanish.
pub fn product_of_pivots(
    numbers: impl Iterator<Item = [f64; 2]>,
    odd: bool,
    real: bool,
) -> [Complex64; 3] {
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
        sign = if real {
            sign * number.re.signum()
        } else {
            sign * (number / number.re.hypot(number.im))
        };
        logarithm += if real { re.abs() } else { re.hypot(im) }.ln();
        let next = split(times(mantissa, number));
        mantissa = next.0;
        exponent += power + next.1;
    }
    let exponent = exponent.clamp(-5000, 5000) as i32;
    let value = times_two_to(mantissa, exponent);
    [value, sign, Complex64::new(logarithm, 0.0)]
}

/// A number of common size and the power of two that it is multiplied by.
fn split(number: Complex64) -> (Complex64, i64) {
    let largest = number.re.abs().max(number.im.abs());
    if largest == 0.0 || !largest.is_finite() {
        return (number, 0);
    }
    let exponent = match largest.is_normal() {
        true => (largest.to_bits() >> 52) as i32 - 1023,
        false => libm::ilogb(largest),
    };
    (times_two_to(number, -exponent), i64::from(exponent))
}

/// A number times a power of two.
fn times_two_to(number: Complex64, exponent: i32) -> Complex64 {
    // The power is a number, and so is the product if the components are of common size.
    if (-1000..=1000).contains(&exponent) {
        let power = f64::from_bits(((1023 + exponent) as u64) << 52);
        return Complex64::new(number.re * power, number.im * power);
    }
    Complex64::new(libm::ldexp(number.re, exponent), libm::ldexp(number.im, exponent))
}
