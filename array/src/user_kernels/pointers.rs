//! Functions that write results to addresses of variables, such as `sincos`.

use super::arithmetic::{Place, apply, check_count};
use super::compositions::{self, plain};
use super::dpx::{self, Dpx};
use super::functions;
use super::run::{MOST_TURNS, Runner};
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

/// Whether a function is that of the length of a vector at an address: whether it is the inverse,
/// and whether it is that for `float`.
fn length_of(name: &str, count: usize) -> Option<(bool, bool)> {
    let found = match name {
        "norm" => (false, false),
        "normf" => (false, true),
        "rnorm" => (true, false),
        "rnormf" => (true, true),
        _ => return None,
    };
    (count == 2).then_some(found)
}

/// The type of a function's value; `None` if the function is not known or has none.
pub(super) fn result_type(name: &str, types: &[Type]) -> Option<Type> {
    if let Some((_, is_single)) = length_of(name, types.len()) {
        return Some(if is_single { Type(DType::F32) } else { types[1].floating() });
    }
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
        if let Some(kind) = length_of(name, arguments.len()).filter(|_| !is_own) {
            return Ok(Some(Some(self.length(kind, arguments, place)?)));
        }
        if let Some(dpx) = dpx::find(name).filter(|it| it.writes() > 0 && !is_own) {
            return Ok(Some(Some(self.chosen(dpx, name, arguments, place)?)));
        }
        let Some(((plain, takes, writes), is_single)) = find(name).filter(|_| !is_own) else {
            return Ok(None);
        };
        let (mut values, targets) = self.split(name, arguments, (takes, writes), place)?;
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
        self.assign_all(name, targets, results, place)?;
        Ok(Some(value))
    }

    /// The larger or smaller of two numbers; which one it is, is written.
    fn chosen(
        &mut self,
        dpx: Dpx,
        name: &str,
        arguments: &'a [Expression],
        place: Place,
    ) -> Run<Value> {
        let counts = (dpx.takes(), dpx.writes());
        let (values, targets) = self.split(name, arguments, counts, place)?;
        let (value, chosen) = dpx.results(name, &values, place)?;
        self.assign_all(name, targets, chosen, place)?;
        Ok(value)
    }

    /// The values that a function takes, and the addresses to which it writes.
    fn split(
        &mut self,
        name: &str,
        arguments: &'a [Expression],
        (takes, writes): (usize, usize),
        place: Place,
    ) -> Run<(Vec<Value>, &'a [Expression])> {
        check_count(name, takes + writes, arguments.len(), place)?;
        if self.is_partial {
            let what = "writes variables, so it stands outside of `?:`, `&&` and `||`";
            return Err(place.refuse(format!("`{name}` {what}")));
        }
        let (values, targets) = arguments.split_at(takes);
        let values = values.iter().map(|value| self.expression(value));
        Ok((values.collect::<Run<Vec<Value>>>()?, targets))
    }

    /// Writes results to addresses.
    fn assign_all(
        &mut self,
        name: &str,
        targets: &'a [Expression],
        results: Vec<Value>,
        place: Place,
    ) -> Run<()> {
        for (target, result) in targets.iter().zip(results) {
            let Kind::Address(target) = &target.kind else {
                let what = format!("`{name}` writes to addresses of variables, such as `&t`");
                return Err(place.refuse(what));
            };
            self.assign(target, None, result, place)?;
        }
        Ok(())
    }

    /// The length of the vector of the first elements at an address, or its inverse.
    fn length(
        &mut self,
        (is_inverse, is_single): (bool, bool),
        arguments: &'a [Expression],
        place: Place,
    ) -> Run<Value> {
        let count = self.expression(&arguments[0])?.known_integer();
        let Some(count) = count else {
            return Err(place.refuse("the length of a vector must be known"));
        };
        if !(0..=MOST_TURNS as i128).contains(&count) {
            let what = format!("a vector has 0 to {MOST_TURNS} elements, not {count}");
            return Err(place.refuse(what));
        }
        let (base, first) = match &arguments[1].kind {
            Kind::Address(target) => match &target.kind {
                Kind::Index(base, index) => (&**base, self.expression(index)?),
                _ => return Err(place.refuse("a vector is an array, or begins at its element")),
            },
            _ => (&arguments[1], Value::integer(0, Type::INT)),
        };
        let Kind::Name(name) = &base.kind else {
            return Err(place.refuse("a vector is an array, or begins at its element"));
        };
        let mut values = Vec::new();
        for at in 0..count {
            let index = plain(Op::Add, &first, &Value::integer(at, Type::LONG), place)?;
            let value = self.element_at(name, &index, place)?;
            let of = if is_single { Type(DType::F32) } else { value.of.floating() };
            values.push(value.converted(of, place.site)?);
        }
        let length = compositions::length(&values, place)?;
        if is_inverse { compositions::inverse(&length, place) } else { Ok(length) }
    }
}
