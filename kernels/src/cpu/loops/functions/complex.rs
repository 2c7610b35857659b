//! Functions of usual complex numbers, without branches.
//!
//! Each function takes the two parts of a number, and gives those of the result and whether the
//! number is a usual one: neither part is so large or small that a step of the method overflows,
//! loses bits or meets a special value. The caller computes the others one by one.
//!
//! All is computed in `f64`. Hyperbolic tangents follow W. Kahan, "Branch cuts for complex
//! elementary functions" (1987), arcsine and arccosine Hull, Fairgrieve and Tang, "Implementing the
//! complex arcsine and arccosine functions using exception handling" (1997). Logarithms are those
//! of the square of the modulus in twice the precision, so that one near 1 has an absolute error of
//! about 1e-32.

use super::arithmetic::{Double, mul_add, select, two_product, two_sum};
use super::exponential::{exp as real_exp, exp2 as real_exp2, expm1 as real_expm1};
use super::hyperbolic::{cosh as real_cosh, sinh as real_sinh};
use super::inverse::{acos, asin, atan2};
use super::logarithm::{log_of_sum, log1p as real_log1p};
use super::power::hypot;
use super::trigonometric::{LARGE, sin_cos, tan as real_tan};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E, PI};

/// The parts of a result, and whether they may be used.
pub type Usual = (f64, f64, bool);

/// Bounds between which squares and their rounding errors are normal numbers.
const SMALL: f64 = 1e-140;
const BIG: f64 = 1e150;
/// The largest real part whose exponential is far from overflow.
const EXPONENT: f64 = 700.0;
/// The logarithm of 2 minus `LN_2`.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;

/// Whether neither part is large, with different bounds.
#[inline(always)]
fn within(x: f64, most_x: f64, y: f64, most_y: f64) -> bool {
    (x.abs() < most_x) & (y.abs() < most_y)
}

#[inline(always)]
pub fn sqrt(x: f64, y: f64) -> Usual {
    let size = x.abs() + y.abs();
    let root = ((x.abs() + hypot::<Double>(x, y)) * 0.5).sqrt();
    let other = y.abs() / (2.0 * root);
    let is_right = x >= 0.0;
    let re = select(is_right, root, other);
    let im = select(is_right, other, root).copysign(y);
    (re, im, (size > SMALL) & (size < BIG))
}

#[inline(always)]
pub fn exp(x: f64, y: f64) -> Usual {
    let (sin, cos) = sin_cos::<Double>(y);
    let modulus = real_exp::<Double>(x);
    (modulus * cos, modulus * sin, within(x, EXPONENT, y, LARGE))
}

/// The angle `y ln 2` is computed in twice the precision.
#[inline(always)]
pub fn exp2(x: f64, y: f64) -> Usual {
    let (angle, rest) = two_product(y, LN_2);
    let rest = mul_add(y, LN_2_REST, rest);
    let (sin, cos) = sin_cos::<Double>(angle);
    let modulus = real_exp2::<Double>(x);
    let (re, im) = (mul_add(-sin, rest, cos), mul_add(cos, rest, sin));
    let im = select(y == 0.0, y, modulus * im);
    (modulus * re, im, within(x, 1000.0, y, 1e6))
}

#[inline(always)]
pub fn expm1(x: f64, y: f64) -> Usual {
    let (half, _) = sin_cos::<Double>(y * 0.5);
    let (sin, cos) = sin_cos::<Double>(y);
    let re = mul_add(real_expm1::<Double>(x), cos, -2.0 * half * half);
    // Adding 0.0 turns -0.0 into 0.0.
    let re = select(y == 0.0, re + 0.0, re);
    (re, real_exp::<Double>(x) * sin, within(x, EXPONENT, y, LARGE))
}

#[inline(always)]
pub fn log(x: f64, y: f64) -> Usual {
    let ((x2, x_rest), (y2, y_rest)) = (two_product(x, x), two_product(y, y));
    let (sum, rest) = two_sum(x2, y2);
    let modulus = 0.5 * log_of_sum(sum, rest + (x_rest + y_rest));
    let size = x.abs() + y.abs();
    (modulus, atan2::<Double>(y, x), (size > SMALL) & (size < BIG))
}

#[inline(always)]
pub fn log2(x: f64, y: f64) -> Usual {
    let (re, im, is_usual) = log(x, y);
    (re * LOG2_E, im * LOG2_E, is_usual)
}

#[inline(always)]
pub fn log10(x: f64, y: f64) -> Usual {
    let (re, im, is_usual) = log(x, y);
    (re * LOG10_E, im * LOG10_E, is_usual)
}

/// `1 + z` is a sum of two numbers, and the terms of the square of its modulus are added from the
/// largest to the smallest.
#[inline(always)]
pub fn log1p(x: f64, y: f64) -> Usual {
    let (right, low) = two_sum(1.0, x);
    let ((x2, x_rest), (y2, y_rest)) = (two_product(right, right), two_product(y, y));
    let (sum, rest) = two_sum(x2, y2);
    let rest = (mul_add(2.0 * right, low, rest) + y_rest) + mul_add(low, low, x_rest);
    let modulus = 0.5 * log_of_sum(sum, rest);
    let size = right.abs() + y.abs();
    let is_usual = (size > SMALL) & (size < BIG) & ((x != 0.0) | (y != 0.0));
    (modulus, atan2::<Double>(y, right), is_usual)
}

#[inline(always)]
pub fn sinh(x: f64, y: f64) -> Usual {
    let (sin, cos) = sin_cos::<Double>(y);
    let (sinh, cosh) = (real_sinh::<Double>(x), real_cosh::<Double>(x));
    (sinh * cos, cosh * sin, within(x, EXPONENT, y, LARGE))
}

#[inline(always)]
pub fn cosh(x: f64, y: f64) -> Usual {
    let (sin, cos) = sin_cos::<Double>(y);
    let (sinh, cosh) = (real_sinh::<Double>(x), real_cosh::<Double>(x));
    (cosh * cos, sinh * sin, within(x, EXPONENT, y, LARGE))
}

/// Kahan's method: everything from `tan y` and `sinh x`.
#[inline(always)]
pub fn tanh(x: f64, y: f64) -> Usual {
    let tan = real_tan::<Double>(y);
    let sinh = real_sinh::<Double>(x);
    let beta = 1.0 + tan * tan;
    let rho = (1.0 + sinh * sinh).sqrt();
    let divisor = 1.0 + beta * sinh * sinh;
    (beta * rho * sinh / divisor, tan / divisor, within(x, 300.0, y, LARGE))
}

/// `-i sinh(i z)`.
#[inline(always)]
pub fn sin(x: f64, y: f64) -> Usual {
    let (re, im, is_usual) = sinh(-y, x);
    (im, -re, is_usual)
}

#[inline(always)]
pub fn cos(x: f64, y: f64) -> Usual {
    cosh(-y, x)
}

/// `-i tanh(i z)`.
#[inline(always)]
pub fn tan(x: f64, y: f64) -> Usual {
    let (re, im, is_usual) = tanh(-y, x);
    (im, -re, is_usual)
}

/// Whether arcsine and arccosine of `x + i y`, both positive, have no step that overflows or
/// underflows.
#[inline(always)]
pub fn is_usual_sine(x: f64, y: f64) -> bool {
    (x > 6e-154) & (x < 1.6e153) & (y > 6e-154) & (y < 1.6e153)
}

/// What arcsine and arccosine of `x + i y` share, for positive `x` and `y`.
struct Parts {
    /// The sine of the angle, and whether it is small enough for arcsine and arccosine.
    sine: f64,
    is_small: bool,
    /// Otherwise the angle is that of a point with these coordinates.
    across: f64,
    up: f64,
    imaginary: f64,
    is_usual: bool,
}

#[inline(always)]
fn parts(x: f64, y: f64) -> Parts {
    // Up to these, `1 - x` does not cancel in the imaginary part, and arcsine and arccosine are
    // well conditioned.
    const A_CROSSOVER: f64 = 1.5;
    const B_CROSSOVER: f64 = 0.6417;
    let (right, left) = (x + 1.0, x - 1.0);
    let (r, s) = (hypot::<Double>(right, y), hypot::<Double>(left, y));
    let a = 0.5 * (r + s);
    let sine = x / a;
    let y2 = y * y;
    let inner = (0.5 * (a + x) * (y2 / (r + right) + (s - left))).sqrt();
    let outer = y * (0.5 * ((a + x) / (r + right) + (a + x) / (s + left))).sqrt();
    let over_one = 0.5 * (y2 / (r + right) + select(x < 1.0, y2 / (s - left), s + left));
    let near = over_one + (over_one * (a + 1.0)).sqrt();
    let far = (a - 1.0) + mul_add(a, a, -1.0).sqrt();
    Parts {
        sine,
        is_small: sine <= B_CROSSOVER,
        across: select(x <= 1.0, inner, outer),
        up: x,
        imaginary: real_log1p::<Double>(select(a <= A_CROSSOVER, near, far)),
        is_usual: is_usual_sine(x, y),
    }
}

#[inline(always)]
pub fn arcsinh(x: f64, y: f64) -> Usual {
    let parts = parts(y.abs(), x.abs());
    let angle = atan2::<Double>(parts.up, parts.across);
    let arcsin = select(parts.is_small, asin::<Double>(parts.sine), angle);
    (parts.imaginary.copysign(x), arcsin.copysign(y), parts.is_usual)
}

#[inline(always)]
pub fn arcsin(x: f64, y: f64) -> Usual {
    // -i arcsinh(i z) swaps the parts of an odd function with conjugate symmetry.
    let (re, im, is_usual) = arcsinh(y, x);
    (im, re, is_usual)
}

#[inline(always)]
pub fn arccos(x: f64, y: f64) -> Usual {
    let parts = parts(x.abs(), y.abs());
    let angle = atan2::<Double>(parts.across, parts.up);
    let arccos = select(parts.is_small, acos::<Double>(parts.sine), angle);
    let re = select(x < 0.0, PI - arccos, arccos);
    (re, select(y < 0.0, parts.imaginary, -parts.imaginary), parts.is_usual)
}

#[inline(always)]
pub fn arccosh(x: f64, y: f64) -> Usual {
    let (re, im, is_usual) = arccos(x, y);
    (im.abs(), re.copysign(y), is_usual)
}

#[inline(always)]
pub fn arctanh(x: f64, y: f64) -> Usual {
    let (a, b) = (x.abs(), y.abs());
    let distance = (1.0 - a) * (1.0 - a) + b * b;
    let re = 0.25 * real_log1p::<Double>(4.0 * a / distance);
    let im = 0.5 * atan2::<Double>(2.0 * b, (1.0 - a) * (1.0 + a) - b * b);
    let is_usual = (a + b < 1e16) & ((a != 1.0) | (b >= 1e-150));
    (re.copysign(x), im.copysign(y), is_usual)
}

#[inline(always)]
pub fn arctan(x: f64, y: f64) -> Usual {
    let (re, im, is_usual) = arctanh(y, x);
    (im, re, is_usual)
}

/// `a` to the power `b`: the exponential of `b log a`. Small integer exponents are not usual.
#[inline(always)]
pub fn power(a_re: f64, a_im: f64, b_re: f64, b_im: f64) -> Usual {
    let (log_re, log_im, is_usual) = log(a_re, a_im);
    let re = mul_add(b_re, log_re, -(b_im * log_im));
    let im = mul_add(b_re, log_im, b_im * log_re);
    let (re, im, is_moderate) = exp(re, im);
    // Adding and subtracting this number rounds to an integer.
    let rounded = (b_re.abs() + LARGE_INTEGER) - LARGE_INTEGER;
    let is_integer = (b_im == 0.0) & (b_re.abs() < 100.0) & (rounded == b_re.abs());
    (re, im, is_usual & is_moderate & !is_integer)
}

/// 2^52, from which on all numbers are integers.
const LARGE_INTEGER: f64 = 4_503_599_627_370_496.0;
