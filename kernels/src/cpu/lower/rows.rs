//! Loops that only fold rows of memory.

use crate::cpu::program::{Apply, BlockFold, Code, Load, Phase, RowFold, Step, Width};
use crate::ir::AccessId;
use phalanx_ops::Op;

/// Notes how loops fold many rows at once. The steps of loops must not change afterwards.
pub(super) fn find_rows(phases: &mut [Phase]) {
    phases.iter_mut().for_each(|phase| find_in(&mut phase.steps));
}

fn find_in(steps: &mut [Step]) {
    for step in steps {
        if let Step::Loop(inner) = step {
            inner.rows = row_fold(&inner.steps, &inner.folds, &inner.accesses);
            find_in(&mut inner.steps);
        }
    }
}

/// How a loop with these steps and folds folds many rows at once, if it does nothing else: it loads
/// rows, may cast them or multiply each by one element, and folds them.
fn row_fold(steps: &[Step], folds: &[BlockFold], accesses: &[AccessId]) -> Option<RowFold> {
    let [fold] = folds else { return None };
    let (code, size) = fold.rows?;
    let loads: Vec<(usize, &Load)> = steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| match step {
            Step::Load(load) => Some((at, load)),
            _ => None,
        })
        .collect();
    let applies: Vec<&Apply> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Apply(apply) => Some(apply),
            _ => None,
        })
        .collect();
    if loads.len() + applies.len() != steps.len() {
        return None;
    }
    let is_row = |load: &Load| {
        let depends = accesses.contains(&load.access);
        load.width == Width::Block && load.guard.is_none() && load.size == size && depends
    };
    match (loads.as_slice(), applies.as_slice()) {
        (&[(row, load)], []) if is_row(load) && load.output == fold.value => {
            Some(RowFold { code, row, factor: None })
        }
        (&[(row, load)], [cast]) => {
            let fits = size < fold.size
                && cast.output == fold.value
                && cast.inputs.as_slice() == [load.output];
            (is_row(load) && fits).then_some(RowFold { code, row, factor: None })
        }
        (&[first, second], [fill, product]) => {
            let ((row, load), (factor, scalar)) =
                if first.1.width == Width::Block { (first, second) } else { (second, first) };
            let is_filled = matches!(fill.code, Code::Fill(_))
                && fill.inputs.as_slice() == [scalar.output]
                && scalar.width == Width::Uniform
                && scalar.guard.is_none()
                && scalar.size == size
                && accesses.contains(&scalar.access);
            let is_product = product.arithmetic.is_some_and(|(op, _)| op == Op::Multiply)
                && product.output == fold.value
                && (product.inputs.as_slice() == [fill.output, load.output]
                    || product.inputs.as_slice() == [load.output, fill.output]);
            let fits = is_row(load) && is_filled && is_product;
            fits.then_some(RowFold { code, row, factor: Some(factor) })
        }
        _ => None,
    }
}
