//! The interpretation of executor steps over lane blocks by one thread.
//!
//! The numbered conditions are those of `worker`.

use super::block::Cover;
use super::lane_state::LaneState;
use super::state::State;
use crate::cpu::folds::{Indices, LEAF};
use crate::cpu::layout::{LaneGuard, Prepared};
use crate::cpu::program::{Apply, Code, ConstantSource, Step, Width};
use smallvec::SmallVec;

/// One thread's part in a launch.
pub(in crate::cpu) struct Worker<'a> {
    pub prepared: &'a Prepared<'a>,
    pub state: Box<State>,
}

impl<'a> Worker<'a> {
    pub fn new(prepared: &'a Prepared<'a>) -> Worker<'a> {
        Worker::with(prepared, State::new(prepared))
    }

    /// A worker with a state that was made for the same layout.
    pub fn with(prepared: &'a Prepared<'a>, mut state: Box<State>) -> Worker<'a> {
        state.begin(prepared);
        let mut worker = Worker { prepared, state };
        worker.constants();
        worker
    }

    /// The state, for the next launch.
    pub fn finish(self) -> Box<State> {
        let mut state = self.state;
        state.release();
        state
    }

    fn constants(&mut self) {
        let program = self.prepared.program;
        let launch = self.prepared.launch;
        for &(register, source) in &program.constants {
            let scalar = match source {
                ConstantSource::Argument(scalar) => launch.scalars[scalar.index()],
                ConstantSource::Text(scalar) => scalar,
            };
            self.set_uniform(register, scalar.bytes());
        }
        self.state.block.count = (0..self.prepared.lanes.len())
            .map(|phase| self.prepared.block_lanes(phase))
            .max()
            .unwrap_or(0);
        for step in &program.constant_fills {
            if let Step::Apply(apply) = step {
                self.apply(apply);
            }
        }
    }

    /// Writes a uniform register; its element is at the start of `bytes`.
    pub fn set_uniform(&mut self, register: usize, bytes: &[u8]) {
        let bytes = &bytes[..self.prepared.program.registers[register].size];
        // SAFETY: a uniform register is as many slots as its element needs (condition 2).
        unsafe {
            let home = self.state.homes[register];
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), home, bytes.len());
        }
    }

    /// Copies the uniform values and the grid point of another worker of the same launch.
    pub fn adopt(&mut self, other: &Worker<'_>) {
        self.state.slots.copy_from_slice(&other.state.slots);
        self.state.bases.copy_from_slice(&other.state.bases);
        self.state.cursors.copy_from_slice(&other.state.bases);
        self.state.index.copy_from_slice(&other.state.index);
    }

    /// Moves to a grid point, given by its position in C order.
    pub fn seek_grid(&mut self, point: usize) {
        let geometry = &self.prepared.geometry;
        let mut rest = point;
        for axis in self.prepared.kernel.grid_axes().rev() {
            let extent = self.prepared.launch.extents[axis.index()];
            self.state.index[axis.index()] = rest % extent;
            rest /= extent;
        }
        let kernel = self.prepared.kernel;
        for access in kernel.access_ids() {
            let offset = kernel
                .grid_axes()
                .map(|axis| self.state.index[axis.index()] as isize * geometry.stride(access, axis))
                .sum();
            let at = access.index();
            self.state.bases[at] =
                self.prepared.launch.accesses[at].pointer.wrapping_offset(offset);
            self.state.cursors[at] = self.state.bases[at];
        }
    }

    /// Makes `phase` the current one.
    pub fn enter(&mut self, phase: usize) {
        if phase != self.state.phase {
            std::mem::swap(&mut self.state.block, &mut self.state.layouts[self.state.phase]);
            std::mem::swap(&mut self.state.block, &mut self.state.layouts[phase]);
            self.state.phase = phase;
        }
    }

    /// Enters a phase at the current grid point.
    pub fn begin_phase(&mut self, phase: usize) {
        self.enter(phase);
        self.state.block.count = self.prepared.block_lanes(phase);
        let prepared = self.prepared;
        self.steps(&prepared.program.phases[phase].prologue);
    }

    /// Runs the executor steps after the folds of the current phase.
    pub fn end_phase(&mut self) {
        let prepared = self.prepared;
        self.steps(&prepared.program.phases[self.state.phase].epilogue);
    }

    /// Runs the current phase over tiles or SIMD lanes `start..end`, folding into `states`.
    pub fn lanes(&mut self, start: usize, end: usize, states: &mut [LaneState]) {
        let lanes = &self.prepared.lanes[self.state.phase];
        if let Some(tile) = lanes.tile {
            for number in start..end {
                self.state.block.tile(lanes, tile, number);
                self.reach_lanes();
                self.block(states, number + 1 == end);
            }
            return;
        }
        let (columns, width) = (lanes.columns(), self.prepared.width);
        let whole = if states.is_empty() { 16 } else { LEAF };
        let mut at = start;
        while at < end {
            // Long rows are cut evenly so that no lane block spans two of them; short rows are
            // packed, whole ones if nothing is folded: lane blocks then have equal pieces. Folds
            // are fastest in whole leaves.
            // Without folds, no lane block spans an end of a guard in a long row either.
            let column = at % columns;
            let is_cut = states.is_empty() && !lanes.cuts.is_empty();
            let rest = if is_cut { lanes.end_of_stretch(column) } else { columns } - column;
            let count = if is_cut || 2 * columns > width {
                rest.div_ceil(rest.div_ceil(width)).next_multiple_of(whole).min(rest).min(width)
            } else if states.is_empty() {
                width / columns * columns - (columns - rest)
            } else {
                width
            };
            let count = count.min(end - at);
            self.lay_out(at, count);
            self.block(states, at + count == end);
            at += count;
        }
    }

    fn block(&mut self, states: &mut [LaneState], last: bool) {
        let phase = &self.prepared.program.phases[self.state.phase];
        self.steps(&phase.steps);
        for (fold, state) in phase.folds.iter().zip(states) {
            let indices = match (fold.index, fold.counted) {
                (Some(register), Some(axis)) => self.indices(axis, register),
                (Some(register), None) => Indices::Each(self.state.pointers[register].cast()),
                (None, _) => Indices::Each(std::ptr::null()),
            };
            // SAFETY: the registers hold the values of this lane block (conditions 2 and 3).
            unsafe {
                let factor = fold.factor.map_or(fold.value, |factor| factor.register);
                let inputs = [fold.value, factor].map(|at| self.state.pointers[at].cast_const());
                state.push(inputs, indices, self.state.block.count, last)
            };
        }
    }

    /// Lays out all SIMD lanes of the current phase as one lane block.
    pub fn whole_block(&mut self) {
        self.lay_out(0, self.prepared.lanes[self.state.phase].total);
    }

    fn lay_out(&mut self, start: usize, count: usize) {
        let prepared = self.prepared;
        if self.state.block.consecutive(&prepared.lanes[self.state.phase], start, count) {
            return self.reach_lanes();
        }
        for &access in &prepared.program.phases[self.state.phase].accesses {
            let start = self.state.block.reach[access.index()].start;
            self.state.cursors[access.index()] =
                self.state.bases[access.index()].wrapping_offset(start);
        }
    }

    /// Reads the registers of another worker of the same whole lane block in place. The other
    /// worker must be between two executor steps and must not continue meanwhile.
    pub fn share(&mut self, other: &Worker<'a>) {
        self.adopt(other);
        self.enter(other.state.phase);
        self.whole_block();
        self.state.cursors.copy_from_slice(&other.state.cursors);
        self.state.pointers.copy_from_slice(&other.state.pointers);
    }

    /// Computes addresses and guard covers for the SIMD lanes of a new lane block.
    fn reach_lanes(&mut self) {
        let prepared = self.prepared;
        let phase = &prepared.program.phases[self.state.phase];
        let lanes = &prepared.lanes[self.state.phase];
        for (at, &access) in phase.accesses.iter().enumerate() {
            self.state.block.reach(lanes, at, access, prepared.sizes[access.index()]);
            let start = self.state.block.reach[access.index()].start;
            self.state.cursors[access.index()] =
                self.state.bases[access.index()].wrapping_offset(start);
        }
        for guard in &lanes.guards {
            self.state.block.covers[guard.guard.index()] =
                if guard.never { Cover::None } else { self.state.block.cover(guard) };
        }
    }

    pub fn steps(&mut self, steps: &'a [Step]) {
        for step in steps {
            self.step(step);
        }
    }

    pub fn step(&mut self, step: &'a Step) {
        match step {
            Step::Apply(apply) => self.apply(apply),
            Step::Load(load) => self.load(load),
            Step::Index { axis, output, width } => self.global_index(*axis, *output, *width),
            Step::Inside { guard, output, width, is_selected } => {
                self.inside(*guard, *output, *width, *is_selected)
            }
            Step::Store(store) => self.store(store),
            Step::Accumulate(accumulate) => self.accumulate(accumulate),
            Step::Loop(inner) => self.sequential_loop(inner),
        }
    }

    /// Whether the register's elements are in its own memory.
    pub fn is_home(&self, register: usize) -> bool {
        self.state.pointers[register] == self.state.homes[register]
    }

    /// The number of elements of a register.
    pub fn count(&self, width: Width) -> usize {
        match width {
            Width::Uniform => 1,
            Width::Block => self.state.block.count,
        }
    }

    fn apply(&mut self, apply: &Apply) {
        let part = match apply.guard.map(|guard| self.guard(guard)) {
            Some((_, Cover::All)) => return self.choose(apply, 1),
            Some((_, Cover::None)) => return self.choose(apply, 2),
            Some((guard, Cover::Part)) => Some(guard),
            None => None,
        };
        let count = self.count(apply.width);
        let output = match apply.destination {
            Some(access)
                if self.state.block.reach[access.index()].contiguous
                    && !self.streams(access, count * self.prepared.sizes[access.index()]) =>
            {
                self.state.cursors[access.index()]
            }
            _ => self.state.homes[apply.output],
        };
        self.state.pointers[apply.output] = output;
        let pointer = |at: usize| self.state.pointers[apply.inputs[at]].cast_const();
        // SAFETY: conditions 2 and 3; a destination in memory is stored by these SIMD lanes alone
        // (condition 1), and loads of that memory still to come were ruled out
        // (`registers::mark_hazards`).
        unsafe {
            match apply.code {
                Code::Elementwise(code) => match apply.inputs.len() {
                    1 => code(&[pointer(0)], output, count),
                    2 => code(&[pointer(0), pointer(1)], output, count),
                    3 => code(&[pointer(0), pointer(1), pointer(2)], output, count),
                    operands => {
                        let all: SmallVec<[*const u8; 8]> = (0..operands).map(pointer).collect();
                        code(&all, output, count);
                    }
                },
                Code::Special(code) => {
                    let all: SmallVec<[*const u8; 8]> =
                        (0..apply.inputs.len()).map(pointer).collect();
                    code.run(&all, output, count);
                }
                Code::Select(code) => match part {
                    Some(guard) => self.select_inside(guard, [pointer(1), pointer(2)], apply),
                    None => code(pointer(0), pointer(1), pointer(2), output, count),
                },
                Code::Fill(code) => code(pointer(0), output, count),
            }
        }
    }
}

impl Worker<'_> {
    /// Takes an input of a selection as it is.
    fn choose(&mut self, apply: &Apply, input: usize) {
        self.state.pointers[apply.output] = self.state.pointers[apply.inputs[input]];
    }

    /// Writes the result of a selection by a guard: runs of elements instead of one by one.
    ///
    /// # Safety
    /// The inputs and the result hold the elements of the lane block (conditions 2 and 3); the
    /// result is one of the inputs, or overlaps none.
    unsafe fn select_inside(&self, guard: &LaneGuard, inputs: [*const u8; 2], apply: &Apply) {
        let [on_true, on_false] = inputs;
        let output = self.state.pointers[apply.output];
        let size = self.prepared.program.registers[apply.output].size;
        // SAFETY: the caller's promise; pieces tile the SIMD lanes of the lane block.
        let copy = |from: *const u8, start: usize, end: usize| unsafe {
            let at = start * size;
            std::ptr::copy(from.add(at), output.add(at), (end - start) * size);
        };
        let is_in_place = on_true == output.cast_const();
        if !is_in_place && on_false != output.cast_const() {
            copy(on_false, 0, self.state.block.count);
        }
        for (at, piece) in self.state.block.pieces.iter().enumerate() {
            let (low, high) = self.state.block.inside(guard, at);
            let (start, end) = (piece.lane, piece.lane + piece.count);
            if is_in_place {
                copy(on_false, start, start + low);
                copy(on_false, start + high, end);
            } else {
                copy(on_true, start + low, start + high);
            }
        }
    }
}

/// A worker that other threads only read.
pub(in crate::cpu) struct ReadOnly<'w, 'a>(pub &'w Worker<'a>);

// SAFETY: while workers of a phase run, the shared worker is only read, and the fields that they
// read (`Worker::adopt`) are plain numbers.
unsafe impl Sync for ReadOnly<'_, '_> {}

impl<'w, 'a> ReadOnly<'w, 'a> {
    pub fn get(&self) -> &'w Worker<'a> {
        self.0
    }
}
