//! Sorting against a stable sort by comparisons.

use super::value::{Value, assert_same, evaluate, order, shapes};
use phalanx_ops::structured::{Order, Sort};
use phalanx_ops::{DType, Structured};

/// Values and positions of a stable sort.
fn reference(value: &Value, axis: u8) -> [Value; 2] {
    let [outer, extent, inner] = value.lines(axis.into());
    let mut sorted = value.clone();
    let mut positions = Value::zeros(DType::I64, &value.shape);
    for line in 0..outer * inner {
        let place = |row: usize| (line / inner * extent + row) * inner + line % inner;
        let mut rows: Vec<usize> = (0..extent).collect();
        rows.sort_by(|&a, &b| order(value.dtype, value.element(place(a)), value.element(place(b))));
        for (row, &had) in rows.iter().enumerate() {
            sorted.set(place(row), value.element(place(had)));
            positions.set(place(row), &(had as i64).to_ne_bytes());
        }
    }
    [sorted, positions]
}

fn check(value: &Value, axis: u8) {
    let [sorted, positions] = reference(value, axis);
    let sort = |order| evaluate(Structured::Sort(Sort { axis, order }), &[value]);
    // NaNs keep their bits too.
    let is = sort(Order::Values);
    assert_same(&is, &sorted, &format!("sort of {}", value.dtype));
    assert!(is == sorted, "sort of {} {:?} keeps the bits", value.dtype, value.shape);
    assert_same(&sort(Order::Positions), &positions, &format!("argsort of {}", value.dtype));
}

#[test]
fn every_dtype_and_axis() {
    for &dtype in DType::ALL {
        for (seed, extent) in [0, 1, 2, 7, 100, 1000].into_iter().enumerate() {
            for (shape, axis) in shapes(extent) {
                check(&Value::mixed(dtype, &shape, seed as u64), axis);
            }
        }
    }
}

/// Lines that several threads sort together, and those that are counted.
#[test]
fn long_lines() {
    let dtypes =
        [DType::U8, DType::F16, DType::I32, DType::F32, DType::F64, DType::U64, DType::C128];
    for dtype in dtypes {
        check(&Value::mixed(dtype, &[150_001], 5), 0);
        check(&Value::mixed(dtype, &[70_000, 2], 6), 0);
    }
}
