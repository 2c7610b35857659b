//! Running combinations and stretches, against loops over single elements.

use super::value::{Value, assert_same, combine, combines, evaluate, shapes};
use phalanx_ops::structured::{ReduceAt, Scan};
use phalanx_ops::{DType, Op, Structured};

const COMMON: [Op; 6] =
    [Op::Add, Op::Multiply, Op::Minimum, Op::Maximum, Op::Subtract, Op::LogicalOr];

fn check_scan(op: Op, value: &Value, axis: u8) {
    let [outer, extent, inner] = value.lines(axis.into());
    let mut should = value.clone();
    for place in 0..outer * extent * inner {
        if (place / inner) % extent > 0 {
            let last = should.element(place - inner).to_vec();
            should.set(place, &combine(op, value.dtype, &last, value.element(place)));
        }
    }
    let is = evaluate(Structured::Scan(Scan { op, axis }), &[value]);
    assert_same(&is, &should, &format!("scan by {op} of {}", value.dtype));
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
    let is = evaluate(Structured::ReduceAt(ReduceAt { op, axis }), &[value, &starts]);
    assert_same(&is, &should, &format!("stretches by {op} of {}", value.dtype));
}

#[test]
fn every_operation_and_dtype() {
    let mut pairs = 0;
    for &op in Op::ALL {
        for &dtype in DType::ALL.iter().filter(|&&dtype| op.arity() == 2 && combines(op, dtype)) {
            pairs += 1;
            for (shape, axis) in [(vec![7], 0), (vec![9, 5], 0), (vec![70, 130], 1)] {
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
    for &dtype in DType::ALL {
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
