//! Elliptic integrals and functions.
//!
//! Complete integrals by Bulirsch's iteration (1969) and the arithmetic-geometric mean, incomplete
//! ones by Carlson's symmetric integrals, which duplicate their arguments until a series is exact
//! (Carlson 1995, DLMF 19.36), and Jacobi's functions by Landen's transformation (Bulirsch 1965).

use libm::{asinh, atan, atan2, cos, cosh, fabs, floor, sin, sinh, sqrt, tan, tanh};

/// K for the complementary parameter p = 1 - m > 0, by the arithmetic-geometric mean (DLMF 19.8.5).
fn elliptic_k(p: f64) -> f64 {
    let mut a = 1.0;
    let mut b = sqrt(p);
    for _k in 0..40 {
        if fabs(a - b) <= 1e-8 * fabs(a) {
            break;
        }
        let mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    std::f64::consts::PI / (a + b)
}

/// The complete elliptic integral of the first kind K of parameter m.
pub fn ellipk(m: f64) -> f64 {
    ellipkm1(1.0 - m)
}

/// The complete elliptic integral of the first kind K of parameter 1 - p.
pub fn ellipkm1(p: f64) -> f64 {
    if p.is_nan() || p < 0.0 {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::INFINITY;
    }
    if p.is_infinite() { 0.0 } else { elliptic_k(p) }
}

/// The complete elliptic integral of the second kind E of parameter m.
pub fn ellipe(m: f64) -> f64 {
    if m.is_nan() || m > 1.0 {
        return f64::NAN;
    }
    if m == 1.0 {
        return 1.0;
    }
    if m.is_infinite() {
        return f64::INFINITY;
    }
    // Bulirsch's general complete integral with p = a = 1 and b = 1 - m.
    let mut k = sqrt(1.0 - m);
    let mut e = k;
    let mut mean = 1.0;
    let mut p = 1.0;
    let mut a = 1.0;
    let mut b = 1.0 - m;
    for _k in 0..40 {
        let f = a;
        a += b / p;
        let g = e / p;
        b = 2.0 * (b + f * g);
        p += g;
        let before = mean;
        mean += k;
        if fabs(before - k) <= 1e-8 * before {
            break;
        }
        k = 2.0 * sqrt(e);
        e = k * mean;
    }
    std::f64::consts::FRAC_PI_2 * (b + a * mean) / (mean * (mean + p))
}

/// Carlson's R_C for x >= 0 and y > 0 (DLMF 19.36.1 for two equal arguments).
fn elliptic_rc(x: f64, y: f64) -> f64 {
    let mut a = (x + y + y) / 3.0;
    let a0 = a;
    let mut s = (y - a0) / a0;
    let mut xn = x;
    let mut yn = y;
    for _k in 0..30 {
        if fabs(s) < 0.012 {
            break;
        }
        let lambda = 2.0 * sqrt(xn) * sqrt(yn) + yn;
        xn = 0.25 * (xn + lambda);
        yn = 0.25 * (yn + lambda);
        a = (xn + yn + yn) / 3.0;
        s = (yn - a) / a;
    }
    let series = 1.0
        + s * s
            * (0.3
                + s * (1.0 / 7.0
                    + s * (0.375 + s * (9.0 / 22.0 + s * (159.0 / 208.0 + s * 1.125)))));
    series / sqrt(a)
}

/// Carlson's R_F for non-negative arguments of which at most one is 0.
pub(crate) fn elliptic_rf(x: f64, y: f64, z: f64) -> f64 {
    let mut xn = x;
    let mut yn = y;
    let mut zn = z;
    let mut a = (x + y + z) / 3.0;
    for _k in 0..60 {
        let dx = fabs(xn - a);
        let dy = fabs(yn - a);
        let dz = fabs(zn - a);
        if dx.max(dy).max(dz) < 0.008 * a {
            break;
        }
        let sx = sqrt(xn);
        let sy = sqrt(yn);
        let sz = sqrt(zn);
        let lambda = sx * (sy + sz) + sy * sz;
        xn = 0.25 * (xn + lambda);
        yn = 0.25 * (yn + lambda);
        zn = 0.25 * (zn + lambda);
        a = (xn + yn + zn) / 3.0;
    }
    let p = (a - xn) / a;
    let q = (a - yn) / a;
    let r = -(p + q);
    let e2 = p * q - r * r;
    let e3 = p * q * r;
    let series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0
        - 3.0 / 44.0 * e2 * e3
        - 5.0 / 208.0 * e2 * e2 * e2
        + 3.0 / 104.0 * e3 * e3
        + e2 * e2 * e3 / 16.0;
    series / sqrt(a)
}

/// The series of R_J and R_D in the symmetric polynomials of the relative differences.
fn elliptic_series(e2: f64, e3: f64, e4: f64, e5: f64) -> f64 {
    1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2 - 3.0 / 22.0 * e4 - 9.0 / 52.0 * e2 * e3
        + 3.0 / 26.0 * e5
        - e2 * e2 * e2 / 16.0
        + 3.0 / 40.0 * e3 * e3
        + 3.0 / 20.0 * e2 * e4
        + 45.0 / 272.0 * e2 * e2 * e3
        - 9.0 / 68.0 * (e3 * e4 + e2 * e5)
}

/// Carlson's R_D for x, y >= 0, not both 0, and z > 0.
pub(crate) fn elliptic_rd(x: f64, y: f64, z: f64) -> f64 {
    let mut xn = x;
    let mut yn = y;
    let mut zn = z;
    let mut a = (x + y + 3.0 * z) / 5.0;
    let mut sum = 0.0;
    let mut factor = 1.0;
    for _k in 0..60 {
        let dx = fabs(xn - a);
        let dy = fabs(yn - a);
        let dz = fabs(zn - a);
        if dx.max(dy).max(dz) < 0.006 * a {
            break;
        }
        let sx = sqrt(xn);
        let sy = sqrt(yn);
        let sz = sqrt(zn);
        let lambda = sx * (sy + sz) + sy * sz;
        sum += factor / (sz * (zn + lambda));
        factor *= 0.25;
        xn = 0.25 * (xn + lambda);
        yn = 0.25 * (yn + lambda);
        zn = 0.25 * (zn + lambda);
        a = (xn + yn + 3.0 * zn) / 5.0;
    }
    let p = (a - xn) / a;
    let q = (a - yn) / a;
    let r = -(p + q) / 3.0;
    let pq = p * q;
    let rr = r * r;
    let series = elliptic_series(
        pq - 6.0 * rr,
        (3.0 * pq - 8.0 * rr) * r,
        3.0 * (pq - rr) * rr,
        pq * r * rr,
    );
    factor * series / (a * sqrt(a)) + 3.0 * sum
}

/// Carlson's R_J for x, y, z >= 0, at most one of them 0, and p > 0.
fn elliptic_rj(x: f64, y: f64, z: f64, p: f64) -> f64 {
    let mut xn = x;
    let mut yn = y;
    let mut zn = z;
    let mut pn = p;
    let mut a = (x + y + z + p + p) / 5.0;
    let mut sum = 0.0;
    let mut factor = 1.0;
    for _k in 0..60 {
        let dx = fabs(xn - a);
        let dy = fabs(yn - a);
        let dz = fabs(zn - a);
        let dp = fabs(pn - a);
        if dx.max(dy).max(dz).max(dp) < 0.006 * a {
            break;
        }
        let sx = sqrt(xn);
        let sy = sqrt(yn);
        let sz = sqrt(zn);
        let sp = sqrt(pn);
        let lambda = sx * (sy + sz) + sy * sz;
        let d = (sp + sx) * (sp + sy) * (sp + sz);
        // 1 + e of DLMF 19.36.6 to 19.36.8 without the cancellation for small p.
        let y = 2.0 * sp * (pn + lambda) / d;
        sum += factor / d * elliptic_rc(1.0, y);
        factor *= 0.25;
        xn = 0.25 * (xn + lambda);
        yn = 0.25 * (yn + lambda);
        zn = 0.25 * (zn + lambda);
        pn = 0.25 * (pn + lambda);
        a = (xn + yn + zn + pn + pn) / 5.0;
    }
    let u = (a - xn) / a;
    let v = (a - yn) / a;
    let w = (a - zn) / a;
    let q = -0.5 * (u + v + w);
    let qq = q * q;
    let uvw = u * v * w;
    let e2 = u * v + u * w + v * w - 3.0 * qq;
    let series = elliptic_series(
        e2,
        uvw + 2.0 * e2 * q + 4.0 * qq * q,
        (2.0 * uvw + e2 * q + 3.0 * qq * q) * q,
        uvw * qq,
    );
    factor * series / (a * sqrt(a)) + 6.0 * sum
}

/// Carlson's degenerate symmetric integral R_C(x, y), its principal value for negative y.
pub fn elliprc(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if y == 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() || y.is_infinite() {
        return 0.0;
    }
    if y < 0.0 {
        return if x == 0.0 { 0.0 } else { sqrt(x / (x - y)) * elliptic_rc(x - y, -y) };
    }
    elliptic_rc(x, y)
}

/// Carlson's symmetric integral of the first kind R_F(x, y, z).
pub fn elliprf(x: f64, y: f64, z: f64) -> f64 {
    if x.is_nan() || y.is_nan() || z.is_nan() || x < 0.0 || y < 0.0 || z < 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() || y.is_infinite() || z.is_infinite() {
        return 0.0;
    }
    if x + y == 0.0 || y + z == 0.0 || x + z == 0.0 {
        return f64::INFINITY;
    }
    elliptic_rf(x, y, z)
}

/// Carlson's symmetric elliptic integral of the second kind R_D(x, y, z).
pub fn elliprd(x: f64, y: f64, z: f64) -> f64 {
    if x.is_nan() || y.is_nan() || z.is_nan() || x < 0.0 || y < 0.0 || z < 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() || y.is_infinite() || z.is_infinite() {
        return 0.0;
    }
    if z == 0.0 || x + y == 0.0 {
        return f64::INFINITY;
    }
    elliptic_rd(x, y, z)
}

/// Carlson's completely symmetric integral of the second kind R_G(x, y, z).
pub fn elliprg(x: f64, y: f64, z: f64) -> f64 {
    if x.is_nan() || y.is_nan() || z.is_nan() || x < 0.0 || y < 0.0 || z < 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() || y.is_infinite() || z.is_infinite() {
        return f64::INFINITY;
    }
    // With z in the middle the terms of DLMF 19.21.10 are positive.
    let low = x.min(y).min(z);
    let high = x.max(y).max(z);
    let mid = x.min(y).max(x.max(y).min(z));
    if mid == 0.0 {
        return 0.5 * sqrt(high);
    }
    let rf = elliptic_rf(low, high, mid);
    let product = (mid - low) * (high - mid);
    let rd = if product == 0.0 { 0.0 } else { product * elliptic_rd(low, high, mid) / 3.0 };
    0.5 * (mid * rf + rd + sqrt(low / mid) * sqrt(high))
}

/// Carlson's symmetric integral of the third kind R_J(x, y, z, p), its principal value for p < 0.
pub fn elliprj(x: f64, y: f64, z: f64, p: f64) -> f64 {
    if x.is_nan() || y.is_nan() || z.is_nan() || p.is_nan() {
        return f64::NAN;
    }
    if x < 0.0 || y < 0.0 || z < 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() || y.is_infinite() || z.is_infinite() || p.is_infinite() {
        return 0.0;
    }
    if p == 0.0 {
        return f64::NAN;
    }
    if x + y == 0.0 || y + z == 0.0 || x + z == 0.0 {
        return f64::INFINITY;
    }
    if p > 0.0 {
        return elliptic_rj(x, y, z, p);
    }
    // DLMF 19.20.14 with x <= y <= z.
    let low = x.min(y).min(z);
    let high = x.max(y).max(z);
    let mid = x.min(y).max(x.max(y).min(z));
    let q = -p;
    let r = (high * (low + mid + q) - low * mid) / (high + q);
    let pq = r * q;
    let rest = low * mid + pq;
    let rc = elliptic_rc(rest, pq);
    let sum = (r - high) * elliptic_rj(low, mid, high, r) - 3.0 * elliptic_rf(low, mid, high)
        + 3.0 * sqrt(low * mid * high / rest) * rc;
    sum / (q + high)
}

/// The incomplete elliptic integral of the first kind F(phi | m).
pub fn ellipkinc(phi: f64, m: f64) -> f64 {
    if phi.is_nan() || m.is_nan() || m > 1.0 {
        return f64::NAN;
    }
    if phi.is_infinite() || m.is_infinite() {
        if phi.is_infinite() && m.is_infinite() {
            return f64::NAN;
        }
        return if m.is_infinite() { 0.0 } else { phi };
    }
    let turns = floor(phi / std::f64::consts::PI + 0.5);
    if m == 1.0 && turns != 0.0 {
        return if phi > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    if m == 0.0 {
        return phi;
    }
    let sign = if turns % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let s = sign * sin(phi);
    let c = cos(phi);
    if m == 1.0 {
        return asinh(tan(phi));
    }
    let whole = if turns == 0.0 { 0.0 } else { 2.0 * turns * ellipk(m) };
    // DLMF 19.25.5, where 1 - m s^2 = c^2 + (1 - m) s^2.
    let delta = if m > 0.5 { c * c + (1.0 - m) * (s * s) } else { 1.0 - m * (s * s) };
    whole + s * elliptic_rf(c * c, delta, 1.0)
}

/// The incomplete elliptic integral of the second kind E(phi | m).
pub fn ellipeinc(phi: f64, m: f64) -> f64 {
    if phi.is_nan() || m.is_nan() || m > 1.0 {
        return f64::NAN;
    }
    if phi.is_infinite() {
        return phi;
    }
    if m.is_infinite() {
        return f64::INFINITY;
    }
    if m == 0.0 {
        return phi;
    }
    let turns = floor(phi / std::f64::consts::PI + 0.5);
    let sign = if turns % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let s = sign * sin(phi);
    let c = sign * cos(phi);
    let whole = if turns == 0.0 { 0.0 } else { 2.0 * turns * ellipe(m) };
    if m == 1.0 {
        return whole + s;
    }
    if fabs(s) < 1e-150 {
        return whole + s;
    }
    let ss = s * s;
    if m < 0.0 {
        // DLMF 19.25.9; the terms are positive.
        let delta = 1.0 - m * ss;
        return whole
            + s * (elliptic_rf(c * c, delta, 1.0) - m / 3.0 * ss * elliptic_rd(c * c, delta, 1.0));
    }
    // DLMF 19.25.10, which is positive for positive m.
    let rest = 1.0 - m;
    let delta = if m > 0.5 { c * c + rest * ss } else { 1.0 - m * ss };
    let inner = elliptic_rf(c * c, delta, 1.0) + m / 3.0 * ss * elliptic_rd(c * c, 1.0, delta);
    whole + s * (rest * inner + m * fabs(c) / sqrt(delta))
}

/// sn, cn, dn and the amplitude of Jacobi's functions for 0 < m < 1.
fn elliptic_jacobi(u: f64, m: f64, out: &mut [f64; 4]) {
    let mut means = [0.0; 16];
    let mut roots = [0.0; 16];
    let mut a = 1.0;
    let mut b = 1.0 - m;
    let mut c = 1.0;
    let mut last: usize = 0;
    for k in 0..14 {
        last = k;
        means[k] = a;
        b = sqrt(b);
        roots[k] = b;
        c = 0.5 * (a + b);
        if fabs(a - b) <= 1e-8 * a {
            break;
        }
        b *= a;
        a = c;
    }
    let angle = c * u;
    let s = sin(angle);
    let mut dn = 1.0;
    if s == 0.0 {
        out[0] = s;
        out[1] = cos(angle);
        out[2] = dn;
        out[3] = angle;
        return;
    }
    // From here c is the cotangent of the amplitude times a mean.
    a = cos(angle) / s;
    c *= a;
    for k in 0..=last {
        let mean = means[last - k];
        a *= c;
        c *= dn;
        dn = (roots[last - k] + a) / (mean + a);
        a = c / mean;
    }
    let size = if fabs(c) > 1e8 { 1.0 / fabs(c) } else { 1.0 / sqrt(c * c + 1.0) };
    let sn = if s < 0.0 { -size } else { size };
    let cn = c * sn;
    let tau = 2.0 * std::f64::consts::PI;
    out[0] = sn;
    out[1] = cn;
    out[2] = dn;
    out[3] = atan2(sn, cn) + tau * floor(angle / tau + 0.5);
}

/// One of sn, cn, dn and the amplitude (which = 0, 1, 2, 3).
fn elliptic_jacobi_one(u: f64, m: f64, which: usize) -> f64 {
    if u.is_nan() || m.is_nan() || m < 0.0 || m > 1.0 || u.is_infinite() {
        return f64::NAN;
    }
    let mut out = [0.0; 4];
    if fabs(u) < 1e-9 {
        out[0] = u;
        out[1] = 1.0;
        out[2] = 1.0;
        out[3] = u;
    } else if m == 0.0 {
        out[0] = sin(u);
        out[1] = cos(u);
        out[2] = 1.0;
        out[3] = u;
    } else if m == 1.0 {
        out[0] = tanh(u);
        out[1] = 1.0 / cosh(u);
        out[2] = out[1];
        out[3] = atan(sinh(u));
    } else {
        elliptic_jacobi(u, m, &mut out);
    }
    out[which]
}

/// Jacobi's elliptic function sn(u | m), the first output of `ellipj`.
pub fn ellipj_sn(u: f64, m: f64) -> f64 {
    elliptic_jacobi_one(u, m, 0)
}

/// Jacobi's elliptic function cn(u | m), the second output of `ellipj`.
pub fn ellipj_cn(u: f64, m: f64) -> f64 {
    elliptic_jacobi_one(u, m, 1)
}

/// Jacobi's elliptic function dn(u | m), the third output of `ellipj`.
pub fn ellipj_dn(u: f64, m: f64) -> f64 {
    elliptic_jacobi_one(u, m, 2)
}

/// Jacobi's amplitude am(u | m), the fourth output of `ellipj`.
pub fn ellipj_ph(u: f64, m: f64) -> f64 {
    elliptic_jacobi_one(u, m, 3)
}
