//! Compiled kernels: lowered once for each choice of lanes, launched any number of times.

use super::cost::{estimate, grid_points};
use super::drive;
use super::lower::lower;
use super::prepare::Prepared;
use super::program::{LaneChoice, Program};
use super::table::{self, Sharing};
use super::threads::Threads;
use crate::error::KernelError;
use crate::ir::{Kernel, Launch, Stmt, verify};
use rayon::ThreadPool;

/// Launches below this estimate, in nanoseconds of one thread, stay on the calling thread: waking
/// others costs as much.
const WORTHWHILE: f64 = 30_000.0;

/// A kernel that is ready to run.
///
/// Immutable, so that any number of threads may launch it at once.
#[derive(Debug)]
pub struct Compiled {
    kernel: Kernel,
    grid: Program,
    /// With the points of top-level loops as lanes, if there are such loops.
    loops: Option<Program>,
}

/// Choices of a launch that change its speed and never its result.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tuning {
    /// Which points are the lanes; estimated if `None`. Kernels without a loop always use the
    /// grid's, and a kernel whose order of accumulation asks for one of the two always uses that.
    pub lanes: Option<LaneChoice>,
    /// The widest block in lanes.
    pub width: Option<usize>,
    /// The estimate, in nanoseconds of one thread, from which on the threads of the pool are used.
    pub worthwhile: Option<f64>,
    /// The bytes from which on a result is written past the caches, where the processor can.
    pub stream_from: Option<usize>,
}

/// Verifies and lowers a kernel. Callers keep the result by the kernel's structure.
///
/// Errors: `KernelError::Verify` (PX041), `KernelError::UnsupportedOperation` (PX042),
/// `KernelError::UnsupportedCombination` (PX043).
pub fn compile(kernel: &Kernel) -> Result<Compiled, KernelError> {
    verify(kernel)?;
    let has_loop = kernel.body.iter().any(|statement| matches!(statement, Stmt::Loop { .. }));
    let loops = match has_loop {
        true => Some(lower(kernel, LaneChoice::Loops)?),
        false => None,
    };
    Ok(Compiled { kernel: kernel.clone(), grid: lower(kernel, LaneChoice::Grid)?, loops })
}

impl Compiled {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs the kernel over the launch's grid, on the threads of `pool` where that pays; returns
    /// when it is done.
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
    /// 4. Nobody else writes what the launch touches, nor reads what it writes, during the call.
    pub unsafe fn run(&self, launch: &Launch, pool: Option<&ThreadPool>) {
        // SAFETY: the caller's promise.
        unsafe { self.run_tuned(launch, pool, &Tuning::default()) }
    }

    /// As `run`, with some of the choices made by the caller.
    ///
    /// # Safety
    /// As for `run`.
    pub unsafe fn run_tuned(&self, launch: &Launch, pool: Option<&ThreadPool>, tuning: &Tuning) {
        let prepare = |program| Prepared::new(&self.kernel, program, launch, tuning);
        let threads = Threads {
            pool: pool.filter(|pool| pool.current_num_threads() > 1),
            worthwhile: tuning.worthwhile.unwrap_or(WORTHWHILE),
        };
        let grid = prepare(&self.grid);
        let points = grid_points(&grid);
        if points == 0 {
            return;
        }
        let Some(program) = &self.loops else {
            return start(grid, threads);
        };
        let prefers_loops = match tuning.lanes {
            _ if points == 1 && has_ordered_whole_table(&grid) => true,
            Some(choice) => choice == LaneChoice::Loops,
            None if points == 1 => true,
            None => {
                let loops = prepare(program);
                if estimate(&loops) < estimate(&grid) {
                    return start(loops, threads);
                }
                false
            }
        };
        start(if prefers_loops { prepare(program) } else { grid }, threads);
    }
}

/// Whether all points combine into one table in an order that shows.
fn has_ordered_whole_table(prepared: &Prepared<'_>) -> bool {
    let tables = &prepared.program.tables;
    tables.iter().any(|table| table.ordered && table::sharing(prepared, table) == Sharing::Whole)
}

fn start(mut prepared: Prepared<'_>, threads: Threads<'_>) {
    if table::needs_single_lanes(&prepared) {
        prepared.width = 1;
    }
    drive::run(prepared, threads);
}
