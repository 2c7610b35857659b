//! Struve functions and the integrals of those of order 0 (DLMF chapter 11).
//!
//! Power series, with pairs of doubles where the terms cancel, and for large arguments the Bessel
//! function plus an asymptotic series; orders 0 and 1 have tables.

use crate::bessel_ik::iv;
use crate::bessel_integrals::{it2j0y0_iy0, iti0k0_ii0, itj0y0_iy0};
use crate::bessel_jy::{bessel_is_odd, bessel_power, jv, yv};
use crate::bessel01::{y0, y1};
use crate::double_double::*;
use crate::gamma::{gammaln, gammasgn, rgamma};
use crate::struve_tables::*;
use libm::{exp, fabs, floor, log, pow, sqrt};

/// Negative orders beyond this would take too many steps of the recurrence.
const STRUVE_LIMIT: f64 = 1e5;
const STRUVE_EULER: f64 = 0.5772156649015329;
/// 2/sqrt(pi).
const STRUVE_ROOT: f64 = 1.1283791670955126;

/// (x/2)^(v+1)/(gamma(3/2) gamma(v + 3/2)), the first term of the power series.
fn struve_first_term(v: f64, x: f64) -> f64 {
    if v > -0.5 {
        return STRUVE_ROOT * sqrt(0.5 * x) * bessel_power(v + 0.5, x);
    }
    if v > -120.0 {
        return STRUVE_ROOT * pow(0.5 * x, v + 1.0) * rgamma(v + 1.5);
    }
    let size = exp((v + 1.0) * log(0.5 * x) - gammaln(v + 1.5));
    STRUVE_ROOT * gammasgn(v + 1.5) * size
}

/// The power series of H (sign = -1) or L (sign = 1) without its first term (DLMF 11.2.1, 11.2.2).
fn struve_series(v: f64, x: f64, sign: f64) -> f64 {
    let u = sign * 0.25 * x * x;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..2000 {
        let n = k as f64;
        term *= u / ((n + 0.5) * (n + v + 0.5));
        sum += term;
        if fabs(term) < 1e-17 * fabs(sum) && n + v > 0.0 {
            break;
        }
    }
    sum
}

/// The same series of H in pairs of doubles.
fn struve_series_double(v: f64, x: f64) -> f64 {
    let mut u = [0.0; 2];
    double_two_product(0.5 * x, -0.5 * x, &mut u);
    let mut term = [1.0, 0.0];
    let mut sum = [1.0, 0.0];
    let mut d = [0.0; 2];
    let mut e = [0.0; 2];
    for k in 1..1000 {
        let n = k as f64 + 0.5;
        double_multiply(&mut term, &u);
        double_two_sum(v, n, &mut d);
        e[0] = n;
        e[1] = 0.0;
        double_multiply(&mut d, &e);
        double_divide(&mut term, &d);
        double_add(&mut sum, &term);
        if fabs(term[0]) < 1e-18 * fabs(sum[0]) && n + v > 0.0 {
            break;
        }
    }
    sum[0]
}

/// H - Y (sign = -1) or L - I of order -v (sign = 1) for large x (DLMF 11.6.1, 11.6.2).
///
/// It is NaN if the series does not end.
fn struve_asymptotic(v: f64, x: f64, sign: f64) -> f64 {
    let r = 4.0 / (x * x);
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut last = 1e300;
    for k in 0..200 {
        let n = k as f64;
        term *= -sign * (n + 0.5) * (v - 0.5 - n) * r;
        if fabs(term) > last && n > v {
            break;
        }
        last = fabs(term);
        sum += term;
        if last < 1e-17 * fabs(sum) {
            break;
        }
    }
    if last > 2e-14 * fabs(sum) {
        return f64::NAN;
    }
    // (x/2)^(v-1)/(sqrt(pi) gamma(v + 1/2)) is v + 1/2 over x/2 times that of order v + 1.
    let first = if v > -0.4 {
        (v + 0.5) * bessel_power(v + 0.5, x) / (0.5 * x * sqrt(0.5 * x))
    } else {
        pow(0.5 * x, v - 1.0) * rgamma(v + 0.5)
    };
    -sign * 0.5 * STRUVE_ROOT * first * sum
}

/// H of order v >= -1/2 and x > 0.
fn struve_h(v: f64, x: f64) -> f64 {
    if v == 0.0 {
        if x <= 8.0 {
            return x * struve_h0_small(x * x / 32.0 - 1.0);
        }
        let r = 8.0 / x;
        return y0(x) + struve_h0_large(2.0 * r * r - 1.0) / x;
    }
    if v == 1.0 {
        if x <= 8.0 {
            return x * x * struve_h1_small(x * x / 32.0 - 1.0);
        }
        let r = 8.0 / x;
        return y1(x) + struve_h1_large(2.0 * r * r - 1.0);
    }
    if 0.25 * x * x <= 2.0 * (v + 1.5) {
        return struve_first_term(v, x) * struve_series(v, x, -1.0);
    }
    if x > 32.0 && x > 0.8 * v {
        let rest = struve_asymptotic(v, x, -1.0);
        if !rest.is_nan() {
            return rest + yv(v, x);
        }
    }
    struve_first_term(v, x) * struve_series_double(v, x)
}

/// The Struve function H of real order, NaN for negative x unless v is an integer.
pub fn struve(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || v.is_infinite() {
        return f64::NAN;
    }
    let whole = v == floor(v);
    if x < 0.0 {
        if !whole {
            return f64::NAN;
        }
        let y = struve_positive(v, -x);
        return if bessel_is_odd(v) { y } else { -y };
    }
    struve_positive(v, x)
}

/// The Struve function H of x >= 0.
fn struve_positive(v: f64, x: f64) -> f64 {
    if x == 0.0 {
        if v > -1.0 {
            return 0.0;
        }
        if v == -1.0 {
            return std::f64::consts::FRAC_2_PI;
        }
        return gammasgn(v + 1.5) * f64::INFINITY;
    }
    if x.is_infinite() {
        return if v >= 1.0 { f64::INFINITY } else { f64::NAN };
    }
    if v >= -0.5 {
        return struve_h(v, x);
    }
    let half = -v - 0.5;
    if half == floor(half) {
        // DLMF 11.4.3.
        let y = jv(half + 0.5, x);
        return if bessel_is_odd(half) { -y } else { y };
    }
    if 0.25 * x * x < 1.0 {
        return struve_first_term(v, x) * struve_series(v, x, -1.0);
    }
    if x > 32.0 - 2.5 * v {
        let rest = struve_asymptotic(v, x, -1.0);
        if !rest.is_nan() {
            return rest + yv(v, x);
        }
    }
    if v < -STRUVE_LIMIT {
        return f64::NAN;
    }
    // The recurrence DLMF 11.4.23 from orders of at least 0.
    let count = floor(-v) as i64 + 1;
    let start = v + count as f64;
    let mut above = struve_h(start + 1.0, x);
    let mut here = struve_h(start, x);
    for k in 0..count {
        let order = start - k as f64;
        let extra = 0.5 * STRUVE_ROOT * pow(0.5 * x, order) * rgamma(order + 1.5);
        let below = 2.0 * order / x * here - above + extra;
        above = here;
        here = below;
    }
    here
}

/// The modified Struve function L of real order, NaN for negative x unless v is an integer.
pub fn modstruve(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || v.is_infinite() {
        return f64::NAN;
    }
    let whole = v == floor(v);
    if x < 0.0 && !whole {
        return f64::NAN;
    }
    let ax = fabs(x);
    let y: f64;
    if ax == 0.0 {
        if v > -1.0 {
            return 0.0;
        }
        if v == -1.0 {
            return std::f64::consts::FRAC_2_PI;
        }
        return gammasgn(v + 1.5) * f64::INFINITY;
    }
    let half = -v - 0.5;
    if half >= 0.0 && half == floor(half) {
        y = iv(half + 0.5, ax);
    } else if ax.is_infinite() {
        y = f64::INFINITY;
    } else if ax > 50.0 && ax > fabs(v) {
        let i = iv(-v, ax);
        let rest = struve_asymptotic(v, ax, 1.0);
        // I is larger by exp(x).
        y = if i.is_infinite() || rest.is_nan() { i } else { i + rest };
    } else {
        y = struve_first_term(v, ax) * struve_series(v, ax, 1.0);
    }
    if x < 0.0 && !bessel_is_odd(v) { -y } else { y }
}

/// The integral of the Struve function H0 from 0 to x.
pub fn itstruve0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        return x * x * struve_int_h0_small(x * x / 32.0 - 1.0);
    }
    let r = 8.0 / ax;
    let smooth = struve_int_h0_large(2.0 * r * r - 1.0) / (ax * ax);
    let l = std::f64::consts::FRAC_2_PI * (log(2.0 * ax) + STRUVE_EULER);
    itj0y0_iy0(ax) + l + smooth
}

/// The integral of H0(t)/t from x to infinity.
pub fn it2struve0(x: f64) -> f64 {
    let ax = fabs(x);
    let mut y: f64;
    if ax <= 8.0 {
        y = std::f64::consts::FRAC_PI_2 - ax * struve_int2_h0_small(x * x / 32.0 - 1.0);
    } else {
        let r = 8.0 / ax;
        y = it2j0y0_iy0(ax) + struve_int2_h0_large(2.0 * r * r - 1.0) / ax;
    }
    if x < 0.0 {
        // The integrand is even, and its integral over all numbers pi.
        y = std::f64::consts::PI - y;
    }
    y
}

/// The integral of the modified Struve function L0 from 0 to x.
pub fn itmodstruve0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 18.0 {
        return x * x * struve_int_l0_small(0.25 * x * x);
    }
    let r = 18.0 / ax;
    let smooth = struve_int_l0_smooth(2.0 * r * r - 1.0) / (ax * ax);
    let l = std::f64::consts::FRAC_2_PI * (log(2.0 * ax) + STRUVE_EULER);
    iti0k0_ii0(ax) - l - smooth
}
