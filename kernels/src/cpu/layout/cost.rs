//! A rough estimate of a launch's time, in nanoseconds of one thread.
//!
//! It decides which points become SIMD lanes and whether to wake threads; it never changes a
//! result. The weights were measured on one x86-64 server core with 48 KiB of first-level cache.

use super::prepared::Prepared;
use crate::cpu::folds::{LEAF, ROWS};
use crate::cpu::program::{Code, LaneChoice, LoopStep, Step, Width};
use crate::ir::AccessId;

/// One dispatch of an executor step.
const DISPATCH: f64 = 6.0;
/// Entering a phase at one grid point.
const PHASE: f64 = 40.0;
/// One element of an elementwise operation, a contiguous move, and a move within and across cache
/// lines.
const COMPUTE: f64 = 0.3;
/// One element of a special function: from 10 to some hundreds.
const SPECIAL: f64 = 20.0;
const CONTIGUOUS: f64 = 0.08;
const NEAR: f64 = 0.5;
const FAR: f64 = 1.1;
/// One row of a lane block that is not evenly spaced.
const ROW: f64 = 4.0;
const ACCUMULATE: f64 = 4.0;
/// One line that is folded for a SIMD lane, and one of its elements.
const LINE: f64 = 20.0;
const FOLDED: f64 = 0.25;
/// Of fewer lines than these, loop lanes are better: threads can divide the points of a line.
const FEW_LINES: f64 = 64.0;
/// The SIMD lanes of a row that is folded at once, if it is not contiguous with the next one.
const LONG_ROW: usize = 64;
/// One call that folds rows of memory, and one of its elements.
const ROWS_CALL: f64 = 60.0;
const ROW_ELEMENT: f64 = 0.15;

/// The estimate for the whole launch.
pub(in crate::cpu) fn estimate(prepared: &Prepared<'_>) -> f64 {
    let points = match prepared.program.lanes {
        LaneChoice::Grid => 1,
        LaneChoice::Loops => grid_points(prepared),
    };
    let phases = (0..prepared.program.phases.len()).map(|phase| estimate_phase(prepared, phase));
    points as f64 * phases.sum::<f64>()
}

/// The number of points of the grid.
pub(in crate::cpu) fn grid_points(prepared: &Prepared<'_>) -> usize {
    prepared.launch.extents[..prepared.kernel.grid].iter().product()
}

/// The estimate for one phase at one grid point.
pub(in crate::cpu) fn estimate_phase(prepared: &Prepared<'_>, phase: usize) -> f64 {
    let lanes = prepared.lanes[phase].total;
    let estimate = Estimate {
        prepared,
        phase,
        lanes: lanes as f64,
        blocks: lanes.div_ceil(prepared.width) as f64,
    };
    let data = &prepared.program.phases[phase];
    let folds = data.folds.len() as f64 * (lanes as f64 * 0.25 + (lanes / LEAF) as f64 * 10.0);
    PHASE + folds + estimate.steps(&data.steps)
}

/// The estimate for one executor step of a phase over all its SIMD lanes.
pub(in crate::cpu) fn loop_estimate(prepared: &Prepared<'_>, phase: usize, step: &Step) -> f64 {
    let lanes = prepared.lanes[phase].total;
    let blocks = lanes.div_ceil(prepared.width) as f64;
    Estimate { prepared, phase, lanes: lanes as f64, blocks }.step(step)
}

struct Estimate<'a> {
    prepared: &'a Prepared<'a>,
    phase: usize,
    lanes: f64,
    blocks: f64,
}

impl Estimate<'_> {
    fn steps(&self, steps: &[Step]) -> f64 {
        steps.iter().map(|step| self.step(step)).sum()
    }

    fn elements(&self, width: Width, each: f64) -> f64 {
        match width {
            Width::Uniform => self.blocks * DISPATCH,
            Width::Block => self.blocks * DISPATCH + self.lanes * each,
        }
    }

    fn step(&self, step: &Step) -> f64 {
        match step {
            Step::Apply(apply) if let Code::Special(_) = apply.code => {
                self.elements(apply.width, SPECIAL)
            }
            Step::Apply(apply) => self.elements(apply.width, COMPUTE),
            Step::Load(load) => self.elements(load.width, self.moved(load.access)),
            Step::Index { width, .. } | Step::Inside { width, .. } => {
                self.elements(*width, COMPUTE)
            }
            Step::Store(store) => self.elements(store.width, self.moved(store.access)),
            Step::Accumulate(step) => self.elements(step.width, ACCUMULATE),
            Step::Loop(inner) if self.prepared.folds_lines(inner) && self.lanes >= FEW_LINES => {
                let points = self.prepared.loops[inner.number].total as f64;
                self.lanes * inner.lines.len() as f64 * (LINE + points * FOLDED)
            }
            Step::Loop(inner) if self.folds_rows(inner) => {
                let points = self.prepared.loops[inner.number].total as f64;
                let calls = (points / ROWS as f64).ceil() * self.blocks;
                calls * ROWS_CALL + points * self.lanes * ROW_ELEMENT
            }
            Step::Loop(inner) => {
                let points = self.prepared.loops[inner.number].total as f64;
                let folds = inner.folds.iter().map(|fold| self.elements(fold.width, COMPUTE));
                points * (DISPATCH + folds.sum::<f64>() + self.steps(&inner.steps))
            }
        }
    }

    /// Whether a loop folds rows that are contiguous across the SIMD lanes.
    fn folds_rows(&self, step: &LoopStep) -> bool {
        let Some(rows) = &step.rows else { return false };
        let accesses = &self.prepared.program.phases[self.phase].accesses;
        let lanes = &self.prepared.lanes[self.phase];
        let is_long = lanes.columns() >= LONG_ROW;
        // The elements between SIMD lanes; 0 for what is the same for all of them.
        let along = |load: usize| -> Option<isize> {
            let load = step.load(load);
            let found = accesses.iter().position(|&access| access == load.access);
            let Some(at) = found else { return Some(0) };
            let inner = lanes.strides(at).last().copied().filter(|_| is_long);
            let stride = lanes.linear[at].or(inner)?;
            (stride % load.size as isize == 0).then_some(stride / load.size as isize)
        };
        match rows.loads.map(along) {
            [row, _] if rows.loads[0] == rows.loads[1] => row == Some(1),
            [Some(1), Some(0)] | [Some(0), Some(1)] => true,
            _ => false,
        }
    }

    /// One element moved through an access of the phase.
    fn moved(&self, access: AccessId) -> f64 {
        let lanes = &self.prepared.lanes[self.phase];
        let accesses = &self.prepared.program.phases[self.phase].accesses;
        let Some(at) = accesses.iter().position(|&other| other == access) else {
            return NEAR;
        };
        let stride = lanes.strides(at).last().map_or(0, |stride| stride.unsigned_abs());
        let each = match stride {
            0 => CONTIGUOUS,
            stride if stride == self.prepared.sizes[access.index()] => CONTIGUOUS,
            stride if stride < 64 || lanes.tile.is_some() => NEAR,
            _ => FAR,
        };
        let rows = if lanes.linear[at].is_some() || 2 * lanes.columns() > self.prepared.width {
            0.0
        } else {
            ROW / lanes.columns() as f64
        };
        each + rows
    }
}
