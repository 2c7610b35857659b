//! Conjugate gradients with a preconditioner.

use super::numbers::{inner, read_real, real, square};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use phalanx_graph::{Error, call_site};

/// SciPy's `cg`: solves `A x = b` for a Hermitian positive definite matrix by conjugate gradients.
///
/// Shapes `(n, n), (n) -> (n)`; `b` and `x0` may have a second axis of extent 1. Dtype: the
/// promotion of the operands, in which dtypes other than `f32`, `f64`, `c64` and `c128` count as
/// `f64`. `maxiter` is `10 n` by default. Collective over the mesh: each iteration reads the norm
/// of its residual. Errors: `OpError::Argument` for other shapes, and the errors of the operators.
///
/// Source: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems"
/// (1952); with a preconditioner, Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003),
/// algorithm 9.1.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{Jacobi, Options, cg};
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// let inverse = Jacobi::new(matrix)?;
/// Ok(cg(matrix, b, Options::default().rtol(1e-8).preconditioner(&inverse))?.x)
/// # }
/// ```
#[track_caller]
pub fn cg(matrix: &dyn LinearOperator, b: &Array, options: Options<'_>) -> Result<Solved, Error> {
    let most = |rows: usize| rows.saturating_mul(10);
    solved("cg", (matrix, b), options, most, conjugate_gradients, call_site())
}

fn conjugate_gradients(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let has_inverse = problem.has_preconditioner();
    let mut r = problem.residual.clone();
    let mut z = problem.preconditioned(&r)?;
    let mut p = z.clone();
    let mut rho = if has_inverse { real(&inner(&r, &z)) } else { square(&r) };
    loop {
        let q = problem.product(&p)?;
        let alpha = &rho / real(&inner(&p, &q));
        let x = &progress.x + &alpha * &p;
        r = &r - &alpha * &q;
        z = problem.preconditioned(&r)?;
        let residual = square(&r);
        let next = if has_inverse { real(&inner(&r, &z)) } else { residual.clone() };
        let residual = read_real(&[&residual])?[0].sqrt();
        if let Some(info) = progress.accept(x, residual) {
            return progress.ended(info);
        }
        p = &z + &next / &rho * &p;
        rho = next;
    }
}
