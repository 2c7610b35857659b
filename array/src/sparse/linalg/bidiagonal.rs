//! Golub and Kahan's bidiagonalisation, the common part of `lsqr` and `lsmr`.

use super::numbers::{computed, factor, norm, normalised, read_real};
use super::operator::{LinearOperator, Prepared};
use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site};
use phalanx_ops::{DType, promote};

/// The options of `lsqr` and `lsmr`. The default has SciPy's values.
#[derive(Clone, Debug)]
pub struct LeastSquaresOptions {
    pub(super) damp: f64,
    pub(super) atol: f64,
    pub(super) btol: f64,
    pub(super) conlim: f64,
    pub(super) maxiter: Option<usize>,
    pub(super) x0: Option<Array>,
    pub(super) computes_variances: bool,
}

impl Default for LeastSquaresOptions {
    fn default() -> LeastSquaresOptions {
        LeastSquaresOptions {
            damp: 0.0,
            atol: 1e-6,
            btol: 1e-6,
            conlim: 1e8,
            maxiter: None,
            x0: None,
            computes_variances: false,
        }
    }
}

impl LeastSquaresOptions {
    /// The factor of the penalty: `‖b - A x‖² + damp² ‖x - x0‖²` is minimised. The default is 0.
    #[must_use]
    pub fn damp(self, damp: f64) -> Self {
        LeastSquaresOptions { damp, ..self }
    }

    /// The relative error of the matrix that the caller allows. The default is 1e-6.
    #[must_use]
    pub fn atol(self, atol: f64) -> Self {
        LeastSquaresOptions { atol, ..self }
    }

    /// The relative error of the right-hand side that the caller allows. The default is 1e-6.
    #[must_use]
    pub fn btol(self, btol: f64) -> Self {
        LeastSquaresOptions { btol, ..self }
    }

    /// The condition number above which the solver stops; 0 for no limit. The default is 1e8.
    #[must_use]
    pub fn conlim(self, conlim: f64) -> Self {
        LeastSquaresOptions { conlim, ..self }
    }

    /// The most iterations: by default twice the columns for `lsqr`, and the smaller extent for
    /// `lsmr`.
    #[must_use]
    pub fn maxiter(self, maxiter: impl Into<Option<usize>>) -> Self {
        LeastSquaresOptions { maxiter: maxiter.into(), ..self }
    }

    /// The start, a vector; zeros without it.
    #[must_use]
    pub fn x0(self, x0: &Array) -> Self {
        LeastSquaresOptions { x0: Some(x0.clone()), ..self }
    }

    /// Makes `lsqr` estimate the diagonal of `(Aᴴ A + damp² I)⁻¹`: SciPy's `calc_var`.
    #[must_use]
    pub fn variances(self, computes_variances: bool) -> Self {
        LeastSquaresOptions { computes_variances, ..self }
    }

    /// `1 / conlim`, the least reciprocal condition number.
    pub(super) fn least_reciprocal(&self) -> f64 {
        if self.conlim > 0.0 { 1.0 / self.conlim } else { 0.0 }
    }
}

/// The vectors of the last step, and the elements of the bidiagonal matrix that belong to it.
/// Source: G. H. Golub, W. Kahan, "Calculating the singular values and pseudo-inverse of a matrix"
/// (1965), in the form of Paige and Saunders (1982), section 3.
pub(super) struct Bidiagonal<'a> {
    matrix: Prepared<'a>,
    pub(super) dtype: DType,
    u: Array,
    pub(super) v: Array,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) size_of_b: f64,
    /// The start.
    pub(super) x: Array,
}

impl<'a> Bidiagonal<'a> {
    /// Checks the arguments and makes the first vectors. Collective over the mesh.
    pub(super) fn new(
        name: &'static str,
        matrix: &'a dyn LinearOperator,
        b: &Array,
        x0: Option<&Array>,
        site: Site,
    ) -> Result<Bidiagonal<'a>, Error> {
        let [rows, columns] = matrix.shape();
        let b = match *b.ok()?.shape() {
            [_, 1] => b.reshape([-1]),
            _ => b.clone(),
        };
        let refuse =
            |argument, array: &Array| refused(name, argument, format!("{:?}", array.shape()), site);
        if b.shape() != [rows] {
            return Err(refuse("the shape of b", &b));
        }
        let mut dtype = promote(computed(matrix.dtype()), computed(b.dtype()));
        if let Some(x0) = x0 {
            if x0.ok()?.shape() != [columns] {
                return Err(refuse("the shape of x0", x0));
            }
            dtype = promote(dtype, computed(x0.dtype()));
        }
        let matrix = Prepared::new(matrix, dtype, name, site)?;
        let b = b.converted(dtype, site);
        let x = match x0 {
            Some(x0) => x0.converted(dtype, site).copy(),
            None => b.mesh()?.enter(|| zeros([columns], dtype)),
        };
        let r = match x0 {
            Some(_) => &b - matrix.apply(&x)?,
            None => b.clone(),
        };
        let (u, beta) = normalised(&r);
        let (v, alpha) = normalised(&matrix.apply_adjoint(&u)?);
        let sizes = read_real(&[&norm(&b), &beta, &alpha])?;
        let (size_of_b, beta, alpha) = (sizes[0], sizes[1], sizes[2]);
        Ok(Bidiagonal { matrix, dtype, u, v, alpha, beta, size_of_b, x })
    }

    /// The next step. Reads its numbers together with another one. Collective over the mesh.
    pub(super) fn step(&mut self, other: &Array) -> Result<f64, Error> {
        let minus = |array: &Array, by: f64| array * factor((-by).into(), self.dtype);
        let u = self.matrix.apply(&self.v)? + minus(&self.u, self.alpha);
        let (u, beta) = normalised(&u);
        // A weak number cannot be used: `beta` is not read yet.
        let v = self.matrix.apply_adjoint(&u)? - &self.v * &beta;
        let (v, alpha) = normalised(&v);
        let values = read_real(&[&beta, &alpha, other])?;
        (self.u, self.v) = (u, v);
        (self.beta, self.alpha) = (values[0], values[1]);
        Ok(values[2])
    }
}

/// A reflection that makes the second of two real numbers zero: its cosine and sine, and the
/// length.
pub(super) fn reflection(a: f64, b: f64) -> [f64; 3] {
    let largest = a.abs().max(b.abs());
    if largest == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let size = largest * ((a / largest).powi(2) + (b / largest).powi(2)).sqrt();
    let size = if b == 0.0 || a.abs() >= b.abs() { size.copysign(a) } else { size.copysign(b) };
    [a / size, b / size, size]
}

/// Why a solver of least squares stops, as SciPy's `istop`, for the tests of Paige and Saunders
/// (1982), section 6: the residual relative to `b`, that of the normal equations, the reciprocal
/// condition number, and the residual in relation to the size of the solution.
pub(super) fn reason(
    [residual, normal, reciprocal, scaled]: [f64; 4],
    [of_residual, of_normal, of_reciprocal]: [f64; 3],
    is_last: bool,
) -> i64 {
    // The later tests are the stronger reasons.
    let tests = [
        (is_last, 7),
        (1.0 + reciprocal <= 1.0, 6),
        (1.0 + normal <= 1.0, 5),
        (1.0 + scaled <= 1.0, 4),
        (reciprocal <= of_reciprocal, 3),
        (normal <= of_normal, 2),
        (residual <= of_residual, 1),
    ];
    tests.iter().rev().find(|(holds, _)| *holds).map_or(0, |(_, reason)| *reason)
}
