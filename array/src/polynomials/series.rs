//! Series in families of polynomials: NumPy's `polynomial` package.
//!
//! A family is defined by its recurrence `P[k+1] = (a x + b) P[k] - c P[k-1]`. The recurrence gives
//! values (by Clenshaw's rule) and Vandermonde matrices for all families. The functions here work
//! on whole arrays of points, or along an axis of arrays of coefficients, and are recorded like any
//! other operation. Sums, products and quotients of series are in the Python package and compute on
//! the host: NumPy drops trailing zero coefficients, so the lengths depend on elements that must be
//! read anyway, and coefficients are few.

use crate::array::Array;
use crate::creation::zeros;
use crate::dtypes::epsilon;
use crate::linalg::{LeastSquares, lstsq};
use crate::manipulation::{moveaxis, refused, stack};
use crate::math::select;
use crate::recording::on_mesh_of;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, promote};

/// A family of polynomials. A series is a sum of its members with coefficients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The powers of `x`.
    Power,
    /// The Chebyshev polynomials of the first kind.
    Chebyshev,
    /// The physicists' Hermite polynomials.
    Hermite,
    /// The probabilists' Hermite polynomials.
    HermiteE,
    /// The Laguerre polynomials.
    Laguerre,
    /// The Legendre polynomials.
    Legendre,
}

impl Basis {
    /// The family of the NumPy module with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Basis> {
        Some(match name {
            "polynomial" => Basis::Power,
            "chebyshev" => Basis::Chebyshev,
            "hermite" => Basis::Hermite,
            "hermite_e" => Basis::HermiteE,
            "laguerre" => Basis::Laguerre,
            "legendre" => Basis::Legendre,
            _ => return None,
        })
    }

    /// The factors `a`, `b` and `c` of the recurrence from `k` to `k + 1`.
    fn recurrence(self, k: usize) -> (f64, f64, f64) {
        let n = k as f64;
        match self {
            Basis::Power => (1.0, 0.0, 0.0),
            Basis::Chebyshev => (if k == 0 { 1.0 } else { 2.0 }, 0.0, 1.0),
            Basis::Hermite => (2.0, 0.0, 2.0 * n),
            Basis::HermiteE => (1.0, 0.0, n),
            Basis::Laguerre => (-1.0 / (n + 1.0), (2.0 * n + 1.0) / (n + 1.0), n / (n + 1.0)),
            Basis::Legendre => ((2.0 * n + 1.0) / (n + 1.0), 0.0, n / (n + 1.0)),
        }
    }

    /// The factor `a x + b` of the recurrence, at all points.
    fn factor(self, k: usize, x: &Array) -> Array {
        let (a, b, _) = self.recurrence(k);
        let scaled = if a == 1.0 { x.clone() } else { x * a };
        if b == 0.0 { scaled } else { scaled + b }
    }
}

/// Coefficients in NumPy's form: at least one axis, and `f64` for integers.
fn inexact(c: &Array, site: Site) -> Result<Array, Error> {
    let dtype = if c.ok()?.dtype().is_inexact() { c.dtype() } else { DType::F64 };
    Ok(crate::atleast_1d(&c.converted(dtype, site)))
}

/// The slices of the coefficients along the first axis.
fn rows(c: &Array) -> Vec<Array> {
    (0..c.shape()[0] as i64).map(|place| c.slice([Index::At(place)])).collect()
}

fn stacked(rows: &[Array]) -> Result<Array, Error> {
    stack(&rows.iter().collect::<Vec<_>>(), 0).into_result()
}

/// The values of a series at points: NumPy's `polyval`, `chebval`, … of `numpy.polynomial`.
///
/// The coefficients are along the first axis of `c`, lowest degree first. Shape: the other axes of
/// `c`, then those of `x` if `tensor`; otherwise both broadcast. Dtype `promote(c, x)`; a `c` of
/// integers counts as `f64`. Local (records nodes, which fuse). Errors: `OpError::Index` without
/// coefficients, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn series_value(basis: Basis, x: &Array, c: &Array, tensor: bool) -> Array {
    let site = call_site();
    on_mesh_of(x, site, || {
        let mut c = inexact(c, site)?;
        if tensor && x.ok()?.ndim() > 0 {
            let mut shape = c.shape().to_vec();
            shape.resize(shape.len() + x.ndim(), 1);
            c = c.reshape(shape);
        }
        let rows = rows(&c);
        let Some((last, others)) = rows.split_last() else {
            let error = OpError::Index { index: -1, axis: 0, extent: 0 };
            return Err(Error::op(error, site));
        };
        if basis == Basis::Power {
            let mut value = x.multiply(0) + last;
            for row in others.iter().rev() {
                value = row + value * x;
            }
            return value.into_result();
        }
        // Clenshaw's rule, from the highest degree to the lowest.
        let mut value = last.clone();
        let mut before: Option<Array> = None;
        for (k, row) in others.iter().enumerate().rev() {
            let next = row + basis.factor(k, x) * &value;
            let (_, _, c) = basis.recurrence(k + 1);
            let next = match before.take() {
                Some(before) => next - before * c,
                None => next,
            };
            before = Some(std::mem::replace(&mut value, next));
        }
        // As in NumPy, a constant has the shape of the points.
        if others.is_empty() { (value + x.multiply(0)).into_result() } else { value.into_result() }
    })
}

/// The values of the polynomials of degree 0 to `degree` at points, along a new last axis: NumPy's
/// `polyvander`, `chebvander`, ….
///
/// Dtype: at least `f64` for integers. Local (records nodes, which fuse).
#[track_caller]
#[must_use]
pub fn series_vander(basis: Basis, x: &Array, degree: usize) -> Array {
    let site = call_site();
    on_mesh_of(x, site, || {
        let x = crate::atleast_1d(&(x + 0.0));
        let mut values = vec![x.ok()?.multiply(0) + 1];
        for k in 0..degree {
            let next = basis.factor(k, &x) * &values[k];
            let (_, _, c) = basis.recurrence(k);
            values.push(if k > 0 && c != 0.0 { next - &values[k - 1] * c } else { next });
        }
        moveaxis(&stacked(&values)?, 0, -1).into_result()
    })
}

/// The coefficients of a derivative: NumPy's `polyder`, `chebder`, … of `numpy.polynomial`.
///
/// Each of the `order` derivatives is multiplied by `scale`. Local (records nodes). Errors:
/// `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn series_derivative(basis: Basis, c: &Array, order: usize, scale: &Array, axis: i64) -> Array {
    let site = call_site();
    on_mesh_of(c, site, || {
        let given = inexact(c, site)?;
        let place = given.axis(axis, site)?;
        if order == 0 {
            return given.into_result();
        }
        let c = moveaxis(&given, place as i64, 0);
        let dtype = given.dtype();
        let mut all = rows(&c);
        if order >= all.len() {
            all.truncate(1);
            all.iter_mut().for_each(|row| *row = row.multiply(0));
        } else {
            for _ in 0..order {
                let scaled = all.iter().map(|row| (row * scale).converted(dtype, site));
                all = derived(basis, scaled.collect());
            }
        }
        moveaxis(&stacked(&all)?, 0, place as i64).into_result()
    })
}

/// The coefficients of the derivative of a series with more than one coefficient.
fn derived(basis: Basis, mut c: Vec<Array>) -> Vec<Array> {
    let n = c.len() - 1;
    let times = |row: &Array, factor: usize| row * factor as f64;
    if basis == Basis::Laguerre {
        let mut found = vec![-&c[n]; n];
        for j in (2..=n).rev() {
            found[j - 1] = -&c[j];
            c[j - 1] = &c[j - 1] + &c[j];
        }
        found[0] = -&c[1];
        return found;
    }
    let mut found: Vec<Array> = Vec::with_capacity(n);
    for j in (1..=n).rev() {
        found.push(match (basis, j) {
            (Basis::Hermite, _) => times(&c[j], 2 * j),
            (Basis::Chebyshev, 3..) => {
                c[j - 2] = &c[j - 2] + times(&c[j], j) / (j - 2) as f64;
                times(&c[j], 2 * j)
            }
            (Basis::Chebyshev, 2) => times(&c[2], 4),
            (Basis::Legendre, 3..) => {
                c[j - 2] = &c[j - 2] + &c[j];
                times(&c[j], 2 * j - 1)
            }
            (Basis::Legendre, 2) => times(&c[2], 3),
            (Basis::Chebyshev | Basis::Legendre, _) => c[1].clone(),
            _ => times(&c[j], j),
        });
    }
    found.reverse();
    found
}

/// The coefficients of an integral: NumPy's `polyint`, `chebint`, … of `numpy.polynomial`.
///
/// Integrates once for each of the `constants`: each is the value of that integral at `bound`. Each
/// integrand is first multiplied by `scale`. Local (records nodes). Collective for a single
/// coefficient, because the integral of zero has a single coefficient. Errors: `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn series_integral(
    basis: Basis,
    c: &Array,
    constants: &[Array],
    bound: &Array,
    scale: &Array,
    axis: i64,
) -> Array {
    let site = call_site();
    on_mesh_of(c, site, || {
        let given = inexact(c, site)?;
        let place = given.axis(axis, site)?;
        let dtype = given.dtype();
        let mut all = rows(&moveaxis(&given, place as i64, 0));
        for constant in constants {
            let of = |row: &Array| (row * scale).converted(dtype, site);
            let scaled: Vec<Array> = all.iter().map(of).collect();
            let is_zero = scaled.len() == 1 && scaled[0].equal(0).all(()).item::<bool>()?;
            if is_zero {
                all = vec![(&scaled[0] + constant).converted(dtype, site)];
                continue;
            }
            all = integrated(basis, &scaled);
            let start = series_value(basis, bound, &stacked(&all)?, true);
            all[0] = (&all[0] + (constant - start)).converted(dtype, site);
        }
        moveaxis(&stacked(&all)?, 0, place as i64).into_result()
    })
}

/// The coefficients of the integral of a series, up to the integration constant.
fn integrated(basis: Basis, c: &[Array]) -> Vec<Array> {
    let Some(first) = c.first() else { return Vec::new() };
    let mut found = vec![first.multiply(0), first.clone()];
    match basis {
        Basis::Hermite => found[1] = first / 2.0,
        Basis::Laguerre => found = vec![first.clone(), -first],
        _ => {}
    }
    for (j, row) in c.iter().enumerate().skip(1) {
        let n = j as f64;
        match (basis, j) {
            (Basis::Chebyshev, 1) => found.push(row / 4.0),
            (Basis::Legendre, 1) => found.push(row / 3.0),
            (Basis::Chebyshev, _) => {
                found.push(row / (2.0 * (n + 1.0)));
                found[j - 1] = &found[j - 1] - row / (2.0 * (n - 1.0));
            }
            (Basis::Legendre, _) => {
                let part = row / (2.0 * n + 1.0);
                found[j - 1] = &found[j - 1] - &part;
                found.push(part);
            }
            (Basis::Laguerre, _) => {
                found[j] = &found[j] + row;
                found.push(-row);
            }
            (Basis::Hermite, _) => found.push(row / (2.0 * (n + 1.0))),
            (Basis::Power | Basis::HermiteE, _) => found.push(row / (n + 1.0)),
        }
    }
    found
}

/// The series with terms of the given degrees that fits points best by least squares: NumPy's
/// `polyfit`, `chebfit`, … of `numpy.polynomial`, with the quality of the fit. `x` of the result
/// holds the coefficients, with 0 for degrees that are not in `degrees`. `weights` multiply the
/// residuals.
///
/// Shapes `(m), (m) or (m, k) -> (n) or (n, k)`. Collective over the mesh, as
/// [`lstsq`](crate::linalg::lstsq). Errors: `OpError::Arguments` for wrong numbers of axes, points
/// or weights, `OpError::Argument` without degrees, those of `lstsq`.
#[track_caller]
pub fn series_fit(
    basis: Basis,
    (x, y): (&Array, &Array),
    degrees: &[usize],
    rcond: Option<f64>,
    weights: Option<&Array>,
) -> Result<LeastSquares, Error> {
    let site = call_site();
    let problem = |problem| Err(Error::op(OpError::Arguments { operation: "fit", problem }, site));
    if x.ok()?.ndim() != 1 || x.size() == 0 {
        return problem("x must be a vector that is not empty");
    }
    if y.ok()?.ndim() == 0 || y.ndim() > 2 || y.shape()[0] != x.size() {
        return problem("y must have one or two axes and as many rows as x has elements");
    }
    let Some(&highest) = degrees.iter().max() else {
        return Err(refused("fit", "deg", "[]", site));
    };
    let fit = || {
        let (x, mut right) = (x + 0.0, y + 0.0);
        let all = series_vander(basis, &x, highest);
        let columns: Vec<i64> = degrees.iter().map(|&degree| degree as i64).collect();
        let is_whole = columns.iter().copied().eq(0..=highest as i64);
        let places = crate::creation::from_slice(&columns, [columns.len()]);
        let mut left = if is_whole { all } else { all.take(&places, -1) };
        if let Some(weights) = weights {
            if weights.ok()?.shape() != [x.size()] {
                return problem("weights must be a vector of as many elements as x");
            }
            let weights = weights + 0.0;
            let of_rows = weights.expand_dims(1);
            left = left.multiply(&of_rows);
            right = right.multiply(if right.ndim() == 2 { &of_rows } else { &weights });
        }
        let rcond = rcond.unwrap_or(x.size() as f64 * epsilon(x.dtype()));
        let scale = left.absolute().square().sum(0).sqrt();
        let scale = select(&scale.equal(0), 1.0, &scale);
        let found = lstsq(&(left / &scale), &right, Some(rcond))?;
        let rows = if found.x.ndim() == 2 { scale.expand_dims(1) } else { scale };
        let mut coefficients = (&found.x / rows).into_result()?;
        if !is_whole {
            let mut shape = coefficients.shape().to_vec();
            shape[0] = highest + 1;
            let whole = zeros(shape.as_slice(), promote(coefficients.dtype(), DType::F32));
            for (place, &degree) in degrees.iter().enumerate() {
                let row = coefficients.slice([Index::At(place as i64)]);
                whole.slice([Index::At(degree as i64)]).try_assign(row)?;
            }
            coefficients = whole;
        }
        Ok(LeastSquares { x: coefficients.into_result()?, ..found })
    };
    x.mesh()?.enter(|| within(site, fit))
}
