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

integers! {
    i8: |number| number as i64 as i8;
    i16: |number| number as i64 as i16;
    i32: |number| number as i64 as i32;
    i64: |number| number as i64;
    u8: |number| number as i64 as u8;
    u16: |number| number as i64 as u16;
    u32: |number| number as i64 as u32;
    u64: |number| if number > -1.0 { number as u64 } else { number as i64 as u64 };
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
