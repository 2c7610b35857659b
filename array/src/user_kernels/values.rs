//! Values of expressions: known numbers, and arrays.

use super::types::Type;
use crate::array::{Argument, Array};
use phalanx_graph::{Error, Site, within};
use phalanx_ops::{DType, Scalar, Weak};

/// A number that is known while a text is interpreted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    Integer(i128),
    Real(f64),
}

/// The value of an expression.
#[derive(Clone)]
pub(super) struct Value {
    pub of: Type,
    pub kind: ValueKind,
}

/// What a value is.
#[derive(Clone)]
pub(super) enum ValueKind {
    /// Integers of a type are in its range; bools are 0 and 1.
    Known(Number),
    /// An element for each element of the kernel, or one for all.
    Elements(Elements),
}

/// Elements that are computed.
#[derive(Clone)]
pub(super) struct Elements {
    pub array: Array,
    /// The value is `scale * i + offset`, where `i` numbers the elements in C order.
    pub line: Option<(i64, i64)>,
}

impl Value {
    pub fn integer(number: i128, of: Type) -> Value {
        Value { of, kind: ValueKind::Known(Number::Integer(wrapped(number, of))) }
    }

    pub fn real(number: f64, of: Type) -> Value {
        let number = match of.0 {
            DType::F32 => f64::from(number as f32),
            DType::F16 | DType::BF16 => {
                let half = Scalar::from_weak(of.0, Weak::Float(number));
                half.to_weak().to_complex().re
            }
            _ => number,
        };
        Value { of, kind: ValueKind::Known(Number::Real(number)) }
    }

    pub fn bool(is: bool) -> Value {
        Value::integer(i128::from(is), Type::BOOL)
    }

    pub fn array(array: Array) -> Value {
        let elements = Elements { line: None, array };
        Value { of: Type(elements.array.dtype()), kind: ValueKind::Elements(elements) }
    }

    /// The value as a number that is known.
    pub fn known(&self) -> Option<Number> {
        match &self.kind {
            ValueKind::Known(number) => Some(*number),
            ValueKind::Elements(_) => None,
        }
    }

    /// A known integer.
    pub fn known_integer(&self) -> Option<i128> {
        match self.known()? {
            Number::Integer(number) => Some(number),
            Number::Real(_) => None,
        }
    }

    /// The value as `scale * i + offset`.
    pub fn line(&self) -> Option<(i64, i64)> {
        match &self.kind {
            ValueKind::Known(Number::Integer(number)) => Some((0, i64::try_from(*number).ok()?)),
            ValueKind::Elements(elements) => elements.line,
            ValueKind::Known(Number::Real(_)) => None,
        }
    }

    /// The value in another type, as C++ converts it.
    pub fn converted(self, to: Type, site: Site) -> Result<Value, Error> {
        if self.of == to {
            return Ok(self);
        }
        Ok(match self.kind {
            ValueKind::Known(number) => match (number, to.0) {
                (Number::Integer(number), DType::Bool) => Value::bool(number != 0),
                (Number::Real(number), DType::Bool) => Value::bool(number != 0.0),
                (Number::Integer(number), _) if to.is_integer() => Value::integer(number, to),
                (Number::Real(number), _) if to.is_integer() => {
                    let integer = number as i128;
                    if number.is_nan() || wrapped(integer, to) != integer {
                        // C++ does not define the result: it is that of an element.
                        let of = Type(DType::F64);
                        let one = Argument::Scalar(scalar(Number::Real(number), of, site)?);
                        let array = within(site, || one.into_array()).astype_at(to.0, site);
                        return Ok(Value::array(array.into_result()?));
                    }
                    Value::integer(integer, to)
                }
                // Rounded once.
                (Number::Integer(number), DType::F32) => Value::real(f64::from(number as f32), to),
                (Number::Integer(number), _) => Value::real(number as f64, to),
                (Number::Real(number), _) => Value::real(number, to),
            },
            ValueKind::Elements(elements) => {
                let line = elements.line.filter(|_| to == Type::LONG);
                let array = elements.array.astype_at(to.0, site);
                array.ok()?;
                let elements = Elements { array, line };
                Value { of: to, kind: ValueKind::Elements(elements) }
            }
        })
    }

    /// The value, which a later write to the given arrays does not change.
    pub fn kept(self, written: &[Argument], site: Site) -> Value {
        let is_of = |array: &Array| {
            written.iter().filter_map(Argument::as_array).any(|other| other.has_base_of(array))
        };
        match self.kind {
            ValueKind::Elements(elements) if is_of(&elements.array) => {
                Value::array(within(site, || elements.array.copy()))
            }
            _ => self,
        }
    }

    /// The value as an argument of an operation on this type.
    pub fn argument(&self, of: Type, site: Site) -> Result<Argument, Error> {
        if let (ValueKind::Elements(elements), true) = (&self.kind, self.of == of) {
            return Ok(Argument::Array(elements.array.clone()));
        }
        let value = self.clone().converted(of, site)?;
        Ok(match value.kind {
            ValueKind::Elements(elements) => Argument::Array(elements.array),
            ValueKind::Known(number) => Argument::Scalar(scalar(number, of, site)?),
        })
    }
}

/// A number as a scalar of a type, in whose range it is.
pub(super) fn scalar(number: Number, of: Type, site: Site) -> Result<Scalar, Error> {
    let weak = match number {
        Number::Integer(number) if of.0 == DType::Bool => Weak::Bool(number != 0),
        Number::Integer(number) => Weak::Int(number),
        Number::Real(number) => Weak::Float(number),
    };
    Scalar::filled(of.0, weak).map_err(|error| Error::op(error, site))
}

/// A number modulo the range of a type.
fn wrapped(number: i128, of: Type) -> i128 {
    match of.0 {
        DType::Bool => i128::from(number != 0),
        DType::I8 => i128::from(number as i8),
        DType::I16 => i128::from(number as i16),
        DType::I32 => i128::from(number as i32),
        DType::U8 => i128::from(number as u8),
        DType::U16 => i128::from(number as u16),
        DType::U32 => i128::from(number as u32),
        DType::U64 => i128::from(number as u64),
        _ => i128::from(number as i64),
    }
}
