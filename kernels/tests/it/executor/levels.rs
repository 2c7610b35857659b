//! The loops give the same bits at every level of vector instructions.

use super::case::{Case, Generator};
use super::golden::{stencil, text};
use phalanx_device::instructions::{Level, use_level};
use phalanx_kernels::cpu::{Tuning, loops};
use phalanx_ops::{DType, Monoid, Op, Scalar, Weak};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time sets the level; other tests run at any level.
static CHOICE: Mutex<()> = Mutex::new(());

/// The levels that this processor has, with the lock on the choice; prints those that it lacks.
fn levels(test: &str) -> (Vec<Level>, MutexGuard<'static, ()>) {
    let guard = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let (found, lacking): (Vec<Level>, Vec<Level>) =
        Level::ALL.into_iter().partition(|level| level.is_available());
    for level in lacking {
        println!("skipped: {test} needs a processor with {}", level.name());
    }
    (found, guard)
}

/// Compares the result of `compute` at each level with the first; the best level stays set.
fn compare<T: PartialEq>(levels: &[Level], what: &str, mut compute: impl FnMut() -> Vec<T>) {
    let mut first: Option<Vec<T>> = None;
    for &level in levels {
        assert!(use_level(Some(level)), "{} was available", level.name());
        let found = compute();
        match &first {
            None => first = Some(found),
            Some(expected) => {
                assert_eq!(found.len(), expected.len());
                let wrong = (0..found.len()).find(|&at| found[at] != expected[at]);
                assert_eq!(wrong, None, "{what}: the first difference with {}", level.name());
            }
        }
    }
}

/// Random elements, with corner cases among them.
fn elements(dtype: DType, seed: u64, count: usize) -> Vec<u64> {
    let mut generator = Generator(seed);
    let corners = [0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310];
    let bytes: Vec<u8> = (0..count)
        .flat_map(|_| {
            let element = match generator.below(12) {
                0 if dtype.is_inexact() => {
                    Scalar::from_weak(dtype, Weak::Float(generator.pick(&corners)))
                }
                1 if dtype.is_integer() => Scalar::from_bytes(dtype, &[0x80; 16]),
                2 if dtype.is_integer() => Scalar::from_bytes(dtype, &[0xff; 16]),
                _ => generator.scalar(dtype),
            };
            element.bytes().to_vec()
        })
        .collect();
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    });
    words.collect()
}

const COUNT: usize = 1003;

fn output(dtype: DType) -> Vec<u64> {
    vec![0; (COUNT * dtype.size()).div_ceil(8)]
}

#[test]
fn every_operation_gives_the_same_bits_with_all_instructions() {
    let (levels, _guard) = levels("every_operation_gives_the_same_bits_with_all_instructions");
    for &op in Op::ALL {
        for signature in op.signatures() {
            let Some(code) = loops::elementwise(op, signature.inputs()) else { continue };
            let operands: Vec<Vec<u64>> = signature
                .inputs()
                .iter()
                .enumerate()
                .map(|(at, &dtype)| elements(dtype, at as u64 + 1, COUNT))
                .collect();
            let pointers: Vec<*const u8> =
                operands.iter().map(|operand| operand.as_ptr().cast()).collect();
            compare(&levels, &format!("{op} of {:?}", signature.inputs()), || {
                let mut result = output(signature.output);
                // SAFETY: conditions 1 to 4 of the loops: distinct arrays of `COUNT` elements.
                unsafe { code(&pointers, result.as_mut_ptr().cast(), COUNT) };
                result
            });
        }
    }
}

#[test]
fn every_cast_gives_the_same_bits_with_all_instructions() {
    let (levels, _guard) = levels("every_cast_gives_the_same_bits_with_all_instructions");
    for &from in DType::ALL {
        let operand = elements(from, 3, COUNT);
        for &to in DType::ALL {
            let code = loops::cast(from, to);
            compare(&levels, &format!("{from} to {to}"), || {
                let mut result = output(to);
                // SAFETY: conditions 1 to 4 of the loops: distinct arrays of `COUNT` elements.
                unsafe { code(&[operand.as_ptr().cast()], result.as_mut_ptr().cast(), COUNT) };
                result
            });
        }
    }
}

#[test]
fn every_selection_and_combination_gives_the_same_bits_with_all_instructions() {
    let (levels, _guard) =
        levels("every_selection_and_combination_gives_the_same_bits_with_all_instructions");
    let condition = elements(DType::Bool, 4, COUNT);
    for &dtype in DType::ALL {
        let (left, right) = (elements(dtype, 5, COUNT), elements(dtype, 6, COUNT));
        let select = loops::select(dtype.size());
        compare(&levels, &format!("select of {dtype}"), || {
            let mut result = output(dtype);
            // SAFETY: the conditions of the loops: distinct arrays of `COUNT` elements.
            unsafe {
                select(
                    condition.as_ptr().cast(),
                    left.as_ptr().cast(),
                    right.as_ptr().cast(),
                    result.as_mut_ptr().cast(),
                    COUNT,
                );
            }
            result
        });
        for &monoid in Monoid::ALL {
            let Some(code) = loops::combine(monoid, dtype) else { continue };
            compare(&levels, &format!("{monoid} of {dtype} in place"), || {
                let mut result = left.clone();
                let target: *mut u8 = result.as_mut_ptr().cast();
                // SAFETY: as above; the first operand is the output exactly.
                unsafe { code(&[target.cast_const(), right.as_ptr().cast()], target, COUNT) };
                result
            });
        }
    }
}

/// A sum of `count` numbers of a dtype.
fn sum(dtype: DType, count: usize) -> Case {
    let text = "kernel(a: T in, b: T out) { for grid { for i0 loop {
        v0: T = load a.0[i0]
        fold v1: T = add(v0) }
        store b.1[] = v1 } }";
    let text = text.replace(": T", &format!(": {dtype}"));
    Case::new(&text, &[count]).random(0, count).random(1, 1).access(0, 0, &[1])
}

#[test]
fn every_kind_of_kernel_gives_the_same_bits_with_all_instructions() {
    let (levels, _guard) = levels("every_kind_of_kernel_gives_the_same_bits_with_all_instructions");
    let mut cases = Vec::new();
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128, DType::F16, DType::BF16] {
        cases.extend([31, 1000, 70_001].map(|count| ("sum", sum(dtype, count))));
    }
    for (rows, columns) in [(1, 5000), (40, 300), (700, 6)] {
        let strides = [columns as isize, 1];
        let variance = Case::new(&text("variance"), &[rows, columns, columns])
            .random(0, rows * columns)
            .random(1, rows)
            .access(0, 0, &strides)
            .access(1, 0, &strides)
            .access(2, 0, &[1])
            .scalar(Scalar::new(columns as f64));
        let softmax = Case::new(&text("softmax"), &[rows, columns, columns, columns])
            .random(0, rows * columns)
            .random(1, rows * columns);
        let softmax = (0..4).fold(softmax, |case, at| case.access(at, 0, &strides));
        let stencil = stencil([rows, columns], [0, 0]);
        cases.extend([("variance", variance), ("softmax", softmax), ("stencil", stencil)]);
    }
    let chain = Case::new(&text("chain"), &[3000])
        .random(0, 3000)
        .random(1, 3000)
        .random(2, 3000)
        .scalar(Scalar::new(1.5));
    cases.push(("chain", (0..3).fold(chain, |case, at| case.access(at, 0, &[1]))));
    for (name, case) in &cases {
        for stream_from in [None, Some(0)] {
            let tuning = Tuning { stream_from, ..Tuning::default() };
            compare(&levels, &format!("{name} over {:?}", case.extents), || {
                case.run(None, &tuning).concat()
            });
        }
    }
}
