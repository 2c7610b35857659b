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
    ($($type:ty),*) => {
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
        })*
    };
}

floats!(f32, f64);
