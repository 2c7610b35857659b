//! Least squares by LSMR.

use super::bidiagonal::{Bidiagonal, LeastSquaresOptions, reason, reflection};
use super::numbers::{factor, norm, read_real};
use super::operator::LinearOperator;
use crate::array::Array;
use crate::creation::zeros_like;
use phalanx_graph::{Error, Site, call_site, within};

/// The result of [`lsmr`], with SciPy's names.
#[derive(Clone, Debug)]
pub struct Lsmr {
    /// The solution.
    pub x: Array,
    /// The reason for the end, as [`Lsqr::istop`](super::Lsqr::istop).
    pub istop: i64,
    /// The number of iterations.
    pub itn: usize,
    /// The root of `‖b - A x‖² + damp² ‖x - x0‖²`.
    pub normr: f64,
    /// The norm of the residual of the normal equations.
    pub normar: f64,
    /// An estimate of the Frobenius norm of the matrix.
    pub norma: f64,
    /// An estimate of its condition number.
    pub conda: f64,
    /// `‖x‖`.
    pub normx: f64,
}

/// SciPy's `lsmr`: minimises `‖b - A x‖`, with a residual of the normal equations that never grows.
/// The operator needs its adjoint.
///
/// Shapes, dtype, collectivity and errors: those of [`lsqr`](super::lsqr()).
///
/// Source: D. C.-L. Fong, M. A. Saunders, "LSMR: an iterative algorithm for sparse least-squares
/// problems" (2011), sections 3 to 5.
#[track_caller]
pub fn lsmr(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: LeastSquaresOptions,
) -> Result<Lsmr, Error> {
    let site = call_site();
    within(site, || solve(matrix, b, &options, site))
}

/// The estimate of the norm of the residual. Source: Fong and Saunders, section 5.1; the names are
/// those of the paper.
struct Residual {
    beta_double_dot: f64,
    beta_dot: f64,
    rho_dot: f64,
    tau_tilde: f64,
    theta_tilde: f64,
    damped: f64,
}

fn solve(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: &LeastSquaresOptions,
    site: Site,
) -> Result<Lsmr, Error> {
    let [rows, columns] = matrix.shape();
    let most = options.maxiter.unwrap_or(rows.min(columns));
    let mut both = Bidiagonal::new("lsmr", matrix, b, options.x0.as_ref(), site)?;
    let dtype = both.dtype;
    let scaled = |array: &Array, by: f64| array * factor(by.into(), dtype);
    let mut found = Lsmr {
        x: both.x.clone(),
        istop: 0,
        itn: 0,
        normr: both.beta,
        normar: both.alpha * both.beta,
        norma: both.alpha,
        conda: 1.0,
        normx: 0.0,
    };
    if found.normar == 0.0 {
        found.normx = read_real(&[&norm(&found.x)])?[0];
        return Ok(found);
    }
    if both.size_of_b == 0.0 {
        found.x = zeros_like(&found.x, None);
        return Ok(found);
    }
    let (mut zeta_bar, mut alpha_bar) = (found.normar, both.alpha);
    let (mut rho, mut rho_bar, mut zeta) = (1.0, 1.0, 0.0);
    let (mut cosine_bar, mut sine_bar) = (1.0, 0.0);
    let (mut h, mut h_bar) = (both.v.clone(), zeros_like(&both.v, None));
    let mut residual = Residual {
        beta_double_dot: both.beta,
        beta_dot: 0.0,
        rho_dot: 1.0,
        tau_tilde: 0.0,
        theta_tilde: 0.0,
        damped: 0.0,
    };
    let mut squares = both.alpha * both.alpha;
    let (mut largest, mut least) = (0.0f64, f64::MAX);
    while found.istop == 0 && found.itn < most {
        found.itn += 1;
        // The norm of the last solution is read with the step, so a step waits only once.
        found.normx = both.step(&norm(&found.x))?;
        let (alpha, beta) = (both.alpha, both.beta);
        let [cosine_hat, sine_hat, alpha_hat] = reflection(alpha_bar, options.damp);
        let last_rho = rho;
        let [cosine, sine, length] = reflection(alpha_hat, beta);
        rho = length;
        let theta = sine * alpha;
        alpha_bar = cosine * alpha;
        let (last_rho_bar, last_zeta) = (rho_bar, zeta);
        let theta_bar = sine_bar * rho;
        let turned = cosine_bar * rho;
        [cosine_bar, sine_bar, rho_bar] = reflection(turned, theta);
        zeta = cosine_bar * zeta_bar;
        zeta_bar *= -sine_bar;

        h_bar = &h - scaled(&h_bar, theta_bar * rho / (last_rho * last_rho_bar));
        found.x = &found.x + scaled(&h_bar, zeta / (rho * rho_bar));
        h = &both.v - scaled(&h, theta / rho);

        found.normr = residual.next(
            [cosine_hat, sine_hat],
            [cosine, sine],
            [theta_bar, rho_bar],
            [last_zeta, zeta],
        );
        squares += beta * beta;
        found.norma = squares.sqrt();
        squares += alpha * alpha;
        largest = largest.max(last_rho_bar);
        if found.itn > 1 {
            least = least.min(last_rho_bar);
        }
        found.conda = largest.max(turned) / least.min(turned);
        found.normar = zeta_bar.abs();
        let relative = found.norma * found.normx / both.size_of_b;
        let of_b = found.normr / both.size_of_b;
        let scale = found.norma * found.normr;
        let normal = if scale == 0.0 { f64::INFINITY } else { found.normar / scale };
        let tests = [of_b, normal, 1.0 / found.conda, of_b / (1.0 + relative)];
        let limits =
            [options.btol + options.atol * relative, options.atol, options.least_reciprocal()];
        found.istop = reason(tests, limits, found.itn >= most);
    }
    if most == 0 {
        found.istop = 7;
    }
    found.normx = read_real(&[&norm(&found.x)])?[0];
    Ok(found)
}

impl Residual {
    fn next(
        &mut self,
        [cosine_hat, sine_hat]: [f64; 2],
        [cosine, sine]: [f64; 2],
        [theta_bar, rho_bar]: [f64; 2],
        [last_zeta, zeta]: [f64; 2],
    ) -> f64 {
        let acute = cosine_hat * self.beta_double_dot;
        let check = -sine_hat * self.beta_double_dot;
        let hat = cosine * acute;
        self.beta_double_dot = -sine * acute;
        let last_theta = self.theta_tilde;
        let [cosine_tilde, sine_tilde, rho_tilde] = reflection(self.rho_dot, theta_bar);
        self.theta_tilde = sine_tilde * rho_bar;
        self.rho_dot = cosine_tilde * rho_bar;
        self.beta_dot = -sine_tilde * self.beta_dot + cosine_tilde * hat;
        self.tau_tilde = (last_zeta - last_theta * self.tau_tilde) / rho_tilde;
        let tau_dot = (zeta - self.theta_tilde * self.tau_tilde) / self.rho_dot;
        self.damped += check * check;
        let rest = (self.beta_dot - tau_dot).powi(2) + self.beta_double_dot.powi(2);
        (self.damped + rest).sqrt()
    }
}
