//! Transcendental functions of any complex number, computed in `f64`: infinities, NaN and signed
//! zeros give the results of annex G of the C standard. Loops use these for numbers that are not
//! usual ones (`functions::complex`).

use super::complex::{divide, is_infinite, multiply};
use super::real::Real;
use num_complex::{Complex, Complex64};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

/// The logarithm of 2 minus `LN_2`.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;

/// Principal square root: half the angle, the root of the modulus.
pub(super) fn sqrt(z: Complex64) -> Complex64 {
    let Complex { re, im } = z;
    if re == 0.0 && im == 0.0 {
        return Complex::new(0.0, im);
    }
    if im.is_infinite() {
        return Complex::new(f64::INFINITY, im);
    }
    if re.is_nan() {
        return Complex::new(f64::NAN, f64::NAN);
    }
    if re.is_infinite() {
        let rest = if im.is_nan() { im } else { 0.0 };
        return if re > 0.0 {
            Complex::new(re, rest.copysign(im))
        } else {
            Complex::new(rest.abs(), re.copysign(im))
        };
    }
    // Scaled by powers of 4, so that the root is scaled by a power of 2.
    let largest = re.abs().max(im.abs());
    let (scale, unscale) = if largest > 1e307 {
        (0.0625, 4.0)
    } else if largest < 1e-290 {
        (f64::from_bits((1023 + 108) << 52), f64::from_bits((1023 - 54) << 52))
    } else {
        (1.0, 1.0)
    };
    let (re, im) = (re * scale, im * scale);
    let root = ((re.abs() + libm::hypot(re, im)) * 0.5).sqrt();
    let other = im.abs() / (2.0 * root);
    if re >= 0.0 {
        Complex::new(root * unscale, (other * unscale).copysign(im))
    } else {
        Complex::new(other * unscale, (root * unscale).copysign(im))
    }
}

/// `exp(x) * factor * scale` where `exp(x)` alone would overflow.
fn large_exp_times(x: f64, factor: f64, scale: f64) -> f64 {
    let quarter = libm::exp(x * 0.25);
    factor * quarter * quarter * quarter * (quarter * scale)
}

/// `exp(re) * (cos, sin)` for given `cos` and `sin`, and finite `re`.
fn exp_times(re: f64, cos: f64, sin: f64) -> Complex64 {
    if re > 709.0 {
        Complex::new(large_exp_times(re, cos, 1.0), large_exp_times(re, sin, 1.0))
    } else {
        let modulus = libm::exp(re);
        Complex::new(modulus * cos, modulus * sin)
    }
}

pub(super) fn exp(z: Complex64) -> Complex64 {
    let Complex { re, im } = z;
    if im == 0.0 {
        return Complex::new(libm::exp(re), im);
    }
    if !im.is_finite() {
        return match re {
            f64::INFINITY => Complex::new(f64::INFINITY, f64::NAN),
            f64::NEG_INFINITY => Complex::new(0.0, 0f64.copysign(im)),
            _ => Complex::new(f64::NAN, f64::NAN),
        };
    }
    let (cos, sin) = cos_sin(im);
    if re.is_finite() {
        exp_times(re, cos, sin)
    } else {
        let modulus = libm::exp(re);
        Complex::new(modulus * cos, modulus * sin)
    }
}

fn cos_sin(angle: f64) -> (f64, f64) {
    (libm::cos(angle), libm::sin(angle))
}

/// 2 to a complex power; the angle `im * ln 2` is computed in twice the precision.
pub(super) fn exp2(z: Complex64) -> Complex64 {
    let turned = |im: f64| {
        let angle = im * LN_2;
        let rest = libm::fma(im, LN_2, -angle) + im * LN_2_REST;
        let (cos, sin) = cos_sin(angle);
        let (rest_cos, rest_sin) = cos_sin(rest);
        (cos * rest_cos - sin * rest_sin, sin * rest_cos + cos * rest_sin)
    };
    if z.re.is_finite() && z.im.is_finite() && z.im != 0.0 {
        // In two halves: neither overflows unless the product does.
        let half = libm::exp2(z.re * 0.5);
        let (cos, sin) = turned(z.im);
        Complex::new(half * cos * half, half * sin * half)
    } else if z.re.is_finite() && z.im == 0.0 {
        Complex::new(libm::exp2(z.re), z.im)
    } else {
        exp(Complex::new(z.re * LN_2, z.im * LN_2))
    }
}

/// Special values are those of the array API standard: for infinities and NaN they are C's values
/// of `exp` minus 1, where NumPy gives NaN.
pub(super) fn expm1(z: Complex64) -> Complex64 {
    if z.im == 0.0 {
        // Adding 0.0 turns -0.0 into 0.0.
        return Complex::new(libm::expm1(z.re) + 0.0, z.im);
    }
    if z.re == f64::NEG_INFINITY {
        let sign = if z.im.is_finite() { libm::sin(z.im) } else { z.im };
        return Complex::new(-1.0, 0f64.copysign(sign));
    }
    if !z.im.is_finite() {
        let re = if z.re == f64::INFINITY { z.re } else { f64::NAN };
        return Complex::new(re, f64::NAN);
    }
    let half = libm::sin(z.im * 0.5);
    let (cos, sin) = cos_sin(z.im);
    Complex::new(libm::expm1(z.re) * cos - 2.0 * half * half, libm::exp(z.re) * sin)
}

/// A sum and its rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// `a * a + b * b + c`, as if computed with twice the precision.
fn squares_plus(a: f64, b: f64, c: f64) -> f64 {
    let (a2, b2) = (a * a, b * b);
    let rest = libm::fma(a, a, -a2) + libm::fma(b, b, -b2);
    let (large, small) = if a2 > b2 { (a2, b2) } else { (b2, a2) };
    let (sum, low) = two_sum(large, c);
    let (sum, lower) = two_sum(sum, small);
    sum + (low + lower + rest)
}

/// Logarithm of the modulus.
fn log_modulus(re: f64, im: f64) -> f64 {
    let (re, im) = (re.abs(), im.abs());
    let largest = if re > im { re } else { im };
    if largest > 1e307 && largest.is_finite() {
        return libm::log(libm::hypot(re * 0.25, im * 0.25)) + 2.0 * LN_2;
    }
    if largest < 1e-290 && largest > 0.0 {
        let scale = f64::from_bits((1023 + 108) << 52);
        return libm::log(libm::hypot(re * scale, im * scale)) - 108.0 * LN_2;
    }
    let modulus = libm::hypot(re, im);
    if (0.5..2.0).contains(&modulus) {
        libm::log1p(squares_plus(re, im, -1.0)) * 0.5
    } else {
        libm::log(modulus)
    }
}

pub(super) fn log(z: Complex64) -> Complex64 {
    Complex::new(log_modulus(z.re, z.im), libm::atan2(z.im, z.re))
}

pub(super) fn log2(z: Complex64) -> Complex64 {
    let log = log(z);
    Complex::new(log.re * LOG2_E, log.im * LOG2_E)
}

pub(super) fn log10(z: Complex64) -> Complex64 {
    let log = log(z);
    Complex::new(log.re * LOG10_E, log.im * LOG10_E)
}

pub(super) fn log1p(z: Complex64) -> Complex64 {
    let angle = libm::atan2(z.im, z.re + 1.0);
    let near = z.re.abs() < 4.0 && z.im.abs() < 4.0 && !(-2.0..=-0.5).contains(&z.re);
    let modulus = if near {
        // |1 + z|**2 - 1 = 2 re + re**2 + im**2, without adding 1 first.
        libm::log1p(squares_plus(z.re, z.im, 2.0 * z.re)) * 0.5
    } else {
        log_modulus(z.re + 1.0, z.im)
    };
    Complex::new(modulus, angle)
}

/// `(sinh x, cosh x) * (cos y, sin y)` in the order in which `sinh` and `cosh` pair them: the
/// products `sinh x cos y`, `cosh x sin y`, `cosh x cos y`, `sinh x sin y`.
fn hyperbolic_products(x: f64, y: f64) -> [f64; 4] {
    let (cos, sin) = cos_sin(y);
    if x.abs() > 709.0 && x.is_finite() {
        let [cos, sin] = [cos, sin].map(|factor| large_exp_times(x.abs(), factor, 0.5));
        let sign = 1f64.copysign(x);
        return [cos * sign, sin, cos, sin * sign];
    }
    let (sinh, cosh) = (libm::sinh(x), libm::cosh(x));
    [sinh * cos, cosh * sin, cosh * cos, sinh * sin]
}

pub(super) fn sinh(z: Complex64) -> Complex64 {
    let Complex { re, im } = z;
    if im == 0.0 {
        return Complex::new(libm::sinh(re), im);
    }
    if !im.is_finite() {
        return if re == 0.0 || re.is_infinite() {
            Complex::new(re, f64::NAN)
        } else {
            Complex::new(f64::NAN, f64::NAN)
        };
    }
    let [re, im, ..] = hyperbolic_products(re, im);
    Complex::new(re, im)
}

pub(super) fn cosh(z: Complex64) -> Complex64 {
    let Complex { re, im } = z;
    let zero = 0f64.copysign(re) * 1f64.copysign(im);
    if im == 0.0 {
        return Complex::new(libm::cosh(re), zero);
    }
    if !im.is_finite() {
        return if re.is_infinite() {
            Complex::new(f64::INFINITY, f64::NAN)
        } else if re == 0.0 {
            Complex::new(f64::NAN, zero)
        } else {
            Complex::new(f64::NAN, f64::NAN)
        };
    }
    if re == 0.0 {
        return Complex::new(libm::cos(im), re * libm::sin(im));
    }
    let [.., re, im] = hyperbolic_products(re, im);
    Complex::new(re, im)
}

/// Kahan's method: everything from `tan im` and `sinh re`.
pub(super) fn tanh(z: Complex64) -> Complex64 {
    let Complex { re, im } = z;
    if re.is_nan() {
        return Complex::new(re, if im == 0.0 { im } else { f64::NAN });
    }
    if re.is_infinite() {
        let sign = if im.is_finite() { libm::sin(im) * libm::cos(im) } else { im };
        return Complex::new(1f64.copysign(re), 0f64.copysign(sign));
    }
    if !im.is_finite() {
        return Complex::new(if re == 0.0 { re } else { f64::NAN }, f64::NAN);
    }
    if re.abs() > 22.0 {
        let (cos, sin) = cos_sin(im);
        let fall = libm::exp(-re.abs());
        return Complex::new(1f64.copysign(re), 4.0 * sin * cos * fall * fall);
    }
    let tan = libm::tan(im);
    let beta = 1.0 + tan * tan;
    let sinh = libm::sinh(re);
    let rho = (1.0 + sinh * sinh).sqrt();
    let divisor = 1.0 + beta * sinh * sinh;
    Complex::new(beta * rho * sinh / divisor, tan / divisor)
}

/// A function of `i z`, turned back: `-i f(i z)`.
fn turned(z: Complex64, f: impl Fn(Complex64) -> Complex64) -> Complex64 {
    let w = f(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

pub(super) fn sin(z: Complex64) -> Complex64 {
    turned(z, sinh)
}

pub(super) fn cos(z: Complex64) -> Complex64 {
    cosh(Complex::new(-z.im, z.re))
}

pub(super) fn tan(z: Complex64) -> Complex64 {
    turned(z, tanh)
}

/// Powers: small integer ones by squaring, others by the logarithm.
pub(super) fn power(a: Complex64, b: Complex64) -> Complex64 {
    if b.re == 0.0 && b.im == 0.0 {
        return Complex::new(1.0, 0.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        let value = if b.re > 0.0 { 0.0 } else { f64::NAN };
        return Complex::new(value, value);
    }
    if b.im == 0.0 && b.re.abs() < 100.0 && Real::trunc(b.re) == b.re {
        return integer_power(a, b.re as i32);
    }
    exp(multiply_infinite(b, log(a)))
}

/// Product in which an infinite factor or term makes an infinite product, like C's operator: if the
/// formula gives NaN, infinite components count as 1 and NaN components as 0, and the result is
/// multiplied by infinity.
fn multiply_infinite(a: Complex64, b: Complex64) -> Complex64 {
    let product = multiply(a, b);
    let terms = [a.re * b.re, a.im * b.im, a.re * b.im, a.im * b.re];
    let infinite = is_infinite(a) || is_infinite(b) || terms.iter().any(|term| term.is_infinite());
    if !(product.re.is_nan() && product.im.is_nan() && infinite) {
        return product;
    }
    let unit = |value: f64| f64::from(u8::from(value.is_infinite())).copysign(value);
    let zero = |value: f64| {
        if value.is_nan() { 0f64.copysign(value) } else { value }
    };
    let boxed = |factor: Complex64| {
        if is_infinite(factor) {
            Complex::new(unit(factor.re), unit(factor.im))
        } else {
            Complex::new(zero(factor.re), zero(factor.im))
        }
    };
    let product = multiply(boxed(a), boxed(b));
    Complex::new(product.re * f64::INFINITY, product.im * f64::INFINITY)
}

/// Starts from 1 like NumPy, except for small powers: this decides the result for infinities.
fn integer_power(a: Complex64, exponent: i32) -> Complex64 {
    match exponent {
        1 => return a,
        2 => return multiply(a, a),
        3 => return multiply(a, multiply(a, a)),
        _ => {}
    }
    let one = Complex::new(1.0, 0.0);
    let mut left = exponent.unsigned_abs();
    let (mut square, mut power) = (a, one);
    while left != 0 {
        if left & 1 != 0 {
            power = multiply(power, square);
        }
        left >>= 1;
        if left != 0 {
            square = multiply(square, square);
        }
    }
    if exponent < 0 { divide(one, power) } else { power }
}
