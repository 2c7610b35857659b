//! Mathieu functions of integer order (DLMF chapter 28).
//!
//! A characteristic value is an eigenvalue of the symmetric tridiagonal matrix of the Fourier
//! coefficients (DLMF 28.4), found by bisection with Sturm's count (Givens 1954); the coefficients
//! come from recurrences in both directions, joined in the middle.

use crate::bessel_jy::{jv, yv};
use crate::recurrence::recurrence_factor;
use libm::{cos, exp, fabs, floor, sin, sqrt};

/// The largest number of Fourier coefficients.
const MATHIEU_SIZE: i64 = 200;

/// Diagonal element k of the matrix; kind 0 and 1 are a of even and odd order, 2 and 3 b of odd and
/// even order.
fn mathieu_diagonal(kind: i64, k: i64, q: f64) -> f64 {
    let order = mathieu_frequency(kind, k);
    let square = order * order;
    if k > 0 || kind == 0 || kind == 3 {
        return square;
    }
    if kind == 1 { square + q } else { square - q }
}

/// The frequency of Fourier coefficient k.
fn mathieu_frequency(kind: i64, k: i64) -> f64 {
    let n = (2 * k) as f64;
    if kind == 0 {
        n
    } else if kind == 3 {
        n + 2.0
    } else {
        n + 1.0
    }
}

/// The size of the matrix for eigenvalue `index`, more than the largest size if q is too large.
fn mathieu_size(index: i64, q: f64) -> i64 {
    let extra = 1.6 * sqrt(fabs(q)) + 16.0;
    if extra > 1000.0 || index > 1000 {
        return MATHIEU_SIZE + 1;
    }
    index + extra as i64
}

/// The characteristic value with an index from 0 among those of its kind.
fn mathieu_value(kind: i64, index: i64, q: f64) -> f64 {
    let size = mathieu_size(index, q);
    let middle = mathieu_diagonal(kind, index, q);
    let mut low = mathieu_diagonal(kind, 0, q) - 3.0 * fabs(q) - 1.0;
    let mut high = middle + 3.0 * fabs(q) + 1.0;
    let squared = q * q;
    for _step in 0..80 {
        let x = 0.5 * (low + high);
        if x <= low || x >= high {
            break;
        }
        // As many negative pivots as eigenvalues below x.
        let mut count = 0;
        let mut pivot = 1.0;
        for k in 0..size {
            let off = if k == 0 {
                0.0
            } else if k == 1 && kind == 0 {
                2.0 * squared
            } else {
                squared
            };
            pivot = mathieu_diagonal(kind, k, q) - x - off / pivot;
            if pivot == 0.0 {
                pivot = 1e-300;
            }
            if pivot < 0.0 {
                count += 1;
            }
        }
        if count > index {
            high = x;
        } else {
            low = x;
        }
    }
    0.5 * (low + high)
}

/// The normalised Fourier coefficients (DLMF 28.4.9 to 28.4.12); returns their number, 0 if too
/// many.
fn mathieu_coefficients(kind: i64, index: i64, q: f64, out: &mut [f64; 200]) -> i64 {
    let size = mathieu_size(index, q);
    if size > MATHIEU_SIZE {
        return 0;
    }
    for k in 0..size {
        out[k as usize] = 0.0;
    }
    if q == 0.0 {
        out[index as usize] = if kind == 0 && index == 0 { 0.7071067811865476 } else { 1.0 };
        return size;
    }
    let value = mathieu_value(kind, index, q);
    // The coefficients are largest about the frequency sqrt(value).
    let mut join = 0;
    if value > 0.0 {
        let offset = mathieu_frequency(kind, 0);
        join = (0.5 * (sqrt(value) - offset) + 0.5).max(0.0) as i64;
    }
    if join > size - 3 {
        join = size - 3;
    }
    // Backwards from the end to the join; small numbers must not vanish before they grow.
    let mut above = 0.0;
    let mut here = 1e-280;
    let mut k = size - 1;
    while k > join {
        out[k as usize] = here;
        let mut below = (value - mathieu_diagonal(kind, k, q)) / q * here - above;
        if k == 1 && kind == 0 {
            below *= 0.5;
        }
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
    here = 1.0;
    for i in 0..=join {
        out[i as usize] = here;
        let mut next = (value - mathieu_diagonal(kind, i, q)) / q * here - before;
        if i == 1 && kind == 0 {
            next -= before;
        }
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
    let mut norm = 0.0;
    let mut sign = 0.0;
    for i in 0..size {
        let c = out[i as usize];
        norm += if kind == 0 && i == 0 { 2.0 * c * c } else { c * c };
        sign += if kind < 2 { c } else { c * mathieu_frequency(kind, i) };
    }
    let scale = if sign < 0.0 { -1.0 / sqrt(norm) } else { 1.0 / sqrt(norm) };
    for i in 0..size {
        out[i as usize] *= scale;
    }
    size
}

/// Whether m is no order: for odd functions it starts from 1.
fn mathieu_no_order(m: f64, odd: bool) -> bool {
    m.is_nan() || m != floor(m) || m < 0.0 || (odd && m < 1.0) || m > 300.0
}

/// The kind of a function of order m.
fn mathieu_kind(m: f64, odd: bool) -> i64 {
    let even_order = m % 2.0 == 0.0;
    if odd {
        if even_order { 3 } else { 2 }
    } else if even_order {
        0
    } else {
        1
    }
}

/// The index of order m among those of its kind.
fn mathieu_index(m: f64, odd: bool) -> i64 {
    let half = floor(0.5 * m) as i64;
    if odd && m % 2.0 == 0.0 { half - 1 } else { half }
}

/// The characteristic value a_m(q) of the even Mathieu function of order m.
pub fn mathieu_a(m: f64, q: f64) -> f64 {
    if mathieu_no_order(m, false) || q.is_nan() || fabs(q) > 1e5 {
        return f64::NAN;
    }
    if q == 0.0 {
        return m * m;
    }
    mathieu_value(mathieu_kind(m, false), mathieu_index(m, false), q)
}

/// The characteristic value b_m(q) of the odd Mathieu function of order m.
pub fn mathieu_b(m: f64, q: f64) -> f64 {
    if mathieu_no_order(m, true) || q.is_nan() || fabs(q) > 1e5 {
        return f64::NAN;
    }
    if q == 0.0 {
        return m * m;
    }
    mathieu_value(mathieu_kind(m, true), mathieu_index(m, true), q)
}

/// The angular function of order m at x degrees, or its derivative by the angle in radians.
fn mathieu_angular(m: f64, q: f64, x: f64, odd: bool, derivative: bool) -> f64 {
    if m == 0.0 && odd && !q.is_nan() && !x.is_nan() {
        return 0.0;
    }
    if mathieu_no_order(m, odd) || q.is_nan() || x.is_nan() || x.is_infinite() {
        return f64::NAN;
    }
    let kind = mathieu_kind(m, odd);
    let mut c = [0.0; 200];
    let size = mathieu_coefficients(kind, mathieu_index(m, odd), q, &mut c);
    if size == 0 {
        return f64::NAN;
    }
    let angle = (x % 360.0) * (std::f64::consts::PI / 180.0);
    let mut sum = 0.0;
    for i in 0..size {
        let f = mathieu_frequency(kind, i);
        let term = if odd != derivative { sin(f * angle) } else { cos(f * angle) };
        let factor = if !derivative {
            1.0
        } else if odd {
            f
        } else {
            -f
        };
        sum += c[i as usize] * factor * term;
    }
    sum
}

/// The even Mathieu function ce_m(x, q) of x degrees, the first output of `mathieu_cem`.
pub fn mathieu_cem_y(m: f64, q: f64, x: f64) -> f64 {
    mathieu_angular(m, q, x, false, false)
}

/// The derivative of ce_m(x, q) by the angle, the second output of `mathieu_cem`.
pub fn mathieu_cem_yp(m: f64, q: f64, x: f64) -> f64 {
    mathieu_angular(m, q, x, false, true)
}

/// The odd Mathieu function se_m(x, q) of x degrees, the first output of `mathieu_sem`.
pub fn mathieu_sem_y(m: f64, q: f64, x: f64) -> f64 {
    mathieu_angular(m, q, x, true, false)
}

/// The derivative of se_m(x, q) by the angle, the second output of `mathieu_sem`.
pub fn mathieu_sem_yp(m: f64, q: f64, x: f64) -> f64 {
    mathieu_angular(m, q, x, true, true)
}

/// J, or Y if `second`, of any integer order.
fn mathieu_bessel(n: i64, x: f64, second: bool) -> f64 {
    if second { yv(n as f64, x) } else { jv(n as f64, x) }
}

/// The derivative of J, or of Y if `second`.
fn mathieu_slope(n: i64, x: f64, second: bool) -> f64 {
    0.5 * (mathieu_bessel(n - 1, x, second) - mathieu_bessel(n + 1, x, second))
}

/// The modified functions Mc and Ms of the first or second kind, or their derivatives, by products
/// of Bessel functions (DLMF 28.24.2 to 28.24.5).
fn mathieu_modified(m: f64, q: f64, x: f64, odd: bool, second: bool, derivative: bool) -> f64 {
    if mathieu_no_order(m, odd) || q.is_nan() || q <= 0.0 || x.is_nan() || x.is_infinite() {
        return f64::NAN;
    }
    let kind = mathieu_kind(m, odd);
    let index = mathieu_index(m, odd);
    let mut c = [0.0; 200];
    let size = mathieu_coefficients(kind, index, q, &mut c);
    if size == 0 {
        return f64::NAN;
    }
    let mut s = 0;
    for i in 0..size {
        if fabs(c[i as usize]) > fabs(c[s as usize]) {
            s = i;
        }
    }
    let h = sqrt(q);
    let e = exp(x);
    let u = h / e;
    let w = h * e;
    let shift = if kind == 0 {
        0
    } else if kind == 3 {
        2
    } else {
        1
    };
    let mut sum = 0.0;
    for l in 0..size {
        let coefficient = c[l as usize] / c[s as usize];
        if fabs(coefficient) < 1e-30 && l > s {
            break;
        }
        let low = l - s;
        let high = l + s + shift;
        let a = mathieu_bessel(low, u, false);
        let b = mathieu_bessel(high, u, false);
        let p = mathieu_bessel(high, w, second);
        let r = mathieu_bessel(low, w, second);
        let mut y: f64;
        if derivative {
            let first =
                w * a * mathieu_slope(high, w, second) - u * mathieu_slope(low, u, false) * p;
            let other =
                w * b * mathieu_slope(low, w, second) - u * mathieu_slope(high, u, false) * r;
            y = if odd { first - other } else { first + other };
        } else {
            y = if odd { a * p - b * r } else { a * p + b * r };
        }
        if l % 2 == 1 {
            y = -y;
        }
        sum += coefficient * y;
    }
    if kind == 0 && s == 0 {
        sum *= 0.5;
    }
    if index % 2 == 1 { -sum } else { sum }
}

/// The even modified Mathieu function Mc of the first kind, the first output of `mathieu_modcem1`.
pub fn mathieu_modcem1_y(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, false, false, false)
}

/// The derivative of Mc of the first kind, the second output of `mathieu_modcem1`.
pub fn mathieu_modcem1_yp(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, false, false, true)
}

/// The even modified Mathieu function Mc of the second kind, the first output of `mathieu_modcem2`.
pub fn mathieu_modcem2_y(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, false, true, false)
}

/// The derivative of Mc of the second kind, the second output of `mathieu_modcem2`.
pub fn mathieu_modcem2_yp(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, false, true, true)
}

/// The odd modified Mathieu function Ms of the first kind, the first output of `mathieu_modsem1`.
pub fn mathieu_modsem1_y(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, true, false, false)
}

/// The derivative of Ms of the first kind, the second output of `mathieu_modsem1`.
pub fn mathieu_modsem1_yp(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, true, false, true)
}

/// The odd modified Mathieu function Ms of the second kind, the first output of `mathieu_modsem2`.
pub fn mathieu_modsem2_y(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, true, true, false)
}

/// The derivative of Ms of the second kind, the second output of `mathieu_modsem2`.
pub fn mathieu_modsem2_yp(m: f64, q: f64, x: f64) -> f64 {
    mathieu_modified(m, q, x, true, true, true)
}
