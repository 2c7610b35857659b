//! Eigenvalues of Hermitian matrices and singular values.

use super::number::{Number, exponent, matrix, store};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{self, ComputeSvdVectors, svd_scratch};
use faer::{Mat, Par};

/// Writes the eigenvectors and, in the last row, the eigenvalues. `None` if there are none.
pub(super) fn eigh<T: Number>(a: &[T], n: usize, lower: bool, to: &mut [T]) -> Option<()> {
    let element = |row: usize, column: usize| {
        let element = if lower { a[row * n + column] } else { a[column * n + row].conjugate() };
        if row == column { T::of(element.parts()[0], 0.0) } else { element }
    };
    let triangle = (0..n).flat_map(|row| (0..=row).map(move |column| element(row, column)));
    let power = exponent(triangle)?;
    let zero = T::of(0.0, 0.0);
    let triangle = Mat::from_fn(n, n, |row, column| match row < column {
        true => zero,
        false if power == 0 => element(row, column),
        false => element(row, column).scaled(-power),
    });
    let mut values = Diag::<T>::zeros(n);
    let mut vectors = Mat::full(n, n, zero);
    let scratch =
        self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        triangle.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    store(&vectors, to, n);
    let last = &mut to[n * n..];
    last.iter_mut().enumerate().for_each(|(at, to)| *to = values[at].scaled(power));
    Some(())
}

/// Writes `U`, the transpose of `Vᴴ` and the singular values. `None` if there are none.
pub(super) fn svd<T: Number>(a: &[T], [m, n]: [usize; 2], full: bool, to: &mut [T]) -> Option<()> {
    let smaller = m.min(n);
    let width = if full { m.max(n) } else { smaller };
    let zero = T::of(0.0, 0.0);
    let extents = if full { [m, n] } else { [smaller; 2] };
    let (mut u, mut v) = (Mat::<T>::identity(m, extents[0]), Mat::<T>::identity(n, extents[1]));
    let mut values = Diag::<T>::zeros(smaller);
    let power = exponent(a.iter().copied())?;
    if smaller > 0 {
        let computed = if full { ComputeSvdVectors::Full } else { ComputeSvdVectors::Thin };
        let scratch = svd_scratch::<T>(m, n, computed, computed, Par::Seq, Default::default());
        svd::svd(
            matrix(a, n, power).as_ref(),
            values.as_mut(),
            Some(u.as_mut()),
            Some(v.as_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        )
        .ok()?;
    }
    to.fill(zero);
    let (upper, rest) = to.split_at_mut(m * width);
    let (middle, last) = rest.split_at_mut(n * width);
    store(&u, upper, width);
    store(&v, middle, width);
    middle.iter_mut().for_each(|element| *element = element.conjugate());
    last[..smaller].iter_mut().enumerate().for_each(|(at, to)| *to = values[at].scaled(power));
    Some(())
}
