//! Norms of sparse matrices, and estimates of the 1-norms of operators.

use super::basis::read_all;
use super::entries::{column_sums, row_sums};
use super::krylov::{EigenOptions, drawn};
use super::numbers::{computed, square, upload};
use super::operator::{LinearOperator, Prepared};
use super::singular::svds;
use crate::array::Array;
use crate::linalg::Ord;
use crate::manipulation::refused;
use crate::math::select;
use crate::products::{conjugated, matmul};
use crate::recording::current_mesh;
use crate::sorting::topk;
use crate::sparse::Csr;
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::DType;

/// SciPy's `sparse.linalg.norm`: a norm of a sparse matrix (0-d, real). `Ord::Default` and
/// `Ord::Frobenius` stand for the root of the sum of squares; `Ord::P(1.0)`, `Ord::Infinity` and
/// their negatives for the largest and smallest sums of columns and of rows; `Ord::P(2.0)` for the
/// largest singular value, by [`svds`].
///
/// Collective over the mesh: values at the same position are added first. Errors:
/// `OpError::Argument` for another norm.
#[track_caller]
pub fn norm(matrix: &Csr, ord: Ord) -> Result<Array, Error> {
    let site = call_site();
    within(site, || {
        let matrix = matrix.astype(computed(matrix.dtype()))?.summed()?;
        let is_empty = matrix.shape().contains(&0);
        let found = match ord {
            Ord::Default | Ord::Frobenius => square(matrix.values()).sqrt(),
            _ if is_empty => return Err(refused("norm", "ord", format!("{ord:?}"), site)),
            Ord::P(1.0) => column_sums(&matrix)?.max(()),
            Ord::P(-1.0) => column_sums(&matrix)?.min(()),
            Ord::Infinity => row_sums(&matrix)?.max(()),
            Ord::MinusInfinity => row_sums(&matrix)?.min(()),
            Ord::P(p) if p == f64::INFINITY => row_sums(&matrix)?.max(()),
            Ord::P(p) if p == f64::NEG_INFINITY => row_sums(&matrix)?.min(()),
            Ord::P(2.0) => {
                let mesh = matrix.values().mesh()?;
                let found = mesh.enter(|| svds(&matrix, 1, &EigenOptions::default()))?;
                found.s.slice(crate::s![0]).copy()
            }
            Ord::P(_) | Ord::Nuclear => {
                return Err(refused("norm", "ord", format!("{ord:?}"), site));
            }
        };
        found.into_result()
    })
}

/// The result of [`onenormest`].
#[derive(Clone, Debug)]
pub struct NormEstimate {
    /// A lower bound of the norm, and mostly the norm.
    pub norm: f64,
    /// A vector of norm 1 that reaches the bound.
    pub v: Array,
    /// Its product with the operator, of this norm.
    pub w: Array,
}

/// SciPy's `onenormest`: a lower bound of the 1-norm of a square operator with an adjoint on the
/// current mesh, from a few products with `t` vectors. SciPy's values are `t = 2` and `itmax = 5`.
///
/// Collective over the mesh: each iteration reads some numbers twice. Errors: `OpError::Argument`
/// for an operator that is not square, a `t` of 0 or above its extent, and an `itmax` below 2; the
/// errors of the operator.
///
/// Source: N. J. Higham, F. Tisseur, "A block algorithm for matrix 1-norm estimation, with an
/// application to 1-norm pseudospectra" (2000), algorithm 2.4.
#[track_caller]
pub fn onenormest(
    operator: &dyn LinearOperator,
    t: usize,
    itmax: usize,
) -> Result<NormEstimate, Error> {
    let (site, name) = (call_site(), "onenormest");
    within(site, || {
        let refuse = |argument, value: String| Err(refused(name, argument, value, site));
        let [rows, columns] = operator.shape();
        if rows != columns || rows == 0 {
            return refuse("the shape of the operator", format!("{:?}", operator.shape()));
        }
        if t == 0 || t > rows {
            return refuse("t", t.to_string());
        }
        if itmax < 2 {
            return refuse("itmax", itmax.to_string());
        }
        let dtype = computed(operator.dtype());
        let operator = Prepared::new(operator, dtype, name, site)?;
        let size = OneNorm { t, itmax, ..OneNorm::new(current_mesh(site)?, rows, dtype, site) };
        size.estimate(&|x| operator.apply_block(x), &|x| operator.apply_adjoint_block(x), 1)
    })
}

/// A product with a block of columns.
type Product<'a> = &'a dyn Fn(&Array) -> Result<Array, Error>;

/// The estimation of 1-norms of powers.
pub(super) struct OneNorm {
    mesh: MeshHandle,
    rows: usize,
    dtype: DType,
    site: Site,
    t: usize,
    itmax: usize,
}

impl OneNorm {
    pub(super) fn new(mesh: MeshHandle, rows: usize, dtype: DType, site: Site) -> OneNorm {
        OneNorm { mesh, rows, dtype, site, t: 2.min(rows), itmax: 5 }
    }

    /// A vector of zeros.
    pub(super) fn zeros(&self) -> Result<Array, Error> {
        self.mesh.enter(|| crate::creation::zeros([self.rows], self.dtype)).into_result()
    }

    /// The unit vectors of some rows, in columns.
    fn units(&self, rows: &[usize]) -> Result<Array, Error> {
        let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let shape = [self.rows, rows.len()];
        let rows = self.mesh.enter(|| crate::creation::from_slice(&rows, [rows.len()]));
        let dtype = self.dtype;
        let unit = |indices: &[Array]| indices[0].equal(rows.expand_dims(0)).astype(dtype);
        self.mesh.enter(|| crate::creation::from_function(shape, unit)).into_result()
    }

    /// The start: a column of ones and columns of random signs, of norm 1.
    fn start(&self) -> Result<Array, Error> {
        let random = drawn(&self.mesh, &[self.rows, self.t], self.dtype.real(), 1)?;
        let signs = select(&random.less(0.0), -1.0, 1.0).converted(self.dtype, self.site);
        signs.slice(crate::s![.., 0]).assign(1.0);
        (signs * (1.0 / self.rows as f64)).into_result()
    }

    /// The estimate of the norm of a power of an operator.
    pub(super) fn estimate(
        &self,
        product: Product<'_>,
        adjoint: Product<'_>,
        power: usize,
    ) -> Result<NormEstimate, Error> {
        let repeated =
            |apply: Product<'_>, x: &Array| (0..power).try_fold(x.clone(), |x, _| apply(&x));
        let mut x = self.start()?;
        let mut best = NormEstimate { norm: -1.0, v: self.zeros()?, w: self.zeros()? };
        let mut used: Vec<usize> = Vec::new();
        // The rows whose unit vectors are the columns of `x`, after the start.
        let mut rows: Vec<usize> = Vec::new();
        let mut signs: Option<Array> = None;
        let mut best_row = None;
        for step in 1..=self.itmax {
            let y = repeated(product, &x)?;
            let new = self.signs(&y);
            // Columns of signs that are parallel to earlier ones bring nothing new.
            let parallel = match &signs {
                Some(old) => matmul(&conjugated(&new.t()), old).absolute(),
                None => upload(&self.mesh, &[], &[0], self.dtype.real(), self.site)?,
            };
            let z = repeated(adjoint, &new)?;
            let heights = z.absolute().max(1);
            let count = (self.t * (self.itmax + 1)).min(self.rows);
            let (highest, places) = topk(&heights, count, 0);
            let sums = y.absolute().sum(0);
            let dtype = DType::F64;
            let values = read_all(&[&sums, &parallel, &highest, &places], dtype, self.site)?;
            let values: Vec<f64> = values.iter().map(|value: &Complex64| value.re).collect();
            let columns = y.shape()[1];
            let (sums, rest) = values.split_at(columns);
            let (parallel, rest) = rest.split_at(parallel.size());
            let (highest, places) = rest.split_at(count);
            let at = (0..columns).fold(0, |at, next| if sums[next] > sums[at] { next } else { at });
            if sums[at] <= best.norm && step > 1 {
                break;
            }
            best = NormEstimate {
                norm: sums[at],
                v: x.slice(crate::s![.., at as i64]).copy(),
                w: y.slice(crate::s![.., at as i64]).copy(),
            };
            best_row = rows.get(at).copied().or(best_row);
            let is_parallel = |column: usize| {
                let of_column = parallel.chunks((parallel.len() / columns).max(1)).nth(column);
                let limit = self.rows as f64 * (1.0 - f64::from(f32::EPSILON));
                of_column.is_some_and(|products| products.iter().any(|value| *value >= limit))
            };
            let all_parallel = !parallel.is_empty() && (0..columns).all(is_parallel);
            let is_best_again = best_row.is_some_and(|row| {
                places
                    .iter()
                    .position(|place| *place as usize == row)
                    .is_some_and(|found| highest[found] >= highest[0])
            });
            if all_parallel || (step > 1 && is_best_again) || !best.norm.is_finite() {
                break;
            }
            let fresh = places.iter().map(|place| *place as usize);
            rows = fresh.filter(|row| !used.contains(row)).take(self.t).collect();
            if rows.is_empty() {
                break;
            }
            used.extend(&rows);
            x = self.units(&rows)?;
            signs = Some(new);
        }
        Ok(best)
    }

    /// `y / |y|`, and 1 for 0.
    fn signs(&self, y: &Array) -> Array {
        if !self.dtype.is_complex() {
            return select(&y.less(0.0), -1.0, 1.0).converted(self.dtype, self.site);
        }
        let sizes = y.absolute();
        let is_zero = sizes.equal(0.0);
        let divisor = select(&is_zero, 1.0, sizes);
        select(&is_zero, 1.0, y / divisor).converted(self.dtype, self.site)
    }
}
