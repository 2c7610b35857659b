//! Bessel functions of the first and second kind of real order.
//!
//! The regimes follow Amos (1986) and Temme (1975, 1976): power series, Hankel's expansion for
//! large arguments, Miller's backward recurrence with Steed's continued fraction (Barnett et al.
//! 1974) in between, and uniform expansions for large orders.

use crate::arithmetic::sincos;
use crate::bessel_uniform::{BESSEL_UNIFORM_JY, bessel_jy_uniform};
use crate::bessel01::{j0, j1, y0, y1};
use crate::elementary::{cospi, sinpi};
use crate::gamma::{gamma, gammaln};
use libm::{cosh, exp, fabs, floor, log, pow, sin, sinh, sqrt};

/// From here on Hankel's expansion holds for orders up to 3/2.
const BESSEL_HANKEL: f64 = 25.0;
/// Up to here Temme's series gives Y.
const BESSEL_TEMME: f64 = 3.0;

/// The coefficients of 1/gamma(1 + z) (DLMF 5.7.1, shifted by one).
static BESSEL_RECIPROCAL_GAMMA: [f64; 22] = [
    1.0,
    0.5772156649015329,
    -0.6558780715202539,
    -0.04200263503409524,
    0.16653861138229148,
    -0.04219773455554433,
    -0.009621971527876973,
    0.0072189432466631,
    -0.0011651675918590652,
    -0.00021524167411495098,
    0.0001280502823881162,
    -2.013485478078824e-05,
    -1.2504934821426706e-06,
    1.133027231981696e-06,
    -2.056338416977607e-07,
    6.116095104481416e-09,
    5.002007644469223e-09,
    -1.18127457048702e-09,
    1.0434267116911005e-10,
    7.782263439905071e-12,
    -3.696805618642206e-12,
    5.100370287454476e-13,
];

/// (x/2)^v/gamma(v + 1) for x > 0 and v > -1.
pub(crate) fn bessel_power(v: f64, x: f64) -> f64 {
    if v < 120.0 {
        let p = pow(0.5 * x, v);
        if p > 1e-290 && p < 1e290 {
            return p / gamma(v + 1.0);
        }
    }
    exp(v * log(0.5 * x) - gammaln(v + 1.0))
}

/// The power series of J (sign = -1, DLMF 10.2.2) or I (sign = 1, 10.25.2) without its first
/// factor.
pub(crate) fn bessel_series(v: f64, x: f64, sign: f64) -> f64 {
    let u = 0.25 * x * x;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..200 {
        let n = k as f64;
        term *= sign * u / (n * (n + v));
        sum += term;
        if term.abs() < 1e-17 * sum.abs() {
            break;
        }
    }
    sum
}

/// The sums P and Q of Hankel's expansion (DLMF 10.17.3, 10.17.4) for large x.
fn bessel_hankel_sums(v: f64, x: f64, sums: &mut [f64; 2]) {
    let mu = 4.0 * v * v;
    let r = 1.0 / (8.0 * x);
    let mut term = 1.0;
    let mut p = 1.0;
    let mut q = 0.0;
    let mut last = 1.0;
    for k in 1..60 {
        let odd = (2 * k - 1) as f64;
        term *= (mu - odd * odd) * r / (k as f64);
        let size = term.abs();
        // An asymptotic series ends at its smallest term, but its first terms may grow.
        if size > last && odd > v + 1.0 {
            break;
        }
        last = size;
        let phase = k % 4;
        if phase == 0 {
            p += term;
        } else if phase == 1 {
            q += term;
        } else if phase == 2 {
            p -= term;
        } else {
            q -= term;
        }
        if size < 1e-17 {
            break;
        }
    }
    sums[0] = p;
    sums[1] = q;
}

/// J and Y of order v by Hankel's expansion.
fn bessel_hankel(v: f64, x: f64, jy: &mut [f64; 2]) {
    let mut sums = [0.0; 2];
    bessel_hankel_sums(v, x, &mut sums);
    let w = (0.5 * v) % 2.0 + 0.25;
    let cw = cospi(w);
    let sw = sinpi(w);
    let mut both = [0.0; 2];
    sincos(x, &mut both);
    let sx = both[0];
    let cx = both[1];
    let c = cx * cw + sx * sw;
    let s = sx * cw - cx * sw;
    let amplitude = sqrt(2.0 / (std::f64::consts::PI * x));
    jy[0] = amplitude * (sums[0] * c - sums[1] * s);
    jy[1] = amplitude * (sums[0] * s + sums[1] * c);
}

/// Temme's auxiliary functions of |m| <= 1/2: gamma1, gamma2, 1/gamma(1 + m), 1/gamma(1 - m).
pub(crate) fn bessel_temme_gamma(m: f64, out: &mut [f64; 4]) {
    let w = m * m;
    let mut even = 0.0;
    let mut odd = 0.0;
    for i in 0..11 {
        even = even * w + BESSEL_RECIPROCAL_GAMMA[20 - 2 * i];
        odd = odd * w + BESSEL_RECIPROCAL_GAMMA[21 - 2 * i];
    }
    out[0] = -odd;
    out[1] = even;
    out[2] = even + m * odd;
    out[3] = even - m * odd;
}

/// Y of orders m and m + 1 for |m| <= 1/2 and 0 < x <= 3 (Temme 1976).
fn bessel_temme_y(m: f64, x: f64, y: &mut [f64; 2]) {
    let mut g = [0.0; 4];
    bessel_temme_gamma(m, &mut g);
    let pim = std::f64::consts::PI * m;
    let d = -log(0.5 * x);
    let e = m * d;
    let ratio = if fabs(pim) < 1e-15 { 1.0 } else { pim / sin(pim) };
    let ratio2 = if fabs(e) < 1e-15 { 1.0 } else { sinh(e) / e };
    let mut f = 2.0 / std::f64::consts::PI * ratio * (g[0] * cosh(e) + g[1] * ratio2 * d);
    let power = exp(e);
    let mut p = power / (std::f64::consts::PI * g[2]);
    let mut q = 1.0 / (power * std::f64::consts::PI * g[3]);
    let half = 0.5 * pim;
    let ratio3 = if fabs(half) < 1e-15 { 1.0 } else { sin(half) / half };
    let r = std::f64::consts::PI * half * ratio3 * ratio3;
    let mut c = 1.0;
    let u = -0.25 * x * x;
    let mut sum = f + r * q;
    let mut sum1 = p;
    for k in 1..60 {
        let n = k as f64;
        f = (n * f + p + q) / (n * n - m * m);
        c *= u / n;
        p /= n - m;
        q /= n + m;
        let term = c * (f + r * q);
        sum += term;
        sum1 += c * p - n * term;
        if term.abs() < 1e-17 * (1.0 + sum.abs()) {
            break;
        }
    }
    y[0] = -sum;
    y[1] = -sum1 * 2.0 / x;
}

/// Steed's continued fraction p + iq = (J' + iY')/(J + iY) of order m for x >= 2.
///
/// It is evaluated by the modified method of Lentz (Thompson and Barnett 1986).
fn bessel_steed(m: f64, x: f64, pq: &mut [f64; 2]) {
    let mut a = 0.25 - m * m;
    let mut p = -0.5 / x;
    let mut q = 1.0;
    let br = 2.0 * x;
    let mut bi = 2.0;
    let mut factor = a / x / (p * p + q * q);
    let mut cr = br + q * factor;
    let mut ci = bi + p * factor;
    let mut den = br * br + bi * bi;
    let mut dr = br / den;
    let mut di = -bi / den;
    let mut er = cr * dr - ci * di;
    let mut ei = cr * di + ci * dr;
    let mut next = p * er - q * ei;
    q = p * ei + q * er;
    p = next;
    for k in 2..200 {
        a += (2 * (k - 1)) as f64;
        bi += 2.0;
        dr = a * dr + br;
        di = a * di + bi;
        factor = a / (cr * cr + ci * ci);
        cr = br + cr * factor;
        ci = bi - ci * factor;
        den = dr * dr + di * di;
        dr /= den;
        di = -di / den;
        er = cr * dr - ci * di;
        ei = cr * di + ci * dr;
        next = p * er - q * ei;
        q = p * ei + q * er;
        p = next;
        if fabs(er - 1.0) + fabs(ei) < 1e-16 {
            break;
        }
    }
    pq[0] = p;
    pq[1] = q;
}

/// J of order v = m + n and Y of orders m and m + 1 for 3 < x < 25.
///
/// Backward recurrence gives J but for a factor; the Wronskian with Steed's fraction gives it.
fn bessel_miller(m: f64, n: i64, x: f64, jy: &mut [f64; 3]) {
    let inverse = 2.0 / x;
    let top = if n as f64 > x { n as f64 } else { x };
    // Beyond the turning point J falls by more than 1e-16 over this distance.
    let mut i = (top + 14.0 + 2.0 * sqrt(top) + 8.0 * sqrt(sqrt(top))) as i64;
    let mut above = 0.0;
    let mut here = 1e-300;
    let mut wanted = 0.0;
    while i > 0 {
        if i == n {
            wanted = here;
        }
        let below = (m + i as f64) * inverse * here - above;
        above = here;
        here = below;
        i -= 1;
        if here.abs() > 1e250 {
            here *= 1e-250;
            above *= 1e-250;
            wanted *= 1e-250;
        }
    }
    if n == 0 {
        wanted = here;
    }
    // The scale cancels, but squares must not overflow.
    let size = fabs(here) + fabs(above);
    let j = here / size;
    let slope = m / x * j - above / size;
    let mut pq = [0.0; 2];
    bessel_steed(m, x, &mut pq);
    let y = (pq[0] * j - slope) / pq[1];
    let scale = sqrt(2.0 / (std::f64::consts::PI * x * pq[1] * (j * j + y * y)));
    jy[0] = wanted / size * scale;
    jy[1] = y * scale;
    jy[2] = (m / x * y - (pq[0] * y + pq[1] * j)) * scale;
}

/// J of order m and m + 1, Y of order m and m + 1 for 0 <= m < 1 or |m| <= 1/2, x >= 25 or m = 0.
fn bessel_base(m: f64, x: f64, jy: &mut [f64; 4]) {
    if m == 0.0 {
        jy[0] = j0(x);
        jy[1] = j1(x);
        jy[2] = y0(x);
        jy[3] = y1(x);
        return;
    }
    let mut pair = [0.0; 2];
    bessel_hankel(m, x, &mut pair);
    jy[0] = pair[0];
    jy[2] = pair[1];
    bessel_hankel(m + 1.0, x, &mut pair);
    jy[1] = pair[0];
    jy[3] = pair[1];
}

/// J_{v+1}/J_v by its continued fraction (DLMF 10.10.1) for x <= v + 1.
fn bessel_ratio(v: f64, x: f64) -> f64 {
    // Lentz's method; the partial denominators 2(v + k)/x exceed 2, so that none vanishes.
    let inverse = 2.0 / x;
    let mut b = (v + 1.0) * inverse;
    let mut f = b;
    let mut c = b;
    let mut d = 0.0;
    for k in 2..500 {
        b = (v + k as f64) * inverse;
        d = 1.0 / (b - d);
        c = b - 1.0 / c;
        let step = c * d;
        f *= step;
        if fabs(step - 1.0) < 1e-16 {
            break;
        }
    }
    1.0 / f
}

/// J of order v >= 0 and x > 0.
pub(crate) fn bessel_j(v: f64, x: f64) -> f64 {
    if 0.25 * x * x <= v + 1.0 || x <= BESSEL_TEMME {
        if v == 0.0 {
            return j0(x);
        }
        return bessel_power(v, x) * bessel_series(v, x, -1.0);
    }
    if x > BESSEL_HANKEL && x > 0.5 * v * v {
        let mut pair = [0.0; 2];
        if v == 0.0 {
            return j0(x);
        }
        bessel_hankel(v, x, &mut pair);
        return pair[0];
    }
    if v >= BESSEL_UNIFORM_JY {
        return bessel_jy_uniform(v, x, false);
    }
    let n = floor(v + 0.5);
    let m = v - n;
    if m != 0.0 && x <= BESSEL_HANKEL {
        let mut three = [0.0; 3];
        if n < 0.0 {
            return 0.0;
        }
        bessel_miller(m, n as i64, x, &mut three);
        return three[0];
    }
    let mut base = [0.0; 4];
    bessel_base(m, x, &mut base);
    let count = n as i64;
    if count == 0 {
        return base[0];
    }
    let inverse = 2.0 / x;
    if v < x {
        let mut before = base[0];
        let mut here = base[1];
        for k in 1..count {
            let next = (m + k as f64) * inverse * here - before;
            before = here;
            here = next;
        }
        return here;
    }
    // Beyond the turning point only Y may be continued; the Wronskian (DLMF 10.5.2) gives J.
    let mut before = base[2];
    let mut here = base[3];
    for k in 1..=count {
        let next = (m + k as f64) * inverse * here - before;
        before = here;
        here = next;
    }
    2.0 / (std::f64::consts::PI * x) / (bessel_ratio(v, x) * before - here)
}

/// Y of order v >= 0 and x > 0.
pub(crate) fn bessel_y(v: f64, x: f64) -> f64 {
    if x > BESSEL_HANKEL && x > 0.5 * v * v && v != 0.0 {
        let mut pair = [0.0; 2];
        bessel_hankel(v, x, &mut pair);
        return pair[1];
    }
    if v >= BESSEL_UNIFORM_JY {
        return bessel_jy_uniform(v, x, true);
    }
    let n = floor(v + 0.5);
    let m = v - n;
    let mut before: f64;
    let mut here: f64;
    if m == 0.0 {
        if n == 0.0 {
            return y0(x);
        }
        before = y0(x);
        here = y1(x);
    } else if x > BESSEL_HANKEL {
        let mut base = [0.0; 4];
        bessel_base(m, x, &mut base);
        before = base[2];
        here = base[3];
    } else if x <= BESSEL_TEMME {
        let mut two = [0.0; 2];
        bessel_temme_y(m, x, &mut two);
        before = two[0];
        here = two[1];
    } else {
        let mut three = [0.0; 3];
        bessel_miller(m, 0, x, &mut three);
        before = three[1];
        here = three[2];
    }
    let count = n as i64;
    if count == 0 {
        return before;
    }
    let inverse = 2.0 / x;
    for k in 1..count {
        let next = (m + k as f64) * inverse * here - before;
        before = here;
        here = next;
        if here < -1e308 {
            return f64::NEG_INFINITY;
        }
    }
    here
}

/// Whether an order is an odd integer.
pub(crate) fn bessel_is_odd(v: f64) -> bool {
    fabs(v % 2.0) == 1.0
}

/// The Bessel function of the first kind of real order, NaN for negative x unless v is an integer.
pub fn jv(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || x.is_infinite() {
        return f64::NAN;
    }
    if v.is_infinite() {
        return if v > 0.0 { 0.0 } else { f64::NAN };
    }
    let whole = v == floor(v);
    if x < 0.0 && !whole {
        return f64::NAN;
    }
    let ax = fabs(x);
    let w = fabs(v);
    let mut y: f64;
    if ax == 0.0 {
        if v == 0.0 {
            return 1.0;
        }
        return if v > 0.0 || whole { 0.0 } else { f64::INFINITY };
    }
    y = bessel_j(w, ax);
    if v < 0.0 {
        // DLMF 10.4.5 and 10.4.6.
        if whole {
            y = if bessel_is_odd(v) { -y } else { y };
        } else {
            y = cospi(w) * y - sinpi(w) * bessel_y(w, ax);
        }
    }
    if x < 0.0 && bessel_is_odd(v) { -y } else { y }
}

/// The Bessel function of the first kind of real order, as `jv`.
pub fn jn(v: f64, x: f64) -> f64 {
    jv(v, x)
}

/// The scaled Bessel function of the first kind, which equals `jv` for real arguments.
pub fn jve(v: f64, x: f64) -> f64 {
    jv(v, x)
}

/// The Bessel function of the second kind of real order, NaN for negative x.
pub fn yv(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || x < 0.0 || x.is_infinite() {
        return f64::NAN;
    }
    if v.is_infinite() {
        return if v > 0.0 && x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    let w = fabs(v);
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if v >= 0.0 {
        return bessel_y(w, x);
    }
    let c = cospi(w);
    let s = sinpi(w);
    if c == 0.0 {
        return s * bessel_j(w, x);
    }
    if s == 0.0 {
        return c * bessel_y(w, x);
    }
    s * bessel_j(w, x) + c * bessel_y(w, x)
}

/// The Bessel function of the second kind of integer order, NaN for other orders.
pub fn yn(n: f64, x: f64) -> f64 {
    if n != floor(n) { f64::NAN } else { yv(n, x) }
}

/// The scaled Bessel function of the second kind, which equals `yv` for real arguments.
pub fn yve(v: f64, x: f64) -> f64 {
    yv(v, x)
}
