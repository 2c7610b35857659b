//! Singular values of operators.

use super::basis::Basis;
use super::krylov::{EigenOptions, Which, drawn, no_such};
use super::lanczos::hermitian;
use super::numbers::{computed, epsilon, norm, read_real};
use super::operator::{Function, LinearOperator, Prepared};
use crate::array::Array;
use crate::manipulation::{refused, stack};
use crate::products::conjugated;
use crate::recording::current_mesh;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::promote;

/// The result of [`svds`].
#[derive(Clone, Debug)]
pub struct SingularTriplets {
    /// The left singular vectors in columns, `(m, k)`.
    pub u: Array,
    /// The singular values, ascending as in SciPy, `(k)`.
    pub s: Array,
    /// The right singular vectors in rows, conjugated, `(k, n)`.
    pub vh: Array,
    /// The number of triplets that converged.
    pub converged: usize,
}

/// SciPy's `svds`: `k` singular values of an operator with an adjoint on the current mesh, the
/// largest or the smallest ([`Which::SmallestMagnitude`]), and their vectors.
///
/// They are computed from the eigenvalues of `Aᴴ A` or `A Aᴴ`, whichever is smaller, as in SciPy:
/// singular values below the root of the rounding unit times the largest one are not accurate.
/// Shapes `(m, n) -> (m, k), (k), (k, n)`. Dtype: that of the operator; the singular values are
/// real. Collective over the mesh, as [`eigsh`](super::eigsh()). Errors: `OpError::Argument` for a
/// `k` of 0 or above the smaller extent, and for another `which`; the errors of the operator.
#[track_caller]
pub fn svds(
    operator: &dyn LinearOperator,
    k: usize,
    options: &EigenOptions<'_>,
) -> Result<SingularTriplets, Error> {
    let site = call_site();
    within(site, || triplets(operator, k, options, &current_mesh(site)?, site))
}

fn triplets(
    operator: &dyn LinearOperator,
    k: usize,
    options: &EigenOptions<'_>,
    mesh: &MeshHandle,
    site: Site,
) -> Result<SingularTriplets, Error> {
    let name = "svds";
    let which = match options.which {
        Which::LargestMagnitude => Which::LargestReal,
        Which::SmallestMagnitude => Which::SmallestReal,
        other => return Err(no_such(name, other, site)),
    };
    if options.shift.is_some() {
        return Err(refused(name, "sigma", "a shift", site));
    }
    let [m, n] = operator.shape();
    let is_tall = m >= n;
    let mut dtype = computed(operator.dtype());
    if let Some(v0) = &options.v0 {
        dtype = promote(dtype, computed(v0.ok()?.dtype()));
    }
    let matrix = Prepared::new(operator, dtype, name, site)?;
    let smaller = m.min(n);
    let product = |x: &Array| match is_tall {
        true => matrix.apply_adjoint(&matrix.apply(x)?),
        false => matrix.apply(&matrix.apply_adjoint(x)?),
    };
    // The closure is the solver's own, so its calls keep the caller's line.
    let squared = Function::new([smaller; 2], dtype, |x| within(site, || product(x)));
    let options = EigenOptions { which, ..options.clone() };
    let pairs = hermitian(name, &squared, k, &options, mesh, site)?;

    // The images of the vectors of the smaller side, orthonormal from the largest one down.
    let basis = Basis::new(mesh, [m.max(n), k], dtype, site)?;
    let mut sizes = Vec::with_capacity(k);
    for at in (0..k).rev() {
        let vector = pairs.eigenvectors.slice(crate::s![.., at as i64]).copy();
        let image = if is_tall { matrix.apply(&vector)? } else { matrix.apply_adjoint(&vector)? };
        let size = norm(&image);
        let mut unit = basis.orthogonalised(&image);
        let values = read_real(&[&unit.size, &size])?;
        sizes.push(size);
        // An image that is noise leaves the vector open: any orthogonal one completes the factors.
        if values[0] <= epsilon(dtype) * values[1] || values[1] == 0.0 {
            unit = basis.orthogonalised(&drawn(mesh, &[m.max(n)], dtype, at as u64 + 1)?);
        }
        basis.set(at, &unit.unit)?;
    }
    sizes.reverse();
    let s = stack(&sizes.iter().collect::<Vec<_>>(), 0).into_result()?;
    let (larger, smaller) = (basis.vectors, pairs.eigenvectors);
    let (u, v) = if is_tall { (larger, smaller) } else { (smaller, larger) };
    let vh = conjugated(&v.t()).copy().into_result()?;
    Ok(SingularTriplets { u, s, vh, converged: pairs.converged })
}
