//! The dtype table: one row for each element type.

use half::{bf16, f16};
use num_complex::Complex;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a dtype, in NumPy's order for the promotion of Python scalars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Truth values.
    Bool,
    /// Integers without sign.
    Unsigned,
    /// Integers with sign.
    Signed,
    /// Real floating point.
    Float,
    /// Complex floating point.
    Complex,
}

macro_rules! dtypes {
    ($(
        $variant:ident $name:literal $char:literal $kind:ident $size:literal $type:ty, $doc:literal;
    )*) => {
        /// An element type.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum DType { $(#[doc = $doc] $variant),* }

        impl DType {
            /// Every dtype, in table order.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The short name used in plans and kernels, such as `f64`.
            pub const fn name(self) -> &'static str { match self { $(DType::$variant => $name),* } }

            /// The character of NumPy's ufunc type strings (`E` for bfloat16, which NumPy lacks).
            pub const fn char(self) -> char { match self { $(DType::$variant => $char),* } }

            /// The kind of the dtype.
            pub const fn kind(self) -> Kind { match self { $(DType::$variant => Kind::$kind),* } }

            /// Bytes of one element.
            pub const fn size(self) -> usize { match self { $(DType::$variant => $size),* } }
        }

        $(impl Element for $type {
            const DTYPE: DType = DType::$variant;

            fn to_bytes(elements: &[$type]) -> Vec<u8> {
                let mut bytes = vec![0; $size * elements.len()];
                for (raw, &element) in bytes.as_chunks_mut::<$size>().0.iter_mut().zip(elements) {
                    *raw = element.raw();
                }
                bytes
            }

            fn from_bytes(bytes: &[u8]) -> Vec<$type> {
                bytes.as_chunks::<$size>().0.iter().map(|raw| <$type>::of_raw(*raw)).collect()
            }
        })*
    };
}

/// A Rust type that is the element of some dtype.
pub trait Element: Copy + Send + Sync + PartialEq + fmt::Debug + 'static {
    /// The dtype whose elements have this type.
    const DTYPE: DType;

    /// The bytes of elements in native order, one behind the other.
    fn to_bytes(elements: &[Self]) -> Vec<u8>;

    /// The elements that have these bytes. Bytes of a part of an element are left out.
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

/// An element and its bytes.
trait Raw<const SIZE: usize> {
    fn raw(self) -> [u8; SIZE];
    fn of_raw(raw: [u8; SIZE]) -> Self;
}

macro_rules! raw {
    ($($size:literal $type:ty),*) => {
        $(impl Raw<$size> for $type {
            #[inline]
            fn raw(self) -> [u8; $size] {
                self.to_ne_bytes()
            }

            #[inline]
            fn of_raw(raw: [u8; $size]) -> $type {
                <$type>::from_ne_bytes(raw)
            }
        })*
    };
}
raw!(1 i8, 2 i16, 4 i32, 8 i64, 1 u8, 2 u16, 4 u32, 8 u64, 2 f16, 2 bf16, 4 f32, 8 f64);

impl Raw<1> for bool {
    #[inline]
    fn raw(self) -> [u8; 1] {
        [u8::from(self)]
    }

    #[inline]
    fn of_raw(raw: [u8; 1]) -> bool {
        raw[0] != 0
    }
}

macro_rules! complex_raw {
    ($($size:literal $half:literal $type:ty),*) => {
        $(impl Raw<$size> for Complex<$type> {
            #[inline]
            fn raw(self) -> [u8; $size] {
                let mut raw = [0; $size];
                raw[..$half].copy_from_slice(&self.re.to_ne_bytes());
                raw[$half..].copy_from_slice(&self.im.to_ne_bytes());
                raw
            }

            #[inline]
            fn of_raw(raw: [u8; $size]) -> Complex<$type> {
                let part = |at: usize| {
                    <$type>::from_ne_bytes(std::array::from_fn(|byte| raw[at + byte]))
                };
                Complex::new(part(0), part($half))
            }
        })*
    };
}
complex_raw!(8 4 f32, 16 8 f64);

dtypes! {
    Bool "bool" '?' Bool     1  bool, "Truth value, one byte.";
    I8   "i8"   'b' Signed   1  i8,  "8-bit integer.";
    I16  "i16"  'h' Signed   2  i16, "16-bit integer.";
    I32  "i32"  'i' Signed   4  i32, "32-bit integer.";
    I64  "i64"  'l' Signed   8  i64, "64-bit integer.";
    U8   "u8"   'B' Unsigned 1  u8,  "8-bit integer without sign.";
    U16  "u16"  'H' Unsigned 2  u16, "16-bit integer without sign.";
    U32  "u32"  'I' Unsigned 4  u32, "32-bit integer without sign.";
    U64  "u64"  'L' Unsigned 8  u64, "64-bit integer without sign.";
    F16  "f16"  'e' Float    2  half::f16, "IEEE binary16.";
    BF16 "bf16" 'E' Float    2  half::bf16, "bfloat16: 8-bit exponent, 7-bit fraction.";
    F32  "f32"  'f' Float    4  f32, "IEEE binary32.";
    F64  "f64"  'd' Float    8  f64, "IEEE binary64.";
    C64  "c64"  'F' Complex  8  num_complex::Complex32, "Complex of two binary32.";
    C128 "c128" 'D' Complex  16 num_complex::Complex64, "Complex of two binary64.";
}

impl DType {
    /// The dtype of the given short name.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.iter().copied().find(|dtype| dtype.name() == name)
    }

    /// The dtype of the given NumPy type character, including `q` and `Q`, NumPy's second names of
    /// 64-bit integers.
    pub fn from_char(char: char) -> Option<DType> {
        match char {
            'q' => Some(DType::I64),
            'Q' => Some(DType::U64),
            _ => DType::ALL.iter().copied().find(|dtype| dtype.char() == char),
        }
    }

    /// NumPy's name of the dtype, such as `float64`.
    pub const fn numpy_name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "int8",
            DType::I16 => "int16",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::U8 => "uint8",
            DType::U16 => "uint16",
            DType::U32 => "uint32",
            DType::U64 => "uint64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
        }
    }

    /// Whether the dtype is complex.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// Whether the dtype is floating point, real or complex.
    pub const fn is_inexact(self) -> bool {
        matches!(self.kind(), Kind::Float | Kind::Complex)
    }

    /// Whether the dtype is an integer, signed or unsigned; false for bool.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether the integer dtype holds the value.
    pub(crate) fn holds(self, value: i128) -> bool {
        let bits = 8 * self.size() as u32;
        match self.kind() {
            Kind::Unsigned => value >= 0 && value >> bits == 0,
            _ => value >> (bits - 1) == 0 || value >> (bits - 1) == -1,
        }
    }

    /// The real dtype of a complex dtype's components; every other dtype is returned unchanged.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
