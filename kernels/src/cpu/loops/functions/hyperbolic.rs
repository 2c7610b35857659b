//! Hyperbolic functions and their inverses, from exponentials and logarithms kept as sums.

use super::arithmetic::{
    Precision, fast_two_sum, mul_add, polynomial, scale, select, two_product, two_sum,
};
use super::exponential::{expm1_parts, parts};
use super::logarithm::log1p_of_sum;

/// `(sinh x - x) / x^3` by powers of `x^2`, for `|x| <= 1`.
const SINH: [f64; 7] = [
    0.166_666_666_666_666_69,
    0.008_333_333_333_333_148,
    0.000_198_412_698_414_318_73,
    2.755_731_915_707_151_8e-6,
    2.505_212_313_677_413_7e-8,
    1.605_725_976_521_278_8e-10,
    7.758_748_894_709_956e-13,
];
/// The same, of error 2^-34.
const SINH_SINGLE: [f64; 4] = [
    0.166_666_664_975_606_34,
    0.008_333_350_058_230_063,
    0.000_198_361_597_654_775_4,
    2.816_951_297_274_939_4e-6,
];

/// `e^a / 2` as a sum, and `e^-a / 2`, for `a >= 0`.
#[inline(always)]
fn halves_of_exp<P: Precision>(a: f64) -> (f64, f64, f64) {
    let a = select(a > 711.0, 711.0, a);
    let (k, r, q) = parts::<P>(a);
    let (sum, rest) = fast_two_sum(1.0, r);
    let rest = rest + q;
    let inverse = 1.0 / (sum + rest);
    (scale(sum, k - 1.0), scale(rest, k - 1.0), scale(inverse, -k - 1.0))
}

#[inline(always)]
pub fn sinh<P: Precision>(x: f64) -> f64 {
    let a = x.abs();
    let (high, low, inverse) = halves_of_exp::<P>(a);
    let (sum, lost) = fast_two_sum(high, -inverse);
    let large = select(high == f64::INFINITY, high, sum + (lost + low));
    let z = a * a;
    let small = mul_add(a * z, polynomial::<P>(&SINH, &SINH_SINGLE, z), a);
    select(a < 1.0, small, large).copysign(x)
}

#[inline(always)]
pub fn cosh<P: Precision>(x: f64) -> f64 {
    let (high, low, inverse) = halves_of_exp::<P>(x.abs());
    let (sum, lost) = fast_two_sum(high, inverse);
    select(high == f64::INFINITY, high, sum + (lost + low))
}

#[inline(always)]
pub fn tanh<P: Precision>(x: f64) -> f64 {
    let a = x.abs();
    let doubled = select(a > 20.0, 40.0, a + a);
    let (high, low) = expm1_parts::<P>(doubled);
    let (under, lost) = two_sum(high, 2.0);
    let value = high / under;
    let value = if P::DOUBLE {
        let rest = mul_add(-value, under, high) + mul_add(-value, lost + low, low);
        value + rest / under
    } else {
        (high + low) / (under + low)
    };
    select(a < 1e-20, a, value).copysign(x)
}

/// Beyond it, `sqrt(a^2 + 1)` is `a`.
const LARGE: f64 = 268_435_456.0;

#[inline(always)]
pub fn asinh<P: Precision>(x: f64) -> f64 {
    let a = x.abs();
    let large = a > LARGE;
    let b = select(large, 0.0, a);
    let root = mul_add(b, b, 1.0).sqrt();
    let (sum, low) = two_sum(a, b * b / (1.0 + root));
    // log(2 a), as log(1 + (a - 1)) + log(2).
    let low = select(large, -1.0, low);
    let value = log1p_of_sum::<P>(sum, low, select(large, 1.0, 0.0)).copysign(x);
    select(x == 0.0, x, value)
}

#[inline(always)]
pub fn acosh<P: Precision>(x: f64) -> f64 {
    let large = x > LARGE;
    let t = select(large, 0.0, x - 1.0);
    // The root of t^2 + 2 t, and what it lost.
    let (square, square_rest) = two_product(t, t);
    let (inside, inside_rest) = two_sum(t + t, square);
    let root = inside.sqrt();
    let lost = (mul_add(-root, root, inside) + (inside_rest + square_rest)) / (root + root);
    let lost = select(root > 0.0, lost, 0.0);
    let (sum, low) = two_sum(select(large, x, t), root);
    let low = select(large, -1.0, low + lost);
    let value = log1p_of_sum::<P>(sum, low, select(large, 1.0, 0.0));
    select(x < 1.0, f64::NAN, value)
}

#[inline(always)]
pub fn atanh<P: Precision>(x: f64) -> f64 {
    let a = x.abs();
    let (under, lost) = two_sum(1.0, -a);
    let over = a + a;
    let value = over / under;
    let rest = (mul_add(-value, under, over) - value * lost) / under;
    let rest = select(a == 1.0, 0.0, rest);
    let value = (0.5 * log1p_of_sum::<P>(value, rest, 0.0)).copysign(x);
    select(x == 0.0, x, value)
}
