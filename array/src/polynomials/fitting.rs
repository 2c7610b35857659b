//! Polynomials from roots, polynomials fitted to points, division of polynomials, and unwrapping of
//! angles.

use crate::array::Array;
use crate::creation::{ones, vander, zeros};
use crate::dtypes::epsilon;
use crate::linalg::{LeastSquares, eigvals, inv, lstsq};
use crate::manipulation::{along, refused, span, try_concatenate};
use crate::math::{ConvolveMode, convolve};
use crate::math::{Tolerance, allclose};
use crate::products::{matmul, outer};
use crate::recording::on_mesh_of;
use crate::s;
use crate::sorting::sort;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, can_cast, promote};

fn ndim(operation: &'static str, expected: &'static str, array: &Array, site: Site) -> Error {
    Error::op(OpError::Ndim { operation, expected, ndim: array.ndim() }, site)
}

/// The element of a vector at a position, as a vector of one element.
fn element(array: &Array, at: usize) -> Array {
    array.slice([span(at, at + 1)])
}

/// NumPy's `poly`: the coefficients, highest power first, of the polynomial with these roots, or of
/// the characteristic polynomial of a matrix. Without roots the result is the number 1.
///
/// Dtype: `f32` and `c64` keep theirs, other dtypes become at least `f64`; roots in conjugate pairs
/// give real coefficients. Records a convolution for each root. Local; Collective for complex roots
/// and for matrices. Errors: `OpError::Argument` unless the argument is a vector or a square
/// matrix.
#[track_caller]
#[must_use]
pub fn poly(roots: &Array) -> Array {
    let site = call_site();
    let compute = || {
        let shape = roots.ok()?.shape();
        let is_matrix = shape.len() == 2 && shape[0] == shape[1] && shape[0] != 0;
        if shape.len() > 1 && !is_matrix {
            let value = format!("of shape {shape:?}");
            return Err(refused("poly", "seq_of_zeros", value, site));
        }
        let roots = if is_matrix { eigvals(roots) } else { roots.reshape([-1]) };
        if roots.ok()?.size() == 0 {
            return ones((), DType::F64).into_result();
        }
        let dtype = match roots.dtype() {
            DType::F32 | DType::C64 => roots.dtype(),
            other => promote(other, DType::F64),
        };
        let wide = roots.converted(dtype, site);
        let mut coefficients = ones([1], dtype);
        for place in 0..wide.size() {
            let parts = [&ones([1], dtype), &-element(&wide, place)];
            let factor = try_concatenate(&parts, &0.into(), Some(dtype), site)?;
            coefficients = convolve(&coefficients, &factor, ConvolveMode::Full);
        }
        if dtype.is_complex() {
            let (own, conjugate) = (sort(&wide, 0), sort(&wide.conj(), 0));
            if own.equal(conjugate).all(()).item::<bool>()? {
                coefficients = coefficients.real().copy();
            }
        }
        coefficients.into_result()
    };
    on_mesh_of(roots, site, compute)
}

/// NumPy's `polydiv`: the quotient and the remainder of two polynomials.
///
/// Collective over the mesh: leading zeros of the remainder are removed. Errors: `OpError::Ndim`,
/// `OpError::Argument` for a polynomial without coefficients.
#[track_caller]
pub fn polydiv(u: &Array, v: &Array) -> Result<(Array, Array), Error> {
    let site = call_site();
    u.mesh()?.enter(|| {
        within(site, || {
            for array in [u, v] {
                if array.ok()?.ndim() > 1 {
                    return Err(ndim("polydiv", "at most 1", array, site));
                }
                if array.size() == 0 {
                    return Err(refused("polydiv", "polynomial", "[]", site));
                }
            }
            let (u, v) = (u.reshape([-1]) + 0.0, v.reshape([-1]) + 0.0);
            let dtype = promote(u.dtype(), v.dtype());
            let (dividend, divisor) = (u.converted(dtype, site), v.converted(dtype, site));
            let (m, n) = (dividend.size(), divisor.size());
            let quotient = zeros([(m + 1).saturating_sub(n).max(1)], dtype);
            let mut remainder = dividend.copy();
            let scale = 1.0 / element(&divisor, 0);
            for k in 0..(m + 1).saturating_sub(n) {
                let factor = &scale * element(&remainder, k).copy();
                element(&quotient, k).try_assign(&factor)?;
                let window = remainder.slice([span(k, k + n)]);
                let left = &window - &factor * &divisor;
                window.try_assign(&left)?;
            }
            let tolerance = || Tolerance::from((1e-14, 1e-8));
            while remainder.size() > 1
                && allclose(&element(&remainder, 0), 0.0, tolerance()).item::<bool>()?
            {
                remainder = remainder.slice(s![1..]);
            }
            Ok((quotient.into_result()?, remainder.into_result()?))
        })
    })
}

/// A polynomial fitted to points, and the quality of the fit.
#[derive(Clone, Debug)]
pub struct PolynomialFit {
    /// The coefficients, highest power first, with one column for each column of `y`.
    pub coefficients: Array,
    /// The sums of squared residuals. Empty unless the matrix has full rank and there are more
    /// points than coefficients.
    pub residuals: Array,
    /// The rank of the scaled Vandermonde matrix (0-d, `i32`).
    pub rank: Array,
    /// The singular values of the scaled Vandermonde matrix.
    pub singular_values: Array,
    /// The fraction of the largest singular value up to which singular values count as zero.
    pub rcond: f64,
    /// The dtype in which the points are used: that of `x`, or `f64` for integers and bools.
    pub dtype: DType,
    /// The Vandermonde matrix with scaled columns, and the scales.
    scaled: (Array, Array),
}

impl PolynomialFit {
    /// Whether the points determine all coefficients: NumPy warns if they do not. Collective over
    /// the mesh. Errors: those of the fit.
    #[track_caller]
    pub fn has_full_rank(&self) -> Result<bool, Error> {
        let rank = within(call_site(), || self.rank.item::<i64>())?;
        Ok(rank == self.scaled.0.ok()?.shape()[1] as i64)
    }

    /// The covariance of the coefficients without the factor of the residuals: NumPy's
    /// `cov='unscaled'`.
    ///
    /// Collective over the mesh. Errors: `DataError::Singular`.
    #[track_caller]
    pub fn unscaled_covariance(&self) -> Result<Array, Error> {
        let site = call_site();
        let (left, scale) = &self.scaled;
        left.mesh()?.enter(|| {
            within(site, || {
                let base = inv(&matmul(&left.t(), left)) / outer(scale, scale);
                match self.coefficients.ndim() {
                    2 => base.expand_dims(2).into_result(),
                    _ => base.into_result(),
                }
            })
        })
    }

    /// The covariance of the coefficients, for each column of `y`: NumPy's `cov=True`.
    ///
    /// Collective over the mesh. Errors: those of [`PolynomialFit::unscaled_covariance`], and
    /// `OpError::Argument` if there are no more points than coefficients.
    #[track_caller]
    pub fn covariance(&self) -> Result<Array, Error> {
        let site = call_site();
        let (points, order) = (self.scaled.0.shape()[0], self.scaled.0.shape()[1]);
        if points <= order {
            let value = format!("{points} points for {order} coefficients");
            return Err(refused("polyfit", "cov", value, site));
        }
        within(site, || {
            let factor = &self.residuals / (points - order) as f64;
            (self.unscaled_covariance()? * factor).into_result()
        })
    }
}

/// NumPy's `polyfit`: the coefficients, highest power first, of the polynomial of degree `degree`
/// that fits the points best by least squares. With several columns of `y`, there is one polynomial
/// for each.
///
/// Shapes `(m), (m) or (m, k) -> (degree + 1) or (degree + 1, k)`. `weights` multiply the
/// residuals. Collective over the mesh, as [`lstsq`]. Errors: `OpError::Arguments` for wrong
/// numbers of axes or of points, `OpError::Cast` for weights of another kind, those of [`lstsq`].
#[track_caller]
#[must_use]
pub fn polyfit(
    x: &Array,
    y: &Array,
    degree: usize,
    rcond: Option<f64>,
    weights: Option<&Array>,
) -> Array {
    let site = call_site();
    Array::catch(try_fit(x, y, degree, rcond, weights, site).map(|fit| fit.coefficients))
}

/// NumPy's `polyfit(…, full=True)`: [`polyfit`] with the quality of the fit.
#[track_caller]
pub fn polyfit_full(
    x: &Array,
    y: &Array,
    degree: usize,
    rcond: Option<f64>,
    weights: Option<&Array>,
) -> Result<PolynomialFit, Error> {
    try_fit(x, y, degree, rcond, weights, call_site())
}

fn try_fit(
    x: &Array,
    y: &Array,
    degree: usize,
    rcond: Option<f64>,
    weights: Option<&Array>,
    site: Site,
) -> Result<PolynomialFit, Error> {
    let fit = || {
        let problem =
            |problem| Err(Error::op(OpError::Arguments { operation: "polyfit", problem }, site));
        if x.ok()?.ndim() != 1 || x.size() == 0 {
            return problem("x must be a vector that is not empty");
        }
        if y.ok()?.ndim() == 0 || y.ndim() > 2 || y.shape()[0] != x.size() {
            return problem("y must have one or two axes and as many rows as x has elements");
        }
        let (x, mut right) = (x + 0.0, y + 0.0);
        let dtype = x.ok()?.dtype();
        let rcond = rcond.unwrap_or(x.size() as f64 * epsilon(dtype));
        // NumPy multiplies in place, so the weights do not change a dtype.
        let weighted = |product: Array, dtype: DType| match product.ok()?.dtype() {
            from if can_cast(from, dtype, Casting::SameKind) => Ok(product.converted(dtype, site)),
            from => Err(Error::op(OpError::cast(from, dtype), site)),
        };
        let mut left = vander(&x, degree + 1, false);
        if let Some(weights) = weights {
            if weights.ok()?.shape() != [x.size()] {
                return problem("weights must be a vector of as many elements as x");
            }
            let weights = weights + 0.0;
            let of_rows = weights.expand_dims(1);
            left = weighted(left.multiply(&of_rows), left.dtype())?;
            let of_points = if right.ndim() == 2 { of_rows } else { weights };
            right = weighted(right.multiply(of_points), right.dtype())?;
        }
        let scale = left.square().sum(0).sqrt();
        let left = left / &scale;
        let LeastSquares { x, residuals, rank, s } = lstsq(&left, &right, Some(rcond))?;
        let rows = if x.ndim() == 2 { scale.expand_dims(1) } else { scale.clone() };
        let coefficients = (x / rows).into_result()?;
        let scaled = (left, scale);
        let singular_values = s;
        Ok(PolynomialFit { coefficients, residuals, rank, singular_values, rcond, dtype, scaled })
    };
    x.mesh()?.enter(|| within(site, fit))
}

/// NumPy's `unwrap`: angles (or other periodic values), with multiples of the period added along an
/// axis so that large steps become small. A step is large if it exceeds `discontinuity`, which is
/// half a period by default.
///
/// Dtype: `f64` for integers. A line that is split is moved to one device, as by
/// [`cumsum`](crate::cumsum). Local (records nodes). Errors: `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn unwrap(
    array: &Array,
    discontinuity: impl Into<Option<f64>>,
    axis: i64,
    period: f64,
) -> Array {
    let (site, discontinuity) = (call_site(), discontinuity.into());
    let unwrapped = || {
        let place = array.ok()?.axis(axis, site)?;
        let steps = crate::math::diff(array, crate::DiffOptions::from(1).axis(axis));
        let dtype = if array.dtype().is_inexact() { array.dtype() } else { DType::F64 };
        let half = period / 2.0;
        let steps = steps.converted(dtype, site);
        let wrapped = (&steps + half).remainder(period) - half;
        let at_edge = wrapped.equal(-half).logical_and(steps.greater(0));
        let wrapped = crate::select(&at_edge, half, wrapped);
        let is_small = steps.absolute().less(discontinuity.unwrap_or(half));
        let corrections = crate::select(&is_small, 0.0, wrapped - steps);
        let part = |start, stop| array.slice(along(array.ndim(), place, span(start, stop)));
        let first = part(0, 1).converted(dtype, site);
        let rest = part(1, array.shape()[place]) + crate::cumsum(&corrections, axis);
        try_concatenate(&[&first, &rest], &(place as i64).into(), Some(dtype), site)
    };
    on_mesh_of(array, site, unwrapped)
}
