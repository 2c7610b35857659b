//! Sums of several operands as one loop, with a factor if the sum is multiplied: stencils and
//! averages read each operand once and write once.
//!
//! The operands are added in the order of the kernel and each addition rounds separately, so a sum
//! gives the bits of its operations.

use super::fused::{count_reads, in_stretches};
use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::Loop;
use crate::cpu::program::{Apply, Code, Phase, RegisterId, Step, Width};
use phalanx_ops::{DType, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::{Add, Mul};

/// The most operands of a sum. Fewer than four are a pair of operations (`fused`).
const MOST: usize = 6;

/// Replaces chains of additions whose results only the next executor step reads.
pub(super) fn fuse_sums(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        fuse_list(&mut phase.steps, &reads);
    }
}

fn fuse_list(steps: &mut Vec<Step>, reads: &FxHashMap<RegisterId, usize>) {
    for step in steps.iter_mut() {
        if let Step::Loop(inner) = step {
            fuse_list(&mut inner.steps, reads);
        }
    }
    let mut at = steps.len();
    while at > 0 {
        at -= 1;
        if let Some((parts, sum)) = sum_at(steps, at, reads) {
            steps[at] = Step::Apply(sum);
            // The parts are listed from the last to the first.
            for part in parts {
                steps.remove(part);
                at -= 1;
            }
        }
    }
}

/// The dtype of an executor step of two operands that may be part of a sum, if its operation is
/// `op`.
fn is_part(step: &Step, op: Op) -> Option<(&Apply, DType)> {
    let Step::Apply(apply) = step else { return None };
    let (found, dtype) = apply.arithmetic?;
    let fits = found == op && apply.inputs.len() == 2 && apply.width == Width::Block;
    (fits && apply.destination.is_none()).then_some((apply, dtype))
}

/// The addition that computes an operand of executor step `at` and has no other reader.
fn addition_before<'s>(
    steps: &'s [Step],
    at: usize,
    register: RegisterId,
    dtype: DType,
    reads: &FxHashMap<RegisterId, usize>,
) -> Option<(usize, &'s Apply)> {
    if reads.get(&register) != Some(&1) {
        return None;
    }
    let place = (0..at).rev().find(|&before| steps[before].output() == Some(register))?;
    let (apply, found) = is_part(&steps[place], Op::Add)?;
    (found == dtype).then_some((place, apply))
}

/// The sum that replaces executor step `at` and earlier ones, if there is one.
fn sum_at(
    steps: &[Step],
    at: usize,
    reads: &FxHashMap<RegisterId, usize>,
) -> Option<(SmallVec<[usize; 8]>, Apply)> {
    let mut parts: SmallVec<[usize; 8]> = SmallVec::new();
    let (root, dtype, factor, mut current) = match is_part(&steps[at], Op::Multiply) {
        Some((product, dtype)) => {
            let inner = (0..2).find_map(|place| {
                let (part, apply) =
                    addition_before(steps, at, product.inputs[place], dtype, reads)?;
                Some((part, apply, product.inputs[1 - place]))
            });
            let (part, apply, factor) = inner?;
            parts.push(part);
            (product, dtype, Some(factor), apply)
        }
        None => {
            let (sum, dtype) = is_part(&steps[at], Op::Add)?;
            (sum, dtype, None, sum)
        }
    };
    // From the last operand to the first.
    let mut operands: SmallVec<[RegisterId; 8]> = SmallVec::new();
    let mut end = parts.last().copied().unwrap_or(at);
    loop {
        let inner = if operands.len() + 2 < MOST {
            (0..2).find_map(|place| {
                let input = current.inputs[place];
                let found = addition_before(steps, end, input, dtype, reads)?;
                Some((found, current.inputs[1 - place]))
            })
        } else {
            None
        };
        match inner {
            Some(((part, apply), operand)) => {
                operands.push(operand);
                parts.push(part);
                (current, end) = (apply, part);
            }
            None => {
                operands.extend([current.inputs[1], current.inputs[0]]);
                break;
            }
        }
    }
    let code = sum(operands.len(), factor.is_some(), dtype)?;
    operands.reverse();
    operands.extend(factor);
    Some((
        parts,
        Apply {
            code: Code::Elementwise(code),
            inputs: SmallVec::from_slice(&operands),
            output: root.output,
            width: root.width,
            destination: None,
            arithmetic: None,
            guard: None,
        },
    ))
}

/// The loop of a sum of `operands` operands, with a factor after them if `has_factor`.
fn sum(operands: usize, has_factor: bool, dtype: DType) -> Option<Loop> {
    macro_rules! by_operands {
        ($type:ty) => {
            match (operands, has_factor) {
                (4, false) => Some(run::<$type, 4, 4> as Loop),
                (5, false) => Some(run::<$type, 5, 5> as Loop),
                (6, false) => Some(run::<$type, 6, 6> as Loop),
                (4, true) => Some(run::<$type, 4, 5> as Loop),
                (5, true) => Some(run::<$type, 5, 6> as Loop),
                (6, true) => Some(run::<$type, 6, 7> as Loop),
                _ => None,
            }
        };
    }
    match dtype {
        DType::F64 => by_operands!(f64),
        DType::F32 => by_operands!(f32),
        _ => None,
    }
}

/// A `Loop` of `INPUTS` inputs, of which the first `TERMS` are added.
unsafe fn run<T, const TERMS: usize, const INPUTS: usize>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
) where
    T: Copy + Add<Output = T> + Mul<Output = T>,
{
    // SAFETY: as the caller promises of a loop.
    unsafe { in_stretches(inputs, output, count, map::<T, TERMS, INPUTS>) };
}

for_each_level! {
    fn map[
        T: Copy + Add<Output = T> + Mul<Output = T>,
        const TERMS: usize,
        const INPUTS: usize
    ][T, TERMS, INPUTS](inputs: [&[T]; INPUTS], out: &mut [MaybeUninit<T>]) {
        let inputs = inputs.map(|input| &input[..out.len()]);
        for (at, out) in out.iter_mut().enumerate() {
            let mut sum = inputs[0][at];
            for input in &inputs[1..TERMS] {
                sum = sum + input[at];
            }
            if INPUTS > TERMS {
                sum = sum * inputs[TERMS][at];
            }
            out.write(sum);
        }
    }
}
