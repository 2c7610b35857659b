//! Least squares by LSQR.

use super::bidiagonal::{Bidiagonal, LeastSquaresOptions, reason, reflection};
use super::numbers::{epsilon, factor, square, squares};
use super::operator::LinearOperator;
use crate::array::Array;
use crate::creation::zeros_like;
use phalanx_graph::{Error, Site, call_site, within};

/// The result of [`lsqr`], with SciPy's names.
#[derive(Clone, Debug)]
pub struct Lsqr {
    /// The solution.
    pub x: Array,
    /// The reason for the end: 0, the start is exact; 1, `A x = b` holds to the tolerances; 2, `x`
    /// is a least squares solution to the tolerances; 3, the condition number exceeds the limit; 4
    /// to 6, as 1 to 3 to rounding; 7, the limit of iterations.
    pub istop: i64,
    /// The number of iterations.
    pub itn: usize,
    /// `‖b - A x‖`.
    pub r1norm: f64,
    /// The root of `‖b - A x‖² + damp² ‖x - x0‖²`.
    pub r2norm: f64,
    /// An estimate of the Frobenius norm of the matrix, with the rows of `damp`.
    pub anorm: f64,
    /// An estimate of its condition number.
    pub acond: f64,
    /// An estimate of the norm of the residual of the normal equations.
    pub arnorm: f64,
    /// `‖x - x0‖`.
    pub xnorm: f64,
    /// The estimated diagonal of `(Aᴴ A + damp² I)⁻¹`, if it was wanted.
    pub var: Option<Array>,
}

/// SciPy's `lsqr`: minimises `‖b - A x‖`. The operator needs its adjoint.
///
/// Shapes `(m, n), (m) -> (n)`. Dtype: the promotion of the operands, in which dtypes other than
/// `f32`, `f64`, `c64` and `c128` count as `f64`. Collective over the mesh: each iteration reads
/// three numbers at once. Errors: `OpError::Argument` for other shapes, and the errors of the
/// operator.
///
/// Source: C. C. Paige, M. A. Saunders, "LSQR: an algorithm for sparse linear equations and sparse
/// least squares" (1982), sections 4 to 6.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{LeastSquaresOptions, lsqr};
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// Ok(lsqr(matrix, b, LeastSquaresOptions::default().damp(0.1))?.x)
/// # }
/// ```
#[track_caller]
pub fn lsqr(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: LeastSquaresOptions,
) -> Result<Lsqr, Error> {
    let site = call_site();
    within(site, || solve(matrix, b, &options, site))
}

fn solve(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: &LeastSquaresOptions,
    site: Site,
) -> Result<Lsqr, Error> {
    let damp = options.damp;
    let most = options.maxiter.unwrap_or_else(|| matrix.shape()[1].saturating_mul(2));
    let mut both = Bidiagonal::new("lsqr", matrix, b, options.x0.as_ref(), site)?;
    let dtype = both.dtype;
    let scaled = |array: &Array, by: f64| array * factor(by.into(), dtype);
    let unit = epsilon(both.dtype);
    let var = options.computes_variances.then(|| zeros_like(&both.x, both.dtype.real()));
    let mut found = Lsqr {
        x: both.x.clone(),
        istop: 0,
        itn: 0,
        r1norm: both.beta,
        r2norm: both.beta,
        anorm: 0.0,
        acond: 0.0,
        arnorm: both.alpha * both.beta,
        xnorm: 0.0,
        var,
    };
    if found.arnorm == 0.0 {
        return Ok(found);
    }
    let mut w = both.v.clone();
    let (mut rho_bar, mut phi_bar) = (both.alpha, both.beta);
    let (mut directions, mut damped, mut solution) = (0.0, 0.0, 0.0);
    let (mut cosine_2, mut sine_2, mut z) = (-1.0, 0.0, 0.0);
    let size_of_b = if both.size_of_b > 0.0 { both.size_of_b } else { both.beta };
    while found.istop == 0 && found.itn < most {
        found.itn += 1;
        let last_alpha = both.alpha;
        let square_of_w = both.step(&square(&w))?;
        let (alpha, beta) = (both.alpha, both.beta);
        if beta > 0.0 {
            let parts = last_alpha * last_alpha + beta * beta + damp * damp;
            found.anorm = (found.anorm * found.anorm + parts).sqrt();
        }
        // The rotation that removes `damp`, then the one that removes `beta`.
        let damped_rho =
            if damp == 0.0 { rho_bar } else { (rho_bar.powi(2) + damp.powi(2)).sqrt() };
        let (cosine_1, sine_1) = (rho_bar / damped_rho, damp / damped_rho);
        let psi = sine_1 * phi_bar;
        phi_bar *= if damp == 0.0 { 1.0 } else { cosine_1 };
        let [cosine, sine, rho] = reflection(damped_rho, beta);
        let theta = sine * alpha;
        rho_bar = -cosine * alpha;
        let phi = cosine * phi_bar;
        phi_bar *= sine;

        directions += square_of_w / (rho * rho);
        if let Some(var) = &mut found.var {
            *var = &*var + squares(&w) * (1.0 / (rho * rho));
        }
        found.x = &found.x + scaled(&w, phi / rho);
        w = &both.v - scaled(&w, theta / rho);

        // The norm of the solution, by a rotation from the right.
        let (delta, gamma_bar) = (sine_2 * rho, -cosine_2 * rho);
        let right = phi - delta * z;
        let z_bar = right / gamma_bar;
        found.xnorm = (solution + z_bar * z_bar).sqrt();
        let gamma = (gamma_bar * gamma_bar + theta * theta).sqrt();
        (cosine_2, sine_2) = (gamma_bar / gamma, theta / gamma);
        z = right / gamma;
        solution += z * z;

        found.acond = found.anorm * f64::sqrt(directions);
        damped += psi * psi;
        found.r2norm = (phi_bar * phi_bar + damped).sqrt();
        found.arnorm = alpha * (sine * phi).abs();
        let left = found.r2norm.powi(2) - damp * damp * solution;
        found.r1norm = left.abs().sqrt().copysign(left);
        let relative = found.anorm * found.xnorm / size_of_b;
        let residual = found.r2norm / size_of_b;
        let tests = [
            residual,
            found.arnorm / (found.anorm * found.r2norm + unit),
            1.0 / (found.acond + unit),
            residual / (1.0 + relative),
        ];
        let limits =
            [options.btol + options.atol * relative, options.atol, options.least_reciprocal()];
        found.istop = reason(tests, limits, found.itn >= most);
    }
    if most == 0 {
        found.istop = 7;
    }
    found.x.ok()?;
    Ok(found)
}
