//! The order of elements, as unsigned integers: NaN last, zeros equal.
//!
//! Complex numbers are ordered as in NumPy: by real part, then by imaginary part. After these come
//! numbers with NaN in the imaginary part, then with NaN in the real part, then with NaN in both.

use super::quick::Key;
use crate::structured::Plain;
use num_complex::{Complex32, Complex64};
use phalanx_ops::{DType, Kind};

/// An unsigned integer as wide as an element of a real dtype.
pub(in crate::structured) trait Word:
    Plain + Key + Default + Into<u64>
{
    const SIGN: Self;
    const LAST: Self;
    /// The bits of infinity for this number of exponent bits.
    fn infinity(exponent_bits: u32) -> Self;
    fn truncated(word: u64) -> Self;
    fn not(self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! words {
    ($($type:ty),*) => {$(
        impl Word for $type {
            const SIGN: Self = 1 << (<$type>::BITS - 1);
            const LAST: Self = <$type>::MAX;

            fn infinity(exponent_bits: u32) -> Self {
                ((1 << exponent_bits) - 1) << (<$type>::BITS - 1 - exponent_bits)
            }

            fn truncated(word: u64) -> Self {
                word as Self
            }

            #[inline(always)]
            fn not(self) -> Self {
                !self
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}
words!(u8, u16, u32, u64);

/// The meaning of the bits of an element of a real dtype.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::structured) enum Form<W> {
    /// An integer without sign.
    Unsigned,
    /// An integer.
    Signed,
    /// A floating-point number; infinity has these bits.
    Float(W),
}

impl<W: Word> Form<W> {
    pub(in crate::structured) fn of(dtype: DType) -> Form<W> {
        match dtype {
            DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => Form::Unsigned,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Form::Signed,
            DType::F16 => Form::Float(W::infinity(5)),
            DType::BF16 | DType::F32 => Form::Float(W::infinity(8)),
            DType::F64 => Form::Float(W::infinity(11)),
            DType::C64 | DType::C128 => unreachable!("bug: {dtype} has two words"),
        }
    }

    /// The position of an element in the order; equal elements share a position.
    #[inline(always)]
    pub(in crate::structured) fn order(self, bits: W) -> W {
        match self {
            Form::Unsigned => bits,
            Form::Signed => bits.xor(W::SIGN),
            // The bits of minus zero are the sign alone, which is also the position of zero.
            Form::Float(_) if bits == W::SIGN => bits,
            Form::Float(infinity) => spread(bits, infinity),
        }
    }

    /// A position in an order that distinguishes zeros, so that `bits` restores the element unless
    /// it is NaN.
    #[inline(always)]
    pub(in crate::structured) fn strict_order(self, bits: W) -> W {
        match self {
            Form::Unsigned => bits,
            Form::Signed => bits.xor(W::SIGN),
            Form::Float(infinity) => spread(bits, infinity),
        }
    }

    /// The element at a position of the strict order.
    #[inline(always)]
    pub(in crate::structured) fn bits(self, order: W) -> W {
        match self {
            Form::Unsigned => order,
            Form::Signed => order.xor(W::SIGN),
            Form::Float(_) if order >= W::SIGN => order.xor(W::SIGN),
            Form::Float(_) => order.not(),
        }
    }
}

/// The order of floating-point numbers by their bits.
#[inline(always)]
fn spread<W: Word>(bits: W, infinity: W) -> W {
    let is_negative = bits >= W::SIGN;
    let magnitude = if is_negative { bits.xor(W::SIGN) } else { bits };
    if magnitude > infinity {
        W::LAST
    } else if is_negative {
        bits.not()
    } else {
        bits.xor(W::SIGN)
    }
}

/// The order of complex numbers, for both dtypes alike.
macro_rules! complex_order {
    ($name:ident, $complex:ty, $word:ty, $wide:ty, $exponent:expr) => {
        #[inline]
        pub(in crate::structured) fn $name(number: $complex) -> $wide {
            let infinity = <$word>::infinity($exponent);
            let (re, im) = (number.re.to_bits(), number.im.to_bits());
            let form = Form::Float(infinity);
            // Integers above that of plus infinity belong to no number.
            let beyond = infinity ^ <$word>::SIGN;
            let (first, second) = match (number.re.is_nan(), number.im.is_nan()) {
                (false, false) => (form.order(re), form.order(im)),
                (false, true) => (beyond + 1, form.order(re)),
                (true, false) => (beyond + 2, form.order(im)),
                (true, true) => (beyond + 3, 0),
            };
            (<$wide>::from(first) << <$word>::BITS) | <$wide>::from(second)
        }
    };
}
complex_order!(order_c64, Complex32, u32, u64, 8);
complex_order!(order_c128, Complex64, u64, u128, 11);

/// The position of an element in the order of its dtype, from its bytes. Equal elements share a
/// position; all NaN are one.
pub fn key_of(dtype: DType, element: &[u8]) -> u128 {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let (low, high) = element.split_at(element.len() / 2);
    match (dtype, dtype.size()) {
        (DType::C64, _) => {
            let [re, im] = [low, high].map(|part| f32::from_bits(word(part) as u32));
            order_c64(Complex32::new(re, im)).into()
        }
        (DType::C128, _) => {
            let [re, im] = [low, high].map(|part| f64::from_bits(word(part)));
            order_c128(Complex64::new(re, im))
        }
        (_, 1) => Form::<u8>::of(dtype).order(element[0]).into(),
        (_, 2) => Form::<u16>::of(dtype).order(word(element) as u16).into(),
        (_, 4) => Form::<u32>::of(dtype).order(word(element) as u32).into(),
        _ => Form::<u64>::of(dtype).order(word(element)).into(),
    }
}

/// The definitions of `order.cu` for a dtype.
pub(in crate::structured) fn defines(dtype: DType) -> [(&'static str, String); 3] {
    let real = dtype.real();
    let word = ["u8", "u16", "u32", "u64"][real.size().trailing_zeros() as usize];
    let form = match dtype.kind() {
        Kind::Signed => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
        _ => 0,
    };
    [
        ("Word", String::from(word)),
        ("FORM", form.to_string()),
        ("INFINITE", format!("(({word}){})", infinity(real))),
    ]
}

/// The bits of infinity of a real dtype in C, 0 if it has none.
pub(super) fn infinity(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "0x7c00",
        DType::BF16 => "0x7f80",
        DType::F32 => "0x7f800000u",
        DType::F64 => "0x7ff0000000000000ull",
        _ => "0",
    }
}
