//! A system of linear equations as the solvers receive it, and the progress of its solution.

use super::numbers::{computed, norm, read_real};
use super::operator::{LinearOperator, Prepared};
use super::options::{OnIterate, OnResidual, Options, Solved};
use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::refused;
use phalanx_graph::{Error, MeshHandle, Site, outside, within};
use phalanx_ops::{DType, promote};

/// The equations `A x = b` with a square matrix, checked and in one dtype.
pub(super) struct Problem<'a> {
    pub(super) dtype: DType,
    pub(super) size: usize,
    pub(super) mesh: MeshHandle,
    pub(super) site: Site,
    pub(super) b: Array,
    matrix: Prepared<'a>,
    preconditioner: Option<Prepared<'a>>,
    pub(super) right_preconditioner: Option<Prepared<'a>>,
    /// The residual of the start, and its norm.
    pub(super) residual: Array,
    pub(super) size_of_residual: f64,
    pub(super) restart: Option<usize>,
    pub(super) recycled: Option<usize>,
    pub(super) keeps_smallest: bool,
    pub(super) shift: f64,
}

/// The iterates of a solver.
pub(super) struct Progress<'a> {
    pub(super) x: Array,
    pub(super) iterations: usize,
    pub(super) most: usize,
    /// The norm of the residual is read after every so many iterations.
    pub(super) check_every: usize,
    /// The norm of the residual at which the solver stops.
    pub(super) limit: f64,
    residuals: Vec<f64>,
    on_iterate: Option<OnIterate<'a>>,
    on_residual: Option<OnResidual<'a>>,
}

/// A solver of a problem whose start is not its solution.
pub(super) type Method = fn(&Problem<'_>, Progress<'_>) -> Result<Solved, Error>;

/// Checks the arguments of a solver and runs it, unless the start is the solution. Collective over
/// the mesh. `most` is the default of `maxiter` for a number of rows.
pub(super) fn solved(
    name: &'static str,
    (matrix, b): (&dyn LinearOperator, &Array),
    options: Options<'_>,
    most: fn(usize) -> usize,
    method: Method,
    site: Site,
) -> Result<Solved, Error> {
    within(site, || match start(name, matrix, b, options, most, site)? {
        Start::Problem(start) => method(&start.0, start.1),
        Start::Solved(solved) => Ok(solved),
    })
}

/// What a start comes to: a problem to solve, or its solution.
enum Start<'a> {
    Problem(Box<(Problem<'a>, Progress<'a>)>),
    Solved(Solved),
}

fn start<'a>(
    name: &'static str,
    matrix: &'a dyn LinearOperator,
    b: &Array,
    options: Options<'a>,
    most: fn(usize) -> usize,
    site: Site,
) -> Result<Start<'a>, Error> {
    let [rows, columns] = matrix.shape();
    let shape_error =
        |argument, shape: &[usize]| refused(name, argument, format!("{shape:?}"), site);
    if rows != columns {
        return Err(shape_error("the shape of the matrix", &[rows, columns]));
    }
    if options.check_every == 0 {
        return Err(refused(name, "check_every", "0", site));
    }
    let b = match *b.ok()?.shape() {
        [_, 1] => b.reshape([-1]),
        _ => b.clone(),
    };
    if b.shape() != [rows] {
        return Err(shape_error("the shape of b", b.shape()));
    }
    let mut dtype = promote(computed(matrix.dtype()), computed(b.dtype()));
    if let Some(x0) = &options.x0 {
        dtype = promote(dtype, computed(x0.ok()?.dtype()));
    }
    let inverses = [options.preconditioner, options.right_preconditioner];
    for inverse in inverses.iter().flatten() {
        dtype = promote(dtype, computed(inverse.dtype()));
        if inverse.shape() != [rows, rows] {
            return Err(shape_error("the shape of the preconditioner", &inverse.shape()));
        }
    }
    let prepared = |operator| Prepared::new(operator, dtype, name, site);
    let [preconditioner, right_preconditioner] =
        inverses.map(|inverse| inverse.map(prepared).transpose());
    let (matrix, mesh) = (prepared(matrix)?, b.mesh()?);
    let placed = |vector: Array| matrix.get().placed(&vector);
    let b = placed(b.converted(dtype, site))?;
    let (x, residual) = match &options.x0 {
        None => (placed(mesh.enter(|| zeros([rows], dtype)))?, b.clone()),
        Some(x0) => {
            let x0 = if x0.shape() == [rows, 1] { x0.reshape([-1]) } else { x0.clone() };
            if x0.shape() != [rows] {
                return Err(shape_error("the shape of x0", x0.shape()));
            }
            let x0 = placed(x0.converted(dtype, site))?;
            let product = matrix.apply(&x0)?;
            let shifted =
                if options.shift == 0.0 { product } else { product - &x0 * options.shift };
            (x0.copy(), &b - shifted)
        }
    };
    let sizes = read_real(&[&norm(&b), &norm(&residual)])?;
    let (size_of_b, size_of_residual) = (sizes[0], sizes[1]);
    let mut progress = Progress {
        x,
        iterations: 0,
        most: options.maxiter.unwrap_or_else(|| most(rows)),
        check_every: options.check_every,
        limit: (options.rtol * size_of_b).max(options.atol),
        residuals: vec![size_of_residual],
        on_iterate: options.on_iterate,
        on_residual: options.on_residual,
    };
    if size_of_b == 0.0 {
        // As in SciPy, whatever the start is.
        progress.x = mesh.enter(|| zeros([rows], dtype));
        progress.residuals = vec![0.0];
        return progress.ended(0).map(Start::Solved);
    }
    if size_of_residual <= progress.limit {
        return progress.ended(0).map(Start::Solved);
    }
    if progress.most == 0 {
        return progress.ended(0).map(Start::Solved);
    }
    let problem = Problem {
        dtype,
        size: rows,
        mesh,
        site,
        b,
        matrix,
        preconditioner: preconditioner?,
        right_preconditioner: right_preconditioner?,
        residual,
        size_of_residual,
        restart: options.restart,
        recycled: options.recycled,
        keeps_smallest: options.keeps_smallest,
        shift: options.shift,
    };
    Ok(Start::Problem(Box::new((problem, progress))))
}

impl Problem<'_> {
    /// `A x`.
    pub(super) fn product(&self, x: &Array) -> Result<Array, Error> {
        self.matrix.apply(x)
    }

    /// `Aᴴ x`.
    pub(super) fn adjoint(&self, x: &Array) -> Result<Array, Error> {
        self.matrix.apply_adjoint(x)
    }

    /// `b - A x`.
    pub(super) fn residual_of(&self, x: &Array) -> Result<Array, Error> {
        (&self.b - self.product(x)?).into_result()
    }

    pub(super) fn has_preconditioner(&self) -> bool {
        self.preconditioner.is_some()
    }

    /// `M r`.
    pub(super) fn preconditioned(&self, r: &Array) -> Result<Array, Error> {
        self.preconditioner.as_ref().map_or_else(|| Ok(r.clone()), |inverse| inverse.apply(r))
    }

    /// `Mᴴ r`.
    pub(super) fn adjoint_preconditioned(&self, r: &Array) -> Result<Array, Error> {
        let inverse = self.preconditioner.as_ref();
        inverse.map_or_else(|| Ok(r.clone()), |inverse| inverse.apply_adjoint(r))
    }
}

impl Progress<'_> {
    /// Whether the norm of the residual of the next iterate is read.
    pub(super) fn is_read(&self) -> bool {
        let next = self.iterations + 1;
        next.is_multiple_of(self.check_every) || next >= self.most
    }

    /// Takes over an iterate whose residual is not read.
    pub(super) fn passes(&mut self, x: Array) {
        self.x = x;
        self.iterations += 1;
    }

    /// Takes over an iterate. Returns the return code if the solver ends.
    pub(super) fn accept(&mut self, x: Array, residual: f64) -> Option<i64> {
        self.x = x;
        let is_stopped = self.counts(residual) | self.shows();
        let steps = self.iterations as i64;
        if residual <= self.limit {
            return Some(0);
        }
        let ends = is_stopped || !residual.is_finite() || self.iterations >= self.most;
        ends.then_some(steps)
    }

    /// Counts an iteration. Returns whether the caller's function stops the solver.
    pub(super) fn counts(&mut self, residual: f64) -> bool {
        self.iterations += 1;
        self.residuals.push(residual);
        let function = self.on_residual.as_mut();
        function.is_some_and(|function| outside(|| function(residual)).is_break())
    }

    /// Shows the iterate to the caller's function. Returns whether it stops the solver.
    pub(super) fn shows(&mut self) -> bool {
        let x = &self.x;
        let function = self.on_iterate.as_mut();
        function.is_some_and(|function| outside(|| function(x)).is_break())
    }

    /// The result.
    pub(super) fn ended(self, info: i64) -> Result<Solved, Error> {
        let Progress { x, iterations, residuals, .. } = self;
        Ok(Solved { x: x.into_result()?, info, iterations, residuals })
    }
}
