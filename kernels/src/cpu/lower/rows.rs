//! Loops that only fold what is in memory: rows across the SIMD lanes, or a line for each lane.

use super::products::factors;
use crate::cpu::program::{
    Apply, BlockFold, Code, LineCode, LineFold, LoopStep, MemoryForm, Phase, RegisterId, RowFold,
    Step, Width,
};
use crate::ir::AxisId;
use phalanx_ops::Op;

/// Notes the loops that only fold what is in memory. The steps of loops must not change afterwards.
/// Such loops store nothing, so no load of theirs is late.
pub(super) fn find_rows(phases: &mut [Phase]) {
    phases.iter_mut().for_each(|phase| find_in(&mut phase.steps));
}

fn find_in(steps: &mut [Step]) {
    for step in steps {
        if let Step::Loop(inner) = step {
            let operands = operands(inner).unwrap_or_default();
            if let [only] = operands.as_slice() {
                inner.rows = row_fold(inner, only);
            }
            let lines = inner.folds.iter().zip(&operands);
            let lines: Option<Vec<LineFold>> =
                lines.map(|(fold, of)| line_fold(fold, of)).collect();
            inner.lines = lines.unwrap_or_default();
            find_in(&mut inner.steps);
        }
    }
}

/// What a fold of a loop reads.
struct Operands {
    /// The positions of the loads; the same if there is one.
    loads: [usize; 2],
    /// The axis of the index that the fold carries.
    index: Option<AxisId>,
}

/// The operands of each fold of a loop, if the loop does nothing but load and cast them or compute
/// products or squares of differences.
fn operands(step: &LoopStep) -> Option<Vec<Operands>> {
    let mut used = vec![false; step.steps.len()];
    let operands = step.folds.iter().map(|fold| operands_of(step, fold, &mut used));
    let operands: Vec<Operands> = operands.collect::<Option<_>>()?;
    used.iter().all(|&is_used| is_used).then_some(operands)
}

/// The operands of a fold; notes the steps that compute its value from them.
fn operands_of(step: &LoopStep, fold: &BlockFold, used: &mut [bool]) -> Option<Operands> {
    let steps = step.steps.as_slice();
    let value = defined(steps, fold.plain, used)?;
    if fold.plain != fold.value {
        defined(steps, fold.value, used)?;
    }
    let load = |at: usize| matches!(steps[at], Step::Load(_)).then_some(at);
    let loads = match (&steps[value], fold.memory.form) {
        (Step::Load(_), MemoryForm::Elements) => [value; 2],
        (Step::Apply(cast), MemoryForm::Casts) if cast.inputs.len() == 1 => {
            [load(defined(steps, cast.inputs[0], used)?)?; 2]
        }
        (Step::Apply(product), MemoryForm::Products) if is(Op::Multiply, product) => {
            let [left, right] = factors(product)?;
            match left == right {
                true => [load(defined(steps, left, used)?)?; 2],
                false => [load(defined(steps, left, used)?)?, load(defined(steps, right, used)?)?],
            }
        }
        (Step::Apply(square), MemoryForm::Gaps) if is(Op::Multiply, square) => {
            match &steps[defined(steps, square.inputs[0], used)?] {
                Step::Apply(gap) if is(Op::Subtract, gap) => {
                    let [left, right] = factors(gap)?;
                    [load(defined(steps, left, used)?)?, load(defined(steps, right, used)?)?]
                }
                _ => return None,
            }
        }
        _ => return None,
    };
    let index = match fold.index {
        Some(register) => match steps[defined(steps, register, used)?] {
            Step::Index { axis, .. } => Some(axis),
            _ => return None,
        },
        None => None,
    };
    let fits = |&at: &usize| {
        let load = step.load(at);
        load.guard.is_none()
            && load.size == fold.memory.size
            && step.access_number(load.access).is_some()
    };
    let is_whole = fold.width == Width::Block && loads.iter().all(fits);
    is_whole.then_some(Operands { loads, index })
}

fn is(op: Op, apply: &Apply) -> bool {
    apply.arithmetic.is_some_and(|(found, _)| found == op)
}

/// The step that computes a register, or what the register is filled with; notes that these steps
/// are used.
fn defined(steps: &[Step], register: RegisterId, used: &mut [bool]) -> Option<usize> {
    let at = steps.iter().position(|step| step.output() == Some(register))?;
    used[at] = true;
    match &steps[at] {
        Step::Apply(Apply { code: Code::Fill(_), inputs, .. }) => defined(steps, inputs[0], used),
        _ => Some(at),
    }
}

/// The rows are loaded across the SIMD lanes. Each row may be paired with one element, the same for
/// all SIMD lanes or for those of a lane block.
fn row_fold(step: &LoopStep, operands: &Operands) -> Option<RowFold> {
    let [one, other] = operands.loads;
    let is_row = [one, other].iter().any(|&at| step.load(at).width == Width::Block);
    let memory = &step.folds[0].memory;
    let takes_pairs = matches!(memory.form, MemoryForm::Products | MemoryForm::Gaps);
    let code = memory.rows.filter(|_| takes_pairs == (one != other))?;
    let (tree, loads) = (memory.tree, operands.loads);
    (is_row && operands.index.is_none()).then_some(RowFold { code, tree, loads })
}

fn line_fold(fold: &BlockFold, operands: &Operands) -> Option<LineFold> {
    let code = match operands.index {
        Some(axis) => LineCode::Best(fold.memory.best?, axis),
        None => LineCode::Leaves(fold.memory.leaf?),
    };
    Some(LineFold { code, loads: operands.loads, size: fold.memory.size })
}
