//! The distributions of Kolmogorov and Smirnov.

use crate::elementary::log1pmx;
use crate::erf::square_rest;
use crate::gamma::stirling_rest;
use crate::root::{root_next, root_start};
use libm::{exp, expm1, log, log1p, pow};

/// Kolmogorov's distribution function, or its complement if upper, for x > 0.
///
/// The two series are Jacobi's transforms of each other (DLMF 20.7.32).
fn kolmogorov_part(x: f64, upper: bool) -> f64 {
    let square = x * x;
    if x < 0.82 {
        // sqrt(2 pi) / x times the sum of exp(-(2 k - 1)^2 pi^2 / (8 x^2)).
        let e = -1.2337005501361697 / square;
        let first = exp(e);
        let eighth = exp(8.0 * e);
        let square = eighth * eighth;
        let sum = 1.0 + eighth * (1.0 + square * (1.0 + square * eighth));
        let value = 2.5066282746310002 / x * first * sum;
        return if upper { 1.0 - value } else { value };
    }
    let e = exp(-2.0 * square) * (1.0 - 2.0 * square_rest(x, square));
    // 2 (e - e^4 + e^9 - e^16 + e^25).
    let e2 = e * e;
    let e3 = e2 * e;
    let e5 = e3 * e2;
    let e7 = e5 * e2;
    let value = 2.0 * e * (1.0 - e3 * (1.0 - e5 * (1.0 - e7 * (1.0 - e7 * e2))));
    if upper { value } else { 1.0 - value }
}

/// The survival function of Kolmogorov's limiting distribution of the two-sided statistic.
pub fn kolmogorov(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x <= 0.02 {
        return 1.0;
    }
    if x > 1e3 {
        return 0.0;
    }
    kolmogorov_part(x, true)
}

/// The inverse of `kolmogorov`.
pub fn kolmogi(p: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::INFINITY;
    }
    if p == 1.0 {
        return 0.0;
    }
    let upper = p < 0.5;
    let goal = if upper { p } else { 1.0 - p };
    let mut s = [0.0; 16];
    let guess = if upper { (-0.5 * log(0.5 * p)).sqrt() } else { 0.6 };
    root_start(&mut s, guess, 0.02, 1e3, !upper);
    while root_next(&mut s) {
        s[1] = kolmogorov_part(s[0], upper) - goal;
    }
    s[0]
}

/// log(k!) - ((k + 1/2) log(k) - k + log(2 pi) / 2) for k = 1 to 9.
static FACTORIAL_REST: [f64; 9] = [
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
];

fn factorial_rest(k: f64) -> f64 {
    if k >= 10.0 { stirling_rest(k) } else { FACTORIAL_REST[k as usize - 1] }
}

/// A term j > 0 of Birnbaum and Tingey's sum (1951), divided by d, for j < n (1 - d).
///
/// The binomial coefficient times (j / n)^j ((n - j) / n)^(n - j) is near 1 / sqrt(j); the factor
/// that remains has an exponent without cancellation.
fn smirnov_term(n: f64, j: f64, d: f64) -> f64 {
    let k = n - j;
    let nd = n * d;
    let binomial = (n / (std::f64::consts::TAU * j * k)).sqrt()
        * exp(factorial_rest(n) - factorial_rest(j) - factorial_rest(k));
    let exponent = j * log1pmx(nd / j) + k * log1pmx(-nd / k);
    binomial * exp(exponent) * (n / (nd + j))
}

/// The survival function, or the distribution function if not upper, for 0 < d < 1.
fn smirnov_part(n: f64, d: f64, upper: bool) -> f64 {
    if n > 1e6 {
        // Maag and Dicaire (1971).
        let root = 6.0 * n * d + 1.0;
        let exponent = -root * root / (18.0 * n);
        return if upper { exp(exponent) } else { -expm1(exponent) };
    }
    if n == 1.0 {
        return if upper { 1.0 - d } else { d };
    }
    if n * d <= 1.0 {
        // Only the factor d (1 + d)^(n - 1) is left (Ruben and Gambino 1982).
        let p = d * pow(1.0 + d, n - 1.0);
        return if upper { 1.0 - p } else { p };
    }
    let last = (n * (1.0 - d)).floor();
    let mut sum = 0.0;
    for i in 1..=last as i64 {
        let j = i as f64;
        if n - j > n * d {
            sum += smirnov_term(n, j, d);
        }
    }
    let value = exp(n * log1p(-d)) + d * sum;
    if upper { value } else { 1.0 - value }
}

/// The survival function of Smirnov's one-sided statistic d of n samples.
pub fn smirnov(n: f64, d: f64) -> f64 {
    if n.is_nan() || d.is_nan() || !(n > 0.0) || n != n.floor() || !(d >= 0.0 && d <= 1.0) {
        return f64::NAN;
    }
    if d == 0.0 {
        return 1.0;
    }
    if d == 1.0 {
        return 0.0;
    }
    smirnov_part(n, d, true)
}

/// The inverse of `smirnov` in d.
pub fn smirnovi(n: f64, p: f64) -> f64 {
    if n.is_nan() || !(n > 0.0) || n != n.floor() || !(p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return 1.0 - p;
    }
    if n == 1.0 {
        return 1.0 - p;
    }
    let upper = p < 0.5;
    let goal = if upper { p } else { 1.0 - p };
    // The largest values are (1 - d)^n.
    if upper && log(p) <= n * log(1.0 / n) {
        return -expm1(log(p) / n);
    }
    let guess = (-log(p) / (2.0 * n)).sqrt().min(0.9);
    let mut s = [0.0; 16];
    root_start(&mut s, guess, 1e-300, 1.0, !upper);
    while root_next(&mut s) {
        let inside = s[0] < 1.0;
        let value =
            if inside { smirnov_part(n, s[0], upper) } else { if upper { 0.0 } else { 1.0 } };
        s[1] = value - goal;
    }
    s[0]
}
