//! Operations of doubles that round to a given side, and products that are added without a rounding
//! of their own.
//!
//! An error-free transformation gives the rounded result and what it lacks (J.-M. Muller et al.,
//! Handbook of Floating-Point Arithmetic, 2nd edition, sections 4.3, 4.4, 4.8 and 5.2). Operands
//! are brought between 1/2 and 1 first, so that what is lacking is itself a double; the exponent
//! returns at the end, where results below the smallest normal number lose digits and those above
//! the largest one have none.
//!
//! A side is -1 (down), 1 (up) or 0 (towards zero).

use libm::{fma, ldexp, sqrt};

/// The sum x + y, rounded to a side.
pub fn rounded_sum(x: f64, y: f64, side: f64) -> f64 {
    let sum = x + y;
    if sum.is_nan() || x.is_infinite() || y.is_infinite() {
        return sum;
    }
    if sum.is_infinite() {
        return rounding_beyond(sum, side);
    }
    if sum == 0.0 {
        return rounding_zero(x, y, side);
    }
    // Dekker's sum, whose terms are ordered.
    let mut large = x;
    let mut small = y;
    if x.abs() < y.abs() {
        large = y;
        small = x;
    }
    rounding_stepped(sum, small - (sum - large), sum, side)
}

/// The product x * y, rounded to a side.
pub fn rounded_product(x: f64, y: f64, side: f64) -> f64 {
    let product = x * y;
    if product.is_nan() || x.is_infinite() || y.is_infinite() || x == 0.0 || y == 0.0 {
        return product;
    }
    let mut a = [0.0; 2];
    let mut b = [0.0; 2];
    rounding_split(x, &mut a);
    rounding_split(y, &mut b);
    let high = a[0] * b[0];
    rounding_scaled(high, fma(a[0], b[0], -high), a[1] + b[1], side)
}

/// The quotient x / y, rounded to a side.
pub fn rounded_quotient(x: f64, y: f64, side: f64) -> f64 {
    let quotient = x / y;
    if quotient.is_nan() || x.is_infinite() || y.is_infinite() || x == 0.0 || y == 0.0 {
        return quotient;
    }
    let mut a = [0.0; 2];
    let mut b = [0.0; 2];
    rounding_split(x, &mut a);
    rounding_split(y, &mut b);
    let high = a[0] / b[0];
    // The rest of the division is a double.
    let rest = fma(-high, b[0], a[0]);
    let low = if b[0] < 0.0 { -rest } else { rest };
    rounding_scaled(high, low, a[1] - b[1], side)
}

/// The square root of x, rounded to a side.
pub fn rounded_root(x: f64, side: f64) -> f64 {
    let root = sqrt(x);
    if root.is_nan() || x.is_infinite() || x == 0.0 {
        return root;
    }
    let mut a = [0.0; 2];
    rounding_split(x, &mut a);
    let mut part = a[0];
    let mut exponent = a[1];
    // Half of the exponent must be whole.
    let half = (exponent * 0.5).floor();
    if exponent != 2.0 * half {
        part *= 0.5;
        exponent += 1.0;
    }
    let high = sqrt(part);
    rounding_scaled(high, fma(-high, high, part), 0.5 * exponent, side)
}

/// The sum x * y + z, rounded once, to a side.
pub fn rounded_fma(x: f64, y: f64, z: f64, side: f64) -> f64 {
    let near = fma(x, y, z);
    if near.is_nan() || x.is_infinite() || y.is_infinite() || z.is_infinite() {
        return near;
    }
    if x == 0.0 || y == 0.0 {
        if z != 0.0 {
            return z;
        }
        return rounding_zero(x * y, z, side);
    }
    if z == 0.0 {
        return rounded_product(x, y, side);
    }
    let mut a = [0.0; 2];
    let mut b = [0.0; 2];
    let mut c = [0.0; 2];
    rounding_split(x, &mut a);
    rounding_split(y, &mut b);
    rounding_split(z, &mut c);
    let high = a[0] * b[0];
    let low = fma(a[0], b[0], -high);
    // The exponent of the product becomes 0. What is 200 digits away from the larger one says only
    // on which side the sum is.
    let mut scale = a[1] + b[1];
    let mut apart = c[1] - scale;
    if apart > 200.0 {
        apart = 200.0;
        scale = c[1] - 200.0;
    }
    if apart < -200.0 {
        apart = -200.0;
    }
    let other = ldexp(c[0], apart as i32);
    let mut first = [0.0; 2];
    let mut rest = [0.0; 2];
    let mut sum = [0.0; 2];
    rounding_two_sum(high, other, &mut first);
    rounding_two_sum(first[1], low, &mut rest);
    rounding_two_sum(first[0], rest[0], &mut sum);
    if sum[0] == 0.0 {
        return rounding_zero(1.0, -1.0, side);
    }
    rounding_scaled(sum[0], sum[1] + rest[1], scale, side)
}

/// The sum x * y + z, rounded once, to the nearest double.
pub fn nearest_fma(x: f64, y: f64, z: f64) -> f64 {
    fma(x, y, z)
}

/// The sum x * y + z of floats as a double that becomes the nearest float.
///
/// The product is exact. The sum is rounded to odd, so that another rounding, to fewer digits,
/// gives what one rounding would (S. Boldo and G. Melquiond, Emulation of FMA and correctly rounded
/// sums: proved algorithms using rounding to odd, IEEE Transactions on Computers 57, 2008).
pub fn odd_fma(x: f64, y: f64, z: f64) -> f64 {
    let product = x * y;
    let sum = product + z;
    if sum.is_nan() || sum.is_infinite() || sum == 0.0 {
        return sum;
    }
    let mut large = product;
    let mut small = z;
    if product.abs() < z.abs() {
        large = z;
        small = product;
    }
    let rest = small - (sum - large);
    if rest == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    rounding_next(sum, rest > 0.0)
}

/// The sum of two numbers and its rounding error (Knuth).
fn rounding_two_sum(a: f64, b: f64, out: &mut [f64; 2]) {
    let sum = a + b;
    let part = sum - a;
    out[1] = (a - (sum - part)) + (b - part);
    out[0] = sum;
}

/// A number that is finite and not zero as a part between 1/2 and 1, with its sign, and an
/// exponent.
fn rounding_split(x: f64, out: &mut [f64; 2]) {
    let mut number = x;
    let mut exponent = -1022.0;
    if x.abs() < f64::MIN_POSITIVE {
        // 2^54
        number *= 18014398509481984.0;
        exponent = -1076.0;
    }
    let bits = number.to_bits();
    let biased = (bits >> 52) & 2047;
    // The sign and the digits, with the exponent of 1/2.
    out[0] = f64::from_bits((bits & 9227875636482146303) | 4602678819172646912);
    out[1] = biased as f64 + exponent;
}

/// The number (high + low) * 2^exponent, rounded to a side. Nothing is between `high` and the sum;
/// only the sign of `low` counts, and it is less than the last digit of `high`.
fn rounding_scaled(high: f64, low: f64, exponent: f64, side: f64) -> f64 {
    let result = ldexp(high, exponent as i32);
    if result.is_infinite() {
        return rounding_beyond(result, side);
    }
    // Of a result below the normal numbers, digits are lost.
    let lost = high - ldexp(result, -exponent as i32);
    rounding_stepped(result, lost + low, high, side)
}

/// A number, or the next one, where the exact result is `lacks` away from it: the result has the
/// sign of `like`.
fn rounding_stepped(near: f64, lacks: f64, like: f64, side: f64) -> f64 {
    let down = side < 0.0 || side == 0.0 && like > 0.0;
    if down && lacks < 0.0 {
        return rounding_next(near, false);
    }
    if !down && lacks > 0.0 {
        return rounding_next(near, true);
    }
    near
}

/// The next number above or below.
fn rounding_next(x: f64, above: bool) -> f64 {
    if x == 0.0 {
        return if above { 5e-324 } else { -5e-324 };
    }
    let bits = x.to_bits();
    if (x > 0.0) == above {
        return f64::from_bits(bits + 1);
    }
    f64::from_bits(bits - 1)
}

/// A result that is larger than all numbers, whose sign is that of an infinity.
fn rounding_beyond(infinity: f64, side: f64) -> f64 {
    if infinity > 0.0 {
        return if side > 0.0 { infinity } else { f64::MAX };
    }
    if side < 0.0 { infinity } else { -f64::MAX }
}

/// The sum of two numbers, which is zero: rounded down, it is negative unless both are positive.
fn rounding_zero(x: f64, y: f64, side: f64) -> f64 {
    let negative = x.is_sign_negative();
    let same = negative == y.is_sign_negative();
    if same {
        return if negative { -0.0 } else { 0.0 };
    }
    if side < 0.0 { -0.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_next_to_the_exact_ones() {
        let next = 1.0 + f64::EPSILON;
        for (side, sum, product, quotient, root) in [
            (-1.0, 1.0, 0.0, 0.3333333333333333, 1.414213562373095),
            (0.0, 1.0, 0.0, 0.3333333333333333, 1.414213562373095),
            (1.0, next, 5e-324, 0.33333333333333337, 1.4142135623730951),
        ] {
            assert_eq!(rounded_sum(1.0, 1e-30, side), sum);
            assert_eq!(rounded_product(1e-200, 1e-200, side), product);
            assert_eq!(rounded_quotient(1.0, 3.0, side), quotient);
            assert_eq!(rounded_root(2.0, side), root);
            assert_eq!(rounded_fma(1e-200, 1e-200, 1.0, side), sum);
        }
    }

    #[test]
    fn what_is_too_large_has_a_limit() {
        for (side, above, below) in [
            (-1.0, f64::MAX, f64::NEG_INFINITY),
            (0.0, f64::MAX, -f64::MAX),
            (1.0, f64::INFINITY, -f64::MAX),
        ] {
            assert_eq!(rounded_sum(f64::MAX, f64::MAX, side), above);
            assert_eq!(rounded_product(-1e200, 1e200, side), below);
            assert_eq!(rounded_quotient(1e200, 1e-200, side), above);
            assert_eq!(rounded_fma(1e200, -1e200, 1e300, side), below);
        }
        assert!(rounded_sum(f64::INFINITY, f64::NEG_INFINITY, 1.0).is_nan());
        assert_eq!(rounded_fma(f64::INFINITY, 1.0, 1.0, -1.0), f64::INFINITY);
    }

    #[test]
    fn zeros_have_the_sign_of_the_side() {
        assert!(rounded_sum(1.0, -1.0, -1.0).is_sign_negative());
        assert!(!rounded_sum(1.0, -1.0, 0.0).is_sign_negative());
        assert!(rounded_sum(-0.0, -0.0, 1.0).is_sign_negative());
        assert!(rounded_fma(2.0, 3.0, -6.0, -1.0).is_sign_negative());
    }

    #[test]
    fn floats_are_rounded_once() {
        // The product is between two floats, and the last operand is lost in a double.
        let tie = 1.0 + 2f64.powi(-12);
        let (up, down) = (1.0 + 2f64.powi(-11) + 2f64.powi(-23), 1.0 + 2f64.powi(-11));
        assert_eq!(f64::from(odd_fma(tie, tie, 2f64.powi(-80)) as f32), up);
        assert_eq!(f64::from(odd_fma(tie, tie, -2f64.powi(-80)) as f32), down);
        assert_eq!(nearest_fma(0.1, 10.0, -1.0), 2f64.powi(-54));
    }
}
