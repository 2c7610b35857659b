//! Gauss's hypergeometric function and 0F1.
//!
//! The series at 0 with the linear transformations of DLMF 15.8; near x = 1 the differential
//! equation
//! is continued by Taylor series, which needs no distinction of integer differences of parameters.

use crate::bessel_ik::bessel_i;
use crate::bessel_jy::{bessel_j, bessel_series, bessel_y};
use crate::elementary::{cospi, sinpi};
use crate::gamma::{gammaln, gammasgn, rgamma};
use libm::{exp, fabs, floor, log, log1p, pow, sqrt};

/// gamma(c) gamma(d)/(gamma(a) gamma(b)), 0 if a or b is a pole.
pub(crate) fn hyper_gamma_ratio(c: f64, d: f64, a: f64, b: f64) -> f64 {
    if (a <= 0.0 && a == floor(a)) || (b <= 0.0 && b == floor(b)) {
        return 0.0;
    }
    let largest = fabs(a).max(fabs(b)).max(fabs(c)).max(fabs(d));
    if largest < 100.0 {
        let y = rgamma(a) / rgamma(c) * (rgamma(b) / rgamma(d));
        if y.is_finite() && y != 0.0 {
            return y;
        }
    }
    let sign = gammasgn(a) * gammasgn(b) * gammasgn(c) * gammasgn(d);
    sign * exp(gammaln(c) - gammaln(a) + (gammaln(d) - gammaln(b)))
}

/// The series of 2F1 and its derivative; out[2] is the largest term, which shows a cancellation.
fn hyper_series(a: f64, b: f64, c: f64, x: f64, out: &mut [f64; 3]) {
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut slope = 0.0;
    let mut largest = 1.0;
    for k in 0..2000 {
        let n = k as f64;
        // Terms of the derivative are (k + 1) term_(k+1)/x.
        let factor = (a + n) / (c + n) * ((b + n) / (n + 1.0));
        slope += term * factor * (n + 1.0);
        term *= factor * x;
        sum += term;
        let size = fabs(term);
        if size > largest {
            largest = size;
        }
        if term == 0.0 {
            break;
        }
        let past = n > -a && n > -b && n > -c;
        if past && size < 1e-17 * fabs(sum) && size * n < 1e-17 * fabs(slope * x) {
            break;
        }
    }
    out[0] = sum;
    out[1] = slope;
    out[2] = largest;
}

/// DLMF 15.8.4, the sum of two series in rest = 1 - x; out[1] is the size of their largest terms.
fn hyper_reflected(a: f64, b: f64, c: f64, rest: f64, out: &mut [f64; 2]) {
    let s = c - a - b;
    let mut series = [0.0; 3];
    hyper_series(a, b, 1.0 - s, rest, &mut series);
    let first = hyper_gamma_ratio(c, s, c - a, c - b);
    let sum = first * series[0];
    let size = fabs(first) * series[2];
    hyper_series(c - a, c - b, 1.0 + s, rest, &mut series);
    let second = pow(rest, s) * hyper_gamma_ratio(c, -s, a, b);
    out[0] = sum + second * series[0];
    out[1] = size.max(fabs(second) * series[2]);
}

/// Whether a number is so near an integer that DLMF 15.8.4 cancels.
fn hyper_near_integer(s: f64) -> bool {
    fabs(s - floor(s + 0.5)) < 0.1 || fabs(s) > 100.0
}

/// 2F1 for 0 <= x <= 3/4 by the sum with the smallest cancellation.
fn hyper_small(a: f64, b: f64, c: f64, x: f64) -> f64 {
    let mut out = [0.0; 3];
    hyper_series(a, b, c, x, &mut out);
    let mut sum = out[0];
    let mut loss = out[2] / fabs(sum);
    if loss < 30.0 {
        return sum;
    }
    // Euler's transformation, DLMF 15.8.1.
    hyper_series(c - a, c - b, c, x, &mut out);
    if out[2] / fabs(out[0]) < loss {
        loss = out[2] / fabs(out[0]);
        sum = pow(1.0 - x, c - a - b) * out[0];
    }
    if loss > 1e3 && x > 0.25 && !hyper_near_integer(c - a - b) {
        let mut two = [0.0; 2];
        hyper_reflected(a, b, c, 1.0 - x, &mut two);
        if two[1] / fabs(two[0]) < loss {
            sum = two[0];
        }
    }
    sum
}

/// 2F1 for 1/2 < x < 1 by Taylor series of the differential equation (DLMF 15.10.1) from 1/2.
///
/// Each step halves the distance to the singularity at 1.
fn hyper_continued(a: f64, b: f64, c: f64, x: f64, rest: f64) -> f64 {
    let mut out = [0.0; 3];
    hyper_series(a, b, c, 0.5, &mut out);
    let mut f = out[0];
    let mut g = out[1];
    let mut distance = 0.5;
    for _step in 0..60 {
        if distance <= rest {
            break;
        }
        // Steps of half the radius of convergence.
        let mut next = 0.5 * distance;
        if next < rest {
            next = rest;
        }
        let h = distance - next;
        let x0 = 1.0 - distance;
        // f = sum u_k s^k; x(1 - x) f'' + (c - (a + b + 1) x) f' - a b f = 0 gives u_(k+2).
        let q0 = x0 * distance;
        let q1 = distance - x0;
        let r0 = c - (a + b + 1.0) * x0;
        let mut u0 = f;
        let mut u1 = g * h;
        let mut sum = u0 + u1;
        let mut slope = u1;
        for k in 0..200 {
            let n = k as f64;
            let p = (n + 1.0) * (q1 * n + r0) * u1 * h;
            let q = (n + a) * (n + b) * u0 * h * h;
            let u2 = (q - p) / (q0 * (n + 1.0) * (n + 2.0));
            sum += u2;
            slope += (n + 2.0) * u2;
            u0 = u1;
            u1 = u2;
            if n > 4.0 && (fabs(u0) + fabs(u1)) * n < 1e-17 * fabs(sum) {
                break;
            }
        }
        f = sum;
        g = slope / h;
        distance = next;
    }
    if x < 0.5 { out[0] } else { f }
}

/// 2F1 for 0 <= x < 1, where rest = 1 - x.
fn hyper_unit(a: f64, b: f64, c: f64, x: f64, rest: f64) -> f64 {
    if x <= 0.75 || (a <= 0.0 && a == floor(a)) || (b <= 0.0 && b == floor(b)) {
        return hyper_small(a, b, c, x);
    }
    let ca = c - a;
    let cb = c - b;
    if (ca <= 0.0 && ca == floor(ca)) || (cb <= 0.0 && cb == floor(cb)) {
        let mut out = [0.0; 3];
        hyper_series(ca, cb, c, x, &mut out);
        return pow(rest, c - a - b) * out[0];
    }
    let s = c - a - b;
    if !hyper_near_integer(s) {
        let mut two = [0.0; 2];
        hyper_reflected(a, b, c, rest, &mut two);
        if two[1] < 1000.0 * fabs(two[0]) {
            return two[0];
        }
    }
    if s < 0.0 {
        // The factored form has no large part to continue.
        return pow(rest, s) * hyper_continued(ca, cb, c, x, rest);
    }
    hyper_continued(a, b, c, x, rest)
}

/// A polynomial 2F1 of degree n = -a, for any x.
fn hyper_polynomial(a: f64, b: f64, c: f64, x: f64) -> f64 {
    let mut out = [0.0; 3];
    hyper_series(a, b, c, x, &mut out);
    let sum = out[0];
    if out[2] < 30.0 * fabs(sum) {
        return sum;
    }
    // Reflected to the other end (DLMF 15.8.7), if c - a - b allows.
    let n = -a;
    let d = b - c + 1.0 - n;
    let loss = out[2] / fabs(sum);
    if (d <= 0.0 && d == floor(d)) || c <= 0.0 {
        return sum;
    }
    // More steps take too long, and the terms of such a polynomial cancel.
    if n > 1e5 {
        return sum;
    }
    let mut factor = 1.0;
    for k in 0..(n as i64) {
        factor *= (c - b + k as f64) / (c + k as f64);
    }
    hyper_series(a, b, d, 1.0 - x, &mut out);
    if factor != 0.0 && out[2] < loss * fabs(out[0]) { factor * out[0] } else { sum }
}

/// Gauss's hypergeometric function 2F1(a, b; c; x).
pub fn hyp2f1(a: f64, b: f64, c: f64, x: f64) -> f64 {
    if a.is_nan() || b.is_nan() || c.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if (a == c || b == c) && x != 1.0 && x < f64::INFINITY && x > f64::NEG_INFINITY {
        // DLMF 15.4.6; the power is elementary for x > 1 too if the exponent is an integer.
        let e = if a == c { b } else { a };
        return if x < 0.5 { exp(-e * log1p(-x)) } else { pow(1.0 - x, -e) };
    }
    let a_pole = a <= 0.0 && a == floor(a);
    let b_pole = b <= 0.0 && b == floor(b);
    if c <= 0.0 && c == floor(c) {
        // A polynomial may end before the pole.
        let a_ends = a_pole && a > c;
        let b_ends = b_pole && b > c;
        if x == 0.0 || a == 0.0 || b == 0.0 {
            return 1.0;
        }
        if !a_ends && !b_ends {
            return f64::INFINITY;
        }
    }
    if x == 0.0 || a == 0.0 || b == 0.0 {
        return 1.0;
    }
    if a_pole && (!b_pole || a >= b) {
        return hyper_polynomial(a, b, c, x);
    }
    if b_pole {
        return hyper_polynomial(b, a, c, x);
    }
    let s = c - a - b;
    if x == 1.0 {
        return if s > 0.0 { hyper_gamma_ratio(c, s, c - a, c - b) } else { f64::INFINITY };
    }
    if x > 1.0 {
        return f64::INFINITY;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    if x > 0.0 {
        return hyper_unit(a, b, c, x, 1.0 - x);
    }
    // Pfaff's transformation (DLMF 15.8.1) to (0, 1), with the smaller first parameter outside.
    let z = x / (x - 1.0);
    let rest = 1.0 / (1.0 - x);
    if x > -0.3 && fabs(a * b * x) < 2.0 * fabs(c) {
        let mut out = [0.0; 3];
        hyper_series(a, b, c, x, &mut out);
        if out[2] < 3.0 * fabs(out[0]) {
            return out[0];
        }
    }
    let low = a.min(b);
    let high = a.max(b);
    // Positive terms if c > high; else the factor with the higher exponent.
    if c >= high || c - high > 0.5 * low {
        exp(-low * log1p(-x)) * hyper_unit(low, c - high, c, z, rest)
    } else {
        exp(-high * log1p(-x)) * hyper_unit(high, c - low, c, z, rest)
    }
}

/// The confluent hypergeometric limit function 0F1(; v; x).
pub fn hyp0f1(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if v <= 0.0 && v == floor(v) {
        return f64::NAN;
    }
    if x == 0.0 {
        return 1.0;
    }
    let size = fabs(x);
    let root = sqrt(size);
    let order = v - 1.0;
    if size < fabs(v) || x > 0.0 && root < 10.0 {
        return bessel_series(order, 2.0 * root, if x > 0.0 { 1.0 } else { -1.0 });
    }
    // DLMF 10.2.2 and 10.25.2 at 2 sqrt(|x|), for orders of both signs.
    let w = fabs(order);
    let z = 2.0 * root;
    let factor = gammaln(v) - order * log(root);
    if x > 0.0 {
        let i = bessel_i(w, z, true);
        return gammasgn(v) * exp(factor + z) * i;
    }
    let mut j = bessel_j(w, z);
    if order < 0.0 && w != floor(w) {
        j = cospi(w) * j - sinpi(w) * bessel_y(w, z);
    }
    gammasgn(v) * exp(factor) * j
}
