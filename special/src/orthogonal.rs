//! Orthogonal polynomials and the functions of other degrees that continue them.
//!
//! Integer degrees use the recurrences of DLMF 18.9, others the hypergeometric forms of DLMF 18.5.

use crate::confluent::confluent_m;
use crate::gamma::{binom, gammaln, gammasgn};
use crate::hypergeometric::{hyp2f1, hyper_gamma_ratio};
use libm::{acos, acosh, cos, cosh, exp, fabs, floor, pow, sin, sqrt};

/// Degrees beyond this are computed by closed forms or hypergeometric functions.
const ORTHOGONAL_LIMIT: f64 = 100000.0;

/// Whether a degree is handled by recurrence.
fn orthogonal_whole(n: f64) -> bool {
    n == floor(n) && n >= 0.0 && n < ORTHOGONAL_LIMIT
}

/// The Legendre polynomial P_n by differences, which keep the digits near x = 1.
fn orthogonal_legendre(n: i64, x: f64) -> f64 {
    if n == 0 {
        return 1.0;
    }
    if n == 1 {
        return x;
    }
    if fabs(x) < 1e-5 {
        return orthogonal_legendre_small(n, x);
    }
    let mut d = x - 1.0;
    let mut p = x;
    for k in 1..n {
        let m = k as f64;
        d = (2.0 * m + 1.0) / (m + 1.0) * (x - 1.0) * p + m / (m + 1.0) * d;
        p += d;
    }
    p
}

/// The Legendre polynomial P_n of tiny x by its lowest powers (DLMF 18.5.8 about 0).
fn orthogonal_legendre_small(n: i64, x: f64) -> f64 {
    let m = n as f64;
    let half = floor(0.5 * m);
    let odd = n % 2 == 1;
    // The central value or slope is a quotient of gamma functions.
    let mut lead = if half % 2.0 == 0.0 { 1.0 } else { -1.0 };
    if half < 150.0 {
        for k in 1..=(half as i64) {
            lead *= (2 * k - 1) as f64 / (2 * k) as f64;
        }
    } else {
        lead *= exp(gammaln(half + 0.5) - gammaln(half + 1.0)) * 0.5641895835477563;
    }
    let mut term = if odd { lead * (2.0 * half + 1.0) * x } else { lead };
    let mut sum = term;
    let start = if odd { 1.0 } else { 0.0 };
    for k in 0..30 {
        let i = start + 2.0 * k as f64;
        // y'' (1 - x^2) - 2 x y' + n(n + 1) y = 0.
        term *= (i * (i + 1.0) - m * (m + 1.0)) * x * x / ((i + 1.0) * (i + 2.0));
        sum += term;
        if fabs(term) < 1e-17 * fabs(sum) {
            break;
        }
    }
    sum
}

/// The Legendre function P_n(x), a polynomial for integer n.
pub fn eval_legendre(n: f64, x: f64) -> f64 {
    if n.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    let degree = if n < 0.0 && n == floor(n) { -n - 1.0 } else { n };
    if orthogonal_whole(degree) {
        return orthogonal_legendre(degree as i64, x);
    }
    if degree > 1.5 && fabs(x) < 1.0 {
        return orthogonal_lpmv(0.0, degree, x);
    }
    hyp2f1(-n, n + 1.0, 1.0, 0.5 * (1.0 - x))
}

/// The Chebyshev function T_n(x) of the first kind, a polynomial for integer n.
pub fn eval_chebyt(n: f64, x: f64) -> f64 {
    if n.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    let degree = fabs(n);
    if orthogonal_whole(degree) {
        let count = degree as i64;
        let mut before = 1.0;
        let mut here = x;
        if count == 0 {
            return 1.0;
        }
        for _k in 1..count {
            let next = 2.0 * x * here - before;
            before = here;
            here = next;
        }
        return here;
    }
    if fabs(x) <= 1.0 {
        return cos(n * acos(x));
    }
    if x > 1.0 {
        return cosh(n * acosh(x));
    }
    hyp2f1(-n, n, 0.5, 0.5 * (1.0 - x))
}

/// The Chebyshev function U_n(x) of the second kind, a polynomial for integer n.
pub fn eval_chebyu(n: f64, x: f64) -> f64 {
    if n.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if n == -1.0 {
        return 0.0;
    }
    if n == floor(n) && fabs(n) < ORTHOGONAL_LIMIT {
        let negative = n < -1.0;
        let count = (if negative { -n - 2.0 } else { n }) as i64;
        let mut before = 0.0;
        let mut here = 1.0;
        for _k in 0..count {
            let next = 2.0 * x * here - before;
            before = here;
            here = next;
        }
        return if negative { -here } else { here };
    }
    if fabs(x) < 1.0 {
        let angle = acos(x);
        return sin((n + 1.0) * angle) / sin(angle);
    }
    (n + 1.0) * hyp2f1(-n, n + 2.0, 1.5, 0.5 * (1.0 - x))
}

/// The Chebyshev function S_n(x) = U_n(x/2) on [-2, 2].
pub fn eval_chebys(n: f64, x: f64) -> f64 {
    eval_chebyu(n, 0.5 * x)
}

/// The Chebyshev function C_n(x) = 2 T_n(x/2) on [-2, 2].
pub fn eval_chebyc(n: f64, x: f64) -> f64 {
    2.0 * eval_chebyt(n, 0.5 * x)
}

/// The shifted Legendre function P_n(2 x - 1).
pub fn eval_sh_legendre(n: f64, x: f64) -> f64 {
    eval_legendre(n, 2.0 * x - 1.0)
}

/// The shifted Chebyshev function T_n(2 x - 1).
pub fn eval_sh_chebyt(n: f64, x: f64) -> f64 {
    eval_chebyt(n, 2.0 * x - 1.0)
}

/// The shifted Chebyshev function U_n(2 x - 1).
pub fn eval_sh_chebyu(n: f64, x: f64) -> f64 {
    eval_chebyu(n, 2.0 * x - 1.0)
}

/// The Jacobi function by its hypergeometric form.
fn orthogonal_jacobi_series(n: f64, alpha: f64, beta: f64, x: f64) -> f64 {
    let f = hyp2f1(-n, n + alpha + beta + 1.0, alpha + 1.0, 0.5 * (1.0 - x));
    binom(n + alpha, n) * f
}

/// The Jacobi function of degree first + count from those of degrees first and first + 1.
fn orthogonal_jacobi_up(first: f64, count: i64, a: f64, b: f64, x: f64, p0: f64, p1: f64) -> f64 {
    let mut before = p0;
    let mut here = p1;
    for i in 1..count {
        // DLMF 18.9.1 with the coefficients of 18.9.2.
        let k = first + i as f64;
        let t = 2.0 * k + a + b;
        let d = 2.0 * (k + 1.0) * (k + a + b + 1.0);
        let p = (t + 1.0) * ((t + 2.0) * x + (a - b) * (a + b) / t) / d;
        let q = 2.0 * (k + a) * (k + b) * (t + 2.0) / (d * t);
        let next = p * here - q * before;
        before = here;
        here = next;
    }
    here
}

/// The Jacobi function P_n^(alpha, beta)(x), a polynomial for integer n.
pub fn eval_jacobi(n: f64, alpha: f64, beta: f64, x: f64) -> f64 {
    if n.is_nan() || alpha.is_nan() || beta.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if !orthogonal_whole(n) {
        if n > 1.5 && n < ORTHOGONAL_LIMIT && fabs(x) < 1.0 && alpha > -1.0 && beta > -1.0 {
            // The functions of other degrees obey the same recurrence.
            let low = n - floor(n);
            let p0 = orthogonal_jacobi_series(low, alpha, beta, x);
            let p1 = orthogonal_jacobi_series(low + 1.0, alpha, beta, x);
            return orthogonal_jacobi_up(low, floor(n) as i64, alpha, beta, x, p0, p1);
        }
        return orthogonal_jacobi_series(n, alpha, beta, x);
    }
    let count = n as i64;
    if count == 0 {
        return 1.0;
    }
    let p1 = 0.5 * (2.0 * (alpha + 1.0) + (alpha + beta + 2.0) * (x - 1.0));
    if count == 1 {
        return p1;
    }
    if alpha <= -1.0 {
        return orthogonal_jacobi_up(0.0, count, alpha, beta, x, 1.0, p1);
    }
    // The differences of the polynomials divided by their values at 1.
    let mut d = (alpha + beta + 2.0) * (x - 1.0) / (2.0 * (alpha + 1.0));
    let mut p = d + 1.0;
    for i in 1..count {
        let k = i as f64;
        let t = 2.0 * k + alpha + beta;
        d = (t * (t + 1.0) * (t + 2.0) * (x - 1.0) * p + 2.0 * k * (k + beta) * (t + 2.0) * d)
            / (2.0 * (k + alpha + 1.0) * (k + alpha + beta + 1.0) * t);
        p += d;
    }
    binom(n + alpha, n) * p
}

/// The shifted Jacobi function G_n^(p, q)(x).
pub fn eval_sh_jacobi(n: f64, p: f64, q: f64, x: f64) -> f64 {
    eval_jacobi(n, p - q, q - 1.0, 2.0 * x - 1.0) / binom(2.0 * n + p - 1.0, n)
}

/// The Gegenbauer function by its hypergeometric form.
fn orthogonal_gegenbauer_series(n: f64, alpha: f64, x: f64) -> f64 {
    let factor = hyper_gamma_ratio(n + 2.0 * alpha, 1.0, n + 1.0, 2.0 * alpha);
    factor * hyp2f1(-n, n + 2.0 * alpha, alpha + 0.5, 0.5 * (1.0 - x))
}

/// The Gegenbauer function C_n^(alpha)(x), a polynomial for integer n.
pub fn eval_gegenbauer(n: f64, alpha: f64, x: f64) -> f64 {
    if n.is_nan() || alpha.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if alpha == 0.0 && n == floor(n) {
        return if n == 0.0 { 1.0 } else { 0.0 };
    }
    let whole = orthogonal_whole(n);
    let between = n > 1.5 && n < ORTHOGONAL_LIMIT && fabs(x) < 1.0 && alpha > -0.5;
    if !whole && !between {
        return orthogonal_gegenbauer_series(n, alpha, x);
    }
    if n == 0.0 {
        return 1.0;
    }
    let mut low = 0.0;
    let mut before = 1.0;
    let mut here = 2.0 * alpha * x;
    if !whole {
        low = n - floor(n);
        before = orthogonal_gegenbauer_series(low, alpha, x);
        here = orthogonal_gegenbauer_series(low + 1.0, alpha, x);
    }
    // DLMF 18.9.1 with the coefficients of 18.9.2.
    for i in 1..(floor(n) as i64) {
        let k = low + i as f64;
        let next = (2.0 * (k + alpha) * x * here - (k + 2.0 * alpha - 1.0) * before) / (k + 1.0);
        before = here;
        here = next;
    }
    here
}

/// The generalised Laguerre function L_n^(alpha)(x) of alpha > -1, a polynomial for integer n.
pub fn eval_genlaguerre(n: f64, alpha: f64, x: f64) -> f64 {
    if n.is_nan() || alpha.is_nan() || x.is_nan() || alpha <= -1.0 {
        return f64::NAN;
    }
    if !orthogonal_whole(n) {
        let b = alpha + 1.0;
        let m =
            if x > 0.0 { confluent_m(-n, b, x, false) } else { confluent_m(b + n, b, -x, true) };
        return binom(n + alpha, n) * m;
    }
    let count = n as i64;
    if count == 0 {
        return 1.0;
    }
    let mut d = -x / (alpha + 1.0);
    let mut p = d + 1.0;
    for i in 1..count {
        let k = i as f64;
        d = (k * d - x * p) / (k + alpha + 1.0);
        p += d;
    }
    binom(n + alpha, n) * p
}

/// The Laguerre function L_n(x), a polynomial for integer n.
pub fn eval_laguerre(n: f64, x: f64) -> f64 {
    eval_genlaguerre(n, 0.0, x)
}

/// The Hermite polynomial He_n(x) of integer degree, orthogonal with weight exp(-x^2/2).
pub fn eval_hermitenorm(n: f64, x: f64) -> f64 {
    if x.is_nan() || n != floor(n) || n < 0.0 || n >= ORTHOGONAL_LIMIT {
        return f64::NAN;
    }
    let mut before = 0.0;
    let mut here = 1.0;
    for k in 0..(n as i64) {
        let next = x * here - k as f64 * before;
        before = here;
        here = next;
    }
    here
}

/// The Hermite polynomial H_n(x) of integer degree, orthogonal with weight exp(-x^2).
pub fn eval_hermite(n: f64, x: f64) -> f64 {
    if x.is_nan() || n != floor(n) || n < 0.0 || n >= ORTHOGONAL_LIMIT {
        return f64::NAN;
    }
    let mut before = 0.0;
    let mut here = 1.0;
    for k in 0..(n as i64) {
        let next = 2.0 * (x * here - k as f64 * before);
        before = here;
        here = next;
    }
    here
}

/// The Legendre polynomial P_n(x) of integer degree, as `eval_legendre`.
pub fn legendre_p(n: f64, x: f64) -> f64 {
    if n == floor(n) { eval_legendre(n, x) } else { f64::NAN }
}

/// The associated Legendre function of order m >= 0 and degree v >= 0 for |x| < 1, without the
/// power of 1 - x^2 and the factor (-1)^m 2^-m/m! gamma(v + m + 1)/gamma(v - m + 1).
fn orthogonal_associated(m: f64, v: f64, x: f64) -> f64 {
    // DLMF 14.3.1 with Euler's transformation; the plain form converges where c - a - b > 0.
    let z = 0.5 * (1.0 - x);
    if x >= 0.0 {
        return hyp2f1(v + m + 1.0, m - v, m + 1.0, z);
    }
    pow(0.5 * (1.0 + x), -m) * hyp2f1(-v, v + 1.0, m + 1.0, z)
}

/// The associated Legendre function of order m >= 0 and degree v >= 0 for |x| < 1.
fn orthogonal_lpmv(m: f64, v: f64, x: f64) -> f64 {
    let sign = if m % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let s = (1.0 - x) * (1.0 + x);
    if v == floor(v) {
        if m > v {
            return 0.0;
        }
        // From P_m^m upwards in degree (DLMF 14.10.3).
        let mut here = sign;
        let root = sqrt(s);
        for k in 1..=(m as i64) {
            here *= (2 * k - 1) as f64 * root;
        }
        let mut before = 0.0;
        for i in (m as i64)..(v as i64) {
            let k = i as f64;
            let next = ((2.0 * k + 1.0) * x * here - (k + m) * before) / (k - m + 1.0);
            before = here;
            here = next;
        }
        return here;
    }
    // Fractional degrees start between m - 1 and m + 1, where the series are short.
    let fraction = v - floor(v);
    let low = if v < m + 1.0 { v } else { m + fraction };
    let first = orthogonal_lpmv_series(m, low, s, x, sign);
    if v <= low {
        return first;
    }
    let mut before = first;
    let mut here = orthogonal_lpmv_series(m, low + 1.0, s, x, sign);
    let count = (v - low - 0.5) as i64;
    for i in 0..count {
        let k = low + 1.0 + i as f64;
        let next = ((2.0 * k + 1.0) * x * here - (k + m) * before) / (k - m + 1.0);
        before = here;
        here = next;
    }
    here
}

/// The associated Legendre function by its hypergeometric form.
fn orthogonal_lpmv_series(m: f64, v: f64, s: f64, x: f64, sign: f64) -> f64 {
    let mut factor = 1.0;
    // gamma(v + m + 1)/gamma(v - m + 1)/(2^m m!).
    for k in 1..=(m as i64) {
        let j = k as f64;
        factor *= (v + j) * (v - j + 1.0) / (2.0 * j);
    }
    sign * factor * pow(s, 0.5 * m) * orthogonal_associated(m, v, x)
}

/// The associated Legendre function of integer order m and real degree v for |x| <= 1.
///
/// It has the phase (-1)^m, and is NaN for other orders and beyond [-1, 1].
pub fn lpmv(m: f64, v: f64, x: f64) -> f64 {
    if m != floor(m) || v.is_nan() || x.is_nan() || fabs(m) > ORTHOGONAL_LIMIT {
        return f64::NAN;
    }
    if fabs(x) > 1.0 {
        return if m == 0.0 && x > 1.0 { eval_legendre(v, x) } else { f64::NAN };
    }
    if fabs(v) > ORTHOGONAL_LIMIT {
        return f64::NAN;
    }
    // DLMF 14.9.5: degree -v - 1 is degree v.
    let degree = if v < 0.0 { -v - 1.0 } else { v };
    let order = fabs(m);
    let whole = degree == floor(degree);
    if x == -1.0 && !whole {
        if order == 0.0 {
            return f64::NEG_INFINITY;
        }
        return f64::INFINITY;
    }
    if m < 0.0 && whole && order > degree {
        return f64::NAN;
    }
    if fabs(x) == 1.0 {
        if order != 0.0 {
            return 0.0;
        }
        return if x > 0.0 || degree % 2.0 == 0.0 { 1.0 } else { -1.0 };
    }
    let y = orthogonal_lpmv(order, degree, x);
    if m >= 0.0 {
        return y;
    }
    // DLMF 14.9.3.
    let sign = if order % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let size = exp(gammaln(degree - order + 1.0) - gammaln(degree + order + 1.0));
    let ratio = if order < 20.0 && degree < 100.0 {
        let mut r = 1.0;
        for k in 1..=(order as i64) {
            let j = k as f64;
            r /= (degree + j) * (degree - j + 1.0);
        }
        r
    } else {
        gammasgn(degree - order + 1.0) * size
    };
    sign * ratio * y
}

/// The normalised associated Legendre function of order m >= 0, degree n and angle phi.
///
/// Its normalisation is that of spherical harmonics, so that it never overflows.
fn orthogonal_harmonic(m: i64, n: i64, phi: f64) -> f64 {
    let s = fabs(sin(phi));
    let x = cos(phi);
    let mut here = 0.28209479177387814;
    for k in 1..=m {
        let j = k as f64;
        here *= -s * sqrt((2.0 * j + 1.0) / (2.0 * j));
    }
    let mut before = 0.0;
    let order = m as f64;
    for i in m..n {
        // DLMF 14.10.3 with both factors normalised.
        let k = i as f64;
        let up = (k + 1.0 - order) * (k + 1.0 + order);
        let a = sqrt((2.0 * k + 1.0) * (2.0 * k + 3.0) / up);
        let b = sqrt((k - order) * (k + order) * (2.0 * k + 3.0) / (up * (2.0 * k - 1.0).max(1.0)));
        let next = a * x * here - b * before;
        before = here;
        here = next;
    }
    here
}

/// One part of the spherical harmonic of order m and degree n at azimuth theta and polar angle phi.
fn orthogonal_sphere(m: f64, n: f64, theta: f64, phi: f64, imaginary: bool) -> f64 {
    if m != floor(m) || n != floor(n) || n < 0.0 || fabs(m) > n || n > ORTHOGONAL_LIMIT {
        return f64::NAN;
    }
    let order = fabs(m);
    let y = orthogonal_harmonic(order as i64, n as i64, phi);
    let part = if imaginary { sin(order * theta) } else { cos(order * theta) };
    if m >= 0.0 {
        return y * part;
    }
    // Y_n^-m is (-1)^m times the conjugate.
    let odd = order % 2.0 == 1.0;
    if odd != imaginary { -y * part } else { y * part }
}

/// The real part of the spherical harmonic of order m, degree n, azimuth theta, polar angle phi.
pub fn sph_harm_re(m: f64, n: f64, theta: f64, phi: f64) -> f64 {
    orthogonal_sphere(m, n, theta, phi, false)
}

/// The imaginary part of the spherical harmonic of order m, degree n at azimuth theta.
pub fn sph_harm_im(m: f64, n: f64, theta: f64, phi: f64) -> f64 {
    orthogonal_sphere(m, n, theta, phi, true)
}

/// The real part of the spherical harmonic of degree n, order m, polar angle theta, azimuth phi.
pub fn sph_harm_y_re(n: f64, m: f64, theta: f64, phi: f64) -> f64 {
    if fabs(m) > n { 0.0 } else { orthogonal_sphere(m, n, phi, theta, false) }
}

/// The imaginary part of the spherical harmonic of degree n, order m, polar angle theta.
pub fn sph_harm_y_im(n: f64, m: f64, theta: f64, phi: f64) -> f64 {
    if fabs(m) > n { 0.0 } else { orthogonal_sphere(m, n, phi, theta, true) }
}
