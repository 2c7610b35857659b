//! Running combinations, and the methods of ufuncs that work along an axis.

use crate::arguments::Arguments;
use phalanx::{
    Array, Op, cumprod, cumsum, cumulative_as, cumulative_prod, cumulative_sum, ix, nancumprod,
    nancumsum, ufunc,
};

type Scan = fn(&Array, Option<i64>) -> Array;

/// A running combination, in another dtype if one is given.
fn scanned(op: Op, scan: Scan, a: &Arguments) -> Array {
    let (array, axis) = (a.array(0), a.optional_int("axis"));
    match a.optional_dtype("dtype") {
        Some(dtype) => cumulative_as(&array, op, axis, dtype),
        None => scan(&array, axis),
    }
}

/// Like [`scanned`], for functions without a dtype argument.
fn without_nan(scan: Scan, a: &Arguments) -> Array {
    let (array, axis) = (a.array(0), a.optional_int("axis"));
    let array = a.optional_dtype("dtype").map_or(array.clone(), |dtype| array.astype(dtype));
    scan(&array, axis)
}

fn accumulated(op: Op, a: &Arguments) -> Array {
    ufunc(op).accumulate(&a.array(0), a.int_or("axis", 0))
}

fn reduced(op: Op, a: &Arguments) -> Array {
    ufunc(op).reduceat(&a.array(0), &a.array(1), 0)
}

fn combined(op: Op, a: &Arguments) {
    ufunc(op).at(&a.array(0), ix![&a.array(1)], a.argument(2));
}

calls! { a =>
    "cumsum" | "ndarray.cumsum": scanned(Op::Add, |array, axis| cumsum(array, axis), a),
    "cumprod" | "ndarray.cumprod": scanned(Op::Multiply, |array, axis| cumprod(array, axis), a),
    "nancumsum": without_nan(|array, axis| nancumsum(array, axis), a),
    "nancumprod": without_nan(|array, axis| nancumprod(array, axis), a),
    "cumulative_sum": cumulative_sum(
        &a.array(0),
        a.optional_int("axis"),
        a.optional_dtype("dtype"),
        a.flag("include_initial"),
    ),
    "cumulative_prod": cumulative_prod(
        &a.array(0),
        a.optional_int("axis"),
        a.optional_dtype("dtype"),
        a.flag("include_initial"),
    ),
    "add.accumulate": accumulated(Op::Add, a),
    "multiply.accumulate": accumulated(Op::Multiply, a),
    "maximum.accumulate": accumulated(Op::Maximum, a),
    "minimum.accumulate": accumulated(Op::Minimum, a),
    "logical_or.accumulate": accumulated(Op::LogicalOr, a),
    "subtract.accumulate": accumulated(Op::Subtract, a),
    "add.reduceat": reduced(Op::Add, a),
    "maximum.reduceat": reduced(Op::Maximum, a),
    "add.at": combined(Op::Add, a),
    "divide.at": combined(Op::Divide, a),
    "multiply.at": combined(Op::Multiply, a),
    "maximum.at": combined(Op::Maximum, a),
}
