//! Modified Bessel functions of real order.
//!
//! The power series for small arguments, Olver's uniform expansion for orders from 20, from which
//! backward recurrence gives I of lower orders; Temme's series (1975) and Steed's continued
//! fraction
//! for K of low orders, from which forward recurrence gives the others.

use crate::bessel_jy::{bessel_is_odd, bessel_power, bessel_series, bessel_temme_gamma};
use crate::bessel_uniform::{BESSEL_UNIFORM_IK, bessel_ik_uniform};
use crate::bessel01::{exp_times, i0, i0e, i1, i1e, k0, k0e, k1, k1e};
use crate::elementary::sinpi;
use libm::{ceil, cosh, exp, fabs, floor, log, sin, sinh, sqrt};

/// K of orders m and m + 1 for |m| <= 1/2 and 0 < x <= 2 (Temme 1975).
fn bessel_temme_k(m: f64, x: f64, k: &mut [f64; 2]) {
    let mut g = [0.0; 4];
    bessel_temme_gamma(m, &mut g);
    let pim = std::f64::consts::PI * m;
    let d = -log(0.5 * x);
    let e = m * d;
    let ratio = if fabs(pim) < 1e-15 { 1.0 } else { pim / sin(pim) };
    let ratio2 = if fabs(e) < 1e-15 { 1.0 } else { sinh(e) / e };
    let mut f = ratio * (g[0] * cosh(e) + g[1] * ratio2 * d);
    let power = exp(e);
    let mut p = 0.5 * power / g[2];
    let mut q = 0.5 / (power * g[3]);
    let mut c = 1.0;
    let u = 0.25 * x * x;
    let mut sum = f;
    let mut sum1 = p;
    for i in 1..60 {
        let n = i as f64;
        f = (n * f + p + q) / (n * n - m * m);
        c *= u / n;
        p /= n - m;
        q /= n + m;
        let term = c * f;
        sum += term;
        sum1 += c * (p - n * f);
        if term < 1e-17 * sum {
            break;
        }
    }
    k[0] = sum;
    k[1] = sum1 * 2.0 / x;
}

/// exp(x) K of orders m and m + 1 for |m| <= 1/2 and x >= 2 (Temme 1975, with Steed's method).
fn bessel_steed_k(m: f64, x: f64, k: &mut [f64; 2]) {
    let a1 = 0.25 - m * m;
    if a1 == 0.0 {
        // Order 1/2: the fraction ends at once.
        k[0] = sqrt(std::f64::consts::FRAC_PI_2 / x);
        k[1] = k[0] * (m + 0.5 + x) / x;
        return;
    }
    let mut b = 2.0 * (1.0 + x);
    let mut d = 1.0 / b;
    let mut h = d;
    let mut delta = d;
    let mut q1 = 0.0;
    let mut q2 = 1.0;
    let mut q = a1;
    let mut c = a1;
    let mut a = -a1;
    let mut s = 1.0 + q * delta;
    for i in 2..300 {
        let n = i as f64;
        a -= 2.0 * (n - 1.0);
        c = -a * c / n;
        let next = (q1 - b * q2) / a;
        q1 = q2;
        q2 = next;
        q += c * next;
        b += 2.0;
        d = 1.0 / (b + a * d);
        delta *= b * d - 1.0;
        h += delta;
        let step = q * delta;
        s += step;
        if fabs(step) < 1e-17 * fabs(s) {
            break;
        }
    }
    h *= a1;
    k[0] = sqrt(std::f64::consts::FRAC_PI_2 / x) / s;
    k[1] = k[0] * (m + x + 0.5 - h) / x;
}

/// exp(x) K of order v by its asymptotic expansion (DLMF 10.40.2).
fn bessel_k_asymptotic(v: f64, x: f64) -> f64 {
    let mu = 4.0 * v * v;
    let r = 1.0 / (8.0 * x);
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..60 {
        let odd = (2 * k - 1) as f64;
        term *= (mu - odd * odd) * r / (k as f64);
        sum += term;
        if fabs(term) < 1e-17 * fabs(sum) {
            break;
        }
    }
    sqrt(std::f64::consts::FRAC_PI_2 / x) * sum
}

/// K of order v >= 0 and x > 0, times exp(x) if `scaled`.
pub(crate) fn bessel_k(v: f64, x: f64, scaled: bool) -> f64 {
    if v >= BESSEL_UNIFORM_IK {
        return bessel_ik_uniform(v, x, true, scaled);
    }
    let n = floor(v + 0.5);
    let m = v - n;
    let mut pair = [0.0; 2];
    let mut factor = 1.0;
    if m == 0.0 {
        if x <= 2.0 && !scaled {
            pair[0] = k0(x);
            pair[1] = k1(x);
        } else {
            pair[0] = k0e(x);
            pair[1] = k1e(x);
            factor = if scaled { 1.0 } else { exp(-x) };
        }
    } else if x <= 2.0 {
        bessel_temme_k(m, x, &mut pair);
        factor = if scaled { exp(x) } else { 1.0 };
    } else {
        if x > 30.0 {
            pair[0] = bessel_k_asymptotic(m, x);
            pair[1] = bessel_k_asymptotic(m + 1.0, x);
        } else {
            bessel_steed_k(m, x, &mut pair);
        }
        factor = if scaled { 1.0 } else { exp(-x) };
    }
    let count = n as i64;
    if count == 0 {
        return pair[0] * factor;
    }
    let inverse = 2.0 / x;
    let mut before = pair[0];
    let mut here = pair[1];
    for k in 1..count {
        let next = (m + k as f64) * inverse * here + before;
        before = here;
        here = next;
    }
    here * factor
}

/// I of order v >= 0 and x > 0, times exp(-x) if `scaled`.
pub(crate) fn bessel_i(v: f64, x: f64, scaled: bool) -> f64 {
    if v == 0.0 {
        return if scaled { i0e(x) } else { i0(x) };
    }
    if v == 1.0 {
        return if scaled { i1e(x) } else { i1(x) };
    }
    let u = 0.25 * x * x;
    if u <= 4.0 * (v + 1.0) || x < 12.0 {
        let y = bessel_power(v, x) * bessel_series(v, x, 1.0);
        return if scaled { y * exp(-x) } else { y };
    }
    if v >= BESSEL_UNIFORM_IK {
        return bessel_ik_uniform(v, x, false, scaled);
    }
    if x > 30.0 && x > v * v {
        // DLMF 10.40.1; the part with exp(-x) is too small to count.
        let mu = 4.0 * v * v;
        let r = 1.0 / (8.0 * x);
        let mut term = 1.0;
        let mut sum = 1.0;
        for k in 1..60 {
            let odd = (2 * k - 1) as f64;
            term *= -(mu - odd * odd) * r / (k as f64);
            sum += term;
            if fabs(term) < 1e-17 * fabs(sum) {
                break;
            }
        }
        let y = sum / sqrt(2.0 * std::f64::consts::PI * x);
        return if scaled { y } else { exp_times(x, y) };
    }
    let count = ceil(BESSEL_UNIFORM_IK - v) as i64;
    let top = v + count as f64;
    let mut above = bessel_ik_uniform(top + 1.0, x, false, true);
    let mut here = bessel_ik_uniform(top, x, false, true);
    let inverse = 2.0 / x;
    for k in 0..count {
        let below = (top - k as f64) * inverse * here + above;
        above = here;
        here = below;
    }
    if scaled { here } else { exp_times(x, here) }
}

/// I of real order, times exp(-|x|) if `scaled`.
fn bessel_iv(v: f64, x: f64, scaled: bool) -> f64 {
    if v.is_nan() || x.is_nan() || x.is_infinite() {
        return f64::NAN;
    }
    if v.is_infinite() {
        return 0.0;
    }
    let whole = v == floor(v);
    if x < 0.0 && !whole {
        return f64::NAN;
    }
    let w = fabs(v);
    let ax = fabs(x);
    if ax == 0.0 {
        if v == 0.0 {
            return 1.0;
        }
        if v > 0.0 || whole {
            return 0.0;
        }
        return if scaled { f64::NAN } else { f64::INFINITY };
    }
    let mut y = bessel_i(w, ax, scaled);
    if v < 0.0 && !whole {
        // DLMF 10.27.2.
        let mut k = std::f64::consts::FRAC_2_PI * sinpi(w) * bessel_k(w, ax, false);
        if scaled {
            k *= exp(-ax);
        }
        y += k;
    }
    if x < 0.0 && bessel_is_odd(v) { -y } else { y }
}

/// The modified Bessel function of the first kind of real order.
///
/// It is NaN for negative x unless v is an integer.
pub fn iv(v: f64, x: f64) -> f64 {
    bessel_iv(v, x, false)
}

/// The modified Bessel function of the first kind of real order times exp(-|x|).
pub fn ive(v: f64, x: f64) -> f64 {
    bessel_iv(v, x, true)
}

/// K of real order, times exp(x) if `scaled`.
fn bessel_kv(v: f64, x: f64, scaled: bool) -> f64 {
    if v.is_nan() || x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::INFINITY;
    }
    let w = fabs(v);
    if w.is_infinite() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return if scaled { f64::NAN } else { 0.0 };
    }
    bessel_k(w, x, scaled)
}

/// The modified Bessel function of the second kind of real order, NaN for negative x.
pub fn kv(v: f64, x: f64) -> f64 {
    bessel_kv(v, x, false)
}

/// The modified Bessel function of the second kind of real order times exp(x).
pub fn kve(v: f64, x: f64) -> f64 {
    bessel_kv(v, x, true)
}

/// The modified Bessel function of the second kind of integer order, NaN for other orders.
pub fn kn(n: f64, x: f64) -> f64 {
    if n != floor(n) { f64::NAN } else { bessel_kv(n, x, false) }
}
