//! Spheroidal wave functions: characteristic values, angular functions of the first kind and radial
//! functions of the first kind (DLMF chapter 30, Flammer 1957).
//!
//! The coefficients of normalised Legendre functions form an eigenvector of a symmetric tridiagonal
//! matrix (Hodge 1970); eigenvalues by bisection, vectors by recurrences from both ends.

use crate::bessel_spherical::{spherical_jn, spherical_jn_derivative};
use crate::recurrence::recurrence_factor;
use libm::{fabs, floor, pow, sqrt};

/// The largest number of coefficients.
const SPHEROIDAL_SIZE: i64 = 150;

/// Diagonal element of degree l; s is c^2 for prolate, -c^2 for oblate functions.
fn spheroidal_diagonal(m: f64, l: f64, s: f64) -> f64 {
    let t = l * (l + 1.0);
    if s == 0.0 {
        return t;
    }
    let d = (2.0 * l - 1.0) * (2.0 * l + 3.0);
    t + s * (2.0 * t - 2.0 * m * m - 1.0) / d
}

/// The element that couples degrees l and l + 2.
fn spheroidal_coupling(m: f64, l: f64, s: f64) -> f64 {
    let p = (l + 1.0 - m) * (l + 2.0 - m) * (l + 1.0 + m) * (l + 2.0 + m);
    s / (2.0 * l + 3.0) * sqrt(p / ((2.0 * l + 1.0) * (2.0 * l + 5.0)))
}

/// The number of coefficients, more than the largest if c is too large.
fn spheroidal_size(m: f64, n: f64, s: f64) -> i64 {
    let extra = 0.5 * (n - m) + 0.8 * sqrt(fabs(s)) + 18.0;
    if extra > 1000.0 { SPHEROIDAL_SIZE + 1 } else { extra as i64 }
}

/// The characteristic value of order m and degree n.
fn spheroidal_value(m: f64, n: f64, s: f64) -> f64 {
    let size = spheroidal_size(m, n, s);
    let index = (0.5 * (n - m)) as i64;
    let start = if (n - m) % 2.0 == 0.0 { m } else { m + 1.0 };
    let mut low = spheroidal_diagonal(m, start, 0.0) - fabs(s) - 1.0;
    let mut high = spheroidal_diagonal(m, n, 0.0) + fabs(s) + 1.0;
    for _step in 0..80 {
        let x = 0.5 * (low + high);
        if x <= low || x >= high {
            break;
        }
        // As many negative pivots as eigenvalues below x.
        let mut count = 0;
        let mut pivot = 1.0;
        let mut off = 0.0;
        for k in 0..size {
            let l = start + 2.0 * k as f64;
            pivot = spheroidal_diagonal(m, l, s) - x - off * off / pivot;
            if pivot == 0.0 {
                pivot = 1e-300;
            }
            if pivot < 0.0 {
                count += 1;
            }
            off = spheroidal_coupling(m, l, s);
        }
        if count > index {
            high = x;
        } else {
            low = x;
        }
    }
    0.5 * (low + high)
}

/// The coefficients of normalised Legendre functions, but for a factor; returns their number, 0 if
/// too many.
fn spheroidal_coefficients(m: f64, n: f64, s: f64, value: f64, out: &mut [f64; 150]) -> i64 {
    let size = spheroidal_size(m, n, s);
    if size > SPHEROIDAL_SIZE {
        return 0;
    }
    let start = if (n - m) % 2.0 == 0.0 { m } else { m + 1.0 };
    for k in 0..size {
        out[k as usize] = 0.0;
    }
    if s == 0.0 {
        out[(0.5 * (n - m)) as usize] = 1.0;
        return size;
    }
    // The coefficients are largest where the diagonal is nearest the value.
    let mut join = 0;
    let mut best = 1e300;
    for k in 0..(size - 2) {
        let d = fabs(spheroidal_diagonal(m, start + 2.0 * k as f64, s) - value);
        if d < best {
            best = d;
            join = k;
        }
    }
    // Backwards from the end to the join.
    let mut above = 0.0;
    let mut here = 1e-200;
    let mut k = size - 1;
    while k > join {
        let l = start + 2.0 * k as f64;
        out[k as usize] = here;
        let up = spheroidal_coupling(m, l, s);
        let down = spheroidal_coupling(m, l - 2.0, s);
        let below = ((value - spheroidal_diagonal(m, l, s)) * here - up * above) / down;
        above = here;
        here = below;
        k -= 1;
        if fabs(here) > 1e100 {
            for i in (k + 1)..size {
                out[i as usize] *= 1e-100;
            }
            here *= 1e-100;
            above *= 1e-100;
        }
    }
    let back0 = here;
    let back1 = above;
    // Forwards from the start.
    let mut before = 0.0;
    let mut off = 0.0;
    here = 1.0;
    for i in 0..=join {
        let l = start + 2.0 * i as f64;
        out[i as usize] = here;
        let up = spheroidal_coupling(m, l, s);
        let next = ((value - spheroidal_diagonal(m, l, s)) * here - off * before) / up;
        off = up;
        before = here;
        here = next;
        if fabs(here) > 1e100 {
            for j in 0..=i {
                out[j as usize] *= 1e-100;
            }
            here *= 1e-100;
            before *= 1e-100;
        }
    }
    let factor = recurrence_factor(before, here, back0, back1);
    for i in (join + 1)..size {
        out[i as usize] *= factor;
    }
    size
}

/// The sum of coefficients times normalised Legendre functions, and its derivative, at |x| < 1.
///
/// The normalisation lacks that of order m itself, which the caller's factor contains.
fn spheroidal_sum(m: f64, n: f64, x: f64, size: i64, c: &[f64; 150], out: &mut [f64; 2]) {
    let odd = (n - m) % 2.0 == 1.0;
    let w = (1.0 - x) * (1.0 + x);
    // Derivatives are those of polynomials g with the Legendre function (1 - x^2)^(m/2) g.
    let mut before = 0.0;
    let mut here = 1.0;
    let mut before_slope = 0.0;
    let mut slope = 0.0;
    let mut sum = 0.0;
    let mut sum_slope = 0.0;
    let last = 2 * size - 1 + if odd { 1 } else { 0 };
    let mut b = 0.0;
    for i in 0..last {
        let take = if odd { i % 2 == 1 } else { i % 2 == 0 };
        if take {
            let value = c[(i / 2) as usize];
            sum += value * here;
            sum_slope += value * slope;
        }
        // The recurrence of normalised functions (DLMF 14.10.3).
        let l = m + i as f64;
        let up = sqrt((l + 1.0 - m) * (l + 1.0 + m) / ((2.0 * l + 1.0) * (2.0 * l + 3.0)));
        let next = (x * here - b * before) / up;
        let next_slope = (here + x * slope - b * before_slope) / up;
        before = here;
        here = next;
        before_slope = slope;
        slope = next_slope;
        b = up;
    }
    let power = if m == 0.0 { 1.0 } else { pow(w, 0.5 * m) };
    out[0] = power * sum;
    out[1] = if m == 0.0 { sum_slope } else { power * (sum_slope - m * x / w * sum) };
}

/// The value (odd = false) or slope (odd = true) at 0 of the Legendre function of order m and
/// degree n, without the phase (-1)^m.
fn spheroidal_legendre(m: f64, n: f64) -> f64 {
    let mut before = 0.0;
    let mut here = 1.0;
    for k in 1..=(m as i64) {
        here *= (2 * k - 1) as f64;
    }
    let odd = (n - m) % 2.0 == 1.0;
    for i in 0..((n - m) as i64) {
        let l = m + i as f64;
        let next = -(l + m) / (l + 1.0 - m) * before;
        before = here;
        here = next;
        if odd && i == (n - m) as i64 - 1 {
            // The slope at 0 is (n + m) times the value of degree n - 1.
            return (n + m) * before;
        }
    }
    here
}

/// Whether the arguments are outside the domain.
fn spheroidal_outside(m: f64, n: f64, c: f64) -> bool {
    m.is_nan()
        || n.is_nan()
        || c.is_nan()
        || m < 0.0
        || n < m
        || m != floor(m)
        || n != floor(n)
        || n - m > 198.0
        || fabs(c) > 150.0
}

/// The angular function (which = 0) or its derivative (which = 1).
fn spheroidal_angular(m: f64, n: f64, s: f64, value: f64, x: f64, which: usize) -> f64 {
    if x.is_nan() || fabs(x) >= 1.0 || value.is_nan() {
        return f64::NAN;
    }
    let mut c = [0.0; 150];
    let mut out = [0.0; 2];
    let size = spheroidal_coefficients(m, n, s, value, &mut c);
    if size == 0 {
        return f64::NAN;
    }
    // Flammer's normalisation: value or slope at 0 are those of the Legendre function.
    spheroidal_sum(m, n, 0.0, size, &c, &mut out);
    let norm = if (n - m) % 2.0 == 1.0 { out[1] } else { out[0] };
    let factor = spheroidal_legendre(m, n) / norm;
    spheroidal_sum(m, n, x, size, &c, &mut out);
    factor * out[which]
}

/// The radial function of the first kind (which = 0) or its derivative (which = 1), DLMF 30.11.3.
fn spheroidal_radial(m: f64, n: f64, h: f64, sign: f64, value: f64, x: f64, which: i64) -> f64 {
    if x.is_nan() || value.is_nan() || h == 0.0 || x.is_infinite() {
        return f64::NAN;
    }
    let mut c = [0.0; 150];
    let size = spheroidal_coefficients(m, n, sign * h * h, value, &mut c);
    if size == 0 {
        return f64::NAN;
    }
    let start = if (n - m) % 2.0 == 0.0 { m } else { m + 1.0 };
    let mut weight = 1.0;
    let mut norm = 0.0;
    let mut sum = 0.0;
    let mut slope = 0.0;
    let mut phase = if floor(0.5 * (n - m)) % 2.0 == 0.0 { 1.0 } else { -1.0 };
    for k in 0..size {
        let l = start + 2.0 * k as f64;
        let d = c[k as usize] * weight * sqrt(2.0 * l + 1.0);
        norm += d;
        if d != 0.0 {
            sum += phase * d * spherical_jn(l, h * x);
            if which == 1 {
                slope += phase * d * h * spherical_jn_derivative(l, h * x);
            }
        }
        phase = -phase;
        // sqrt((l + m)!/(l - m)!) relative to the first.
        let p = (l + 1.0 + m) * (l + 2.0 + m) / ((l + 1.0 - m) * (l + 2.0 - m));
        weight *= sqrt(p);
    }
    let base = 1.0 - sign / (x * x);
    let power = if m == 0.0 { 1.0 } else { pow(base, 0.5 * m) };
    if which == 0 {
        return power * sum / norm;
    }
    let extra = if m == 0.0 { 0.0 } else { m * sign / (x * x * x * base) * sum };
    power * (slope + extra) / norm
}

/// The characteristic value of the prolate spheroidal functions of order m and degree n.
pub fn pro_cv(m: f64, n: f64, c: f64) -> f64 {
    if spheroidal_outside(m, n, c) { f64::NAN } else { spheroidal_value(m, n, c * c) }
}

/// The characteristic value of the oblate spheroidal functions of order m and degree n.
pub fn obl_cv(m: f64, n: f64, c: f64) -> f64 {
    if spheroidal_outside(m, n, c) { f64::NAN } else { spheroidal_value(m, n, -c * c) }
}

/// The prolate spheroidal angular function of the first kind, the first output of `pro_ang1`.
pub fn pro_ang1_s(m: f64, n: f64, c: f64, x: f64) -> f64 {
    spheroidal_angular(m, n, c * c, pro_cv(m, n, c), x, 0)
}

/// The derivative of the prolate spheroidal angular function of the first kind.
pub fn pro_ang1_sp(m: f64, n: f64, c: f64, x: f64) -> f64 {
    spheroidal_angular(m, n, c * c, pro_cv(m, n, c), x, 1)
}

/// The oblate spheroidal angular function of the first kind, the first output of `obl_ang1`.
pub fn obl_ang1_s(m: f64, n: f64, c: f64, x: f64) -> f64 {
    spheroidal_angular(m, n, -c * c, obl_cv(m, n, c), x, 0)
}

/// The derivative of the oblate spheroidal angular function of the first kind.
pub fn obl_ang1_sp(m: f64, n: f64, c: f64, x: f64) -> f64 {
    spheroidal_angular(m, n, -c * c, obl_cv(m, n, c), x, 1)
}

/// The prolate spheroidal radial function of the first kind, for x > 1.
pub fn pro_rad1_s(m: f64, n: f64, c: f64, x: f64) -> f64 {
    if x <= 1.0 { f64::NAN } else { spheroidal_radial(m, n, c, 1.0, pro_cv(m, n, c), x, 0) }
}

/// The derivative of the prolate spheroidal radial function of the first kind, for x > 1.
pub fn pro_rad1_sp(m: f64, n: f64, c: f64, x: f64) -> f64 {
    if x <= 1.0 { f64::NAN } else { spheroidal_radial(m, n, c, 1.0, pro_cv(m, n, c), x, 1) }
}

/// The oblate spheroidal radial function of the first kind, for x > 0.
pub fn obl_rad1_s(m: f64, n: f64, c: f64, x: f64) -> f64 {
    if x <= 0.0 { f64::NAN } else { spheroidal_radial(m, n, c, -1.0, obl_cv(m, n, c), x, 0) }
}

/// The derivative of the oblate spheroidal radial function of the first kind, for x > 0.
pub fn obl_rad1_sp(m: f64, n: f64, c: f64, x: f64) -> f64 {
    if x <= 0.0 { f64::NAN } else { spheroidal_radial(m, n, c, -1.0, obl_cv(m, n, c), x, 1) }
}

/// The prolate spheroidal angular function of the first kind for a given characteristic value.
pub fn pro_ang1_cv_s(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) { f64::NAN } else { spheroidal_angular(m, n, c * c, cv, x, 0) }
}

/// The derivative of the prolate spheroidal angular function of the first kind for a given
/// characteristic value.
pub fn pro_ang1_cv_sp(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) { f64::NAN } else { spheroidal_angular(m, n, c * c, cv, x, 1) }
}

/// The prolate spheroidal radial function of the first kind for a given characteristic value.
pub fn pro_rad1_cv_s(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) || x <= 1.0 {
        return f64::NAN;
    }
    spheroidal_radial(m, n, c, 1.0, cv, x, 0)
}

/// The derivative of the prolate spheroidal radial function of the first kind for a given
/// characteristic value.
pub fn pro_rad1_cv_sp(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) || x <= 1.0 {
        return f64::NAN;
    }
    spheroidal_radial(m, n, c, 1.0, cv, x, 1)
}

/// The oblate spheroidal angular function of the first kind for a given characteristic value.
pub fn obl_ang1_cv_s(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) { f64::NAN } else { spheroidal_angular(m, n, -c * c, cv, x, 0) }
}

/// The derivative of the oblate spheroidal angular function of the first kind for a given
/// characteristic value.
pub fn obl_ang1_cv_sp(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) { f64::NAN } else { spheroidal_angular(m, n, -c * c, cv, x, 1) }
}

/// The oblate spheroidal radial function of the first kind for a given characteristic value.
pub fn obl_rad1_cv_s(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) || x <= 0.0 {
        return f64::NAN;
    }
    spheroidal_radial(m, n, c, -1.0, cv, x, 0)
}

/// The derivative of the oblate spheroidal radial function of the first kind for a given
/// characteristic value.
pub fn obl_rad1_cv_sp(m: f64, n: f64, c: f64, cv: f64, x: f64) -> f64 {
    if spheroidal_outside(m, n, c) || x <= 0.0 {
        return f64::NAN;
    }
    spheroidal_radial(m, n, c, -1.0, cv, x, 1)
}
