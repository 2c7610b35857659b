//! Methods of ufuncs.

use crate::arguments::Arguments;
use phalanx::{Array, Axes, Op, keepdims, ufunc};

/// The axes, the first if none are given.
fn axes(a: &Arguments) -> Axes {
    if a.value("axis").is_some() {
        return a.axes();
    }
    if a.flag("keepdims") { keepdims(0) } else { 0.into() }
}

fn reduced(op: Op, a: &Arguments) -> Array {
    ufunc(op).reduce(&a.array(0), axes(a))
}

fn outer(op: Op, a: &Arguments) -> Array {
    ufunc(op).outer(&a.array(0), &a.array(1))
}

calls! { a =>
    "add.reduce": reduced(Op::Add, a),
    "multiply.reduce": reduced(Op::Multiply, a),
    "minimum.reduce": reduced(Op::Minimum, a),
    "maximum.reduce": reduced(Op::Maximum, a),
    "logical_and.reduce": reduced(Op::LogicalAnd, a),
    "logical_or.reduce": reduced(Op::LogicalOr, a),
    "logical_xor.reduce": reduced(Op::LogicalXor, a),
    "bitwise_and.reduce": reduced(Op::BitwiseAnd, a),
    "bitwise_or.reduce": reduced(Op::BitwiseOr, a),
    "bitwise_xor.reduce": reduced(Op::BitwiseXor, a),
    "logaddexp.reduce": reduced(Op::LogAddExp, a),
    "logaddexp2.reduce": reduced(Op::LogAddExp2, a),
    "fmin.reduce": reduced(Op::Fmin, a),
    "fmax.reduce": reduced(Op::Fmax, a),
    "subtract.reduce": reduced(Op::Subtract, a),
    "sqrt.reduce": reduced(Op::Sqrt, a),
    "add.outer": outer(Op::Add, a),
    "subtract.outer": outer(Op::Subtract, a),
    "multiply.outer": outer(Op::Multiply, a),
    "maximum.outer": outer(Op::Maximum, a),
    "less.outer": outer(Op::Less, a),
}
