//! The QR factorisation.

use super::order::{Lines, transpose, transposed};
use super::work::{Outcome, with_work};
use crate::structured::number::{Number, writable};
use phalanx_device::blas::Lapack;

/// Writes `Q` and the transpose of `R`.
pub(super) fn factor<T: Number>(
    lapack: &Lapack,
    a: &[T],
    [m, n]: [usize; 2],
    complete: bool,
    to: &mut [T],
) -> Option<()> {
    let zero = T::of(0.0, 0.0);
    let smaller = m.min(n);
    let width = if complete { m } else { smaller };
    let mut factors = transposed(a, m, n, zero);
    // `Q` is computed in place of the reflections, which may have fewer columns.
    factors.resize(m * n.max(width), zero);
    let mut scales = vec![zero; smaller];
    let [rows, columns, count, all] = [m, n, smaller, width].map(|extent| extent as i64);
    let mut outcome = Outcome::default();
    with_work(|work: &mut [T], length: i64| {
        let (a, scales) = (writable(&mut factors), writable(&mut scales));
        let geqrf = lapack.geqrf[T::KIND as usize];
        // SAFETY: the matrix has `m` rows and `n` columns, and there are as many scales as
        // reflections; the work has its length, or the length is asked for.
        unsafe {
            geqrf(&rows, &columns, a, &rows, scales, writable(work), &length, outcome.pointer());
        }
    });
    outcome.success()?;
    let (upper, lower) = to.split_at_mut(m * width);
    for (column, to) in lower.chunks_exact_mut(width).enumerate() {
        let kept = (column + 1).min(smaller);
        to[..kept].copy_from_slice(&factors[column * m..][..kept]);
        to[kept..].fill(zero);
    }
    let mut outcome = Outcome::default();
    with_work(|work: &mut [T], length: i64| {
        let (a, scales) = (writable(&mut factors), writable(&mut scales));
        let orgqr = lapack.orgqr[T::KIND as usize];
        // SAFETY: the matrix has room for `m` rows and `width` columns, and the reflections are in
        // its first columns; the work has its length, or the length is asked for.
        unsafe {
            let outcome = outcome.pointer();
            orgqr(&rows, &all, &count, a, &rows, scales, writable(work), &length, outcome);
        }
    });
    outcome.success()?;
    transpose(&factors, Lines::packed(width, m), upper, width);
    Some(())
}
