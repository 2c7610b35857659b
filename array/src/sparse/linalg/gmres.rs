//! Generalised minimal residuals with restarts, and the cycle that its relatives share.

use super::basis::{Basis, read_all};
use super::least_squares::Hessenberg;
use super::numbers::{norm, read_real, reciprocal};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use num_complex::Complex64;
use phalanx_graph::{Error, call_site};

/// SciPy's `gmres`: solves `A x = b` by generalised minimal residuals, restarted after
/// [`Options::restart`] steps (20).
///
/// Shapes, dtype and errors: those of [`cg`](super::cg()). `maxiter` counts restarts and is `10 n`
/// by default; so does the return code of a solver that did not converge. Collective over the mesh:
/// each step reads the new column of the Hessenberg matrix, and each restart the norm of the
/// residual. The preconditioner is applied from the right, so the residuals that
/// [`Options::on_residual`] receives are those of `b - A x`.
///
/// Source: Y. Saad, M. H. Schultz, "GMRES" (1986); Saad, "Iterative Methods for Sparse Linear
/// Systems" (2003), algorithm 9.5.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{Options, gmres};
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// Ok(gmres(matrix, b, Options::default().restart(50))?.x)
/// # }
/// ```
#[track_caller]
pub fn gmres(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: Options<'_>,
) -> Result<Solved, Error> {
    let most = |rows: usize| rows.saturating_mul(10);
    solved("gmres", (matrix, b), options, most, restarted, call_site())
}

fn restarted(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let steps = problem.restart.unwrap_or(20).clamp(1, problem.size);
    let (mut r, mut size) = (problem.residual.clone(), problem.size_of_residual);
    let most = progress.most;
    for count in 1..=most {
        let directions = |_: usize, v: &Array| Ok(Direction::of(problem.preconditioned(v)?));
        let cycle = Cycle { problem, steps, projected: None, keeps_directions: false };
        let found = cycle.run(&mut progress, &r, size, &directions)?;
        let step = found.basis.combined(&found.factors)?;
        let x = &progress.x + problem.preconditioned(&step)?;
        r = problem.residual_of(&x)?;
        let before = std::mem::replace(&mut size, read_real(&[&norm(&r)])?[0]);
        if let Some(info) = found.end(&mut progress, x, [before, size], count) {
            return progress.ended(info);
        }
    }
    progress.ended(most as i64)
}

/// A direction of search, and its product with the matrix if that is known.
pub(super) struct Direction {
    pub(super) vector: Array,
    pub(super) product: Option<Array>,
}

impl Direction {
    pub(super) fn of(vector: Array) -> Direction {
        Direction { vector, product: None }
    }
}

/// A cycle of flexible GMRES. Source: Saad (see [`gmres`]), algorithm 9.6.
pub(super) struct Cycle<'a> {
    pub(super) problem: &'a Problem<'a>,
    /// The most steps.
    pub(super) steps: usize,
    /// A basis along which the products have no components.
    pub(super) projected: Option<&'a Basis>,
    pub(super) keeps_directions: bool,
}

/// The result of a cycle.
pub(super) struct Found {
    pub(super) basis: Basis,
    pub(super) directions: Option<Basis>,
    pub(super) hessenberg: Hessenberg,
    /// For each step, the components along the basis that is projected away.
    pub(super) removed: Vec<Vec<Complex64>>,
    /// The minimiser: the factors of the directions.
    pub(super) factors: Vec<Complex64>,
    /// Whether a product was in the space of the basis, so that the space cannot grow.
    pub(super) broke_down: bool,
    /// Whether the caller's function stops the solver.
    pub(super) is_stopped: bool,
}

impl Found {
    /// Ends the cycle with this number and solution, for the norms of the residual before and after
    /// it. Returns the return code if the solver ends.
    pub(super) fn end(
        &self,
        progress: &mut Progress<'_>,
        x: Array,
        [before, after]: [f64; 2],
        number: usize,
    ) -> Option<i64> {
        progress.x = x;
        let is_stopped = progress.shows() || self.is_stopped;
        if after <= progress.limit {
            return Some(0);
        }
        (is_stopped || self.is_stuck([before, after])).then_some(number as i64)
    }

    /// Whether another cycle would not help, for the norms of the residual before and after this
    /// one: its space could not grow, and the residual has not become smaller.
    fn is_stuck(&self, [before, after]: [f64; 2]) -> bool {
        !after.is_finite() || (self.broke_down && after > STUCK * before)
    }
}

/// The part of the residual that a cycle without progress leaves.
const STUCK: f64 = 0.9;

impl Cycle<'_> {
    /// Runs the cycle for a residual and its norm. `direction` gives the direction of a step for
    /// the last vector of the basis.
    pub(super) fn run(
        &self,
        progress: &mut Progress<'_>,
        residual: &Array,
        size: f64,
        direction: &dyn Fn(usize, &Array) -> Result<Direction, Error>,
    ) -> Result<Found, Error> {
        let Problem { mesh, dtype, site, size: rows, .. } = self.problem;
        let (dtype, site) = (*dtype, *site);
        let basis = Basis::new(mesh, [*rows, self.steps + 1], dtype, site)?;
        let directions = match self.keeps_directions {
            true => Some(Basis::new(mesh, [*rows, self.steps], dtype, site)?),
            false => None,
        };
        let mut found = Found {
            basis,
            directions,
            hessenberg: Hessenberg::new(size),
            removed: Vec::new(),
            factors: Vec::new(),
            broke_down: false,
            is_stopped: false,
        };
        let mut v = residual * reciprocal(&norm(residual));
        found.basis.set(0, &v)?;
        for step in 0..self.steps {
            let Direction { vector, product } = direction(step, &v)?;
            if let Some(directions) = &found.directions {
                directions.set(step, &vector)?;
            }
            let mut w = match product {
                Some(product) => product,
                None => self.problem.product(&vector)?,
            };
            let mut removed = None;
            if let Some(basis) = self.projected {
                let components = basis.components(&w);
                // Not in place: the product may be an array of the operator.
                w = &w - basis.combination(&components);
                removed = Some(components);
            }
            let next = found.basis.orthogonalised(&w);
            let mut parts = vec![&next.components, &next.size];
            parts.extend(&removed);
            let values = read_all(&parts, dtype, site)?;
            let (column, rest) = values.split_at(self.steps + 1);
            let mut column = column[..=step].to_vec();
            column.push(rest[0]);
            found.removed.push(rest[1..].to_vec());
            let reached = found.hessenberg.push(column);
            v = next.unit;
            found.basis.set(step + 1, &v)?;
            found.broke_down = rest[0].re == 0.0;
            found.is_stopped = progress.counts(reached);
            let is_last = found.broke_down || found.is_stopped || !reached.is_finite();
            if is_last || reached <= progress.limit {
                break;
            }
        }
        found.factors = found.hessenberg.minimiser();
        Ok(found)
    }
}
