//! A worker: one thread's registers, and the interpretation of steps over blocks.
//!
//! Conditions on which the `unsafe` blocks of this file rely:
//!
//! 1. The caller of `Compiled::run` promises that every element a launch loads or stores is valid
//!    and aligned, and that different points store different elements.
//! 2. A block never has more lanes than `Prepared::width`, for which the arena was laid out;
//!    registers that are alive together do not overlap (`registers`), nor do accumulators
//!    (`Prepared`).
//! 3. The kernel was verified: every operand is computed before its use and has the dtype that the
//!    code expects.

use super::block::{Block, Cover};
use super::fold::LaneState;
use super::prepare::Prepared;
use super::program::{Apply, Code, ConstantSource, Home, Step, Width};
use super::transfer;
use smallvec::SmallVec;
use std::cell::Cell;

/// A cache line of scratch memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

thread_local! {
    /// The arena of the last worker of this thread, kept because fresh memory costs page faults.
    static ARENA: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// The accumulators of one block fold.
pub(super) struct Accumulators {
    /// The addresses of the accumulators; the last one is spare.
    pub entries: Vec<*mut u8>,
    pub indices: *mut u8,
    /// Whether nothing has been combined yet.
    pub fresh: bool,
    /// The first element of a lane, still in the memory it was loaded from.
    pub held: *const u8,
}

/// One thread's state.
pub(super) struct Worker<'a> {
    pub prepared: &'a Prepared<'a>,
    arena: Vec<Line>,
    slots: Vec<[u64; 2]>,
    pub homes: Vec<*mut u8>,
    pub pointers: Vec<*mut u8>,
    /// The address of each access at lane position 0 of the current grid point.
    pub bases: Vec<*mut u8>,
    /// The address of each access at lane 0 of the block, at the current point of all loops.
    pub cursors: Vec<*mut u8>,
    /// The position along each axis that is visited one point after the other.
    pub index: Vec<usize>,
    pub block: Block,
    /// The blocks of the other phases: often each grid point has the same.
    layouts: Vec<Block>,
    pub accumulators: Vec<Accumulators>,
    /// For each loop, the cursors of its accesses when it was entered.
    pub entered: Vec<Vec<*mut u8>>,
    /// The table that each accumulating statement combines into, if not the launch's.
    pub tables: Vec<*mut u8>,
    pub phase: usize,
}

impl<'a> Worker<'a> {
    pub fn new(prepared: &'a Prepared<'a>) -> Worker<'a> {
        let program = prepared.program;
        let mut arena = ARENA.take();
        let lines = prepared.arena / size_of::<Line>();
        if arena.len() < lines {
            arena = vec![Line([0; 64]); lines];
        }
        let base = arena.as_mut_ptr().cast::<u8>();
        let mut slots = vec![[0u64; 2]; program.slots];
        let padded = prepared.width.next_multiple_of(64);
        let homes: Vec<*mut u8> = program
            .registers
            .iter()
            .map(|register| match register.home {
                Home::Slot(slot) => slots[slot].as_mut_ptr().cast(),
                Home::Arena(at) => base.wrapping_add(at * padded),
                Home::Fold | Home::Open => std::ptr::null_mut(),
            })
            .collect();
        let accumulators = prepared.accumulators.iter().map(|&(at, bytes, count)| Accumulators {
            entries: (0..count).map(|entry| base.wrapping_add(at + entry * bytes)).collect(),
            indices: base.wrapping_add(at + count * bytes),
            fresh: true,
            held: std::ptr::null(),
        });
        let launch = prepared.geometry.launch;
        let bases: Vec<*mut u8> = launch.accesses.iter().map(|access| access.pointer).collect();
        let layout = || Block::new(launch.accesses.len(), launch.guards.len());
        let mut worker = Worker {
            prepared,
            slots,
            pointers: homes.clone(),
            homes,
            cursors: bases.clone(),
            bases,
            index: vec![0; launch.extents.len()],
            block: layout(),
            layouts: program.phases.iter().map(|_| layout()).collect(),
            accumulators: accumulators.collect(),
            entered: vec![Vec::new(); program.loops],
            tables: vec![std::ptr::null_mut(); program.tables.len()],
            phase: 0,
            arena,
        };
        worker.constants();
        worker
    }

    fn constants(&mut self) {
        let program = self.prepared.program;
        let launch = self.prepared.geometry.launch;
        for &(register, source) in &program.constants {
            let scalar = match source {
                ConstantSource::Argument(scalar) => launch.scalars[scalar],
                ConstantSource::Text(scalar) => scalar,
            };
            let mut bytes = [0; 16];
            bytes[..scalar.bytes().len()].copy_from_slice(scalar.bytes());
            self.set_uniform(register, bytes);
        }
        self.block.count = self.prepared.width;
        for step in &program.constant_fills {
            if let Step::Apply(apply) = step {
                self.apply(apply);
            }
        }
    }

    /// Writes a uniform register; its element is at the start of `bytes`.
    pub fn set_uniform(&mut self, register: usize, bytes: [u8; 16]) {
        // SAFETY: a uniform register is a slot of 16 bytes (condition 2).
        unsafe { self.homes[register].cast::<[u8; 16]>().write(bytes) };
    }

    /// Takes over the uniform values and the grid point of another worker of the same launch.
    pub fn adopt(&mut self, other: &Worker<'_>) {
        self.slots.copy_from_slice(&other.slots);
        self.bases.copy_from_slice(&other.bases);
        self.cursors.copy_from_slice(&other.bases);
        self.index.copy_from_slice(&other.index);
    }

    /// Moves to a grid point, given by its position in C order.
    pub fn seek_grid(&mut self, point: usize) {
        let geometry = &self.prepared.geometry;
        let mut rest = point;
        for axis in (0..self.prepared.kernel.grid).rev() {
            let extent = geometry.launch.extents[axis];
            self.index[axis] = rest % extent;
            rest /= extent;
        }
        for access in 0..self.bases.len() {
            let offset = (0..self.prepared.kernel.grid)
                .map(|axis| self.index[axis] as isize * geometry.stride(access, axis))
                .sum();
            self.bases[access] = geometry.launch.accesses[access].pointer.wrapping_offset(offset);
            self.cursors[access] = self.bases[access];
        }
    }

    /// Makes `phase` the current one.
    pub fn enter(&mut self, phase: usize) {
        if phase != self.phase {
            std::mem::swap(&mut self.block, &mut self.layouts[self.phase]);
            std::mem::swap(&mut self.block, &mut self.layouts[phase]);
            self.phase = phase;
        }
    }

    /// Enters a phase at the current grid point.
    pub fn begin_phase(&mut self, phase: usize) {
        self.enter(phase);
        let total = self.prepared.lanes[phase].total;
        self.block.count = self.prepared.width.min(total);
        let prepared = self.prepared;
        self.steps(&prepared.program.phases[phase].prologue);
    }

    /// Runs the steps after the folds of the current phase.
    pub fn end_phase(&mut self) {
        let prepared = self.prepared;
        self.steps(&prepared.program.phases[self.phase].epilogue);
    }

    /// Runs the current phase over tiles or lanes `start..end`, folding into `states`.
    pub fn lanes(&mut self, start: usize, end: usize, states: &mut [LaneState]) {
        let lanes = &self.prepared.lanes[self.phase];
        if let Some(tile) = lanes.tile {
            for number in start..end {
                self.block.tile(lanes, tile, number);
                self.reach_lanes();
                self.block(states, number + 1 == end);
            }
            return;
        }
        let (columns, width) = (lanes.columns(), self.prepared.width);
        let mut at = start;
        while at < end {
            // Long rows are cut evenly so that no block spans two of them; short rows are packed.
            let rest = columns - at % columns;
            let count = match 2 * columns > width {
                true => {
                    rest.div_ceil(rest.div_ceil(width)).next_multiple_of(16).min(rest).min(width)
                }
                false => width,
            };
            let count = count.min(end - at);
            self.lay_out(at, count);
            self.block(states, at + count == end);
            at += count;
        }
    }

    fn block(&mut self, states: &mut [LaneState], last: bool) {
        let phase = &self.prepared.program.phases[self.phase];
        self.steps(&phase.steps);
        for (fold, state) in phase.folds.iter().zip(states) {
            let index =
                fold.index.map_or(std::ptr::null(), |index| self.pointers[index].cast_const());
            // SAFETY: the registers hold the values of this block (conditions 2 and 3).
            unsafe { state.push(self.pointers[fold.value], index, self.block.count, last) };
        }
    }

    /// Lays out all lanes of the current phase as one block.
    pub fn whole_block(&mut self) {
        self.lay_out(0, self.prepared.lanes[self.phase].total);
    }

    fn lay_out(&mut self, start: usize, count: usize) {
        let prepared = self.prepared;
        if self.block.consecutive(&prepared.lanes[self.phase], start, count) {
            return self.reach_lanes();
        }
        for &access in &prepared.program.phases[self.phase].accesses {
            let start = self.block.reach[access].start;
            self.cursors[access] = self.bases[access].wrapping_offset(start);
        }
    }

    /// Takes over the registers of another worker that stands between two steps of the same whole
    /// block. They are read where they are, so the other worker must not go on meanwhile.
    pub fn share(&mut self, other: &Worker<'a>) {
        self.adopt(other);
        self.enter(other.phase);
        self.whole_block();
        self.cursors.copy_from_slice(&other.cursors);
        self.pointers.copy_from_slice(&other.pointers);
    }

    /// Works out addresses and guards for the lanes of a new block.
    fn reach_lanes(&mut self) {
        let prepared = self.prepared;
        let phase = &prepared.program.phases[self.phase];
        let lanes = &prepared.lanes[self.phase];
        for (at, &access) in phase.accesses.iter().enumerate() {
            self.block.reach(lanes, at, access, prepared.sizes[access]);
            let start = self.block.reach[access].start;
            self.cursors[access] = self.bases[access].wrapping_offset(start);
        }
        for guard in &lanes.guards {
            self.block.covers[guard.guard] = match guard.never {
                true => Cover::None,
                false => self.block.cover(guard),
            };
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
            Step::Inside { guard, output, width } => self.inside(*guard, *output, *width),
            Step::Store(store) => self.store(store),
            Step::Accumulate(accumulate) => self.accumulate(accumulate),
            Step::Loop(inner) => self.sequential_loop(inner),
        }
    }

    /// Whether the register's elements are in its own memory.
    pub fn is_home(&self, register: usize) -> bool {
        self.pointers[register] == self.homes[register]
    }

    /// The number of elements of a register.
    pub fn count(&self, width: Width) -> usize {
        match width {
            Width::Uniform => 1,
            Width::Block => self.block.count,
        }
    }

    fn apply(&mut self, apply: &Apply) {
        let count = self.count(apply.width);
        let output = match apply.destination {
            Some(access)
                if self.block.reach[access].contiguous
                    && !self.streams(access, count * self.prepared.sizes[access]) =>
            {
                self.cursors[access]
            }
            _ => self.homes[apply.output],
        };
        self.pointers[apply.output] = output;
        let pointer = |at: usize| self.pointers[apply.inputs[at]].cast_const();
        // SAFETY: conditions 2 and 3; a destination in memory is stored by these lanes alone
        // (condition 1), and loads of that memory still to come were ruled out
        // (`registers::mark_hazards`).
        unsafe {
            match apply.code {
                Code::Elementwise(code) => match apply.inputs.len() {
                    1 => code(&[pointer(0)], output, count),
                    2 => code(&[pointer(0), pointer(1)], output, count),
                    3 => code(&[pointer(0), pointer(1), pointer(2)], output, count),
                    operands => {
                        let all: SmallVec<[*const u8; 4]> = (0..operands).map(pointer).collect();
                        code(&all, output, count);
                    }
                },
                Code::Select(code) => code(pointer(0), pointer(1), pointer(2), output, count),
                Code::Fill(code) => code(pointer(0), output, count),
            }
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        transfer::fence();
        ARENA.set(std::mem::take(&mut self.arena));
    }
}
