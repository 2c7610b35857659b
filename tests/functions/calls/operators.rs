//! Operators of arrays, and those that change the left operand.

use phalanx::{Array, Op, matmul};

use crate::arguments::Arguments;

calls! { a =>
    "ndarray.__add__": &a.array(0) + a.argument(1),
    "ndarray.__sub__": &a.array(0) - a.argument(1),
    "ndarray.__mul__": &a.array(0) * a.argument(1),
    "ndarray.__truediv__": &a.array(0) / a.argument(1),
    "ndarray.__floordiv__": a.array(0).floor_divide(a.argument(1)),
    "ndarray.__mod__": &a.array(0) % a.argument(1),
    "ndarray.__pow__": a.array(0).power(a.argument(1)),
    "ndarray.__and__": &a.array(0) & a.argument(1),
    "ndarray.__or__": &a.array(0) | a.argument(1),
    "ndarray.__xor__": &a.array(0) ^ a.argument(1),
    "ndarray.__lshift__": a.array(0).left_shift(a.argument(1)),
    "ndarray.__rshift__": a.array(0).right_shift(a.argument(1)),
    "ndarray.__divmod__": a.array(0).divmod(a.argument(1)),
    "ndarray.__eq__": a.array(0).equal(a.argument(1)),
    "ndarray.__ne__": a.array(0).not_equal(a.argument(1)),
    "ndarray.__lt__": a.array(0).less(a.argument(1)),
    "ndarray.__le__": a.array(0).less_equal(a.argument(1)),
    "ndarray.__gt__": a.array(0).greater(a.argument(1)),
    "ndarray.__ge__": a.array(0).greater_equal(a.argument(1)),
    "ndarray.__radd__": reflected(a, Op::Add),
    "ndarray.__rsub__": reflected(a, Op::Subtract),
    "ndarray.__rmul__": reflected(a, Op::Multiply),
    "ndarray.__rtruediv__": reflected(a, Op::Divide),
    "ndarray.__rfloordiv__": reflected(a, Op::FloorDivide),
    "ndarray.__rmod__": reflected(a, Op::Remainder),
    "ndarray.__rpow__": reflected(a, Op::Power),
    "ndarray.__rand__": reflected(a, Op::BitwiseAnd),
    "ndarray.__ror__": reflected(a, Op::BitwiseOr),
    "ndarray.__rxor__": reflected(a, Op::BitwiseXor),
    "ndarray.__rlshift__": reflected(a, Op::LeftShift),
    "ndarray.__rrshift__": reflected(a, Op::RightShift),
    "ndarray.__neg__": -&a.array(0),
    "ndarray.__pos__": a.array(0).positive(),
    "ndarray.__abs__": a.array(0).abs(),
    "ndarray.__invert__": !&a.array(0),
    "ndarray.__iadd__": a.array(0).add_assign(a.argument(1)),
    "ndarray.__isub__": a.array(0).subtract_assign(a.argument(1)),
    "ndarray.__imul__": a.array(0).multiply_assign(a.argument(1)),
    "ndarray.__itruediv__": a.array(0).divide_assign(a.argument(1)),
    "ndarray.__ifloordiv__": a.array(0).floor_divide_assign(a.argument(1)),
    "ndarray.__imod__": a.array(0).remainder_assign(a.argument(1)),
    "ndarray.__ipow__": a.array(0).power_assign(a.argument(1)),
    "ndarray.__iand__": a.array(0).bitwise_and_assign(a.argument(1)),
    "ndarray.__ior__": a.array(0).bitwise_or_assign(a.argument(1)),
    "ndarray.__ixor__": a.array(0).bitwise_xor_assign(a.argument(1)),
    "ndarray.__ilshift__": a.array(0).left_shift_assign(a.argument(1)),
    "ndarray.__irshift__": a.array(0).right_shift_assign(a.argument(1)),
    "ndarray.__matmul__": matmul(&a.array(0), &a.array(1)),
}

/// The operator with the array on the right.
fn reflected(a: &Arguments, op: Op) -> Array {
    Array::apply(op, &[a.argument(1), a.argument(0)])
}
