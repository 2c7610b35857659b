//! Functions of CUDA whose names state types and a rounding, such as `__float2int_rn`, and the
//! reasons why others are not known.

use super::arithmetic::{Place, apply, choice, unary};
use super::compositions::{in_type, inverse, inverse_of, multiply_add, plain, special};
use super::integers::joined;
use super::stop::Stop;
use super::syntax::Unary;
use super::types::Type;
use super::values::{Elements, Number, Value, ValueKind};
use phalanx_graph::within;
use phalanx_ops::{DType, Op};

type Computed = Result<Value, Stop>;

const DOUBLE: Type = Type(DType::F64);

/// Types in the names of conversions.
const TYPES: [(&str, DType); 11] = [
    ("double", DType::F64),
    ("float", DType::F32),
    ("half", DType::F16),
    ("bfloat16", DType::BF16),
    ("int", DType::I32),
    ("uint", DType::U32),
    ("ll", DType::I64),
    ("longlong", DType::I64),
    ("ull", DType::U64),
    ("short", DType::I16),
    ("ushort", DType::U16),
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
    /// An operation in a type, rounded to a side.
    Directed(Exact, Type, Rounding),
    /// One divided by the value, or by its root.
    Inverse(Type),
    InverseRoot(Type),
}

/// An operation that is rounded to a side.
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
        let is_half = [from, to].iter().any(|of| matches!(of.0, DType::F16 | DType::BF16));
        let is_known = match (from.is_integer(), to.is_integer()) {
            _ if what == name => is_half,
            (false, true) => true,
            (true, false) => rounding == Rounding::Nearest || !is_half,
            (false, false) => rounding == Rounding::Nearest || to.0 == DType::F32,
            (true, true) => false,
        };
        return (is_known && from != to).then_some(Intrinsic::Conversion(from, to, rounding));
    }
    if what == name {
        return None;
    }
    if rounding != Rounding::Nearest {
        let (single, double) = (Type(DType::F32), Type(DType::F64));
        let (of, what) = match (what, what.strip_prefix('f'), what.strip_prefix('d')) {
            ("fma", ..) => (double, "fma"),
            ("fmaf" | "fmaf_ieee", ..) => (single, "fma"),
            (_, Some(what), _) => (single, what),
            (_, None, what) => (double, what?),
        };
        let exact = match what {
            "add" => Exact::Sum,
            "sub" => Exact::Difference,
            "mul" => Exact::Product,
            "fma" => Exact::Fma,
            "div" => Exact::Quotient,
            "rcp" => Exact::Inverse,
            "sqrt" => Exact::Root,
            _ => return None,
        };
        return Some(Intrinsic::Directed(exact, of, rounding));
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

/// The number of operands of a function; `None` if it is not known.
pub(super) fn takes(name: &str) -> Option<usize> {
    find(name).map(count)
}

/// The number of operands.
fn count(of: Intrinsic) -> usize {
    match of {
        Intrinsic::Plain(Op::Sqrt, _) => 1,
        Intrinsic::Directed(Exact::Root | Exact::Inverse, ..) => 1,
        Intrinsic::Fma(_) | Intrinsic::Directed(Exact::Fma, ..) => 3,
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
        Intrinsic::Directed(_, of, _) => of,
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
        Intrinsic::Directed(exact, of, rounding) => {
            // Rounding twice to one side is rounding once.
            let wide = convert(of)?.into_iter().map(|value| value.converted(DOUBLE, place.site));
            let wide = wide.collect::<Result<Vec<Value>, _>>()?;
            rounded(&directed(exact, wide, rounding, place)?, of, rounding, place)?
        }
        Intrinsic::Inverse(of) => inverse(&convert(of)?[0], place)?,
        Intrinsic::InverseRoot(of) => {
            let value = convert(of)?.remove(0).converted(DOUBLE, place.site)?;
            inverse_of(Op::Sqrt, &[value], place)?.converted(of, place.site)?
        }
    }))
}

/// The value with the same bits in a type of the same size.
fn reinterpreted(value: &Value, to: Type, place: Place) -> Computed {
    match &value.kind {
        ValueKind::Elements(elements) => {
            let array = within(place.site, || elements.array.view(to.0).into_result())?;
            let elements = Elements { array, line: None };
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
        Number::Real(number) if from.0 == DType::BF16 => {
            Value::integer(i128::from(half::bf16::from_f64(number).to_bits()), to)
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
        Number::Integer(number) if to.0 == DType::BF16 => {
            Value::real(half::bf16::from_bits(number as u16).to_f64(), to)
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
    if rounding == Rounding::Nearest {
        return Ok(value.clone().converted(to, place.site)?);
    }
    let of = value.of;
    if of.is_integer() && of.0.size() == 8 {
        // More digits than a double: the halves are added, and rounded to the side.
        let [bits, mask] = [32, 0xFFFF_FFFF].map(|number| Value::integer(number, of));
        let upper = plain(Op::RightShift, value, &bits, place)?.converted(DOUBLE, place.site)?;
        let upper = plain(Op::Multiply, &upper, &Value::real(2f64.powi(32), DOUBLE), place)?;
        let lower = plain(Op::BitwiseAnd, value, &mask, place)?.converted(DOUBLE, place.site)?;
        let sum = directed(Exact::Sum, vec![upper, lower], rounding, place)?;
        return rounded(&sum, to, rounding, place);
    }
    if to.0 != DType::F32 {
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

/// An operation on doubles, rounded to a side.
fn directed(exact: Exact, mut values: Vec<Value>, rounding: Rounding, place: Place) -> Computed {
    let side = match rounding {
        Rounding::Down => -1.0,
        Rounding::Up => 1.0,
        Rounding::Zero | Rounding::Nearest => 0.0,
    };
    let name = match exact {
        Exact::Sum => "rounded_sum",
        Exact::Difference => {
            values[1] = unary(Unary::Minus, values[1].clone(), place)?;
            "rounded_sum"
        }
        Exact::Product => "rounded_product",
        Exact::Fma => "rounded_fma",
        Exact::Quotient => "rounded_quotient",
        Exact::Inverse => {
            values.insert(0, Value::real(1.0, DOUBLE));
            "rounded_quotient"
        }
        Exact::Root => "rounded_root",
    };
    values.push(Value::real(side, DOUBLE));
    special(name, DOUBLE, &values, place)
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
    let groups: [(&[&str], &str); 7] = [
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
            &["__h", "h2", "make_half2", "__low", "__high", "__float2half2", "__floats2half2"],
            "a pair of halves is two variables here: `__hadd` and its kin compute one half",
        ),
        (&["__v", "__fns"], "take the parts of a word apart by shifts and `&`"),
        (&["nan"], "`NAN` is the constant"),
    ];
    let of_group = groups.iter().find(|(names, _)| names.iter().any(|it| name.starts_with(it)));
    let advice = match (of_group, name) {
        (Some((_, advice)), _) => *advice,
        (_, "normf" | "rnorm" | "rnormf") => "it takes the length of an array, and the array",
        _ => "define it in the preamble",
    };
    format!("`{name}` is not known here: {advice}")
}
