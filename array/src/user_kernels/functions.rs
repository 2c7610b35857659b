//! Functions that texts may call: those of CUDA's mathematical library.

use super::arithmetic::{Place, assigned, check_count, unary};
use super::compositions as own;
use super::stop::Stop;
use super::syntax::Unary;
use super::types::Type;
use super::values::Value;
use super::{dpx, halves, integers, intrinsics, packed};
use phalanx_ops::{DType, Op};

/// What computes a function.
type Compute = fn(&[Value], Place) -> Result<Value, Stop>;

/// How a function computes.
#[derive(Clone, Copy)]
enum Rule {
    /// In the floating type of its operands.
    Floating(Op),
    /// A special function of this name, in the floating type of its operands.
    Special(&'static str),
    /// In the type that the operands have in common; integers stay integers.
    Common { of_integers: Op, of_floats: Op },
    /// A truth value about a float.
    Test(Op),
    /// On operands of the first type; the result has the second one.
    Whole(DType, Compute, DType),
    /// By other functions.
    Own(Compute, Gives),
}

/// The type of a result.
#[derive(Clone, Copy)]
enum Gives {
    /// The floating type of the operands.
    Floating,
    /// Its real part.
    Part,
    /// The complex type with this part.
    Complex,
    /// The type of the first operand.
    First,
    /// `unsigned int`, if all operands are that, else `int`.
    Word,
    Fixed(DType),
}

/// A function: its name, its operands and its rule. An operand `x` has a part in the floating type,
/// and becomes `float` if the name ends in `f`; an operand `i` is an integer beside those.
struct Row(&'static str, &'static str, Rule);

const ABSOLUTE: Rule = Rule::Common { of_integers: Op::Absolute, of_floats: Op::Absolute };
const MIN: Rule = Rule::Common { of_integers: Op::Minimum, of_floats: Op::Fmin };
const MAX: Rule = Rule::Common { of_integers: Op::Maximum, of_floats: Op::Fmax };
const FLOAT: Gives = Gives::Floating;
const INT: Gives = Gives::Fixed(DType::I32);
const LONG: Gives = Gives::Fixed(DType::I64);

const fn signed(compute: Compute) -> Rule {
    Rule::Whole(DType::I32, compute, DType::I32)
}

const fn unsigned(compute: Compute) -> Rule {
    Rule::Whole(DType::U32, compute, DType::U32)
}

/// The functions. Two underscores before a name, as in `__popc`, are left out.
static FUNCTIONS: [Row; 132] = [
    Row("sin", "x", Rule::Floating(Op::Sin)),
    Row("cos", "x", Rule::Floating(Op::Cos)),
    Row("tan", "x", Rule::Floating(Op::Tan)),
    Row("asin", "x", Rule::Floating(Op::Arcsin)),
    Row("acos", "x", Rule::Floating(Op::Arccos)),
    Row("atan", "x", Rule::Floating(Op::Arctan)),
    Row("atan2", "xx", Rule::Floating(Op::Arctan2)),
    Row("sinh", "x", Rule::Floating(Op::Sinh)),
    Row("cosh", "x", Rule::Floating(Op::Cosh)),
    Row("tanh", "x", Rule::Floating(Op::Tanh)),
    Row("asinh", "x", Rule::Floating(Op::Arcsinh)),
    Row("acosh", "x", Rule::Floating(Op::Arccosh)),
    Row("atanh", "x", Rule::Floating(Op::Arctanh)),
    Row("sinpi", "x", Rule::Own(|it, at| own::of_turns(Op::Sin, &it[0], at), FLOAT)),
    Row("cospi", "x", Rule::Own(|it, at| own::of_turns(Op::Cos, &it[0], at), FLOAT)),
    // Exponentials, logarithms and roots.
    Row("exp", "x", Rule::Floating(Op::Exp)),
    Row("exp2", "x", Rule::Floating(Op::Exp2)),
    Row("exp10", "x", Rule::Own(own::power_of_ten, FLOAT)),
    Row("expm1", "x", Rule::Floating(Op::Expm1)),
    Row("log", "x", Rule::Floating(Op::Log)),
    Row("log2", "x", Rule::Floating(Op::Log2)),
    Row("log10", "x", Rule::Floating(Op::Log10)),
    Row("log1p", "x", Rule::Floating(Op::Log1p)),
    Row("pow", "xx", Rule::Floating(Op::Power)),
    Row("sqrt", "x", Rule::Floating(Op::Sqrt)),
    Row("rsqrt", "x", Rule::Own(|it, at| own::inverse_of(Op::Sqrt, it, at), FLOAT)),
    Row("cbrt", "x", Rule::Floating(Op::Cbrt)),
    Row("rcbrt", "x", Rule::Own(|it, at| own::inverse_of(Op::Cbrt, it, at), FLOAT)),
    Row("hypot", "xx", Rule::Floating(Op::Hypot)),
    Row("rhypot", "xx", Rule::Own(|it, at| own::inverse_of(Op::Hypot, it, at), FLOAT)),
    Row("norm3d", "xxx", Rule::Own(own::length, FLOAT)),
    Row("norm4d", "xxxx", Rule::Own(own::length, FLOAT)),
    Row("rnorm3d", "xxx", Rule::Own(inverse_of_length, FLOAT)),
    Row("rnorm4d", "xxxx", Rule::Own(inverse_of_length, FLOAT)),
    // Special functions.
    Row("erf", "x", Rule::Special("erf")),
    Row("erfc", "x", Rule::Special("erfc")),
    Row("erfinv", "x", Rule::Special("erfinv")),
    Row("erfcinv", "x", Rule::Special("erfcinv")),
    Row("erfcx", "x", Rule::Special("erfcx")),
    Row("normcdf", "x", Rule::Special("ndtr")),
    Row("normcdfinv", "x", Rule::Special("ndtri")),
    Row("lgamma", "x", Rule::Special("gammaln")),
    Row("tgamma", "x", Rule::Special("gamma")),
    Row("j0", "x", Rule::Special("j0")),
    Row("j1", "x", Rule::Special("j1")),
    Row("jn", "ix", Rule::Special("jn")),
    Row("y0", "x", Rule::Special("y0")),
    Row("y1", "x", Rule::Special("y1")),
    Row("yn", "ix", Rule::Special("yn")),
    Row("cyl_bessel_i0", "x", Rule::Special("i0")),
    Row("cyl_bessel_i1", "x", Rule::Special("i1")),
    // Rounding, and the parts of floats.
    Row("floor", "x", Rule::Floating(Op::Floor)),
    Row("ceil", "x", Rule::Floating(Op::Ceil)),
    Row("trunc", "x", Rule::Floating(Op::Trunc)),
    Row("rint", "x", Rule::Floating(Op::Rint)),
    Row("nearbyint", "x", Rule::Floating(Op::Rint)),
    Row("round", "x", Rule::Own(own::round, FLOAT)),
    Row("lrint", "x", Rule::Own(own::long_rint, LONG)),
    Row("llrint", "x", Rule::Own(own::long_rint, LONG)),
    Row("lround", "x", Rule::Own(own::long_round, LONG)),
    Row("llround", "x", Rule::Own(own::long_round, LONG)),
    Row("fabs", "x", Rule::Floating(Op::Absolute)),
    Row("fmin", "xx", Rule::Floating(Op::Fmin)),
    Row("fmax", "xx", Rule::Floating(Op::Fmax)),
    Row("fmod", "xx", Rule::Floating(Op::Fmod)),
    Row("remainder", "xx", Rule::Own(own::remainder, FLOAT)),
    Row("fdim", "xx", Rule::Own(own::difference, FLOAT)),
    Row("fdivide", "xx", Rule::Floating(Op::Divide)),
    Row("copysign", "xx", Rule::Floating(Op::Copysign)),
    Row("nextafter", "xx", Rule::Floating(Op::Nextafter)),
    Row("ldexp", "xi", Rule::Own(own::scaled, FLOAT)),
    Row("scalbn", "xi", Rule::Own(own::scaled, FLOAT)),
    Row("scalbln", "xi", Rule::Own(own::scaled_by_long, FLOAT)),
    Row("logb", "x", Rule::Own(own::exponent, FLOAT)),
    Row("ilogb", "x", Rule::Own(own::whole_exponent, INT)),
    Row("fma", "xxx", Rule::Own(own::multiply_add, FLOAT)),
    Row("mad", "xxx", Rule::Own(own::multiply_add, FLOAT)),
    Row("saturate", "x", Rule::Own(own::saturated, FLOAT)),
    Row("isnan", "x", Rule::Test(Op::Isnan)),
    Row("isinf", "x", Rule::Test(Op::Isinf)),
    Row("isfinite", "x", Rule::Test(Op::Isfinite)),
    Row("finite", "x", Rule::Test(Op::Isfinite)),
    Row("signbit", "x", Rule::Test(Op::Signbit)),
    // Complex numbers.
    Row("real", "x", Rule::Own(|it, at| own::part(Op::Real, &it[0], at), Gives::Part)),
    Row("imag", "x", Rule::Own(|it, at| own::part(Op::Imag, &it[0], at), Gives::Part)),
    Row("conj", "x", Rule::Own(own::conjugate, Gives::First)),
    Row("arg", "x", Rule::Own(own::argument, Gives::Part)),
    Row("norm", "x", Rule::Own(own::norm, Gives::Part)),
    Row("polar", "xx", Rule::Own(own::polar, Gives::Complex)),
    // Functions of any number.
    Row("abs", "x", ABSOLUTE),
    Row("min", "xx", MIN),
    Row("max", "xx", MAX),
    Row("ldg", "x", Rule::Own(|it, _| Ok(it[0].clone()), Gives::First)),
    // Integers.
    Row("labs", "i", Rule::Whole(DType::I64, integers::size, DType::I64)),
    Row("llabs", "i", Rule::Whole(DType::I64, integers::size, DType::I64)),
    Row("llmin", "ii", Rule::Whole(DType::I64, integers::smaller, DType::I64)),
    Row("llmax", "ii", Rule::Whole(DType::I64, integers::larger, DType::I64)),
    Row("umin", "ii", unsigned(integers::smaller)),
    Row("umax", "ii", unsigned(integers::larger)),
    Row("ullmin", "ii", Rule::Whole(DType::U64, integers::smaller, DType::U64)),
    Row("ullmax", "ii", Rule::Whole(DType::U64, integers::larger, DType::U64)),
    Row("popc", "i", Rule::Whole(DType::U32, integers::bits, DType::I32)),
    Row("popcll", "i", Rule::Whole(DType::U64, integers::bits, DType::I32)),
    Row("clz", "i", Rule::Whole(DType::U32, integers::leading_zeros, DType::I32)),
    Row("clzll", "i", Rule::Whole(DType::U64, integers::leading_zeros, DType::I32)),
    Row("ffs", "i", Rule::Whole(DType::U32, integers::first_bit, DType::I32)),
    Row("ffsll", "i", Rule::Whole(DType::U64, integers::first_bit, DType::I32)),
    Row("brev", "i", unsigned(integers::reversed)),
    Row("brevll", "i", Rule::Whole(DType::U64, integers::reversed, DType::U64)),
    Row("byte_perm", "iii", unsigned(integers::selected_bytes)),
    Row("mulhi", "ii", signed(integers::upper_half)),
    Row("umulhi", "ii", unsigned(integers::upper_half)),
    Row("mul64hi", "ii", Rule::Whole(DType::I64, integers::upper_half, DType::I64)),
    Row("umul64hi", "ii", Rule::Whole(DType::U64, integers::upper_half, DType::U64)),
    Row("mul24", "ii", signed(integers::product_of_24)),
    Row("umul24", "ii", unsigned(integers::product_of_24)),
    Row("hadd", "ii", signed(integers::mean)),
    Row("uhadd", "ii", unsigned(integers::mean)),
    Row("rhadd", "ii", signed(integers::rounded_mean)),
    Row("urhadd", "ii", unsigned(integers::rounded_mean)),
    Row("sad", "iii", Rule::Own(integers::signed_distance, Gives::Fixed(DType::U32))),
    Row("usad", "iii", unsigned(integers::distance)),
    Row("dp4a", "iii", Rule::Own(integers::dot_of_bytes, Gives::Word)),
    Row("dp2a_lo", "iii", Rule::Own(|it, at| integers::dot_of_halves(it, 0, at), Gives::Word)),
    Row("dp2a_hi", "iii", Rule::Own(|it, at| integers::dot_of_halves(it, 2, at), Gives::Word)),
    Row("funnelshift_l", "iii", unsigned(|it, at| integers::funnel(it, true, false, at))),
    Row("funnelshift_lc", "iii", unsigned(|it, at| integers::funnel(it, true, true, at))),
    Row("funnelshift_r", "iii", unsigned(|it, at| integers::funnel(it, false, false, at))),
    Row("funnelshift_rc", "iii", unsigned(|it, at| integers::funnel(it, false, true, at))),
    // Halves of the bits of a double.
    Row("double2hiint", "x", Rule::Own(intrinsics::upper_bits, INT)),
    Row("double2loint", "x", Rule::Own(intrinsics::lower_bits, INT)),
    Row("hiloint2double", "ii", Rule::Own(intrinsics::of_halves, Gives::Fixed(DType::F64))),
];

/// One divided by the length of a vector.
fn inverse_of_length(values: &[Value], place: Place) -> Result<Value, Stop> {
    own::inverse(&own::length(values, place)?, place)
}

/// The function of a name, and whether the name is that of the function for `float`.
fn find(name: &str) -> Option<(&'static Row, bool)> {
    let plain = name.strip_prefix("__").unwrap_or(name);
    let known = |name: &str| FUNCTIONS.iter().find(|row| row.0 == name);
    match known(plain) {
        Some(row) => Some((row, false)),
        None => Some((known(plain.strip_suffix('f')?)?, true)),
    }
}

/// The value of a function; `None` if it is not known. A name that ends in `f`, such as `sinf`, is
/// the function for `float`.
pub(super) fn call(name: &str, values: &[Value], place: Place) -> Result<Option<Value>, Stop> {
    if let Some(of_halves) = halves::find(name, values.iter().map(|value| value.of)) {
        return of_halves.call(name, values, place).map(Some);
    }
    let Some((Row(_, operands, rule), is_single)) = find(name) else {
        return match (packed::find(name), dpx::find(name)) {
            (Some(packed), _) => packed.call(name, values, place).map(Some),
            (_, Some(dpx)) => dpx.call(name, values, place).map(Some),
            _ => intrinsics::call(name, values, place),
        };
    };
    check_count(name, operands.len(), values.len(), place)?;
    for (value, operand) in values.iter().zip(operands.bytes()) {
        if operand == b'i' && !value.of.is_integer() && value.of != Type::BOOL {
            return Err(place.refuse(format!("`{name}` takes integers: `(int)x` is one")));
        }
    }
    if !is_single {
        return computed(*rule, operands, values, place).map(Some);
    }
    let single = |(value, operand): (&Value, u8)| -> Result<Value, Stop> {
        match operand {
            b'x' if value.of.is_complex() => {
                Err(place.refuse(format!("`{name}` takes no complex numbers")))
            }
            b'x' => Ok(value.clone().converted(Type(DType::F32), place.site)?),
            _ => Ok(value.clone()),
        }
    };
    let singles = values.iter().zip(operands.bytes()).map(single).collect::<Result<Vec<_>, _>>()?;
    computed(*rule, operands, &singles, place).map(Some)
}

/// The number of arguments of a function; `None` if it is not known.
pub(super) fn takes(name: &str) -> Option<usize> {
    let of_table = find(name).map(|(row, _)| row.1.len());
    let of_words = || Some(packed::find(name)?.takes());
    // Those that write to addresses are no expressions of values.
    let of_dpx = || dpx::find(name).filter(|it| it.writes() == 0).map(|it| it.takes());
    let of_table = of_table.or_else(|| halves::takes(name));
    of_table.or_else(of_words).or_else(of_dpx).or_else(|| intrinsics::takes(name))
}

/// The type that the operands `x` have in common.
fn common(operands: &str, types: impl Iterator<Item = Type>) -> Type {
    let floats = operands.bytes().zip(types).filter(|(operand, _)| *operand == b'x');
    floats.map(|(_, of)| of.promoted()).reduce(Type::common).unwrap_or(Type::INT)
}

/// The type of a function's value; `None` if the function is not known.
pub(super) fn result_type(name: &str, types: &[Type]) -> Option<Type> {
    if let Some(of_halves) = halves::find(name, types.iter().copied()) {
        return Some(of_halves.result_type());
    }
    let Some((Row(_, operands, rule), is_single)) = find(name) else {
        let of_words = packed::find(name).map(|_| packed::WORD);
        let of_words = of_words.or_else(|| Some(dpx::find(name)?.result_type()));
        return of_words.or_else(|| intrinsics::result_type(name));
    };
    let common = common(operands, types.iter().copied());
    let floating = if is_single { Type(DType::F32) } else { common.floating() };
    Some(match *rule {
        Rule::Floating(Op::Absolute) => floating.part(),
        Rule::Floating(_) | Rule::Special(_) => floating,
        Rule::Common { of_floats: Op::Absolute, .. } => common.part(),
        Rule::Common { .. } => common,
        Rule::Test(_) => Type::BOOL,
        Rule::Whole(_, _, of) | Rule::Own(_, Gives::Fixed(of)) => Type(of),
        Rule::Own(_, Gives::Floating) => floating,
        Rule::Own(_, Gives::Part) => floating.part(),
        Rule::Own(_, Gives::Complex) => floating.common(Type(DType::C64)),
        Rule::Own(_, Gives::First) => *types.first()?,
        Rule::Own(_, Gives::Word) => integers::word_of(types.iter().copied()),
    })
}

fn computed(rule: Rule, operands: &str, values: &[Value], place: Place) -> Result<Value, Stop> {
    let common = common(operands, values.iter().map(|value| value.of));
    if let (Rule::Common { of_integers, .. }, true) = (rule, common.is_integer()) {
        // Numbers are compared in the common type.
        let number = |value: &Value| Value::integer(value.known_integer()?, common).known_integer();
        let numbers: Option<Vec<i128>> = values.iter().map(number).collect();
        let found = numbers.and_then(|numbers| match of_integers {
            Op::Absolute => numbers.first().map(|number| number.abs()),
            Op::Minimum => numbers.into_iter().min(),
            _ => numbers.into_iter().max(),
        });
        if let Some(found) = found {
            return Ok(Value::integer(found, common));
        }
    }
    let all: Vec<&Value> = values.iter().collect();
    let (op, of) = match rule {
        Rule::Own(compute, _) => return compute(values, place),
        Rule::Whole(from, compute, to) => {
            let values = values.iter().map(|value| assigned(value.clone(), Type(from), place));
            let value = compute(&values.collect::<Result<Vec<_>, _>>()?, place)?;
            return assigned(value, Type(to), place);
        }
        Rule::Special(name) => return own::special(name, common.floating(), values, place),
        Rule::Floating(op) => (op, common.floating()),
        Rule::Common { of_integers, .. } if common.is_integer() => (of_integers, common),
        Rule::Common { of_floats, .. } => (of_floats, common),
        Rule::Test(op) => (op, common.floating()),
    };
    own::in_type(op, of, &all, place)
}

/// The minus of a value.
pub(super) fn negative(value: Value, place: Place) -> Result<Value, Stop> {
    unary(Unary::Minus, value, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_functions_have_the_operands_of_their_rows() {
        for Row(name, operands, rule) in &FUNCTIONS {
            if let Rule::Special(of) = rule {
                let known = phalanx_special::find(of).map(|function| function.arity);
                assert_eq!(known, Some(operands.len()), "{name}");
            }
        }
    }

    #[test]
    fn names_are_found_once_and_with_their_forms() {
        for Row(name, ..) in &FUNCTIONS {
            let count = FUNCTIONS.iter().filter(|row| row.0 == *name).count();
            assert_eq!(count, 1, "{name}");
        }
        for (name, found) in [
            ("erf", Some(("erf", false))),
            ("erff", Some(("erf", true))),
            ("__expf", Some(("exp", true))),
            ("__popcll", Some(("popcll", false))),
            ("er", None),
            ("f", None),
            ("__", None),
        ] {
            assert_eq!(find(name).map(|(row, is_single)| (row.0, is_single)), found, "{name}");
        }
    }

    #[test]
    fn types_of_results_need_no_values() {
        let of = |name: &str, types: &[DType]| {
            let types: Vec<Type> = types.iter().copied().map(Type).collect();
            result_type(name, &types).map(|of| of.0)
        };
        for (name, types, result) in [
            ("erf", &[DType::F32][..], Some(DType::F32)),
            ("erff", &[DType::F64], Some(DType::F32)),
            ("jn", &[DType::I32, DType::F32], Some(DType::F32)),
            ("ldexp", &[DType::I32, DType::I64], Some(DType::F64)),
            ("lround", &[DType::F32], Some(DType::I64)),
            ("max", &[DType::I32, DType::U32], Some(DType::U32)),
            ("polar", &[DType::F32, DType::F32], Some(DType::C64)),
            ("__clzll", &[DType::I64], Some(DType::I32)),
            ("__float2uint_rd", &[DType::F32], Some(DType::U32)),
            ("__double_as_longlong", &[DType::F64], Some(DType::I64)),
            ("__fadd_rn", &[DType::F64, DType::F64], Some(DType::F32)),
            ("__fadd_rd", &[DType::F64, DType::F64], Some(DType::F32)),
            ("__dadd_rd", &[DType::F64, DType::F64], Some(DType::F64)),
            ("__vadd2", &[DType::I32, DType::I32], Some(DType::U32)),
            ("__dp4a", &[DType::U32; 3], Some(DType::U32)),
            ("__viaddmax_s32", &[DType::I32; 3], Some(DType::I32)),
            ("__hadd", &[DType::U32, DType::I32], Some(DType::I32)),
            ("__hadd", &[DType::F16, DType::F16], Some(DType::F16)),
            ("__dp2a_lo", &[DType::U32, DType::I32, DType::I32], Some(DType::I32)),
            ("conj", &[], None),
            ("gama", &[DType::F64], None),
        ] {
            assert_eq!(of(name, types), result, "{name}");
        }
    }
}
