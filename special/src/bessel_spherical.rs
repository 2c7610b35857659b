//! Spherical Bessel functions and their derivatives (DLMF 10.47 to 10.53).
//!
//! Low orders follow from recurrences in their stable direction, others from the functions of order
//! n + 1/2.

use crate::bessel_ik::{bessel_i, bessel_k};
use crate::bessel_jy::{bessel_is_odd, bessel_j, bessel_series, bessel_y};
use libm::{cos, exp, fabs, floor, sin, sinh, sqrt};

/// x^n/(1 3 5 ... (2n + 1)), the first term of j and i, for small x.
fn bessel_spherical_power(n: f64, x: f64) -> f64 {
    let mut y = 1.0;
    for k in 1..=(n as i64) {
        y *= x / ((2 * k + 1) as f64);
        if y == 0.0 {
            break;
        }
    }
    y
}

/// j of order n >= 0 and x > 0.
fn bessel_spherical_j(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return if x < 1e-8 { 1.0 } else { sin(x) / x };
    }
    if x < 1e-3 {
        return bessel_spherical_power(n, x) * bessel_series(n + 0.5, x, -1.0);
    }
    if n >= x || n >= 100.0 {
        return sqrt(std::f64::consts::FRAC_PI_2 / x) * bessel_j(n + 0.5, x);
    }
    let r = 1.0 / x;
    let mut before = sin(x) * r;
    let mut here = (before - cos(x)) * r;
    for k in 1..(n as i64) {
        let next = (2 * k + 1) as f64 * r * here - before;
        before = here;
        here = next;
    }
    here
}

/// y of order n >= 0 and x > 0.
fn bessel_spherical_y(n: f64, x: f64) -> f64 {
    if n >= 100.0 {
        return sqrt(std::f64::consts::FRAC_PI_2 / x) * bessel_y(n + 0.5, x);
    }
    let r = 1.0 / x;
    let mut before = -cos(x) * r;
    if n == 0.0 {
        return before;
    }
    let mut here = (before - sin(x)) * r;
    for k in 1..(n as i64) {
        let next = (2 * k + 1) as f64 * r * here - before;
        before = here;
        here = next;
        if here < -1.7e308 {
            return f64::NEG_INFINITY;
        }
    }
    here
}

/// i of order n >= 0 and x > 0.
fn bessel_spherical_i(n: f64, x: f64) -> f64 {
    if n == 0.0 && x < 700.0 {
        return if x < 1e-8 { 1.0 } else { sinh(x) / x };
    }
    if x < 1e-3 {
        return bessel_spherical_power(n, x) * bessel_series(n + 0.5, x, 1.0);
    }
    if x > 700.0 {
        // exp(x) alone may overflow.
        let y = sqrt(std::f64::consts::FRAC_PI_2 / x) * bessel_i(n + 0.5, x, true);
        let half = exp(0.5 * x);
        return half * y * half;
    }
    sqrt(std::f64::consts::FRAC_PI_2 / x) * bessel_i(n + 0.5, x, false)
}

/// k of order n >= 0 and x != 0.
fn bessel_spherical_k(n: f64, x: f64) -> f64 {
    if x < 0.0 {
        // The functions are elementary, so that they continue to negative x.
        let mut before = std::f64::consts::FRAC_PI_2 * exp(-x) / x;
        if n == 0.0 || before.is_infinite() {
            return before;
        }
        let mut here = before * (1.0 + 1.0 / x);
        for k in 1..(n as i64) {
            let next = (2 * k + 1) as f64 / x * here + before;
            before = here;
            here = next;
        }
        return here;
    }
    sqrt(std::f64::consts::FRAC_PI_2 / x) * bessel_k(n + 0.5, x, false)
}

/// Whether a number is no order, for which the functions are NaN.
fn bessel_no_order(n: f64, x: f64) -> bool {
    n.is_nan() || x.is_nan() || n < 0.0 || n != floor(n) || n.is_infinite()
}

/// The spherical Bessel function of the first kind of order n = 0, 1, 2, ....
pub fn spherical_jn(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x == 0.0 {
        return if n == 0.0 { 1.0 } else { 0.0 };
    }
    let y = bessel_spherical_j(n, fabs(x));
    if x < 0.0 && bessel_is_odd(n) { -y } else { y }
}

/// The derivative of the spherical Bessel function of the first kind of order n.
pub fn spherical_jn_derivative(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x == 0.0 {
        return if n == 1.0 { 1.0 / 3.0 } else { 0.0 };
    }
    let ax = fabs(x);
    // DLMF 10.51.2; the other form cancels for small x.
    let above = bessel_spherical_j(n + 1.0, ax);
    let y = if n == 0.0 { -above } else { n / ax * bessel_spherical_j(n, ax) - above };
    if x < 0.0 && !bessel_is_odd(n) { -y } else { y }
}

/// The spherical Bessel function of the second kind of order n = 0, 1, 2, ....
pub fn spherical_yn(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    let y = bessel_spherical_y(n, fabs(x));
    if x < 0.0 && !bessel_is_odd(n) { -y } else { y }
}

/// The derivative of the spherical Bessel function of the second kind of order n.
pub fn spherical_yn_derivative(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    let ax = fabs(x);
    let above = bessel_spherical_y(n + 1.0, ax);
    let y = if n == 0.0 { -above } else { n / ax * bessel_spherical_y(n, ax) - above };
    let result = if above.is_infinite() { f64::INFINITY } else { y };
    if x < 0.0 && bessel_is_odd(n) { -result } else { result }
}

/// The modified spherical Bessel function of the first kind of order n = 0, 1, 2, ....
pub fn spherical_in(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x == 0.0 {
        return if n == 0.0 { 1.0 } else { 0.0 };
    }
    let y = if x.is_infinite() { f64::INFINITY } else { bessel_spherical_i(n, fabs(x)) };
    if x < 0.0 && bessel_is_odd(n) { -y } else { y }
}

/// The derivative of the modified spherical Bessel function of the first kind of order n.
pub fn spherical_in_derivative(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x == 0.0 {
        return if n == 1.0 { 1.0 / 3.0 } else { 0.0 };
    }
    let ax = fabs(x);
    let mut y = f64::INFINITY;
    if ax.is_finite() {
        y = bessel_spherical_i(n + 1.0, ax);
        if n > 0.0 {
            y += n / ax * bessel_spherical_i(n, ax);
        }
    }
    if x < 0.0 && !bessel_is_odd(n) { -y } else { y }
}

/// The modified spherical Bessel function of the second kind of order n = 0, 1, 2, ....
pub fn spherical_kn(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    if x.is_infinite() {
        return if x > 0.0 { 0.0 } else { x };
    }
    bessel_spherical_k(n, x)
}

/// The derivative of the modified spherical Bessel function of the second kind of order n.
pub fn spherical_kn_derivative(n: f64, x: f64) -> f64 {
    if bessel_no_order(n, x) {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return if x > 0.0 { 0.0 } else { f64::INFINITY };
    }
    let above = bessel_spherical_k(n + 1.0, x);
    if n == 0.0 || above.is_infinite() { -above } else { n / x * bessel_spherical_k(n, x) - above }
}
