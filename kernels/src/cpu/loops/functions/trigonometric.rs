//! Sine, cosine and tangent.
//!
//! `x = n pi/2 + r` with `|r| <= pi/4`; `pi/2` is a sum of three numbers (W. J. Cody, W. Waite,
//! Software Manual for the Elementary Functions, 1980, chapter 8), and `r` is a sum of two. The
//! values at `r` are minimax polynomials.

use super::arithmetic::{
    Precision, fast_two_sum, mul_add, nearest, polynomial, select, two_product, two_sum,
};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// From this magnitude on, `n` has too many bits, and the caller uses a function of one number that
/// multiplies by more bits of `2/pi` (M. H. Payne, R. N. Hanek, SIGNUM Newsletter 18, 1983).
pub const LARGE: f64 = 1_000_000_000.0;

/// `pi/2` as a sum.
const HALF_PI: [f64; 3] = [FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
/// `(sin r - r) / r^3` by powers of `r^2`.
const SIN: [f64; 6] = [
    -0.166_666_666_666_666_3,
    0.008_333_333_333_322_108,
    -0.000_198_412_698_295_801_63,
    2.755_731_361_801_629e-6,
    -2.505_074_721_805_274_3e-8,
    1.589_619_762_853_998_4e-10,
];
/// The same, of error 2^-37.5.
const SIN_SINGLE: [f64; 4] = [
    -0.166_666_666_407_761_3,
    0.008_333_329_302_393_95,
    -0.000_198_393_114_779_906_74,
    2.718_114_052_659_223e-6,
];
/// `(cos r - 1 + r^2/2) / r^4` by powers of `r^2`.
const COS: [f64; 6] = [
    0.041_666_666_666_666_6,
    -0.001_388_888_888_887_412_5,
    2.480_158_728_948_22e-5,
    -2.755_731_435_233_61e-7,
    2.087_572_327_350_662_4e-9,
    -1.135_964_781_019_034e-11,
];

/// `n`, as bits that end with it, and `r` as a sum.
#[inline(always)]
fn reduce<P: Precision>(x: f64) -> (u64, f64, f64) {
    let (n, bits) = nearest(x * FRAC_2_PI);
    // Exact: a multiple of the last place of pi/2, and below 1.
    let r = mul_add(-n, HALF_PI[0], x);
    if P::DOUBLE {
        let (high, low) = two_product(n, HALF_PI[1]);
        let (r, rest) = two_sum(r, -high);
        let low = mul_add(-n, HALF_PI[2], rest - low);
        let (r, low) = fast_two_sum(r, low);
        (bits, r, low)
    } else {
        (bits, mul_add(-n, HALF_PI[1], r), 0.0)
    }
}

/// `sin(r + low)` as a sum of two numbers.
#[inline(always)]
fn sin_near<P: Precision>(r: f64, low: f64) -> (f64, f64) {
    let z = r * r;
    let cube = z * r;
    if P::DOUBLE {
        let rest = polynomial::<P>(&SIN[1..], &SIN, z);
        (r, mul_add(cube, SIN[0], mul_add(z, mul_add(cube, rest, -0.5 * low), low)))
    } else {
        (r, cube * polynomial::<P>(&SIN, &SIN_SINGLE, z))
    }
}

/// `cos(r + low)` as a sum of two numbers.
#[inline(always)]
fn cos_near<P: Precision>(r: f64, low: f64) -> (f64, f64) {
    let z = r * r;
    let half = 0.5 * z;
    let rest = z * (z * polynomial::<P>(&COS, &COS[..4], z));
    if P::DOUBLE {
        let (sum, lost) = fast_two_sum(1.0, -half);
        (sum, lost + mul_add(-r, low, rest))
    } else {
        (1.0 - half, rest)
    }
}

/// The sine of `n pi/2 + r + low`, for bits that end with `n`.
#[inline(always)]
fn quarter<P: Precision>(bits: u64, r: f64, low: f64) -> f64 {
    let (sin, cos) = (sin_near::<P>(r, low), cos_near::<P>(r, low));
    let value = select(bits & 1 == 0, sin.0 + sin.1, cos.0 + cos.1);
    f64::from_bits(value.to_bits() ^ (bits & 2) << 62)
}

#[inline(always)]
pub fn sin<P: Precision>(x: f64) -> f64 {
    let (bits, r, low) = reduce::<P>(x);
    select(x == 0.0, x, quarter::<P>(bits, r, low))
}

#[inline(always)]
pub fn cos<P: Precision>(x: f64) -> f64 {
    let (bits, r, low) = reduce::<P>(x);
    quarter::<P>(bits.wrapping_add(1), r, low)
}

/// Sine and cosine.
#[inline(always)]
pub fn sin_cos<P: Precision>(x: f64) -> (f64, f64) {
    let (bits, r, low) = reduce::<P>(x);
    let (sin, cos) = (sin_near::<P>(r, low), cos_near::<P>(r, low));
    let (sin, cos) = (sin.0 + sin.1, cos.0 + cos.1);
    let odd = bits & 1 == 1;
    let signed = |value: f64, bits: u64| f64::from_bits(value.to_bits() ^ (bits & 2) << 62);
    let (sin, cos) =
        (signed(select(odd, cos, sin), bits), signed(select(odd, sin, cos), bits.wrapping_add(1)));
    (select(x == 0.0, x, sin), cos)
}

#[inline(always)]
pub fn tan<P: Precision>(x: f64) -> f64 {
    let (bits, r, low) = reduce::<P>(x);
    let (sin, cos) = (sin_near::<P>(r, low), cos_near::<P>(r, low));
    let value = if P::DOUBLE {
        let (sin, cos) = (fast_two_sum(sin.0, sin.1), fast_two_sum(cos.0, cos.1));
        let odd = bits & 1 == 1;
        let over = (select(odd, -cos.0, sin.0), select(odd, -cos.1, sin.1));
        let under = (select(odd, sin.0, cos.0), select(odd, sin.1, cos.1));
        quotient(over, under)
    } else {
        let (sin, cos) = (sin.0 + sin.1, cos.0 + cos.1);
        let odd = bits & 1 == 1;
        select(odd, -cos, sin) / select(odd, sin, cos)
    };
    select(x == 0.0, x, value)
}

/// The quotient of two sums.
#[inline(always)]
fn quotient(over: (f64, f64), under: (f64, f64)) -> f64 {
    let value = over.0 / under.0;
    let rest = mul_add(-value, under.0, over.0) + mul_add(-value, under.1, over.1);
    value + rest / under.0
}
