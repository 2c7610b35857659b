//! Confluent hypergeometric functions of real parameters (DLMF chapter 13).
//!
//! M by its series where the terms have one sign, by asymptotic series, and by recurrence in a for
//! negative a; U by its integral, which has no cancellation, and recurrence to negative a.

use crate::bessel01::exp_times;
use crate::double_double::*;
use crate::gamma::{gammaln, gammasgn, rgamma};
use libm::{ceil, exp, fabs, floor, log, log1p, pow};

/// Parameters beyond this would take too many steps of a recurrence.
const CONFLUENT_LIMIT: f64 = 1e5;

/// The series of M (DLMF 13.2.2), times exp(-x) if `scaled`; out[1] is the largest term.
fn confluent_sum(a: f64, b: f64, x: f64, scaled: bool, out: &mut [f64; 2]) {
    let mut largest = 1.0;
    let mut term = 1.0;
    // Large terms of a scaled sum must not overflow.
    let parts = if scaled && x > 600.0 { floor(x / 600.0) } else { 0.0 };
    let mut left = parts;
    let mut sum = 1.0;
    let shrink = 2.6503965530043108e-261;
    for k in 0..20000 {
        let n = k as f64;
        term *= (a + n) / (b + n) * (x / (n + 1.0));
        sum += term;
        if fabs(term) > largest {
            largest = fabs(term);
        }
        if left > 0.0 && fabs(sum) > 1e250 {
            // exp(-600).
            term *= shrink;
            sum *= shrink;
            largest *= shrink;
            left -= 1.0;
        }
        if fabs(term) < 1e-17 * fabs(sum) && n > -a && n > -b || term == 0.0 {
            break;
        }
    }
    let factor = if scaled { exp(-(x - 600.0 * (parts - left))) } else { 1.0 };
    out[0] = sum * factor;
    out[1] = largest * factor;
}

/// The series of M in pairs of doubles, for terms that cancel.
fn confluent_series_double(a: f64, b: f64, x: f64) -> f64 {
    let factor = [x, 0.0];
    let mut term = [1.0, 0.0];
    let mut sum = [1.0, 0.0];
    let mut p = [0.0; 2];
    let mut q = [0.0; 2];
    for k in 0..2000 {
        let n = k as f64;
        double_two_sum(a, n, &mut p);
        double_multiply(&mut term, &p);
        double_multiply(&mut term, &factor);
        double_two_sum(b, n, &mut p);
        q[0] = n + 1.0;
        q[1] = 0.0;
        double_multiply(&mut p, &q);
        double_divide(&mut term, &p);
        double_add(&mut sum, &term);
        if fabs(term[0]) < 1e-17 * fabs(sum[0]) && n > -a && n > -b || term[0] == 0.0 {
            break;
        }
    }
    sum[0]
}

/// The series of M, times exp(-x) if `scaled`.
fn confluent_series(a: f64, b: f64, x: f64, scaled: bool) -> f64 {
    let mut out = [0.0; 2];
    confluent_sum(a, b, x, scaled, &mut out);
    out[0]
}

/// exp(-x) M(a, b, x) for large x > 0 (DLMF 13.7.1), NaN if the series does not end.
fn confluent_asymptotic(a: f64, b: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    let mut done = false;
    for k in 0..100 {
        let n = k as f64;
        let factor = (1.0 - a + n) * (b - a + n) / ((n + 1.0) * x);
        if fabs(factor) > 0.9 {
            break;
        }
        term *= factor;
        sum += term;
        if fabs(term) < 1e-17 * fabs(sum) {
            done = true;
            break;
        }
    }
    if !done {
        return f64::NAN;
    }
    if fabs(a) < 100.0 && fabs(b) < 100.0 {
        let y = pow(x, a - b) * (rgamma(a) / rgamma(b)) * sum;
        if y.is_finite() && y != 0.0 {
            return y;
        }
    }
    let sign = gammasgn(a) * gammasgn(b);
    sign * exp((a - b) * log(x) + gammaln(b) - gammaln(a)) * sum
}

/// M(a, b, x) for a >= -1 and x > 0, times exp(-x) if `scaled`.
fn confluent_direct(a: f64, b: f64, x: f64, scaled: bool) -> f64 {
    if a == 0.0 {
        return if scaled { exp(-x) } else { 1.0 };
    }
    if a == b {
        return if scaled { 1.0 } else { exp(x) };
    }
    if x > 40.0 && a != -1.0 {
        let y = confluent_asymptotic(a, b, x);
        if !y.is_nan() {
            return if scaled { y } else { exp_times(x, y) };
        }
    }
    confluent_series(a, b, x, scaled)
}

/// M(a, b, x) for x > 0, times exp(-x) if `scaled`.
pub(crate) fn confluent_m(a: f64, b: f64, x: f64, scaled: bool) -> f64 {
    if a >= -1.0 || b < 0.0 || fabs(a) * x < 0.3 * b {
        return confluent_direct(a, b, x, scaled);
    }
    let whole = a == floor(a);
    if x > 40.0 && !whole {
        let y = confluent_asymptotic(a, b, x);
        if !y.is_nan() {
            return if scaled { y } else { exp_times(x, y) };
        }
    }
    let mut out = [0.0; 2];
    confluent_sum(a, b, x, scaled, &mut out);
    if out[1] < 30.0 * fabs(out[0]) {
        return out[0];
    }
    if out[1] < 1e19 * fabs(out[0]) && !whole && x < 300.0 {
        let y = confluent_series_double(a, b, x);
        return if scaled { y * exp(-x) } else { y };
    }
    // Recurrence (DLMF 13.3.1) towards negative a, as for Laguerre's polynomials.
    let count = floor(-a);
    if count > CONFLUENT_LIMIT {
        return f64::NAN;
    }
    let start = a + count;
    let inner = scaled || x > 600.0;
    // start lies in (-1, 0]; for 0 the two first ones are polynomials.
    let mut above = confluent_direct(start + 1.0, b, x, inner);
    let mut here = confluent_direct(start, b, x, inner);
    if start == 0.0 {
        above = 0.0;
    }
    for k in 0..(count as i64) {
        let c = start - k as f64;
        let below = (c * above - (2.0 * c - b + x) * here) / (b - c);
        above = here;
        here = below;
    }
    if inner && !scaled { exp_times(x, here) } else { here }
}

/// The confluent hypergeometric function 1F1(a; b; x).
pub fn hyp1f1(a: f64, b: f64, x: f64) -> f64 {
    if a.is_nan() || b.is_nan() || x.is_nan() || a.is_infinite() || b.is_infinite() {
        return f64::NAN;
    }
    if b <= 0.0 && b == floor(b) {
        let ends = a <= 0.0 && a == floor(a) && a > b;
        if a == 0.0 && b < 0.0 {
            return 1.0;
        }
        if !ends {
            return f64::INFINITY;
        }
        return confluent_series(a, b, x, false);
    }
    if a == 0.0 || x == 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    if a == b {
        return exp(x);
    }
    if a == b + 1.0 {
        return (1.0 + x / b) * exp(x);
    }
    if x > 0.0 {
        return confluent_m(a, b, x, false);
    }
    if a < 0.0 && (a == floor(a) || fabs(a * x) < 0.3 * fabs(b)) {
        return confluent_series(a, b, x, false);
    }
    if fabs(x) < 1.0 && fabs(a * x) < fabs(b) {
        return confluent_series(a, b, x, false);
    }
    // Kummer's transformation, DLMF 13.2.39.
    confluent_m(b - a, b, -x, true)
}

/// U(a, b, x) for a > 0 by the integral DLMF 13.4.4 with t = exp(y - exp(-y)).
fn confluent_integral(a: f64, b: f64, x: f64) -> f64 {
    let step = 0.0625;
    let low = -log(45.0 / a + 2.0);
    // Up to the end of exp(-x t); before that the power has fallen if b < 0 is large.
    let high = log(50.0 / x + 4.0 * (fabs(a) + fabs(b)) / x + 3.0) + 0.2;
    let first = floor(low / step);
    let last = ceil(high / step);
    let mut sum = 0.0;
    let power = b - a - 1.0;
    let constant = gammaln(a);
    for k in (first as i64)..=(last as i64) {
        let y = k as f64 * step;
        let e = exp(-y);
        let l = y - e;
        let t = exp(l);
        sum += exp(a * l - x * t + power * log1p(t) - constant) * (1.0 + e);
    }
    sum * step
}

/// x^a U(a, b, x) for large x (DLMF 13.7.3), NaN if the series does not end.
fn confluent_u_asymptotic(a: f64, b: f64, x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 0..60 {
        let n = k as f64;
        let factor = -(a + n) * (a - b + 1.0 + n) / ((n + 1.0) * x);
        if fabs(factor) > 0.7 {
            break;
        }
        term *= factor;
        sum += term;
        if fabs(term) < 1e-17 * fabs(sum) {
            return sum;
        }
    }
    f64::NAN
}

/// U(a, b, x) for x > 0 and any a.
pub(crate) fn confluent_u(a: f64, b: f64, x: f64) -> f64 {
    if a == 0.0 {
        return 1.0;
    }
    if a == b - 1.0 {
        return pow(x, -a);
    }
    let y = confluent_u_asymptotic(a, b, x);
    if !y.is_nan() {
        return pow(x, -a) * y;
    }
    if a > 0.0 {
        return confluent_integral(a, b, x);
    }
    let other = a - b + 1.0;
    if other > 0.0 && a != floor(a) {
        // DLMF 13.2.40.
        return pow(x, 1.0 - b) * confluent_integral(other, 2.0 - b, x);
    }
    // Recurrence (DLMF 13.3.7) towards negative a, for which U does not decay.
    let count = ceil(-a);
    if count > CONFLUENT_LIMIT {
        return f64::NAN;
    }
    let start = a + count;
    let mut above = 0.0;
    let mut here = 1.0;
    if start > 0.0 {
        above = confluent_integral(start + 1.0, b, x);
        here = confluent_integral(start, b, x);
    }
    for k in 0..(count as i64) {
        let c = start - k as f64;
        let below = (x + 2.0 * c - b) * here - c * (c - b + 1.0) * above;
        above = here;
        here = below;
    }
    here
}

/// The confluent hypergeometric function U(a, b, x) of x >= 0, NaN for negative x.
pub fn hyperu(a: f64, b: f64, x: f64) -> f64 {
    if a.is_nan() || b.is_nan() || x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if a == 0.0 {
        return 1.0;
    }
    if a < 0.0 && a == floor(a) && x.is_finite() {
        return confluent_u(a, b, x);
    }
    if x == 0.0 {
        if b > 1.0 {
            return f64::INFINITY;
        }
        // DLMF 13.2.18 to 13.2.22.
        return rgamma(a - b + 1.0) / rgamma(1.0 - b);
    }
    if a.is_infinite() || b.is_infinite() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return if a > 0.0 { 0.0 } else { f64::INFINITY };
    }
    confluent_u(a, b, x)
}
