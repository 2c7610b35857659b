//! CUDA's functions for dynamic programming (DPX), such as `__viaddmax_s32`: sums and the largest
//! or smallest of numbers, of words or of their halves.

use super::arithmetic::{Place, apply, check_count};
use super::compositions::plain;
use super::integers;
use super::packed::WORD;
use super::stop::Stop;
use super::types::Type;
use super::values::Value;
use phalanx_ops::{DType, Op};

type Computed = Result<Value, Stop>;

/// What a function computes of its operands.
#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    /// The larger or smaller of a sum, which wraps, and a third number.
    OfSum(Op),
    OfThree(Op),
    OfTwo(Op),
    /// Of two, and which one it is is written to addresses.
    Chosen(Op),
}

/// A function.
#[derive(Clone, Copy)]
pub(super) struct Dpx {
    what: What,
    is_signed: bool,
    /// Whether the operands are the halves of words.
    is_halves: bool,
    /// Whether a negative result becomes 0.
    is_rectified: bool,
}

/// The function of a name.
pub(super) fn find(name: &str) -> Option<Dpx> {
    let (what, of) = name.strip_prefix("__vi")?.split_once('_')?;
    let what = match what {
        "addmax" => What::OfSum(Op::Maximum),
        "addmin" => What::OfSum(Op::Minimum),
        "max3" => What::OfThree(Op::Maximum),
        "min3" => What::OfThree(Op::Minimum),
        "max" => What::OfTwo(Op::Maximum),
        "min" => What::OfTwo(Op::Minimum),
        "bmax" => What::Chosen(Op::Maximum),
        "bmin" => What::Chosen(Op::Minimum),
        _ => return None,
    };
    let (of, is_rectified) = match of.strip_suffix("_relu") {
        Some(of) => (of, true),
        None => (of, false),
    };
    let (is_signed, is_halves) = match of {
        "s32" => (true, false),
        "u32" => (false, false),
        "s16x2" => (true, true),
        "u16x2" => (false, true),
        _ => return None,
    };
    // CUDA has no other forms.
    let is_known = match what {
        What::OfTwo(_) => is_signed && is_rectified,
        What::Chosen(_) => !is_rectified,
        What::OfSum(_) | What::OfThree(_) => is_signed || !is_rectified,
    };
    is_known.then_some(Dpx { what, is_signed, is_halves, is_rectified })
}

impl Dpx {
    /// The number of values that it takes, without addresses.
    pub fn takes(self) -> usize {
        if matches!(self.what, What::OfSum(_) | What::OfThree(_)) { 3 } else { 2 }
    }

    /// The number of addresses that it writes truth values to.
    pub fn writes(self) -> usize {
        match self.what {
            What::Chosen(_) if self.is_halves => 2,
            What::Chosen(_) => 1,
            _ => 0,
        }
    }

    /// The type of the value.
    pub fn result_type(self) -> Type {
        if self.is_signed && !self.is_halves { Type::INT } else { WORD }
    }

    /// The value of a function without addresses.
    pub fn call(self, name: &str, values: &[Value], place: Place) -> Computed {
        check_count(name, self.takes() + self.writes(), values.len(), place)?;
        Ok(self.results(name, values, place)?.0)
    }

    /// The value, and whether the first operand is chosen: of the upper half of words, then of the
    /// lower one.
    pub fn results(
        self,
        name: &str,
        values: &[Value],
        place: Place,
    ) -> Result<(Value, Vec<Value>), Stop> {
        if values.iter().any(|value| !value.of.is_integer() && value.of != Type::BOOL) {
            return Err(place.refuse(format!("`{name}` takes integers: `(int)x` is one")));
        }
        let of = if self.is_signed { Type::INT } else { WORD };
        let words = values.iter().map(|word| word.clone().converted(of, place.site));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let mut chosen = Vec::new();
        if !self.is_halves {
            chosen.extend(self.chosen(&words, place)?);
            return Ok((self.computed(&words, of, place)?, chosen));
        }
        let narrow = Type(if self.is_signed { DType::I16 } else { DType::U16 });
        let mut all = Value::integer(0, WORD);
        for first in [16, 0] {
            // As an `int`, which every half fits.
            let half = |word: &Value| -> Computed {
                Ok(integers::part(word, first, 16, place)?.converted(Type::INT, place.site)?)
            };
            let halves = words.iter().map(half).collect::<Result<Vec<_>, _>>()?;
            chosen.extend(self.chosen(&halves, place)?);
            let result = self.computed(&halves, narrow, place)?.converted(WORD, place.site)?;
            let result = plain(Op::BitwiseAnd, &result, &Value::integer(0xFFFF, WORD), place)?;
            let shift = Value::integer(first, Type::INT);
            let result = plain(Op::LeftShift, &result, &shift, place)?;
            all = plain(Op::BitwiseOr, &all, &result, place)?;
        }
        Ok((all, chosen))
    }

    /// Whether the first operand is chosen; of equal ones it is.
    fn chosen(self, values: &[Value], place: Place) -> Result<Option<Value>, Stop> {
        let op = match self.what {
            What::Chosen(Op::Maximum) => Op::GreaterEqual,
            What::Chosen(_) => Op::LessEqual,
            _ => return Ok(None),
        };
        plain(op, &values[0], &values[1], place).map(Some)
    }

    /// The result of operands of one type, in which a sum of numbers that are `wrapped` wraps.
    fn computed(self, values: &[Value], wrapped: Type, place: Place) -> Computed {
        let of = values[0].of;
        let best = |op: Op, a: &Value, b: &Value| apply(op, of, &[a, b], place);
        let result = match self.what {
            What::OfSum(op) => {
                let sum = plain(Op::Add, &values[0], &values[1], place)?;
                let sum = sum.converted(wrapped, place.site)?.converted(of, place.site)?;
                best(op, &sum, &values[2])?
            }
            What::OfThree(op) => best(op, &best(op, &values[0], &values[1])?, &values[2])?,
            What::OfTwo(op) | What::Chosen(op) => best(op, &values[0], &values[1])?,
        };
        if self.is_rectified {
            return Ok(best(Op::Maximum, &result, &Value::integer(0, of))?);
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cuda_are_found_and_no_others() {
        for (name, found) in [
            ("__viaddmax_s32", Some((3, 0, Type::INT))),
            ("__viaddmin_u16x2", Some((3, 0, WORD))),
            ("__vimax3_s16x2_relu", Some((3, 0, WORD))),
            ("__vimin_s32_relu", Some((2, 0, Type::INT))),
            ("__vibmax_u32", Some((2, 1, WORD))),
            ("__vibmin_s16x2", Some((2, 2, WORD))),
            ("__vimax_s32", None),
            ("__vimax3_u32_relu", None),
            ("__vibmax_s32_relu", None),
            ("__viaddmax_s64", None),
            ("__vi_s32", None),
        ] {
            let of = find(name).map(|it| (it.takes(), it.writes(), it.result_type()));
            assert_eq!(of, found, "{name}");
        }
    }
}
