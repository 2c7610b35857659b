//! Arguments of operations: arrays, scalars and numbers.

use crate::array::Array;
use phalanx_graph::{Error, HostArray, call_site, within};
use phalanx_ops::promote::default_dtype;
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

    /// The dtype of the argument; `None` for a number without one. Local.
    pub fn strong(&self) -> Option<DType> {
        match self {
            Argument::Array(array) => Some(array.dtype()),
            Argument::Scalar(scalar) => Some(scalar.dtype()),
            Argument::Weak(_) => None,
        }
    }
}

impl Argument {
    /// The argument as an array: NumPy's `asarray`. A number becomes a 0-d array, of the default
    /// dtype of its kind if it has none, and of `u64` if it is an integer beyond `i64`. It must be
    /// equal on all ranks. Local. Errors: `OpError::OutOfRange`.
    #[track_caller]
    #[must_use]
    pub fn into_array(self) -> Array {
        let site = call_site();
        let scalar = match self {
            Argument::Array(array) => return array,
            Argument::Scalar(scalar) => Ok(scalar),
            Argument::Weak(weak) => Scalar::filled(dtype_of_number(weak), weak),
        };
        match scalar {
            Ok(scalar) => {
                let (dtype, bytes) = (scalar.dtype(), scalar.bytes().to_vec());
                Array::from_host_at(&HostArray { dtype, shape: Vec::new(), bytes }, site)
            }
            Err(error) => Array::broken(Error::op(error, site)),
        }
    }

    /// Makes an array of one of several operands if none is an array: of a scalar if there is one,
    /// from which the numbers then take their dtype, else of the first number that a dtype holds.
    /// Local.
    #[track_caller]
    pub fn make_one_an_array(operands: &mut [Argument]) {
        if operands.iter().any(|operand| operand.as_array().is_some()) {
            return;
        }
        let is_held = |operand: &Argument| match operand {
            Argument::Weak(weak) => weak.held_by(dtype_of_number(*weak)).is_ok(),
            Argument::Scalar(_) | Argument::Array(_) => true,
        };
        let strong = operands.iter().position(|operand| operand.strong().is_some());
        let place = strong.or_else(|| operands.iter().position(is_held)).unwrap_or(0);
        if let Some(operand) = operands.get_mut(place) {
            *operand = within(call_site(), || operand.clone().into_array()).into();
        }
    }
}

/// The dtype of an array of one number.
pub(crate) fn dtype_of_number(number: Weak) -> DType {
    match number {
        Weak::Int(_) | Weak::Large(_) if number.held_by(DType::I64).is_err() => DType::U64,
        number => default_dtype(number),
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
