//! Relatives of GMRES that keep vectors over restarts: `lgmres` and `gcrotmk`.

use super::basis::Basis;
use super::dense::Dense;
use super::gmres::{Cycle, Direction, Found};
use super::numbers::{inner, norm, read_real, reciprocal};
use super::operator::LinearOperator;
use super::options::{Options, Solved};
use super::problem::{Problem, Progress, solved};
use crate::array::Array;
use num_complex::Complex64;
use phalanx_graph::{Error, call_site};

/// SciPy's `lgmres`: GMRES with [`Options::restart`] steps (30) between restarts, to whose search
/// space the last [`Options::recycled`] changes of `x` (3) are added. This often needs fewer
/// restarts than [`gmres`](super::gmres()).
///
/// Shapes, dtype, collectivity and errors: those of [`gmres`](super::gmres()). `maxiter` counts
/// restarts and is 1,000 by default.
///
/// Source: A. H. Baker, E. R. Jessup, T. Manteuffel, "A technique for accelerating the convergence
/// of restarted GMRES" (2005), algorithm 1.
#[track_caller]
pub fn lgmres(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: Options<'_>,
) -> Result<Solved, Error> {
    solved("lgmres", (matrix, b), options, |_| 1000, loose, call_site())
}

fn loose(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let steps = problem.restart.unwrap_or(30).clamp(1, problem.size);
    let kept = problem.recycled.unwrap_or(3);
    let (mut r, mut size) = (problem.residual.clone(), problem.size_of_residual);
    // The last changes of `x` at norm 1, and their products with the matrix.
    let mut changes: Vec<(Array, Array)> = Vec::new();
    let most = progress.most;
    for count in 1..=most {
        let direction = |step: usize, v: &Array| match step.checked_sub(steps) {
            None => Ok(Direction::of(problem.preconditioned(v)?)),
            Some(at) => {
                let (vector, product) = changes[at].clone();
                Ok(Direction { vector, product: Some(product) })
            }
        };
        let steps = steps + changes.len();
        let cycle = Cycle { problem, steps, projected: None, keeps_directions: true };
        let found = cycle.run(&mut progress, &r, size, &direction)?;
        let (change, product) = change_of(&found)?;
        let x = &progress.x + &change;
        r = problem.residual_of(&x)?;
        if kept > 0 {
            let inverse = reciprocal(&norm(&change));
            changes.insert(0, (&change * &inverse, product * &inverse));
            changes.truncate(kept);
        }
        let before = std::mem::replace(&mut size, read_real(&[&norm(&r)])?[0]);
        if let Some(info) = found.end(&mut progress, x, [before, size], count) {
            return progress.ended(info);
        }
    }
    progress.ended(most as i64)
}

/// The change of `x` of a cycle, and its product with the matrix without what was projected away.
fn change_of(found: &Found) -> Result<(Array, Array), Error> {
    let directions = found.directions.as_ref().unwrap_or(&found.basis);
    let change = directions.combined(&found.factors)?;
    let product = found.hessenberg.times(&found.factors);
    Ok((change, found.basis.combined(&product)?))
}

/// SciPy's `gcrotmk`: flexible GCRO with [`Options::restart`] steps `m` (20) between restarts. It
/// keeps the [`Options::recycled`] most recent directions `k` (`m`) and makes residuals orthogonal
/// to their products.
///
/// Shapes, dtype, collectivity and errors: those of [`gmres`](super::gmres()). `maxiter` counts
/// restarts and is 1,000 by default.
///
/// Source: E. de Sturler, "Truncation strategies for optimal Krylov subspace methods" (1999); J. E.
/// Hicken, D. W. Zingg, "A simplified and flexible variant of GCROT" (2010), algorithm 1.
#[track_caller]
pub fn gcrotmk(
    matrix: &dyn LinearOperator,
    b: &Array,
    options: Options<'_>,
) -> Result<Solved, Error> {
    solved("gcrotmk", (matrix, b), options, |_| 1000, recycling, call_site())
}

/// The kept directions `u` and their products `c = A u`, which are orthonormal.
struct Recycled {
    c: Basis,
    u: Basis,
    /// The columns in use, the oldest first.
    order: Vec<usize>,
    most: usize,
}

fn recycling(problem: &Problem<'_>, mut progress: Progress<'_>) -> Result<Solved, Error> {
    let steps = problem.restart.unwrap_or(20).clamp(1, problem.size);
    let most_kept = problem.recycled.unwrap_or(steps);
    let columns = [problem.size, most_kept.max(1)];
    let made = || Basis::new(&problem.mesh, columns, problem.dtype, problem.site);
    let mut kept = Recycled { c: made()?, u: made()?, order: Vec::new(), most: most_kept };
    let (mut r, mut size) = (problem.residual.clone(), problem.size_of_residual);
    let most = progress.most;
    for count in 1..=most {
        // The space of a cycle is as large as if all kept directions were there.
        let steps = steps + (most_kept - kept.order.len());
        let steps = steps.min(problem.size);
        let direction = |_: usize, v: &Array| Ok(Direction::of(problem.preconditioned(v)?));
        let cycle = Cycle { problem, steps, projected: Some(&kept.c), keeps_directions: true };
        let found = cycle.run(&mut progress, &r, size, &direction)?;
        let (change, product) = change_of(&found)?;
        // The change without the parts whose products were projected away.
        let mut along = vec![Complex64::default(); columns[1]];
        for (removed, by) in found.removed.iter().zip(&found.factors) {
            for (sum, value) in along.iter_mut().zip(removed) {
                *sum += value * by;
            }
        }
        let change = change - kept.u.combined(&along)?;
        let inverse = reciprocal(&norm(&product));
        let (c, u) = (product * &inverse, change * &inverse);
        let gamma = inner(&c, &r);
        let x = &progress.x + &gamma * &u;
        r = problem.residual_of(&x)?;
        let before = std::mem::replace(&mut size, read_real(&[&norm(&r)])?[0]);
        if let Some(info) = found.end(&mut progress, x, [before, size], count) {
            return progress.ended(info);
        }
        if problem.keeps_smallest && kept.order.len() == most_kept && most_kept > 0 {
            kept.truncate_smallest(&found)?;
        }
        kept.add(&c, &u)?;
    }
    progress.ended(most as i64)
}

impl Recycled {
    /// Adds a direction in the place of the oldest one.
    fn add(&mut self, c: &Array, u: &Array) -> Result<(), Error> {
        if self.most == 0 {
            return Ok(());
        }
        let column = if self.order.len() == self.most {
            self.order.remove(0)
        } else {
            (0..self.most).find(|at| !self.order.contains(at)).unwrap_or(0)
        };
        self.order.push(column);
        self.c.set(column, c)?;
        self.u.set(column, u)
    }

    /// Turns the kept directions so that the first one is the one that matters least: that of the
    /// smallest singular value of `B R⁻¹`. Source: de Sturler (see [`gcrotmk`]), section 2.3.
    fn truncate_smallest(&mut self, found: &Found) -> Result<(), Error> {
        let (count, steps) = (self.most, found.hessenberg.columns.len());
        let triangle = found.hessenberg.triangle();
        // The rows of `B R⁻¹`, by substitution.
        let mut d = Dense::new(count, steps, |row, column| found.removed[column][row]);
        for column in 0..steps {
            for row in 0..count {
                let mut value = d.at(row, column);
                for (before, by) in triangle[column][..column].iter().enumerate() {
                    value -= d.at(row, before) * by;
                }
                let pivot = triangle[column][column];
                let quotient = value / pivot;
                d.set(row, column, if pivot.norm() == 0.0 { value } else { quotient });
            }
        }
        let (_, vectors) = d.times(&d.adjoint()).eigen_hermitian();
        let (c, u) = (self.c.transformed(&vectors)?, self.u.transformed(&vectors)?);
        self.c.vectors.assign(&c);
        self.u.vectors.assign(&u);
        self.order = (0..count).collect();
        Ok(())
    }
}
