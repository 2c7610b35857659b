//! CUDA's functions of words that pack two or four integers, such as `__vadd2`, as compositions of
//! operations on their parts.

use super::arithmetic::{Place, apply, check_count, choice};
use super::compositions::plain;
use super::integers;
use super::stop::Stop;
use super::types::Type;
use super::values::Value;
use phalanx_ops::{DType, Op};

type Computed = Result<Value, Stop>;

pub(super) const WORD: Type = Type(DType::U32);

/// What is computed of the parts. They have 16 bits at most, so no step overflows an `int`.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// An operation of the table on two parts.
    Of(Op),
    Absolute,
    Negative,
    Distance,
    /// Half of the sum, rounded down.
    Mean,
    /// Half of the sum, halves rounded away from zero.
    RoundedMean,
}

/// What becomes of the results.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Their lower bits.
    Wraps,
    /// The nearest numbers that a part can hold.
    Saturates,
    /// All bits of the part, where they are true.
    Mask,
    /// 1, where they are true.
    Bit,
    /// Their sum is the word.
    Total,
}

/// A function: its name without `__v` and the number of parts, whether parts have signs, what is
/// computed, and what becomes of it.
struct Row(&'static str, bool, Part, End);

static FUNCTIONS: [Row; 41] = [
    Row("abs", true, Part::Absolute, End::Wraps),
    Row("absss", true, Part::Absolute, End::Saturates),
    Row("absdiffs", true, Part::Distance, End::Wraps),
    Row("absdiffu", false, Part::Distance, End::Wraps),
    Row("sads", true, Part::Distance, End::Total),
    Row("sadu", false, Part::Distance, End::Total),
    Row("add", false, Part::Of(Op::Add), End::Wraps),
    Row("addss", true, Part::Of(Op::Add), End::Saturates),
    Row("addus", false, Part::Of(Op::Add), End::Saturates),
    Row("sub", false, Part::Of(Op::Subtract), End::Wraps),
    Row("subss", true, Part::Of(Op::Subtract), End::Saturates),
    Row("subus", false, Part::Of(Op::Subtract), End::Saturates),
    Row("neg", true, Part::Negative, End::Wraps),
    Row("negss", true, Part::Negative, End::Saturates),
    Row("avgs", true, Part::RoundedMean, End::Wraps),
    Row("avgu", false, Part::RoundedMean, End::Wraps),
    Row("haddu", false, Part::Mean, End::Wraps),
    Row("maxs", true, Part::Of(Op::Maximum), End::Wraps),
    Row("maxu", false, Part::Of(Op::Maximum), End::Wraps),
    Row("mins", true, Part::Of(Op::Minimum), End::Wraps),
    Row("minu", false, Part::Of(Op::Minimum), End::Wraps),
    Row("cmpeq", false, Part::Of(Op::Equal), End::Mask),
    Row("cmpne", false, Part::Of(Op::NotEqual), End::Mask),
    Row("cmpges", true, Part::Of(Op::GreaterEqual), End::Mask),
    Row("cmpgeu", false, Part::Of(Op::GreaterEqual), End::Mask),
    Row("cmpgts", true, Part::Of(Op::Greater), End::Mask),
    Row("cmpgtu", false, Part::Of(Op::Greater), End::Mask),
    Row("cmples", true, Part::Of(Op::LessEqual), End::Mask),
    Row("cmpleu", false, Part::Of(Op::LessEqual), End::Mask),
    Row("cmplts", true, Part::Of(Op::Less), End::Mask),
    Row("cmpltu", false, Part::Of(Op::Less), End::Mask),
    Row("seteq", false, Part::Of(Op::Equal), End::Bit),
    Row("setne", false, Part::Of(Op::NotEqual), End::Bit),
    Row("setges", true, Part::Of(Op::GreaterEqual), End::Bit),
    Row("setgeu", false, Part::Of(Op::GreaterEqual), End::Bit),
    Row("setgts", true, Part::Of(Op::Greater), End::Bit),
    Row("setgtu", false, Part::Of(Op::Greater), End::Bit),
    Row("setles", true, Part::Of(Op::LessEqual), End::Bit),
    Row("setleu", false, Part::Of(Op::LessEqual), End::Bit),
    Row("setlts", true, Part::Of(Op::Less), End::Bit),
    Row("setltu", false, Part::Of(Op::Less), End::Bit),
];

/// A function, with the number of parts of a word.
#[derive(Clone, Copy)]
pub(super) struct Packed {
    row: &'static Row,
    parts: usize,
}

/// The function of a name.
pub(super) fn find(name: &str) -> Option<Packed> {
    let name = name.strip_prefix("__v")?;
    let (name, parts) = match (name.strip_suffix('2'), name.strip_suffix('4')) {
        (Some(name), _) => (name, 2),
        (None, name) => (name?, 4),
    };
    let row = FUNCTIONS.iter().find(|row| row.0 == name)?;
    Some(Packed { row, parts })
}

impl Packed {
    /// The number of operands.
    pub fn takes(self) -> usize {
        if matches!(self.row.2, Part::Absolute | Part::Negative) { 1 } else { 2 }
    }

    /// The value of the function of this name.
    pub fn call(self, name: &str, values: &[Value], place: Place) -> Computed {
        check_count(name, self.takes(), values.len(), place)?;
        if values.iter().any(|value| !value.of.is_integer() && value.of != Type::BOOL) {
            return Err(place.refuse(format!("`{name}` takes integers: `(int)x` is one")));
        }
        let Row(_, is_signed, what, end) = *self.row;
        let of = if is_signed { Type::INT } else { WORD };
        let words = values.iter().map(|word| word.clone().converted(of, place.site));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let bits = 32 / self.parts as i128;
        let mut all = Value::integer(0, WORD);
        for at in 0..self.parts as i128 {
            // As an `int`, which every part fits.
            let part = |word: &Value| -> Computed {
                Ok(integers::part(word, at * bits, bits, place)?
                    .converted(Type::INT, place.site)?)
            };
            let parts = words.iter().map(part).collect::<Result<Vec<_>, _>>()?;
            let result = ended(computed(what, &parts, place)?, end, (bits, is_signed), place)?;
            let result = result.converted(WORD, place.site)?;
            all = match end {
                End::Total => plain(Op::Add, &all, &result, place)?,
                _ => {
                    let mask = Value::integer((1 << bits) - 1, WORD);
                    let result = plain(Op::BitwiseAnd, &result, &mask, place)?;
                    let shift = Value::integer(at * bits, Type::INT);
                    let result = plain(Op::LeftShift, &result, &shift, place)?;
                    plain(Op::BitwiseOr, &all, &result, place)?
                }
            };
        }
        Ok(all)
    }
}

fn computed(what: Part, parts: &[Value], place: Place) -> Computed {
    let a = &parts[0];
    let pair = |op: Op| plain(op, a, &parts[1], place);
    let halved = |sum: &Value| plain(Op::RightShift, sum, &Value::integer(1, Type::INT), place);
    match what {
        Part::Of(op @ (Op::Minimum | Op::Maximum)) => {
            Ok(apply(op, Type::INT, &[a, &parts[1]], place)?)
        }
        Part::Of(op) => Ok(pair(op)?.converted(Type::INT, place.site)?),
        Part::Absolute => Ok(apply(Op::Absolute, Type::INT, &[a], place)?),
        Part::Negative => plain(Op::Subtract, &Value::integer(0, Type::INT), a, place),
        Part::Distance => Ok(apply(Op::Absolute, Type::INT, &[&pair(Op::Subtract)?], place)?),
        Part::Mean => halved(&pair(Op::Add)?),
        Part::RoundedMean => {
            let sum = pair(Op::Add)?;
            let zero = Value::integer(0, Type::INT);
            let up = plain(Op::GreaterEqual, &sum, &zero, place)?;
            let up = up.converted(Type::INT, place.site)?;
            halved(&plain(Op::Add, &sum, &up, place)?)
        }
    }
}

/// A result as the part of a word, or as a number that is added.
fn ended(result: Value, end: End, (bits, is_signed): (i128, bool), place: Place) -> Computed {
    match end {
        End::Saturates => {
            let (least, most) = match is_signed {
                true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
                false => (0, (1 << bits) - 1),
            };
            let [least, most] = [least, most].map(|number| Value::integer(number, Type::INT));
            let result = apply(Op::Maximum, Type::INT, &[&result, &least], place)?;
            Ok(apply(Op::Minimum, Type::INT, &[&result, &most], place)?)
        }
        End::Mask => {
            let [all, none] = [-1, 0].map(|number| Value::integer(number, Type::INT));
            choice(result, all, none, place)
        }
        End::Wraps | End::Bit | End::Total => Ok(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once() {
        for Row(name, ..) in &FUNCTIONS {
            assert_eq!(FUNCTIONS.iter().filter(|row| row.0 == *name).count(), 1, "{name}");
        }
        for (name, found) in [
            ("__vadd2", Some(("add", 2, 2))),
            ("__vabsss4", Some(("absss", 4, 1))),
            ("__vadd3", None),
            ("vadd2", None),
            ("__v2", None),
        ] {
            let of = find(name).map(|it| (it.row.0, it.parts, it.takes()));
            assert_eq!(of, found, "{name}");
        }
    }
}
