//! Integrals of Bessel functions of order 0, and of powers times Bessel functions.
//!
//! Power series with their logarithms near 0, amplitudes of an oscillation or of an exponential
//! farther out (DLMF 10.22(i), 10.43(i)); the tables hold both.

use crate::bessel_integral_tables::*;
use crate::bessel_jy::bessel_j;
use crate::bessel01::exp_times;
use crate::gamma::{gammaln, gammasgn};
use libm::{cos, exp, fabs, log, pow, sin, sqrt};

const BESSEL_EULER: f64 = 0.5772156649015329;

/// The real (which = 0) or imaginary part of the integral of J0 + iY0 from x > 8 to infinity,
/// divided by the variable if `divided`.
fn bessel_integral_tail(x: f64, divided: bool, which: i64) -> f64 {
    let r = 8.0 / x;
    let t = 2.0 * r * r - 1.0;
    let mut re: f64;
    let mut im: f64;
    if divided {
        re = bessel_int2_j0_q(t) / x;
        im = bessel_int2_j0_p(t);
    } else {
        re = bessel_int_j0_q(t) / x;
        im = bessel_int_j0_p(t);
    }
    // 1/sqrt(pi x) (re + i im) (1 - i)(cos x + i sin x).
    let c = cos(x);
    let s = sin(x);
    let a = c + s;
    let b = s - c;
    let amplitude = 1.0 / sqrt(std::f64::consts::PI * x);
    if divided {
        re /= x;
        im /= x;
    }
    amplitude * if which == 0 { re * a - im * b } else { re * b + im * a }
}

/// The integral of J0 from 0 to x, the first output of `itj0y0`.
pub fn itj0y0_ij0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        return x * bessel_int_j0_small(x * x / 32.0 - 1.0);
    }
    let y = 1.0 - bessel_integral_tail(ax, false, 0);
    if x < 0.0 { -y } else { y }
}

/// The integral of Y0 from 0 to x, the second output of `itj0y0`, NaN for negative x.
pub fn itj0y0_iy0(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == 0.0 { 0.0 } else { f64::NAN };
    }
    if x <= 8.0 {
        let t = x * x / 32.0 - 1.0;
        let log_part = std::f64::consts::FRAC_2_PI * log(x) * bessel_int_j0_small(t);
        return x * (bessel_int_y0_small(t) + log_part);
    }
    -bessel_integral_tail(x, false, 1)
}

/// The integral of (1 - J0(t))/t from 0 to x, the first output of `it2j0y0`.
pub fn it2j0y0_ij0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        return x * x * bessel_int2_j0_small(x * x / 32.0 - 1.0);
    }
    log(0.5 * ax) + BESSEL_EULER + bessel_integral_tail(ax, true, 0)
}

/// The integral of Y0(t)/t from x to infinity, the second output of `it2j0y0`.
///
/// It is NaN for negative x.
pub fn it2j0y0_iy0(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    if x > 4.0 && x <= 8.0 {
        return bessel_int2_y0_middle(0.5 * (x - 6.0));
    }
    if x <= 4.0 {
        let t = x * x / 32.0 - 1.0;
        let l = log(0.5 * x) + BESSEL_EULER;
        let inner = l - 2.0 * x * x * bessel_int2_j0_small(t);
        return bessel_int2_y0_small(t) - l * inner / std::f64::consts::PI;
    }
    bessel_integral_tail(x, true, 1)
}

/// The integral of I0 from 0 to x, the first output of `iti0k0`.
pub fn iti0k0_ii0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 18.0 {
        return x * bessel_int_i0_small(0.25 * x * x);
    }
    let y = exp_times(ax, bessel_int_i0_large(36.0 / ax - 1.0) / sqrt(ax));
    if x < 0.0 { -y } else { y }
}

/// The integral of K0 from 0 to x, the second output of `iti0k0`, NaN for negative x.
pub fn iti0k0_ik0(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == 0.0 { 0.0 } else { f64::NAN };
    }
    if x <= 2.0 {
        let i = bessel_int_i0_small(0.25 * x * x);
        return x * (bessel_int_k0_small(0.5 * x * x - 1.0) - log(0.5 * x) * i);
    }
    std::f64::consts::FRAC_PI_2 - exp(-x) / sqrt(x) * bessel_int_k0_large(4.0 / x - 1.0)
}

/// The integral of (I0(t) - 1)/t from 0 to x, the first output of `it2i0k0`.
pub fn it2i0k0_ii0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 18.0 {
        let u = 0.25 * x * x;
        return u * bessel_int2_i0_small(u);
    }
    let y = exp_times(ax, bessel_int2_i0_large(36.0 / ax - 1.0) / (ax * sqrt(ax)));
    y - (log(0.5 * ax) + BESSEL_EULER)
}

/// The integral of K0(t)/t from x to infinity, the second output of `it2i0k0`.
///
/// It is NaN for negative x.
pub fn it2i0k0_ik0(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == 0.0 { f64::INFINITY } else { f64::NAN };
    }
    if x <= 2.0 {
        let u = 0.25 * x * x;
        let l = log(0.5 * x) + BESSEL_EULER;
        let inner = 0.5 * l + u * bessel_int2_i0_small(u);
        return bessel_int2_k0_small(2.0 * u - 1.0) + l * inner;
    }
    exp(-x) / (x * sqrt(x)) * bessel_int2_k0_large(4.0 / x - 1.0)
}

/// The integral of x^lambda J_nu(2 a x) over x from 0 to 1.
pub fn besselpoly(a: f64, lambda: f64, nu: f64) -> f64 {
    if a.is_nan() || lambda.is_nan() || nu.is_nan() {
        return f64::NAN;
    }
    let mut v = nu;
    let mut sign = 1.0;
    let mut z = 2.0 * a;
    if v < 0.0 && v == v.floor() {
        v = -v;
        sign = if v % 2.0 == 1.0 { -1.0 } else { 1.0 };
    }
    if z == 0.0 {
        return if v == 0.0 { 1.0 / (lambda + 1.0) } else { 0.0 };
    }
    if z < 0.0 {
        if v != v.floor() {
            return f64::NAN;
        }
        sign = if v % 2.0 == 1.0 { -sign } else { sign };
        z = -z;
    }
    let p = v + lambda + 1.0;
    if z < 3.0 || v < 0.0 || p <= 0.0 || z.is_infinite() {
        // The power series of J, term by term.
        let u = -0.25 * z * z;
        let mut term = gammasgn(v + 1.0) * if z < 1e-200 { 1.0 } else { exp(-gammaln(v + 1.0)) };
        term *= pow(0.5 * z, v);
        let mut sum = 0.0;
        for k in 0..400 {
            let n = k as f64;
            let part = term / (p + 2.0 * n);
            sum += part;
            if fabs(part) < 1e-17 * fabs(sum) && n > z {
                break;
            }
            term *= u / ((n + 1.0) * (n + 1.0 + v));
        }
        return sign * sum;
    }
    // DLMF 10.22.8 as a series of J of orders v + 1, v + 3, ..., without large terms.
    let mut c = 1.0 / z;
    let mut sum = 0.0;
    let g = 0.5 * (v - lambda + 1.0);
    let h = 0.5 * p;
    for k in 0..4000 {
        let n = k as f64;
        // c is the ratio of gamma functions, gamma(h)/gamma(g) gamma(g + k)/gamma(h + k + 1).
        if k == 0 {
            c /= h;
        }
        let term = c * (v + 2.0 * n + 1.0) * bessel_j(v + 2.0 * n + 1.0, z);
        sum += term;
        if fabs(term) < 1e-17 * fabs(sum) && v + 2.0 * n > z || c == 0.0 {
            break;
        }
        c *= (g + n) / (h + n + 1.0);
    }
    sign * sum
}
