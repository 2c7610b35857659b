//! Elements.

use phalanx::DType;
use std::fmt;

/// An element of one of the three dtypes that programs use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Value {
    /// The dtype of the element.
    pub fn dtype(self) -> DType {
        match self {
            Value::Bool(_) => DType::Bool,
            Value::Int(_) => DType::I64,
            Value::Float(_) => DType::F64,
        }
    }

    /// The element as a float, rounded as NumPy does.
    pub fn float(self) -> f64 {
        match self {
            Value::Bool(value) => f64::from(u8::from(value)),
            Value::Int(value) => value as f64,
            Value::Float(value) => value,
        }
    }

    /// The element as an integer, floats truncated.
    pub fn int(self) -> i64 {
        match self {
            Value::Bool(value) => i64::from(value),
            Value::Int(value) => value,
            Value::Float(value) => value as i64,
        }
    }

    /// Whether the element is not zero.
    pub fn truth(self) -> bool {
        match self {
            Value::Bool(value) => value,
            Value::Int(value) => value != 0,
            Value::Float(value) => value != 0.0,
        }
    }

    /// The element in another dtype.
    pub fn cast(self, dtype: DType) -> Value {
        match dtype {
            DType::Bool => Value::Bool(self.truth()),
            DType::I64 => Value::Int(self.int()),
            DType::F64 => Value::Float(self.float()),
            other => panic!("bug: programs have no arrays of {}", other.name()),
        }
    }

    /// Whether two elements are the same number; all NaNs are the same, and so are both zeros.
    pub fn same(self, other: Value) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (a, b) => a == b,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
        }
    }
}
