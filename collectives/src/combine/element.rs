//! Elements stored in bytes, and the operations on single elements.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use std::ops::{BitAnd, BitOr, BitXor};

/// An element that can be read from and written to bytes of any alignment.
pub(super) trait Stored: Copy {
    /// Bytes of one element.
    const SIZE: usize;
    /// Reads the element at the start of `bytes`.
    fn load(bytes: &[u8]) -> Self;
    /// Writes the element at the start of `bytes`.
    fn store(self, bytes: &mut [u8]);
}

/// An element with sum and product.
pub(super) trait Number: Stored {
    /// The sum; integers wrap, truth values combine by or.
    fn add(self, other: Self) -> Self;
    /// The product; integers wrap, truth values combine by and.
    fn multiply(self, other: Self) -> Self;
}

/// An element with NumPy's order.
pub(super) trait Lattice: Stored {
    /// Whether `self <= other`; false when either is NaN.
    fn at_most(self, other: Self) -> bool;
    /// Whether the element, or a component of it, is NaN.
    fn is_nan(self) -> bool;
}

/// An element with bitwise operations.
pub(super) trait Bits:
    Stored + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}

/// A real floating-point element.
pub(super) trait Float: Stored {
    /// `log(exp(self) + exp(other))` without overflow.
    fn log_add_exp(self, other: Self) -> Self;
}

/// Replaces each element `a` of the accumulator and `b` of the incoming bytes by `combine(a, b)`,
/// or by `combine(b, a)` when `SWAP`.
pub(super) fn zip<T: Stored, const SWAP: bool>(
    accumulator: &mut [u8],
    incoming: &[u8],
    combine: impl Fn(T, T) -> T,
) {
    for (left, right) in accumulator.chunks_exact_mut(T::SIZE).zip(incoming.chunks_exact(T::SIZE)) {
        let (a, b) = (T::load(left), T::load(right));
        let result = if SWAP { combine(b, a) } else { combine(a, b) };
        result.store(left);
    }
}

macro_rules! stored {
    ($($type:ty),*) => {$(
        impl Stored for $type {
            const SIZE: usize = size_of::<$type>();
            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                let mut raw = [0; size_of::<$type>()];
                raw.copy_from_slice(&bytes[..size_of::<$type>()]);
                <$type>::from_ne_bytes(raw)
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                bytes[..size_of::<$type>()].copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}
stored!(i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);

impl Stored for bool {
    const SIZE: usize = 1;
    fn load(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
    fn store(self, bytes: &mut [u8]) {
        bytes[0] = u8::from(self);
    }
}

macro_rules! complex {
    ($($type:ty, $part:ty);*) => {$(
        impl Stored for $type {
            const SIZE: usize = 2 * size_of::<$part>();
            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                <$type>::new(<$part>::load(bytes), <$part>::load(&bytes[size_of::<$part>()..]))
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                self.re.store(bytes);
                self.im.store(&mut bytes[size_of::<$part>()..]);
            }
        }
        impl Number for $type {
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn multiply(self, other: Self) -> Self {
                self * other
            }
        }
        impl Lattice for $type {
            fn at_most(self, other: Self) -> bool {
                // A NaN in the imaginary part must not be hidden by a comparison of the real parts.
                !Lattice::is_nan(self)
                    && !Lattice::is_nan(other)
                    && (self.re < other.re || (self.re == other.re && self.im <= other.im))
            }
            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
        }
    )*};
}
complex!(Complex32, f32; Complex64, f64);

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
        impl Lattice for $type {
            fn at_most(self, other: Self) -> bool {
                self <= other
            }
            fn is_nan(self) -> bool {
                false
            }
        }
        impl Bits for $type {}
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Number for bool {
    fn add(self, other: Self) -> Self {
        self | other
    }
    fn multiply(self, other: Self) -> Self {
        self & other
    }
}
impl Lattice for bool {
    fn at_most(self, other: Self) -> bool {
        self <= other
    }
    fn is_nan(self) -> bool {
        false
    }
}
impl Bits for bool {}

macro_rules! floats {
    ($($type:ty, $wide:ty);*) => {$(
        impl Number for $type {
            fn add(self, other: Self) -> Self {
                narrow(widen::<$wide>(self) + widen::<$wide>(other))
            }
            fn multiply(self, other: Self) -> Self {
                narrow(widen::<$wide>(self) * widen::<$wide>(other))
            }
        }
        impl Lattice for $type {
            fn at_most(self, other: Self) -> bool {
                self <= other
            }
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
        }
        impl Float for $type {
            fn log_add_exp(self, other: Self) -> Self {
                let (a, b) = (widen::<$wide>(self), widen::<$wide>(other));
                // Equal infinities have no difference, and for equal numbers it is not needed.
                let result = if a == b {
                    a + (2.0 as $wide).ln()
                } else {
                    let difference = a - b;
                    if difference > 0.0 {
                        a + (-difference).exp().ln_1p()
                    } else if difference <= 0.0 {
                        b + difference.exp().ln_1p()
                    } else {
                        difference
                    }
                };
                narrow(result)
            }
        }
    )*};
}
floats!(f16, f32; bf16, f32; f32, f32; f64, f64);

fn widen<W>(value: impl Into<W>) -> W {
    value.into()
}

/// Rounds the result of an operation to the stored type.
fn narrow<W, T: Round<W>>(value: W) -> T {
    T::round(value)
}

trait Round<W> {
    fn round(value: W) -> Self;
}
impl Round<f32> for f16 {
    fn round(value: f32) -> Self {
        f16::from_f32(value)
    }
}
impl Round<f32> for bf16 {
    fn round(value: f32) -> Self {
        bf16::from_f32(value)
    }
}
impl Round<f32> for f32 {
    fn round(value: f32) -> Self {
        value
    }
}
impl Round<f64> for f64 {
    fn round(value: f64) -> Self {
        value
    }
}
