//! Eigenvalues by locally optimal block preconditioned conjugate gradients.

use super::basis::read_all;
use super::dense::Dense;
use super::krylov::unit_columns;
use super::numbers::{computed, epsilon, squares, upload};
use super::operator::{LinearOperator, Prepared};
use crate::array::Array;
use crate::manipulation::{concatenate, refused};
use crate::products::{conjugated, matmul};
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, promote};

/// The options of [`lobpcg`]. The default has SciPy's values.
#[derive(Clone)]
pub struct LobpcgOptions<'a> {
    mass: Option<&'a dyn LinearOperator>,
    preconditioner: Option<&'a dyn LinearOperator>,
    constraints: Option<Array>,
    tol: Option<f64>,
    maxiter: usize,
    largest: bool,
}

impl Default for LobpcgOptions<'_> {
    fn default() -> Self {
        LobpcgOptions {
            mass: None,
            preconditioner: None,
            constraints: None,
            tol: None,
            maxiter: 20,
            largest: true,
        }
    }
}

impl<'a> LobpcgOptions<'a> {
    /// SciPy's `B`: makes the problem `A x = λ B x`, with a Hermitian positive definite operator.
    #[must_use]
    pub fn mass(self, mass: &'a dyn LinearOperator) -> Self {
        LobpcgOptions { mass: Some(mass), ..self }
    }

    /// SciPy's `M`, an approximate inverse of `A`.
    #[must_use]
    pub fn preconditioner(self, inverse: &'a dyn LinearOperator) -> Self {
        LobpcgOptions { preconditioner: Some(inverse), ..self }
    }

    /// SciPy's `Y`, `(n, c)`: the vectors found are orthogonal to its columns with respect to `B`.
    #[must_use]
    pub fn constraints(self, columns: &Array) -> Self {
        LobpcgOptions { constraints: Some(columns.clone()), ..self }
    }

    /// The norm of a residual at which a vector has converged. The default is the root of the
    /// rounding unit for each row, as in SciPy.
    #[must_use]
    pub fn tol(self, tol: impl Into<Option<f64>>) -> Self {
        LobpcgOptions { tol: tol.into(), ..self }
    }

    /// The most iterations. The default is 20.
    #[must_use]
    pub fn maxiter(self, maxiter: usize) -> Self {
        LobpcgOptions { maxiter, ..self }
    }

    /// Whether the largest eigenvalues are wanted (the default), or the smallest.
    #[must_use]
    pub fn largest(self, largest: bool) -> Self {
        LobpcgOptions { largest, ..self }
    }
}

/// The result of [`lobpcg`].
#[derive(Clone, Debug)]
pub struct Lobpcg {
    /// The eigenvalues `(k)`: descending if the largest are wanted, else ascending.
    pub eigenvalues: Array,
    /// The vectors in columns, orthonormal with respect to `B`, `(n, k)`.
    pub eigenvectors: Array,
    /// The number of iterations.
    pub iterations: usize,
    /// The eigenvalues of the start and after each iteration.
    pub eigenvalue_history: Vec<Vec<f64>>,
    /// The norms of the residuals for the same.
    pub residual_history: Vec<Vec<f64>>,
}

/// SciPy's `lobpcg`: the largest or the smallest eigenvalues of a Hermitian operator, from a start
/// of `k` vectors. Vectors that have converged stay in the search space, but no longer add to it
/// (soft locking).
///
/// Shapes `(n, n), (n, k) -> (k), (n, k)`. Dtype: the promotion of the operands, in which dtypes
/// other than `f32`, `f64`, `c64` and `c128` count as `f64`; the eigenvalues are real. Collective
/// over the mesh: each iteration reads the norms of the residuals and two small matrices. Errors:
/// `OpError::Argument` for other shapes, and for a start or constraints whose columns are linearly
/// dependent; the errors of the operators.
///
/// Source: A. V. Knyazev, "Toward the optimal preconditioned eigensolver" (2001), section 4; the
/// search space is made independent as by J. A. Duersch et al., "A robust and efficient
/// implementation of LOBPCG" (2018), section 3.
#[track_caller]
pub fn lobpcg(
    operator: &dyn LinearOperator,
    start: &Array,
    options: &LobpcgOptions<'_>,
) -> Result<Lobpcg, Error> {
    let site = call_site();
    within(site, || Search::new(operator, start, options, site)?.run(options))
}

/// Vectors with their products with both operators.
#[derive(Clone)]
struct Block {
    x: Array,
    a: Array,
    b: Array,
}

struct Search<'a> {
    operator: Prepared<'a>,
    mass: Option<Prepared<'a>>,
    preconditioner: Option<Prepared<'a>>,
    /// The constraints, orthonormal, and their products with `B`.
    constraints: Option<(Array, Array)>,
    mesh: MeshHandle,
    dtype: DType,
    site: Site,
    rows: usize,
    x: Array,
}

impl<'a> Search<'a> {
    fn new(
        operator: &'a dyn LinearOperator,
        start: &Array,
        options: &LobpcgOptions<'a>,
        site: Site,
    ) -> Result<Search<'a>, Error> {
        let name = "lobpcg";
        let refuse =
            |argument, shape: &[usize]| Err(refused(name, argument, format!("{shape:?}"), site));
        let [rows, columns] = operator.shape();
        if rows != columns {
            return refuse("the shape of the operator", &[rows, columns]);
        }
        let is_block = |array: &Array| {
            let shape = array.shape();
            shape.len() == 2 && shape[0] == rows && (1..=rows).contains(&shape[1])
        };
        if !is_block(start.ok()?) {
            return refuse("the shape of the start", start.shape());
        }
        let mut dtype = promote(computed(operator.dtype()), computed(start.dtype()));
        for other in [options.mass, options.preconditioner].into_iter().flatten() {
            if other.shape() != [rows, rows] {
                return refuse("the shape of an operator", &other.shape());
            }
            dtype = promote(dtype, computed(other.dtype()));
        }
        if let Some(constraints) = &options.constraints {
            if !is_block(constraints.ok()?) {
                return refuse("the shape of the constraints", constraints.shape());
            }
            dtype = promote(dtype, computed(constraints.dtype()));
        }
        let prepared = |operator| Prepared::new(operator, dtype, name, site);
        let mut search = Search {
            operator: prepared(operator)?,
            mass: options.mass.map(prepared).transpose()?,
            preconditioner: options.preconditioner.map(prepared).transpose()?,
            constraints: None,
            mesh: start.mesh()?,
            dtype,
            site,
            rows,
            x: start.converted(dtype, site),
        };
        if let Some(constraints) = &options.constraints {
            let y = unit_columns(&constraints.converted(dtype, site));
            let b = search.with_mass(&y)?;
            let inverse = search.orthonormal(&y, &b, "the constraints")?;
            search.constraints =
                Some((search.combined(&y, &inverse)?, search.combined(&b, &inverse)?));
        }
        Ok(search)
    }

    fn run(self, options: &LobpcgOptions<'_>) -> Result<Lobpcg, Error> {
        let count = self.x.shape()[1];
        let tol = options.tol.unwrap_or_else(|| epsilon(self.dtype).sqrt() * self.rows as f64);
        let x = self.constrained(&unit_columns(&self.x))?;
        let b = self.with_mass(&x)?;
        let inverse = self.orthonormal(&x, &b, "the start")?;
        let (x, b) = (self.combined(&x, &inverse)?, self.combined(&b, &inverse)?);
        let a = self.operator.apply_block(&x)?;
        let mut block = Block { x, a, b };
        let (mut values, vectors) = self.extremes(&[&block], count, options.largest)?;
        block = self.turned(&block, &vectors)?;
        let mut direction: Option<Block> = None;
        let mut active = vec![true; count];
        let (mut eigenvalue_history, mut residual_history) = (Vec::new(), Vec::new());
        let mut iterations = 0;
        loop {
            let factors: Vec<Complex64> = values.iter().map(|&value| value.into()).collect();
            let factors = upload(&self.mesh, &factors, &[count], self.dtype, self.site)?;
            let residual = &block.a - &block.b * factors;
            let sizes = squares(&residual).sum(0).sqrt().to_vec::<f64>()?;
            eigenvalue_history.push(values.clone());
            residual_history.push(sizes.clone());
            for (is_active, size) in active.iter_mut().zip(&sizes) {
                *is_active &= *size > tol;
            }
            let chosen: Vec<usize> = (0..count).filter(|&at| active[at]).collect();
            let is_finite = sizes.iter().all(|size| size.is_finite());
            if chosen.is_empty() || iterations >= options.maxiter || !is_finite {
                break;
            }
            iterations += 1;
            let residual = self.columns(&residual, &chosen)?;
            let w = match &self.preconditioner {
                Some(inverse) => inverse.apply_block(&residual)?,
                None => residual,
            };
            let w = self.constrained(&w)?;
            let w = &w - matmul(&block.x, &product(&block.b, &w));
            let w = unit_columns(&w).into_result()?;
            let new = Block { a: self.operator.apply_block(&w)?, b: self.with_mass(&w)?, x: w };
            let mut parts = vec![&block, &new];
            let before = direction.take();
            let before = before.map(|last| self.block_columns(&last, &chosen)).transpose()?;
            parts.extend(&before);
            let (next, vectors) = self.extremes(&parts, count, options.largest)?;
            values = next;
            // The direction is the change of the vectors: their parts outside of the last block.
            let mut rest = vectors.clone();
            for column in 0..count {
                for row in 0..count {
                    rest.set(row, column, Complex64::default());
                }
            }
            let joined = joined(&parts)?;
            direction = Some(self.scaled(self.turned(&joined, &rest)?));
            block = self.turned(&joined, &vectors)?;
        }
        let factors: Vec<Complex64> = values.iter().map(|&value| value.into()).collect();
        let real = self.dtype.real();
        Ok(Lobpcg {
            eigenvalues: upload(&self.mesh, &factors, &[count], real, self.site)?,
            eigenvectors: block.x,
            iterations,
            eigenvalue_history,
            residual_history,
        })
    }

    /// `B x`.
    fn with_mass(&self, x: &Array) -> Result<Array, Error> {
        self.mass.as_ref().map_or_else(|| Ok(x.clone()), |mass| mass.apply_block(x))
    }

    /// The columns without their parts along the constraints.
    fn constrained(&self, x: &Array) -> Result<Array, Error> {
        match &self.constraints {
            None => Ok(x.clone()),
            Some((y, b)) => (x - matmul(y, &product(b, x))).into_result(),
        }
    }

    /// The matrix that makes columns orthonormal, from their products with `B`. Reads a small
    /// matrix. Errors: `OpError::Argument` for columns that are linearly dependent.
    fn orthonormal(&self, x: &Array, b: &Array, argument: &'static str) -> Result<Dense, Error> {
        let count = x.shape()[1];
        let gram = self.read(&[&product(x, b)], count)?.remove(0);
        let (basis, _) = independent(&gram, epsilon(self.dtype));
        if basis.columns < count {
            let value = "linearly dependent columns";
            return Err(refused("lobpcg", argument, value, self.site));
        }
        Ok(basis)
    }

    /// The most wanted Ritz values of the space of some blocks, and the combinations of its columns
    /// that are their vectors. Reads two small matrices.
    fn extremes(
        &self,
        parts: &[&Block],
        count: usize,
        largest: bool,
    ) -> Result<(Vec<f64>, Dense), Error> {
        let all = joined(parts)?;
        let size = all.x.shape()[1];
        let mut grams = self.read(&[&product(&all.x, &all.a), &product(&all.x, &all.b)], size)?;
        let (gram_b, gram_a) = (grams.remove(1), grams.remove(0));
        let (basis, dimension) = independent(&gram_b, epsilon(self.dtype));
        if dimension < count {
            let problem = "B is not positive definite, or the search space collapsed";
            let error = OpError::Arguments { operation: "lobpcg", problem };
            return Err(Error::op(error, self.site));
        }
        let (values, vectors) = basis.adjoint().times(&gram_a).times(&basis).eigen_hermitian();
        let order: Vec<usize> = match largest {
            true => (0..dimension).rev().take(count).collect(),
            false => (0..count).collect(),
        };
        let chosen = basis.times(&vectors.selected(&order));
        Ok((order.iter().map(|&at| values[at]).collect(), chosen))
    }

    /// Small square matrices, read together.
    fn read(&self, matrices: &[&Array], size: usize) -> Result<Vec<Dense>, Error> {
        let values = read_all(matrices, self.dtype, self.site)?;
        let made = |values: &[Complex64]| {
            Dense::new(size, size, |row, column| values[row * size + column]).hermitian()
        };
        Ok(values.chunks(size * size).map(made).collect())
    }

    /// The columns times a small matrix.
    fn combined(&self, x: &Array, by: &Dense) -> Result<Array, Error> {
        let shape = [by.rows, by.columns];
        let factors = upload(&self.mesh, &by.in_rows(), &shape, self.dtype, self.site)?;
        matmul(x, &factors).into_result()
    }

    fn turned(&self, block: &Block, by: &Dense) -> Result<Block, Error> {
        let shape = [by.rows, by.columns];
        let factors = upload(&self.mesh, &by.in_rows(), &shape, self.dtype, self.site)?;
        let turn = |x: &Array| matmul(x, &factors).into_result();
        let a = turn(&block.a)?;
        let x = turn(&block.x)?;
        let b = if self.mass.is_some() { turn(&block.b)? } else { x.clone() };
        Ok(Block { x, a, b })
    }

    /// The block with its vectors at norm 1.
    fn scaled(&self, block: Block) -> Block {
        let sizes = squares(&block.x).sum(0).sqrt();
        let inverse = crate::math::select(&sizes.equal(0.0), 0.0, 1.0 / sizes);
        let x = block.x * &inverse;
        let b = if self.mass.is_some() { block.b * &inverse } else { x.clone() };
        Block { a: block.a * &inverse, x, b }
    }

    fn columns(&self, x: &Array, chosen: &[usize]) -> Result<Array, Error> {
        if chosen.len() == x.shape()[1] {
            return Ok(x.clone());
        }
        let positions: Vec<i64> = chosen.iter().map(|&at| at as i64).collect();
        let count = [positions.len()];
        let positions = self.mesh.enter(|| crate::creation::from_slice(&positions, count));
        x.take(&positions, 1).into_result()
    }

    fn block_columns(&self, block: &Block, chosen: &[usize]) -> Result<Block, Error> {
        let x = self.columns(&block.x, chosen)?;
        let b = if self.mass.is_some() { self.columns(&block.b, chosen)? } else { x.clone() };
        Ok(Block { a: self.columns(&block.a, chosen)?, x, b })
    }
}

/// `aᴴ b` of two blocks of columns.
fn product(a: &Array, b: &Array) -> Array {
    matmul(&conjugated(&a.t()), b)
}

/// Blocks side by side.
fn joined(parts: &[&Block]) -> Result<Block, Error> {
    if let [only] = parts {
        return Ok((*only).clone());
    }
    let join = |part: fn(&Block) -> &Array| {
        let arrays: Vec<&Array> = parts.iter().map(|block| part(block)).collect();
        concatenate(&arrays, 1).into_result()
    };
    let x = join(|block| &block.x)?;
    Ok(Block { a: join(|block| &block.a)?, b: join(|block| &block.b)?, x })
}

/// Combinations of vectors that are orthonormal, from the vectors' products with each other, and
/// how many there are. Directions that are noise are left out.
fn independent(gram: &Dense, unit: f64) -> (Dense, usize) {
    let size = gram.rows;
    let scale = |at: usize| {
        let length = gram.at(at, at).re;
        if length > 0.0 { 1.0 / length.sqrt() } else { 0.0 }
    };
    let scaled =
        Dense::new(size, size, |row, column| gram.at(row, column) * scale(row) * scale(column));
    let (values, vectors) = scaled.eigen_hermitian();
    let largest = values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> =
        (0..size).filter(|&at| values[at] > unit * size as f64 * largest).collect();
    let basis = Dense::new(size, kept.len(), |row, column| {
        vectors.at(row, kept[column]) * scale(row) / values[kept[column]].sqrt()
    });
    (basis, kept.len())
}
