//! Eigenvalues of Hermitian operators by Lanczos' method with thick restarts.

use super::dense::{Dense, absolute};
use super::krylov::{EigenOptions, Eigenpairs, Krylov, Which, allowed, no_such};
use super::numbers::{epsilon, upload};
use super::operator::LinearOperator;
use crate::recording::current_mesh;
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};

/// SciPy's `eigsh`: `k` eigenvalues of a Hermitian operator on the current mesh, ascending, and
/// their eigenvectors.
///
/// Shapes `(n, n) -> (k), (n, k)`. Dtype: that of the operator (of the inverse, with
/// [`EigenOptions::sigma`]), in which dtypes other than `f32`, `f64`, `c64` and `c128` count as
/// `f64`; the eigenvalues are real. Collective over the mesh: each restart reads the new part of
/// the projected matrix at once. If the limit of restarts comes first,
/// [`Eigenpairs::converged`] is less than `k`.
///
/// Errors: `OpError::Argument` for another shape, a `k` of 0 or above `n`, and a `which` of
/// imaginary parts, and the errors of the operator.
///
/// Source: K. Wu, H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems"
/// (2000), section 3, with full orthogonalisation.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{EigenOptions, Which, eigsh};
/// # fn example(matrix: &Csr) -> Result<phalanx::Array, phalanx::Error> {
/// let options = EigenOptions::default().which(Which::SmallestReal);
/// Ok(eigsh(matrix, 6, &options)?.eigenvalues)
/// # }
/// ```
#[track_caller]
pub fn eigsh(
    operator: &dyn LinearOperator,
    k: usize,
    options: &EigenOptions<'_>,
) -> Result<Eigenpairs, Error> {
    let site = call_site();
    within(site, || hermitian("eigsh", operator, k, options, &current_mesh(site)?, site))
}

pub(super) fn hermitian(
    name: &'static str,
    operator: &dyn LinearOperator,
    k: usize,
    options: &EigenOptions<'_>,
    mesh: &MeshHandle,
    site: Site,
) -> Result<Eigenpairs, Error> {
    if matches!(options.which, Which::LargestImaginary | Which::SmallestImaginary) {
        return Err(no_such(name, options.which, site));
    }
    let mut space = Krylov::new(name, operator, k, options, false, mesh, site)?;
    let (most, unit) = (space.most, epsilon(space.dtype));
    let most_restarts = options.maxiter.unwrap_or_else(|| space.rows.saturating_mul(10));
    let (mut kept, mut restarts) = (0, 0);
    loop {
        space.grow(kept)?;
        // The upper triangle of the Rayleigh quotient; rounding makes the other one differ.
        let upper = |row: usize, column: usize| {
            let (low, high) = (row.min(column), row.max(column));
            let value = space.quotient.at(low, high);
            if row <= column { value } else { value.conj() }
        };
        let (values, vectors) = Dense::new(most, most, upper).eigen_hermitian();
        let values: Vec<Complex64> = values.into_iter().map(Complex64::from).collect();
        let last = space.quotient.at(most, most - 1).re;
        let residual = |at: usize| last * absolute(vectors.at(most - 1, at));
        let order = options.which.order(&values, false);
        let allowed = allowed(&values, options.tol, unit);
        let has_converged = |at: &&usize| residual(**at) <= allowed[**at];
        let converged = order[..k].iter().filter(has_converged).count();
        if converged == k || restarts >= most_restarts || most == space.rows || last == 0.0 {
            let mut wanted = order[..k].to_vec();
            let found: Vec<Complex64> = wanted.iter().map(|&at| values[at]).collect();
            let back = space.shifted_back(&found, options);
            let mut ascending: Vec<usize> = (0..k).collect();
            ascending.sort_by(|&a, &b| back[a].re.total_cmp(&back[b].re));
            wanted = ascending.iter().map(|&at| wanted[at]).collect();
            let back: Vec<Complex64> = ascending.iter().map(|&at| back[at]).collect();
            let eigenvectors = space.basis.transformed(&vectors.selected(&wanted))?;
            let is_exact = most == space.rows || last == 0.0;
            return Ok(Eigenpairs {
                eigenvalues: upload(mesh, &back, &[k], space.dtype.real(), site)?,
                eigenvectors,
                converged: if is_exact { k } else { converged },
                restarts,
                products: space.products,
            });
        }
        restarts += 1;
        // More vectors than wanted are kept, and more the more have converged: the space then
        // loses less at a restart.
        kept = (k + converged.max(1) + (most - k) / 3).min(most - 1);
        let chosen = &order[..kept];
        let combinations = vectors.selected(chosen);
        space.restart(&combinations)?;
        space.quotient = Dense::zeros(most + 1, most);
        for (at, &from) in chosen.iter().enumerate() {
            space.quotient.set(at, at, values[from]);
        }
    }
}
