//! Casts, promotion and kinds of dtypes; integers as text.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Argument, Casting, DType, DTypeKind, Scalar, base_repr, binary_repr, can_cast, common_type,
    format_float_positional, format_float_scientific, isdtype, isscalar, issubdtype, iterable,
    min_scalar_type, mintypecode, promote_types, result_type, typename,
};
use serde_json::Value;

fn casting(a: &Arguments) -> Casting {
    a.optional_text(2).map_or(Casting::Safe, |name| {
        Casting::from_name(&name).unwrap_or_else(|| inexpressible(name))
    })
}

fn all(a: &Arguments) -> Vec<Argument> {
    (0..a.count()).map(|place| a.argument(place)).collect()
}

fn kinds(a: &Arguments) -> Vec<DTypeKind> {
    let kind = |value: &Value| match value.as_str() {
        Some(name) => DTypeKind::from_name(name),
        None => a.read_dtype(value).map(DTypeKind::Is),
    };
    let value = a.value(1).unwrap_or_default();
    let items = match value.get("tuple").and_then(Value::as_array) {
        Some(items) => items.clone(),
        None => vec![value],
    };
    let found: Option<Vec<DTypeKind>> = items.iter().map(kind).collect();
    found.unwrap_or_else(|| inexpressible(format!("kinds {items:?}")))
}

fn character(a: &Arguments, place: usize, default: char) -> char {
    a.optional_text(place).and_then(|text| text.chars().next()).unwrap_or(default)
}

fn smallest_code(a: &Arguments) -> Answer {
    let set = a.optional_text(1).unwrap_or_else(|| String::from("GDFgdf"));
    mintypecode(&a.text(0), &set, character(a, 2, 'd')).to_string().into()
}

fn width(a: &Arguments) -> Option<usize> {
    a.optional_int("width").map(|width| width as usize)
}

/// The kind that corresponds to an abstract class of NumPy.
fn class(a: &Arguments) -> DTypeKind {
    let value = a.value(1).unwrap_or_default();
    match value["function"].as_str() {
        Some("integer") => DTypeKind::Integral,
        Some("signedinteger") => DTypeKind::SignedInteger,
        Some("unsignedinteger") => DTypeKind::UnsignedInteger,
        Some("floating") => DTypeKind::RealFloating,
        Some("complexfloating") => DTypeKind::ComplexFloating,
        Some("inexact") => DTypeKind::Inexact,
        Some("number") => DTypeKind::Numeric,
        Some("bool") => DTypeKind::Bool,
        _ => a.read_dtype(&value).map_or_else(|| inexpressible(value.to_string()), DTypeKind::Is),
    }
}

fn number(a: &Arguments) -> Scalar {
    match a.argument(0) {
        Argument::Scalar(scalar) => scalar,
        Argument::Weak(weak) => Scalar::from_weak(DType::F64, weak),
        Argument::Array(_) => inexpressible(String::from("array")),
    }
}

calls! { a =>
    "issubdtype": issubdtype(a.dtype(0), class(a)),
    "format_float_positional": format_float_positional(number(a)),
    "format_float_scientific": format_float_scientific(number(a)),
    "can_cast": can_cast(a.dtype(0), a.dtype(1), casting(a)),
    "promote_types": promote_types(a.dtype(0), a.dtype(1)),
    "result_type": result_type(&all(a)),
    "min_scalar_type": min_scalar_type(&a.argument(0)),
    "common_type": common_type(&a.arrays_from(0).iter().collect::<Vec<_>>()),
    "isdtype": isdtype(a.dtype(0), &kinds(a)),
    "typename": typename(character(a, 0, ' ')).unwrap_or("none"),
    "mintypecode": smallest_code(a),
    "isscalar": isscalar(&a.argument(0)),
    "iterable": iterable(&a.argument(0)),
    "base_repr": base_repr(a.int(0), a.int_or(1, 2) as u32, a.int_or(2, 0) as usize),
    "binary_repr": binary_repr(a.int(0), width(a)),
}
