//! Parabolic cylinder functions (DLMF chapter 12).
//!
//! D and V by the even and odd solutions in terms of 1F1, D of larger positive arguments by U; W by
//! Taylor series of its differential equation.

use crate::confluent::{confluent_m, confluent_u};
use crate::gamma::rgamma;
use libm::{atan2, cos, exp, exp2, fabs, floor, log, sin, sqrt};

const PARABOLIC_ROOT_PI: f64 = 1.772453850905516;

/// exp(-x^2/4) times the even (odd = false) or odd solution, for a = -v - 1/2 (DLMF 12.4, 12.7.12).
fn parabolic_solution(v: f64, x: f64, odd: bool) -> f64 {
    let z = 0.5 * x * x;
    let large = z > 1.0;
    let mut y = 1.0;
    if z > 0.0 {
        // Kummer's transformation gives the form with the smaller cancellation for negative z.
        y = if odd {
            confluent_m(0.5 - 0.5 * v, 1.5, z, large)
        } else {
            confluent_m(-0.5 * v, 0.5, z, large)
        };
    }
    let factor = if large { exp(0.5 * z) } else { exp(-0.5 * z) };
    if odd { x * factor * y } else { factor * y }
}

/// D of integer order v >= 0 by recurrence (DLMF 12.8.1).
fn parabolic_hermite(v: i64, x: f64) -> f64 {
    let mut before = 0.0;
    let mut here = exp(-0.25 * x * x);
    if here == 0.0 {
        return 0.0;
    }
    for k in 0..v {
        let next = x * here - k as f64 * before;
        before = here;
        here = next;
    }
    here
}

/// D of order v.
fn parabolic_d(v: f64, x: f64) -> f64 {
    if v >= 0.0 && v == floor(v) && v < 100000.0 {
        return parabolic_hermite(v as i64, x);
    }
    if x > 1.0 || x > 0.0 && x * x * (fabs(v) + 1.0) > 1.0 {
        // DLMF 12.7.14; the other form cancels.
        let z = 0.5 * x * x;
        return exp2(0.5 * v) * exp(-0.5 * z) * confluent_u(-0.5 * v, 0.5, z);
    }
    // DLMF 12.4.1 with the values at 0 of 12.2.6 and 12.2.7.
    let scale = exp2(0.5 * v) * PARABOLIC_ROOT_PI;
    let c = scale * rgamma(0.5 - 0.5 * v);
    let d = -scale * std::f64::consts::SQRT_2 * rgamma(-0.5 * v);
    let mut y = 0.0;
    if c != 0.0 {
        y = c * parabolic_solution(v, x, false);
    }
    if d != 0.0 && x != 0.0 {
        y += d * parabolic_solution(v, x, true);
    }
    y
}

/// V of order v, that is V(a, x) for a = -v - 1/2 (DLMF 12.4.2, 12.2.8, 12.2.9).
fn parabolic_v(v: f64, x: f64) -> f64 {
    let scale = std::f64::consts::PI * exp2(-0.5 * v);
    let p = rgamma(1.0 + 0.5 * v);
    let q = rgamma(0.5 + 0.5 * v);
    let c = scale * p * p * rgamma(-0.5 * v);
    let d = scale * std::f64::consts::SQRT_2 * q * q * rgamma(0.5 - 0.5 * v);
    let mut y = 0.0;
    if c != 0.0 {
        y = c * parabolic_solution(v, x, false);
    }
    if d != 0.0 && x != 0.0 {
        y += d * parabolic_solution(v, x, true);
    }
    y
}

/// The parabolic cylinder function D_v(x), the first output of `pbdv`.
pub fn pbdv_d(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || v.is_infinite() || x.is_infinite() {
        return f64::NAN;
    }
    parabolic_d(v, x)
}

/// The derivative of the parabolic cylinder function D_v(x), the second output of `pbdv`.
pub fn pbdv_dp(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || v.is_infinite() || x.is_infinite() {
        return f64::NAN;
    }
    // DLMF 12.8.2 and 12.8.3, whichever cancels less.
    if x >= 0.0 {
        let other = if v == 0.0 { 0.0 } else { v * parabolic_d(v - 1.0, x) };
        return other - 0.5 * x * parabolic_d(v, x);
    }
    0.5 * x * parabolic_d(v, x) - parabolic_d(v + 1.0, x)
}

/// The parabolic cylinder function V_v(x), the first output of `pbvv`.
pub fn pbvv_v(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || v.is_infinite() || x.is_infinite() {
        return f64::NAN;
    }
    parabolic_v(v, x)
}

/// The derivative of the parabolic cylinder function V_v(x), the second output of `pbvv`.
pub fn pbvv_vp(v: f64, x: f64) -> f64 {
    if v.is_nan() || x.is_nan() || v.is_infinite() || x.is_infinite() {
        return f64::NAN;
    }
    0.5 * x * parabolic_v(v, x) - (v + 1.0) * parabolic_v(v + 1.0, x)
}

/// The real part, or the imaginary part, of ln gamma(x + iy) by Stirling's series after a shift
/// (DLMF 5.11.1).
fn parabolic_log_gamma(x: f64, y: f64, imaginary: bool) -> f64 {
    let mut shift = 0.0;
    for k in 0..10 {
        let r = x + k as f64;
        shift += if imaginary { atan2(y, r) } else { 0.5 * log(r * r + y * y) };
    }
    let r = x + 10.0;
    let size = r * r + y * y;
    // Powers of 1/z.
    let c = r / size;
    let s = -y / size;
    let c2 = c * c - s * s;
    let s2 = 2.0 * c * s;
    let c3 = c * c2 - s * s2;
    let s3 = c * s2 + s * c2;
    let c5 = c3 * c2 - s3 * s2;
    let s5 = c3 * s2 + s3 * c2;
    let c7 = c5 * c2 - s5 * s2;
    let s7 = c5 * s2 + s5 * c2;
    let c9 = c7 * c2 - s7 * s2;
    let s9 = c7 * s2 + s7 * c2;
    let half_log = 0.5 * log(size);
    let angle = atan2(y, r);
    if imaginary {
        let series = s / 12.0 - s3 / 360.0 + s5 / 1260.0 - s7 / 1680.0 + s9 / 1188.0;
        return (r - 0.5) * angle + y * half_log - y + series - shift;
    }
    let series = c / 12.0 - c3 / 360.0 + c5 / 1260.0 - c7 / 1680.0 + c9 / 1188.0;
    (r - 0.5) * half_log - y * angle - r + 0.9189385332046728 + series - shift
}

/// W and its derivative for |x| >= 20 + |a| by the asymptotic series (DLMF 12.14.17 to 12.14.22).
fn parabolic_w_asymptotic(a: f64, x: f64, out: &mut [f64; 2]) {
    let z = fabs(x);
    let phase = parabolic_log_gamma(0.5, a, true);
    let omega = 0.25 * z * z - a * log(z) + std::f64::consts::FRAC_PI_4 + 0.5 * phase;
    // The sum of (-i)^r (1/2 + ia)_(2r)/(r! 2^r x^(2r)) and its derivative.
    let mut tr = 1.0;
    let mut ti = 0.0;
    let mut sr = 1.0;
    let mut si = 0.0;
    let mut dr = 0.0;
    let mut di = 0.0;
    for k in 0..80 {
        let n = 2.0 * k as f64 + 0.5;
        let scale = 1.0 / (2.0 * (k as f64 + 1.0) * z * z);
        // (n + ia)(n + 1 + ia), times -i.
        let pr = (n * (n + 1.0) - a * a) * scale;
        let pi = (2.0 * n + 1.0) * a * scale;
        let nr = tr * pi + ti * pr;
        ti = ti * pi - tr * pr;
        tr = nr;
        let weight = -2.0 * (k as f64 + 1.0) / z;
        sr += tr;
        si += ti;
        dr += weight * tr;
        di += weight * ti;
        if fabs(tr) + fabs(ti) < 1e-18 {
            break;
        }
    }
    let slope = 0.5 * z - a / z;
    // The derivative of x^(-1/2) exp(i omega) S without its factors.
    let gr = dr - slope * si - sr / (2.0 * z);
    let gi = di + slope * sr - si / (2.0 * z);
    let e = exp(std::f64::consts::PI * a);
    let k = 1.0 / (sqrt(1.0 + e * e) + e);
    let c = cos(omega);
    let s = sin(omega);
    if x > 0.0 {
        let amplitude = sqrt(2.0 * k / z);
        out[0] = amplitude * (sr * c - si * s);
        out[1] = amplitude * (gr * c - gi * s);
    } else {
        let amplitude = sqrt(2.0 / (k * z));
        out[0] = amplitude * (sr * s + si * c);
        out[1] = -amplitude * (gr * s + gi * c);
    }
}

/// Carries W and its derivative from one argument to another by Taylor series of
/// w'' = (a - x^2/4) w (DLMF 12.14.2).
fn parabolic_w_carry(a: f64, from: f64, to: f64, out: &mut [f64; 2]) {
    let largest = fabs(from).max(fabs(to));
    let size = 1.0 + sqrt(fabs(a)) + 0.5 * largest;
    let steps = floor(0.5 * fabs(to - from) * size) + 1.0;
    let h = (to - from) / steps;
    let hh = h * h;
    if h == 0.0 {
        return;
    }
    for i in 0..(steps as i64) {
        let x0 = from + i as f64 * h;
        // w = sum u_k ((x - x0)/h)^k.
        let q0 = hh * (a - 0.25 * x0 * x0);
        let q1 = -0.5 * x0 * h * hh;
        let q2 = -0.25 * hh * hh;
        let mut u0 = 0.0;
        let mut u1 = 0.0;
        let mut u2 = out[0];
        let mut u3 = out[1] * h;
        let mut sum = u2 + u3;
        let mut slope = u3;
        for k in 0..80 {
            let n = k as f64;
            let next = (q0 * u2 + q1 * u1 + q2 * u0) / ((n + 1.0) * (n + 2.0));
            u0 = u1;
            u1 = u2;
            u2 = u3;
            u3 = next;
            sum += next;
            slope += (n + 2.0) * next;
            if n > 4.0 && (fabs(u3) + fabs(u2) + fabs(u1)) * n < 1e-18 * fabs(sum) {
                break;
            }
        }
        out[0] = sum;
        out[1] = slope / h;
    }
}

/// W(a, x) or its derivative.
fn parabolic_w(a: f64, x: f64, derivative: bool) -> f64 {
    if a.is_nan() || x.is_nan() || fabs(a) > 200.0 || x.is_infinite() {
        return f64::NAN;
    }
    let mut out = [0.0; 2];
    let far = 20.0 + fabs(a);
    if fabs(x) >= far {
        parabolic_w_asymptotic(a, x, &mut out);
    } else if a > 0.5 && x > 0.0 {
        // W decays from 0 through the barrier, so that it is carried inwards.
        parabolic_w_asymptotic(a, far, &mut out);
        parabolic_w_carry(a, far, x, &mut out);
    } else {
        // DLMF 12.14.4 and 12.14.5.
        let top = parabolic_log_gamma(0.25, 0.5 * a, false);
        let l = 0.5 * (top - parabolic_log_gamma(0.75, 0.5 * a, false));
        out[0] = 0.5946035575013605 * exp(l);
        out[1] = -0.8408964152537145 * exp(-l);
        parabolic_w_carry(a, 0.0, x, &mut out);
    }
    if derivative { out[1] } else { out[0] }
}

/// The parabolic cylinder function W(a, x), the first output of `pbwa`.
pub fn pbwa_w(a: f64, x: f64) -> f64 {
    parabolic_w(a, x, false)
}

/// The derivative of the parabolic cylinder function W(a, x), the second output of `pbwa`.
pub fn pbwa_wp(a: f64, x: f64) -> f64 {
    parabolic_w(a, x, true)
}
