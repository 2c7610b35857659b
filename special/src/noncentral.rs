//! The noncentral chi-square, F and t distributions.
//!
//! The first two are mixtures of central distributions with weights of Poisson's distribution. They
//! are summed downwards from a term above the largest one: then the recurrence only adds (Benton
//! and Krishnamoorthy 2003).

use crate::erf::ndtr;
use crate::incbeta::{beta_checked, beta_prefactor};
use crate::incgamma::{gamma_part, gamma_prefactor};
use crate::root::{root_next, root_start};
use libm::{exp, expm1};

/// The number of terms above the largest term of a mixture, at j = peak, that can matter.
fn mixture_end(peak: f64) -> f64 {
    (peak + 9.0 * peak.sqrt() + 12.0).floor()
}

/// The noncentral chi-square distribution's cumulative distribution function.
pub fn chndtr(x: f64, df: f64, nc: f64) -> f64 {
    if x.is_nan() || !(df > 0.0) || !(nc >= 0.0) || df.is_infinite() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 0.0;
    }
    if nc.is_infinite() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 1.0;
    }
    let a = 0.5 * df;
    let y = 0.5 * x;
    let m = 0.5 * nc;
    if m == 0.0 {
        return gamma_part(a, y, false);
    }
    // The terms grow up to the mean of the weights, or to j (j + a) = m y.
    let root = 0.5 * ((a * a + 4.0 * m * y).sqrt() - a);
    let end = mixture_end(m.min(root));
    if end > 1e7 {
        // Sankaran's normal approximation (1959), where the sum would have very many terms.
        return chndtr_normal(x, df, nc);
    }
    // The factors are exact at the largest term; the way up and down leaves its errors small.
    let start = m.min(root).floor();
    let mut weight = gamma_prefactor(start, m);
    let mut rise = gamma_prefactor(a + start, y);
    let mut j = start;
    while j < end && weight > 1e-290 && (rise > 1e-290 || y > a + j) {
        j += 1.0;
        weight *= m / j;
        rise *= y / (a + j);
    }
    let mut value = gamma_part(a + j, y, false);
    let mut sum = weight * value;
    while j > 0.0 {
        weight *= j / m;
        rise *= (a + j) / y;
        value += rise;
        j -= 1.0;
        let term = weight * value;
        sum += term;
        if term < 1e-17 * sum && j < m {
            break;
        }
    }
    sum.min(1.0)
}

fn chndtr_normal(x: f64, df: f64, nc: f64) -> f64 {
    let s = df + nc;
    let d = df + 2.0 * nc;
    let h = 1.0 - 2.0 / 3.0 * s * (df + 3.0 * nc) / (d * d);
    let p = d / (s * s);
    let m = (h - 1.0) * (1.0 - 3.0 * h);
    let power = libm::pow(x / s, h);
    let mean = 1.0 + h * p * (h - 1.0 - 0.5 * (2.0 - h) * m * p);
    let deviation = h * (2.0 * p).sqrt() * (1.0 + 0.5 * m * p);
    ndtr((power - mean) / deviation)
}

/// The inverse of `chndtr` in x.
pub fn chndtrix(p: f64, df: f64, nc: f64) -> f64 {
    if !(p >= 0.0 && p < 1.0) || !(df > 0.0) || !(nc >= 0.0) || nc.is_infinite() {
        return if p == 1.0 && df > 0.0 && nc >= 0.0 { f64::INFINITY } else { f64::NAN };
    }
    if p == 0.0 {
        return 0.0;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, df + nc, 1e-300, 1e100, true);
    while root_next(&mut s) {
        s[1] = chndtr(s[0], df, nc) - p;
    }
    s[0]
}

/// The inverse of `chndtr` in df.
pub fn chndtridf(x: f64, p: f64, nc: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(x >= 0.0) || !(nc >= 0.0) || nc.is_infinite() {
        return f64::NAN;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, (x - nc).max(1.0), 1e-100, 1e100, false);
    while root_next(&mut s) {
        s[1] = chndtr(x, s[0], nc) - p;
    }
    s[0]
}

/// The inverse of `chndtr` in nc.
pub fn chndtrinc(x: f64, df: f64, p: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(x >= 0.0) || !(df > 0.0) {
        return f64::NAN;
    }
    if p >= chndtr(x, df, 0.0) {
        return 0.0;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, (x - df).max(1.0), 0.0, 1e10, false);
    while root_next(&mut s) {
        s[1] = chndtr(x, df, s[0]) - p;
    }
    s[0]
}

/// The noncentral F distribution's cumulative distribution function.
pub fn ncfdtr(dfn: f64, dfd: f64, nc: f64, f: f64) -> f64 {
    if !(dfn > 0.0) || !(dfd > 0.0) || !(nc >= 0.0) || f.is_nan() || nc.is_infinite() {
        return f64::NAN;
    }
    if dfn.is_infinite() || dfd.is_infinite() {
        return f64::NAN;
    }
    if f <= 0.0 {
        return 0.0;
    }
    if f.is_infinite() {
        return 1.0;
    }
    let a = 0.5 * dfn;
    let b = 0.5 * dfd;
    let m = 0.5 * nc;
    let x = dfn * f / (dfd + dfn * f);
    let y = dfd / (dfd + dfn * f);
    if m == 0.0 {
        return beta_checked(a, b, x, y, false);
    }
    // The terms grow up to the mean of the weights, or to j (j + a) = m x (j + a + b).
    let half = 0.5 * (a - m * x);
    let root = (half * half + m * x * (a + b)).sqrt() - half;
    let end = mixture_end(m.min(root));
    if end > 1e7 {
        // Patnaik's central distribution (1949), where the sum would have very many terms.
        let df = (dfn + nc) * ((dfn + nc) / (dfn + 2.0 * nc));
        let w = df / dfd * (dfn / (dfn + nc) * f);
        return beta_checked(0.5 * df, b, w / (1.0 + w), 1.0 / (1.0 + w), false);
    }
    // The factors are exact at the largest term; the way up and down leaves its errors small.
    let start = m.min(root).floor();
    let mut weight = gamma_prefactor(start, m);
    // x^(a + j) y^b / ((a + j) B(a + j, b)).
    let mut rise = beta_prefactor(a + start, b, x, y) / (a + start);
    let mut j = start;
    while j < end && weight > 1e-290 && (rise > 1e-290 || (a + j + b) * x > a + j) {
        j += 1.0;
        weight *= m / j;
        rise *= (a + j - 1.0 + b) * x / (a + j);
    }
    let mut value = beta_checked(a + j, b, x, y, false);
    let mut sum = weight * value;
    while j > 0.0 {
        weight *= j / m;
        rise *= (a + j) / ((a + j - 1.0 + b) * x);
        value += rise;
        j -= 1.0;
        let term = weight * value;
        sum += term;
        if term < 1e-17 * sum && j < m {
            break;
        }
    }
    sum.min(1.0)
}

/// The inverse of `ncfdtr` in f.
pub fn ncfdtri(dfn: f64, dfd: f64, nc: f64, p: f64) -> f64 {
    if !(p >= 0.0 && p < 1.0) || !(dfn > 0.0) || !(dfd > 0.0) || !(nc >= 0.0) || nc.is_infinite() {
        let defined = dfn > 0.0 && dfd > 0.0 && nc >= 0.0 && nc < f64::INFINITY;
        return if p == 1.0 && defined { f64::INFINITY } else { f64::NAN };
    }
    if p == 0.0 {
        return 0.0;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, 1.0 + nc / dfn, 1e-300, 1e100, true);
    while root_next(&mut s) {
        s[1] = ncfdtr(dfn, dfd, nc, s[0]) - p;
    }
    s[0]
}

/// The inverse of `ncfdtr` in dfn.
pub fn ncfdtridfn(p: f64, dfd: f64, nc: f64, f: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(dfd > 0.0) || !(nc >= 0.0) || !(f >= 0.0) {
        return f64::NAN;
    }
    // The function is not monotonic: the change of sign nearest to a moderate number is used.
    let middle = ncfdtr(5.0, dfd, nc, f) - p;
    let mut high = 5.0;
    let mut low = 5.0;
    let mut left = 0.0;
    let mut rises = false;
    for _ in 0..40 {
        let above = ncfdtr(2.0 * high, dfd, nc, f) - p;
        if (above < 0.0) != (middle < 0.0) {
            left = high;
            rises = middle < 0.0;
            break;
        }
        let below = ncfdtr(0.5 * low, dfd, nc, f) - p;
        if (below < 0.0) != (middle < 0.0) {
            left = 0.5 * low;
            rises = below < 0.0;
            break;
        }
        high *= 2.0;
        low *= 0.5;
    }
    if left == 0.0 {
        return if middle < 0.0 { 1e-100 } else { 1e100 };
    }
    let mut s = [0.0; 16];
    root_start(&mut s, left, left, 2.0 * left, rises);
    while root_next(&mut s) {
        s[1] = ncfdtr(s[0], dfd, nc, f) - p;
    }
    s[0]
}

/// The inverse of `ncfdtr` in dfd.
pub fn ncfdtridfd(dfn: f64, p: f64, nc: f64, f: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(dfn > 0.0) || !(nc >= 0.0) || !(f >= 0.0) {
        return f64::NAN;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, 5.0, 1e-100, 1e100, true);
    while root_next(&mut s) {
        s[1] = ncfdtr(dfn, s[0], nc, f) - p;
    }
    s[0]
}

/// The inverse of `ncfdtr` in nc.
pub fn ncfdtrinc(dfn: f64, dfd: f64, p: f64, f: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(dfn > 0.0) || !(dfd > 0.0) || !(f >= 0.0) {
        return f64::NAN;
    }
    if p >= ncfdtr(dfn, dfd, 0.0, f) {
        return 0.0;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, 5.0, 0.0, 1e4, false);
    while root_next(&mut s) {
        s[1] = ncfdtr(dfn, dfd, s[0], f) - p;
    }
    s[0]
}

/// exp(a (v - expm1(v))), which is the density of log(chi-square / df) up to a factor, where
/// v = 2 u.
fn chi_density(a: f64, u: f64) -> f64 {
    let v = 2.0 * u;
    exp(a * (v - expm1(v)))
}

/// A normal distribution function at t exp(u) - nc, less its limit for u = -infinity if wanted.
fn nct_factor(t: f64, nc: f64, u: f64, base: f64) -> f64 {
    ndtr(t * exp(u) - nc) - base
}

/// The noncentral t distribution's cumulative distribution function.
///
/// The mean of Phi(t s - nc) over s = sqrt(chi-square / df): the trapezoidal rule in log(s), which
/// converges exponentially, and whose terms are positive, so that tails are accurate as well.
pub fn nctdtr(df: f64, nc: f64, t: f64) -> f64 {
    if !(df > 0.0) || nc.is_nan() || t.is_nan() {
        return f64::NAN;
    }
    if t.is_infinite() || nc.is_infinite() {
        if nc.is_infinite() {
            return f64::NAN;
        }
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    if t == 0.0 {
        return ndtr(-nc);
    }
    if df > 1e14 {
        return ndtr(t - nc);
    }
    let a = 0.5 * df;
    // For few degrees of freedom the left tail is long; its limit is integrated in closed form.
    let base = if df < 2.0 && t > 0.0 { ndtr(-nc) } else { 0.0 };
    let factor = gamma_prefactor(a, a) * df;
    // The largest term, on a coarse grid.
    let coarse = 0.5 / (df + 1.0 + nc * nc).sqrt();
    let mut peak = 0.0;
    let mut largest = chi_density(a, peak) * nct_factor(t, nc, peak, base);
    for i in 0..2 {
        let step = if i == 0 { coarse } else { -coarse };
        let mut misses = 0.0;
        let mut u = step;
        for _ in 0..4000 {
            let term = chi_density(a, u) * nct_factor(t, nc, u, base);
            if term > largest {
                largest = term;
                peak = u;
                misses = 0.0;
            } else {
                misses += 1.0;
            }
            if misses > 40.0 {
                break;
            }
            u += step;
        }
    }
    let slope = (t * exp(peak)).abs();
    let steep = slope.min(40.0 + nc.abs());
    let width = (df * exp(2.0 * peak) + steep * steep + nc * nc).sqrt();
    let h = (0.4 / width).min(0.1);
    let mut sum = 0.0;
    for i in 0..2 {
        let mut u = if i == 0 { peak } else { peak - h };
        let step = if i == 0 { h } else { -h };
        for _ in 0..20000 {
            let term = chi_density(a, u) * nct_factor(t, nc, u, base);
            sum += term;
            if term <= 1e-18 * sum {
                break;
            }
            u += step;
        }
    }
    (base + factor * h * sum).min(1.0)
}

/// The probability above t of the noncentral t distribution.
fn nct_upper(df: f64, nc: f64, t: f64) -> f64 {
    nctdtr(df, -nc, -t)
}

/// The inverse of `nctdtr` in t.
pub fn nctdtrit(df: f64, nc: f64, p: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(df > 0.0) || nc.is_nan() || nc.is_infinite() {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    let upper = p > 0.5;
    let goal = if upper { 1.0 - p } else { p };
    let mut s = [0.0; 16];
    root_start(&mut s, nc, -1e100, 1e100, !upper);
    while root_next(&mut s) {
        let value = if upper { nct_upper(df, nc, s[0]) } else { nctdtr(df, nc, s[0]) };
        s[1] = value - goal;
    }
    s[0]
}

/// The inverse of `nctdtr` in df.
pub fn nctdtridf(p: f64, nc: f64, t: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || nc.is_nan() || t.is_nan() {
        return f64::NAN;
    }
    let upper = p > 0.5;
    let goal = if upper { 1.0 - p } else { p };
    // The probability of the normal distribution, the limit, belongs to no finite number.
    let limit = if upper { nct_upper(1e100, nc, t) } else { nctdtr(1e100, nc, t) };
    if limit == goal {
        return 1e100;
    }
    let mut s = [0.0; 16];
    root_start(&mut s, 5.0, 1e-2, 1e100, (t > 0.0) != upper);
    while root_next(&mut s) {
        let value = if upper { nct_upper(s[0], nc, t) } else { nctdtr(s[0], nc, t) };
        s[1] = value - goal;
    }
    s[0]
}

/// The inverse of `nctdtr` in nc.
pub fn nctdtrinc(df: f64, p: f64, t: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(df > 0.0) || t.is_nan() {
        return f64::NAN;
    }
    let upper = p > 0.5;
    let goal = if upper { 1.0 - p } else { p };
    let mut s = [0.0; 16];
    root_start(&mut s, t.max(-40.0).min(40.0), -1e6, 1e6, upper);
    while root_next(&mut s) {
        let value = if upper { nct_upper(df, s[0], t) } else { nctdtr(df, s[0], t) };
        s[1] = value - goal;
    }
    s[0]
}
