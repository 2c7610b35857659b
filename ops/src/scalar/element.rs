//! One element of any dtype, and the casts between elements.

use super::weak::Weak;
use crate::dtype::{DType, Element};
use crate::error::OpError;
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use std::fmt;

/// One element of a known dtype, stored as its bytes (native byte order, zero padded).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    bytes: [u8; 16],
}

impl Scalar {
    /// The scalar of a Rust value.
    pub fn new<T: Element>(value: T) -> Scalar {
        let mut scalar = Scalar { dtype: T::DTYPE, bytes: [0; 16] };
        // Each arm applies only to the type that it names.
        macro_rules! store {
            ($($type:ty),*) => {$(
                if let Some(value) = (&value as &dyn std::any::Any).downcast_ref::<$type>() {
                    let raw = value.to_ne_bytes();
                    scalar.bytes[..raw.len()].copy_from_slice(&raw);
                }
            )*};
        }
        store!(i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
        let any = &value as &dyn std::any::Any;
        if let Some(value) = any.downcast_ref::<bool>() {
            scalar.bytes[0] = u8::from(*value);
        } else if let Some(value) = any.downcast_ref::<Complex32>() {
            scalar.bytes[..4].copy_from_slice(&value.re.to_ne_bytes());
            scalar.bytes[4..8].copy_from_slice(&value.im.to_ne_bytes());
        } else if let Some(value) = any.downcast_ref::<Complex64>() {
            scalar.bytes[..8].copy_from_slice(&value.re.to_ne_bytes());
            scalar.bytes[8..].copy_from_slice(&value.im.to_ne_bytes());
        }
        scalar
    }

    /// The scalar with these element bytes (the first `dtype.size()` are read).
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Scalar {
        let mut scalar = Scalar { dtype, bytes: [0; 16] };
        scalar.bytes[..dtype.size()].copy_from_slice(&bytes[..dtype.size()]);
        scalar
    }

    /// The scalar with the element bytes at the start of `bytes`; those behind are ignored.
    pub fn from_padded(dtype: DType, bytes: [u8; 16]) -> Scalar {
        // A shift by a whole number of bytes keeps the first ones, without a copy of varying size.
        let unused = 8 * (16 - dtype.size() as u32);
        let kept = u128::from_le_bytes(bytes) << unused >> unused;
        Scalar { dtype, bytes: kept.to_le_bytes() }
    }

    /// The bytes of the element, and zeros.
    pub fn padded(&self) -> [u8; 16] {
        self.bytes
    }

    /// The number as an element of `dtype`, cast as by `astype`: integers wrap, and floats beyond
    /// an integer dtype give the result of the x86-64 conversion.
    pub fn from_weak(dtype: DType, value: Weak) -> Scalar {
        // The most frequent numbers need none of the conversions below.
        if let (DType::F64, Weak::Float(value)) = (dtype, value) {
            return Scalar::new(value);
        }
        let complex = value.to_complex();
        let integer = match value {
            Weak::Int(value) => value,
            Weak::Bool(value) => i128::from(value),
            Weak::Large(value) | Weak::Float(value) => truncated(value, dtype),
            Weak::Complex(value) => truncated(value.re, dtype),
        };
        // Integers are rounded once, not first to `f64`.
        let narrow = match value {
            Weak::Int(value) => odd(value),
            _ => complex.re,
        };
        match dtype {
            DType::Bool => Scalar::new(complex.re != 0.0 || complex.im != 0.0),
            DType::I8 => Scalar::new(integer as i8),
            DType::I16 => Scalar::new(integer as i16),
            DType::I32 => Scalar::new(integer as i32),
            DType::I64 => Scalar::new(integer as i64),
            DType::U8 => Scalar::new(integer as u8),
            DType::U16 => Scalar::new(integer as u16),
            DType::U32 => Scalar::new(integer as u32),
            DType::U64 => Scalar::new(integer as u64),
            DType::F16 => Scalar::new(f16::from_f32(f64_to_f32_odd(narrow))),
            DType::BF16 => Scalar::new(bf16::from_f32(f64_to_f32_odd(narrow))),
            DType::F32 => Scalar::new(narrow as f32),
            DType::F64 => Scalar::new(complex.re),
            DType::C64 => Scalar::new(Complex32::new(narrow as f32, complex.im as f32)),
            DType::C128 => Scalar::new(complex),
        }
    }

    /// The element of an array of `dtype` that is filled with a number, as in NumPy's `full`:
    /// integers must fit, and other numbers are cast as by `astype`. The integers of a bool are
    /// those of `i64`.
    ///
    /// Errors: `OpError::OutOfRange`.
    pub fn filled(dtype: DType, value: Weak) -> Result<Scalar, OpError> {
        value.held_by(if dtype == DType::Bool { DType::I64 } else { dtype })?;
        Ok(Scalar::from_weak(dtype, value))
    }

    /// The element of a number of which NumPy makes an array before it casts it, as in `where`: an
    /// integer must fit into 64 bits for an integer dtype, in which it wraps, and into `f64` else.
    ///
    /// Errors: `OpError::OutOfRange`.
    pub fn wrapped(dtype: DType, value: Weak) -> Result<Scalar, OpError> {
        value.held_by(match dtype.is_integer() {
            true if value.to_complex().re < 0.0 => DType::I64,
            true => DType::U64,
            false => dtype,
        })?;
        Ok(Scalar::from_weak(dtype, value))
    }

    /// The element that results from assigning a number to an element of `dtype`, as in NumPy's
    /// `a[...] = value`: a number for an integer dtype must fit after truncation, and a complex
    /// number is not cast to a real dtype.
    ///
    /// Errors: `OpError::OutOfRange`, `OpError::Cast`.
    pub fn assigned(dtype: DType, value: Weak) -> Result<Scalar, OpError> {
        match value {
            Weak::Complex(_) if !dtype.is_complex() && dtype != DType::Bool => {
                Err(OpError::cast(DType::C128, dtype))
            }
            Weak::Float(number)
                if dtype.is_integer() && !(number.is_finite() && dtype.holds(number as i128)) =>
            {
                Err(OpError::OutOfRange { value: number.to_string(), dtype })
            }
            // The truth value of an integer, however large.
            _ if dtype == DType::Bool => Ok(Scalar::from_weak(dtype, value)),
            _ => Scalar::filled(dtype, value),
        }
    }

    /// The dtype of the element.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The bytes of the element.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.dtype.size()]
    }

    /// The element as `T`, cast if its dtype differs.
    pub fn to_element<T: Element>(&self) -> T {
        let same = self.cast(T::DTYPE);
        let mut slot: Option<T> = None;
        let any = &mut slot as &mut dyn std::any::Any;
        macro_rules! load {
            ($($type:ty),*) => {$(
                if let Some(slot) = any.downcast_mut::<Option<$type>>() {
                    let raw = same.bytes[..size_of::<$type>()].try_into();
                    *slot = Some(<$type>::from_ne_bytes(raw.expect("bug: scalar width")));
                }
            )*};
        }
        load!(i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
        if let Some(slot) = any.downcast_mut::<Option<bool>>() {
            *slot = Some(same.bytes[0] != 0);
        } else if let Weak::Complex(value) = same.to_weak() {
            if let Some(slot) = any.downcast_mut::<Option<Complex32>>() {
                *slot = Some(Complex32::new(value.re as f32, value.im as f32));
            } else if let Some(slot) = any.downcast_mut::<Option<Complex64>>() {
                *slot = Some(value);
            }
        }
        slot.unwrap_or_else(|| unreachable!("bug: an element type outside the dtype table"))
    }

    /// The element as a number without a dtype.
    pub fn to_weak(&self) -> Weak {
        macro_rules! raw {
            ($type:ty) => {
                <$type>::from_ne_bytes(
                    self.bytes[..size_of::<$type>()].try_into().expect("bug: scalar width"),
                )
            };
        }
        match self.dtype {
            DType::Bool => Weak::Bool(self.bytes[0] != 0),
            DType::I8 => Weak::Int(raw!(i8).into()),
            DType::I16 => Weak::Int(raw!(i16).into()),
            DType::I32 => Weak::Int(raw!(i32).into()),
            DType::I64 => Weak::Int(raw!(i64).into()),
            DType::U8 => Weak::Int(raw!(u8).into()),
            DType::U16 => Weak::Int(raw!(u16).into()),
            DType::U32 => Weak::Int(raw!(u32).into()),
            DType::U64 => Weak::Int(raw!(u64).into()),
            DType::F16 => Weak::Float(raw!(f16).into()),
            DType::BF16 => Weak::Float(raw!(bf16).into()),
            DType::F32 => Weak::Float(raw!(f32).into()),
            DType::F64 => Weak::Float(raw!(f64)),
            DType::C64 => {
                let part = |at: usize| {
                    f32::from_ne_bytes(
                        self.bytes[at..at + 4].try_into().expect("bug: scalar width"),
                    )
                };
                Weak::Complex(Complex64::new(part(0).into(), part(4).into()))
            }
            DType::C128 => {
                let part = |at: usize| {
                    f64::from_ne_bytes(
                        self.bytes[at..at + 8].try_into().expect("bug: scalar width"),
                    )
                };
                Weak::Complex(Complex64::new(part(0), part(8)))
            }
        }
    }

    /// The element cast to `dtype`, as `astype` casts.
    pub fn cast(&self, dtype: DType) -> Scalar {
        if dtype == self.dtype { *self } else { Scalar::from_weak(dtype, self.to_weak()) }
    }
}

/// Converts a float for a cast to an integer dtype: through 32 bits for dtypes narrower than `u32`,
/// otherwise through 64 bits.
fn truncated(value: f64, dtype: DType) -> i128 {
    const TWO_31: f64 = 2_147_483_648.0;
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    let long =
        |value: f64| if (-TWO_63..TWO_63).contains(&value) { value as i64 } else { i64::MIN };
    match dtype {
        DType::U64 if value >= TWO_63 => i128::from(long(value - TWO_63) as u64 ^ 1 << 63),
        DType::I64 | DType::U64 | DType::U32 => long(value).into(),
        _ if value > -TWO_31 - 1.0 && value < TWO_31 => i128::from(value as i32),
        _ => i32::MIN.into(),
    }
}

/// The integer as an `f64` that rounds to narrower floats as the integer itself does: an inexact
/// result has its last bit set.
fn odd(value: i128) -> f64 {
    let nearest = value as f64;
    if nearest as i128 == value {
        return nearest;
    }
    let is_beyond = (nearest as i128).unsigned_abs() > value.unsigned_abs();
    f64::from_bits((nearest.to_bits() - u64::from(is_beyond)) | 1)
}

/// An `f32` that rounds to a half type like `value` itself: inexact results end in an odd bit. The
/// crate `half` rounds twice where the processor converts to halves.
#[inline]
pub fn f64_to_f32_odd(value: f64) -> f32 {
    let near = value as f32;
    let wide = f64::from(near);
    if wide == value || value.is_nan() {
        return near;
    }
    let toward_zero = near.to_bits() - u32::from(wide.abs() > value.abs());
    f32::from_bits(toward_zero | 1)
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self, self.dtype)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_weak() {
            Weak::Bool(value) => write!(f, "{value}"),
            Weak::Int(value) => write!(f, "{value}"),
            Weak::Large(value) => write!(f, "{value:e}"),
            Weak::Float(value) if self.dtype == DType::F32 => write!(f, "{:?}", value as f32),
            Weak::Float(value) => write!(f, "{value:?}"),
            Weak::Complex(value) => write!(f, "({:?}{:+?}j)", value.re, value.im),
        }
    }
}

impl Weak {
    /// Checks that `dtype` holds an integer. A floating-point dtype holds all within `f64`, and
    /// `bool` their truth values. Numbers that are not integers pass.
    ///
    /// Errors: `OpError::OutOfRange`.
    pub fn held_by(self, dtype: DType) -> Result<(), OpError> {
        let is_held = match self {
            Weak::Int(value) => !dtype.is_integer() || dtype.holds(value),
            Weak::Large(value) => dtype == DType::Bool || (dtype.is_inexact() && value.is_finite()),
            Weak::Bool(_) | Weak::Float(_) | Weak::Complex(_) => true,
        };
        if is_held {
            return Ok(());
        }
        Err(OpError::OutOfRange { value: self.beyond(), dtype })
    }

    /// An integer that a dtype does not hold, for the text of an error.
    fn beyond(self) -> String {
        match self {
            Weak::Int(value) => value.to_string(),
            Weak::Large(value) if value.is_infinite() => "of more than 308 digits".to_owned(),
            large => format!("{:e}", large.to_complex().re),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_halves_once() {
        let half =
            |value: f64| Scalar::from_weak(DType::F16, Weak::Float(value)).to_element::<f64>();
        let step = 2f64.powi(-10);
        assert_eq!(half(1.0 + step / 2.0), 1.0);
        // Just above the middle: rounded to `f32` first, it would be the middle.
        assert_eq!(half(1.0 + step / 2.0 + 2f64.powi(-40)), 1.0 + step);
        assert_eq!(half(-1.0 - step / 2.0 - 2f64.powi(-40)), -1.0 - step);
        assert_eq!(half(1e-300), 0.0);
        assert_eq!(half(1e300), f64::INFINITY);
        assert!(half(f64::NAN).is_nan());
        let brain =
            |value: f64| Scalar::from_weak(DType::BF16, Weak::Float(value)).to_element::<f64>();
        let step = 2f64.powi(-7);
        assert_eq!(brain(1.0 + step / 2.0 + 2f64.powi(-40)), 1.0 + step);
        assert_eq!(brain(1.0 + step / 2.0), 1.0);
    }
}
