//! Inverse trigonometric functions.
//!
//! Arctangent: a quotient near one of four tangents is turned by its angle (W. J. Cody, W. Waite,
//! chapter 11; FreeBSD's msun for the tangents). Arcsine: the half-angle formula beyond 1/2. What
//! remains are minimax polynomials.

use super::arithmetic::{Precision, mul_add, polynomial, power_of_two, select, two_sum};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// `(arctan t - t) / t^3` by powers of `t^2`, for `|t| <= 7/16`.
const ATAN: [f64; 11] = [
    -0.333_333_333_333_329_2,
    0.199_999_999_998_731_53,
    -0.142_857_142_722_121_63,
    0.111_111_103_927_597_83,
    -0.090_908_868_140_580_29,
    0.076_918_712_291_646_32,
    -0.066_610_235_293_763_3,
    0.058_332_531_658_755_42,
    -0.049_756_224_781_971_86,
    0.036_503_502_381_560_54,
    -0.016_258_743_854_667_683,
];
/// The same, of error 2^-34.
const ATAN_SINGLE: [f64; 6] = [
    -0.333_333_318_099_907_4,
    0.199_998_424_956_265_55,
    -0.142_802_574_730_612_84,
    0.110_231_762_244_366_62,
    -0.083_573_224_226_394_83,
    0.045_012_387_564_787_07,
];
/// The rounding errors of the constants of `f64`.
const HALF_PI_REST: f64 = 6.123_233_995_736_766e-17;
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;
/// Angles, their rests, and those of their supplements: arctangents of 0, 1/2, 1, 3/2, infinity.
const ANGLES: [[f64; 4]; 5] = [
    [0.0, 0.0, PI, PI_REST],
    [
        0.463_647_609_000_806_1,
        2.269_877_745_296_168_7e-17,
        2.677_945_044_588_987,
        1.552_770_536_930_314_7e-16,
    ],
    [FRAC_PI_4, 3.061_616_997_868_383e-17, 2.356_194_490_192_345, 9.184_850_993_605_148e-17],
    [
        0.982_793_723_247_329,
        1.390_331_103_123_099_8e-17,
        2.158_798_930_342_464,
        2.195_836_713_460_199_7e-16,
    ],
    [FRAC_PI_2, HALF_PI_REST, FRAC_PI_2, HALF_PI_REST],
];

/// The first value if no condition holds, else that of the last condition that holds.
#[inline(always)]
fn choose(at: (bool, bool, bool, bool), a: f64, b: f64, c: f64, d: f64, e: f64) -> f64 {
    let value = select(at.0, b, a);
    let value = select(at.1, c, value);
    let value = select(at.2, d, value);
    select(at.3, e, value)
}

/// The angle of the point with the positive coordinates `(x, y)`, or of `(-x, y)`.
#[inline(always)]
fn angle<P: Precision>(y: f64, x: f64, mirrored: bool) -> f64 {
    let (one, two) = (y >= 0.4375 * x, y >= 0.6875 * x);
    let (three, four) = (y >= 1.1875 * x, y >= 2.4375 * x);
    let at = (one, two, three, four);
    let over = choose(at, y, mul_add(2.0, y, -x), y - x, mul_add(-1.5, x, y), -x);
    let under = choose(at, x, mul_add(2.0, x, y), x + y, mul_add(1.5, y, x), y);
    let [a, b, c, d, e] = ANGLES;
    let base = choose(at, a[0], b[0], c[0], d[0], e[0]);
    let base = select(mirrored, choose(at, a[2], b[2], c[2], d[2], e[2]), base);
    let base_rest = choose(at, a[1], b[1], c[1], d[1], e[1]);
    let base_rest = select(mirrored, choose(at, a[3], b[3], c[3], d[3], e[3]), base_rest);
    let t = over / under;
    let z = t * t;
    let rest = t * z * polynomial::<P>(&ATAN, &ATAN_SINGLE, z);
    let sign = select(mirrored, -1.0, 1.0);
    if P::DOUBLE {
        // The rounding error of the quotient.
        let lost = select(under < f64::INFINITY, mul_add(-t, under, over) / under, 0.0);
        let (sum, lower) = two_sum(base, t * sign);
        sum + (lower + mul_add(rest + lost, sign, base_rest))
    } else {
        base + (t + rest) * sign
    }
}

#[inline(always)]
pub fn atan<P: Precision>(x: f64) -> f64 {
    let value = angle::<P>(x.abs(), 1.0, false).copysign(x);
    select(x == 0.0, x, value)
}

#[inline(always)]
pub fn atan2<P: Precision>(y: f64, x: f64) -> f64 {
    let (mut a, mut b) = (y.abs(), x.abs());
    if P::DOUBLE {
        // So that sums neither overflow nor lose bits of subnormal numbers.
        let largest = select(a > b, a, b);
        let factor =
            select(largest > 1e300, 0.0625, select(largest < 1e-280, power_of_two(830.0), 1.0));
        (a, b) = (a * factor, b * factor);
    }
    let infinite = a == f64::INFINITY && b == f64::INFINITY;
    let zero = a == 0.0;
    let a = select(infinite, 1.0, a);
    let b = select(infinite || zero, 1.0, b);
    let value = angle::<P>(a, b, x.is_sign_negative());
    select(x.is_nan() || y.is_nan(), x + y, value.copysign(y))
}

/// `(arcsin x - x) / x^3` by powers of `x^2`, for `|x| <= 1/2`.
const ASIN: [f64; 12] = [
    0.166_666_666_666_654_08,
    0.075_000_000_003_370_08,
    0.044_642_856_828_332_79,
    0.030_381_959_136_790_884,
    0.022_371_758_054_620_067,
    0.017_359_704_699_001_995,
    0.013_885_236_128_051_034,
    0.012_169_207_071_692_027,
    0.006_527_995_924_650_643,
    0.019_528_206_799_967_335,
    -0.016_224_159_136_885_335,
    0.031_912_204_774_985_97,
];
/// The same, of error 2^-32.
const ASIN_SINGLE: [f64; 6] = [
    0.166_666_599_912_815_27,
    0.075_005_041_860_429_26,
    0.044_516_954_727_996_35,
    0.031_807_722_945_034_65,
    0.014_438_586_065_629_548,
    0.037_516_477_954_542_73,
];

/// Whether `|x| < 1/2`, and `arcsin` of `|x|`, or else of `sqrt((1 - |x|) / 2)`, as a sum.
#[inline(always)]
fn asin_parts<P: Precision>(x: f64) -> (bool, f64, f64) {
    let a = x.abs();
    let small = a < 0.5;
    let z = select(small, a * a, mul_add(-0.5, a, 0.5));
    let s = select(small, a, z.sqrt());
    let rest = s * z * polynomial::<P>(&ASIN, &ASIN_SINGLE, z);
    if P::DOUBLE {
        let lost = mul_add(-s, s, z) / (s + s);
        (small, s, rest + select(small || s == 0.0, 0.0, lost))
    } else {
        (small, s, rest)
    }
}

#[inline(always)]
pub fn asin<P: Precision>(x: f64) -> f64 {
    let (small, s, rest) = asin_parts::<P>(x);
    let (sum, lost) = two_sum(FRAC_PI_2, -2.0 * s);
    let large = sum + (lost + mul_add(-2.0, rest, HALF_PI_REST));
    let value = select(small, s + rest, large).copysign(x);
    select(x.abs() <= 1.0, value, f64::NAN)
}

#[inline(always)]
pub fn acos<P: Precision>(x: f64) -> f64 {
    let (small, s, rest) = asin_parts::<P>(x);
    let negative = x < 0.0;
    let base = select(small, FRAC_PI_2, select(negative, PI, 0.0));
    let base_rest = select(small, HALF_PI_REST, select(negative, PI_REST, 0.0));
    // small: pi/2 - arcsin x; else 2 arcsin(..), or pi less it.
    let factor = select(small, select(negative, 1.0, -1.0), select(negative, -2.0, 2.0));
    let (sum, lost) = two_sum(base, factor * s);
    let value = sum + (lost + mul_add(factor, rest, base_rest));
    select(x.abs() <= 1.0, value, f64::NAN)
}
