//! Routines on a GPU against those of the CPU, where there is a GPU.

use super::sort::in_runs;
use super::value::{
    Random, Value, assert_near, assert_same, combines, evaluate, evaluate_part, is_half, numbers,
    shapes,
};
use crate::executor::device;
use num_complex::Complex64;
use phalanx_device::{Buffer, Device};
use phalanx_kernels::loaded_late;
use phalanx_kernels::structured::{Block, missing, run_on};
use phalanx_ops::structured::{Matmul, Order, Put, ReduceAt, Scan, SearchSorted, Side, Sort};
use phalanx_ops::{DType, Op, Scalar, Structured};
use std::sync::Arc;

/// The value of an operation on a GPU; two runs must give the same.
fn on_gpu(
    op: Structured,
    operands: &[&Value],
    origin: &[usize],
    device: &Arc<dyn Device>,
) -> Value {
    let pairs: Vec<_> = operands.iter().map(|value| (&value.shape[..], value.dtype)).collect();
    let (shape, dtype) = op.result(&pairs);
    let upload = |bytes: &[u8]| device.upload(bytes).expect("a small buffer fits");
    let buffers: Vec<Buffer> = operands.iter().map(|value| upload(&value.bytes)).collect();
    let start = [0; 8];
    let block = |(value, buffer)| {
        let value: &Value = value;
        let origin = &start[..value.shape.len()];
        Block { buffer, dtype: value.dtype, shape: &value.shape, origin }
    };
    let blocks: Vec<_> = operands.iter().copied().zip(&buffers).map(block).collect();
    let once = || {
        // Bytes that the routine fails to write must not look like results.
        let mut to = Value::zeros(dtype, &shape);
        to.bytes.fill(0xa5);
        let buffer = upload(&to.bytes);
        let block = Block { buffer: &buffer, dtype, shape: &shape, origin };
        run_on(&op, &blocks, &[], &block, device).expect("the routine is compiled");
        if !to.bytes.is_empty() {
            buffer.read(0, &mut to.bytes);
        }
        to
    };
    // The routine runs nothing that was not loaded before the plan begins.
    let nowhere = Buffer::without_memory(0);
    let to = Block { buffer: &nowhere, dtype, shape: &shape, origin };
    for needed in missing(&op, &blocks, &to, device) {
        needed.load(device).expect("the routine is compiled");
    }
    assert!(missing(&op, &blocks, &to, device).is_empty(), "{op:?} of {shape:?} {dtype}");
    let late = loaded_late();
    let first = once();
    assert_eq!(loaded_late(), late, "{op:?} of {shape:?} {dtype} had not been loaded");
    assert!(first == once(), "{op:?} of {:?} {} differs from run to run", shape, dtype);
    first
}

fn with_axis(shape: &[usize], axis: u8, extent: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[usize::from(axis)] = extent;
    shape
}

/// Writes at positions, some outside of the block; `start` is the block's position in the axis.
fn check_put(
    op: Option<Op>,
    dtype: DType,
    (shape, axis): (&[usize], u8),
    count: usize,
    start: usize,
    device: &Arc<dyn Device>,
) {
    let old = Value::mixed(dtype, shape, 7);
    let given = with_axis(shape, axis, count);
    let end = (shape[usize::from(axis)] + start).max(1);
    let mut random = Random(8);
    let mut next = || match random.below(30) {
        0 => i64::MIN,
        1 => -1,
        2 => end as i64,
        _ => random.below(end as u64) as i64,
    };
    let positions: Vec<i64> = (0..given.iter().product()).map(|_| next()).collect();
    let positions = Value::positions(&given, positions.into_iter());
    let values = Value::mixed(dtype, &given, 9);
    let mut origin = vec![0; shape.len()];
    origin[usize::from(axis)] = start;
    let put = Structured::Put(Put { axis, op, in_order: false });
    let operands = [&old, &positions, &values];
    let should = evaluate_part(put, &operands, Some(&origin), None);
    let what = format!("put by {op:?} of {dtype} {shape:?} at {count} from {start}");
    let is = on_gpu(put, &operands, &origin, device);
    match op {
        Some(_) => assert_near(&is, &should, &what),
        None => assert!(is == should, "{what}"),
    }
}

/// Whole numbers, so small that every sum in these tests is exact in f32.
fn whole_numbers(dtype: DType, shape: &[usize], factor: usize) -> Value {
    let number = |at: usize| {
        let part = |factor: usize| ((at * factor) % 7) as f64 - 3.0;
        match dtype.is_complex() {
            true => Scalar::new(Complex64::new(part(factor), part(factor + 2))),
            false => Scalar::new(part(factor)),
        }
    };
    Value::new(shape, (0..shape.iter().product()).map(number), dtype)
}

/// Products of stacks, of sums computed in parts with and without a rest, transposed or not, with
/// and without an addend.
#[test]
fn products() {
    let Some(device) = device() else { return };
    let dtypes = [DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128];
    let sizes = [[1, 3, 5, 4], [3, 65, 70, 33], [1, 8, 70_001, 5], [1, 2, 1 << 17, 3]];
    for (dtype, [count, m, k, n]) in dtypes.iter().flat_map(|&d| sizes.map(|sizes| (d, sizes))) {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            let swap = |transposed, [rows, columns]: [usize; 2]| match transposed {
                true => [count, columns, rows],
                false => [count, rows, columns],
            };
            let a = whole_numbers(dtype, &swap(transposed[0], [m, k]), 3);
            let b = whole_numbers(dtype, &swap(transposed[1], [k, n]), 5);
            let added = whole_numbers(dtype, &[count, m, n], 4);
            for terms in [2, 3] {
                let op = Structured::Matmul(Matmul { transposed, in_order: false });
                let operands = &[&a, &b, &added][..terms];
                let should = evaluate_part(op, operands, None, None);
                let is = on_gpu(op, operands, &[0; 3], &device);
                // A product of complex numbers may be zero of either sign.
                let what = format!("{dtype} {count} {m}x{k}x{n} {transposed:?} {terms}");
                assert_eq!((is.dtype, &is.shape), (should.dtype, &should.shape), "{what}");
                assert_eq!(numbers(&is), numbers(&should), "{what}");
            }
        }
    }
}

/// Products in order have the CPU's bits.
#[test]
fn products_in_order() {
    let Some(device) = device() else { return };
    let sizes = [[1, 3, 5, 4], [3, 65, 70, 33], [1, 8, 7_001, 5], [2, 301, 77, 203]];
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        for [count, m, k, n] in sizes {
            for transposed in [[false, false], [true, false], [false, true], [true, true]] {
                let swap = |transposed, [rows, columns]: [usize; 2]| match transposed {
                    true => [count, columns, rows],
                    false => [count, rows, columns],
                };
                let a = Value::finite(dtype, &swap(transposed[0], [m, k]), 3);
                let b = Value::finite(dtype, &swap(transposed[1], [k, n]), 5);
                let added = Value::finite(dtype, &[count, m, n], 4);
                for terms in [2, 3] {
                    let op = Structured::Matmul(Matmul { transposed, in_order: true });
                    let operands = &[&a, &b, &added][..terms];
                    let should = evaluate_part(op, operands, None, None);
                    let is = on_gpu(op, operands, &[0; 3], &device);
                    let what = format!("{dtype} {count} {m}x{k}x{n} {transposed:?} {terms}");
                    assert_same(&is, &should, &what);
                }
            }
        }
    }
}

#[test]
fn puts() {
    let Some(device) = device() else { return };
    for &dtype in DType::ALL {
        for op in [None, Some(Op::Add), Some(Op::Maximum), Some(Op::BitwiseXor)] {
            if op.is_some_and(|op| !combines(op, dtype)) {
                continue;
            }
            for (extent, count, start) in [(0, 5, 0), (1, 0, 0), (7, 300, 3), (1000, 300, 100)] {
                for (shape, axis) in shapes(extent) {
                    check_put(op, dtype, (&shape, axis), count, start, &device);
                }
            }
        }
    }
    for op in [Op::Subtract, Op::Hypot, Op::Fmin] {
        check_put(Some(op), DType::F32, (&[40, 3], 0), 500, 2, &device);
    }
    check_put(Some(Op::Multiply), DType::U8, (&[40, 3], 0), 500, 2, &device);
    check_put(Some(Op::Multiply), DType::I64, (&[40, 3], 0), 500, 2, &device);
}

/// Slots whose values fill many tiles, few values for a large block, and many for many.
#[test]
fn many_puts() {
    let Some(device) = device() else { return };
    for dtype in [DType::F32, DType::F64, DType::C128, DType::I16, DType::F16] {
        for op in [None, Some(Op::Add)] {
            // A thread combines the values of half types in their order.
            let count = if dtype == DType::F16 { 20_000 } else { 300_000 };
            check_put(op, dtype, (&[3], 0), count, 1, &device);
            check_put(op, dtype, (&[70_000], 0), count, 0, &device);
            check_put(op, dtype, (&[600_000], 0), 100, 0, &device);
            check_put(op, dtype, (&[600_000], 0), 9000, 0, &device);
            check_put(op, dtype, (&[2, 500, 300], 1), 200, 10, &device);
        }
    }
}

#[test]
fn searches() {
    let Some(device) = device() else { return };
    for &dtype in DType::ALL {
        for extent in [0, 1, 2, 3, 7, 1000] {
            let vector = Value::mixed(dtype, &[extent], 11);
            let sort = Structured::Sort(Sort::new(0, Order::Values));
            let sorted = evaluate(sort, &[&vector]);
            for shape in [&[0][..], &[1], &[3, 6007], &[]] {
                let values = Value::mixed(dtype, shape, 12);
                for side in [Side::Left, Side::Right] {
                    let search = Structured::SearchSorted(SearchSorted { side });
                    let should = evaluate(search, &[&sorted, &values]);
                    let origin = vec![0; shape.len()];
                    let is = on_gpu(search, &[&sorted, &values], &origin, &device);
                    assert!(is == should, "searchsorted {side:?} of {dtype} in {extent}");
                }
            }
        }
    }
}

fn check_sorts(dtype: DType, orders: &[Order]) {
    let Some(device) = device() else { return };
    for extent in [0, 1, 2, 7, 2048, 2049, 7000] {
        for (shape, axis) in shapes(extent) {
            let value = Value::mixed(dtype, &shape, 13);
            let origin = vec![0; shape.len()];
            for &order in orders {
                let sort = Structured::Sort(Sort::new(axis, order));
                let should = evaluate_part(sort, &[&value], None, None);
                let is = on_gpu(sort, &[&value], &origin, &device);
                let what = format!("{order:?} of sorted {dtype} {shape:?}");
                // Keys of real numbers do not distinguish zeros of either sign, or NaNs.
                match order == Order::Values && !dtype.is_complex() {
                    true => assert_near(&is, &should, &what),
                    false => assert!(is == should, "{what}"),
                }
            }
        }
    }
}

/// Sorts of each dtype: one test for each, since a tool that checks every memory access needs
/// minutes for one. Wide complex numbers need two sorts.
mod sorts {
    use super::{DType, Order, check_sorts};

    macro_rules! sorts {
        ($($name:ident $dtype:ident $orders:expr;)*) => {
            $(#[test] fn $name() { check_sorts(DType::$dtype, &$orders); })*

            #[test]
            fn every_dtype_has_its_test() {
                let tested = [$(DType::$dtype),*];
                assert!(DType::ALL.iter().all(|dtype| tested.contains(dtype)));
            }
        };
    }

    const BOTH: [Order; 2] = [Order::Positions, Order::Values];
    const ALL: [Order; 3] = [Order::Positions, Order::Values, Order::Packed];

    sorts! {
        of_bool Bool ALL;
        of_i8 I8 ALL;
        of_i16 I16 ALL;
        of_i32 I32 ALL;
        of_i64 I64 BOTH;
        of_u8 U8 ALL;
        of_u16 U16 ALL;
        of_u32 U32 ALL;
        of_u64 U64 [Order::Positions, Order::Values, Order::Unpacked];
        of_f16 F16 ALL;
        of_bf16 BF16 ALL;
        of_f32 F32 ALL;
        of_f64 F64 BOTH;
        of_c64 C64 BOTH;
        of_c128_by_positions C128 [Order::Positions];
        of_c128_by_values C128 [Order::Values];
    }
}

fn check_scan(op: Op, value: &Value, axis: u8, device: &Arc<dyn Device>) {
    let scan = Structured::Scan(Scan { op, axis, in_order: false });
    let before = Value::finite(value.dtype, &with_axis(&value.shape, axis, 1), 31);
    for operands in [vec![value], vec![value, &before]] {
        let should = evaluate_part(scan, &operands, None, None);
        let is = on_gpu(scan, &operands, &vec![0; value.shape.len()], device);
        let what = format!("scan by {op} of {} {:?} along {axis}", value.dtype, value.shape);
        // Results combined in the CPU's order, or without rounding, have the same bits.
        match is_half(value.dtype) && matches!(op, Op::Add | Op::Multiply | Op::Subtract) {
            true => assert_same(&is, &should, &what),
            false => assert_near(&is, &should, &what),
        }
        if op == Op::Add {
            let in_order = Structured::Scan(Scan { op, axis, in_order: true });
            let is = on_gpu(in_order, &operands, &vec![0; value.shape.len()], device);
            assert_same(&is, &should, &format!("in order, {what}"));
        }
    }
}

#[test]
fn scans() {
    let Some(device) = device() else { return };
    for &dtype in DType::ALL {
        for op in [Op::Add, Op::Multiply, Op::Maximum, Op::Fmin, Op::Subtract] {
            // Products of wide numbers overflow in one order and not in another.
            let is_free = op == Op::Multiply && dtype.is_inexact() && !is_half(dtype);
            if is_free || !combines(op, dtype) {
                continue;
            }
            for extent in [0, 1, 7, 9000] {
                for (shape, axis) in shapes(extent) {
                    check_scan(op, &Value::mixed(dtype, &shape, 17), axis, &device);
                    check_scan(op, &Value::finite(dtype, &shape, 18), axis, &device);
                }
            }
        }
    }
    for dtype in [DType::BF16, DType::F32, DType::C128] {
        check_scan(Op::Divide, &Value::finite(dtype, &[40, 70], 19), 1, &device);
    }
}

/// Blocks with several lines, of which the last has fewer, and lines of many tiles.
#[test]
fn many_and_long_scans() {
    let Some(device) = device() else { return };
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::C64] {
        for op in [Op::Add, Op::Subtract] {
            for shape in [[5001, 70], [40_003, 3], [2, 200_000]] {
                check_scan(op, &Value::finite(dtype, &shape, 21), 1, &device);
            }
        }
    }
}

fn check_reduce_at(op: Op, value: &Value, axis: u8, starts: &[i64], device: &Arc<dyn Device>) {
    let starts = Value::positions(&[starts.len()], starts.iter().copied());
    let reduce = Structured::ReduceAt(ReduceAt { op, axis, in_order: false });
    let should = evaluate_part(reduce, &[value, &starts], None, None);
    let origin = vec![0; value.shape.len()];
    let is = on_gpu(reduce, &[value, &starts], &origin, device);
    let what = format!("{} stretches by {op} of {} {:?}", starts.len(), value.dtype, value.shape);
    assert_near(&is, &should, &what);
}

#[test]
fn stretches() {
    let Some(device) = device() else { return };
    for &dtype in DType::ALL {
        for op in [Op::Add, Op::Maximum] {
            for extent in [7, 1000] {
                for (shape, axis) in shapes(extent) {
                    let value = Value::mixed(dtype, &shape, 3);
                    check_reduce_at(op, &value, axis, &[3, 0, 5, 5, 6, 1], &device);
                    check_reduce_at(op, &value, axis, &[-4, 2, i64::MAX], &device);
                    check_reduce_at(op, &value, axis, &[], &device);
                }
            }
        }
    }
    let value = Value::mixed(DType::F32, &[50, 40], 4);
    for op in [Op::Subtract, Op::Hypot] {
        check_reduce_at(op, &value, 0, &[0, 7, 9], &device);
        check_reduce_at(op, &value, 1, &[0, 7, 9], &device);
    }
}

/// Stretches that several warps or threads share.
#[test]
fn long_stretches() {
    let Some(device) = device() else { return };
    for dtype in [DType::F32, DType::F64, DType::C128, DType::I16] {
        for (shape, axis) in [(vec![700_001], 0), (vec![3, 90_000], 1), (vec![2, 90_000, 3], 1)] {
            let value = Value::mixed(dtype, &shape, 5);
            check_reduce_at(Op::Add, &value, axis, &[0], &device);
            check_reduce_at(Op::Add, &value, axis, &[5, 80_000, 3, 3, 70_000, 100], &device);
            let many: Vec<i64> = (0..20_000).map(|at| at * 4).collect();
            check_reduce_at(Op::Add, &value, axis, &many, &device);
        }
    }
}

/// Runs that end inside of tiles, empty ones, and fewer than said.
#[test]
fn lines_of_few_runs_are_merged() {
    let Some(device) = device() else { return };
    let extent = 50_000;
    let all_cuts: [&[usize]; 4] = [
        &[0, extent],
        &[0, 17_001, extent],
        &[0, 1, 9000, 9000, 49_999, extent],
        &[0, 5000, 10_000, 15_001, 20_000, 25_000, 30_003, 35_000, extent],
    ];
    for &dtype in DType::ALL {
        for (seed, cuts) in all_cuts.into_iter().enumerate() {
            let value = in_runs(&Value::mixed(dtype, &[2, extent], seed as u64), cuts);
            let unpacked = (dtype == DType::U64).then_some((cuts.len() - 1, Order::Unpacked));
            let both = [(cuts.len() - 1, Order::Values), (11, Order::Positions)];
            for (runs, order) in both.into_iter().chain(unpacked) {
                let sort = Sort { axis: 1, order, ranks: None, runs: Some(runs) };
                let is = on_gpu(Structured::Sort(sort), &[&value], &[0, 0], &device);
                let should = evaluate(Structured::Sort(Sort::new(1, order)), &[&value]);
                assert_same(&is, &should, &format!("{cuts:?} of {dtype}"));
            }
        }
    }
}

/// Many short lines, and few long ones.
#[test]
fn many_lines_are_sorted() {
    let Some(device) = device() else { return };
    for shape in [[70_000, 3], [3, 70_000]] {
        let value = Value::mixed(DType::U8, &shape, 23);
        for order in [Order::Positions, Order::Values] {
            let sort = Structured::Sort(Sort::new(1, order));
            let should = evaluate_part(sort, &[&value], None, None);
            assert!(on_gpu(sort, &[&value], &[0, 0], &device) == should, "{order:?} of {shape:?}");
        }
    }
}
