//! Arguments of operations: arrays, scalars and numbers.

use crate::array::Array;
use phalanx_ops::{Arg, DType, Scalar, Weak};

/// An argument of an operation: an array, a scalar with a dtype, or a number that takes its dtype
/// from the other arguments.
#[derive(Clone)]
pub enum Argument {
    /// An array.
    Array(Array),
    /// A scalar with a dtype of its own.
    Scalar(Scalar),
    /// A number without a dtype.
    Weak(Weak),
}

impl Argument {
    /// The argument as the choice of a loop sees it: its dtype, or the number.
    pub(crate) fn kind(&self) -> Arg {
        match self {
            Argument::Weak(weak) => Arg::Weak(*weak),
            Argument::Array(array) => Arg::Strong(array.dtype()),
            Argument::Scalar(scalar) => Arg::Strong(scalar.dtype()),
        }
    }

    /// The array, if the argument is one.
    pub(crate) fn as_array(&self) -> Option<&Array> {
        match self {
            Argument::Array(array) => Some(array),
            Argument::Scalar(_) | Argument::Weak(_) => None,
        }
    }

    /// The dtype of the argument; `None` for a number without one.
    pub(crate) fn strong(&self) -> Option<DType> {
        match self {
            Argument::Array(array) => Some(array.dtype()),
            Argument::Scalar(scalar) => Some(scalar.dtype()),
            Argument::Weak(_) => None,
        }
    }
}

impl From<&Array> for Argument {
    fn from(array: &Array) -> Argument {
        Argument::Array(array.clone())
    }
}

impl From<Array> for Argument {
    fn from(array: Array) -> Argument {
        Argument::Array(array)
    }
}

impl From<Scalar> for Argument {
    fn from(scalar: Scalar) -> Argument {
        Argument::Scalar(scalar)
    }
}

macro_rules! weak_arguments {
    ($($type:ty),*) => {$(
        impl From<$type> for Argument {
            fn from(value: $type) -> Argument { Argument::Weak(value.into()) }
        }
    )*};
}
weak_arguments!(
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    usize,
    isize,
    f32,
    f64,
    bool,
    num_complex::Complex64
);

macro_rules! strong_arguments {
    ($($type:ty),*) => {$(
        impl From<$type> for Argument {
            fn from(value: $type) -> Argument { Argument::Scalar(Scalar::new(value)) }
        }
    )*};
}
strong_arguments!(half::f16, half::bf16, num_complex::Complex32);

impl From<Weak> for Argument {
    fn from(value: Weak) -> Argument {
        Argument::Weak(value)
    }
}
