//! The options and the result of the solvers of linear equations.

use super::operator::LinearOperator;
use crate::array::Array;
use std::ops::ControlFlow;

/// A function that sees each iterate and may stop the solver.
pub(super) type OnIterate<'a> = Box<dyn FnMut(&Array) -> ControlFlow<()> + 'a>;
/// A function that sees the norm of each residual and may stop the solver.
pub(super) type OnResidual<'a> = Box<dyn FnMut(f64) -> ControlFlow<()> + 'a>;

/// The options of the solvers of linear equations. The default has SciPy's values.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{Options, bicgstab};
/// # fn example(matrix: &Csr, b: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// let found = bicgstab(matrix, b, Options::default().rtol(1e-10).maxiter(500))?;
/// assert_eq!(found.info, 0);
/// # Ok(found.x)
/// # }
/// ```
pub struct Options<'a> {
    pub(super) rtol: f64,
    pub(super) atol: f64,
    pub(super) maxiter: Option<usize>,
    pub(super) x0: Option<Array>,
    pub(super) preconditioner: Option<&'a dyn LinearOperator>,
    pub(super) right_preconditioner: Option<&'a dyn LinearOperator>,
    pub(super) restart: Option<usize>,
    pub(super) recycled: Option<usize>,
    pub(super) keeps_smallest: bool,
    pub(super) shift: f64,
    pub(super) is_pipelined: bool,
    pub(super) check_every: usize,
    pub(super) on_iterate: Option<OnIterate<'a>>,
    pub(super) on_residual: Option<OnResidual<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            rtol: 1e-5,
            atol: 0.0,
            maxiter: None,
            x0: None,
            preconditioner: None,
            right_preconditioner: None,
            restart: None,
            recycled: None,
            keeps_smallest: false,
            shift: 0.0,
            is_pipelined: false,
            check_every: 1,
            on_iterate: None,
            on_residual: None,
        }
    }
}

impl<'a> Options<'a> {
    /// The tolerance relative to `‖b‖`: the solver stops when `‖b - A x‖` is at most
    /// `max(rtol ‖b‖, atol)`. The default is 1e-5.
    #[must_use]
    pub fn rtol(self, rtol: f64) -> Self {
        Options { rtol, ..self }
    }

    /// The absolute tolerance. The default is 0.
    #[must_use]
    pub fn atol(self, atol: f64) -> Self {
        Options { atol, ..self }
    }

    /// The most iterations. Each solver states what it counts and its default.
    #[must_use]
    pub fn maxiter(self, maxiter: impl Into<Option<usize>>) -> Self {
        Options { maxiter: maxiter.into(), ..self }
    }

    /// The start, a vector; zeros without it.
    #[must_use]
    pub fn x0(self, x0: &Array) -> Self {
        Options { x0: Some(x0.clone()), ..self }
    }

    /// SciPy's `M`, an approximate inverse of the matrix; for `qmr`, `M1`.
    #[must_use]
    pub fn preconditioner(self, inverse: &'a dyn LinearOperator) -> Self {
        Options { preconditioner: Some(inverse), ..self }
    }

    /// SciPy's `M2` of `qmr`; other solvers do not use it.
    #[must_use]
    pub fn right_preconditioner(self, inverse: &'a dyn LinearOperator) -> Self {
        Options { right_preconditioner: Some(inverse), ..self }
    }

    /// The number of steps between restarts: `restart` of `gmres` (20), `inner_m` of `lgmres`
    /// (30), `m` of `gcrotmk` (20).
    #[must_use]
    pub fn restart(self, steps: impl Into<Option<usize>>) -> Self {
        Options { restart: steps.into(), ..self }
    }

    /// The number of vectors that are kept over a restart: `outer_k` of `lgmres` (3), `k` of
    /// `gcrotmk` (as many as steps).
    #[must_use]
    pub fn recycled(self, vectors: impl Into<Option<usize>>) -> Self {
        Options { recycled: vectors.into(), ..self }
    }

    /// Makes `gcrotmk` drop the vectors of the smallest singular values in place of the oldest
    /// ones: SciPy's `truncate="smallest"`.
    #[must_use]
    pub fn truncate_smallest(self, keeps_smallest: bool) -> Self {
        Options { keeps_smallest, ..self }
    }

    /// Makes `minres` solve `(A - shift I) x = b`. The default is 0.
    #[must_use]
    pub fn shift(self, shift: f64) -> Self {
        Options { shift, ..self }
    }

    /// Makes `cg` add up all inner products of an iteration at once, by pipelined conjugate
    /// gradients: devices combine numbers once in an iteration and not twice, but each iteration
    /// updates more vectors. The default is false; other solvers do not use it.
    #[must_use]
    pub fn pipelined(self, is_pipelined: bool) -> Self {
        Options { is_pipelined, ..self }
    }

    /// Makes `cg` read the norm of the residual only after every so many iterations, and after the
    /// last one that `maxiter` allows. Each read waits for the devices, so that GPUs are idle until
    /// they get the next iteration. The solver may do up to `iterations - 1` more iterations than
    /// are necessary, and the functions of [`Options::on_iterate`] and [`Options::on_residual`] are
    /// called after a read alone. The default is 1; 0 is refused, and other solvers do not use it.
    #[must_use]
    pub fn check_every(self, iterations: usize) -> Self {
        Options { check_every: iterations, ..self }
    }

    /// Calls a function with the solution after each iteration, and after each restart of the
    /// solvers with restarts. `ControlFlow::Break` stops the solver. The function runs on every
    /// process and must return the same on each.
    #[must_use]
    pub fn on_iterate(self, function: impl FnMut(&Array) -> ControlFlow<()> + 'a) -> Self {
        Options { on_iterate: Some(Box::new(function)), ..self }
    }

    /// Calls a function with the norm of the residual after each iteration, and after each inner
    /// iteration of the solvers with restarts. `ControlFlow::Break` stops the solver.
    #[must_use]
    pub fn on_residual(self, function: impl FnMut(f64) -> ControlFlow<()> + 'a) -> Self {
        Options { on_residual: Some(Box::new(function)), ..self }
    }
}

/// The result of a solver of linear equations.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The solution, or the last iterate.
    pub x: Array,
    /// SciPy's return code: 0 if the residual reached the tolerance; the number of iterations (of
    /// restarts for the solvers with restarts) if it did not; negative if the method broke down.
    pub info: i64,
    /// The number of iterations; for the solvers with restarts, of inner iterations.
    pub iterations: usize,
    /// The norms of the residuals as the method computes them: that of the start, and one for each
    /// iteration after which it is read.
    pub residuals: Vec<f64>,
}
