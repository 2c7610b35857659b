//! Functions that write results to addresses of variables, such as `sincos`.

use super::arithmetic::{Place, apply};
use super::compositions;
use super::functions;
use super::run::Runner;
use super::stop::Run;
use super::syntax::{Expression, Kind};
use super::types::Type;
use super::values::Value;
use phalanx_ops::{DType, Op};

/// The functions, with the number of values that they take and the number of results.
const FUNCTIONS: [(&str, usize, usize); 5] =
    [("sincos", 1, 2), ("sincospi", 1, 2), ("frexp", 1, 1), ("modf", 1, 1), ("remquo", 2, 1)];

/// The function of a name, and whether it is that for `float`.
fn find(name: &str) -> Option<((&'static str, usize, usize), bool)> {
    let plain = name.strip_prefix("__").unwrap_or(name);
    let known = |name: &str| FUNCTIONS.iter().find(|(known, ..)| *known == name).copied();
    match known(plain) {
        // `modf` ends in `f` itself.
        Some(found) => Some((found, false)),
        None => Some((known(plain.strip_suffix('f')?)?, true)),
    }
}

/// The type of a function's value; `None` if the function is not known or has none.
pub(super) fn result_type(name: &str, types: &[Type]) -> Option<Type> {
    let Some(((_, takes, _), is_single)) = find(name) else {
        return functions::result_type(name, types);
    };
    let common = types.get(..takes)?.iter().map(|of| of.promoted()).reduce(Type::common)?;
    Some(if is_single { Type(DType::F32) } else { common.floating() })
}

impl<'a> Runner<'a> {
    /// Calls a function that writes to addresses. `None` for another function; a function without a
    /// value gives none.
    pub(super) fn written(
        &mut self,
        name: &str,
        arguments: &'a [Expression],
        place: Place,
    ) -> Run<Option<Option<Value>>> {
        let is_own = self.functions.iter().any(|own| own.name == name);
        let Some(((plain, takes, writes), is_single)) = find(name).filter(|_| !is_own) else {
            return Ok(None);
        };
        functions::check_count(name, takes + writes, arguments.len(), place)?;
        if self.is_partial {
            let what = "writes variables, so it stands outside of `?:`, `&&` and `||`";
            return Err(place.refuse(format!("`{name}` {what}")));
        }
        let (values, targets) = arguments.split_at(takes);
        let values = values.iter().map(|value| self.expression(value));
        let mut values = values.collect::<Run<Vec<Value>>>()?;
        let types = values.iter().map(|value| value.of.promoted());
        let common = types.reduce(Type::common).unwrap_or(Type::INT).floating();
        if common.is_complex() {
            return Err(place.refuse(format!("`{name}` takes no complex numbers")));
        }
        let of = if is_single { Type(DType::F32) } else { common };
        for value in &mut values {
            *value = value.clone().converted(of, place.site)?;
        }
        let first = &values[0];
        let (value, results) = match plain {
            "sincos" => {
                let [sine, cosine] = [Op::Sin, Op::Cos].map(|op| apply(op, of, &[first], place));
                (None, vec![sine?, cosine?])
            }
            "sincospi" => {
                let [sine, cosine] =
                    [Op::Sin, Op::Cos].map(|op| compositions::of_turns(op, first, place));
                (None, vec![sine?, cosine?])
            }
            "frexp" => (
                Some(apply(Op::FrexpMantissa, of, &[first], place)?),
                vec![apply(Op::FrexpExponent, of, &[first], place)?],
            ),
            "modf" => (
                Some(apply(Op::ModfFractional, of, &[first], place)?),
                vec![apply(Op::ModfIntegral, of, &[first], place)?],
            ),
            _ => (
                Some(compositions::remainder(&values, place)?),
                vec![compositions::last_bits(&values, place)?],
            ),
        };
        for (target, result) in targets.iter().zip(results) {
            let Kind::Address(target) = &target.kind else {
                let what = format!("`{name}` writes to addresses of variables, such as `&t`");
                return Err(place.refuse(what));
            };
            self.assign(target, None, result, place)?;
        }
        Ok(Some(value))
    }
}
