//! Register allocation: block registers share memory once their values are dead, so a lane block
//! stays in cache.
//!
//! A result never shares memory with its own operands: typed loops are faster out of place.

use crate::cpu::program::{BlockFold, Home, LaneFold, Program, Register, RegisterId, Step, Width};
use rustc_hash::{FxHashMap, FxHashSet};

/// Assigns every open register its position in the arena.
pub(super) fn allocate(program: &mut Program) {
    let mut arena = Arena { registers: &mut program.registers, free: FxHashMap::default(), top: 0 };
    for step in &program.constant_fills {
        arena.place(step.output().expect("bug: a fill without output"));
    }
    for phase in &program.phases {
        // No step writes the indices of a fold that counts; they may be needed at any time.
        let counted = phase.folds.iter().filter(|fold| fold.counted.is_some());
        let counted = counted.filter_map(|fold| fold.index);
        let held: Vec<RegisterId> =
            phase.prologue.iter().filter_map(Step::output).chain(counted).collect();
        for &register in &held {
            arena.place(register);
        }
        let live: Vec<RegisterId> = phase.folds.iter().flat_map(LaneFold::reads).collect();
        arena.steps(&phase.steps, &live);
        arena.steps(&phase.epilogue, &[]);
        for register in held {
            arena.release(register);
        }
    }
    program.bytes_per_lane = arena.top;
    program.busy_bytes_per_lane = arena.top - idle_bytes(program);
}

/// The bytes, per SIMD lane, of registers that serve selections by guards alone, but for those of
/// one selection.
fn idle_bytes(program: &Program) -> usize {
    let (mut passed_over, mut used) = (FxHashMap::default(), FxHashSet::default());
    for phase in &program.phases {
        for step in &phase.steps {
            let Some(register) = step.output().map(|output| &program.registers[output]) else {
                continue;
            };
            match register.home {
                Home::Arena(at) if step.is_passed_over() => {
                    passed_over.insert(at, register.size);
                }
                Home::Arena(at) => {
                    used.insert(at);
                }
                _ => {}
            }
        }
    }
    let mut sizes: Vec<usize> = passed_over
        .into_iter()
        .filter(|(at, _)| !used.contains(at))
        .map(|(_, size)| size)
        .collect();
    sizes.sort_unstable();
    // A selection has a load, whether the points are inside, and a result.
    sizes.iter().rev().skip(3).sum()
}

struct Arena<'a> {
    registers: &'a mut [Register],
    /// Free positions by element size.
    free: FxHashMap<usize, Vec<usize>>,
    top: usize,
}

impl Arena<'_> {
    fn place(&mut self, register: RegisterId) {
        let data = &mut self.registers[register];
        if data.home != Home::Open {
            return;
        }
        let reused = self.free.get_mut(&data.size).and_then(Vec::pop);
        let at = reused.unwrap_or_else(|| {
            self.top += data.size;
            self.top - data.size
        });
        data.home = Home::Arena(at);
    }

    fn release(&mut self, register: RegisterId) {
        let data = &self.registers[register];
        if let Home::Arena(at) = data.home {
            self.free.entry(data.size).or_default().push(at);
        }
    }

    /// Assigns memory to the registers defined by `steps`; those in `live` are read after the last
    /// executor step.
    fn steps(&mut self, steps: &[Step], live: &[RegisterId]) {
        let last = last_reads(steps, live);
        let mut owned: FxHashSet<RegisterId> = FxHashSet::default();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Loop(inner) = step {
                let read: Vec<RegisterId> = inner.folds.iter().flat_map(BlockFold::reads).collect();
                self.steps(&inner.steps, &read);
            }
            if let Some(output) = step.output() {
                self.place(output);
                if last.contains_key(&output) {
                    owned.insert(output);
                } else {
                    self.release(output)
                }
            }
            let is_dead = |register: &RegisterId| last.get(register) == Some(&at);
            let mut dead: Vec<RegisterId> =
                owned.extract_if(|register| is_dead(register)).collect();
            dead.sort_unstable();
            dead.into_iter().for_each(|register| self.release(register));
        }
        let mut rest: Vec<RegisterId> = owned.into_iter().collect();
        rest.sort_unstable();
        rest.into_iter().for_each(|register| self.release(register));
    }
}

/// For each register, the last executor step of the list that reads it (the list's length if it is
/// live afterwards).
fn last_reads(steps: &[Step], live: &[RegisterId]) -> FxHashMap<RegisterId, usize> {
    let mut last = FxHashMap::default();
    let mut read = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        read.clear();
        step.reads(&mut read);
        last.extend(read.iter().map(|&register| (register, at)));
    }
    last.extend(live.iter().map(|&register| (register, steps.len())));
    // The result of a selection by a guard may be the memory of an operand.
    for step in steps.iter().rev() {
        if let Step::Apply(apply) = step
            && apply.guard.is_some()
            && let Some(&end) = last.get(&apply.output)
        {
            for &operand in &apply.inputs[1..] {
                let known = last.entry(operand).or_insert(end);
                *known = end.max(*known);
            }
        }
    }
    last
}

/// Marks loads that outlive a store, and results that can be written directly to their destination.
pub(super) fn mark_hazards(program: &mut Program) {
    let registers = &program.registers;
    let mut loads = FxHashSet::default();
    for phase in &program.phases {
        collect_loads(&phase.steps, &mut loads);
    }
    for phase in &mut program.phases {
        let live: Vec<RegisterId> = phase.folds.iter().flat_map(LaneFold::reads).collect();
        mark_list(&mut phase.steps, &live, registers, &loads);
    }
}

/// The registers that loads may point directly at memory.
fn collect_loads(steps: &[Step], loads: &mut FxHashSet<RegisterId>) {
    for step in steps {
        match step {
            Step::Load(load) => {
                loads.insert(load.output);
            }
            Step::Apply(apply) if apply.guard.is_some() => {
                loads.insert(apply.output);
            }
            Step::Loop(inner) => collect_loads(&inner.steps, loads),
            _ => {}
        }
    }
}

fn mark_list(
    steps: &mut [Step],
    live: &[RegisterId],
    registers: &[Register],
    loads: &FxHashSet<RegisterId>,
) {
    let last = last_reads(steps, live);
    let stores: Vec<bool> = steps.iter().map(Step::has_store).collect();
    let loops: Vec<bool> = steps.iter().map(|step| matches!(step, Step::Loop(_))).collect();
    let mut destinations = Vec::new();
    for at in 0..steps.len() {
        if let Step::Store(store) = &steps[at] {
            let defined = (0..at).rev().find(|&before| steps[before].output() == Some(store.input));
            let quiet = |step: &Step| match step {
                Step::Apply(apply) => apply.inputs.iter().all(|input| !loads.contains(input)),
                Step::Store(store) => !loads.contains(&store.input),
                Step::Index { .. } | Step::Inside { .. } => true,
                Step::Load(_) | Step::Accumulate(_) | Step::Loop(_) => false,
            };
            if let Some(defined) = defined
                && registers[store.input].width == Width::Block
                && steps[defined + 1..at].iter().all(quiet)
            {
                destinations.push((defined, store.access));
            }
        }
    }
    for (at, step) in steps.iter_mut().enumerate() {
        match step {
            Step::Load(load) => {
                let end = last.get(&load.output).copied().unwrap_or(at);
                // A store that is itself the last reader copies each element onto itself, which is
                // safe.
                let in_last = end < stores.len() && loops[end] && stores[end];
                load.late = in_last || (at + 1..end).any(|between| stores[between]);
            }
            Step::Loop(inner) => {
                let read: Vec<RegisterId> = inner.folds.iter().flat_map(BlockFold::reads).collect();
                mark_list(&mut inner.steps, &read, registers, loads);
            }
            _ => {}
        }
    }
    for (defined, access) in destinations {
        if let Step::Apply(apply) = &mut steps[defined]
            && apply.destination.is_none()
        {
            apply.destination = Some(access);
        }
    }
}
