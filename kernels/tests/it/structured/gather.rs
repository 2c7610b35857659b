//! Reading and writing at positions, against loops over single elements.

use super::value::{
    Random, Value, assert_same, combine, combines, evaluate, evaluate_part, shapes,
};
use crate::due::due_dtypes;
use phalanx_ops::structured::{Put, Take, TakeAlong};
use phalanx_ops::{DType, Op, Structured};

/// Random positions, some outside of the axis.
fn positions(shape: &[usize], extent: usize, seed: u64) -> Value {
    let mut random = Random(seed);
    let count: usize = shape.iter().product();
    let mut next = || match random.below(30) {
        0 => i64::MIN,
        1 => i64::MAX,
        2 => -1,
        3 => extent as i64,
        _ => random.below(extent.max(1) as u64) as i64,
    };
    Value::positions(shape, (0..count).map(|_| next()))
}

fn with_axis(shape: &[usize], axis: u8, extent: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[usize::from(axis)] = extent;
    shape
}

fn check_takes(dtype: DType, shape: &[usize], axis: u8, count: usize) {
    let table = Value::mixed(dtype, shape, count as u64);
    let [_, extent, inner] = table.lines(axis.into());
    let to_shape = with_axis(shape, axis, count);
    let of_all = positions(&[count], extent, 3);
    let of_each = positions(&to_shape, extent, 4);
    let mut should = [Value::zeros(dtype, &to_shape), Value::zeros(dtype, &to_shape)];
    if extent > 0 {
        for place in 0..should[0].len() {
            let (row, outer) = (place / inner % count, place / inner / count);
            let takes = [of_all.integer(row), of_each.integer(place)];
            for (should, position) in should.iter_mut().zip(takes) {
                // Negative positions count from the end; positions outside are clamped.
                let position = if position < 0 { position + extent as i64 } else { position };
                let position = position.clamp(0, extent as i64 - 1) as usize;
                let from = (outer * extent + position) * inner + place % inner;
                should.set(place, table.element(from));
            }
        }
    }
    let is = evaluate(Structured::Take(Take { axis }), &[&table, &of_all]);
    assert!(is == should[0], "take of {dtype} {shape:?} at {count}");
    let is = evaluate(Structured::TakeAlong(TakeAlong { axis }), &[&table, &of_each]);
    assert!(is == should[1], "take_along_axis of {dtype} {shape:?} at {count}");
}

/// `start` is the position of the block in the axis.
fn check_put(op: Option<Op>, dtype: DType, shape: &[usize], axis: u8, count: usize, start: usize) {
    let old = Value::mixed(dtype, shape, 7);
    let [_, extent, inner] = old.lines(axis.into());
    let given = with_axis(shape, axis, count);
    let positions = positions(&given, extent + start, 8);
    let values = Value::mixed(dtype, &given, 9);
    let mut should = old.clone();
    for place in 0..values.len() {
        let position = i128::from(positions.integer(place)) - start as i128;
        if (0..extent as i128).contains(&position) {
            let outer = place / inner / count;
            let to = (outer * extent + position as usize) * inner + place % inner;
            let value = values.element(place);
            match op {
                Some(op) => should.set(to, &combine(op, dtype, should.element(to), value)),
                None => should.set(to, value),
            }
        }
    }
    let put = Structured::Put(Put { axis, op, in_order: false });
    let mut origin = vec![0; shape.len()];
    origin[usize::from(axis)] = start;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let is = evaluate_part(put, &[&old, &positions, &values], Some(&origin), None);
    let on_three = evaluate_part(put, &[&old, &positions, &values], Some(&origin), Some(&pool));
    assert!(is == on_three, "{op:?} of {dtype} {shape:?} on three threads");
    assert_same(&is, &should, &format!("put by {op:?} of {dtype} at {count} from {start}"));
}

#[test]
fn takes_of_every_dtype_and_axis() {
    for dtype in due_dtypes() {
        for extent in [0, 1, 2, 7, 1000] {
            for (shape, axis) in shapes(extent) {
                for count in [0, 1, 5, 300] {
                    check_takes(dtype, &shape, axis, count);
                }
            }
        }
    }
}

/// Results that several threads write, with rows that one copy moves.
#[test]
fn many_positions() {
    for shape in [&[1000][..], &[1000, 3], &[3, 1000], &[2, 50, 700]] {
        let axis = if shape[0] < 10 { 1 } else { 0 };
        for dtype in [DType::U8, DType::F32, DType::C128] {
            check_takes(dtype, shape, axis, if shape.len() > 2 { 200 } else { 70_000 });
        }
    }
}

#[test]
fn puts_of_every_dtype_and_axis() {
    for dtype in due_dtypes() {
        for extent in [0, 1, 2, 7, 1000] {
            for (shape, axis) in shapes(extent) {
                for (count, start) in [(0, 0), (1, 0), (5, 3), (300, 100)] {
                    check_put(None, dtype, &shape, axis, count, start);
                    check_put(Some(Op::Add), dtype, &shape, axis, count, start);
                }
            }
        }
    }
}

#[test]
fn puts_by_every_operation() {
    for &op in Op::ALL {
        for &dtype in DType::ALL.iter().filter(|&&dtype| op.arity() == 2 && combines(op, dtype)) {
            check_put(Some(op), dtype, &[30], 0, 200, 2);
            check_put(Some(op), dtype, &[6, 80], 0, 20, 2);
        }
    }
}

/// Blocks that several threads write to.
#[test]
fn many_puts() {
    for op in [None, Some(Op::Add), Some(Op::Hypot)] {
        for (shape, axis) in [(&[5000][..], 0), (&[2, 500], 1), (&[20, 3000], 0)] {
            let count = if shape[0] == 20 { 40 } else { 40_000 };
            check_put(op, DType::F32, shape, axis, count, 10);
        }
    }
}
