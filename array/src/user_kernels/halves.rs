//! CUDA's functions of `half` and `bfloat16`, such as `__hmul`. Each rounds its result once.

use super::arithmetic::{Place, apply, assigned, check_count, choice, unary};
use super::compositions::{inverse, plain, power_of_ten, special};
use super::stop::Stop;
use super::syntax::Unary;
use super::types::Type;
use super::values::Value;
use phalanx_ops::{DType, Op};

type Computed = Result<Value, Stop>;

const SINGLE: Type = Type(DType::F32);
const DOUBLE: Type = Type(DType::F64);

/// What becomes of a result.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Rounds,
    /// It is brought to the range from 0 to 1; NaN becomes 0.
    Saturates,
    /// A negative one becomes 0; NaN stays.
    Rectifies,
}

/// How a function computes.
#[derive(Clone, Copy)]
enum Rule {
    /// An operation of the table on this many operands.
    Of(Op, usize, End),
    Fma(End),
    Negative,
    Inverse,
    InverseRoot,
    PowerOfTen,
    /// A comparison, and its result if an operand is NaN.
    Order(Op, bool),
    IsNan,
    /// 1 and -1 for the infinities, else 0.
    Infinity,
}

static FUNCTIONS: [(&str, Rule); 49] = [
    ("__hadd", Rule::Of(Op::Add, 2, End::Rounds)),
    ("__hadd_rn", Rule::Of(Op::Add, 2, End::Rounds)),
    ("__hadd_sat", Rule::Of(Op::Add, 2, End::Saturates)),
    ("__hsub", Rule::Of(Op::Subtract, 2, End::Rounds)),
    ("__hsub_rn", Rule::Of(Op::Subtract, 2, End::Rounds)),
    ("__hsub_sat", Rule::Of(Op::Subtract, 2, End::Saturates)),
    ("__hmul", Rule::Of(Op::Multiply, 2, End::Rounds)),
    ("__hmul_rn", Rule::Of(Op::Multiply, 2, End::Rounds)),
    ("__hmul_sat", Rule::Of(Op::Multiply, 2, End::Saturates)),
    ("__hdiv", Rule::Of(Op::Divide, 2, End::Rounds)),
    ("__hfma", Rule::Fma(End::Rounds)),
    ("__hfma_sat", Rule::Fma(End::Saturates)),
    ("__hfma_relu", Rule::Fma(End::Rectifies)),
    ("__hneg", Rule::Negative),
    ("__habs", Rule::Of(Op::Absolute, 1, End::Rounds)),
    ("__hmax", Rule::Of(Op::Fmax, 2, End::Rounds)),
    ("__hmin", Rule::Of(Op::Fmin, 2, End::Rounds)),
    ("__hmax_nan", Rule::Of(Op::Maximum, 2, End::Rounds)),
    ("__hmin_nan", Rule::Of(Op::Minimum, 2, End::Rounds)),
    ("__heq", Rule::Order(Op::Equal, false)),
    ("__hne", Rule::Order(Op::NotEqual, false)),
    ("__hlt", Rule::Order(Op::Less, false)),
    ("__hle", Rule::Order(Op::LessEqual, false)),
    ("__hgt", Rule::Order(Op::Greater, false)),
    ("__hge", Rule::Order(Op::GreaterEqual, false)),
    ("__hequ", Rule::Order(Op::Equal, true)),
    ("__hneu", Rule::Order(Op::NotEqual, true)),
    ("__hltu", Rule::Order(Op::Less, true)),
    ("__hleu", Rule::Order(Op::LessEqual, true)),
    ("__hgtu", Rule::Order(Op::Greater, true)),
    ("__hgeu", Rule::Order(Op::GreaterEqual, true)),
    ("__hisnan", Rule::IsNan),
    ("__hisinf", Rule::Infinity),
    ("hsqrt", Rule::Of(Op::Sqrt, 1, End::Rounds)),
    ("hrsqrt", Rule::InverseRoot),
    ("hrcp", Rule::Inverse),
    ("hexp", Rule::Of(Op::Exp, 1, End::Rounds)),
    ("hexp2", Rule::Of(Op::Exp2, 1, End::Rounds)),
    ("hexp10", Rule::PowerOfTen),
    ("hlog", Rule::Of(Op::Log, 1, End::Rounds)),
    ("hlog2", Rule::Of(Op::Log2, 1, End::Rounds)),
    ("hlog10", Rule::Of(Op::Log10, 1, End::Rounds)),
    ("hsin", Rule::Of(Op::Sin, 1, End::Rounds)),
    ("hcos", Rule::Of(Op::Cos, 1, End::Rounds)),
    ("htanh", Rule::Of(Op::Tanh, 1, End::Rounds)),
    ("hfloor", Rule::Of(Op::Floor, 1, End::Rounds)),
    ("hceil", Rule::Of(Op::Ceil, 1, End::Rounds)),
    ("htrunc", Rule::Of(Op::Trunc, 1, End::Rounds)),
    ("hrint", Rule::Of(Op::Rint, 1, End::Rounds)),
];

/// A function and the type of its operands.
#[derive(Clone, Copy)]
pub(super) struct OfHalves {
    rule: Rule,
    of: Type,
}

/// The function of a name on operands of these types. `__hadd` of integers is another function,
/// their mean.
pub(super) fn find(name: &str, types: impl Iterator<Item = Type>) -> Option<OfHalves> {
    // The name of every function begins so, and of few others.
    if !name.strip_prefix("__").unwrap_or(name).starts_with('h') {
        return None;
    }
    let (_, rule) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    let mut halves = types.filter(|of| matches!(of.0, DType::F16 | DType::BF16));
    let of = halves.next();
    if name == "__hadd" && of.is_none() {
        return None;
    }
    Some(OfHalves { rule: *rule, of: of.unwrap_or(Type(DType::F16)) })
}

/// The number of operands of a function; `None` if it is not known.
pub(super) fn takes(name: &str) -> Option<usize> {
    find(name, std::iter::once(Type(DType::F16))).map(OfHalves::takes)
}

impl OfHalves {
    fn takes(self) -> usize {
        match self.rule {
            Rule::Of(_, takes, _) => takes,
            Rule::Fma(_) => 3,
            Rule::Order(..) => 2,
            _ => 1,
        }
    }

    /// The type of the value.
    pub fn result_type(self) -> Type {
        match self.rule {
            Rule::Order(..) | Rule::IsNan => Type::BOOL,
            Rule::Infinity => Type::INT,
            _ => self.of,
        }
    }

    /// The value of the function of this name.
    pub fn call(self, name: &str, values: &[Value], place: Place) -> Computed {
        check_count(name, self.takes(), values.len(), place)?;
        // A number becomes a half first. A half is an exact `float`.
        let single = |value: &Value| -> Computed {
            let half = assigned(value.clone(), self.of, place)?;
            Ok(half.converted(SINGLE, place.site)?)
        };
        let values = values.iter().map(single).collect::<Result<Vec<_>, _>>()?;
        let all: Vec<&Value> = values.iter().collect();
        let first = &values[0];
        // A `float` has more than twice the digits, so that rounding its sum, difference, product,
        // quotient or root again is rounding once (S. Figueroa, When is double rounding innocuous?,
        // SIGNUM Newsletter 30, 1995).
        let (result, end) = match self.rule {
            Rule::Of(op, _, end) => (apply(op, SINGLE, &all, place)?, end),
            Rule::Fma(end) => (special("odd_fma", DOUBLE, &values, place)?, end),
            Rule::Negative => (unary(Unary::Minus, first.clone(), place)?, End::Rounds),
            Rule::Inverse => (inverse(first, place)?, End::Rounds),
            Rule::InverseRoot => {
                (inverse(&apply(Op::Sqrt, DOUBLE, &all, place)?, place)?, End::Rounds)
            }
            Rule::PowerOfTen => (power_of_ten(&values, place)?, End::Rounds),
            Rule::Order(op, of_nan) => return order(op, of_nan, &values, place),
            Rule::IsNan => return Ok(apply(Op::Isnan, SINGLE, &all, place)?),
            Rule::Infinity => {
                let [above, below] = [f64::INFINITY, f64::NEG_INFINITY].map(|end| {
                    let is = plain(Op::Equal, first, &Value::real(end, SINGLE), place)?;
                    Ok::<Value, Stop>(is.converted(Type::INT, place.site)?)
                });
                return plain(Op::Subtract, &above?, &below?, place);
            }
        };
        // As numbers between halves are rounded in their order, the ends may come before it.
        let result = match end {
            End::Rounds => result,
            End::Saturates => {
                let number = |number: f64| Value::real(number, result.of);
                let result = apply(Op::Fmax, result.of, &[&result, &number(0.0)], place)?;
                apply(Op::Fmin, result.of, &[&result, &number(1.0)], place)?
            }
            End::Rectifies => {
                let zero = Value::real(0.0, result.of);
                apply(Op::Maximum, result.of, &[&result, &zero], place)?
            }
        };
        assigned(result, self.of, place)
    }
}

/// A comparison whose result is given if an operand is NaN.
fn order(op: Op, of_nan: bool, values: &[Value], place: Place) -> Computed {
    let is = plain(op, &values[0], &values[1], place)?;
    if of_nan == (op == Op::NotEqual) {
        // The comparisons of the table: only `!=` is true of NaN.
        return Ok(is);
    }
    let nan = |value: &Value| plain(Op::NotEqual, value, value, place);
    let is_nan = plain(Op::BitwiseOr, &nan(&values[0])?, &nan(&values[1])?, place)?;
    choice(is_nan, Value::bool(of_nan), is, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once_and_by_the_types_of_operands() {
        for (name, _) in &FUNCTIONS {
            assert_eq!(FUNCTIONS.iter().filter(|row| row.0 == *name).count(), 1, "{name}");
        }
        let of = |name: &str, types: &[DType]| {
            find(name, types.iter().copied().map(Type)).map(|it| it.result_type().0)
        };
        assert_eq!(of("__hadd", &[DType::I32, DType::I32]), None);
        assert_eq!(of("__hadd", &[DType::F32, DType::BF16]), Some(DType::BF16));
        assert_eq!(of("__hmul", &[DType::F32, DType::F32]), Some(DType::F16));
        assert_eq!(of("__hltu", &[DType::F16, DType::F16]), Some(DType::Bool));
    }
}
