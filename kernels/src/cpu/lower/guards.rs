//! Selections by a guard: lane blocks that are all inside or all outside take one operand as it is,
//! and others copy runs.

use super::fused::count_reads;
use crate::cpu::program::{Code, Phase, RegisterId, Step, Width};
use crate::ir::GuardId;
use rustc_hash::FxHashMap;

/// Marks selections whose condition is a guard, and what only they read: conditions, and loads
/// under the same guard, which need no values for blocks outside.
pub(super) fn choose_by_guards(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        mark_list(&mut phase.steps, &reads);
    }
}

fn mark_list(steps: &mut [Step], reads: &FxHashMap<RegisterId, usize>) {
    let mut conditions: FxHashMap<RegisterId, GuardId> = FxHashMap::default();
    // How often marked selections read a register as their condition, and where the guard holds.
    let mut as_condition: FxHashMap<(RegisterId, GuardId), usize> = FxHashMap::default();
    let mut where_true: FxHashMap<(RegisterId, GuardId), usize> = FxHashMap::default();
    for step in steps.iter_mut() {
        match step {
            Step::Inside { guard, output, width: Width::Block, .. } => {
                conditions.insert(*output, *guard);
            }
            Step::Apply(apply) if matches!(apply.code, Code::Select(_)) => {
                apply.guard = conditions.get(&apply.inputs[0]).copied();
                if let Some(guard) = apply.guard {
                    *as_condition.entry((apply.inputs[0], guard)).or_default() += 1;
                    *where_true.entry((apply.inputs[1], guard)).or_default() += 1;
                }
            }
            Step::Loop(inner) => mark_list(&mut inner.steps, reads),
            _ => {}
        }
    }
    let is_all = |register: RegisterId, guard: GuardId, selected: &FxHashMap<_, usize>| {
        let all = reads.get(&register);
        all.is_some() && all == selected.get(&(register, guard))
    };
    for step in steps {
        match step {
            Step::Inside { guard, output, is_selected, .. } => {
                *is_selected = is_all(*output, *guard, &as_condition);
            }
            Step::Load(load) => {
                let read = |guard| is_all(load.output, guard, &where_true);
                load.is_selected = load.guard.is_some_and(read);
            }
            _ => {}
        }
    }
}
