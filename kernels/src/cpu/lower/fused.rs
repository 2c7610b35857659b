//! Pairs of arithmetic operations as one loop: the value between them stays in a vector register.
//!
//! Each operation still rounds separately, so a pair gives the bits of its two operations.

use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::Loop;
use crate::cpu::program::{Apply, Code, Phase, RegisterId, Step, Width};
use phalanx_ops::{DType, Op};
use rustc_hash::FxHashMap;
use std::mem::MaybeUninit;
use std::ops::{Add, Mul, Sub};

/// Replaces pairs of executor steps whose first result only the second step reads.
pub(super) fn fuse_pairs(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        fuse_list(&mut phase.steps, &reads);
    }
}

/// How many times each register is read.
pub(super) fn count_reads(phases: &[Phase]) -> FxHashMap<RegisterId, usize> {
    let mut reads: FxHashMap<RegisterId, usize> = FxHashMap::default();
    let mut all = Vec::new();
    for phase in phases.iter() {
        phase.steps.iter().chain(&phase.epilogue).for_each(|step| step.reads(&mut all));
        phase.folds.iter().for_each(|fold| all.extend(fold.reads()));
    }
    for register in all {
        *reads.entry(register).or_default() += 1;
    }
    reads
}

fn fuse_list(steps: &mut Vec<Step>, reads: &FxHashMap<RegisterId, usize>) {
    for step in steps.iter_mut() {
        if let Step::Loop(inner) = step {
            fuse_list(&mut inner.steps, reads);
        }
    }
    let mut at = 0;
    while at < steps.len() {
        match pair_at(steps, at, reads) {
            Some((first, fused)) => {
                steps[at] = Step::Apply(fused);
                steps.remove(first);
            }
            None => at += 1,
        }
    }
}

/// The executor step that replaces step `at` and an earlier one, if there is one.
fn pair_at(
    steps: &[Step],
    at: usize,
    reads: &FxHashMap<RegisterId, usize>,
) -> Option<(usize, Apply)> {
    let Step::Apply(second) = &steps[at] else { return None };
    let (outer, dtype) = second.arithmetic.filter(|_| second.inputs.len() == 2)?;
    for (place, &input) in second.inputs.iter().enumerate() {
        if reads.get(&input) != Some(&1) {
            continue;
        }
        let defined = (0..at).rev().find(|&before| steps[before].output() == Some(input));
        let Some((first, Step::Apply(apply))) = defined.map(|first| (first, &steps[first])) else {
            continue;
        };
        if apply.width != second.width || second.width != Width::Block {
            continue;
        }
        let Some((inner, inner_dtype)) = apply.arithmetic else { continue };
        if inner_dtype != dtype || apply.destination.is_some() {
            continue;
        }
        let Some(code) = pair(inner, outer, place == 1, dtype) else { continue };
        let mut inputs = apply.inputs.clone();
        if let [squared] = inputs.as_slice() {
            inputs.push(*squared);
        }
        inputs.push(second.inputs[1 - place]);
        return Some((
            first,
            Apply {
                code: Code::Elementwise(code),
                inputs,
                output: second.output,
                width: second.width,
                destination: None,
                arithmetic: None,
                guard: None,
            },
        ));
    }
    None
}

/// An operation in the form in which it can be paired; `None` if it cannot.
pub(super) fn arithmetic(op: Op, dtype: DType) -> Option<(Op, DType)> {
    let op = match op {
        Op::Add | Op::Subtract | Op::Multiply => op,
        Op::Square => Op::Multiply,
        _ => return None,
    };
    matches!(dtype, DType::F32 | DType::F64).then_some((op, dtype))
}

/// The loop `outer(inner(a, b), c)`, or `outer(c, inner(a, b))` if `swapped`.
fn pair(inner: Op, outer: Op, swapped: bool, dtype: DType) -> Option<Loop> {
    macro_rules! outer {
        ($type:ty, $inner:ident, $swapped:literal) => {
            match outer {
                Op::Add => Some(run::<$type, $inner, Sum, $swapped> as Loop),
                Op::Subtract => Some(run::<$type, $inner, Difference, $swapped> as Loop),
                Op::Multiply => Some(run::<$type, $inner, Product, $swapped> as Loop),
                _ => None,
            }
        };
    }
    macro_rules! inner {
        ($type:ty, $swapped:literal) => {
            match inner {
                Op::Add => outer!($type, Sum, $swapped),
                Op::Subtract => outer!($type, Difference, $swapped),
                Op::Multiply => outer!($type, Product, $swapped),
                _ => None,
            }
        };
    }
    match (dtype, swapped) {
        (DType::F64, false) => inner!(f64, false),
        (DType::F64, true) => inner!(f64, true),
        (DType::F32, false) => inner!(f32, false),
        (DType::F32, true) => inner!(f32, true),
        _ => None,
    }
}

trait Float: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl Float for f32 {}
impl Float for f64 {}

trait Operation {
    fn apply<T: Float>(left: T, right: T) -> T;
}

struct Sum;
struct Difference;
struct Product;

impl Operation for Sum {
    #[inline(always)]
    fn apply<T: Float>(left: T, right: T) -> T {
        left + right
    }
}

impl Operation for Difference {
    #[inline(always)]
    fn apply<T: Float>(left: T, right: T) -> T {
        left - right
    }
}

impl Operation for Product {
    #[inline(always)]
    fn apply<T: Float>(left: T, right: T) -> T {
        left * right
    }
}

/// Elements computed at a time where the output is also an input.
const STRETCH: usize = 256;

/// A `Loop` of three inputs.
unsafe fn run<T: Float, I: Operation, O: Operation, const SWAPPED: bool>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
) {
    // SAFETY: as the caller promises of a loop.
    unsafe {
        in_stretches(inputs, output, count, |[a, b, c], out: &mut [MaybeUninit<T>]| {
            map::<T, I, O, SWAPPED>(a, b, c, out);
        });
    }
}

/// A `Loop` by slices: `map` fills its last argument from as many elements of each input.
///
/// # Safety
///
/// The conditions of a `Loop` of elements of `T`; an input overlaps the output only if it is the
/// output exactly.
#[inline(always)]
pub(super) unsafe fn in_stretches<T: Copy, const INPUTS: usize>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
    map: impl Fn([&[T]; INPUTS], &mut [MaybeUninit<T>]),
) {
    let output = output.cast::<MaybeUninit<T>>();
    let aliased = inputs.contains(&output.cast_const().cast());
    let mut stage = [const { MaybeUninit::<T>::uninit() }; STRETCH];
    let mut at = 0;
    while at < count {
        let length = if aliased { STRETCH.min(count - at) } else { count };
        // SAFETY: a loop's inputs hold `count` elements; an output that is also an input is not
        // written while these slices live.
        let slices: [&[T]; INPUTS] = std::array::from_fn(|input| unsafe {
            std::slice::from_raw_parts(inputs[input].cast::<T>().add(at), length)
        });
        if aliased {
            map(slices, &mut stage[..length]);
            // SAFETY: the output holds `count` elements; the stage was just filled.
            unsafe { std::ptr::copy_nonoverlapping(stage.as_ptr(), output.add(at), length) };
        } else {
            // SAFETY: the output holds `count` elements and is none of the inputs.
            let out = unsafe { std::slice::from_raw_parts_mut(output.add(at), length) };
            map(slices, out);
        }
        at += length;
    }
}

for_each_level! {
    fn map[T: Float, I: Operation, O: Operation, const SWAPPED: bool][T, I, O, SWAPPED](
        a: &[T],
        b: &[T],
        c: &[T],
        out: &mut [MaybeUninit<T>],
    ) {
        for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
            let inner = I::apply(a, b);
            out.write(if SWAPPED { O::apply(c, inner) } else { O::apply(inner, c) });
        }
    }
}
