//! Compiled kernels: lowered once for each choice of lanes, launched any number of times.

use super::cost::estimate;
use super::drive::{self, Division};
use super::half_tables::Wide;
use super::lower::lower;
use super::prepare::{Layout, Prepared};
use super::program::{LaneChoice, Program};
use super::recent;
use super::table::{self, Sharing};
use super::threads::Threads;
use super::worker::State;
use crate::error::KernelError;
use crate::ir::{Kernel, Launch, Stmt, verify};
use rayon::ThreadPool;
use std::sync::atomic::{AtomicU64, Ordering};

/// A kernel that is ready to run.
///
/// Immutable, so that any number of threads may launch it at once.
#[derive(Debug)]
pub struct Compiled {
    /// Different for any two compiled kernels of the process.
    identity: u64,
    kernel: Kernel,
    form: Form,
}

/// The compiled form of a kernel.
#[derive(Debug)]
enum Form {
    /// The kernel itself.
    Direct(Box<Programs>),
    /// A kernel without tables of half precision.
    Wide(Box<Wide>),
}

#[derive(Debug)]
struct Programs {
    grid: Program,
    /// With the points of top-level loops as lanes, if there are such loops.
    loops: Option<Program>,
}

/// Choices of a launch that change its speed and never its result.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tuning {
    /// Which points are the lanes; estimated if `None`. Kernels without a loop always use the
    /// grid's. Where the order of accumulation requires one choice, that choice is used.
    pub lanes: Option<LaneChoice>,
    /// The widest block in lanes.
    pub width: Option<usize>,
    /// The least estimate, in nanoseconds of one thread, for which the pool's threads are used.
    pub worthwhile: Option<f64>,
    /// The smallest result in bytes that is written past the caches, where the processor can.
    pub stream_from: Option<usize>,
}

/// Verifies and lowers a kernel. Callers keep the result by the kernel's structure.
///
/// Errors: `KernelError::Verify` (PX041), `KernelError::UnsupportedOperation` (PX042),
/// `KernelError::UnsupportedCombination` (PX043).
pub fn compile(kernel: &Kernel) -> Result<Compiled, KernelError> {
    tracing::trace!(target: "phalanx::path", file = file!());
    verify(kernel)?;
    match Wide::new(kernel)? {
        Some(wide) => Ok(Compiled::new(kernel, Form::Wide(wide))),
        None => compile_verified(kernel),
    }
}

/// Like `compile`, for a verified kernel without tables of half precision.
pub(super) fn compile_verified(kernel: &Kernel) -> Result<Compiled, KernelError> {
    let has_loop = kernel.body.iter().any(|statement| matches!(statement, Stmt::Loop { .. }));
    let loops = match has_loop {
        true => Some(lower(kernel, LaneChoice::Loops)?),
        false => None,
    };
    let grid = lower(kernel, LaneChoice::Grid)?;
    Ok(Compiled::new(kernel, Form::Direct(Box::new(Programs { grid, loops }))))
}

impl Compiled {
    fn new(kernel: &Kernel, form: Form) -> Compiled {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let identity = NEXT.fetch_add(1, Ordering::Relaxed);
        Compiled { identity, kernel: kernel.clone(), form }
    }

    /// The wide form of a kernel with tables of half precision.
    pub(super) fn wide(&self) -> Option<&Wide> {
        match &self.form {
            Form::Wide(wide) => Some(wide),
            Form::Direct(_) => None,
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs the kernel over the launch's grid, on the threads of `pool` where that is faster;
    /// returns when it is done.
    ///
    /// # Safety
    ///
    /// 1. The launch has the numbers of extents, accesses, strides, scalars and guards that the
    ///    kernel declares, and scalars of its dtypes (a mismatch of numbers panics).
    /// 2. Every element that some point loads (inside its guard), stores, or may accumulate into is
    ///    valid for the time of the call and aligned to its size or 8 bytes, whichever is less;
    ///    loaded elements are initialised.
    /// 3. Different points store different elements. An element that is stored is loaded only by
    ///    the point that stores it, before the store; this also holds between parameters that share
    ///    memory.
    /// 4. During the call no other code writes memory that the launch touches, or reads memory that
    ///    it writes.
    pub unsafe fn run(&self, launch: &Launch, pool: Option<&ThreadPool>) {
        recent::run(self, launch, pool);
    }

    /// Like `run`, with some of the choices made by the caller.
    ///
    /// # Safety
    /// As for `run`.
    pub unsafe fn run_tuned(&self, launch: &Launch, pool: Option<&ThreadPool>, tuning: &Tuning) {
        if let Some(wide) = self.wide() {
            // SAFETY: the caller's promise, which the wide launch inherits.
            return unsafe {
                wide.run(launch, |launch| wide.compiled.run_tuned(launch, pool, tuning))
            };
        }
        let threads = Threads::new(pool, tuning);
        if let Some(plan) = self.plan(launch, &threads, tuning) {
            plan.run(self, launch, threads, &mut None);
        }
    }

    pub(super) fn identity(&self) -> u64 {
        self.identity
    }

    /// The plan for launches of the same shape as this one; `None` if they have no points.
    pub(super) fn plan(
        &self,
        launch: &Launch,
        threads: &Threads<'_>,
        tuning: &Tuning,
    ) -> Option<LaunchPlan> {
        let Form::Direct(programs) = &self.form else {
            panic!("bug: a launch was planned for tables of half precision")
        };
        let Programs { grid: grid_program, loops } = programs.as_ref();
        let lay_out = |program| Layout::new(&self.kernel, program, launch, tuning);
        let grid = lay_out(grid_program);
        let points: usize = launch.extents[..self.kernel.grid].iter().product();
        if points == 0 {
            return None;
        }
        let finish = |program, mut layout: Layout| {
            let prepared = Prepared::new(&self.kernel, program, launch, &layout);
            if table::needs_single_lanes(&prepared) {
                layout.width = 1;
            }
            let division = Division::new(&self.kernel, program, launch, &mut layout, threads);
            Some(LaunchPlan { lanes: program.lanes, layout, division })
        };
        let Some(program) = loops else {
            return finish(grid_program, grid);
        };
        let prepared = Prepared::new(&self.kernel, grid_program, launch, &grid);
        let prefers_loops = match tuning.lanes {
            _ if points == 1 && has_ordered_whole_table(&prepared) => true,
            Some(choice) => choice == LaneChoice::Loops,
            None if points == 1 => true,
            None => {
                let loops = lay_out(program);
                let with_loops = Prepared::new(&self.kernel, program, launch, &loops);
                if estimate(&with_loops) < estimate(&prepared) {
                    return finish(program, loops);
                }
                false
            }
        };
        match prefers_loops {
            true => finish(program, lay_out(program)),
            false => finish(grid_program, grid),
        }
    }
}

/// The plan for launches of one shape.
#[derive(Debug)]
pub(super) struct LaunchPlan {
    lanes: LaneChoice,
    layout: Layout,
    division: Division,
}

impl LaunchPlan {
    /// Runs a launch of the plan's shape. The state belongs to the plan.
    ///
    /// The caller upholds the conditions of `Compiled::run` for this launch.
    pub fn run(
        &self,
        compiled: &Compiled,
        launch: &Launch,
        threads: Threads<'_>,
        state: &mut Option<Box<State>>,
    ) {
        assert_eq!(
            launch.scalars.len(),
            compiled.kernel.scalars.len(),
            "bug: a launch does not match its kernel"
        );
        let Form::Direct(programs) = &compiled.form else {
            panic!("bug: a plan runs another kernel")
        };
        let program = match (self.lanes, &programs.loops) {
            (LaneChoice::Loops, Some(loops)) => loops,
            _ => &programs.grid,
        };
        let prepared = Prepared::new(&compiled.kernel, program, launch, &self.layout);
        drive::run(&prepared, threads, self.division, state);
    }
}

/// Whether all points combine into one table whose result depends on the order.
fn has_ordered_whole_table(prepared: &Prepared<'_>) -> bool {
    let tables = &prepared.program.tables;
    tables.iter().any(|table| table.ordered && table::sharing(prepared, table) == Sharing::Whole)
}
