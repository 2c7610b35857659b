//! Kelvin functions of order 0 and their derivatives (DLMF 10.61 to 10.67).
//!
//! Power series near 0; farther out the exponential forms of I and K on the ray exp(i pi/4), whose
//! amplitudes are tabulated.

use crate::bessel01::exp_times;
use crate::kelvin_tables::*;
use libm::{cos, exp, fabs, log, sin, sqrt};

const KELVIN_EULER: f64 = 0.5772156649015329;
const KELVIN_ROOT_HALF: f64 = 0.7071067811865476;
const KELVIN_COS_EIGHTH: f64 = 0.9238795325112867;
const KELVIN_SIN_EIGHTH: f64 = 0.3826834323650898;

/// The power series of ber, bei, ber', bei' (which = 0, 1, 2, 3) at x >= 0, DLMF 10.65.1.
fn kelvin_first_series(x: f64, which: i64) -> f64 {
    let q = 0.25 * x * x;
    let w = -q * q;
    let even = which == 0 || which == 2;
    let mut term = if even { 1.0 } else { q };
    let mut n = if even { 0.0 } else { 1.0 };
    let mut sum = if which < 2 { term } else { 2.0 * n * term };
    for _k in 0..40 {
        term *= w / ((n + 1.0) * (n + 1.0) * (n + 2.0) * (n + 2.0));
        n += 2.0;
        let part = if which < 2 { term } else { 2.0 * n * term };
        sum += part;
        if fabs(part) < 1e-17 * fabs(sum) {
            break;
        }
    }
    // The derivative of x^(2n) is 2n x^(2n)/x.
    if which < 2 {
        sum
    } else if x == 0.0 {
        0.0
    } else {
        sum / x
    }
}

/// The sums with harmonic numbers in ker, kei, ker', kei' (DLMF 10.65.3 to 10.65.5).
fn kelvin_harmonic_series(x: f64, which: i64) -> f64 {
    let q = 0.25 * x * x;
    let w = -q * q;
    let even = which == 0 || which == 2;
    let mut term = if even { 1.0 } else { q };
    let mut n = if even { 0.0 } else { 1.0 };
    let mut harmonic = n;
    let mut sum = if which < 2 { harmonic * term } else { 2.0 * n * harmonic * term };
    for _k in 0..40 {
        term *= w / ((n + 1.0) * (n + 1.0) * (n + 2.0) * (n + 2.0));
        harmonic += 1.0 / (n + 1.0) + 1.0 / (n + 2.0);
        n += 2.0;
        let part = if which < 2 { harmonic * term } else { 2.0 * n * harmonic * term };
        sum += part;
        if fabs(part) < 1e-17 * fabs(sum) {
            break;
        }
    }
    if which < 2 { sum } else { sum / x }
}

/// ker, kei, ker', kei' (which = 0, 1, 2, 3) at x > 3.
fn kelvin_second_large(x: f64, which: i64) -> f64 {
    let t = 6.0 / x - 1.0;
    let y = x * KELVIN_ROOT_HALF;
    let amplitude = sqrt(std::f64::consts::FRAC_PI_2 / x) * exp(-y);
    let c0 = cos(y);
    let s0 = sin(y);
    if which < 2 {
        // exp(-i(y + pi/8)) (P + iQ).
        let c = c0 * KELVIN_COS_EIGHTH - s0 * KELVIN_SIN_EIGHTH;
        let s = s0 * KELVIN_COS_EIGHTH + c0 * KELVIN_SIN_EIGHTH;
        let p = kelvin_k0_p(t);
        let q = kelvin_k0_q(t);
        return amplitude * if which == 0 { c * p + s * q } else { c * q - s * p };
    }
    // -exp(i pi/4) K1: -exp(-i(y - pi/8)) (P + iQ).
    let c = c0 * KELVIN_COS_EIGHTH + s0 * KELVIN_SIN_EIGHTH;
    let s = s0 * KELVIN_COS_EIGHTH - c0 * KELVIN_SIN_EIGHTH;
    let p = kelvin_k1_p(t);
    let q = kelvin_k1_q(t);
    -amplitude * if which == 2 { c * p + s * q } else { c * q - s * p }
}

/// ber, bei, ber', bei' (which = 0, 1, 2, 3) at x > 8, DLMF 10.67.3.
fn kelvin_first_large(x: f64, which: i64) -> f64 {
    let t = 16.0 / x - 1.0;
    let y = x * KELVIN_ROOT_HALF;
    let amplitude = 1.0 / sqrt(2.0 * std::f64::consts::PI * x);
    let c0 = cos(y);
    let s0 = sin(y);
    let mut part: f64;
    if which < 2 {
        // exp(i(y - pi/8)) (P + iQ).
        let c = c0 * KELVIN_COS_EIGHTH + s0 * KELVIN_SIN_EIGHTH;
        let s = s0 * KELVIN_COS_EIGHTH - c0 * KELVIN_SIN_EIGHTH;
        let p = kelvin_i0_p(t);
        let q = kelvin_i0_q(t);
        part = if which == 0 { c * p - s * q } else { c * q + s * p };
    } else {
        // exp(i pi/4) I1: exp(i(y + pi/8)) (P + iQ).
        let c = c0 * KELVIN_COS_EIGHTH - s0 * KELVIN_SIN_EIGHTH;
        let s = s0 * KELVIN_COS_EIGHTH + c0 * KELVIN_SIN_EIGHTH;
        let p = kelvin_i1_p(t);
        let q = kelvin_i1_q(t);
        part = if which == 2 { c * p - s * q } else { c * q + s * p };
    }
    part = exp_times(y, amplitude * part);
    if y > 40.0 {
        return part;
    }
    // ber lacks kei/pi and bei has ker/pi too much.
    let other = if which % 2 == 0 {
        -kelvin_second_large(x, which + 1)
    } else {
        kelvin_second_large(x, which - 1)
    };
    part + other / std::f64::consts::PI
}

/// ber, bei, ber', bei' (which = 0, 1, 2, 3) at x >= 0.
fn kelvin_first(x: f64, which: i64) -> f64 {
    if x <= 8.0 { kelvin_first_series(x, which) } else { kelvin_first_large(x, which) }
}

/// ker, kei, ker', kei' (which = 0, 1, 2, 3) at x > 0.
fn kelvin_second(x: f64, which: i64) -> f64 {
    if x > 3.0 {
        return kelvin_second_large(x, which);
    }
    let l = log(0.5 * x) + KELVIN_EULER;
    let quarter = std::f64::consts::FRAC_PI_4;
    let h = kelvin_harmonic_series(x, which);
    if which == 0 {
        return h - l * kelvin_first_series(x, 0) + quarter * kelvin_first_series(x, 1);
    }
    if which == 1 {
        return h - l * kelvin_first_series(x, 1) - quarter * kelvin_first_series(x, 0);
    }
    if which == 2 {
        return h - l * kelvin_first_series(x, 2) - kelvin_first_series(x, 0) / x
            + quarter * kelvin_first_series(x, 3);
    }
    h - l * kelvin_first_series(x, 3)
        - kelvin_first_series(x, 1) / x
        - quarter * kelvin_first_series(x, 2)
}

/// The Kelvin function ber, the real part of J0(x exp(3 pi i/4)).
pub fn ber(x: f64) -> f64 {
    kelvin_first(fabs(x), 0)
}

/// The Kelvin function bei, the imaginary part of J0(x exp(3 pi i/4)).
pub fn bei(x: f64) -> f64 {
    kelvin_first(fabs(x), 1)
}

/// The derivative of the Kelvin function ber.
pub fn berp(x: f64) -> f64 {
    let y = kelvin_first(fabs(x), 2);
    if x < 0.0 { -y } else { y }
}

/// The derivative of the Kelvin function bei.
pub fn beip(x: f64) -> f64 {
    let y = kelvin_first(fabs(x), 3);
    if x < 0.0 { -y } else { y }
}

/// The Kelvin function ker, the real part of K0(x exp(pi i/4)), NaN for negative x.
pub fn ker(x: f64) -> f64 {
    if x < 0.0 {
        f64::NAN
    } else if x == 0.0 {
        f64::INFINITY
    } else {
        kelvin_second(x, 0)
    }
}

/// The Kelvin function kei, the imaginary part of K0(x exp(pi i/4)), NaN for negative x.
pub fn kei(x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 { -std::f64::consts::FRAC_PI_4 } else { kelvin_second(x, 1) }
}

/// The derivative of the Kelvin function ker, NaN for negative x.
pub fn kerp(x: f64) -> f64 {
    if x < 0.0 {
        f64::NAN
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        kelvin_second(x, 2)
    }
}

/// The derivative of the Kelvin function kei, NaN for negative x.
pub fn keip(x: f64) -> f64 {
    if x < 0.0 {
        f64::NAN
    } else if x == 0.0 {
        0.0
    } else {
        kelvin_second(x, 3)
    }
}
