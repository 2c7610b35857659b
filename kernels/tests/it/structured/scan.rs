//! Running combinations and stretches, against loops over single elements.

use super::value::{
    Value, assert_near, assert_same, combine, combines, evaluate, evaluate_part, shapes,
};
use crate::due::{due_dtypes, is_due};
use phalanx_ops::structured::{ReduceAt, Scan};
use phalanx_ops::{DType, Op, Structured};

const COMMON: [Op; 6] =
    [Op::Add, Op::Multiply, Op::Minimum, Op::Maximum, Op::Subtract, Op::LogicalOr];

/// A scan, alone and continued from the last row of another.
fn check_scan(op: Op, value: &Value, axis: u8) {
    let [outer, extent, inner] = value.lines(axis.into());
    let mut shape = value.shape.clone();
    shape[usize::from(axis)] = 1;
    let before = Value::mixed(value.dtype, &shape, 23);
    let scan = Structured::Scan(Scan { op, axis, in_order: false });
    for continues in [false, true] {
        let mut should = value.clone();
        for place in 0..outer * extent * inner {
            let (row, line) = (place / inner % extent, place / inner / extent * inner);
            let last = match row {
                0 if continues => before.element(line + place % inner).to_vec(),
                0 => continue,
                _ => should.element(place - inner).to_vec(),
            };
            should.set(place, &combine(op, value.dtype, &last, value.element(place)));
        }
        let operands = if continues { vec![value, &before] } else { vec![value] };
        let is = evaluate(scan, &operands);
        assert_same(&is, &should, &format!("scan by {op} of {}", value.dtype));
    }
    // The first block of a split axis continues from no row.
    shape[usize::from(axis)] = 0;
    let none = Value::zeros(value.dtype, &shape);
    let what = format!("scan by {op} of {}", value.dtype);
    assert_same(&evaluate(scan, &[value, &none]), &evaluate(scan, &[value]), &what);
}

fn check_reduce_at(op: Op, value: &Value, axis: u8, starts: &[i64]) {
    let [outer, extent, inner] = value.lines(axis.into());
    let mut shape = value.shape.clone();
    shape[usize::from(axis)] = starts.len();
    let mut should = Value::zeros(value.dtype, &shape);
    for place in 0..outer * starts.len() * inner {
        let (at, outer) = (place / inner % starts.len(), place / inner / starts.len());
        let element = |row: usize| value.element((outer * extent + row) * inner + place % inner);
        let first = starts[at] as usize;
        let end = starts.get(at + 1).map_or(extent, |&end| end as usize);
        let mut last = element(first).to_vec();
        for row in first + 1..end {
            last = combine(op, value.dtype, &last, element(row));
        }
        should.set(place, &last);
    }
    let starts = Value::positions(&[starts.len()], starts.iter().copied());
    let is =
        evaluate(Structured::ReduceAt(ReduceAt { op, axis, in_order: false }), &[value, &starts]);
    assert_same(&is, &should, &format!("stretches by {op} of {}", value.dtype));
}

#[test]
fn every_operation_and_dtype() {
    let mut pairs = 0;
    for &op in Op::ALL {
        for &dtype in DType::ALL.iter().filter(|&&dtype| op.arity() == 2 && combines(op, dtype)) {
            pairs += 1;
            // Each pair has a small array, and those that are due larger ones.
            let shapes = [(vec![7], 0), (vec![9, 5], 0), (vec![70, 130], 1)];
            let count = if is_due(pairs as usize) { shapes.len() } else { 1 };
            for (shape, axis) in shapes.into_iter().take(count) {
                let value = Value::mixed(dtype, &shape, pairs);
                check_scan(op, &value, axis);
                check_reduce_at(op, &value, axis, &[3, 0, 5, 5, 6, 1]);
            }
        }
    }
    assert!(pairs > 150, "{pairs} pairs of operation and dtype");
}

#[test]
fn every_extent_and_axis() {
    for dtype in due_dtypes() {
        for op in COMMON.into_iter().filter(|&op| combines(op, dtype)) {
            for extent in [0, 1, 2, 7, 1000] {
                for (shape, axis) in shapes(extent) {
                    let value = Value::mixed(dtype, &shape, extent as u64);
                    check_scan(op, &value, axis);
                    let starts: Vec<_> = [extent / 2, 0, extent / 3, extent.saturating_sub(1)]
                        .map(|start| start as i64)
                        .to_vec();
                    check_reduce_at(op, &value, axis, if extent > 0 { &starts } else { &[] });
                }
            }
        }
    }
}

/// Rows that are cut into tiles.
#[test]
fn long_rows() {
    for op in [Op::Add, Op::Hypot] {
        for dtype in [DType::F32, DType::BF16] {
            check_scan(op, &Value::mixed(dtype, &[2, 40, 5000], 3), 1);
            check_reduce_at(op, &Value::mixed(dtype, &[2, 40, 5000], 3), 1, &[10, 35]);
        }
    }
}

/// Stretches that are combined in pieces, with the same bits on any number of threads.
#[test]
fn long_stretches() {
    for &dtype in DType::ALL {
        for op in [Op::Add, Op::Maximum, Op::LogAddExp, Op::LogicalXor, Op::Subtract] {
            // In order, sums of 70,001 terms lose more than the tolerance in narrower dtypes.
            let is_inexact = op == Op::LogAddExp && dtype != DType::F64;
            if is_inexact || !combines(op, dtype) {
                continue;
            }
            for (shape, axis) in [(vec![70_001], 0), (vec![3, 33_000], 1), (vec![5000, 2], 0)] {
                let value = Value::finite(dtype, &shape, 9);
                let starts = Value::positions(&[3], [0, 4100, 2].into_iter());
                let reduce = Structured::ReduceAt(ReduceAt { op, axis, in_order: false });
                let is = evaluate_part(reduce, &[&value, &starts], None, None);
                let [_, extent, inner] = value.lines(axis.into());
                let mut should = Value::zeros(dtype, &is.shape);
                for place in 0..should.len() {
                    let (at, line) = (place / inner % 3, place / inner / 3);
                    let element =
                        |row: usize| value.element((line * extent + row) * inner + place % inner);
                    let rows = [0..4100, 4100..4101, 2..extent][at].clone();
                    let mut last = element(rows.start).to_vec();
                    for row in rows.skip(1) {
                        last = combine(op, dtype, &last, element(row));
                    }
                    should.set(place, &last);
                }
                let what = format!("stretches by {op} of {dtype} {shape:?}");
                assert_near(&is, &should, &what);
                assert_same(&evaluate(reduce, &[&value, &starts]), &is, &what);
            }
        }
    }
}
