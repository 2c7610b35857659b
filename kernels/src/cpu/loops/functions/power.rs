//! Roots and powers.

use super::arithmetic::{
    Precision, fast_two_sum, mul_add, nearest, polynomial, power_of_two, select, two_product,
    two_sum,
};
use super::exponential::exp2_of_sum;
use super::logarithm::{EXPONENT_OF_INTEGERS, INTEGERS, any_exponent, log2_of_mantissa};

/// The cube root of `m` from 1 to 2, of error 2^-19.6.
const CBRT: [f64; 6] = [
    0.473_330_678_451_038_7,
    0.838_160_035_635_841_2,
    -0.469_228_722_553_949_4,
    0.202_777_231_492_250_58,
    -0.050_386_539_712_355_294,
    0.005_348_547_648_816_057,
];

/// Cube root: a polynomial, a step of Halley's method and one of Newton's with an exact residue.
#[inline(always)]
pub fn cbrt<P: Precision>(x: f64) -> f64 {
    let a = x.abs();
    let subnormal = P::DOUBLE && a < f64::MIN_POSITIVE;
    let scaled = select(subnormal, a * 18_014_398_509_481_984.0, a);
    let bits = scaled.to_bits();
    let exponent = f64::from_bits((bits >> 52) | EXPONENT_OF_INTEGERS) - (INTEGERS + 1023.0);
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    let third = nearest((exponent - 1.0) * (1.0 / 3.0)).0;
    let rest = mul_add(-3.0, third, exponent);
    let by_rest = |none, one, two| select(rest == 2.0, two, select(rest == 1.0, one, none));
    let root = by_rest(1.0, 1.259_921_049_894_873_2, 1.587_401_051_968_199_6);
    let y = root * polynomial::<P>(&CBRT, &CBRT, m);
    let m = m * by_rest(1.0, 2.0, 4.0);
    let cube = y * y * y;
    let y = mul_add(y, (m - cube) / mul_add(2.0, cube, m), y);
    let y = if P::DOUBLE {
        let (square, square_rest) = two_product(y, y);
        let (cube, cube_rest) = two_product(square, y);
        let residue = (m - cube) - mul_add(square_rest, y, cube_rest);
        y + residue / (3.0 * square)
    } else {
        y
    };
    let value = y * power_of_two(third - select(subnormal, 18.0, 0.0));
    let value = value.copysign(x);
    select(a > 0.0 && a < f64::INFINITY, value, x)
}

/// The length of `(x, y)`, whose square root is corrected by the residue.
#[inline(always)]
pub fn hypot<P: Precision>(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (a, b) = (select(x > y, x, y), select(x > y, y, x));
    let value = if P::DOUBLE {
        let large = a > 1e150;
        let small = a < 1e-140;
        let factor = select(large, power_of_two(-600.0), select(small, power_of_two(600.0), 1.0));
        let back = select(large, power_of_two(600.0), select(small, power_of_two(-600.0), 1.0));
        let (a, b) = (a * factor, b * factor);
        let ((a2, a2_rest), (b2, b2_rest)) = (two_product(a, a), two_product(b, b));
        let root = (a2 + b2).sqrt();
        let (root2, root2_rest) = two_product(root, root);
        let residue = ((a2 - root2) + b2) + ((a2_rest - root2_rest) + b2_rest);
        let corrected = root + residue / (root + root);
        select(root > 0.0, corrected, root) * back
    } else {
        mul_add(a, a, b * b).sqrt()
    };
    let value = select(x.is_nan() || y.is_nan(), x + y, value);
    select(x == f64::INFINITY || y == f64::INFINITY, f64::INFINITY, value)
}

/// `2^(y log2 x)`, with the logarithm in twice the precision.
#[inline(always)]
pub fn pow<P: Precision>(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let (k, m) = any_exponent::<P>(a);
    let (high, low) = log2_of_mantissa::<P>(m);
    let value = if P::DOUBLE {
        let (sum, lost) = two_sum(k, high);
        let (sum, lost) = fast_two_sum(sum, lost + low);
        let (product, rest) = two_product(y, sum);
        let large = product.abs() > 1100.0;
        let rest = select(large, 0.0, mul_add(y, lost, rest));
        exp2_of_sum::<P>(bound(product), rest)
    } else {
        exp2_of_sum::<P>(bound(y * (k + high)), 0.0)
    };
    let whole = is_integer(y);
    let odd = whole && !is_integer(y * 0.5);
    // A base of zero or infinity.
    let inverse = (a == 0.0) == (y > 0.0);
    let edge = select(inverse, 0.0, f64::INFINITY);
    let value = select(a == 0.0 || a == f64::INFINITY, edge, value);
    let value = select(x.is_sign_negative() && odd, -value, value);
    let value = select(x < 0.0 && a < f64::INFINITY && !whole, f64::NAN, value);
    let value = select(a == 1.0 && (y.abs() == f64::INFINITY), 1.0, value);
    let value = select(x.is_nan() || y.is_nan(), x + y, value);
    select(x == 1.0 || y == 0.0, 1.0, value)
}

/// `x` moved to -1100 to 1100, beyond which the power is zero or infinity.
#[inline(always)]
fn bound(x: f64) -> f64 {
    let x = select(x > 1100.0, 1100.0, x);
    select(x < -1100.0, -1100.0, x)
}

/// Whether a number is an integer; infinity is one.
#[inline(always)]
fn is_integer(x: f64) -> bool {
    let a = x.abs();
    a >= INTEGERS || (a + INTEGERS) - INTEGERS == a
}
