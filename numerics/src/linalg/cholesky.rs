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
