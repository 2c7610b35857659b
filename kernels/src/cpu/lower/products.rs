//! Sums of products and of squares of differences: the fold reads both operands, and what it adds
//! stays in vector registers.

use super::fused::count_reads;
use crate::cpu::folds::{gap_sum, gaps, product_sum};
use crate::cpu::loops;
use crate::cpu::program::{Apply, Factor, LaneFold, Phase, RegisterId, Step, Width};
use phalanx_ops::{DType, Monoid, Op};
use rustc_hash::FxHashMap;

/// Replaces the sums over SIMD lanes of products and of squares of differences that only the sum
/// reads.
pub(super) fn sum_products(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        for fold in &mut phase.folds {
            let defined = phase.steps.iter().position(|step| step.output() == Some(fold.value));
            let is_only = reads.get(&fold.value) == Some(&1);
            let Some(at) = defined.filter(|_| is_only && fold.monoid == Monoid::Add) else {
                continue;
            };
            let Some((dtype, factors)) = product(&phase.steps[at], fold) else { continue };
            let gap = gap(&phase.steps, at, dtype, &reads);
            if let Some((subtraction, [left, right])) = gap
                && let Some(leaf) = gap_sum(dtype)
                && let Some(term) = gaps(dtype)
            {
                (fold.value, fold.leaf) = (left, Some(leaf));
                fold.factor = Some(Factor { register: right, term });
                phase.steps.remove(at);
                phase.steps.remove(subtraction);
            } else if let Some(leaf) = product_sum(dtype)
                && let Some(term) = loops::elementwise(Op::Multiply, &[dtype; 2])
            {
                (fold.value, fold.leaf) = (factors[0], Some(leaf));
                fold.factor = Some(Factor { register: factors[1], term });
                phase.steps.remove(at);
            }
        }
    }
}

/// The dtype and the factors if an executor step multiplies elements that a fold adds as they are.
fn product(step: &Step, fold: &LaneFold) -> Option<(DType, [RegisterId; 2])> {
    let Step::Apply(apply) = step else { return None };
    let (op, dtype) = apply.arithmetic?;
    let is_whole = fold.value_size == fold.size && apply.width == Width::Block;
    if op != Op::Multiply || !is_whole {
        return None;
    }
    factors(apply).map(|factors| (dtype, factors))
}

/// The factors of a product or of a square.
pub(super) fn factors(apply: &Apply) -> Option<[RegisterId; 2]> {
    match *apply.inputs.as_slice() {
        [squared] => Some([squared; 2]),
        [left, right] => Some([left, right]),
        _ => None,
    }
}

/// The position and the operands of the subtraction that computes both factors of the square at a
/// position, if nothing else reads the difference.
fn gap(
    steps: &[Step],
    square: usize,
    dtype: DType,
    reads: &FxHashMap<RegisterId, usize>,
) -> Option<(usize, [RegisterId; 2])> {
    let Step::Apply(product) = &steps[square] else { return None };
    let [left, right] = factors(product)?;
    let at = steps[..square].iter().position(|step| step.output() == Some(left))?;
    let Step::Apply(apply) = &steps[at] else { return None };
    // A square reads its operand once, a product with itself twice.
    let is_only = left == right && reads.get(&left) == Some(&product.inputs.len());
    let fits = apply.arithmetic == Some((Op::Subtract, dtype)) && apply.destination.is_none();
    let is_whole = apply.width == Width::Block && apply.guard.is_none();
    (is_only && fits && is_whole).then(|| factors(apply).map(|operands| (at, operands)))?
}
