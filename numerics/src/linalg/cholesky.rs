//! The Cholesky factorisation.

use super::number::{Number, nan, store};
use super::small::MOST;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{Mat, Par};

/// The lower triangular factor of a Hermitian matrix whose lower triangle is given.
pub(super) fn factor<T: Number>(a: &[T], n: usize, to: &mut [T]) {
    if n <= MOST {
        return of_few(a, n, to).unwrap_or_else(|| to.fill(nan()));
    }
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

/// As [`factor`], row by row, without memory from the heap; `None` if there is no factor.
fn of_few<T: Number>(a: &[T], n: usize, to: &mut [T]) -> Option<()> {
    to.fill(T::of(0.0, 0.0));
    for row in 0..n {
        let (above, below) = to.split_at_mut(row * n);
        let own = &mut below[..n];
        for (column, factor) in above.chunks_exact(n).enumerate() {
            let [real, imaginary] = left(a[row * n + column], own, factor, column).parts();
            let pivot = factor[column].parts()[0];
            own[column] = T::of(real / pivot, imaginary / pivot);
        }
        let diagonal = T::of(a[row * n + row].parts()[0], 0.0);
        let pivot = left(diagonal, own, own, row).parts()[0];
        if pivot.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
        own[row] = T::of(pivot.sqrt(), 0.0);
    }
    Some(())
}

/// A number without the products of the first elements of two rows, the second conjugated.
fn left<T: Number>(number: T, row: &[T], other: &[T], count: usize) -> T {
    let pairs = row[..count].iter().zip(&other[..count]);
    pairs.fold(number, |left, (&element, other)| left - element * other.conjugate())
}
