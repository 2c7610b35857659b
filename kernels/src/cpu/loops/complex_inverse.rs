//! Inverse trigonometric and hyperbolic functions of complex numbers that are not usual ones: of
//! extreme parts, zeros, infinities and NaN.
//!
//! `arcsin` and `arccos` follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and
//! arccosine functions using exception handling" (1997). The other functions are computed from
//! these, except `arctanh`, which has a closed form that does not cancel.

use super::functions::complex::is_usual_sine;
use num_complex::{Complex, Complex64};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

/// Real parts of arcsine and arccosine and their common imaginary part, in the first quadrant.
struct Parts {
    arcsin: f64,
    arccos: f64,
    imaginary: f64,
}

/// The parts for finite `x, y >= 0` of which one is extreme; the formulas are wrong for others,
/// which loops leave to `functions::complex`.
fn extreme_parts(x: f64, y: f64) -> Parts {
    debug_assert!(!is_usual_sine(x, y), "bug: {x} and {y} are not extreme");
    let (right, left) = (x + 1.0, x - 1.0);
    if left == 0.0 && y == 0.0 {
        return Parts { arcsin: FRAC_PI_2, arccos: 0.0, imaginary: 0.0 };
    }
    if y <= f64::EPSILON * left.abs() {
        if x < 1.0 {
            let imaginary = y / (right * -left).sqrt();
            return Parts { arcsin: libm::asin(x), arccos: libm::acos(x), imaginary };
        }
        let (root, imaginary) = if x < 1e100 {
            let root = (left * right).sqrt();
            (root, libm::log1p(left + root))
        } else {
            (x, LN_2 + libm::log(x))
        };
        return Parts { arcsin: FRAC_PI_2, arccos: y / root, imaginary };
    }
    if y <= 6e-154 {
        let root = y.sqrt();
        return Parts { arcsin: FRAC_PI_2 - root, arccos: root, imaginary: root };
    }
    if f64::EPSILON * y - 1.0 >= x {
        return Parts { arcsin: x / y, arccos: FRAC_PI_2, imaginary: LN_2 + libm::log(y) };
    }
    if x > 1.0 {
        let slope = x / y;
        return Parts {
            arcsin: libm::atan(slope),
            arccos: libm::atan(y / x),
            imaginary: LN_2 + libm::log(y) + 0.5 * libm::log1p(slope * slope),
        };
    }
    let root = (1.0 + y * y).sqrt();
    Parts {
        arcsin: x / root,
        arccos: FRAC_PI_2,
        imaginary: 0.5 * libm::log1p(2.0 * y * (y + root)),
    }
}

pub(super) fn arcsin(z: Complex64) -> Complex64 {
    // arcsin z = -i arcsinh(i z), which swaps the parts of an odd function with conjugate symmetry.
    let w = arcsinh(Complex::new(z.im, z.re));
    Complex::new(w.im, w.re)
}

pub(super) fn arcsinh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_nan() {
        match y {
            0.0 => (f64::NAN, y),
            f64::INFINITY => (f64::INFINITY, f64::NAN),
            _ => (f64::NAN, f64::NAN),
        }
    } else if y.is_nan() {
        (if x.is_infinite() { x } else { f64::NAN }, f64::NAN)
    } else {
        match (x.is_infinite(), y.is_infinite()) {
            (true, true) => (f64::INFINITY, FRAC_PI_4),
            (true, false) => (f64::INFINITY, 0.0),
            (false, true) => (f64::INFINITY, FRAC_PI_2),
            (false, false) => {
                let parts = extreme_parts(y, x);
                (parts.imaginary, parts.arcsin)
            }
        }
    };
    Complex::new(re.copysign(z.re), im.copysign(z.im))
}

pub(super) fn arccos(z: Complex64) -> Complex64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_nan() {
        (f64::NAN, if y.is_infinite() { y } else { f64::NAN })
    } else if y.is_nan() {
        match x {
            0.0 => (FRAC_PI_2, f64::NAN),
            f64::INFINITY => (f64::NAN, f64::INFINITY),
            _ => (f64::NAN, f64::NAN),
        }
    } else {
        match (x.is_infinite(), y.is_infinite()) {
            (true, true) => (FRAC_PI_4, f64::INFINITY),
            (true, false) => (0.0, f64::INFINITY),
            (false, true) => (FRAC_PI_2, f64::INFINITY),
            (false, false) => {
                let parts = extreme_parts(x, y);
                (parts.arccos, parts.imaginary)
            }
        }
    };
    let re = if z.re.is_sign_negative() && !re.is_nan() { PI - re } else { re };
    Complex::new(re, if z.im.is_sign_negative() { im } else { -im })
}

pub(super) fn arccosh(z: Complex64) -> Complex64 {
    let w = arccos(z);
    let (re, im) =
        if w.re.is_nan() && w.im.is_nan() { (f64::NAN, f64::NAN) } else { (w.im.abs(), w.re) };
    Complex::new(re, im.copysign(z.im))
}

pub(super) fn arctan(z: Complex64) -> Complex64 {
    // As in `arcsin`.
    let w = arctanh(Complex::new(z.im, z.re));
    Complex::new(w.im, w.re)
}

pub(super) fn arctanh(z: Complex64) -> Complex64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (re, im) = if x.is_nan() {
        if y.is_infinite() { (0.0, FRAC_PI_2) } else { (f64::NAN, f64::NAN) }
    } else if y.is_nan() {
        (if x == 0.0 || x.is_infinite() { 0.0 } else { f64::NAN }, f64::NAN)
    } else if x.is_infinite() || y.is_infinite() {
        (0.0, FRAC_PI_2)
    } else if x > 1e16 || y > 1e16 {
        // 1 is negligible against the square of the modulus.
        let modulus = libm::hypot(x * 0.25, y * 0.25);
        (x * 0.25 / modulus / modulus * 0.25, FRAC_PI_2)
    } else if x == 1.0 && y < 1e-150 {
        let re = if y == 0.0 { f64::INFINITY } else { 0.5 * (LN_2 - libm::log(y)) };
        (re, if y == 0.0 { 0.0 } else { FRAC_PI_4 })
    } else {
        let distance = (1.0 - x) * (1.0 - x) + y * y;
        let re = 0.25 * libm::log1p(4.0 * x / distance);
        let im = 0.5 * libm::atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y);
        (re, im)
    };
    Complex::new(re.copysign(z.re), im.copysign(z.im))
}
