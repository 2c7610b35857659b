//! Numbers without a dtype of their own.

use crate::dtype::Kind;
use num_complex::Complex64;

/// A number without a dtype of its own, such as a literal: NEP 50's weak scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Weak {
    /// A truth value (NumPy treats it as a strong `bool`, and so do we).
    Bool(bool),
    /// An integer; wide enough for every `i64` and `u64`.
    Int(i128),
    /// An integer beyond `i128`, as the nearest `f64`; infinite if it is beyond those too.
    Large(f64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(Complex64),
}

impl Weak {
    /// The kind of number.
    pub const fn kind(self) -> Kind {
        match self {
            Weak::Bool(_) => Kind::Bool,
            Weak::Int(_) | Weak::Large(_) => Kind::Signed,
            Weak::Float(_) => Kind::Float,
            Weak::Complex(_) => Kind::Complex,
        }
    }

    /// The number as complex.
    pub fn to_complex(self) -> Complex64 {
        match self {
            Weak::Bool(value) => Complex64::new(f64::from(value), 0.0),
            Weak::Int(value) => Complex64::new(value as f64, 0.0),
            Weak::Large(value) | Weak::Float(value) => Complex64::new(value, 0.0),
            Weak::Complex(value) => value,
        }
    }
}

macro_rules! weak_from {
    ($($type:ty => $variant:ident as $target:ty),*) => {
        $(impl From<$type> for Weak {
            fn from(value: $type) -> Weak { Weak::$variant(value as $target) }
        })*
    };
}
weak_from! {
    i8 => Int as i128, i16 => Int as i128, i32 => Int as i128, i64 => Int as i128,
    isize => Int as i128, u8 => Int as i128, u16 => Int as i128, u32 => Int as i128,
    u64 => Int as i128, usize => Int as i128, f32 => Float as f64, f64 => Float as f64,
    bool => Bool as bool
}
impl From<Complex64> for Weak {
    fn from(value: Complex64) -> Weak {
        Weak::Complex(value)
    }
}
