//! Few SIMD lanes and long loops: all grid lanes are one lane block, and threads divide the points
//! of each top-level loop.
//!
//! Each chunk of a loop is a whole subtree of the canonical order of folds, and chunks are combined
//! in that order, so the result has the bits of a run on one thread.

use super::threads::{TASKS_PER_THREAD, Threads};
use crate::cpu::folds::{Combine, LEAF};
use crate::cpu::layout::{Prepared, loop_estimate};
use crate::cpu::program::{BlockFold, LaneChoice, LoopStep, Step};
use crate::cpu::worker::{ReadOnly, Worker};
use std::sync::Mutex;

/// With at least this many SIMD lanes for each thread, dividing them is as fast.
const LANES_PER_THREAD: usize = 512;

/// Whether loops rather than SIMD lanes should be divided among the threads.
pub(super) fn splits(prepared: &Prepared<'_>, workers: usize) -> bool {
    let lanes = prepared.lanes[0].total;
    prepared.program.lanes == LaneChoice::Grid
        && prepared.program.tables.is_empty()
        && prepared.lanes[0].tile.is_none()
        && lanes <= prepared.width
        && lanes < workers * LANES_PER_THREAD
        && prepared.program.phases[0].steps.iter().any(|step| match step {
            Step::Loop(inner) if prepared.folds_lines(inner) => false,
            Step::Loop(inner) => {
                chunk(prepared, inner, workers) < prepared.loops[inner.number].total
            }
            _ => false,
        })
}

/// The points of a chunk of a loop.
fn chunk(prepared: &Prepared<'_>, step: &LoopStep, workers: usize) -> usize {
    let target = prepared.loops[step.number].total.div_ceil(workers * TASKS_PER_THREAD).max(1);
    if step.ordered { target.div_ceil(LEAF).next_power_of_two() * LEAF } else { target }
}

/// Runs a launch with grid lanes that fit one lane block.
pub(super) fn run_split(prepared: &Prepared<'_>, threads: Threads<'_>, workers: usize) {
    let mut worker = Worker::new(prepared);
    worker.begin_phase(0);
    worker.whole_block();
    for step in &prepared.program.phases[0].steps {
        match step {
            Step::Loop(inner)
                if prepared.loops[inner.number].total > 0
                    && threads.for_work(|| loop_estimate(prepared, 0, step)) > 1 =>
            {
                divide(&mut worker, inner, threads, workers);
            }
            _ => worker.step(step),
        }
    }
}

/// The combined lane block of one fold over one chunk.
struct Part {
    elements: Vec<[u64; 2]>,
    indices: Vec<i64>,
}

impl Part {
    fn of(worker: &Worker<'_>, fold: &BlockFold) -> Part {
        let count = worker.count(fold.width);
        let accumulators = &worker.state.accumulators[fold.number];
        let bytes = count * fold.size;
        let mut part = Part {
            elements: vec![[0; 2]; bytes.div_ceil(16)],
            indices: vec![0; if fold.index.is_some() { count } else { 0 }],
        };
        // SAFETY: an accumulator holds `count` elements, and as many indices if the fold carries
        // them.
        unsafe {
            let target = part.elements.as_mut_ptr().cast();
            std::ptr::copy_nonoverlapping(accumulators.entries[0].cast_const(), target, bytes);
            let target = part.indices.as_mut_ptr();
            let indices = accumulators.indices.cast_const().cast();
            std::ptr::copy_nonoverlapping(indices, target, part.indices.len());
        }
        part
    }

    fn combine(&mut self, code: Combine, right: &Part, count: usize) {
        let (left, index) = (self.elements.as_mut_ptr(), self.indices.as_mut_ptr());
        let (other, other_index) = (right.elements.as_ptr(), right.indices.as_ptr());
        // SAFETY: both parts hold `count` elements, and as many indices if the code takes them.
        unsafe { code.run(left.cast(), index.cast(), other.cast(), other_index.cast(), count) };
    }
}

fn divide<'a>(worker: &mut Worker<'a>, step: &'a LoopStep, threads: Threads<'_>, workers: usize) {
    let prepared = worker.prepared;
    let total = prepared.loops[step.number].total;
    let chunk = chunk(prepared, step, workers);
    let parts: Mutex<Vec<(usize, Vec<Part>)>> = Mutex::new(Vec::new());
    let main = ReadOnly(worker);
    threads.run(
        workers,
        total.div_ceil(chunk),
        || {
            let mut worker = Worker::new(prepared);
            worker.share(main.get());
            worker
        },
        |worker, number| {
            let start = number * chunk;
            worker.run_points(step, start, (start + chunk).min(total));
            let combined = step.folds.iter().map(|fold| Part::of(worker, fold)).collect();
            parts.lock().expect("bug: a worker panicked").push((number, combined));
        },
        drop,
    );
    let mut parts = parts.into_inner().expect("bug: a worker panicked");
    parts.sort_by_key(|(number, _)| *number);
    let mut columns: Vec<Vec<Part>> = step.folds.iter().map(|_| Vec::new()).collect();
    for (_, combined) in parts {
        for (column, part) in columns.iter_mut().zip(combined) {
            column.push(part);
        }
    }
    for (fold, column) in step.folds.iter().zip(columns) {
        let count = worker.count(fold.width);
        let part = combine_parts(fold.code, column, count);
        worker.restore(fold, &part.elements, &part.indices);
    }
}

/// Combines chunks like a binary counter.
fn combine_parts(code: Combine, parts: Vec<Part>, count: usize) -> Part {
    let mut stack: Vec<Part> = Vec::new();
    let merge = |stack: &mut Vec<Part>| {
        let right = stack.pop().expect("bug: a merge needs two parts");
        let left = stack.last_mut().expect("bug: a merge needs two parts");
        left.combine(code, &right, count);
    };
    for (number, part) in parts.into_iter().enumerate() {
        stack.push(part);
        for _ in 0..number.trailing_ones() {
            merge(&mut stack);
        }
    }
    while stack.len() > 1 {
        merge(&mut stack);
    }
    stack.pop().expect("bug: a divided loop has points")
}
