//! Solvers for general matrices with short recurrences of two Krylov spaces: `bicg`, `cgs`,
//! `bicgstab`.

use super::numbers::{epsilon, inner, norm, read};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use crate::products::conjugated;
use phalanx_graph::{Error, call_site};

/// The return codes for a product of residuals, or for a divisor, that vanishes.
const RHO_VANISHES: i64 = -10;
const DIVISOR_VANISHES: i64 = -11;

/// The default of `maxiter`, as SciPy's.
fn ten_for_each(rows: usize) -> usize {
    rows.saturating_mul(10)
}

/// The product of residuals that counts as zero. SciPy compares with the square of the rounding
/// unit, whatever the scale of `b`; this bound follows the scale.
fn least_rho(problem: &Problem<'_>) -> f64 {
    (epsilon(problem.dtype) * problem.size_of_residual).powi(2)
}

/// SciPy's `bicg`: solves `A x = b` by biconjugate gradients. The operator and the preconditioner
/// need their adjoints.
///
/// Shapes, dtype, collectivity and errors: those of [`cg`](super::cg()). `maxiter` is `10 n` by
/// default. The return codes -10 and -11 stand for a breakdown.
///
/// Source: R. Fletcher, "Conjugate gradient methods for indefinite systems" (1976); R. Barrett et
/// al., "Templates for the Solution of Linear Systems" (1994), figure 2.7.
#[track_caller]
pub fn bicg(matrix: &dyn LinearOperator, b: &Array, options: Options<'_>) -> Result<Solved, Error> {
    solved("bicg", (matrix, b), options, ten_for_each, biconjugate_gradients, call_site())
}

fn biconjugate_gradients(
    problem: &Problem<'_>,
    mut progress: Progress<'_>,
) -> Result<Solved, Error> {
    let least = least_rho(problem);
    let mut r = problem.residual.clone();
    let mut shadow = r.clone();
    let mut z = problem.preconditioned(&r)?;
    let mut rho = inner(&shadow, &z);
    // The directions and the product of residuals of the step before.
    let mut before: Option<(Array, Array, Array)> = None;
    loop {
        let shadow_z = problem.adjoint_preconditioned(&shadow)?;
        let (p, shadow_p) = match &before {
            None => (z, shadow_z),
            Some((p, shadow_p, last)) => {
                let beta = &rho / last;
                (z + &beta * p, shadow_z + conjugated(&beta) * shadow_p)
            }
        };
        let q = problem.product(&p)?;
        let shadow_q = problem.adjoint(&shadow_p)?;
        let divisor = inner(&shadow_p, &q);
        let alpha = &rho / &divisor;
        let x = &progress.x + &alpha * &p;
        r = &r - &alpha * q;
        shadow = &shadow - conjugated(&alpha) * shadow_q;
        // Recorded before the read: devices combine it together with the norm.
        z = problem.preconditioned(&r)?;
        let next = inner(&shadow, &z);
        let values = read(&[&norm(&r), &rho, &divisor])?;
        if values[1].norm() < least {
            return progress.ended(RHO_VANISHES);
        }
        if values[2].norm() == 0.0 {
            return progress.ended(DIVISOR_VANISHES);
        }
        if let Some(info) = progress.accept(x, values[0].re) {
            return progress.ended(info);
        }
        before = Some((p, shadow_p, rho));
        rho = next;
    }
}

/// SciPy's `cgs`: solves `A x = b` by conjugate gradients squared, without products with the
/// adjoint. Its residuals vary more than those of [`bicgstab`].
///
/// Shapes, dtype, collectivity and errors: those of [`cg`](super::cg()). `maxiter` is `10 n` by
/// default. The return codes -10 and -11 stand for a breakdown.
///
/// Source: P. Sonneveld, "CGS, a fast Lanczos-type solver for nonsymmetric linear systems" (1989);
/// Templates (see [`bicg`]), figure 2.9.
#[track_caller]
pub fn cgs(matrix: &dyn LinearOperator, b: &Array, options: Options<'_>) -> Result<Solved, Error> {
    solved("cgs", (matrix, b), options, ten_for_each, gradients_squared, call_site())
}

fn gradients_squared(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let least = least_rho(problem);
    let mut r = problem.residual.clone();
    let shadow = r.clone();
    let mut rho = inner(&shadow, &r);
    // `p`, `q` and the product of residuals of the step before.
    let mut before: Option<(Array, Array, Array)> = None;
    loop {
        let (u, p) = match &before {
            None => (r.clone(), r.clone()),
            Some((p, q, last)) => {
                let beta = &rho / last;
                let u = &r + &beta * q;
                let p = &u + &beta * (q + &beta * p);
                (u, p)
            }
        };
        let v = problem.product(&problem.preconditioned(&p)?)?;
        let divisor = inner(&shadow, &v);
        let alpha = &rho / &divisor;
        let q = &u - &alpha * v;
        let step = problem.preconditioned(&(u + &q))?;
        let x = &progress.x + &alpha * &step;
        r = &r - &alpha * problem.product(&step)?;
        // As in `bicg`.
        let next = inner(&shadow, &r);
        let values = read(&[&norm(&r), &rho, &divisor])?;
        if values[1].norm() < least {
            return progress.ended(RHO_VANISHES);
        }
        if values[2].norm() == 0.0 {
            return progress.ended(DIVISOR_VANISHES);
        }
        if let Some(info) = progress.accept(x, values[0].re) {
            return progress.ended(info);
        }
        before = Some((p, q, rho));
        rho = next;
    }
}

/// SciPy's `bicgstab`: solves `A x = b` by stabilised biconjugate gradients, without products with
/// the adjoint.
///
/// Shapes, dtype, collectivity and errors: those of [`cg`](super::cg()). `maxiter` is `10 n` by
/// default. The return codes -10 and -11 stand for a breakdown.
///
/// Source: H. A. van der Vorst, "Bi-CGSTAB" (1992); Saad (see [`cg`](super::cg())), algorithm 7.7,
/// with a preconditioner from the right.
#[track_caller]
pub fn bicgstab(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: Options<'_>,
) -> Result<Solved, Error> {
    solved("bicgstab", (matrix, b), options, ten_for_each, stabilised, call_site())
}

fn stabilised(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let least = least_rho(problem);
    let mut r = problem.residual.clone();
    let shadow = r.clone();
    let mut rho = inner(&shadow, &r);
    // `p`, `v`, `alpha / omega` without its product of residuals, and `omega`.
    let mut before: Option<(Array, Array, Array, Array)> = None;
    loop {
        let p = match &before {
            None => r.clone(),
            Some((p, v, scale, omega)) => &r + (&rho * scale) * (p - omega * v),
        };
        let p_hat = problem.preconditioned(&p)?;
        let v = problem.product(&p_hat)?;
        let divisor = inner(&shadow, &v);
        let alpha = &rho / &divisor;
        let s = &r - &alpha * &v;
        let s_hat = problem.preconditioned(&s)?;
        let t = problem.product(&s_hat)?;
        let length = inner(&t, &t);
        let omega = inner(&t, &s) / &length;
        let half = &progress.x + &alpha * p_hat;
        let x = &half + &omega * s_hat;
        r = &s - &omega * t;
        // As in `bicg`.
        let next = inner(&shadow, &r);
        let values = read(&[&norm(&r), &rho, &divisor, &norm(&s), &omega, &length])?;
        if values[1].norm() < least {
            return progress.ended(RHO_VANISHES);
        }
        if values[2].norm() == 0.0 {
            return progress.ended(DIVISOR_VANISHES);
        }
        // The half step may be the solution; its residual may vanish, so that `omega` is NaN.
        let is_solved_by_half = values[3].re <= progress.limit;
        let (x, residual) =
            if is_solved_by_half { (half, values[3].re) } else { (x, values[0].re) };
        if !is_solved_by_half && values[5].re == 0.0 {
            // `A M s = 0`: the next step would divide by `omega`.
            return progress.ended(DIVISOR_VANISHES);
        }
        if let Some(info) = progress.accept(x, residual) {
            return progress.ended(info);
        }
        if values[4].norm() < epsilon(problem.dtype).powi(2) {
            return progress.ended(DIVISOR_VANISHES);
        }
        let scale = &alpha / &rho / &omega;
        before = Some((p, v, scale, omega));
        rho = next;
    }
}
