//! Sums of products: the fold reads the factors, and the products stay in vector registers.

use super::fused::count_reads;
use crate::cpu::folds::product_sum;
use crate::cpu::loops;
use crate::cpu::program::{Factor, LaneFold, Phase, RegisterId, Step, Width};
use phalanx_ops::{DType, Monoid, Op};

/// Replaces the sums over SIMD lanes of products that only the sum reads.
pub(super) fn sum_products(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        for fold in &mut phase.folds {
            let defined = phase.steps.iter().position(|step| step.output() == Some(fold.value));
            let is_only = reads.get(&fold.value) == Some(&1);
            let Some(at) = defined.filter(|_| is_only && fold.monoid == Monoid::Add) else {
                continue;
            };
            if let Some((dtype, factors)) = product(&phase.steps[at], fold)
                && let Some(leaf) = product_sum(dtype)
                && let Some(multiply) = loops::elementwise(Op::Multiply, &[dtype; 2])
            {
                (fold.value, fold.leaf) = (factors[0], Some(leaf));
                fold.factor = Some(Factor { register: factors[1], multiply });
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
    match *apply.inputs.as_slice() {
        [squared] => Some((dtype, [squared; 2])),
        [left, right] => Some((dtype, [left, right])),
        _ => None,
    }
}
