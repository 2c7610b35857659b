//! The values of sparse matrices: how those of each dtype are added and multiplied.

use crate::structured::Plain;
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

/// A value of a matrix. Integers wrap around, bools are added by "or" and multiplied by "and", and
/// f16 and bf16 are summed in f32 and rounded once.
pub(super) trait Value: Plain {
    /// The type of sums.
    type Sum: Copy + Send + Sync + 'static;

    /// The sum of no values.
    const ZERO: Self::Sum;

    /// The sum of one value.
    fn widen(self) -> Self::Sum;

    /// The sum of two sums.
    fn add(sum: Self::Sum, other: Self::Sum) -> Self::Sum;

    /// The product of two values.
    fn multiply(value: Self, x: Self) -> Self::Sum;

    /// The value of a sum.
    fn narrow(sum: Self::Sum) -> Self;
}

/// A bool.
#[derive(Clone, Copy)]
pub(super) struct Bool(u8);

impl Plain for Bool {}

impl Bool {
    pub const FALSE: Bool = Bool(0);
    pub const TRUE: Bool = Bool(1);
}

impl Value for Bool {
    type Sum = Bool;
    const ZERO: Bool = Bool::FALSE;

    fn widen(self) -> Bool {
        self
    }

    fn add(sum: Bool, other: Bool) -> Bool {
        Bool(sum.0 | other.0)
    }

    fn multiply(value: Bool, x: Bool) -> Bool {
        Bool(value.0 & x.0)
    }

    fn narrow(sum: Bool) -> Bool {
        sum
    }
}

macro_rules! values {
    ($($type:ty, $zero:expr, |$a:ident, $b:ident| $add:expr, $multiply:expr;)*) => {
        $(impl Value for $type {
            type Sum = $type;
            const ZERO: $type = $zero;

            #[inline(always)]
            fn widen(self) -> $type {
                self
            }

            #[inline(always)]
            fn add($a: $type, $b: $type) -> $type {
                $add
            }

            #[inline(always)]
            fn multiply($a: $type, $b: $type) -> $type {
                $multiply
            }

            #[inline(always)]
            fn narrow(sum: $type) -> $type {
                sum
            }
        })*
    };
}

macro_rules! integers {
    ($($type:ty),*) => {
        values! { $(
            $type, 0, |a, b| a.wrapping_add(b), a.wrapping_mul(b);
        )* }
    };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);
values! {
    f32, 0.0, |a, b| a + b, a * b;
    f64, 0.0, |a, b| a + b, a * b;
    Complex32, Complex32::new(0.0, 0.0), |a, b| a + b, a * b;
    Complex64, Complex64::new(0.0, 0.0), |a, b| a + b, a * b;
}

macro_rules! halves {
    ($($type:ty),*) => {
        $(impl Value for $type {
            type Sum = f32;
            const ZERO: f32 = 0.0;

            fn widen(self) -> f32 {
                self.to_f32()
            }

            fn add(sum: f32, other: f32) -> f32 {
                sum + other
            }

            fn multiply(value: $type, x: $type) -> f32 {
                value.to_f32() * x.to_f32()
            }

            fn narrow(sum: f32) -> $type {
                <$type>::from_f32(sum)
            }
        })*
    };
}
halves!(f16, bf16);

/// Runs an expression in which a name is the type of the values of a dtype.
macro_rules! by_value {
    ($dtype:expr, $type:ident => $body:expr) => {{
        use $crate::structured::sparse::value::by_real;
        use num_complex::{Complex32, Complex64};
        use phalanx_ops::DType;
        match $dtype {
            DType::C64 => {
                type $type = Complex32;
                $body
            }
            DType::C128 => {
                type $type = Complex64;
                $body
            }
            dtype => by_real!(dtype, $type => $body),
        }
    }};
}
pub(super) use by_value;

/// As `by_value`, for a dtype whose values have an order.
macro_rules! by_real {
    ($dtype:expr, $type:ident => $body:expr) => {{
        use $crate::structured::sparse::value::{Bool, by_real};
        use half::{bf16, f16};
        use phalanx_ops::DType;
        by_real!(@match $dtype, $type => $body;
            Bool Bool; I8 i8; I16 i16; I32 i32; I64 i64; U8 u8; U16 u16; U32 u32; U64 u64;
            F16 f16; BF16 bf16; F32 f32; F64 f64;
        )
    }};
    (@match $dtype:expr, $name:ident => $body:expr; $($variant:ident $type:ty;)*) => {
        match $dtype {
            $(DType::$variant => {
                type $name = $type;
                $body
            })*
            DType::C64 | DType::C128 => unreachable!("bug: complex numbers have no order"),
        }
    };
}
pub(super) use by_real;

/// Runs an expression in which a name is a type of plain bytes of a size.
macro_rules! by_size {
    ($size:expr, $name:ident => $body:expr) => {
        match $size {
            1 => {
                type $name = u8;
                $body
            }
            2 => {
                type $name = u16;
                $body
            }
            4 => {
                type $name = u32;
                $body
            }
            8 => {
                type $name = u64;
                $body
            }
            // Two words, aligned as words are.
            _ => {
                type $name = num_complex::Complex64;
                $body
            }
        }
    };
}
pub(super) use by_size;
