//! Exponential functions.
//!
//! `x = k ln 2 + r` with an integer `k` and `|r| <= ln(2) / 2`; `e^r - 1` is a minimax polynomial
//! (W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980, chapter 6), and the
//! result is scaled by `2^k`.

use super::arithmetic::{
    Precision, fast_two_sum, mul_add, nearest, polynomial, power_of_two, scale, select,
    two_product, two_sum,
};
use std::f64::consts::{LN_2, LOG2_E};

/// The upper 32 bits of `ln 2`, whose product with an exponent is exact.
pub const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_ff00_0000);
/// The rest.
pub const LN_2_LOW: f64 = -4.200_915_072_681_084_6e-11;
/// The rounding error of the constant of `f64`.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;

/// `(e^r - 1 - r) / r^2`, of error 2^-64 of the sum; the first seven terms are of error 2^-38.
const EXP: [f64; 11] = [
    0.5,
    0.166_666_666_666_666_85,
    0.041_666_666_666_666_73,
    0.008_333_333_333_316_737,
    0.001_388_888_888_885_854_7,
    0.000_198_412_698_970_605_05,
    2.480_158_737_354_542_7e-5,
    2.755_723_423_539_403e-6,
    2.755_723_351_830_477_6e-7,
    2.511_224_028_420_078e-8,
    2.092_689_644_607_633e-9,
];
/// `(2^r - 1 - r ln 2) / r^2` for `|r| <= 1/2`.
const EXP2: [f64; 11] = [
    0.240_226_506_959_100_72,
    0.055_504_108_664_821_64,
    0.009_618_129_107_628_49,
    0.001_333_355_814_640_187,
    0.000_154_035_303_933_479_33,
    1.525_273_384_697_398_3e-5,
    1.321_548_682_851_010_6e-6,
    1.017_805_480_678_447_3e-7,
    7.054_889_670_623_296_5e-9,
    4.456_210_913_640_556_3e-10,
    2.574_011_993_440_616_5e-11,
];

/// `e^x` as `k` and `(r, q)`: `e^x = 2^k (1 + r + q)`, with `q` small beside `1 + r`.
#[inline(always)]
pub fn parts<P: Precision>(x: f64) -> (f64, f64, f64) {
    let k = nearest(x * LOG2_E).0;
    if P::DOUBLE {
        let high = mul_add(-k, LN_2_HIGH, x);
        let r = mul_add(-k, LN_2_LOW, high);
        let rest = mul_add(-k, LN_2_LOW, high - r);
        (k, r, mul_add(r * r, polynomial::<P>(&EXP, &EXP[..7], r), rest))
    } else {
        let r = mul_add(-k, LN_2, x);
        (k, r, r * r * polynomial::<P>(&EXP, &EXP[..7], r))
    }
}

/// `1 + r + q`, with one rounding for `f64`.
#[inline(always)]
fn sum<P: Precision>(r: f64, q: f64) -> f64 {
    if P::DOUBLE {
        let (sum, rest) = fast_two_sum(1.0, r);
        sum + (rest + q)
    } else {
        1.0 + (r + q)
    }
}

/// `x` moved into the interval; NaN stays.
#[inline(always)]
fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = select(x > high, high, x);
    select(x < low, low, x)
}

#[inline(always)]
pub fn exp<P: Precision>(x: f64) -> f64 {
    let x = clamp(x, -750.0, 710.0);
    let (k, r, q) = parts::<P>(x);
    scale(sum::<P>(r, q), k)
}

#[inline(always)]
pub fn exp2<P: Precision>(x: f64) -> f64 {
    exp2_of_sum::<P>(clamp(x, -1080.0, 1024.0), 0.0)
}

/// `2^(x + rest)` for `x` from -1100 to 1100 and a small rest.
#[inline(always)]
pub fn exp2_of_sum<P: Precision>(x: f64, rest: f64) -> f64 {
    let k = nearest(x).0;
    let r = x - k;
    let q = r * r * polynomial::<P>(&EXP2, &EXP2[..7], r);
    let value = if P::DOUBLE {
        let (high, low) = two_product(r, LN_2);
        let (sum, lost) = fast_two_sum(1.0, high);
        // The derivative times the rest.
        let turned = mul_add(sum + q, rest * LN_2, low);
        sum + (lost + (q + mul_add(r, LN_2_REST, turned)))
    } else {
        1.0 + mul_add(r, LN_2, q)
    };
    scale(value, k)
}

/// `1 - 2^-k`.
#[inline(always)]
fn less_one(k: f64) -> f64 {
    1.0 - power_of_two(select(k > 1022.0, -1022.0, -k))
}

/// `e^x - 1` as a sum, for `x` from -60 to 1000.
#[inline(always)]
pub fn expm1_parts<P: Precision>(x: f64) -> (f64, f64) {
    let (k, r, q) = parts::<P>(x);
    let (sum, low) = two_sum(less_one(k), r);
    let (sum, low) = fast_two_sum(sum, low + q);
    (scale(sum, k), scale(low, k))
}

#[inline(always)]
pub fn expm1<P: Precision>(x: f64) -> f64 {
    let (k, r, q) = parts::<P>(clamp(x, -60.0, 710.0));
    let (sum, low) = two_sum(less_one(k), r);
    select(x == 0.0, x, scale(sum + (low + q), k))
}
