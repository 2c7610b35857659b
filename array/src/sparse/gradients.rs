//! Conjugate gradients.

use super::csr::Csr;
use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, promote};

/// The result of an iterative solver.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The solution.
    pub x: Array,
    /// The number of iterations.
    pub iterations: usize,
    /// `‖b - A x‖ / ‖b‖`, as the iteration computes it. With a start `x0`, relative to
    /// `‖b - A x0‖`.
    pub residual: f64,
    /// Whether the residual reached the tolerance.
    pub has_converged: bool,
}

/// The stopping conditions and the start of [`cg_from`]. `CgOptions::default()` has SciPy's
/// defaults.
#[derive(Clone, Debug)]
pub struct CgOptions {
    relative: f64,
    absolute: f64,
    most: Option<usize>,
    start: Option<Array>,
}

impl Default for CgOptions {
    fn default() -> CgOptions {
        CgOptions { relative: 1e-5, absolute: 0.0, most: None, start: None }
    }
}

impl CgOptions {
    /// Stops when `‖b - A x‖` is at most `relative` times `‖b‖`, or at most `absolute`.
    #[must_use]
    pub fn tolerance(self, relative: f64, absolute: f64) -> CgOptions {
        CgOptions { relative, absolute, ..self }
    }

    /// Stops after this number of iterations. The default is ten for each row.
    #[must_use]
    pub fn most(self, most: usize) -> CgOptions {
        CgOptions { most: Some(most), ..self }
    }

    /// Starts from this array, which has the shape of `b`.
    #[must_use]
    pub fn start(self, start: &Array) -> CgOptions {
        CgOptions { start: Some(start.clone()), ..self }
    }
}

/// [`cg`] with SciPy's options. `b` may have a second axis of extent 1. Errors: those of [`cg`],
/// and those of the start.
#[track_caller]
pub fn cg_from(matrix: &Csr, b: &Array, options: CgOptions) -> Result<Solution, Error> {
    let site = call_site();
    within(site, || {
        let CgOptions { relative, absolute, most, start } = options;
        let most = most.unwrap_or_else(|| matrix.shape()[0].saturating_mul(10));
        let b = match *b.ok()?.shape() {
            [_, 1] => b.reshape([-1]),
            _ => b.clone(),
        };
        if start.is_none() && (absolute.is_nan() || absolute <= 0.0) {
            return solve(matrix, &b, relative, most, site);
        }
        let norm_of = |array: &Array| {
            let norm = crate::linalg::norm(array, Default::default(), None, false);
            norm.converted(DType::F64, site).item::<f64>()
        };
        // With a start, `solve` solves for a smaller `b`, so its relative tolerance is larger.
        let limit = (relative * norm_of(&b)?).max(absolute);
        let wanted = match &start {
            Some(start) => &b - matrix.matvec(start),
            None => b.clone(),
        };
        let norm = norm_of(&wanted)?;
        if norm <= limit {
            let x = start.unwrap_or_else(|| crate::creation::zeros_like(&b, None));
            return Ok(Solution { x, iterations: 0, residual: 1.0, has_converged: true });
        }
        let found = solve(matrix, &wanted, limit / norm, most, site)?;
        match start {
            Some(start) => Ok(Solution { x: (start + found.x).into_result()?, ..found }),
            None => Ok(found),
        }
    })
}

/// Solves `A x = b` for a Hermitian positive definite matrix by conjugate gradients, until
/// `‖r‖ ≤ tolerance · ‖b‖` or for `most` iterations.
///
/// Dtype: the promotion of both, in which dtypes other than `f32`, `f64`, `c64` and `c128` count as
/// `f64`. Collective over the mesh: every iteration reads its residual. Errors: `OpError::Argument`
/// for a matrix that is not square, and for a `b` whose shape does not match its rows.
///
/// Source: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems"
/// (1952).
#[track_caller]
pub fn cg(matrix: &Csr, b: &Array, tolerance: f64, most: usize) -> Result<Solution, Error> {
    let site = call_site();
    within(site, || solve(matrix, b, tolerance, most, site))
}

fn solve(
    matrix: &Csr,
    b: &Array,
    tolerance: f64,
    most: usize,
    site: Site,
) -> Result<Solution, Error> {
    let [rows, columns] = matrix.shape();
    let refuse = |argument, value: &dyn std::fmt::Debug| {
        Err(refused("cg", argument, format!("{value:?}"), site))
    };
    if rows != columns {
        return refuse("the shape of the matrix", &matrix.shape());
    }
    if b.ok()?.shape() != [rows] {
        return refuse("the shape of b", &b.shape());
    }
    // As SciPy, which solves in floats of at least 32 bits; dtypes that it does not have become
    // f64.
    let solved = |dtype: DType| match dtype {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => dtype,
        _ => DType::F64,
    };
    let dtype = promote(solved(matrix.dtype()), solved(b.dtype()));
    let matrix = matrix.with_values(matrix.values().converted(dtype, site));
    let b = &b.converted(dtype, site);
    let square = |array: &Array| {
        let product = if array.dtype().is_complex() {
            (array.conjugate() * array).real().copy()
        } else {
            array * array
        };
        product.sum(())
    };
    let inner = |a: &Array, b: &Array| {
        let a = if a.dtype().is_complex() { a.conjugate() } else { a.clone() };
        (a * b).sum(())
    };
    let norm = square(b).sqrt().item::<f64>()?;
    let mut x = matrix.values().mesh()?.enter(|| zeros([matrix.shape()[1]], dtype));
    if norm == 0.0 {
        return Ok(Solution { x, iterations: 0, residual: 0.0, has_converged: 0.0 <= tolerance });
    }
    let mut r = b.copy();
    let mut p = r.copy();
    let mut rr = square(&r);
    let mut residual = 1.0;
    for step in 0..most {
        let q = matrix.matvec(&p);
        let alpha = &rr / inner(&p, &q);
        x += &alpha * &p;
        r -= &alpha * &q;
        let next = square(&r);
        residual = next.item::<f64>()?.sqrt() / norm;
        if residual.is_nan() || residual <= tolerance {
            let has_converged = residual <= tolerance;
            return Ok(Solution { x, iterations: step + 1, residual, has_converged });
        }
        p = &r + &next / &rr * &p;
        rr = next;
    }
    Ok(Solution { x, iterations: most, residual, has_converged: residual <= tolerance })
}
