//! Integer functions, with NumPy's answers where arithmetic does not define one.

/// An integer element.
pub(super) trait Integer: Copy + PartialOrd {
    /// Quotient rounded down; 0 if the divisor is 0.
    fn floor_divide(self, divisor: Self) -> Self;
    /// The remainder of floor division; 0 if the divisor is 0.
    fn remainder(self, divisor: Self) -> Self;
    /// The remainder of truncated division; 0 if the divisor is 0.
    fn fmod(self, divisor: Self) -> Self;
    /// Power by squaring, wrapping. A negative power gives 0 here; another check reports the error
    /// in the data.
    fn power(self, exponent: Self) -> Self;
    /// Shift left; 0 if the distance is negative or not below the width.
    fn shift_left(self, distance: Self) -> Self;
    /// Shift right; 0 or -1 if the distance is negative or not below the width.
    fn shift_right(self, distance: Self) -> Self;
    /// Absolute value, wrapping.
    fn absolute(self) -> Self;
    /// -1, 0 or 1.
    fn sign(self) -> Self;
    /// 1 / x truncated; for zero, the result of an x86-64 conversion of infinity.
    fn reciprocal(self) -> Self;
    /// Set bits of the absolute value.
    fn bit_count(self) -> u8;
    /// Greatest common divisor of the absolute values.
    fn gcd(self, other: Self) -> Self;
    /// Least common multiple of the absolute values, wrapping.
    fn lcm(self, other: Self) -> Self;
}

macro_rules! power_by_squaring {
    ($type:ty) => {
        #[inline]
        fn power(self, exponent: $type) -> $type {
            #[allow(unused_comparisons)]
            if exponent < 0 {
                return 0;
            }
            let (mut base, mut left, mut power) = (self, exponent, 1);
            while left != 0 {
                if left & 1 != 0 {
                    power = <$type>::wrapping_mul(power, base);
                }
                base = base.wrapping_mul(base);
                left >>= 1;
            }
            power
        }
    };
}

macro_rules! unsigned {
    ($($type:ty),*) => {$(
        impl Integer for $type {
            power_by_squaring!($type);

            #[inline]
            fn floor_divide(self, divisor: $type) -> $type {
                self.checked_div(divisor).unwrap_or(0)
            }

            #[inline]
            fn remainder(self, divisor: $type) -> $type {
                self.checked_rem(divisor).unwrap_or(0)
            }

            #[inline]
            fn fmod(self, divisor: $type) -> $type {
                Integer::remainder(self, divisor)
            }

            #[inline]
            fn shift_left(self, distance: $type) -> $type {
                if (distance as u64) < u64::from(<$type>::BITS) {
                    self.wrapping_shl(distance as u32)
                } else {
                    0
                }
            }

            #[inline]
            fn shift_right(self, distance: $type) -> $type {
                if (distance as u64) < u64::from(<$type>::BITS) {
                    self.wrapping_shr(distance as u32)
                } else {
                    0
                }
            }

            #[inline]
            fn absolute(self) -> $type {
                self
            }

            #[inline]
            fn sign(self) -> $type {
                (self != 0) as $type
            }

            #[inline]
            fn reciprocal(self) -> $type {
                (self == 1) as $type
            }

            #[inline]
            fn bit_count(self) -> u8 {
                self.count_ones() as u8
            }

            #[inline]
            fn gcd(self, other: $type) -> $type {
                let (mut a, mut b) = (self, other);
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                a
            }

            #[inline]
            fn lcm(self, other: $type) -> $type {
                match Integer::gcd(self, other) {
                    0 => 0,
                    divisor => (self / divisor).wrapping_mul(other),
                }
            }
        }
    )*};
}

macro_rules! signed {
    ($($type:ty: $unsigned:ty),*) => {$(
        impl Integer for $type {
            power_by_squaring!($type);

            #[inline]
            fn floor_divide(self, divisor: $type) -> $type {
                if divisor == 0 {
                    return 0;
                }
                let quotient = self.wrapping_div(divisor);
                let inexact = self.wrapping_rem(divisor) != 0;
                quotient - (inexact && (self < 0) != (divisor < 0)) as $type
            }

            #[inline]
            fn remainder(self, divisor: $type) -> $type {
                if divisor == 0 {
                    return 0;
                }
                let left = self.wrapping_rem(divisor);
                if left != 0 && (left < 0) != (divisor < 0) { left + divisor } else { left }
            }

            #[inline]
            fn fmod(self, divisor: $type) -> $type {
                if divisor == 0 { 0 } else { self.wrapping_rem(divisor) }
            }

            #[inline]
            fn shift_left(self, distance: $type) -> $type {
                if (distance as $unsigned as u64) < u64::from(<$type>::BITS) {
                    self.wrapping_shl(distance as u32)
                } else {
                    0
                }
            }

            #[inline]
            fn shift_right(self, distance: $type) -> $type {
                if (distance as $unsigned as u64) < u64::from(<$type>::BITS) {
                    self.wrapping_shr(distance as u32)
                } else {
                    -((self < 0) as $type)
                }
            }

            #[inline]
            fn absolute(self) -> $type {
                self.wrapping_abs()
            }

            #[inline]
            fn sign(self) -> $type {
                self.signum()
            }

            #[inline]
            fn reciprocal(self) -> $type {
                match self {
                    0 if <$type>::BITS >= 32 => <$type>::MIN,
                    1 | -1 => self,
                    _ => 0,
                }
            }

            #[inline]
            fn bit_count(self) -> u8 {
                self.unsigned_abs().count_ones() as u8
            }

            #[inline]
            fn gcd(self, other: $type) -> $type {
                Integer::gcd(self.unsigned_abs(), other.unsigned_abs()) as $type
            }

            #[inline]
            fn lcm(self, other: $type) -> $type {
                Integer::lcm(self.unsigned_abs(), other.unsigned_abs()) as $type
            }
        }
    )*};
}

unsigned!(u8, u16, u32, u64);
signed!(i8: u8, i16: u16, i32: u32, i64: u64);
