//! Cumulative distribution functions of the classical distributions, and their inverses.
//!
//! Inverses in a parameter of the distribution solve an equation (`root.rs`).

use crate::erf::{ndtr, ndtri};
use crate::incbeta::{beta_checked, beta_inverse, betaincinv};
use crate::incgamma::{gamma_part, gammainc, gammaincc, gammainccinv, gammaincinv};
use crate::root::{root_next, root_start};
use libm::{exp, expm1, log, log1p};

/// The binomial distribution's cumulative distribution function, the sum of its terms 0 to k.
pub fn bdtr(k: f64, n: f64, p: f64) -> f64 {
    let k = k.floor();
    let n = n.floor();
    if !(p >= 0.0 && p <= 1.0) || !(k >= 0.0) || !(n >= k) || n.is_infinite() {
        return f64::NAN;
    }
    if k == n {
        return 1.0;
    }
    if k == 0.0 {
        return exp((n - k) * log1p(-p));
    }
    beta_checked(k + 1.0, n - k, p, 1.0 - p, true)
}

/// The binomial distribution's survival function, the sum of its terms k + 1 to n.
pub fn bdtrc(k: f64, n: f64, p: f64) -> f64 {
    let k = k.floor();
    let n = n.floor();
    if !(p >= 0.0 && p <= 1.0) || k.is_nan() || !(n >= k) || n.is_infinite() {
        return f64::NAN;
    }
    if k < 0.0 {
        return 1.0;
    }
    if k == n {
        return 0.0;
    }
    if k == 0.0 {
        return -expm1((n - k) * log1p(-p));
    }
    beta_checked(k + 1.0, n - k, p, 1.0 - p, false)
}

/// The inverse of `bdtr` in p.
pub fn bdtri(k: f64, n: f64, y: f64) -> f64 {
    let k = k.floor();
    let n = n.floor();
    if !(y >= 0.0 && y <= 1.0) || !(k >= 0.0) || !(n > k) || n.is_infinite() {
        return f64::NAN;
    }
    if k == 0.0 {
        return -expm1(log(y) / n);
    }
    if y == 0.0 || y == 1.0 {
        return 1.0 - y;
    }
    let mut both = [0.0; 2];
    if y > 0.5 {
        beta_inverse(k + 1.0, n - k, 1.0 - y, false, &mut both);
    } else {
        beta_inverse(k + 1.0, n - k, y, true, &mut both);
    }
    both[0]
}

/// The binomial distribution function of a real k.
fn bdtr_real(k: f64, n: f64, p: f64, upper: bool) -> f64 {
    if k >= n {
        return if upper { 0.0 } else { 1.0 };
    }
    beta_checked(k + 1.0, n - k, p, 1.0 - p, !upper)
}

/// The inverse of `bdtr`, for real k, in k.
pub fn bdtrik(y: f64, n: f64, p: f64) -> f64 {
    if !(y >= 0.0 && y <= 1.0) || !(p >= 0.0 && p <= 1.0) || !(n > 0.0) || n.is_infinite() {
        return f64::NAN;
    }
    if y == 1.0 {
        return n;
    }
    if y <= bdtr_real(0.0, n, p, false) {
        return 0.0;
    }
    let upper = y > 0.5;
    let mut s = [0.0; 16];
    root_start(&mut s, (n * p).max(1e-3), 0.0, n, !upper);
    while root_next(&mut s) {
        s[1] = bdtr_real(s[0], n, p, upper) - if upper { 1.0 - y } else { y };
    }
    s[0]
}

/// The inverse of `bdtr`, for real n, in n.
pub fn bdtrin(k: f64, y: f64, p: f64) -> f64 {
    if !(y >= 0.0 && y <= 1.0) || !(p >= 0.0 && p <= 1.0) || !(k >= 0.0) || k.is_infinite() {
        return f64::NAN;
    }
    if y == 0.0 || p == 0.0 {
        return f64::INFINITY;
    }
    if y == 1.0 || p == 1.0 {
        return k;
    }
    let upper = y > 0.5;
    // The unknown is n - k.
    let mut s = [0.0; 16];
    root_start(&mut s, (k + 1.0) * (1.0 - p) / p + 1e-3, 1e-300, 1e100, upper);
    while root_next(&mut s) {
        let value = beta_checked(k + 1.0, s[0], p, 1.0 - p, !upper);
        s[1] = value - if upper { 1.0 - y } else { y };
    }
    k + s[0]
}

/// The inverse of `betainc` in a.
pub fn btdtria(p: f64, b: f64, x: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(x >= 0.0 && x <= 1.0) || !(b > 0.0) || b.is_infinite() {
        return f64::NAN;
    }
    beta_parameter(p, b, x, 1.0 - x, false)
}

/// The inverse of `betainc` in b.
pub fn btdtrib(a: f64, p: f64, x: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(x >= 0.0 && x <= 1.0) || !(a > 0.0) || a.is_infinite() {
        return f64::NAN;
    }
    beta_parameter(p, a, 1.0 - x, x, true)
}

/// The a at which I_x(a, b), or its complement if upper, is p.
fn beta_parameter(p: f64, b: f64, x: f64, y: f64, upper: bool) -> f64 {
    if p == 0.0 || p == 1.0 {
        return if (p == 1.0) == upper { f64::INFINITY } else { 0.0 };
    }
    let other = p > 0.5;
    let mut s = [0.0; 16];
    let goal = if other { 1.0 - p } else { p };
    root_start(&mut s, b * x / y + 1e-3, 1e-300, 1e100, upper != other);
    while root_next(&mut s) {
        s[1] = beta_checked(s[0], b, x, y, upper != other) - goal;
    }
    s[0]
}

/// The chi-square distribution's cumulative distribution function.
pub fn chdtr(v: f64, x: f64) -> f64 {
    gammainc(0.5 * v, 0.5 * x)
}

/// The chi-square distribution's survival function.
pub fn chdtrc(v: f64, x: f64) -> f64 {
    gammaincc(0.5 * v, 0.5 * x)
}

/// The inverse of `chdtrc` in x.
pub fn chdtri(v: f64, p: f64) -> f64 {
    2.0 * gammainccinv(0.5 * v, p)
}

/// The inverse of `chdtr` in v.
pub fn chdtriv(p: f64, x: f64) -> f64 {
    2.0 * gamma_parameter(p, 0.5 * x, false)
}

/// The a at which P(a, x), or Q(a, x) if upper, is p.
fn gamma_parameter(p: f64, x: f64, upper: bool) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(x >= 0.0) || x.is_infinite() {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if (p == 1.0) == upper { f64::INFINITY } else { 0.0 };
    }
    if x == 0.0 {
        return 0.0;
    }
    let other = p > 0.5;
    let goal = if other { 1.0 - p } else { p };
    let mut s = [0.0; 16];
    root_start(&mut s, x + 1e-3, 1e-300, 1e100, upper != other);
    while root_next(&mut s) {
        s[1] = gamma_part(s[0], x, upper != other) - goal;
    }
    s[0]
}

/// The F distribution's cumulative distribution function.
pub fn fdtr(dfn: f64, dfd: f64, x: f64) -> f64 {
    fdtr_part(dfn, dfd, x, false)
}

/// The F distribution's survival function.
pub fn fdtrc(dfn: f64, dfd: f64, x: f64) -> f64 {
    fdtr_part(dfn, dfd, x, true)
}

fn fdtr_part(dfn: f64, dfd: f64, x: f64, upper: bool) -> f64 {
    if !(dfn > 0.0) || !(dfd > 0.0) || !(x >= 0.0) || dfn.is_infinite() || dfd.is_infinite() {
        return f64::NAN;
    }
    let w = dfn * x;
    if w.is_infinite() {
        return if upper { 0.0 } else { 1.0 };
    }
    beta_checked(0.5 * dfn, 0.5 * dfd, w / (dfd + w), dfd / (dfd + w), upper)
}

/// The inverse of `fdtr` in x.
pub fn fdtri(dfn: f64, dfd: f64, p: f64) -> f64 {
    if !(dfn > 0.0) || !(dfd > 0.0) || !(p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if p == 0.0 {
        return 0.0;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    let upper = p > 0.5;
    let goal = if upper { 1.0 - p } else { p };
    let mut both = [0.0; 2];
    beta_inverse(0.5 * dfn, 0.5 * dfd, goal, upper, &mut both);
    dfd * both[0] / (dfn * both[1])
}

/// The inverse of `fdtr` in dfd.
pub fn fdtridfd(dfn: f64, p: f64, x: f64) -> f64 {
    if !(dfn > 0.0) || !(p >= 0.0 && p <= 1.0) || !(x > 0.0) {
        return f64::NAN;
    }
    let upper = p > 0.5;
    let goal = if upper { 1.0 - p } else { p };
    // The function is not monotonic for x < 1: the change of sign nearest to a moderate number.
    let middle = fdtr_part(dfn, 5.0, x, upper) - goal;
    let mut high = 5.0;
    let mut low = 5.0;
    let mut left = 0.0;
    let mut rises = false;
    for _ in 0..60 {
        let above = fdtr_part(dfn, 2.0 * high, x, upper) - goal;
        if (above < 0.0) != (middle < 0.0) {
            left = high;
            rises = middle < 0.0;
            break;
        }
        let below = fdtr_part(dfn, 0.5 * low, x, upper) - goal;
        if (below < 0.0) != (middle < 0.0) {
            left = 0.5 * low;
            rises = below < 0.0;
            break;
        }
        high *= 2.0;
        low *= 0.5;
    }
    if left == 0.0 {
        return if (middle < 0.0) != upper { 1e100 } else { 1e-100 };
    }
    let mut s = [0.0; 16];
    root_start(&mut s, left, left, 2.0 * left, rises);
    while root_next(&mut s) {
        s[1] = fdtr_part(dfn, s[0], x, upper) - goal;
    }
    s[0]
}

/// The gamma distribution's cumulative distribution function, for the rate a and the shape b.
pub fn gdtr(a: f64, b: f64, x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { gammainc(b, a * x) }
}

/// The gamma distribution's survival function, for the rate a and the shape b.
pub fn gdtrc(a: f64, b: f64, x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { gammaincc(b, a * x) }
}

/// The inverse of `gdtr` in a.
pub fn gdtria(p: f64, b: f64, x: f64) -> f64 {
    gammaincinv(b, p) / x
}

/// The inverse of `gdtr` in b.
pub fn gdtrib(a: f64, p: f64, x: f64) -> f64 {
    gamma_parameter(p, a * x, false)
}

/// The inverse of `gdtr` in x.
pub fn gdtrix(a: f64, b: f64, p: f64) -> f64 {
    gammaincinv(b, p) / a
}

/// The negative binomial distribution's cumulative distribution function, the sum of its terms 0
/// to k.
pub fn nbdtr(k: f64, n: f64, p: f64) -> f64 {
    let k = k.floor();
    let n = n.floor();
    if !(p >= 0.0 && p <= 1.0) || !(k >= 0.0) || !(n >= 1.0) || k.is_infinite() {
        return f64::NAN;
    }
    beta_checked(n, k + 1.0, p, 1.0 - p, false)
}

/// The negative binomial distribution's survival function.
pub fn nbdtrc(k: f64, n: f64, p: f64) -> f64 {
    let k = k.floor();
    let n = n.floor();
    if !(p >= 0.0 && p <= 1.0) || !(k >= 0.0) || !(n >= 1.0) || k.is_infinite() {
        return f64::NAN;
    }
    beta_checked(n, k + 1.0, p, 1.0 - p, true)
}

/// The inverse of `nbdtr` in p.
pub fn nbdtri(k: f64, n: f64, y: f64) -> f64 {
    let k = k.floor();
    let n = n.floor();
    if !(k >= 0.0) {
        return f64::NAN;
    }
    betaincinv(n, k + 1.0, y)
}

/// The inverse of `nbdtr`, for real k, in k.
pub fn nbdtrik(y: f64, n: f64, p: f64) -> f64 {
    if !(y >= 0.0 && y <= 1.0) || !(p >= 0.0 && p <= 1.0) || !(n > 0.0) {
        return f64::NAN;
    }
    if y <= beta_checked(n, 1.0, p, 1.0 - p, false) {
        return 0.0;
    }
    if y == 1.0 {
        return f64::INFINITY;
    }
    let upper = y > 0.5;
    let goal = if upper { 1.0 - y } else { y };
    let mut s = [0.0; 16];
    root_start(&mut s, n * (1.0 - p) / p + 1e-3, 0.0, 1e100, !upper);
    while root_next(&mut s) {
        s[1] = beta_checked(n, s[0] + 1.0, p, 1.0 - p, upper) - goal;
    }
    s[0]
}

/// The inverse of `nbdtr`, for real n, in n.
pub fn nbdtrin(k: f64, y: f64, p: f64) -> f64 {
    if !(y >= 0.0 && y <= 1.0) || !(p >= 0.0 && p <= 1.0) || !(k >= 0.0) {
        return f64::NAN;
    }
    beta_parameter(y, k + 1.0, p, 1.0 - p, false)
}

/// The mean of the normal distribution with deviation std whose distribution function is p at x.
pub fn nrdtrimn(p: f64, std: f64, x: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) || !(std > 0.0) {
        return f64::NAN;
    }
    x - std * ndtri(p)
}

/// The deviation of the normal distribution with mean mn whose distribution function is p at x.
pub fn nrdtrisd(mn: f64, p: f64, x: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) {
        return f64::NAN;
    }
    (x - mn) / ndtri(p)
}

/// The Poisson distribution's cumulative distribution function, the sum of its terms 0 to k.
pub fn pdtr(k: f64, m: f64) -> f64 {
    if !(k >= 0.0) || !(m >= 0.0) {
        return f64::NAN;
    }
    if m == 0.0 {
        return 1.0;
    }
    gammaincc(k.floor() + 1.0, m)
}

/// The Poisson distribution's survival function, the sum of its terms from k + 1 on.
pub fn pdtrc(k: f64, m: f64) -> f64 {
    if !(k >= 0.0) || !(m >= 0.0) {
        return f64::NAN;
    }
    if m == 0.0 {
        return 0.0;
    }
    gammainc(k.floor() + 1.0, m)
}

/// The inverse of `pdtr` in m.
pub fn pdtri(k: f64, y: f64) -> f64 {
    if !(k >= 0.0) || !(y >= 0.0 && y < 1.0) {
        return f64::NAN;
    }
    gammainccinv(k.floor() + 1.0, y)
}

/// The inverse of `pdtr`, for real k, in k.
pub fn pdtrik(p: f64, m: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || !(m >= 0.0) {
        return f64::NAN;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    if m == 0.0 || p <= exp(-m) {
        return 0.0;
    }
    gamma_parameter(p, m, true) - 1.0
}

/// Student's cumulative distribution function.
pub fn stdtr(df: f64, t: f64) -> f64 {
    if !(df > 0.0) || t.is_nan() {
        return f64::NAN;
    }
    if df > 1e20 {
        return ndtr(t);
    }
    let tail = student_tail(df, t.abs());
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The probability above t >= 0.
fn student_tail(df: f64, t: f64) -> f64 {
    let square = t * t;
    if square.is_infinite() {
        if t.is_infinite() {
            return 0.0;
        }
        // Only the leading power of t is left: t^-df df^(df / 2 - 1) / B(df / 2, 1 / 2).
        let b = crate::gamma::beta(0.5 * df, 0.5);
        return exp(df * (0.5 * log(df) - log(t))) / (df * b);
    }
    let x = df / (df + square);
    let y = square / (df + square);
    0.5 * beta_checked(0.5 * df, 0.5, x, y, false)
}

/// The inverse of `stdtr` in t.
pub fn stdtrit(df: f64, p: f64) -> f64 {
    if !(df > 0.0) || !(p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    if df > 1e12 {
        // The first term of the expansion of Cornish and Fisher.
        let z = ndtri(p);
        return z + z * (z * z + 1.0) / (4.0 * df);
    }
    let tail = if p < 0.5 { p } else { 1.0 - p };
    let mut both = [0.0; 2];
    if tail > 0.25 {
        let middle = (1.0 - 2.0 * p).abs();
        if middle == 0.0 {
            return 0.0;
        }
        beta_inverse(0.5 * df, 0.5, middle, true, &mut both);
    } else {
        beta_inverse(0.5 * df, 0.5, 2.0 * tail, false, &mut both);
    }
    let x = both[0];
    let y = both[1];
    if x < 1e-250 {
        // The leading power of t, as in `student_tail`.
        let b = log(df * crate::gamma::beta(0.5 * df, 0.5));
        let t = df.sqrt() * exp(-(log(tail) + b) / df);
        return if p < 0.5 { -t } else { t };
    }
    let t = df.sqrt() * (y / x).sqrt();
    if p < 0.5 { -t } else { t }
}

/// The inverse of `stdtr` in df.
pub fn stdtridf(p: f64, t: f64) -> f64 {
    if !(p >= 0.0 && p <= 1.0) || t.is_nan() {
        return f64::NAN;
    }
    let tail = if t < 0.0 { p } else { 1.0 - p };
    let mut s = [0.0; 16];
    root_start(&mut s, 5.0, 1e-100, 1e10, false);
    while root_next(&mut s) {
        s[1] = student_tail(s[0], t.abs()) - tail;
    }
    s[0]
}

/// Tukey's lambda distribution's cumulative distribution function.
pub fn tklmbda(x: f64, lmbda: f64) -> f64 {
    if x.is_nan() || lmbda.is_nan() {
        return f64::NAN;
    }
    if lmbda == 0.0 {
        return crate::elementary::expit(x);
    }
    if lmbda > 0.0 && x.abs() >= 1.0 / lmbda {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    // The quantile (q^lambda - (1 - q)^lambda) / lambda of the smaller part q.
    let y = x.abs();
    if y == 0.0 {
        return 0.5;
    }
    if y.is_infinite() {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let mut s = [0.0; 16];
    root_start(&mut s, 0.25, 1e-308, 0.5, false);
    while root_next(&mut s) {
        let l = log(s[0]);
        let r = log1p(-s[0]);
        s[1] = (expm1(lmbda * r) - expm1(lmbda * l)) / lmbda - y;
    }
    if x > 0.0 { 1.0 - s[0] } else { s[0] }
}
