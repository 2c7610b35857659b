//! Functions of CUDA whose names state types and a rounding, such as `__float2int_rn`, and the
//! reasons why others are not known.

use super::arithmetic::{Place, apply, choice};
use super::compositions::{in_type, inverse, inverse_of, multiply_add, plain};
use super::integers::joined;
use super::stop::Stop;
use super::types::Type;
use super::values::{Elements, Number, Value, ValueKind};
use phalanx_graph::within;
use phalanx_ops::{DType, Op};

type Computed = Result<Value, Stop>;

/// Types in the names of conversions.
const TYPES: [(&str, DType); 9] = [
    ("double", DType::F64),
    ("float", DType::F32),
    ("half", DType::F16),
    ("int", DType::I32),
    ("uint", DType::U32),
    ("ll", DType::I64),
    ("longlong", DType::I64),
    ("ull", DType::U64),
    ("short", DType::I16),
];

/// A direction of rounding.
#[derive(Clone, Copy, PartialEq)]
enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

/// What a function does.
#[derive(Clone, Copy)]
enum Intrinsic {
    /// The same bits as another type.
    Bits(Type, Type),
    Conversion(Type, Type, Rounding),
    /// An operation in a type, rounded to nearest.
    Plain(Op, Type),
    Fma(Type),
    /// An operation on floats that is rounded to a side.
    Directed(Exact, Rounding),
    /// One divided by the value, or by its root.
    Inverse(Type),
    InverseRoot(Type),
}

/// An operation on floats of which doubles tell on which side of a float the exact result is.
#[derive(Clone, Copy, PartialEq)]
enum Exact {
    Sum,
    Difference,
    Product,
    Fma,
    Quotient,
    Inverse,
    Root,
}

fn type_of(name: &str) -> Option<Type> {
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, of)| Type(*of))
}

/// The function of a name.
fn find(name: &str) -> Option<Intrinsic> {
    let name = name.strip_prefix("__")?;
    if let Some((from, to)) = name.split_once("_as_") {
        let (from, to) = (type_of(from)?, type_of(to)?);
        let differ = from.is_integer() != to.is_integer();
        return (differ && from.0.size() == to.0.size()).then_some(Intrinsic::Bits(from, to));
    }
    let (what, rounding) = match name.rsplit_once('_') {
        Some((what, "rn")) => (what, Rounding::Nearest),
        Some((what, "rz")) => (what, Rounding::Zero),
        Some((what, "rd")) => (what, Rounding::Down),
        Some((what, "ru")) => (what, Rounding::Up),
        _ => (name, Rounding::Nearest),
    };
    if let Some((from, to)) = what.split_once('2') {
        let (from, to) = (type_of(from)?, type_of(to)?);
        // Only conversions of halves, which are exact in one direction, state no rounding.
        let is_half = from.0 == DType::F16 || to.0 == DType::F16;
        let is_known = match (from.is_integer(), to.is_integer()) {
            _ if what == name => is_half,
            (false, true) => true,
            // Integers of 64 bits have more digits than a double.
            (true, false) => rounding == Rounding::Nearest || from.0.size() < 8 && !is_half,
            (false, false) => rounding == Rounding::Nearest || to.0 == DType::F32,
            (true, true) => false,
        };
        return (is_known && from != to).then_some(Intrinsic::Conversion(from, to, rounding));
    }
    if what == name {
        return None;
    }
    if rounding != Rounding::Nearest {
        let exact = match what {
            "fadd" => Exact::Sum,
            "fsub" => Exact::Difference,
            "fmul" => Exact::Product,
            "fmaf" | "fmaf_ieee" => Exact::Fma,
            "fdiv" => Exact::Quotient,
            "frcp" => Exact::Inverse,
            "fsqrt" => Exact::Root,
            _ => return None,
        };
        return Some(Intrinsic::Directed(exact, rounding));
    }
    let (single, double) = (Type(DType::F32), Type(DType::F64));
    Some(match what {
        "fma" => Intrinsic::Fma(double),
        "fmaf" | "fmaf_ieee" => Intrinsic::Fma(single),
        "frcp" => Intrinsic::Inverse(single),
        "drcp" => Intrinsic::Inverse(double),
        "frsqrt" => Intrinsic::InverseRoot(single),
        _ => {
            let (of, rest) = match what.strip_prefix('f') {
                Some(rest) => (single, rest),
                None => (double, what.strip_prefix('d')?),
            };
            let op = match rest {
                "add" => Op::Add,
                "sub" => Op::Subtract,
                "mul" => Op::Multiply,
                "div" => Op::Divide,
                "sqrt" => Op::Sqrt,
                _ => return None,
            };
            Intrinsic::Plain(op, of)
        }
    })
}

/// The number of operands.
fn count(of: Intrinsic) -> usize {
    match of {
        Intrinsic::Plain(Op::Sqrt, _) => 1,
        Intrinsic::Directed(Exact::Root | Exact::Inverse, _) => 1,
        Intrinsic::Fma(_) | Intrinsic::Directed(Exact::Fma, _) => 3,
        Intrinsic::Plain(..) | Intrinsic::Directed(..) => 2,
        _ => 1,
    }
}

/// The type of the value; `None` if the function is not known.
pub(super) fn result_type(name: &str) -> Option<Type> {
    Some(match find(name)? {
        Intrinsic::Bits(_, to) | Intrinsic::Conversion(_, to, _) => to,
        Intrinsic::Plain(_, of) | Intrinsic::Fma(of) => of,
        Intrinsic::Inverse(of) | Intrinsic::InverseRoot(of) => of,
        Intrinsic::Directed(..) => Type(DType::F32),
    })
}

/// The value of a function; `None` if it is not known.
pub(super) fn call(name: &str, values: &[Value], place: Place) -> Result<Option<Value>, Stop> {
    let Some(found) = find(name) else { return Ok(None) };
    let (takes, given) = (count(found), values.len());
    if takes != given {
        return Err(place.refuse(format!("`{name}` takes {takes} arguments, not {given}")));
    }
    if values.iter().any(|value| value.of.is_complex()) {
        return Err(place.refuse(format!("`{name}` takes no complex numbers")));
    }
    let convert = |of: Type| -> Result<Vec<Value>, Stop> {
        let convert = |value: &Value| -> Computed { Ok(value.clone().converted(of, place.site)?) };
        values.iter().map(convert).collect()
    };
    Ok(Some(match found {
        Intrinsic::Bits(from, to) => reinterpreted(&convert(from)?[0], to, place)?,
        Intrinsic::Conversion(from, to, rounding) => {
            rounded(&convert(from)?[0], to, rounding, place)?
        }
        Intrinsic::Plain(op, of) => {
            let values = convert(of)?;
            in_type(op, of, &values.iter().collect::<Vec<_>>(), place)?
        }
        Intrinsic::Fma(of) => multiply_add(&convert(of)?, place)?,
        Intrinsic::Directed(exact, rounding) => {
            directed(exact, &convert(Type(DType::F32))?, rounding, place)?
        }
        Intrinsic::Inverse(of) => inverse(&convert(of)?[0], place)?,
        Intrinsic::InverseRoot(of) => inverse_of(Op::Sqrt, &convert(of)?, place)?,
    }))
}

/// The value with the same bits in a type of the same size.
fn reinterpreted(value: &Value, to: Type, place: Place) -> Computed {
    match &value.kind {
        ValueKind::Elements(elements) => {
            let array = within(place.site, || elements.array.view(to.0).into_result())?;
            // A result is a copy, as that of an array of the caller's is.
            let elements = Elements { array, line: None, is_given: true };
            Ok(Value { of: to, kind: ValueKind::Elements(elements) })
        }
        ValueKind::Known(number) => Ok(same_bits(*number, value.of, to)),
    }
}

/// A known number with the same bits in a type of the same size.
fn same_bits(number: Number, from: Type, to: Type) -> Value {
    match number {
        Number::Real(number) if from.0 == DType::F64 => {
            Value::integer(i128::from(number.to_bits()), to)
        }
        Number::Real(number) if from.0 == DType::F32 => {
            Value::integer(i128::from((number as f32).to_bits()), to)
        }
        Number::Real(number) => {
            Value::integer(i128::from(half::f16::from_f64(number).to_bits()), to)
        }
        Number::Integer(number) if to.0 == DType::F64 => {
            Value::real(f64::from_bits(number as u64), to)
        }
        Number::Integer(number) if to.0 == DType::F32 => {
            Value::real(f64::from(f32::from_bits(number as u32)), to)
        }
        Number::Integer(number) => Value::real(half::f16::from_bits(number as u16).to_f64(), to),
    }
}

/// A value in another type, rounded in this direction.
fn rounded(value: &Value, to: Type, rounding: Rounding, place: Place) -> Computed {
    if to.is_integer() {
        let op = match rounding {
            Rounding::Nearest => Op::Rint,
            Rounding::Zero => Op::Trunc,
            Rounding::Down => Op::Floor,
            Rounding::Up => Op::Ceil,
        };
        let of = value.of.floating();
        return Ok(apply(op, of, &[value], place)?.converted(to, place.site)?);
    }
    if rounding == Rounding::Nearest || to.0 != DType::F32 {
        return Ok(value.clone().converted(to, place.site)?);
    }
    // The nearest number is one of both sides; the other one is next to it.
    let exact = value.clone().converted(Type(DType::F64), place.site)?;
    let near = exact.clone().converted(to, place.site)?;
    let back = near.clone().converted(exact.of, place.site)?;
    let is_beyond = match rounding {
        Rounding::Down => plain(Op::Greater, &back, &exact, place)?,
        Rounding::Up => plain(Op::Less, &back, &exact, place)?,
        _ => plain(Op::Greater, &size(&back, place)?, &size(&exact, place)?, place)?,
    };
    stepped(near, is_beyond, rounding, place)
}

/// The absolute value.
fn size(value: &Value, place: Place) -> Computed {
    Ok(apply(Op::Absolute, value.of, &[value], place)?)
}

/// A float, or the next one in the direction of the rounding where it is beyond the exact result.
fn stepped(near: Value, is_beyond: Value, rounding: Rounding, place: Place) -> Computed {
    let towards = match rounding {
        Rounding::Down => f64::NEG_INFINITY,
        Rounding::Up => f64::INFINITY,
        _ => 0.0,
    };
    let next = apply(Op::Nextafter, near.of, &[&near, &Value::real(towards, near.of)], place)?;
    choice(is_beyond, next, near, place)
}

/// An operation on floats, rounded to a side.
fn directed(exact: Exact, values: &[Value], rounding: Rounding, place: Place) -> Computed {
    let (single, double) = (Type(DType::F32), Type(DType::F64));
    let wide = values.iter().map(|value| value.clone().converted(double, place.site));
    let wide = wide.collect::<Result<Vec<Value>, _>>()?;
    let a = &wide[0];
    match exact {
        // The product of two floats is a double.
        Exact::Product => {
            rounded(&plain(Op::Multiply, a, &wide[1], place)?, single, rounding, place)
        }
        Exact::Sum => rounded(&near_sum(a, &wide[1], place)?, single, rounding, place),
        Exact::Difference => {
            let minus = apply(Op::Negative, double, &[&wide[1]], place)?;
            rounded(&near_sum(a, &minus, place)?, single, rounding, place)
        }
        Exact::Fma => {
            let product = plain(Op::Multiply, a, &wide[1], place)?;
            rounded(&near_sum(&product, &wide[2], place)?, single, rounding, place)
        }
        Exact::Quotient => near_quotient(a, &wide[1], rounding, place),
        Exact::Inverse => near_quotient(&Value::real(1.0, double), a, rounding, place),
        Exact::Root => {
            let near = apply(Op::Sqrt, double, &[a], place)?.converted(single, place.site)?;
            let wide = near.clone().converted(double, place.site)?;
            let square = plain(Op::Multiply, &wide, &wide, place)?;
            let op = if rounding == Rounding::Up { Op::Less } else { Op::Greater };
            stepped(near, plain(op, &square, a, place)?, rounding, place)
        }
    }
}

/// A double that is on the same side of each float as the exact sum: the rounded sum, or where that
/// is a float, the next double on the side of the exact sum.
///
/// Source of the error: Knuth's two-sum, The Art of Computer Programming 2, section 4.2.2.
fn near_sum(a: &Value, b: &Value, place: Place) -> Computed {
    let minus = |a: &Value, b: &Value| plain(Op::Subtract, a, b, place);
    let sum = plain(Op::Add, a, b, place)?;
    let part = minus(&sum, a)?;
    let error = minus(a, &minus(&sum, &part)?)?;
    let error = plain(Op::Add, &error, &minus(b, &part)?, place)?;
    let [zero, low, high] =
        [0.0, f64::NEG_INFINITY, f64::INFINITY].map(|number| Value::real(number, sum.of));
    let towards = choice(plain(Op::Less, &error, &zero, place)?, low, sum.clone(), place)?;
    let towards = choice(plain(Op::Greater, &error, &zero, place)?, high, towards, place)?;
    let next = apply(Op::Nextafter, sum.of, &[&sum, &towards], place)?;
    let float = sum.clone().converted(Type(DType::F32), place.site)?;
    let is_float = plain(Op::Equal, &float.converted(sum.of, place.site)?, &sum, place)?;
    choice(is_float, next, sum, place)
}

/// The quotient of floats, rounded to a side: its product with the divisor is exact.
fn near_quotient(a: &Value, b: &Value, rounding: Rounding, place: Place) -> Computed {
    let quotient = apply(Op::Divide, a.of, &[a, b], place)?;
    let near = quotient.converted(Type(DType::F32), place.site)?;
    let back = near.clone().converted(a.of, place.site)?;
    let back = plain(Op::Multiply, &back, b, place)?;
    let is_beyond = match rounding {
        Rounding::Zero => plain(Op::Greater, &size(&back, place)?, &size(a, place)?, place)?,
        _ => {
            let [above, below] = [Op::Greater, Op::Less].map(|op| plain(op, &back, a, place));
            let is_negative = plain(Op::Less, b, &Value::real(0.0, b.of), place)?;
            let (same, other) = match rounding {
                Rounding::Down => (above?, below?),
                _ => (below?, above?),
            };
            choice(is_negative, other, same, place)?
        }
    };
    stepped(near, is_beyond, rounding, place)
}

/// The bits of a double as an integer.
fn bits_of(values: &[Value], place: Place) -> Computed {
    let double = values[0].clone().converted(Type(DType::F64), place.site)?;
    reinterpreted(&double, Type::LONG, place)
}

/// The upper half of the bits of a double.
pub(super) fn upper_bits(values: &[Value], place: Place) -> Computed {
    let bits = bits_of(values, place)?;
    let upper = plain(Op::RightShift, &bits, &Value::integer(32, Type::LONG), place)?;
    Ok(upper.converted(Type::INT, place.site)?)
}

/// The lower half of the bits of a double.
pub(super) fn lower_bits(values: &[Value], place: Place) -> Computed {
    Ok(bits_of(values, place)?.converted(Type::INT, place.site)?)
}

/// The double with these upper and lower halves of its bits.
pub(super) fn of_halves(values: &[Value], place: Place) -> Computed {
    let bits = joined(&values[1], &values[0], place)?.converted(Type::LONG, place.site)?;
    reinterpreted(&bits, Type(DType::F64), place)
}

/// Why a text may not call a function, and what to do.
pub(super) fn missing(name: &str) -> String {
    let is_directed = ["_rz", "_rd", "_ru"].iter().any(|end| name.ends_with(end));
    let groups: [(&[&str], &str); 6] = [
        (
            &[
                "__sync",
                "__shfl",
                "__ballot",
                "__any",
                "__all",
                "__activemask",
                "__match",
                "__reduce",
                "__nanosleep",
                "clock",
                "__thread",
                "cooperative",
            ],
            "it works with the threads of a GPU: write the kernel as a RawKernel",
        ),
        (
            &[
                "atomicAdd",
                "atomicSub",
                "atomicMax",
                "atomicMin",
                "atomicAnd",
                "atomicOr",
                "atomicXor",
                "atomicExch",
            ],
            "it is a statement of its own, whose value is not used",
        ),
        (&["atomic"], "combine elements by atomicAdd, atomicMax or atomicMin"),
        (&["printf", "assert", "__trap"], "a kernel prints and stops nothing: check the result"),
        (
            &["__v", "__dp2a", "__fns", "__viadd", "__vib", "__vim"],
            "take the parts of a word apart by shifts and `&`",
        ),
        (&["nan"], "`NAN` is the constant"),
    ];
    let of_group = groups.iter().find(|(names, _)| names.iter().any(|it| name.starts_with(it)));
    let advice = match (of_group, name) {
        (Some((_, advice)), _) => *advice,
        _ if is_directed => {
            "operations on doubles and long integers round to the nearest number, as `_rn` does"
        }
        (_, "normf" | "rnorm" | "rnormf") => {
            "of a vector of any length, add the squares in a loop; norm3d and norm4d are known"
        }
        _ => "define it in the preamble",
    };
    format!("`{name}` is not known here: {advice}")
}
