//! The elements of values and results.

use crate::structured::Plain;

/// An element of a value or of a result.
pub(super) trait Element: Plain + PartialOrd {
    /// As a number in which sums are computed.
    fn wide(self) -> f64;

    /// A number without its fraction, as C casts it.
    fn narrow(number: f64) -> Self;

    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;

    /// The difference; integers wrap.
    fn minus(self, other: Self) -> Self;

    /// An integer in the order of the elements, NaN last: a total order.
    type Key: Plain + Ord;

    /// The integer of an element.
    fn key(self) -> Self::Key;

    /// The element of an integer.
    fn of_key(key: Self::Key) -> Self;
}

macro_rules! integers {
    ($($type:ty: $narrow:expr;)*) => {
        $(impl Element for $type {
            fn wide(self) -> f64 {
                self as f64
            }

            fn narrow(number: f64) -> Self {
                let narrow: fn(f64) -> $type = $narrow;
                narrow(number)
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            type Key = $type;

            fn key(self) -> $type {
                self
            }

            fn of_key(key: $type) -> Self {
                key
            }
        })*
    };
}

/// A number as an integer of 32 bits; the least one if it is out of range, as on x86-64.
fn word(number: f64) -> i32 {
    let is_inside = number > -2_147_483_649.0 && number < 2_147_483_648.0;
    if is_inside { number as i32 } else { i32::MIN }
}

/// The least power of two that no `i64` holds.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// A number as an integer of 64 bits; the least one if it is out of range, as on x86-64.
fn long(number: f64) -> i64 {
    if (-BEYOND..BEYOND).contains(&number) { number as i64 } else { i64::MIN }
}

/// A number as a whole one of 64 bits: from 2^63 on the part above it is converted.
fn whole(number: f64) -> u64 {
    let is_large = number >= BEYOND;
    if is_large { long(number - BEYOND) as u64 ^ (1 << 63) } else { long(number) as u64 }
}

// Integers of at most 16 bits are the last bits of those of 32 bits.
integers! {
    i8: |number| word(number) as i8;
    i16: |number| word(number) as i16;
    i32: word;
    i64: long;
    u8: |number| word(number) as u8;
    u16: |number| word(number) as u16;
    u32: |number| long(number) as u32;
    u64: whole;
}

macro_rules! floats {
    ($($type:ty as $key:ty),*) => {
        $(impl Element for $type {
            fn wide(self) -> f64 {
                self.into()
            }

            fn narrow(number: f64) -> Self {
                number as $type
            }

            fn plus(self, other: Self) -> Self {
                self + other
            }

            fn minus(self, other: Self) -> Self {
                self - other
            }

            type Key = $key;

            // The bits of a negative number fall as it grows.
            fn key(self) -> $key {
                let bits = if self.is_nan() { <$type>::NAN } else { self }.to_bits() as $key;
                bits ^ ((bits >> (<$key>::BITS - 1)) & <$key>::MAX)
            }

            fn of_key(key: $key) -> Self {
                <$type>::from_bits((key ^ ((key >> (<$key>::BITS - 1)) & <$key>::MAX)) as _)
            }
        })*
    };
}

floats!(f32 as i32, f64 as i64);
