//! Casts between dtypes, as `astype` casts.
//!
//! A number with a fraction is truncated to an integer. A number out of range gives the result of
//! the x86-64 conversion to 32 or 64 bits, cut to the width, so -1.0 becomes 255 as `u8`. The
//! result is the same on other machines.

use super::driver::{Loop, unary};
use super::half::{
    bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, i64_to_f64_odd, u64_to_f64_odd,
};
use num_complex::Complex;
use phalanx_ops::{DType, f64_to_f32_odd};

/// The loop that casts elements of `from` to `to`.
pub fn cast(from: DType, to: DType) -> Loop {
    match from {
        DType::Bool => from_bool(to),
        DType::I8 => from_integer::<i8>(to),
        DType::I16 => from_integer::<i16>(to),
        DType::I32 => from_integer::<i32>(to),
        DType::I64 => from_integer::<i64>(to),
        DType::U8 => from_integer::<u8>(to),
        DType::U16 => from_integer::<u16>(to),
        DType::U32 => from_integer::<u32>(to),
        DType::U64 => from_integer::<u64>(to),
        DType::F16 => from_half::<F16>(to),
        DType::BF16 => from_half::<BF16>(to),
        DType::F32 => from_float::<f32>(to),
        DType::F64 => from_float::<f64>(to),
        DType::C64 => from_complex::<f32>(to),
        DType::C128 => from_complex::<f64>(to),
    }
}

/// An element that converts to every kind of number.
trait Number: Copy + 'static {
    /// Whether the number is not zero; true for NaN.
    fn truth(self) -> bool;
    /// The low bits of the integer, by the 32-bit conversion for widths below 64.
    fn to_u32(self) -> u32;
    /// The low bits of the integer, for `u32`, whose range a signed 32-bit conversion does not
    /// cover.
    fn to_u32_wide(self) -> u32;
    /// The bits of the signed 64-bit integer.
    fn to_i64(self) -> u64;
    /// The bits of the unsigned 64-bit integer.
    fn to_u64(self) -> u64;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    /// An `f32` that rounds to a half type like the number itself.
    fn to_f32_odd(self) -> f32;
}

macro_rules! integer_number {
    ($($type:ty: $odd:expr),*) => {$(
        impl Number for $type {
            #[inline]
            fn truth(self) -> bool {
                self != 0
            }
            #[inline]
            fn to_u32(self) -> u32 {
                self as u32
            }
            #[inline]
            fn to_u32_wide(self) -> u32 {
                self as u32
            }
            #[inline]
            fn to_i64(self) -> u64 {
                self as u64
            }
            #[inline]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline]
            fn to_f32_odd(self) -> f32 {
                let odd: fn($type) -> f32 = $odd;
                odd(self)
            }
        }
    )*};
}

integer_number!(
    i8: |value| value as f32,
    u8: |value| value as f32,
    i16: |value| value as f32,
    u16: |value| value as f32,
    i32: |value| f64_to_f32_odd(value as f64),
    u32: |value| f64_to_f32_odd(value as f64),
    i64: |value| f64_to_f32_odd(i64_to_f64_odd(value)),
    u64: |value| f64_to_f32_odd(u64_to_f64_odd(value))
);

const TWO_31: f64 = 2_147_483_648.0;
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

#[inline]
fn truncate_i32(value: f64) -> i32 {
    if value > -TWO_31 - 1.0 && value < TWO_31 { value as i32 } else { i32::MIN }
}

#[inline]
fn truncate_i64(value: f64) -> i64 {
    if (-TWO_63..TWO_63).contains(&value) { value as i64 } else { i64::MIN }
}

impl Number for f64 {
    #[inline]
    fn truth(self) -> bool {
        self != 0.0
    }
    #[inline]
    fn to_u32(self) -> u32 {
        truncate_i32(self) as u32
    }
    #[inline]
    fn to_u32_wide(self) -> u32 {
        truncate_i64(self) as u32
    }
    #[inline]
    fn to_i64(self) -> u64 {
        truncate_i64(self) as u64
    }
    #[inline]
    fn to_u64(self) -> u64 {
        if self >= TWO_63 {
            truncate_i64(self - TWO_63) as u64 ^ (1 << 63)
        } else {
            truncate_i64(self) as u64
        }
    }
    #[inline]
    fn to_f32(self) -> f32 {
        self as f32
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline]
    fn to_f32_odd(self) -> f32 {
        f64_to_f32_odd(self)
    }
}

impl Number for f32 {
    #[inline]
    fn truth(self) -> bool {
        self != 0.0
    }
    #[inline]
    fn to_u32(self) -> u32 {
        if self >= -TWO_31 as f32 && self < TWO_31 as f32 {
            self as i32 as u32
        } else {
            i32::MIN as u32
        }
    }
    #[inline]
    fn to_u32_wide(self) -> u32 {
        f64::from(self).to_u32_wide()
    }
    #[inline]
    fn to_i64(self) -> u64 {
        f64::from(self).to_i64()
    }
    #[inline]
    fn to_u64(self) -> u64 {
        f64::from(self).to_u64()
    }
    #[inline]
    fn to_f32(self) -> f32 {
        self
    }
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn to_f32_odd(self) -> f32 {
        self
    }
}

/// A half type, represented by its bits.
trait Half: 'static {
    fn widen(bits: u16) -> f32;
}

struct F16;
struct BF16;

impl Half for F16 {
    #[inline]
    fn widen(bits: u16) -> f32 {
        f16_to_f32(bits)
    }
}

impl Half for BF16 {
    #[inline]
    fn widen(bits: u16) -> f32 {
        bf16_to_f32(bits)
    }
}

/// The loop that copies elements of an integer-like width.
fn same<T: Copy + 'static>() -> Loop {
    unary(|value: T| value)
}

fn from_bool(to: DType) -> Loop {
    match to {
        DType::Bool => unary(|value: u8| value != 0),
        DType::I8 | DType::U8 => unary(|value: u8| u8::from(value != 0)),
        DType::I16 | DType::U16 => unary(|value: u8| u16::from(value != 0)),
        DType::I32 | DType::U32 => unary(|value: u8| u32::from(value != 0)),
        DType::I64 | DType::U64 => unary(|value: u8| u64::from(value != 0)),
        DType::F16 => unary(|value: u8| if value != 0 { 0x3c00u16 } else { 0 }),
        DType::BF16 => unary(|value: u8| if value != 0 { 0x3f80u16 } else { 0 }),
        DType::F32 => unary(|value: u8| f32::from(value != 0)),
        DType::F64 => unary(|value: u8| f64::from(value != 0)),
        DType::C64 => unary(|value: u8| Complex::new(f32::from(value != 0), 0.0)),
        DType::C128 => unary(|value: u8| Complex::new(f64::from(value != 0), 0.0)),
    }
}

fn from_integer<T: Number>(to: DType) -> Loop {
    match (size_of::<T>(), to) {
        (1, DType::I8 | DType::U8) => same::<u8>(),
        (2, DType::I16 | DType::U16) => same::<u16>(),
        (4, DType::I32 | DType::U32) => same::<u32>(),
        (8, DType::I64 | DType::U64) => same::<u64>(),
        _ => from_number::<T>(to),
    }
}

fn from_float<T: Number>(to: DType) -> Loop {
    match to {
        DType::U32 => unary(|value: T| value.to_u32_wide()),
        DType::U64 => unary(|value: T| value.to_u64()),
        _ => from_number::<T>(to),
    }
}

fn from_number<T: Number>(to: DType) -> Loop {
    match to {
        DType::Bool => unary(|value: T| value.truth()),
        DType::I8 | DType::U8 => unary(|value: T| value.to_u32() as u8),
        DType::I16 | DType::U16 => unary(|value: T| value.to_u32() as u16),
        DType::I32 | DType::U32 => unary(|value: T| value.to_u32()),
        DType::I64 | DType::U64 => unary(|value: T| value.to_i64()),
        DType::F16 => unary(|value: T| f32_to_f16(value.to_f32_odd())),
        DType::BF16 => unary(|value: T| f32_to_bf16(value.to_f32_odd())),
        DType::F32 => unary(|value: T| value.to_f32()),
        DType::F64 => unary(|value: T| value.to_f64()),
        DType::C64 => unary(|value: T| Complex::new(value.to_f32(), 0.0)),
        DType::C128 => unary(|value: T| Complex::new(value.to_f64(), 0.0)),
    }
}

fn from_half<H: Half>(to: DType) -> Loop {
    match to {
        DType::Bool => unary(|value: u16| value & 0x7fff != 0),
        DType::I8 | DType::U8 => unary(|value: u16| H::widen(value).to_u32() as u8),
        DType::I16 | DType::U16 => unary(|value: u16| H::widen(value).to_u32() as u16),
        DType::I32 => unary(|value: u16| H::widen(value).to_u32()),
        DType::U32 => unary(|value: u16| H::widen(value).to_u32_wide()),
        DType::I64 => unary(|value: u16| H::widen(value).to_i64()),
        DType::U64 => unary(|value: u16| H::widen(value).to_u64()),
        DType::F16 => unary(|value: u16| f32_to_f16(H::widen(value))),
        DType::BF16 => unary(|value: u16| f32_to_bf16(H::widen(value))),
        DType::F32 => unary(|value: u16| H::widen(value)),
        DType::F64 => unary(|value: u16| f64::from(H::widen(value))),
        DType::C64 => unary(|value: u16| Complex::new(H::widen(value), 0.0)),
        DType::C128 => unary(|value: u16| Complex::new(f64::from(H::widen(value)), 0.0)),
    }
}

fn from_complex<T: Number>(to: DType) -> Loop {
    match to {
        DType::Bool => unary(|value: Complex<T>| value.re.truth() | value.im.truth()),
        DType::I8 | DType::U8 => unary(|value: Complex<T>| value.re.to_u32() as u8),
        DType::I16 | DType::U16 => unary(|value: Complex<T>| value.re.to_u32() as u16),
        DType::I32 => unary(|value: Complex<T>| value.re.to_u32()),
        DType::U32 => unary(|value: Complex<T>| value.re.to_u32_wide()),
        DType::I64 => unary(|value: Complex<T>| value.re.to_i64()),
        DType::U64 => unary(|value: Complex<T>| value.re.to_u64()),
        DType::F16 => unary(|value: Complex<T>| f32_to_f16(value.re.to_f32_odd())),
        DType::BF16 => unary(|value: Complex<T>| f32_to_bf16(value.re.to_f32_odd())),
        DType::F32 => unary(|value: Complex<T>| value.re.to_f32()),
        DType::F64 => unary(|value: Complex<T>| value.re.to_f64()),
        DType::C64 => unary(|value: Complex<T>| Complex::new(value.re.to_f32(), value.im.to_f32())),
        DType::C128 => {
            unary(|value: Complex<T>| Complex::new(value.re.to_f64(), value.im.to_f64()))
        }
    }
}
