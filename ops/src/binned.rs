//! Sums of floating-point numbers whose bits do not depend on the order of the terms.
//!
//! The method is the binned sum of Ahrens, Demmel and Nguyen ("Algorithms for efficient
//! reproducible floating point summation", ACM TOMS 46(3), 2020), with sums of integers. The binary
//! exponents are divided into *windows* of 30 bits, the same for all numbers. A number is written
//! as three digits, in the windows from that of the largest term down: each is the multiple of the
//! window's unit that is nearest to what is left. Digits of a window are small integers, so their
//! sums are exact in any order. What a number has below the third window is lost: at most 2⁻⁵⁹ of
//! the largest term, for each term.

/// Bits of a window.
const BITS: i64 = 30;
/// The unit of window 0 is two to minus this power, the smallest `f64`.
const LEAST: i64 = 1074;
/// The window of infinities and NaN. Its sums count positive infinities, negative ones, and NaN.
const SPECIAL: i64 = 127;
/// The largest window whose units can be added to a number; a larger one is scaled.
const UNSCALED: i64 = 68;

/// A sum of up to 2³³ numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Binned {
    /// The window of the largest number.
    window: i64,
    /// The sums of the digits in this window and in the two below it.
    sums: [i64; 3],
}

/// Where the digits of a number begin: the window, and what finds the digits.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// All numbers whose magnitude has fewer bits than this, as an integer, have such digits.
    pub limit: u64,
    /// For each digit, one and a half times 2⁵² units: a number added to it is rounded to units.
    pub rounders: [f64; 3],
}

impl Digits {
    /// Those of a window.
    #[inline]
    fn of(window: i64) -> Digits {
        let exponent = (BITS * window - (LEAST - 1052)).min(2047) as u64;
        let top = window.min(UNSCALED);
        let rounder =
            |below: i64| f64::from_bits((((top - below) * BITS + 1) as u64) << 52 | 1 << 51);
        Digits { limit: exponent << 52, rounders: [0, 1, 2].map(rounder) }
    }

    /// The digits of a number within the limit.
    #[inline(always)]
    pub fn split(&self, number: f64) -> [i64; 3] {
        let mut left = number;
        self.rounders.map(|rounder| {
            let rounded = left + rounder;
            left -= rounded - rounder;
            (rounded.to_bits() as i64).wrapping_sub(rounder.to_bits() as i64)
        })
    }
}

/// The window of a magnitude, given as bits.
#[inline]
fn window_of(magnitude: u64) -> i64 {
    match (magnitude >> 52) as i64 {
        2047 => SPECIAL,
        exponent => ((exponent + LEAST - 1022) / BITS).max(2),
    }
}

impl Binned {
    /// The sum in its parts: the window, and the sums of the digits in this window and in the two
    /// below it.
    #[inline]
    pub fn parts(self) -> [i64; 4] {
        let [high, middle, low] = self.sums;
        [self.window, high, middle, low]
    }

    /// The sum of such parts.
    #[inline]
    pub fn from_parts([window, high, middle, low]: [i64; 4]) -> Binned {
        Binned { window, sums: [high, middle, low] }
    }

    /// Makes room for numbers of a magnitude, given as bits. Returns how their digits are found;
    /// `None` if each must be added by [`Binned::add`].
    #[inline]
    pub fn make_room(&mut self, magnitude: u64) -> Option<Digits> {
        self.raise(window_of(magnitude));
        (self.window <= UNSCALED).then(|| Digits::of(self.window))
    }

    /// Adds sums of digits.
    #[inline]
    pub fn add_digits(&mut self, digits: [i64; 3]) {
        for (sum, digit) in self.sums.iter_mut().zip(digits) {
            *sum = sum.wrapping_add(digit);
        }
    }

    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: f64) {
        let magnitude = number.abs().to_bits();
        if window_of(magnitude) > self.window {
            self.raise(window_of(magnitude));
        }
        match self.window {
            SPECIAL if magnitude >> 52 == 2047 => {
                let kind = [number == f64::INFINITY, number == f64::NEG_INFINITY, number.is_nan()];
                self.add_digits(kind.map(i64::from));
            }
            SPECIAL => {}
            window => {
                // Smaller numbers lose bits here only where they are far below the last digit.
                let scale = if window > UNSCALED { 2f64.powi(-(BITS as i32)) } else { 1.0 };
                self.add_digits(Digits::of(window).split(number * scale));
            }
        }
    }

    /// Adds another sum.
    #[inline]
    pub fn merge(&mut self, mut other: Binned) {
        self.raise(other.window);
        other.raise(self.window);
        self.add_digits(other.sums);
    }

    /// Moves the digits to a window that is not below its own.
    #[inline]
    fn raise(&mut self, window: i64) {
        let steps = window - self.window;
        if steps <= 0 {
            return;
        }
        let [high, middle, _] = self.sums;
        self.sums = match steps {
            1 => [0, high, middle],
            2 => [0, 0, high],
            _ => [0; 3],
        };
        self.window = window;
    }

    /// The sum, rounded to the nearest `f64`. The sum of no numbers and of zeros is +0.
    #[inline]
    pub fn value(self) -> f64 {
        let [high, middle, low] = self.sums;
        if self.window == SPECIAL {
            return match (high > 0, middle > 0, low > 0) {
                (true, false, false) => f64::INFINITY,
                (false, true, false) => f64::NEG_INFINITY,
                _ => f64::NAN,
            };
        }
        if self.window < 2 {
            // No number has been added.
            return 0.0;
        }
        let scale = power_of_two(BITS * (self.window - 2) - LEAST);
        if let Some(total) = rounded(self.sums) {
            return total * scale;
        }
        let total =
            (i128::from(high) << (2 * BITS)) + (i128::from(middle) << BITS) + i128::from(low);
        if total == 0 {
            return 0.0;
        }
        total as f64 * scale
    }
}

/// The sum of digits in units of the last, rounded to the nearest `f64`, if they are not too large
/// for the shorter way: a sum of two numbers whose error, with what is left, is exact.
#[inline]
fn rounded([high, middle, low]: [i64; 3]) -> Option<f64> {
    let carried = |digits: i64| (digits.wrapping_add(1 << (BITS - 1))) >> BITS;
    let middle = middle.wrapping_add(carried(low));
    let high = high.wrapping_add(carried(middle));
    if high.unsigned_abs() >= 1 << 40 {
        return None;
    }
    // Less than 2⁶⁰.
    let rest = ((middle - (carried(middle) << BITS)) << BITS) + (low - (carried(low) << BITS));
    let last = rest & ((1 << 20) - 1);
    let (one, other) = (high as f64 * 2f64.powi(60), (rest - last) as f64);
    let sum = one + other;
    // The error of the sum: D. E. Knuth, "The Art of Computer Programming", vol. 2, theorem B of
    // section 4.2.2. It is a multiple of 2²⁰ below 2⁴⁸, so adding less than 2²⁰ is exact.
    let of_other = sum - one;
    let error = (one - (sum - of_other)) + (other - of_other);
    Some(sum + (error + last as f64))
}

/// Two to a power that an `f64` can hold.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(match exponent {
        ..-1022 => 1 << (exponent + LEAST),
        _ => ((exponent + 1023) as u64) << 52,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(seed: u64, count: usize, spread: i32) -> Vec<f64> {
        let mut bits = seed;
        let mut next = || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        };
        let number = |_| {
            let fraction = (next() >> 11) as f64 * 2f64.powi(-53) - 0.5;
            let exponent = (next() % (2 * spread as u64 + 1)) as i32 - spread;
            fraction * 2f64.powi(exponent)
        };
        (0..count).map(number).collect()
    }

    fn sum(numbers: &[f64]) -> Binned {
        let mut sum = Binned::default();
        numbers.iter().for_each(|&number| sum.add(number));
        sum
    }

    #[test]
    fn the_order_does_not_matter() {
        let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for (seed, spread) in [0, 1, 20, 31, 100, 300, 900, 1020].into_iter().enumerate() {
            for extra in 0..8 {
                let mut all = numbers(seed as u64 + 11, 700, spread);
                all.extend((0..3).filter(|at| extra >> at & 1 == 1).map(|at| special[at]));
                let expected = sum(&all).value();
                for turn in 1..20 {
                    let cut = turn * 31;
                    all.rotate_left(cut % 97);
                    let (left, right) = all.split_at(cut);
                    for pair in [[left, right], [right, left]] {
                        let [mut one, other] = pair.map(sum);
                        one.merge(other);
                        assert_eq!(one.value().to_bits(), expected.to_bits(), "spread {spread}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_boundary_between_windows_is_consistent() {
        for window in 3..=69i64 {
            let edge = power_of_two(BITS * window - LEAST - 1);
            let near = [edge, -edge, edge * (1.0 - f64::EPSILON), edge * 1.5, edge / 2.0, 1e-300];
            for large in [1.0, 2f64.powi(29), 2f64.powi(31), 2f64.powi(61), 2f64.powi(91)] {
                let large = edge * large;
                if large.is_infinite() {
                    continue;
                }
                let mut all = near.to_vec();
                all.push(large);
                let expected = sum(&all).value();
                for _ in 0..all.len() {
                    all.rotate_left(1);
                    assert_eq!(sum(&all).value(), expected, "window {window}, {large}");
                    let mut parts = Binned::default();
                    all.iter().for_each(|&number| parts.merge(sum(&[number])));
                    assert_eq!(parts.value(), expected, "window {window}, {large}");
                }
            }
        }
    }

    #[test]
    fn sums_are_more_exact_than_ordinary_ones() {
        assert_eq!(sum(&[]).value().to_bits(), 0);
        assert_eq!(sum(&[1e16, 1.0, -1e16]).value(), 1.0);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]).value(), f64::MAX);
        assert_eq!(sum(&[f64::MAX, f64::MAX]).value(), f64::INFINITY);
        let least = f64::from_bits(1);
        assert_eq!(sum(&[least, least, -3.0 * least, 1.0, -1.0]).value(), 0.0);
        assert_eq!(sum(&[least, least, -3.0 * least]).value(), -least);
        for number in numbers(5, 500, 1000) {
            assert_eq!(sum(&[number]).value(), number);
        }
        let thirds = vec![1.0 / 3.0; 3_000];
        assert_eq!(sum(&thirds).value(), 1000.0);
    }

    #[test]
    fn the_shorter_way_rounds_as_the_longer() {
        let mut bits = 7u64;
        let mut next = |shift: u32| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (bits as i64) >> shift
        };
        let mut taken = 0;
        for turn in 0..200_000u32 {
            let shifts = [20 + turn % 44, turn / 7 % 64, turn / 3 % 64];
            let sums = shifts.map(&mut next);
            let total = (i128::from(sums[0]) << 60) + (i128::from(sums[1]) << 30);
            let total = total + i128::from(sums[2]);
            if let Some(found) = rounded(sums) {
                taken += 1;
                assert_eq!(found, total as f64, "{sums:?}");
            }
        }
        assert!(taken > 100_000, "{taken}");
    }

    #[test]
    fn digits_of_many_numbers_are_those_of_each() {
        let all = numbers(9, 400, 40);
        let most = all.iter().map(|number| number.abs().to_bits()).max().expect("numbers");
        let mut together = Binned::default();
        let digits = together.make_room(most).expect("numbers far from the largest");
        assert!(most < digits.limit);
        let mut sums = [0i64; 3];
        for &number in &all {
            for (sum, digit) in sums.iter_mut().zip(digits.split(number)) {
                *sum += digit;
            }
        }
        together.add_digits(sums);
        assert_eq!(together, sum(&all));
        assert!(Binned::default().make_room(f64::MAX.to_bits()).is_none());
        assert!(Binned::default().make_room(f64::NAN.to_bits()).is_none());
    }
}
