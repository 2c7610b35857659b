//! Functions that texts may call: those of CUDA's mathematical library that the table has.

use super::arithmetic::{Place, apply, binary, choice, unary};
use super::stop::Stop;
use super::syntax::{Binary, Unary};
use super::types::Type;
use super::values::Value;
use crate::array::Argument;
use crate::recording::try_elementwise;
use phalanx_ops::{DType, Op};

/// How a function computes.
#[derive(Clone, Copy)]
enum Rule {
    /// In the floating type of its operands.
    Floating(Op),
    /// In the type that the operands have in common; integers stay integers.
    Common { of_integers: Op, of_floats: Op },
    /// A truth value about a float.
    Test(Op),
    /// By other functions.
    Own(fn(&[Value], Place) -> Result<Value, Stop>),
}

/// Functions by name, with the number of their operands.
const FUNCTIONS: [(&str, usize, Rule); 66] = [
    ("sin", 1, Rule::Floating(Op::Sin)),
    ("cos", 1, Rule::Floating(Op::Cos)),
    ("tan", 1, Rule::Floating(Op::Tan)),
    ("asin", 1, Rule::Floating(Op::Arcsin)),
    ("acos", 1, Rule::Floating(Op::Arccos)),
    ("atan", 1, Rule::Floating(Op::Arctan)),
    ("atan2", 2, Rule::Floating(Op::Arctan2)),
    ("sinh", 1, Rule::Floating(Op::Sinh)),
    ("cosh", 1, Rule::Floating(Op::Cosh)),
    ("tanh", 1, Rule::Floating(Op::Tanh)),
    ("asinh", 1, Rule::Floating(Op::Arcsinh)),
    ("acosh", 1, Rule::Floating(Op::Arccosh)),
    ("atanh", 1, Rule::Floating(Op::Arctanh)),
    ("exp", 1, Rule::Floating(Op::Exp)),
    ("exp2", 1, Rule::Floating(Op::Exp2)),
    ("exp10", 1, Rule::Own(|values, place| power_of(10.0, &values[0], place))),
    ("expm1", 1, Rule::Floating(Op::Expm1)),
    ("log", 1, Rule::Floating(Op::Log)),
    ("log2", 1, Rule::Floating(Op::Log2)),
    ("log10", 1, Rule::Floating(Op::Log10)),
    ("log1p", 1, Rule::Floating(Op::Log1p)),
    ("pow", 2, Rule::Floating(Op::Power)),
    ("sqrt", 1, Rule::Floating(Op::Sqrt)),
    ("rsqrt", 1, Rule::Own(|values, place| inverse("sqrt", values, place))),
    ("cbrt", 1, Rule::Floating(Op::Cbrt)),
    ("rcbrt", 1, Rule::Own(|values, place| inverse("cbrt", values, place))),
    ("hypot", 2, Rule::Floating(Op::Hypot)),
    ("rhypot", 2, Rule::Own(|values, place| inverse("hypot", values, place))),
    ("floor", 1, Rule::Floating(Op::Floor)),
    ("ceil", 1, Rule::Floating(Op::Ceil)),
    ("trunc", 1, Rule::Floating(Op::Trunc)),
    ("rint", 1, Rule::Floating(Op::Rint)),
    ("nearbyint", 1, Rule::Floating(Op::Rint)),
    ("round", 1, Rule::Own(round)),
    ("fabs", 1, Rule::Floating(Op::Absolute)),
    ("abs", 1, Rule::Common { of_integers: Op::Absolute, of_floats: Op::Absolute }),
    ("labs", 1, Rule::Common { of_integers: Op::Absolute, of_floats: Op::Absolute }),
    ("llabs", 1, Rule::Common { of_integers: Op::Absolute, of_floats: Op::Absolute }),
    ("min", 2, Rule::Common { of_integers: Op::Minimum, of_floats: Op::Fmin }),
    ("max", 2, Rule::Common { of_integers: Op::Maximum, of_floats: Op::Fmax }),
    ("fmin", 2, Rule::Floating(Op::Fmin)),
    ("fmax", 2, Rule::Floating(Op::Fmax)),
    ("fmod", 2, Rule::Floating(Op::Fmod)),
    ("fdim", 2, Rule::Own(difference)),
    ("fdivide", 2, Rule::Floating(Op::Divide)),
    ("copysign", 2, Rule::Floating(Op::Copysign)),
    ("nextafter", 2, Rule::Floating(Op::Nextafter)),
    ("ldexp", 2, Rule::Own(scaled)),
    ("scalbn", 2, Rule::Own(scaled)),
    ("fma", 3, Rule::Own(multiply_add)),
    ("mad", 3, Rule::Own(multiply_add)),
    ("saturate", 1, Rule::Own(saturated)),
    ("isnan", 1, Rule::Test(Op::Isnan)),
    ("isinf", 1, Rule::Test(Op::Isinf)),
    ("isfinite", 1, Rule::Test(Op::Isfinite)),
    ("signbit", 1, Rule::Test(Op::Signbit)),
    ("real", 1, Rule::Own(|values, place| part(Op::Real, &values[0], place))),
    ("imag", 1, Rule::Own(|values, place| part(Op::Imag, &values[0], place))),
    ("conj", 1, Rule::Own(|values, place| conjugate(&values[0], place))),
    ("arg", 1, Rule::Own(argument)),
    ("norm", 1, Rule::Own(norm)),
    ("sinpi", 1, Rule::Own(|values, place| of_turns(Op::Sin, &values[0], place))),
    ("cospi", 1, Rule::Own(|values, place| of_turns(Op::Cos, &values[0], place))),
    ("popc", 1, Rule::Own(|values, place| bits(&values[0], place))),
    ("popcll", 1, Rule::Own(|values, place| bits(&values[0], place))),
    ("ldg", 1, Rule::Own(|values, _| Ok(values[0].clone()))),
];

/// The value of a function; `None` if it is not known. A name that ends in `f`, such as `sinf`, is
/// the function for `float`.
pub(super) fn call(name: &str, values: &[Value], place: Place) -> Result<Option<Value>, Stop> {
    let plain = name.trim_start_matches("__");
    let known = |name: &str| FUNCTIONS.iter().find(|(known, ..)| *known == name);
    let (found, is_single) = match (known(plain), plain.strip_suffix('f')) {
        (Some(found), _) => (Some(found), false),
        (None, Some(name)) => (known(name), true),
        (None, None) => (None, false),
    };
    let Some(&(_, count, rule)) = found else { return Ok(None) };
    if values.len() != count {
        let given = values.len();
        return Err(place.refuse(format!("`{name}` takes {count} arguments, not {given}")));
    }
    if !is_single {
        return computed(rule, values, place).map(Some);
    }
    let single = |value: &Value| value.clone().converted(Type(DType::F32), place.site);
    if values.iter().any(|value| value.of.is_complex()) {
        return Err(place.refuse(format!("`{name}` takes no complex numbers")));
    }
    let singles = values.iter().map(single).collect::<Result<Vec<_>, _>>()?;
    computed(rule, &singles, place).map(Some)
}

/// The type of a function's value; `None` if the function is not known.
pub(super) fn result_type(name: &str, types: &[Type]) -> Option<Type> {
    let plain = name.trim_start_matches("__");
    let known = |name: &str| FUNCTIONS.iter().find(|(known, ..)| *known == name);
    let (found, is_single) = match known(plain) {
        Some(found) => (found, false),
        None => (known(plain.strip_suffix('f')?)?, true),
    };
    let (&first, rest) = types.split_first()?;
    let common = rest.iter().fold(first.promoted(), |of, other| of.common(*other));
    let floating = if is_single { Type(DType::F32) } else { common.floating() };
    Some(match (found.2, found.0) {
        (Rule::Floating(Op::Absolute), _) => floating.part(),
        (Rule::Floating(_), _) => floating,
        (Rule::Common { of_floats: Op::Absolute, .. }, _) => common.part(),
        (Rule::Common { .. }, _) => common,
        (Rule::Test(_), _) => Type::BOOL,
        (Rule::Own(_), "real" | "imag" | "arg" | "norm") => floating.part(),
        (Rule::Own(_), "conj" | "ldg") => first,
        (Rule::Own(_), "popc" | "popcll") => Type::INT,
        (Rule::Own(_), "ldexp" | "scalbn") => first.floating(),
        (Rule::Own(_), _) => floating,
    })
}

fn computed(rule: Rule, values: &[Value], place: Place) -> Result<Value, Stop> {
    let common =
        values.iter().skip(1).fold(values[0].of.promoted(), |of, value| of.common(value.of));
    if let (Rule::Common { of_integers, .. }, true) = (rule, common.is_integer()) {
        let numbers: Option<Vec<i128>> = values.iter().map(Value::known_integer).collect();
        let found = numbers.and_then(|numbers| match of_integers {
            Op::Absolute => numbers.first().map(|number| number.abs()),
            Op::Minimum => numbers.into_iter().min(),
            _ => numbers.into_iter().max(),
        });
        // Numbers of another sign than the common type are compared there.
        if let Some(found) = found.filter(|_| values.iter().all(|value| value.of == common)) {
            return Ok(Value::integer(found, common));
        }
    }
    let all: Vec<&Value> = values.iter().collect();
    let (op, of) = match rule {
        Rule::Own(compute) => return compute(values, place),
        Rule::Floating(op) => (op, common.floating()),
        Rule::Common { of_integers, .. } if common.is_integer() => (of_integers, common),
        Rule::Common { of_floats, .. } => (of_floats, common),
        Rule::Test(op) => (op, common.floating()),
    };
    let takes = |signature: &phalanx_ops::Signature| signature.inputs()[0].is_complex();
    if of.is_complex() && !op.signatures().iter().any(takes) {
        return Err(place.refuse(format!("`{}` takes no complex numbers", op.name())));
    }
    Ok(apply(op, of, &all, place)?)
}

/// A number of a value's floating type.
fn number(number: f64, like: &Value) -> Value {
    Value::real(number, like.of.floating().part())
}

fn plain(op: Op, a: Value, b: Value, place: Place) -> Result<Value, Stop> {
    binary(Binary::Plain(op), a, b, place)
}

fn function(name: &str, values: &[Value], place: Place) -> Result<Value, Stop> {
    let found = call(name, values, place)?;
    Ok(found.unwrap_or_else(|| unreachable!("bug: no function {name}")))
}

fn power_of(base: f64, exponent: &Value, place: Place) -> Result<Value, Stop> {
    function("pow", &[number(base, exponent), exponent.clone()], place)
}

fn inverse(name: &str, values: &[Value], place: Place) -> Result<Value, Stop> {
    let value = function(name, values, place)?;
    plain(Op::Divide, number(1.0, &value), value, place)
}

/// Halves are rounded away from zero.
fn round(values: &[Value], place: Place) -> Result<Value, Stop> {
    let of = values[0].of.floating();
    let value = values[0].clone().converted(of, place.site)?;
    let whole = function("trunc", std::slice::from_ref(&value), place)?;
    let rest = plain(Op::Subtract, value.clone(), whole.clone(), place)?;
    let rest = function("fabs", &[rest], place)?;
    let is_more = plain(Op::GreaterEqual, rest, number(0.5, &value), place)?;
    let step = function("copysign", &[number(1.0, &value), value.clone()], place)?;
    let next = plain(Op::Add, whole.clone(), step, place)?;
    choice(is_more, next, whole, place)
}

fn difference(values: &[Value], place: Place) -> Result<Value, Stop> {
    let of = values[0].of.common(values[1].of).floating();
    let [a, b] = [0, 1].map(|at: usize| values[at].clone().converted(of, place.site));
    let (a, b) = (a?, b?);
    let is_less = plain(Op::LessEqual, a.clone(), b.clone(), place)?;
    let less = plain(Op::Subtract, a, b, place)?;
    choice(is_less, number(0.0, &less), less, place)
}

fn scaled(values: &[Value], place: Place) -> Result<Value, Stop> {
    let of = values[0].of.floating();
    if of.is_complex() || !values[1].of.is_integer() {
        return Err(place.refuse("this function takes a float and an integer"));
    }
    let value = values[0].argument(of, place.site)?;
    let mut arguments = [value, values[1].argument(Type::INT, place.site)?];
    Argument::make_one_an_array(&mut arguments);
    Ok(Value::array(try_elementwise(Op::Ldexp, &arguments, place.site)?))
}

fn multiply_add(values: &[Value], place: Place) -> Result<Value, Stop> {
    let of = values[0].of.common(values[1].of).common(values[2].of).floating();
    let [a, b, c] = [0, 1, 2].map(|at: usize| values[at].clone().converted(of, place.site));
    let product = plain(Op::Multiply, a?, b?, place)?;
    plain(Op::Add, product, c?, place)
}

fn saturated(values: &[Value], place: Place) -> Result<Value, Stop> {
    let value = function("max", &[values[0].clone(), number(0.0, &values[0])], place)?;
    function("min", &[value.clone(), number(1.0, &value)], place)
}

pub(super) fn part(op: Op, value: &Value, place: Place) -> Result<Value, Stop> {
    match (value.of.is_complex(), op) {
        (true, _) => Ok(apply(op, value.of, &[value], place)?),
        (false, Op::Real) => Ok(value.clone()),
        (false, _) => Ok(number(0.0, value)),
    }
}

fn conjugate(value: &Value, place: Place) -> Result<Value, Stop> {
    match value.of.is_complex() {
        true => Ok(apply(Op::Conjugate, value.of, &[value], place)?),
        false => Ok(value.clone()),
    }
}

fn argument(values: &[Value], place: Place) -> Result<Value, Stop> {
    let parts = [part(Op::Imag, &values[0], place)?, part(Op::Real, &values[0], place)?];
    function("atan2", &parts, place)
}

fn norm(values: &[Value], place: Place) -> Result<Value, Stop> {
    let [a, b] = [Op::Real, Op::Imag].map(|op| {
        let part = part(op, &values[0], place)?;
        plain(Op::Multiply, part.clone(), part, place)
    });
    plain(Op::Add, a?, b?, place)
}

/// `sin(pi x)`, or the cosine: exact at multiples of a half, as `x` is brought near zero first.
fn of_turns(op: Op, value: &Value, place: Place) -> Result<Value, Stop> {
    let of = value.of.floating();
    if of.is_complex() {
        return Err(place.refuse("this function takes no complex numbers"));
    }
    let real = |number: f64| Value::real(number, of);
    let half = plain(Op::Multiply, value.clone(), real(0.5), place)?;
    let whole = function("rint", &[half], place)?;
    let whole = plain(Op::Multiply, whole, real(2.0), place)?;
    // In [-1, 1], without rounding.
    let rest = plain(Op::Subtract, value.clone(), whole, place)?;
    let size = function("fabs", std::slice::from_ref(&rest), place)?;
    let turns = match op {
        Op::Cos => plain(Op::Subtract, real(0.5), size, place)?,
        _ => {
            let is_beyond = plain(Op::Greater, size.clone(), real(0.5), place)?;
            let mirrored = plain(Op::Subtract, real(1.0), size, place)?;
            let mirrored = function("copysign", &[mirrored, rest.clone()], place)?;
            choice(is_beyond, mirrored, rest, place)?
        }
    };
    let angle = plain(Op::Multiply, turns, real(std::f64::consts::PI), place)?;
    Ok(apply(Op::Sin, of, &[&angle], place)?)
}

fn bits(value: &Value, place: Place) -> Result<Value, Stop> {
    if !value.of.is_integer() {
        return Err(place.refuse("bits are counted of integers"));
    }
    let unsigned = Type(if value.of.promoted().0.size() == 8 { DType::U64 } else { DType::U32 });
    let value = value.clone().converted(unsigned, place.site)?;
    Ok(apply(Op::BitwiseCount, unsigned, &[&value], place)?.converted(Type::INT, place.site)?)
}

/// The minus of a value.
pub(super) fn negative(value: Value, place: Place) -> Result<Value, Stop> {
    unary(Unary::Minus, value, place)
}
