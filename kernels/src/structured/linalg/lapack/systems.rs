//! Cholesky's factor, solutions, inverses and determinants.

use super::order::{Lines, transpose, transposed};
use super::work::{Integers, Outcome, with_work};
use crate::structured::number::{Number, readable, writable};
use phalanx_device::blas::Lapack;
use phalanx_numerics::linalg::product_of_pivots;

/// The lower triangular factor of a Hermitian matrix whose lower triangle is given.
pub(super) fn cholesky<T: Number>(lapack: &Lapack, a: &[T], n: usize, to: &mut [T]) -> Option<()> {
    for (row, to) in to.chunks_exact_mut(n).enumerate() {
        to[..row].copy_from_slice(&a[row * n..][..row]);
        to[row] = T::of(a[row * n + row].parts()[0], 0.0);
        to[row + 1..].fill(T::of(0.0, 0.0));
    }
    // By columns this is the upper triangle of the conjugate matrix, whose factor `U` is the
    // transpose of the factor that is asked for.
    let (size, mut outcome) = (n as i64, Outcome::default());
    // SAFETY: the matrix has `n` rows and columns.
    unsafe {
        let potrf = lapack.potrf[T::KIND as usize];
        potrf(b"U".as_ptr(), &size, writable(to), &size, outcome.pointer(), 1);
    }
    outcome.success()?;
    (0..n).all(|at| to[at * n + at].parts()[0] > 0.0).then_some(())
}

/// Both factors of a matrix by columns, and its pivots.
struct Lu<T> {
    factors: Vec<T>,
    pivots: Integers,
    n: usize,
}

impl<T: Number> Lu<T> {
    fn new(lapack: &Lapack, wide: bool, a: &[T], n: usize) -> Lu<T> {
        let mut factors = transposed(a, n, n, T::of(0.0, 0.0));
        let mut pivots = Integers::new(n, wide);
        let (size, mut outcome) = (n as i64, Outcome::default());
        // SAFETY: the matrix has `n` rows and columns, and there are `n` pivots.
        unsafe {
            let getrf = lapack.getrf[T::KIND as usize];
            let (a, pivots) = (writable(&mut factors), pivots.pointer());
            getrf(&size, &size, a, &size, pivots, outcome.pointer());
        }
        Lu { factors, pivots, n }
    }

    fn diagonal(&self) -> impl Iterator<Item = [f64; 2]> {
        (0..self.n).map(|at| self.factors[at * self.n + at].parts())
    }

    fn is_singular(&self) -> bool {
        self.diagonal().any(|pivot| pivot == [0.0, 0.0])
    }
}

/// The solution of `A X = B`.
pub(super) fn solve<T: Number>(
    lapack: &Lapack,
    wide: bool,
    a: &[T],
    n: usize,
    right: &[T],
    to: &mut [T],
) -> Option<()> {
    let mut lu = Lu::new(lapack, wide, a, n);
    if lu.is_singular() {
        return None;
    }
    let columns = right.len() / n;
    let mut solve = |b: &mut [T]| {
        let (size, count, mut outcome) = (n as i64, columns as i64, Outcome::default());
        // SAFETY: the factors have `n` rows and columns, and `b` has as many rows and `columns`
        // columns.
        unsafe {
            let getrs = lapack.getrs[T::KIND as usize];
            let (a, pivots) = (readable(&lu.factors), lu.pivots.pointer());
            let outcome = outcome.pointer();
            let task = b"N".as_ptr();
            getrs(task, &size, &count, a, &size, pivots, writable(b), &size, outcome, 1);
        }
    };
    if columns == 1 {
        to.copy_from_slice(right);
        solve(to);
    } else {
        let mut b = transposed(right, n, columns, T::of(0.0, 0.0));
        solve(&mut b);
        transpose(&b, Lines::packed(columns, n), to, columns);
    }
    Some(())
}

/// The inverse.
pub(super) fn inverse<T: Number>(
    lapack: &Lapack,
    wide: bool,
    a: &[T],
    n: usize,
    to: &mut [T],
) -> Option<()> {
    let mut lu = Lu::new(lapack, wide, a, n);
    if lu.is_singular() {
        return None;
    }
    let (size, mut outcome) = (n as i64, Outcome::default());
    let getri = lapack.getri[T::KIND as usize];
    with_work(|work: &mut [T], length: i64| {
        let (a, pivots) = (writable(&mut lu.factors), lu.pivots.pointer());
        // SAFETY: the factors have `n` rows and columns; the work has its length, or the length is
        // asked for.
        unsafe { getri(&size, a, &size, pivots, writable(work), &length, outcome.pointer()) };
    });
    outcome.success()?;
    transpose(&lu.factors, Lines::packed(n, n), to, n);
    Some(())
}

/// The determinant, its sign and the logarithm of its absolute value.
pub(super) fn determinant<T: Number>(
    lapack: &Lapack,
    wide: bool,
    a: &[T],
    n: usize,
    to: &mut [T],
) -> Option<()> {
    if a.iter().any(|element| element.parts().iter().any(|part| part.is_nan())) {
        return None;
    }
    let lu = Lu::new(lapack, wide, a, n);
    let exchanges = (0..n).filter(|&at| lu.pivots.get(at) != at as i64 + 1).count();
    let is_real = !T::KIND.is_complex();
    let results = product_of_pivots(lu.diagonal(), exchanges % 2 == 1, is_real);
    to.iter_mut().zip(results).for_each(|(to, result)| *to = T::of(result.re, result.im));
    Some(())
}
