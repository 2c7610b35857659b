//! Quasi-minimal residuals for general matrices: `qmr` and `tfqmr`.

use super::numbers::{inner, norm, read};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use crate::products::conjugated;
use phalanx_graph::{Error, call_site};

/// SciPy's `qmr`: solves `A x = b` by quasi-minimal residuals. The matrix and the preconditioners
/// `M1` ([`Options::preconditioner`]) and `M2` ([`Options::right_preconditioner`]) need their
/// adjoints.
///
/// Shapes, dtype, collectivity and errors: those of [`cg`](super::cg()). `maxiter` is `10 n` by
/// default. The return codes -10 to -15 stand for a breakdown: of `rho`, `beta`, `gamma`, `delta`,
/// `epsilon` and `xi` in this order.
///
/// Source: R. W. Freund, N. M. Nachtigal, "QMR: a quasi-minimal residual method for non-Hermitian
/// linear systems" (1991); R. Barrett et al., "Templates for the Solution of Linear Systems"
/// (1994), figure 2.8, without look-ahead.
#[track_caller]
pub fn qmr(matrix: &dyn LinearOperator, b: &Array, options: Options<'_>) -> Result<Solved, Error> {
    let most = |rows: usize| rows.saturating_mul(10);
    solved("qmr", (matrix, b), options, most, quasi_minimal, call_site())
}

/// What a step of `qmr` leaves to the next one.
struct Before {
    p: Array,
    q: Array,
    d: Array,
    s: Array,
    epsilon: Array,
    theta: Array,
    gamma: Array,
    eta: Array,
}

fn quasi_minimal(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let right = |x: &Array, is_adjoint: bool| match &problem.right_preconditioner {
        None => Ok(x.clone()),
        Some(inverse) if is_adjoint => inverse.apply_adjoint(x),
        Some(inverse) => inverse.apply(x),
    };
    let mut r = problem.residual.clone();
    let (mut v, mut w) = (r.clone(), r.clone());
    let (mut y, mut z) = (problem.preconditioned(&v)?, right(&w, true)?);
    let (mut rho, mut xi) = (norm(&y), norm(&z));
    let mut before: Option<Before> = None;
    loop {
        let unit_v = &v / &rho;
        let unit_w = &w / &xi;
        (y, z) = (y / &rho, z / &xi);
        let delta = inner(&z, &y);
        let (y_hat, z_hat) = (right(&y, false)?, problem.adjoint_preconditioned(&z)?);
        let (p, q) = match &before {
            None => (y_hat, z_hat),
            Some(last) => {
                let scale = &delta / &last.epsilon;
                let (left, right) = (&xi * &scale, conjugated(&(&rho * &scale)));
                (y_hat - left * &last.p, z_hat - right * &last.q)
            }
        };
        let product = problem.product(&p)?;
        let epsilon = inner(&q, &product);
        let beta = &epsilon / &delta;
        v = &product - &beta * unit_v;
        y = problem.preconditioned(&v)?;
        w = problem.adjoint(&q)? - conjugated(&beta) * unit_w;
        z = right(&w, true)?;
        let (next_rho, next_xi) = (norm(&y), norm(&z));
        let size = beta.absolute();
        let (theta, last_gamma, last_eta) = match &before {
            None => (&next_rho / &size, None, None),
            Some(last) => (&next_rho / (&last.gamma * &size), Some(&last.gamma), Some(&last.eta)),
        };
        let gamma = 1.0 / (1.0 + theta.square()).sqrt();
        // `eta` starts as -1 and `gamma` as 1.
        let mut eta = &rho * gamma.square() / &beta;
        if let (Some(last_gamma), Some(last_eta)) = (last_gamma, last_eta) {
            eta = -(last_eta * eta / last_gamma.square());
        }
        let (mut d, mut s) = (&eta * &p, &eta * &product);
        if let Some(last) = &before {
            let scale = (&last.theta * &gamma).square();
            (d, s) = (d + &scale * &last.d, s + &scale * &last.s);
        }
        let x = &progress.x + &d;
        r = &r - &s;
        let values = read(&[&norm(&r), &rho, &xi, &delta, &epsilon, &beta, &gamma])?;
        let codes = [(1, -10), (2, -15), (3, -13), (4, -14), (5, -11)];
        if let Some((_, code)) = codes.iter().find(|(at, _)| values[*at].norm() == 0.0) {
            return progress.ended(*code);
        }
        if let Some(info) = progress.accept(x, values[0].re) {
            return progress.ended(info);
        }
        if values[6].re == 0.0 {
            return progress.ended(-12);
        }
        before = Some(Before { p, q, d, s, epsilon, theta, gamma, eta });
        (rho, xi) = (next_rho, next_xi);
    }
}

/// SciPy's `tfqmr`: solves `A x = b` by transpose-free quasi-minimal residuals.
///
/// Shapes, dtype, collectivity and errors: those of [`cg`](super::cg()). An iteration is a half
/// step, of one product with the matrix; `maxiter` is the smaller of 10,000 and `10 n` by default.
/// The residual that is compared with the tolerance is the bound `τ √(m + 1)` of the method. The
/// preconditioner is applied from the right, so this is a bound of `‖b - A x‖` with it too. The
/// return code -1 stands for a breakdown.
///
/// Source: R. W. Freund, "A transpose-free quasi-minimal residual algorithm for non-Hermitian
/// linear systems" (1993); Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm
/// 7.8.
#[track_caller]
pub fn tfqmr(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: Options<'_>,
) -> Result<Solved, Error> {
    let most = |rows: usize| rows.saturating_mul(10).min(10_000);
    solved("tfqmr", (matrix, b), options, most, transpose_free, call_site())
}

fn transpose_free(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let shadow = problem.residual.clone();
    let (mut u, mut w) = (shadow.clone(), shadow.clone());
    let mut step = problem.preconditioned(&u)?;
    let mut product = problem.product(&step)?;
    let mut v = product.clone();
    let mut rho = inner(&shadow, &w);
    let mut tau = norm(&w);
    let mut alpha = rho.clone();
    // The direction, with the factor that it has in the next one.
    let mut before: Option<(Array, Array)> = None;
    loop {
        let is_first_half = progress.iterations.is_multiple_of(2);
        let sigma = inner(&shadow, &v);
        if is_first_half {
            alpha = &rho / &sigma;
        }
        w = &w - &alpha * &product;
        let d = match &before {
            None => step.clone(),
            Some((d, scale)) => &step + (scale / &alpha) * d,
        };
        let theta = norm(&w) / &tau;
        let cosine = 1.0 / (1.0 + theta.square());
        tau = &tau * &theta * cosine.sqrt();
        let eta = &cosine * &alpha;
        let x = &progress.x + &eta * &d;
        let checks = if is_first_half { [&tau, &rho, &sigma] } else { [&tau, &rho, &rho] };
        let values = read(&checks)?;
        if values[1].norm() == 0.0 || values[2].norm() == 0.0 {
            return progress.ended(-1);
        }
        let bound = values[0].re * ((progress.iterations + 2) as f64).sqrt();
        if let Some(info) = progress.accept(x, bound) {
            return progress.ended(info);
        }
        before = Some((d, theta.square() * eta));
        if is_first_half {
            u = &u - &alpha * &v;
            step = problem.preconditioned(&u)?;
            product = problem.product(&step)?;
        } else {
            let next = inner(&shadow, &w);
            let beta = &next / &rho;
            u = &w + &beta * &u;
            step = problem.preconditioned(&u)?;
            let new = problem.product(&step)?;
            v = &new + &beta * (&product + &beta * &v);
            (product, rho) = (new, next);
        }
    }
}
