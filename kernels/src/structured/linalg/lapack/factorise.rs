//! The routine of each factorisation.

use super::{general, qr, spectral, systems};
use crate::structured::number::Number;
use phalanx_device::blas::BlasLibrary;
use phalanx_ops::structured::Decomposition;

/// Elements of a matrix from which a library is faster than our own routines.
const SMALL: usize = 24 * 24;
/// The largest extent for a library that may have 32-bit integers, and for its routines that count
/// elements of their work.
const MOST_NARROW: usize = 1 << 24;
const MOST_NARROW_SQUARE: usize = 20_000;

/// Whether the library factorises matrices of these extents: they are not small, and its integers
/// can count them.
pub(in super::super) fn takes(
    library: &BlasLibrary,
    decomposition: Decomposition,
    [m, n]: [usize; 2],
) -> bool {
    let most = match decomposition {
        _ if library.has_wide_integers() => usize::MAX,
        Decomposition::Cholesky
        | Decomposition::Solve
        | Decomposition::Inverse
        | Decomposition::Determinant
        | Decomposition::Qr { .. } => MOST_NARROW,
        Decomposition::Eigh { .. } | Decomposition::Eig { .. } | Decomposition::Svd { .. } => {
            MOST_NARROW_SQUARE
        }
    };
    library.lapack().is_ok() && m.saturating_mul(n) >= SMALL && m.max(n) <= most
}

/// Factorises a matrix in C order as `Decomposition` says; NaN if there is no such factorisation.
/// The library `takes` it, and the calling thread has entered it.
pub(in super::super) fn factorise<T: Number>(
    library: &BlasLibrary,
    decomposition: Decomposition,
    a: &[T],
    [m, n]: [usize; 2],
    right: &[T],
    to: &mut [T],
) {
    let Ok(lapack) = library.lapack() else { unreachable!("bug: a library without LAPACK") };
    assert_eq!(a.len(), m * n, "bug: the size of a matrix");
    let wide = library.has_wide_integers();
    let found = match decomposition {
        Decomposition::Cholesky => systems::cholesky(lapack, a, n, to),
        Decomposition::Solve => systems::solve(lapack, wide, a, n, right, to),
        Decomposition::Inverse => systems::inverse(lapack, wide, a, n, to),
        Decomposition::Determinant => systems::determinant(lapack, wide, a, n, to),
        Decomposition::Qr { complete } => qr::factor(lapack, a, [m, n], complete, to),
        Decomposition::Eigh { lower } => spectral::eigh(lapack, a, n, lower, to),
        Decomposition::Eig { real } => general::eig(lapack, a, n, real, to),
        Decomposition::Svd { full } => spectral::svd(lapack, a, [m, n], full, to),
    };
    if found.is_none() {
        to.fill(T::of(f64::NAN, f64::NAN));
    }
}
