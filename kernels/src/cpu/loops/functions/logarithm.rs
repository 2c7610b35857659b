//! Logarithms.
//!
//! `x = 2^k (1 + f)` with `1 + f` between the roots of 1/2 and 2, and `log(1 + f) = f - f^2/2 +
//! s (f^2/2 + R(s^2))` with `s = f / (2 + f)` and a minimax polynomial `R` (P. T. P. Tang, ACM
//! Transactions on Mathematical Software 16, 1990; FreeBSD's msun for the order of the sums).

use super::arithmetic::{
    Double, Precision, fast_two_sum, mul_add, polynomial, select, two_product,
};
use super::exponential::{LN_2_HIGH, LN_2_LOW};
use std::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};

/// `R(z) / z`, of error 2^-58.5.
const LOG: [f64; 7] = [
    0.666_666_666_666_673_5,
    0.399_999_999_994_074_8,
    0.285_714_287_441_426_7,
    0.222_221_983_783_507_6,
    0.181_835_751_719_317_8,
    0.153_137_555_964_722_14,
    0.147_990_677_317_439_34,
];
/// The same, of error 2^-36.6.
const LOG_SINGLE: [f64; 4] = [
    0.666_666_656_371_100_2,
    0.400_003_372_522_763_4,
    0.285_371_678_598_950_4,
    0.235_849_898_363_162_59,
];

/// Every number of at least this magnitude is an integer.
pub const INTEGERS: f64 = 4_503_599_627_370_496.0;
/// Its bits, whose lowest hold the integer that is added.
pub const EXPONENT_OF_INTEGERS: u64 = 0x4330_0000_0000_0000;
/// The bits of the root of 1/2.
const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// `k` and `1 + f` of a positive normal number.
#[inline(always)]
fn exponent(x: f64) -> (f64, f64) {
    let bits = x.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - ROOT_OF_HALF);
    let k = f64::from_bits((bits >> 52) | EXPONENT_OF_INTEGERS) - (INTEGERS + 1023.0);
    (k, f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + ROOT_OF_HALF))
}

/// `k` and `1 + f` of a positive number.
#[inline(always)]
pub fn any_exponent<P: Precision>(x: f64) -> (f64, f64) {
    if P::DOUBLE {
        let subnormal = x < f64::MIN_POSITIVE;
        let (k, m) = exponent(select(subnormal, x * 18_014_398_509_481_984.0, x));
        (k - select(subnormal, 54.0, 0.0), m)
    } else {
        exponent(x)
    }
}

/// `f^2/2` and `s (f^2/2 + R)`.
#[inline(always)]
fn terms<P: Precision>(f: f64) -> (f64, f64) {
    let s = f / (2.0 + f);
    let z = s * s;
    let half = 0.5 * f * f;
    (half, s * mul_add(z, polynomial::<P>(&LOG, &LOG_SINGLE, z), half))
}

/// The value at zero, infinity, and beyond the domain.
#[inline(always)]
fn edges(x: f64, value: f64) -> f64 {
    let value = select(x > 0.0, value, f64::NAN);
    let value = select(x == 0.0, f64::NEG_INFINITY, value);
    select(x < f64::INFINITY, value, x)
}

#[inline(always)]
pub fn log<P: Precision>(x: f64) -> f64 {
    let (k, m) = any_exponent::<P>(x);
    let f = m - 1.0;
    let (half, t) = terms::<P>(f);
    let value = if P::DOUBLE {
        mul_add(k, LN_2_HIGH, f - (half - mul_add(k, LN_2_LOW, t)))
    } else {
        mul_add(k, LN_2, f - (half - t))
    };
    edges(x, value)
}

/// The upper 21 bits of the factors of other bases, and the rest.
const LOG2_E_HIGH: f64 = f64::from_bits(0x3ff7_1547_0000_0000);
const LOG2_E_LOW: f64 = 3.768_874_985_636_099e-7;
const LOG10_E_HIGH: f64 = f64::from_bits(0x3fdb_cb7b_0000_0000);
const LOG10_E_LOW: f64 = 1.969_927_233_546_362_7e-8;
const LOG10_2_HIGH: f64 = f64::from_bits(0x3fd3_4413_509f_8000);
const LOG10_2_LOW: f64 = -8.532_344_317_057_107e-14;

/// `log(1 + f)` as a number of 21 bits and the rest.
#[inline(always)]
fn high_low<P: Precision>(f: f64) -> (f64, f64) {
    let (half, t) = terms::<P>(f);
    let high = f64::from_bits((f - half).to_bits() & 0xffff_ffff_0000_0000);
    (high, ((f - high) - half) + t)
}

#[inline(always)]
pub fn log2<P: Precision>(x: f64) -> f64 {
    let (k, m) = any_exponent::<P>(x);
    let f = m - 1.0;
    let value = if P::DOUBLE {
        let (high, low) = high_low::<P>(f);
        let large = high * LOG2_E_HIGH;
        let small = (low + high) * LOG2_E_LOW + low * LOG2_E_HIGH;
        let sum = k + large;
        sum + (small + ((k - sum) + large))
    } else {
        let (half, t) = terms::<P>(f);
        k + (f - (half - t)) * LOG2_E
    };
    edges(x, value)
}

#[inline(always)]
pub fn log10<P: Precision>(x: f64) -> f64 {
    let (k, m) = any_exponent::<P>(x);
    let f = m - 1.0;
    let value = if P::DOUBLE {
        let (high, low) = high_low::<P>(f);
        let large = high * LOG10_E_HIGH;
        let y = k * LOG10_2_HIGH;
        let small = k * LOG10_2_LOW + (low + high) * LOG10_E_LOW + low * LOG10_E_HIGH;
        let sum = y + large;
        sum + (small + ((y - sum) + large))
    } else {
        let (half, t) = terms::<P>(f);
        k * LOG10_2 + (f - (half - t)) * LOG10_E
    };
    edges(x, value)
}

#[inline(always)]
pub fn log1p<P: Precision>(x: f64) -> f64 {
    let value = log1p_of_sum::<P>(x, 0.0, 0.0);
    select(x == 0.0, x, value)
}

/// `log(1 + x + rest) + extra * log(2)` for a small rest.
#[inline(always)]
pub fn log1p_of_sum<P: Precision>(x: f64, rest: f64, extra: f64) -> f64 {
    let u = 1.0 + x;
    let near = x > -0.292_893_218_813_452_4 && x < 0.414_213_562_373_095_1;
    let (k, m) = exponent(u);
    let k = select(near, 0.0, k) + extra;
    let f = select(near, x, m - 1.0);
    let (half, t) = terms::<P>(f);
    let value = if P::DOUBLE {
        // The rounding error of the sum, relative to it.
        let lost = select(u >= 2.0, 1.0 - (u - x), x - (u - 1.0));
        let lost = (select(near || u > 1e17, 0.0, lost) + rest) / u;
        mul_add(k, LN_2_HIGH, f - (half - (t + mul_add(k, LN_2_LOW, lost))))
    } else {
        mul_add(k, LN_2, f - (half - t))
    };
    edges(u, value)
}

/// `log(x + rest)` of a positive normal number and a small rest; precise near 1, too.
#[inline(always)]
pub fn log_of_sum(x: f64, rest: f64) -> f64 {
    let (k, m) = exponent(x);
    let f = m - 1.0;
    let (half, t) = terms::<Double>(f);
    let low = t + mul_add(k, LN_2_LOW, rest / x);
    mul_add(k, LN_2_HIGH, f - (half - low))
}

/// `(log(1 + f) - 2 s - 2/3 s^3) / s^5` by powers of `s^2`.
const LOG_TAIL: [f64; 7] = [
    0.400_000_000_000_022_9,
    0.285_714_285_700_837,
    0.222_222_225_228_856_65,
    0.181_817_840_974_347_3,
    0.153_867_701_997_179_33,
    0.132_565_084_562_025_84,
    0.131_992_827_769_315_8,
];
/// The rounding errors of the constants of `f64`.
const TWO_THIRDS_REST: f64 = 3.700_743_415_417_188e-17;
const LOG2_E_REST: f64 = 2.035_527_374_093_103_3e-17;

/// The logarithm of `m` from the root of 1/2 to that of 2 to the base 2, as a sum.
#[inline(always)]
pub fn log2_of_mantissa<P: Precision>(m: f64) -> (f64, f64) {
    let f = m - 1.0;
    if !P::DOUBLE {
        let (half, t) = terms::<P>(f);
        return ((f - (half - t)) * LOG2_E, 0.0);
    }
    let under = 2.0 + f;
    let under_rest = f - (under - 2.0);
    let s = f / under;
    let s_rest = (mul_add(-s, under, f) - s * under_rest) / under;
    let (z, z_rest) = two_product(s, s);
    let z_rest = mul_add(2.0 * s, s_rest, z_rest);
    // s^3 * 2/3 in twice the precision.
    let (cube, cube_rest) = two_product(z, s);
    let cube_rest = mul_add(z, s_rest, mul_add(z_rest, s, cube_rest));
    let (third, third_rest) = two_product(cube, 2.0 / 3.0);
    let third_rest = mul_add(cube, TWO_THIRDS_REST, mul_add(cube_rest, 2.0 / 3.0, third_rest));
    let tail = cube * z * polynomial::<P>(&LOG_TAIL, &LOG_TAIL, z);
    let (sum, lost) = fast_two_sum(2.0 * s, third);
    let rest = lost + (mul_add(2.0, s_rest, third_rest) + tail);
    let (sum, rest) = fast_two_sum(sum, rest);
    let (high, low) = two_product(sum, LOG2_E);
    fast_two_sum(high, mul_add(sum, LOG2_E_REST, mul_add(rest, LOG2_E, low)))
}
