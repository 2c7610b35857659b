//! Conjugate gradients with a preconditioner.

use super::numbers::{inner, quotient, read_real, real, square};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::pipelined::pipelined;
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use phalanx_graph::{Error, call_site};

/// SciPy's `cg`: solves `A x = b` for a Hermitian positive definite matrix by conjugate gradients.
///
/// Shapes `(n, n), (n) -> (n)`; `b` and `x0` may have a second axis of extent 1. Dtype: the
/// promotion of the operands, in which dtypes other than `f32`, `f64`, `c64` and `c128` count as
/// `f64`. `maxiter` is `10 n` by default. Collective over the mesh: each iteration reads the norm
/// of its residual, or one of several with [`Options::check_every`]. Errors: `OpError::Argument`
/// for other shapes or a `check_every` of 0, and the errors of the operators.
///
/// On several devices, an iteration combines numbers twice, or once with [`Options::pipelined`].
///
/// Source: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems"
/// (1952); with a preconditioner, Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003),
/// algorithm 9.1. Pipelined: P. Ghysels, W. Vanroose, "Hiding global synchronization latency in the
/// preconditioned conjugate gradient algorithm", Parallel Computing 40(7), 2014, algorithm 4.
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
    let method = if options.is_pipelined { pipelined } else { conjugate_gradients };
    solved("cg", (matrix, b), options, most, method, call_site())
}

fn conjugate_gradients(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let has_inverse = problem.has_preconditioner();
    // Iterations that are not checked may divide by a residual that has vanished.
    let is_checked = progress.check_every == 1;
    let divided = |a: &Array, b: &Array| if is_checked { a / b } else { quotient(a, b) };
    let mut r = problem.residual.clone();
    let mut z = problem.preconditioned(&r)?;
    let mut p = z.clone();
    let mut rho = if has_inverse { real(&inner(&r, &z)) } else { square(&r) };
    loop {
        let q = problem.product(&p)?;
        let alpha = divided(&rho, &real(&inner(&p, &q)));
        let x = &progress.x + &alpha * &p;
        r = &r - &alpha * &q;
        z = problem.preconditioned(&r)?;
        let residual = square(&r);
        let next = if has_inverse { real(&inner(&r, &z)) } else { residual.clone() };
        if !progress.is_read() {
            progress.passes(x);
        } else if let Some(info) = progress.accept(x, read_real(&[&residual])?[0].sqrt()) {
            return progress.ended(info);
        }
        p = &z + divided(&next, &rho) * &p;
        rho = next;
    }
}
