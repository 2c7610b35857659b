//! Real functions of `f32` and `f64`.
//!
//! The trait's functions are always called by path (`Real::sin(x)`): the methods of the same names
//! on `f32` and `f64` call the system's library, and its results differ between machines.

use super::functions::{self, Double, Single};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real floating-point element.
pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    const NAN: Self;
    const INFINITY: Self;
    const LN_2: Self;
    const LOG2_E: Self;
    const DEGREE: Self;
    const RADIAN: Self;
    /// Every number of at least this magnitude is an integer.
    const INTEGERS: Self;

    fn cbrt(self) -> Self;
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn expm1(self) -> Self;
    fn log(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    fn log1p(self) -> Self;
    /// Sine, cosine and tangent of numbers that are not far.
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    /// Whether `sin`, `cos` and `tan` are not precise for the number; infinities are far.
    fn is_far(self) -> bool;
    /// The same functions of any number.
    fn sin_far(self) -> Self;
    fn cos_far(self) -> Self;
    fn tan_far(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn pow(self, exponent: Self) -> Self;
    fn fmod(self, divisor: Self) -> Self;
    fn nextafter(self, toward: Self) -> Self;

    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn is_negative(self) -> bool;
    /// The next number away from zero: its bits are one more.
    fn next_magnitude(self) -> Self;
    /// `(m, e)` with `self = m * 2**e` and `0.5 <= |m| < 1`; zero and numbers that are not finite
    /// are returned with `e = 0`.
    fn frexp(self) -> (Self, i32);
    fn ldexp(self, exponent: i32) -> Self;

    #[inline]
    fn is_nan(self) -> bool {
        self.partial_cmp(&self).is_none()
    }

    #[inline]
    fn is_infinite(self) -> bool {
        Real::abs(self) == Self::INFINITY
    }

    #[inline]
    fn is_finite(self) -> bool {
        Real::abs(self) < Self::INFINITY
    }

    /// Nearest integer, ties to even. Adding and taking away a number with no fraction bits rounds,
    /// in vectors and without a rounding instruction.
    #[inline]
    fn rint(self) -> Self {
        let integers = Real::copysign(Self::INTEGERS, self);
        let rounded = (self + integers) - integers;
        if Real::abs(self) < Self::INTEGERS { Real::copysign(rounded, self) } else { self }
    }

    #[inline]
    fn floor(self) -> Self {
        let rounded = Real::rint(self);
        let down = if rounded > self { rounded - Self::ONE } else { rounded };
        Real::copysign(down, self)
    }

    #[inline]
    fn ceil(self) -> Self {
        let rounded = Real::rint(self);
        let up = if rounded < self { rounded + Self::ONE } else { rounded };
        Real::copysign(up, self)
    }

    #[inline]
    fn trunc(self) -> Self {
        Real::copysign(Real::floor(Real::abs(self)), self)
    }

    /// The fraction, with the number's sign.
    #[inline]
    fn fraction(self) -> Self {
        let fraction = if Real::is_infinite(self) { Self::ZERO } else { self - Real::trunc(self) };
        Real::copysign(fraction, self)
    }

    #[inline]
    fn spacing(self) -> Self {
        if Real::is_infinite(self) {
            Self::NAN
        } else if self == Self::ZERO {
            Real::next_magnitude(Self::ZERO)
        } else {
            Real::next_magnitude(self) - self
        }
    }

    #[inline]
    fn sign(self) -> Self {
        if self > Self::ZERO {
            Self::ONE
        } else if self < Self::ZERO {
            -Self::ONE
        } else if self == Self::ZERO {
            Self::ZERO
        } else {
            self
        }
    }

    #[inline]
    fn heaviside(self, at_zero: Self) -> Self {
        if Real::is_nan(self) {
            self
        } else if self == Self::ZERO {
            at_zero
        } else if self < Self::ZERO {
            Self::ZERO
        } else {
            Self::ONE
        }
    }

    /// The remainder with the sign of the divisor, and the truncated remainder that it is computed
    /// from.
    #[inline]
    fn divide_down(self, divisor: Self) -> (Self, Self) {
        let truncated = Real::fmod(self, divisor);
        if truncated == Self::ZERO {
            return (Real::copysign(Self::ZERO, divisor), truncated);
        }
        if (divisor < Self::ZERO) != (truncated < Self::ZERO) {
            (truncated + divisor, truncated)
        } else {
            (truncated, truncated)
        }
    }

    #[inline]
    fn remainder(self, divisor: Self) -> Self {
        if divisor == Self::ZERO { Self::NAN } else { Real::divide_down(self, divisor).0 }
    }

    /// The floor of the exact quotient, computed from the remainder: a rounded quotient could
    /// exceed an integer.
    #[inline]
    fn floor_divide(self, divisor: Self) -> Self {
        if divisor == Self::ZERO {
            return self / divisor;
        }
        let (remainder, truncated) = Real::divide_down(self, divisor);
        let mut quotient = (self - truncated) / divisor;
        if truncated != Self::ZERO && remainder != truncated {
            quotient = quotient - Self::ONE;
        }
        if quotient == Self::ZERO {
            return Real::copysign(Self::ZERO, self / divisor);
        }
        // The quotient is an integer up to rounding.
        let down = Real::floor(quotient);
        if quotient - down > Self::ONE / (Self::ONE + Self::ONE) { down + Self::ONE } else { down }
    }

    #[inline(always)]
    fn logaddexp(self, other: Self) -> Self {
        let (larger, difference) = Real::larger_and_difference(self, other);
        let sum = larger + Real::log1p(Real::exp(-Real::abs(difference)));
        let sum = if Real::is_nan(difference) { difference } else { sum };
        if self == other { self + Self::LN_2 } else { sum }
    }

    #[inline(always)]
    fn logaddexp2(self, other: Self) -> Self {
        let (larger, difference) = Real::larger_and_difference(self, other);
        let sum = larger + Self::LOG2_E * Real::log1p(Real::exp2(-Real::abs(difference)));
        let sum = if Real::is_nan(difference) { difference } else { sum };
        if self == other { self + Self::ONE } else { sum }
    }

    #[inline(always)]
    fn larger_and_difference(self, other: Self) -> (Self, Self) {
        let difference = self - other;
        (if difference > Self::ZERO { self } else { other }, difference)
    }

    /// The larger; NaN if either is.
    #[inline]
    fn maximum(self, other: Self) -> Self {
        if self >= other || Real::is_nan(self) { self } else { other }
    }

    /// The smaller; NaN if either is.
    #[inline]
    fn minimum(self, other: Self) -> Self {
        if self <= other || Real::is_nan(self) { self } else { other }
    }

    /// The larger; NaN only if both are.
    #[inline]
    fn fmax(self, other: Self) -> Self {
        if self >= other || Real::is_nan(other) { self } else { other }
    }

    /// The smaller; NaN only if both are.
    #[inline]
    fn fmin(self, other: Self) -> Self {
        if self <= other || Real::is_nan(other) { self } else { other }
    }
}

/// Functions of one number from the module `functions`.
macro_rules! elementary {
    ($type:ident, $precision:ident, [$($name:ident)*]) => {$(
        // NaN stays as it is: its sign would depend on how the compiler orders the operations.
        #[inline(always)]
        fn $name(self) -> $type {
            let value = functions::$name::<$precision>(self.into()) as $type;
            if $type::is_nan(self) { self } else { value }
        }
    )*};
}

/// Two to a power between those of the smallest normal and the largest number.
macro_rules! two_to {
    ($type:ident, $bits:ident, $power:expr) => {
        $type::from_bits((($power + $type::MAX_EXP - 1) as $bits) << ($type::MANTISSA_DIGITS - 1))
    };
}

macro_rules! real {
    ($type:ident, $bits:ident, $precision:ident, $integers:expr,
        $sin:ident $cos:ident $tan:ident $fmod:ident $nextafter:ident) => {
        impl Real for $type {
            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;
            const NAN: $type = $type::NAN;
            const INFINITY: $type = $type::INFINITY;
            const LN_2: $type = std::$type::consts::LN_2;
            const LOG2_E: $type = std::$type::consts::LOG2_E;
            const DEGREE: $type = std::$type::consts::PI / 180.0;
            const RADIAN: $type = 180.0 / std::$type::consts::PI;
            const INTEGERS: $type = $integers;

            elementary!($type, $precision, [
                cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan
                sinh cosh tanh asinh acosh atanh
            ]);

            #[inline(always)]
            fn atan2(self, x: $type) -> $type {
                functions::atan2::<$precision>(self.into(), x.into()) as $type
            }

            #[inline(always)]
            fn hypot(self, other: $type) -> $type {
                functions::hypot::<$precision>(self.into(), other.into()) as $type
            }

            #[inline(always)]
            fn pow(self, exponent: $type) -> $type {
                functions::pow::<$precision>(self.into(), exponent.into()) as $type
            }

            #[inline(always)]
            fn is_far(self) -> bool {
                $type::abs(self) >= functions::LARGE as $type
            }

            fn sin_far(self) -> $type {
                libm::$sin(self)
            }

            fn cos_far(self) -> $type {
                libm::$cos(self)
            }

            fn tan_far(self) -> $type {
                libm::$tan(self)
            }

            #[inline]
            fn fmod(self, divisor: $type) -> $type {
                libm::$fmod(self, divisor)
            }

            #[inline]
            fn nextafter(self, toward: $type) -> $type {
                libm::$nextafter(self, toward)
            }

            // These four are single instructions and exact on every machine.
            #[inline]
            fn sqrt(self) -> $type {
                $type::sqrt(self)
            }

            #[inline]
            fn abs(self) -> $type {
                $type::abs(self)
            }

            #[inline]
            fn copysign(self, sign: $type) -> $type {
                $type::copysign(self, sign)
            }

            #[inline]
            fn is_negative(self) -> bool {
                $type::is_sign_negative(self)
            }

            #[inline]
            fn next_magnitude(self) -> $type {
                $type::from_bits(self.to_bits() + 1)
            }

            #[inline]
            fn frexp(self) -> ($type, i32) {
                const PLACES: u32 = $type::MANTISSA_DIGITS - 1;
                const EXPONENTS: $bits = ((1 << ($bits::BITS - 1 - PLACES)) - 1) << PLACES;
                /// The exponent of a half.
                const HALF: $bits = (0.5 as $type).to_bits() >> PLACES;
                /// Subnormal numbers times two to this power are normal.
                const LIFT: $bits = 64;
                let is_small = Real::abs(self) < $type::MIN_POSITIVE;
                let lifted = self * const { two_to!($type, $bits, 64) };
                let bits = if is_small { lifted } else { self }.to_bits();
                let mantissa = $type::from_bits((bits & !EXPONENTS) | (HALF << PLACES));
                let bias = if is_small { HALF + LIFT } else { HALF };
                let exponent = ((bits & EXPONENTS) >> PLACES).wrapping_sub(bias) as i32;
                let is_plain = (self != 0.0) & Real::is_finite(self);
                (if is_plain { mantissa } else { self }, if is_plain { exponent } else { 0 })
            }

            // Steps of the largest powers that are numbers. Steps down leave room for all digits
            // above the subnormal numbers, so that only the last product is rounded.
            #[inline]
            fn ldexp(self, exponent: i32) -> $type {
                const MOST: i32 = $type::MAX_EXP - 1;
                const LEAST: i32 = $type::MIN_EXP - 1;
                const DOWN: i32 = LEAST + $type::MANTISSA_DIGITS as i32;
                let (mut number, mut left) = (self, exponent);
                for _ in 0..2 {
                    let (is_up, is_down) = (left > MOST, left < LEAST);
                    let up = if is_up { const { two_to!($type, $bits, MOST) } } else { 1.0 };
                    number *= if is_down { const { two_to!($type, $bits, DOWN) } } else { up };
                    let step = if is_up { MOST } else { 0 };
                    left = left.wrapping_sub(if is_down { DOWN } else { step });
                }
                number * two_to!($type, $bits, left.clamp(LEAST, MOST))
            }
        }
    };
}

real!(f32, u32, Single, 8_388_608.0, sinf cosf tanf fmodf nextafterf);
real!(f64, u64, Double, 4_503_599_627_370_496.0, sin cos tan fmod nextafter);
