//! Minimal residuals for Hermitian matrices that may be indefinite.

use super::numbers::{epsilon, factor, inner, norm, read_real, real};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use num_complex::Complex64;
use phalanx_graph::{Error, call_site};
use phalanx_ops::error::OpError;

/// SciPy's `minres`: solves `(A - shift I) x = b` for a Hermitian matrix, which may be indefinite
/// or singular, by minimal residuals. The preconditioner must be positive definite.
///
/// Shapes, dtype and collectivity: those of [`cg`](super::cg()); with a preconditioner an iteration
/// reads twice. `maxiter` is `5 n` by default. If no solution exists, the solver stops at a least
/// squares solution with the return code 0, as in SciPy. Errors: those of [`cg`](super::cg()), and
/// `OpError::Arguments` for a preconditioner that is not positive definite.
///
/// Source: C. C. Paige, M. A. Saunders, "Solution of sparse indefinite systems of linear equations"
/// (1975), section 6; the residual with a preconditioner by the recurrence of its section 6.
#[track_caller]
pub fn minres(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: Options<'_>,
) -> Result<Solved, Error> {
    let most = |rows: usize| rows.saturating_mul(5);
    solved("minres", (matrix, b), options, most, minimal_residuals, call_site())
}

/// The QR factors of the tridiagonal matrix, as far as later steps need them. `cosine` and `sine`
/// are the last reflection.
struct Rotation {
    cosine: f64,
    sine: f64,
    /// The diagonal and off-diagonal elements that the next reflection changes.
    diagonal: f64,
    above: f64,
}

fn minimal_residuals(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let unit = epsilon(problem.dtype);
    let scaled = |array: &Array, by: f64| array * factor(Complex64::from(by), problem.dtype);
    let mut residual = problem.residual.clone();
    // The Lanczos vectors of the last step and of the one before, not yet normalised.
    let (mut older, mut newer) = (residual.clone(), residual.clone());
    let mut y = problem.preconditioned(&newer)?;
    let product = read_real(&[&inner(&newer, &y)])?[0];
    let mut beta = root(product, problem)?;
    let mut old_beta = 0.0;
    let mut phi_bar = beta;
    let mut last = Rotation { cosine: -1.0, sine: 0.0, diagonal: 0.0, above: 0.0 };
    let mut directions: [Option<Array>; 2] = [None, None];
    let mut squares = 0.0;
    loop {
        let v = scaled(&y, 1.0 / beta);
        // Not changed in place: an operator may return its argument, or an array of its own.
        let mut w = problem.product(&v)?;
        if problem.shift != 0.0 {
            w = &w - &v * problem.shift;
        }
        if old_beta != 0.0 {
            w = &w - scaled(&older, beta / old_beta);
        }
        let alpha = real(&inner(&v, &w));
        w = &w - &alpha * scaled(&newer, 1.0 / beta);
        let next = problem.preconditioned(&w)?;
        let values = read_real(&[&alpha, &inner(&w, &next)])?;
        (older, newer, y) = (newer, w, next);
        let alpha = values[0];
        (old_beta, beta) = (beta, root(values[1], problem)?);
        squares += alpha * alpha + old_beta * old_beta + beta * beta;
        let size = squares.sqrt();

        let old_above = last.above;
        let delta = last.cosine * last.diagonal + last.sine * alpha;
        let pivot = last.sine * last.diagonal - last.cosine * alpha;
        let (above, diagonal) = (last.sine * beta, -last.cosine * beta);
        // `‖A r‖ / ‖r‖` of the last residual: if it vanishes, no solution is better.
        if (pivot * pivot + diagonal * diagonal).sqrt() <= 10.0 * unit * size {
            return progress.ended(0);
        }
        let gamma = (pivot * pivot + beta * beta).sqrt();
        if gamma <= unit * size {
            return progress.ended(0);
        }
        let (cosine, sine) = (pivot / gamma, beta / gamma);
        last = Rotation { cosine, sine, diagonal, above };
        let phi = cosine * phi_bar;
        phi_bar *= sine;
        let mut direction = v;
        if let Some(before) = &directions[0] {
            direction = &direction - scaled(before, old_above);
        }
        if let Some(before) = &directions[1] {
            direction = &direction - scaled(before, delta);
        }
        let direction = scaled(&direction, 1.0 / gamma);
        let x = &progress.x + scaled(&direction, phi);
        directions = [directions[1].take(), Some(direction)];
        let reached = if problem.has_preconditioner() {
            residual = scaled(&residual, sine * sine);
            if beta != 0.0 {
                residual = &residual - scaled(&newer, phi_bar * cosine / beta);
            }
            read_real(&[&norm(&residual)])?[0]
        } else {
            phi_bar.abs()
        };
        if let Some(info) = progress.accept(x, reached) {
            return progress.ended(info);
        }
        if beta == 0.0 {
            return progress.ended(0);
        }
    }
}

/// The root of a product with the preconditioner, which is positive apart from rounding.
fn root(product: f64, problem: &Problem<'_>) -> Result<f64, Error> {
    let least = -epsilon(problem.dtype) * problem.size_of_residual.powi(2);
    if product < least && problem.has_preconditioner() {
        let problem_text = "the preconditioner is not positive definite";
        let error = OpError::Arguments { operation: "minres", problem: problem_text };
        return Err(Error::op(error, problem.site));
    }
    Ok(product.max(0.0).sqrt())
}
