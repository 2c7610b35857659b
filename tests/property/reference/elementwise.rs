//! Elementwise operations, one element at a time.

use super::value::Value;
use phalanx::{DType, Op};

/// The dtype that both dtypes convert to.
pub fn promote(a: DType, b: DType) -> DType {
    if a == DType::F64 || b == DType::F64 {
        DType::F64
    } else if a == DType::I64 || b == DType::I64 {
        DType::I64
    } else {
        DType::Bool
    }
}

/// The dtype in which a binary operation computes and that of its result; `None` if NumPy has no
/// such operation or programs do not use it.
pub fn binary_dtypes(op: Op, left: DType, right: DType) -> Option<(DType, DType)> {
    let common = promote(left, right);
    match op {
        Op::Add | Op::Multiply | Op::Minimum | Op::Maximum => Some((common, common)),
        Op::Subtract | Op::Remainder if common != DType::Bool => Some((common, common)),
        Op::FloorDivide if common == DType::I64 => Some((common, common)),
        Op::Divide => Some((DType::F64, DType::F64)),
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            Some((common, DType::Bool))
        }
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor => Some((common, DType::Bool)),
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor if common != DType::F64 => {
            Some((common, common))
        }
        _ => None,
    }
}

/// A binary operation of two elements of the same dtype.
pub fn binary(op: Op, left: Value, right: Value) -> Value {
    use Value::{Bool, Float, Int};
    match op {
        Op::Equal => return Bool(compare(left, right, |a, b| a == b, |a, b| a == b)),
        Op::NotEqual => return Bool(compare(left, right, |a, b| a != b, |a, b| a != b)),
        Op::Less => return Bool(compare(left, right, |a, b| a < b, |a, b| a < b)),
        Op::LessEqual => return Bool(compare(left, right, |a, b| a <= b, |a, b| a <= b)),
        Op::Greater => return Bool(compare(left, right, |a, b| a > b, |a, b| a > b)),
        Op::GreaterEqual => return Bool(compare(left, right, |a, b| a >= b, |a, b| a >= b)),
        Op::LogicalAnd => return Bool(left.truth() && right.truth()),
        Op::LogicalOr => return Bool(left.truth() || right.truth()),
        Op::LogicalXor => return Bool(left.truth() != right.truth()),
        _ => {}
    }
    match (op, left, right) {
        (Op::Add | Op::Maximum | Op::BitwiseOr, Bool(a), Bool(b)) => Bool(a | b),
        (Op::Multiply | Op::Minimum | Op::BitwiseAnd, Bool(a), Bool(b)) => Bool(a & b),
        (Op::BitwiseXor, Bool(a), Bool(b)) => Bool(a ^ b),
        (Op::Add, Int(a), Int(b)) => Int(a.wrapping_add(b)),
        (Op::Subtract, Int(a), Int(b)) => Int(a.wrapping_sub(b)),
        (Op::Multiply, Int(a), Int(b)) => Int(a.wrapping_mul(b)),
        (Op::Minimum, Int(a), Int(b)) => Int(a.min(b)),
        (Op::Maximum, Int(a), Int(b)) => Int(a.max(b)),
        (Op::BitwiseAnd, Int(a), Int(b)) => Int(a & b),
        (Op::BitwiseOr, Int(a), Int(b)) => Int(a | b),
        (Op::BitwiseXor, Int(a), Int(b)) => Int(a ^ b),
        (Op::FloorDivide | Op::Remainder, Int(_), Int(0)) => Int(0),
        (Op::FloorDivide, Int(a), Int(b)) => {
            let quotient = a.wrapping_div(b);
            let inexact = quotient.wrapping_mul(b) != a;
            Int(if inexact && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
        }
        (Op::Remainder, Int(a), Int(b)) => {
            let rest = a.wrapping_rem(b);
            Int(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        (Op::Add, Float(a), Float(b)) => Float(a + b),
        (Op::Subtract, Float(a), Float(b)) => Float(a - b),
        (Op::Multiply, Float(a), Float(b)) => Float(a * b),
        (Op::Divide, Float(a), Float(b)) => Float(a / b),
        (Op::Remainder, Float(a), Float(b)) => match a % b {
            0.0 => Float(0f64.copysign(b)),
            rest if (rest < 0.0) != (b < 0.0) => Float(rest + b),
            rest => Float(rest),
        },
        (Op::Minimum, Float(a), Float(b)) if a.is_nan() || b.is_nan() => Float(f64::NAN),
        (Op::Maximum, Float(a), Float(b)) if a.is_nan() || b.is_nan() => Float(f64::NAN),
        (Op::Minimum, Float(a), Float(b)) => Float(if b < a { b } else { a }),
        (Op::Maximum, Float(a), Float(b)) => Float(if b > a { b } else { a }),
        _ => unreachable!("bug: {} of {left} and {right}", op.name()),
    }
}

fn compare(
    left: Value,
    right: Value,
    ints: impl Fn(i64, i64) -> bool,
    floats: impl Fn(f64, f64) -> bool,
) -> bool {
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => floats(a, b),
        (a, b) => ints(a.int(), b.int()),
    }
}

/// A unary operation on an element.
type Unary = fn(Value) -> Value;

/// A unary operation; `None` where programs do not use it for the dtype.
pub fn unary(op: Op, dtype: DType) -> Option<(DType, Unary)> {
    use Value::{Bool, Float, Int};
    Some(match (op, dtype) {
        (Op::Negative, DType::I64) => (DType::I64, |v| Int(v.int().wrapping_neg())),
        (Op::Negative, DType::F64) => (DType::F64, |v| Float(-v.float())),
        (Op::Absolute, DType::Bool) => (DType::Bool, |v| v),
        (Op::Absolute, DType::I64) => (DType::I64, |v| Int(v.int().wrapping_abs())),
        (Op::Absolute, DType::F64) => (DType::F64, |v| Float(v.float().abs())),
        (Op::Square, DType::I64) => (DType::I64, |v| Int(v.int().wrapping_mul(v.int()))),
        (Op::Square, DType::F64) => (DType::F64, |v| Float(v.float() * v.float())),
        (Op::Sqrt, DType::I64 | DType::F64) => (DType::F64, |v| Float(v.float().sqrt())),
        (Op::Floor, DType::I64) => (DType::I64, |v| v),
        (Op::Floor, DType::F64) => (DType::F64, |v| Float(v.float().floor())),
        (Op::Isnan, DType::F64) => (DType::Bool, |v| Bool(v.float().is_nan())),
        (Op::LogicalNot, _) => (DType::Bool, |v| Bool(!v.truth())),
        (Op::Invert, DType::Bool) => (DType::Bool, |v| Bool(!v.truth())),
        (Op::Invert, DType::I64) => (DType::I64, |v| Int(!v.int())),
        _ => return None,
    })
}

/// The magnitude that rounding errors refer to after an operation on magnitudes; `None` if the
/// operation can make small errors large.
pub fn magnitude(op: Op, left: f64, right: f64) -> Option<f64> {
    match op {
        Op::Add | Op::Subtract => Some(left + right),
        Op::Multiply => Some(left * right),
        Op::Minimum | Op::Maximum => Some(left.max(right)),
        Op::Negative | Op::Absolute => Some(left),
        Op::Square => Some(left * left),
        _ => None,
    }
}
