//! Algebraic multigrid by smoothed aggregation.

use super::entries::{diagonal, row_sums};
use super::numbers::computed;
use super::operator::LinearOperator;
use crate::array::Array;
use crate::creation::{arange, full};
use crate::manipulation::refused;
use crate::math::{cumsum, select};
use crate::sparse::Csr;
use crate::sparse::sums::sums_at;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, Op};

/// The bit above which the state of a row stands in its key; below are a random number and the row.
const STATE: u32 = 60;
/// The states: the row is near a chosen one, undecided, or chosen.
const NEAR: i64 = 0;
const OPEN: i64 = 1;
const CHOSEN: i64 = 2;

/// The settings of [`Multigrid`]. The default is for matrices of elliptic equations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MultigridOptions {
    strength: f64,
    smallest: usize,
    most_levels: usize,
    sweeps: usize,
}

impl Default for MultigridOptions {
    fn default() -> MultigridOptions {
        MultigridOptions { strength: 0.08, smallest: 500, most_levels: 20, sweeps: 2 }
    }
}

impl MultigridOptions {
    /// An element connects two rows if its square is more than `strength²` times the product of
    /// their diagonal elements; on each coarser level the strength is halved. The default is 0.08.
    #[must_use]
    pub fn strength(self, strength: f64) -> MultigridOptions {
        MultigridOptions { strength, ..self }
    }

    /// A level of at most this number of rows is solved directly. The default is 500.
    #[must_use]
    pub fn smallest(self, rows: usize) -> MultigridOptions {
        MultigridOptions { smallest: rows, ..self }
    }

    /// The most levels. The default is 20.
    #[must_use]
    pub fn most_levels(self, levels: usize) -> MultigridOptions {
        MultigridOptions { most_levels: levels.max(1), ..self }
    }

    /// The steps of smoothing before and after each coarse correction. The default is 2.
    #[must_use]
    pub fn sweeps(self, sweeps: usize) -> MultigridOptions {
        MultigridOptions { sweeps: sweeps.max(1), ..self }
    }
}

/// A level: its matrix, and how it gets to the next one.
#[derive(Debug)]
struct Level {
    matrix: Csr,
    /// The inverse diagonal times the weight of a smoothing step.
    smoother: Array,
    prolongation: Csr,
    restriction: Csr,
}

/// A cycle of algebraic multigrid as an approximate inverse of a symmetric positive definite
/// matrix, for [`cg`](super::cg).
///
/// Aggregates are the rows around the members of a maximal independent set of distance 2, which the
/// devices find together, so the levels do not depend on the number of devices.
///
/// Sources: P. Vaněk, J. Mandel, M. Brezina, "Algebraic multigrid by smoothed aggregation for
/// second and fourth order elliptic problems" (1996), sections 2 to 4; N. Bell, S. Dalton,
/// L. Olson, "Exposing fine-grained parallelism in algebraic multigrid methods" (2012), section 3.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{Multigrid, Options, cg};
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// let multigrid = Multigrid::new(matrix, Default::default())?;
/// Ok(cg(matrix, b, Options::default().rtol(1e-8).preconditioner(&multigrid))?.x)
/// # }
/// ```
#[derive(Debug)]
pub struct Multigrid {
    levels: Vec<Level>,
    /// The inverse of the matrix of the coarsest level.
    coarsest: Array,
    /// The numbers of entries of the matrices.
    entries: Vec<usize>,
    sweeps: usize,
}

impl Multigrid {
    /// The levels for a matrix. Collective over the mesh. Errors: `OpError::Argument` for a matrix
    /// that is not square or not real, `DataError::Singular` if the coarsest level has no inverse.
    #[track_caller]
    pub fn new(matrix: &Csr, options: MultigridOptions) -> Result<Multigrid, Error> {
        let site = call_site();
        let [rows, columns] = matrix.shape();
        if rows != columns || matrix.dtype().is_complex() {
            let value = format!("{:?} of {}", matrix.shape(), matrix.dtype());
            return Err(refused("Multigrid", "matrix", value, site));
        }
        within(site, || {
            let mut own = matrix.astype(computed(matrix.dtype()))?.summed()?;
            let (mut levels, mut entries) = (Vec::new(), vec![own.nnz()]);
            let mut strength = options.strength;
            while own.shape()[0] > options.smallest && levels.len() + 1 < options.most_levels {
                let Some((level, coarse)) = level(&own, strength, site)? else { break };
                levels.push(level);
                entries.push(coarse.nnz());
                own = coarse;
                strength /= 2.0;
            }
            let coarsest = crate::linalg::inv(&own.to_dense()).into_result()?;
            Ok(Multigrid { levels, coarsest, entries, sweeps: options.sweeps })
        })
    }

    /// The numbers of rows of the levels, from the finest. Local.
    pub fn rows(&self) -> Vec<usize> {
        let fine = self.levels.iter().map(|level| level.matrix.shape()[0]);
        fine.chain([self.coarsest.shape()[0]]).collect()
    }

    /// The entries of all levels divided by those of the finest. Local.
    pub fn complexity(&self) -> f64 {
        self.entries.iter().sum::<usize>() as f64 / self.entries[0].max(1) as f64
    }

    fn cycle(&self, depth: usize, b: &Array) -> Result<Array, Error> {
        let Some(level) = self.levels.get(depth) else {
            return crate::products::matmul(&self.coarsest, b).into_result();
        };
        // The first step starts from zero.
        let mut x = &level.smoother * b;
        for _ in 1..self.sweeps {
            x = level.smoothed(&x, b);
        }
        let residual = level.restriction.matvec(&(b - level.matrix.matvec(&x)));
        x += level.prolongation.matvec(&self.cycle(depth + 1, &residual)?);
        for _ in 0..self.sweeps {
            x = level.smoothed(&x, b);
        }
        x.into_result()
    }
}

impl Level {
    fn smoothed(&self, x: &Array, b: &Array) -> Array {
        x + &self.smoother * (b - self.matrix.matvec(x))
    }
}

impl LinearOperator for Multigrid {
    fn shape(&self) -> [usize; 2] {
        [self.rows()[0]; 2]
    }

    fn dtype(&self) -> DType {
        self.coarsest.dtype()
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || self.cycle(0, &x.converted(self.dtype(), site)))
    }

    /// A cycle is symmetric.
    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        self.apply(x)
    }
}

/// A level and the matrix of the next one; `None` if aggregates would not make it smaller.
fn level(matrix: &Csr, strength: f64, site: Site) -> Result<Option<(Level, Csr)>, Error> {
    let rows = matrix.shape()[0];
    let diagonal = diagonal(matrix)?;
    let inverse = select(&diagonal.equal(0), 0, 1.0 / &diagonal).converted(matrix.dtype(), site);
    let strong = strong(matrix, &diagonal, strength, site)?;
    let (aggregate, count) = aggregates(&strong, site)?;
    if count == 0 || count >= rows {
        return Ok(None);
    }
    let mesh = matrix.values().mesh()?;
    // The tentative prolongation: columns of norm 1, constant on each aggregate.
    let sizes = sums_at(count, matrix.dtype(), &aggregate, 1.0, site)?;
    let values = (1.0 / sizes.sqrt()).take(&aggregate, 0);
    let own_rows = mesh.enter(|| arange(0, rows as i64, 1));
    let tentative = Csr::from_triplets(&own_rows, &aggregate, &values, [rows, count])?;
    // The largest eigenvalue of D⁻¹ A is at most the largest row sum of its absolute values.
    let radius = (row_sums(matrix)? * inverse.absolute()).max(()).item::<f64>()?;
    if !(radius.is_finite() && radius > 0.0) {
        return Ok(None);
    }
    let weight = 4.0 / 3.0 / radius;
    let scaled = matrix.of_values(matrix.values() * matrix.spread(&(&inverse * weight), site)?);
    let prolongation = tentative.combine(Op::Subtract, &scaled.matmul(&tentative)?)?;
    let restriction = prolongation.transpose()?;
    let coarse = restriction.matmul(&matrix.matmul(&prolongation)?)?;
    let smoother = (&inverse * weight).into_result()?;
    Ok(Some((Level { matrix: matrix.clone(), smoother, prolongation, restriction }, coarse)))
}

/// The entries that connect rows strongly, and the diagonal.
fn strong(matrix: &Csr, diagonal: &Array, strength: f64, site: Site) -> Result<Csr, Error> {
    let size = diagonal.absolute();
    let of_row = matrix.spread(&size, site)?;
    let of_column = size.take(matrix.columns(), 0);
    let is_own = matrix.rows().equal(matrix.columns());
    let is_strong = matrix.values().square().greater(of_row * of_column * (strength * strength));
    matrix.kept(&is_strong.logical_or(is_own))
}

/// The largest number of each row and of the rows that are connected with it.
fn largest(graph: &Csr, numbers: &Array, site: Site) -> Result<Array, Error> {
    let near = graph.of_values(numbers.take(graph.columns(), 0));
    let found = near.fold(Op::Maximum, near.values(), site)?;
    Array::apply(Op::Maximum, &[found.into(), numbers.into()]).into_result()
}

/// The aggregate of each row (`i64`), and the number of aggregates.
fn aggregates(graph: &Csr, site: Site) -> Result<(Array, usize), Error> {
    let rows = graph.shape()[0];
    let mesh = graph.values().mesh()?;
    let row = mesh.enter(|| arange(0, rows as i64, 1));
    // A number of each row that looks random, below 2^28, and the row itself below it.
    let mixed = (&row * 2_654_435_761_i64 + 12_345).remainder((1_i64 << 31) - 1);
    let key = (mixed.right_shift(3) * (1_i64 << 32) + &row).into_result()?;
    let mut state = mesh.enter(|| full([rows], OPEN, DType::I64));
    loop {
        let own = &state * (1_i64 << STATE) + &key;
        let near = largest(graph, &largest(graph, &own, site)?, site)?;
        let is_open = state.equal(OPEN);
        let is_first = near.equal(&own).logical_and(&is_open);
        let is_near = near.greater_equal(CHOSEN << STATE).logical_and(&is_open);
        state = select(&is_first, CHOSEN, select(&is_near, NEAR, &state));
        if state.equal(OPEN).sum(()).item::<i64>()? == 0 {
            break;
        }
    }
    let is_root = state.equal(CHOSEN);
    let numbers = cumsum(&is_root.converted(DType::I64, site), 0);
    let count = if rows == 0 { 0 } else { numbers.slice(crate::s![-1]).item::<i64>()? as usize };
    // 0 is no aggregate; the neighbours of a root are in its aggregate, and then theirs.
    let first = largest(graph, &select(&is_root, &numbers, 0), site)?;
    let second = largest(graph, &first, site)?;
    let found = select(&first.greater(0), &first, &second);
    Ok(((found - 1).into_result()?, count))
}
