//! Clipping, rounding, closeness, choices and special functions.

use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Argument, Array, Bound, Replacements, Tolerance, allclose, angle, around, array_equal,
    array_equiv, clip, fix, i0, isclose, iscomplex, iscomplexobj, isneginf, isposinf, isreal,
    isrealobj, nan_to_num, piecewise, real_if_close, round, select_list, sinc,
};
use serde_json::Value;

fn bound(a: &Arguments, place: usize) -> Bound {
    a.optional_argument(place).map_or(().into(), Bound::from)
}

fn tolerance(a: &Arguments) -> Tolerance {
    let both = (a.float_or("rtol", 1e-5), a.float_or("atol", 1e-8));
    let tolerance = Tolerance::from(both);
    if a.flag("equal_nan") { tolerance.equal_nan() } else { tolerance }
}

fn replacements(a: &Arguments) -> Replacements {
    let mut replacements = Replacements::from(a.float_or("nan", 0.0));
    if let Some(value) = a.optional_float("posinf") {
        replacements = replacements.posinf(value);
    }
    match a.optional_float("neginf") {
        Some(value) => replacements.neginf(value),
        None => replacements,
    }
}

fn decimals(a: &Arguments) -> i32 {
    a.int_or("decimals", 0) as i32
}

fn selected(a: &Arguments) -> Array {
    let (conditions, choices) = (a.arrays(0), a.list(1));
    let conditions: Vec<&Array> = conditions.iter().collect();
    let default = a.optional_argument(2).unwrap_or(Argument::from(0));
    select_list(&conditions, &choices, default)
}

fn pieces(a: &Arguments) -> Array {
    let conditions = a.arrays(1);
    let conditions: Vec<&Array> = conditions.iter().collect();
    piecewise(&a.array(0), &conditions, &a.list(2))
}

impl Arguments {
    /// A list of arrays and numbers.
    fn list(&self, place: usize) -> Vec<Argument> {
        match self.value(place) {
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| {
                    self.read_argument(item).unwrap_or_else(|| inexpressible(item.to_string()))
                })
                .collect(),
            other => inexpressible(format!("{other:?}")),
        }
    }
}

calls! { a =>
    "clip": clip(&a.array(0), bound(a, 1), bound(a, 2)),
    "ndarray.clip": a.array(0).clip(bound(a, 1), bound(a, 2)),
    "round": round(&a.array(0), decimals(a)),
    "around": around(&a.array(0), decimals(a)),
    "ndarray.round": a.array(0).round(decimals(a)),
    "fix": fix(&a.array(0)),
    "sinc": sinc(&a.array(0)),
    "i0": i0(&a.array(0)),
    "angle": angle(&a.array(0), a.flag("deg")),
    "isreal": isreal(&a.array(0)),
    "iscomplex": iscomplex(&a.array(0)),
    "isrealobj": isrealobj(&a.array(0)),
    "iscomplexobj": iscomplexobj(&a.array(0)),
    "isposinf": isposinf(&a.array(0)),
    "isneginf": isneginf(&a.array(0)),
    "real_if_close": real_if_close(&a.array(0), a.float_or("tol", 100.0)),
    "nan_to_num": nan_to_num(&a.array(0), replacements(a)),
    "isclose": isclose(&a.array(0), a.argument(1), tolerance(a)),
    "allclose": allclose(&a.array(0), a.argument(1), tolerance(a)).item::<bool>(),
    "array_equal": array_equal(&a.array(0), &a.array(1), false).item::<bool>(),
    "array_equiv": array_equiv(&a.array(0), &a.array(1)).item::<bool>(),
    "select": selected(a),
    "piecewise": pieces(a),
}
