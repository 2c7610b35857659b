//! A kernel lowered for each choice of SIMD lanes, and the plans of its launches.

use crate::cpu::layout::{Layout, Prepared, Tuning, estimate};
use crate::cpu::lower::lower;
use crate::cpu::program::{LaneChoice, Program};
use crate::cpu::schedule::{self, Division, Threads, has_ordered_whole_table, needs_single_lanes};
use crate::cpu::worker::State;
use crate::error::KernelError;
use crate::ir::{Kernel, Launch, Stmt};
use rayon::ThreadPool;
use std::sync::atomic::{AtomicU64, Ordering};

/// A kernel without tables of half precision, lowered.
#[derive(Debug)]
pub(in crate::cpu) struct Lowered {
    identity: u64,
    kernel: Kernel,
    grid: Program,
    /// With the points of top-level loops as SIMD lanes, if there are such loops.
    loops: Option<Program>,
}

impl Lowered {
    /// Lowers a verified kernel.
    pub fn new(kernel: &Kernel) -> Result<Lowered, KernelError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let has_loop = kernel.body.iter().any(|statement| matches!(statement, Stmt::Loop { .. }));
        let loops = if has_loop { Some(lower(kernel, LaneChoice::Loops)?) } else { None };
        let grid = lower(kernel, LaneChoice::Grid)?;
        let identity = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Lowered { identity, kernel: kernel.clone(), grid, loops })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Plans and runs a launch, with some of the choices made by the caller, who upholds the
    /// conditions of `Compiled::run`.
    pub fn run_tuned(&self, launch: &Launch, pool: Option<&ThreadPool>, tuning: &Tuning) {
        let threads = Threads::new(pool, tuning);
        if let Some(plan) = self.plan(launch, &threads, tuning) {
            plan.run(self, launch, threads, &mut None);
        }
    }

    /// A number that no other lowered kernel of the process has.
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
        let Lowered { grid: grid_program, loops, .. } = self;
        let lay_out = |program| Layout::new(&self.kernel, program, launch, tuning);
        let grid = lay_out(grid_program);
        let points: usize = launch.extents[..self.kernel.grid].iter().product();
        if points == 0 {
            return None;
        }
        let finish = |program, mut layout: Layout| {
            let prepared = Prepared::new(&self.kernel, program, launch, &layout);
            if needs_single_lanes(&prepared) {
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
        if prefers_loops { finish(program, lay_out(program)) } else { finish(grid_program, grid) }
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
        lowered: &Lowered,
        launch: &Launch,
        threads: Threads<'_>,
        state: &mut Option<Box<State>>,
    ) {
        assert_eq!(
            launch.scalars.len(),
            lowered.kernel.scalars.len(),
            "bug: a launch does not match its kernel"
        );
        let program = match (self.lanes, &lowered.loops) {
            (LaneChoice::Loops, Some(loops)) => loops,
            _ => &lowered.grid,
        };
        let prepared = Prepared::new(&lowered.kernel, program, launch, &self.layout);
        schedule::run(&prepared, threads, self.division, state);
    }
}
