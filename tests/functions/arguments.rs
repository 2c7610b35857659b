//! The arguments of a case; each call reads those that it needs.
//!
//! An argument that Rust's call cannot take, such as a text instead of a number, ends the case.
//! The case passes if NumPy raises an error, and fails otherwise.

use crate::case::{Case, dtype, host, index, items, text};
use crate::key::Key;
use phalanx::{Argument, Array, Axes, DType, Index, Op, Scalar, ShapeArgument, keepdims};
use phalanx_ops::{Kind, Weak};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The panic payload of a call in Rust that cannot take an argument.
pub struct Inexpressible(pub String);

/// The arguments of a call.
pub struct Arguments {
    positional: Vec<Value>,
    keywords: serde_json::Map<String, Value>,
    arrays: Vec<Array>,
    /// Positions and keywords that the call has not read so far.
    unread: RefCell<BTreeSet<String>>,
}

#[allow(dead_code, reason = "some are for functions to come")]
impl Arguments {
    /// The arguments of a case, with its arrays.
    pub fn new(case: &Case, arrays: Vec<Array>) -> Arguments {
        let positional = items(&case.line["arguments"]).to_vec();
        let keywords = case.line["keywords"].as_object().cloned().unwrap_or_default();
        let places = (0..positional.len()).map(|place| place.to_string());
        let unread = RefCell::new(places.chain(keywords.keys().cloned()).collect());
        Arguments { positional, keywords, arrays, unread }
    }

    /// An argument that the call did not read.
    pub fn unread(&self) -> Option<String> {
        self.unread.borrow().first().cloned()
    }

    /// The number of positional arguments.
    pub fn count(&self) -> usize {
        self.positional.len()
    }

    fn find(&self, key: impl Into<Key>) -> Option<&Value> {
        let Key { place, keyword } = key.into();
        if let Some(value) = place.and_then(|place| self.positional.get(place)) {
            self.unread.borrow_mut().remove(&place?.to_string());
            return Some(value);
        }
        let value = self.keywords.get(keyword?)?;
        self.unread.borrow_mut().remove(keyword?);
        Some(value)
    }

    fn given(&self, key: impl Into<Key>) -> Option<&Value> {
        self.find(key).filter(|value| !value.is_null())
    }

    fn needed<T>(&self, key: impl Into<Key>, read: impl Fn(&Value) -> Option<T>) -> T {
        let key = key.into();
        let Some(value) = self.find(key) else { inexpressible(format!("no argument at {key:?}")) };
        read(value).unwrap_or_else(|| inexpressible(format!("{value} at {key:?}")))
    }

    fn optional<T>(&self, key: impl Into<Key>, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let key = key.into();
        self.given(key).map(|_| self.needed(key, read))
    }

    /// Whether the argument is there and not `None`.
    pub fn has(&self, key: impl Into<Key>) -> bool {
        let key = key.into();
        let place = key.place.and_then(|place| self.positional.get(place));
        let value = place.or_else(|| self.keywords.get(key.keyword?));
        value.is_some_and(|value| !value.is_null())
    }

    /// The argument as it is in the case.
    pub fn value(&self, key: impl Into<Key>) -> Option<Value> {
        self.find(key).cloned()
    }

    /// An array.
    pub fn array(&self, key: impl Into<Key>) -> Array {
        self.needed(key, |value| self.read_array(value))
    }

    /// An array, unless it is absent or `None`.
    pub fn optional_array(&self, key: impl Into<Key>) -> Option<Array> {
        self.optional(key, |value| self.read_array(value))
    }

    /// A list or tuple of arrays, or one array.
    pub fn arrays(&self, key: impl Into<Key>) -> Vec<Array> {
        self.needed(key, |value| match sequence(value) {
            Some(items) => items.iter().map(|item| self.read_array(item)).collect(),
            None => self.read_array(value).map(|array| vec![array]),
        })
    }

    /// All positional arguments from a position on, as arrays.
    pub fn arrays_from(&self, start: usize) -> Vec<Array> {
        (start..self.count()).map(|place| self.array(place)).collect()
    }

    /// An array, a number, or a scalar with a dtype.
    pub fn argument(&self, key: impl Into<Key>) -> Argument {
        self.needed(key, |value| self.read_argument(value))
    }

    /// Like [`Arguments::argument`], unless it is absent or `None`.
    pub fn optional_argument(&self, key: impl Into<Key>) -> Option<Argument> {
        self.optional(key, |value| self.read_argument(value))
    }

    /// An operation of the table, on all positional arguments.
    pub fn ufunc(&self, op: Op) -> Array {
        let all: Vec<Argument> = (0..self.count()).map(|place| self.argument(place)).collect();
        if all.len() != op.arity() {
            inexpressible(format!("{} arguments", all.len()));
        }
        Array::apply(op, &all)
    }

    /// An integer.
    pub fn int(&self, key: impl Into<Key>) -> i64 {
        self.needed(key, integer)
    }

    /// An integer, unless it is absent or `None`.
    pub fn optional_int(&self, key: impl Into<Key>) -> Option<i64> {
        self.optional(key, integer)
    }

    /// An integer, or another one if it is absent.
    pub fn int_or(&self, key: impl Into<Key>, default: i64) -> i64 {
        self.optional_int(key).unwrap_or(default)
    }

    /// An integer or `None`, or an integer if it is absent.
    pub fn optional_or(&self, key: impl Into<Key>, default: i64) -> Option<i64> {
        let key = key.into();
        match self.find(key) {
            Some(Value::Null) => None,
            Some(_) => Some(self.int(key)),
            None => Some(default),
        }
    }

    /// A number that is not negative.
    pub fn extent(&self, key: impl Into<Key>) -> usize {
        self.needed(key, |value| usize::try_from(integer(value)?).ok())
    }

    /// A real number.
    pub fn float(&self, key: impl Into<Key>) -> f64 {
        self.needed(key, float)
    }

    /// A real number, unless it is absent or `None`.
    pub fn optional_float(&self, key: impl Into<Key>) -> Option<f64> {
        self.optional(key, float)
    }

    /// A real number, or another one if it is absent.
    pub fn float_or(&self, key: impl Into<Key>, default: f64) -> f64 {
        self.optional_float(key).unwrap_or(default)
    }

    /// A truth value, `false` if it is absent.
    pub fn flag(&self, key: impl Into<Key>) -> bool {
        self.flag_or(key, false)
    }

    /// A truth value, or another one if it is absent.
    pub fn flag_or(&self, key: impl Into<Key>, default: bool) -> bool {
        self.optional(key, Value::as_bool).unwrap_or(default)
    }

    /// A text.
    pub fn text(&self, key: impl Into<Key>) -> String {
        self.needed(key, |value| value.as_str().map(str::to_owned))
    }

    /// A text, unless it is absent or `None`.
    pub fn optional_text(&self, key: impl Into<Key>) -> Option<String> {
        self.optional(key, |value| value.as_str().map(str::to_owned))
    }

    /// An integer, or a list or tuple of them.
    pub fn integers(&self, key: impl Into<Key>) -> Vec<i64> {
        self.needed(key, integers)
    }

    /// Like [`Arguments::integers`], unless it is absent or `None`.
    pub fn optional_integers(&self, key: impl Into<Key>) -> Option<Vec<i64>> {
        self.optional(key, integers)
    }

    /// All positional arguments from a position on as integers, or the one list of them.
    pub fn integers_from(&self, start: usize) -> Vec<i64> {
        if self.count() == start + 1 {
            return self.integers(start);
        }
        (start..self.count()).map(|place| self.int(place)).collect()
    }

    /// A real number, or a list or tuple of them.
    pub fn floats(&self, key: impl Into<Key>) -> Vec<f64> {
        self.needed(key, |value| match sequence(value) {
            Some(items) => items.iter().map(float).collect(),
            None => float(value).map(|value| vec![value]),
        })
    }

    /// Like [`Arguments::floats`], unless it is absent or `None`.
    pub fn optional_floats(&self, key: impl Into<Key>) -> Option<Vec<f64>> {
        let key = key.into();
        self.given(key).map(|_| self.floats(key))
    }

    /// A shape: an integer, or a list or tuple of them.
    pub fn shape(&self, key: impl Into<Key>) -> ShapeArgument {
        self.integers(key).as_slice().into()
    }

    /// A number of Python, which has no dtype.
    pub fn number(&self, key: impl Into<Key>) -> Weak {
        let key = key.into();
        match self.argument(key) {
            Argument::Weak(weak) => weak,
            _ => inexpressible(format!("number at {key:?}")),
        }
    }

    /// The dtype of a number of Python if no other operand has one.
    pub fn dtype_of(&self, key: impl Into<Key>) -> DType {
        match self.number(key).kind() {
            Kind::Bool => DType::Bool,
            Kind::Signed | Kind::Unsigned => DType::I64,
            Kind::Float => DType::F64,
            Kind::Complex => DType::C128,
        }
    }

    /// A dtype.
    pub fn dtype(&self, key: impl Into<Key>) -> DType {
        self.needed(key, read_dtype)
    }

    /// A dtype, unless it is absent or `None`.
    pub fn optional_dtype(&self, key: impl Into<Key>) -> Option<DType> {
        self.optional(key, read_dtype)
    }

    /// The arguments `axis` and `keepdims` of a reduction.
    pub fn axes(&self) -> Axes {
        self.axes_at("axis")
    }

    /// Like [`Arguments::axes`], for an axis that may also be a positional argument.
    pub fn axes_at(&self, axis: impl Into<Key>) -> Axes {
        let axis = axis.into();
        let axes: Axes = match self.optional_integers(axis) {
            None => ().into(),
            Some(axes) => match (axes.as_slice(), self.value(axis)) {
                // A single axis differs from a list of one axis.
                (&[axis], Some(Value::Number(_))) => axis.into(),
                (axes, _) => axes.into(),
            },
        };
        if self.flag("keepdims") { keepdims(axes) } else { axes }
    }

    /// The items of a basic index.
    pub fn index(&self, key: impl Into<Key>) -> Vec<Index> {
        self.needed(key, |value| {
            let is_basic = |item: &Value| item.get("array").is_none() && !item.is_boolean();
            let tuple = value.get("tuple").and_then(Value::as_array);
            let items = tuple.map_or(std::slice::from_ref(value), Vec::as_slice);
            items.iter().all(is_basic).then(|| items.iter().map(index).collect())
        })
    }

    /// One of several arguments as an array, if it is one.
    pub fn read_array(&self, value: &Value) -> Option<Array> {
        let number = value.get("array")?.as_u64()?;
        Some(self.arrays[number as usize].clone())
    }

    /// A dtype.
    pub fn read_dtype(&self, value: &Value) -> Option<DType> {
        read_dtype(value)
    }

    /// One of several arguments: an array, a number, or a scalar with a dtype.
    pub fn read_argument(&self, value: &Value) -> Option<Argument> {
        if let Some(array) = self.read_array(value) {
            return Some(array.into());
        }
        if let Some(scalar) = value.get("scalar") {
            let bytes = host(&Value::from(vec![
                scalar[0].clone(),
                Value::Array(Vec::new()),
                scalar[1].clone(),
            ]));
            return Some(Scalar::from_bytes(bytes.dtype, &bytes.bytes).into());
        }
        if let Some(digits) = value.get("integer") {
            return Some(Argument::Weak(Weak::Int(text(digits).parse().ok()?)));
        }
        if let Some(parts) = value.get("complex") {
            let [real, imaginary] = [float(&parts[0])?, float(&parts[1])?];
            return Some(num_complex::Complex64::new(real, imaginary).into());
        }
        match value {
            Value::Bool(value) => Some((*value).into()),
            _ if value.is_i64() => value.as_i64().map(Argument::from),
            _ => float(value).map(Argument::from),
        }
    }
}

/// Ends the case: the call cannot take an argument.
pub fn inexpressible(what: String) -> ! {
    std::panic::panic_any(Inexpressible(what))
}

fn sequence(value: &Value) -> Option<&Vec<Value>> {
    value.get("tuple").unwrap_or(value).as_array()
}

fn integer(value: &Value) -> Option<i64> {
    value.as_i64()
}

fn integers(value: &Value) -> Option<Vec<i64>> {
    match sequence(value) {
        Some(items) => items.iter().map(integer).collect(),
        None => integer(value).map(|value| vec![value]),
    }
}

fn float(value: &Value) -> Option<f64> {
    match value.get("float") {
        Some(word) => word.as_str()?.parse().ok(),
        None => value.as_f64(),
    }
}

fn read_dtype(value: &Value) -> Option<DType> {
    value.get("dtype").map(|name| dtype(&text(name)))
}
