//! Dividing a launch among threads.
//!
//! Grid lanes (SIMD lanes that are grid points) are divided into runs of lane blocks; if there are
//! few, the loops are divided (`split`). With loop lanes (SIMD lanes that are points of a loop),
//! the grid points are divided if there are many. Otherwise each phase divides its SIMD lanes, one
//! grid point after the other, and combines the folds of whole leaves in order.

use super::split::{run_split, splits};
use super::tables::{self, Sharing};
use super::threads::{TASKS_PER_THREAD, Threads};
use crate::cpu::folds::{Counter, Item, LEAF};
use crate::cpu::layout::{Layout, Prepared, estimate, estimate_phase, grid_points};
use crate::cpu::program::{LaneChoice, Program};
use crate::cpu::worker::{LaneState, ReadOnly, State, Worker};
use crate::ir::{Kernel, Launch};
use smallvec::SmallVec;
use std::sync::Mutex;

/// How accumulation into tables restricts the division of work.
enum TablePlan {
    /// No restriction.
    Free,
    /// Everything on one thread.
    Serial,
    /// A copy of these tables for each worker.
    PerWorker(Vec<usize>),
    /// The number of chunks is fixed; each has copies of these tables, merged in chunk order.
    PerChunk(Vec<usize>, usize),
}

fn table_plan(prepared: &Prepared<'_>, tables: Vec<usize>, points: usize) -> TablePlan {
    let all = &prepared.program.tables;
    let sharing = |&table: &usize| tables::sharing(prepared, &all[table]);
    if tables.iter().any(|table| sharing(table) == Sharing::Partial) {
        return TablePlan::Serial;
    }
    let whole: Vec<usize> =
        tables.into_iter().filter(|table| sharing(table) == Sharing::Whole).collect();
    if whole.is_empty() {
        return TablePlan::Free;
    }
    if whole.iter().any(|&table| all[table].ordered) {
        let copies = tables::copies(prepared, &whole, points);
        TablePlan::PerChunk(whole, copies)
    } else {
        TablePlan::PerWorker(whole)
    }
}

/// A division of `units` into chunks.
struct Chunks<'a> {
    prepared: &'a Prepared<'a>,
    threads: Threads<'a>,
    units: usize,
    /// Units of a chunk, unless `plan` requires one chunk.
    chunk: usize,
    plan: TablePlan,
    /// How many threads are worth waking.
    workers: usize,
}

impl<'a> Chunks<'a> {
    /// Runs `task(worker, chunk, start, end)` for all chunks.
    fn run(
        &self,
        begin: impl Fn(&mut Worker<'a>) + Sync,
        task: impl Fn(&mut Worker<'a>, usize, usize, usize) + Sync,
    ) {
        let prepared = self.prepared;
        let (chunk, workers) = match &self.plan {
            TablePlan::Free | TablePlan::PerWorker(_) if self.workers > 1 => {
                (self.chunk, self.workers)
            }
            TablePlan::Free | TablePlan::PerWorker(_) | TablePlan::Serial => (self.units.max(1), 1),
            TablePlan::PerChunk(_, _) => (self.chunk, self.workers),
        };
        let chunks = self.units.div_ceil(chunk).max(1);
        let copied: &[usize] = match &self.plan {
            TablePlan::PerWorker(tables) if workers > 1 => tables,
            TablePlan::PerChunk(tables, _) if chunks > 1 => tables,
            _ => &[],
        };
        let per_chunk = matches!(self.plan, TablePlan::PerChunk(..));
        let merged: Mutex<Vec<(usize, Vec<tables::Copy>)>> = Mutex::new(Vec::new());
        let keep = |order: usize, copies: Vec<tables::Copy>| {
            merged.lock().expect("bug: a worker panicked").push((order, copies));
        };
        let fresh = |worker: &mut Worker<'a>| -> Vec<tables::Copy> {
            let make = |&table: &usize| {
                let mut copy = tables::Copy::new(prepared, &prepared.program.tables[table]);
                worker.state.tables[table] = copy.pointer();
                copy
            };
            copied.iter().map(make).collect()
        };
        self.threads.run(
            workers,
            chunks,
            || {
                let mut worker = Worker::new(prepared);
                begin(&mut worker);
                let copies = if per_chunk { Vec::new() } else { fresh(&mut worker) };
                (worker, copies)
            },
            |(worker, _), number| {
                let copies = if per_chunk { fresh(worker) } else { Vec::new() };
                let start = number * chunk;
                task(worker, number, start, (start + chunk).min(self.units));
                if per_chunk {
                    keep(number, copies);
                }
            },
            |(_, copies)| {
                if !per_chunk {
                    keep(0, copies);
                }
            },
        );
        let mut merged = merged.into_inner().expect("bug: a worker panicked");
        merged.sort_by_key(|(order, _)| *order);
        for (copy, &table) in merged.iter().flat_map(|(_, copies)| copies.iter().zip(copied)) {
            // SAFETY: the workers are done, and the caller of `Compiled::run` vouches for the
            // table.
            unsafe { copy.merge(prepared, &prepared.program.tables[table]) };
        }
    }
}

/// How launches of one layout are divided.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Division {
    /// How many threads are worth waking.
    workers: usize,
    /// Whether loops are divided among them rather than SIMD lanes.
    splits: bool,
}

impl Division {
    /// The best division for a launch; may narrow the lane blocks of its layout.
    pub fn new(
        kernel: &Kernel,
        program: &Program,
        launch: &Launch,
        layout: &mut Layout,
        threads: &Threads<'_>,
    ) -> Division {
        let prepared = Prepared::new(kernel, program, launch, layout);
        let workers = threads.for_work(|| estimate(&prepared));
        let splits = workers > 1 && splits(&prepared, workers);
        if workers > 1 && !splits {
            layout.narrow(program, workers);
        }
        Division { workers, splits }
    }
}

/// Runs a launch with at least one grid point. The state belongs to this layout and is kept for the
/// next launch.
pub(in crate::cpu) fn run(
    prepared: &Prepared<'_>,
    threads: Threads<'_>,
    division: Division,
    state: &mut Option<Box<State>>,
) {
    if division.splits {
        return run_split(prepared, threads, division.workers);
    }
    let is_alone = division.workers == 1 && prepared.program.tables.is_empty();
    match prepared.program.lanes {
        LaneChoice::Grid if is_alone => {
            let mut worker = worker(prepared, state);
            worker.begin_phase(0);
            worker.lanes(0, prepared.lanes[0].units(), &mut []);
            *state = Some(worker.finish());
        }
        LaneChoice::Grid => run_grid(prepared, threads, division.workers),
        LaneChoice::Loops => run_loops(prepared, threads, division.workers, is_alone, state),
    }
}

fn worker<'a>(prepared: &'a Prepared<'a>, state: &mut Option<Box<State>>) -> Worker<'a> {
    let state = state.take().unwrap_or_else(|| State::new(prepared));
    Worker::with(prepared, state)
}

fn run_grid(prepared: &Prepared<'_>, threads: Threads<'_>, workers: usize) {
    let lanes = &prepared.lanes[0];
    let units = lanes.units();
    let tables = (0..prepared.program.tables.len()).collect();
    let plan = table_plan(prepared, tables, lanes.total);
    let target = units.div_ceil(workers * TASKS_PER_THREAD);
    let chunk = match (&plan, lanes.tile) {
        (TablePlan::PerChunk(_, copies), _) => units.div_ceil(*copies),
        (_, Some(_)) => target,
        (_, None) if 2 * lanes.columns() > prepared.width && lanes.columns() <= target => {
            target.next_multiple_of(lanes.columns())
        }
        (_, None) => target.next_multiple_of(prepared.width.min(units.max(1))),
    };
    let chunks = Chunks { prepared, threads, units, chunk, plan, workers };
    chunks.run(
        |worker| worker.begin_phase(0),
        |worker, _, start, end| worker.lanes(start, end, &mut []),
    );
}

fn run_loops(
    prepared: &Prepared<'_>,
    threads: Threads<'_>,
    workers: usize,
    is_alone: bool,
    state: &mut Option<Box<State>>,
) {
    let points = grid_points(prepared);
    let tables: Vec<usize> = (0..prepared.program.tables.len()).collect();
    let plan = table_plan(prepared, tables, points);
    let ties = !matches!(plan, TablePlan::Free);
    if !is_alone && points > 1 && (ties || workers == 1 || points >= 2 * workers) {
        let chunk = match &plan {
            TablePlan::PerChunk(_, copies) => points.div_ceil(*copies),
            _ => points.div_ceil(workers * TASKS_PER_THREAD),
        };
        let chunks = Chunks { prepared, threads, units: points, chunk, plan, workers };
        return chunks.run(
            |_| {},
            |worker, _, start, end| {
                let mut states = lane_states(prepared);
                for point in start..end {
                    worker.seek_grid(point);
                    for (phase, states) in states.iter_mut().enumerate() {
                        phase_on(worker, phase, states);
                    }
                }
            },
        );
    }
    let mut worker = worker(prepared, state);
    let mut states = std::mem::take(&mut worker.state.folds);
    if states.is_empty() {
        states = lane_states(prepared);
    }
    for point in 0..points {
        worker.seek_grid(point);
        for (phase, states) in states.iter_mut().enumerate() {
            let held = prepared.program.tables.iter().any(|table| table.phase == phase);
            let workers = threads.for_work(|| estimate_phase(prepared, phase));
            let uniform = prepared.program.phases[phase].lanes.is_none();
            if uniform || (!held && workers == 1) {
                phase_on(&mut worker, phase, states)
            } else {
                phase_divided(&mut worker, phase, threads, workers)
            }
        }
    }
    worker.state.folds = states;
    *state = Some(worker.finish());
}

fn lane_states(prepared: &Prepared<'_>) -> Vec<Vec<LaneState>> {
    (0..prepared.program.phases.len()).map(|phase| phase_states(prepared, phase)).collect()
}

fn phase_states(prepared: &Prepared<'_>, phase: usize) -> Vec<LaneState> {
    let lanes = prepared.block_lanes(phase);
    let folds = prepared.program.phases[phase].folds.iter();
    folds.map(|fold| LaneState::new(fold, lanes)).collect()
}

/// Runs a phase at the worker's grid point.
fn phase_on(worker: &mut Worker<'_>, phase: usize, states: &mut [LaneState]) {
    worker.begin_phase(phase);
    worker.lanes(0, worker.prepared.lanes[phase].units(), states);
    let results: SmallVec<[Option<Item>; 4]> = states.iter_mut().map(LaneState::finish).collect();
    finish_phase(worker, phase, &results);
}

/// Passes the folds' results to the phases that follow.
fn finish_phase(worker: &mut Worker<'_>, phase: usize, results: &[Option<Item>]) {
    worker.enter(phase);
    let folds = &worker.prepared.program.phases[phase].folds;
    for (fold, result) in folds.iter().zip(results) {
        let item = result.unwrap_or(Item { value: fold.identity, index: i64::MAX });
        worker.set_uniform(fold.output, &item.value);
        if let Some(index) = fold.index_output {
            worker.set_uniform(index, &item.index.to_ne_bytes());
        }
    }
    worker.end_phase();
}

/// Runs a phase at the worker's grid point on several threads.
fn phase_divided<'a>(worker: &mut Worker<'a>, phase: usize, threads: Threads<'_>, workers: usize) {
    let prepared: &'a Prepared<'a> = worker.prepared;
    let program = prepared.program;
    let lanes = &prepared.lanes[phase];
    let units = lanes.units();
    let tables = 0..program.tables.len();
    let tables = tables.filter(|&table| program.tables[table].phase == phase).collect();
    let plan = table_plan(prepared, tables, lanes.total);
    let parts = match &plan {
        TablePlan::PerChunk(_, copies) => *copies,
        _ => workers * TASKS_PER_THREAD,
    };
    let target = units.div_ceil(parts).max(1);
    // Chunks of folds are whole subtrees of the canonical order.
    let chunk = match lanes.tile {
        Some(_) => target,
        None => target.div_ceil(LEAF).next_power_of_two() * LEAF,
    };
    let folds = &program.phases[phase].folds;
    let results: Mutex<Vec<(usize, Vec<Option<Item>>)>> = Mutex::new(Vec::new());
    let main = ReadOnly(worker);
    let chunks = Chunks { prepared, threads, units, chunk, plan, workers };
    chunks.run(
        |worker| {
            worker.adopt(main.get());
            worker.begin_phase(phase);
        },
        |worker, number, start, end| {
            let mut states = phase_states(prepared, phase);
            worker.lanes(start, end, &mut states);
            let items = states.iter_mut().map(LaneState::finish).collect();
            results.lock().expect("bug: a worker panicked").push((number, items));
        },
    );
    let mut results = results.into_inner().expect("bug: a worker panicked");
    results.sort_by_key(|(number, _)| *number);
    let combined: Vec<Option<Item>> = folds
        .iter()
        .enumerate()
        .map(|(at, fold)| {
            let mut counter = Counter::default();
            for (_, items) in &results {
                if let Some(item) = items[at] {
                    counter.push(item, fold.code);
                }
            }
            counter.finish(fold.code)
        })
        .collect();
    finish_phase(worker, phase, &combined);
}
