//! Eigenvalues of general operators by Stewart's Krylov-Schur method.

use super::dense::{Dense, absolute};
use super::krylov::{EigenOptions, Eigenpairs, Krylov, Which, allowed, no_such, unit_columns};
use super::numbers::{epsilon, upload};
use super::operator::LinearOperator;
use crate::recording::current_mesh;
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};

/// SciPy's `eigs`: `k` eigenvalues of a square operator on the current mesh, the most wanted first,
/// and their right eigenvectors.
///
/// Shapes `(n, n) -> (k), (n, k)`. Dtype: complex, of the precision of the operator. Vectors are
/// complex for real operators too. Collectivity and errors: those of [`eigsh`](super::eigsh()),
/// with a refusal of [`Which::BothEnds`].
///
/// Source: G. W. Stewart, "A Krylov-Schur algorithm for large eigenproblems" (2001), section 3.
#[track_caller]
pub fn eigs(
    operator: &dyn LinearOperator,
    k: usize,
    options: &EigenOptions<'_>,
) -> Result<Eigenpairs, Error> {
    let site = call_site();
    within(site, || general(operator, k, options, &current_mesh(site)?, site))
}

fn general(
    operator: &dyn LinearOperator,
    k: usize,
    options: &EigenOptions<'_>,
    mesh: &MeshHandle,
    site: Site,
) -> Result<Eigenpairs, Error> {
    if options.which == Which::BothEnds {
        return Err(no_such("eigs", options.which, site));
    }
    let mut space = Krylov::new("eigs", operator, k, options, true, mesh, site)?;
    let (most, unit) = (space.most, epsilon(space.dtype));
    let most_restarts = options.maxiter.unwrap_or_else(|| space.rows.saturating_mul(10));
    let (mut kept, mut restarts) = (0, 0);
    let is_real = !operator.dtype().is_complex();
    loop {
        space.grow(kept)?;
        let square = Dense::new(most, most, |row, column| space.quotient.at(row, column));
        let (mut triangle, mut schur) = square.schur();
        let values: Vec<Complex64> = (0..most).map(|at| triangle.at(at, at)).collect();
        let order = options.which.order(&values, is_real);
        triangle.reorder_schur(&mut schur, &order);
        let values: Vec<Complex64> = (0..most).map(|at| triangle.at(at, at)).collect();
        let vectors = schur.times(&triangle.triangle_vectors());
        let last = space.quotient.at(most, most - 1).re;
        let residual = |at: usize| last * absolute(vectors.at(most - 1, at));
        let allowed = allowed(&values, options.tol, unit);
        let has_converged = |at: &usize| residual(*at) <= allowed[*at];
        let converged = (0..k).filter(has_converged).count();
        let is_exact = most == space.rows || last == 0.0;
        if converged == k || restarts >= most_restarts || is_exact {
            let back = space.shifted_back(&values[..k], options);
            let wanted: Vec<usize> = (0..k).collect();
            let eigenvectors = space.basis.transformed(&vectors.selected(&wanted))?;
            return Ok(Eigenpairs {
                eigenvalues: upload(mesh, &back, &[k], space.dtype, site)?,
                eigenvectors: unit_columns(&eigenvectors).into_result()?,
                converged: if is_exact { k } else { converged },
                restarts,
                products: space.products,
            });
        }
        restarts += 1;
        kept = (k + converged.max(1) + (most - k) / 3).min(most - 1);
        let chosen: Vec<usize> = (0..kept).collect();
        space.restart(&schur.selected(&chosen))?;
        space.quotient = Dense::zeros(most + 1, most);
        for column in 0..kept {
            for row in 0..=column {
                space.quotient.set(row, column, triangle.at(row, column));
            }
            // The residuals of the kept Schur vectors are along the next vector of the basis.
            space.quotient.set(kept, column, schur.at(most - 1, column) * last);
        }
    }
}
