//! Cholesky and QR factorisations.

use super::matrices::{Fails, adjoint, check, decomposed, matrices, part, square};
use crate::array::Array;
use crate::manipulation::matrix_transpose;
use phalanx_graph::{DataError, Error, call_site, within};
use phalanx_ops::structured::Decomposition;

/// NumPy's `linalg.cholesky`: the lower triangular `L` with `L Lᴴ = a`, or its adjoint if `upper`.
///
/// Shape `(…, n, n)`. Collective over the mesh: whether the factor exists depends on data. Errors:
/// `OpError::Matrix`, `OpError::NotSquare`, `DataError::NotPositiveDefinite`.
#[track_caller]
#[must_use]
pub fn cholesky(array: &Array, upper: bool) -> Array {
    let site = call_site();
    Array::catch((|| {
        let mut array = square(array, "cholesky", site)?;
        if upper {
            array = within(site, || adjoint(&array).into_result())?;
        }
        let factor = decomposed(Decomposition::Cholesky, &[&array], site)?;
        // Elements above the diagonal are not read, as in LAPACK, so they are not checked.
        let read = within(site, || crate::creation::tril(&array, 0));
        check(&factor, &read, Fails::Finite, DataError::NotPositiveDefinite, site)?;
        within(site, || if upper { adjoint(&factor).into_result() } else { Ok(factor.clone()) })
    })())
}

/// The size of the factors of a QR factorisation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum QrMode {
    /// `q` has as many columns as the smaller extent.
    #[default]
    Reduced,
    /// `q` is square.
    Complete,
}

/// A QR factorisation.
#[derive(Clone, Debug)]
pub struct Qr {
    /// The orthonormal columns, `(…, m, k)`.
    pub q: Array,
    /// The upper triangle, `(…, k, n)`.
    pub r: Array,
}

/// NumPy's `linalg.qr`: `a = q r`, with orthonormal columns in `q` and an upper triangular `r`.
///
/// Shapes `(…, m, n) -> (…, m, k), (…, k, n)`. Local (records nodes). Errors: `OpError::Matrix`.
#[track_caller]
pub fn qr(array: &Array, mode: QrMode) -> Qr {
    let site = call_site();
    let both = (|| {
        let array = matrices(array, "qr", site)?;
        let (m, n) = (array.shape()[array.ndim() - 2], array.shape()[array.ndim() - 1]);
        let complete = mode == QrMode::Complete;
        let k = if complete { m } else { m.min(n) };
        let packed = decomposed(Decomposition::Qr { complete }, &[&array], site)?;
        within(site, || {
            let q = part(&packed, 0..m, k).copy();
            let r = matrix_transpose(&part(&packed, m..m + n, k)).copy();
            Ok(Qr { q: q.into_result()?, r: r.into_result()? })
        })
    })();
    let broken = |error: Error| Qr { q: Array::broken(error.clone()), r: Array::broken(error) };
    both.unwrap_or_else(broken)
}
