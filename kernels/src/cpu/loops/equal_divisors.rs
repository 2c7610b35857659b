//! Division of many integers by one, by multiplication with its reciprocal.
//!
//! Source: T. Granlund, P. L. Montgomery, "Division by invariant integers using multiplication"
//! (PLDI 1994), figure 4.1. For a divisor d of N bits, let 2^l be the smallest power of two that is
//! at least d, and m = floor(2^N (2^l - d) / d) + 1. With h = floor(m n / 2^N), the quotient of n
//! and d is (h + ((n - h) >> min(l, 1))) >> max(l - 1, 0).
//!
//! Signed integers are divided through unsigned ones: floor(n / d) is the complement of
//! floor(~n / d) if n < 0 < d. For d < 0 it is the complement of floor((n - 1) / -d), which
//! fits also if n is the smallest integer.

use super::integer::Integer;
use std::mem::MaybeUninit;

/// Fewer elements than this are divided without a reciprocal, which costs some divisions.
const FEWEST: usize = 32;

/// The results of a division, as `Integer` defines them.
pub(super) struct Divided<T> {
    pub floor: T,
    pub remainder: T,
    pub fmod: T,
}

/// One of the results.
pub(super) trait Part {
    /// From the results.
    fn of_divided<T>(divided: Divided<T>) -> T;
    /// From any two integers.
    fn of<T: Integer>(a: T, b: T) -> T;
}

macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident, $field:ident, $function:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $part;

        impl Part for $part {
            #[inline(always)]
            fn of_divided<T>(divided: Divided<T>) -> T {
                divided.$field
            }

            #[inline(always)]
            fn of<T: Integer>(a: T, b: T) -> T {
                a.$function(b)
            }
        }
    )*};
}

parts! {
    /// The quotient rounded down.
    Floor, floor, floor_divide;
    /// The remainder of floor division.
    Remainder, remainder, remainder;
    /// The remainder of truncated division.
    Fmod, fmod, fmod;
}

/// An integer that is divided by multiplication.
pub(super) trait Multiplication: Integer + PartialEq + Default {
    /// A divisor prepared for that.
    type Reciprocal: Copy;

    /// Prepares a divisor, which is not 0.
    fn reciprocal_of(divisor: Self) -> Self::Reciprocal;
    /// The results for a prepared divisor. What is not used costs nothing.
    fn divided_by(self, by: Self::Reciprocal) -> Divided<Self>;
}

/// A divisor of unsigned integers.
#[derive(Clone, Copy)]
pub(super) struct Unsigned<T> {
    divisor: T,
    /// The number m.
    multiplier: T,
    /// The distances of the first and of the second shift.
    shifts: [u32; 2],
}

/// A divisor of signed integers; `U` is the type of its magnitude.
#[derive(Clone, Copy)]
pub(super) struct Signed<T, U> {
    divisor: T,
    magnitude: Unsigned<U>,
    /// 1 if the divisor is negative, else 0.
    less: T,
}

macro_rules! upper_halves {
    ($($name:ident, $type:ident, $wide:ident;)*) => {$(
        /// The upper half of a product.
        #[inline(always)]
        fn $name(a: $type, b: $type) -> $type {
            // No product overflows, but a check would keep loops out of vector registers.
            ($wide::from(a).wrapping_mul($wide::from(b)) >> $type::BITS) as $type
        }
    )*};
}

upper_halves! {
    upper_half_8, u8, u16;
    upper_half_16, u16, u32;
    upper_half_32, u32, u64;
}

/// The upper half of a product, from products of halves: vectors have no others.
#[inline(always)]
fn upper_half_64(a: u64, b: u64) -> u64 {
    const LOW: u64 = 0xffff_ffff;
    let (a_low, a_high, b_low, b_high) = (a & LOW, a >> 32, b & LOW, b >> 32);
    // Products of halves are at most (2^32 - 1)^2, so that none of the sums overflows.
    let middle = a_high.wrapping_mul(b_low).wrapping_add(a_low.wrapping_mul(b_low) >> 32);
    let carried = a_low.wrapping_mul(b_high).wrapping_add(middle & LOW);
    a_high.wrapping_mul(b_high).wrapping_add(middle >> 32).wrapping_add(carried >> 32)
}

macro_rules! multiplications {
    ($($unsigned:ident, $signed:ident, $wide:ident, $upper:ident;)*) => {$(
        impl Unsigned<$unsigned> {
            fn of(divisor: $unsigned) -> Self {
                const BITS: u32 = $unsigned::BITS;
                let length = BITS - (divisor - 1).leading_zeros();
                let rest = ((1 as $wide) << length) - divisor as $wide;
                // The quotient is below 2^N, as 2^l < 2 d.
                let multiplier = ((rest << BITS) / divisor as $wide) as $unsigned;
                Unsigned {
                    divisor,
                    multiplier: multiplier.wrapping_add(1),
                    shifts: [length.min(1), length.saturating_sub(1)],
                }
            }

            #[inline(always)]
            fn quotient(self, number: $unsigned) -> $unsigned {
                let [first, second] = self.shifts;
                let upper = $upper(self.multiplier, number);
                upper.wrapping_add(number.wrapping_sub(upper).wrapping_shr(first))
                    .wrapping_shr(second)
            }
        }

        impl Multiplication for $unsigned {
            type Reciprocal = Unsigned<$unsigned>;

            fn reciprocal_of(divisor: Self) -> Self::Reciprocal {
                Unsigned::<$unsigned>::of(divisor)
            }

            #[inline(always)]
            fn divided_by(self, by: Self::Reciprocal) -> Divided<Self> {
                let floor = by.quotient(self);
                let left = self.wrapping_sub(floor.wrapping_mul(by.divisor));
                Divided { floor, remainder: left, fmod: left }
            }
        }

        impl Multiplication for $signed {
            type Reciprocal = Signed<$signed, $unsigned>;

            fn reciprocal_of(divisor: Self) -> Self::Reciprocal {
                let magnitude = Unsigned::<$unsigned>::of(divisor.unsigned_abs());
                Signed { divisor, magnitude, less: (divisor < 0) as $signed }
            }

            #[inline(always)]
            fn divided_by(self, by: Self::Reciprocal) -> Divided<Self> {
                // All bits of a sign are equal: 0 or -1.
                let sign = ((self < by.less) as $signed).wrapping_neg();
                let number = self.wrapping_sub(by.less) ^ sign;
                let quotient = by.magnitude.quotient(number as $unsigned) as $signed;
                let floor = quotient ^ sign ^ by.less.wrapping_neg();
                let left = self.wrapping_sub(floor.wrapping_mul(by.divisor));
                let is_above = (left != 0) & ((self < 0) != (by.divisor < 0));
                let fmod = left.wrapping_sub(if is_above { by.divisor } else { 0 });
                Divided { floor, remainder: left, fmod }
            }
        }
    )*};
}

multiplications! {
    u8, i8, u16, upper_half_8;
    u16, i16, u32, upper_half_16;
    u32, i32, u64, upper_half_32;
    u64, i64, u128, upper_half_64;
}

/// The divisor of all elements, if there are enough of them, it is the same and it is not 0.
#[inline(always)]
pub(super) fn equal<T: Multiplication>(divisors: &[T]) -> Option<T> {
    let (&first, others) = divisors.split_first()?;
    if divisors.len() < FEWEST || first == T::default() || others[0] != first {
        return None;
    }
    // In parts, so that divisors that differ soon show.
    let is_equal = |part: &[T]| part.iter().fold(true, |equal, &other| equal & (other == first));
    others.chunks(256).all(is_equal).then_some(first)
}

/// Divides integers by a prepared divisor.
#[inline(always)]
pub(super) fn divided_by<T: Multiplication, P: Part>(
    numbers: &[T],
    by: T::Reciprocal,
    out: &mut [MaybeUninit<T>],
) {
    for (out, &number) in out.iter_mut().zip(numbers) {
        out.write(P::of_divided(number.divided_by(by)));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Checks what a division gives against the functions of integers.
    pub fn check_parts<T: Integer + Debug>(divided: Divided<T>, a: T, b: T) {
        let Divided { floor, remainder, fmod } = divided;
        assert_eq!(floor, a.floor_divide(b), "{a:?} // {b:?}");
        assert_eq!(remainder, a.remainder(b), "{a:?} % {b:?}");
        assert_eq!(fmod, a.fmod(b), "fmod({a:?}, {b:?})");
    }

    fn check<T: Multiplication + Debug>(numbers: &[T], divisors: &[T]) {
        for &divisor in divisors.iter().filter(|&&divisor| divisor != T::default()) {
            let by = T::reciprocal_of(divisor);
            for &number in numbers {
                check_parts(number.divided_by(by), number, divisor);
            }
        }
    }

    /// Numbers near each power of two, and their negatives.
    pub fn numbers() -> impl Iterator<Item = i128> {
        let near = (0..64).flat_map(|power| (-2..=2).map(move |by| (1i128 << power) + by));
        near.flat_map(|number| [number, -number, number / 3, -number / 3, 7 * number / 5])
    }

    #[test]
    fn products_with_reciprocals_are_quotients() {
        macro_rules! check {
            ($($type:ty),*) => {$(
                let all: Vec<$type> =
                    numbers().filter_map(|number| <$type>::try_from(number).ok()).collect();
                check(&all, &all);
            )*};
        }
        check!(u8, u16, u32, u64, i8, i16, i32, i64);
    }

    #[test]
    fn short_integers_are_divided_by_every_divisor() {
        let all: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        check(&all, &all);
        let all: Vec<u8> = (u8::MIN..=u8::MAX).collect();
        check(&all, &all);
        let all: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        check(&all, &[1, -1, 2, -3, 7, 641, -1000, 32_749, i16::MAX, i16::MIN]);
    }

    #[test]
    fn upper_halves_are_those_of_whole_products() {
        let all: Vec<u64> = numbers().filter_map(|number| u64::try_from(number).ok()).collect();
        for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            assert_eq!(upper_half_64(a, b), ((u128::from(a) * u128::from(b)) >> 64) as u64);
        }
    }

    #[test]
    fn only_equal_divisors_other_than_zero_are_one() {
        assert_eq!(equal(&[7i32; 100]), Some(7));
        assert_eq!(equal(&[0i32; 100]), None);
        assert_eq!(equal(&[7i32; 5]), None);
        let mut divisors = [7u8; 1000];
        divisors[999] = 8;
        assert_eq!(equal(&divisors), None);
    }
}
