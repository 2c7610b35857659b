//! Arithmetic in more than the precision of a number, and polynomials.
//!
//! Nothing here contracts a product with a sum: not every processor has such an instruction, and
//! the bits must be the same on all of them.

/// How exact a function must be. Numbers of either precision are computed in `f64`.
pub trait Precision: Copy + 'static {
    /// Whether results are `f64`, so that the rounding errors of `f64` must be kept small.
    const DOUBLE: bool;
}

/// For results of `f64`: about half a unit in its last place.
#[derive(Clone, Copy)]
pub struct Double;

/// For results that are rounded to `f32`: shorter polynomials, no correction of rounding errors.
#[derive(Clone, Copy)]
pub struct Single;

impl Precision for Double {
    const DOUBLE: bool = true;
}

impl Precision for Single {
    const DOUBLE: bool = false;
}

/// The polynomial `double` or `single`, by the precision, at `x`; lowest coefficient first.
#[inline(always)]
pub fn polynomial<P: Precision>(double: &[f64], single: &[f64], x: f64) -> f64 {
    let coefficients = if P::DOUBLE { double } else { single };
    let mut sum = coefficients[coefficients.len() - 1];
    let mut at = coefficients.len() - 1;
    while at > 0 {
        at -= 1;
        sum = mul_add(sum, x, coefficients[at]);
    }
    sum
}

/// `a` if the condition holds, else `b`: a choice without a branch.
#[inline(always)]
pub fn select(condition: bool, a: f64, b: f64) -> f64 {
    if condition { a } else { b }
}

/// Added and taken away, it rounds a number below 2^51 to an integer, ties to even; after adding
/// it, the lowest bits are the integer in two's complement.
const INTEGER_BITS: f64 = 6_755_399_441_055_744.0;

/// The nearest integer of a number below 2^51, and bits that end with it in two's complement.
#[inline(always)]
pub fn nearest(x: f64) -> (f64, u64) {
    let shifted = x + INTEGER_BITS;
    (shifted - INTEGER_BITS, shifted.to_bits())
}

/// 2 to the power of an integer from -1022 to 1023.
#[inline(always)]
pub fn power_of_two(exponent: f64) -> f64 {
    let bits = (exponent + INTEGER_BITS).to_bits();
    f64::from_bits(bits.wrapping_add(1023) << 52)
}

/// `x * 2^exponent` for exponents from -2044 to 2046, with one rounding if `x` is from 1/2 to 2.
#[inline(always)]
pub fn scale(x: f64, exponent: f64) -> f64 {
    let half = nearest(exponent * 0.5).0;
    x * power_of_two(half) * power_of_two(exponent - half)
}

/// A sum and its rounding error (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// A sum and its rounding error if `|a| >= |b|` or `a = 0` (T. J. Dekker, Numerische Mathematik 18,
/// 1971).
#[inline(always)]
pub fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a * b + c` with one rounding.
#[inline(always)]
pub fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// A product and its rounding error; for products that neither overflow nor are subnormal.
#[inline(always)]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, mul_add(a, b, -product))
}
