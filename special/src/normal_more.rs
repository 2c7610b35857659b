//! Owen's T function, the Voigt profile and the Faddeeva function behind it.

use crate::erf::{dawsn, erfcx, ndtr, square_rest};
use libm::{atan, cos, exp, sin};

/// The nodes of Gauss and Legendre's rule for the interval from 0 to 1.
static LEGENDRE_POINTS: [f64; 32] = [
    0.0013680690752592183,
    0.007194244227365833,
    0.017618872206246784,
    0.03254696203113015,
    0.05183942211697394,
    0.07531619313371501,
    0.1027581020160288,
    0.13390894062985517,
    0.1684778665348924,
    0.20614212137961885,
    0.2465500455338853,
    0.2893243619346823,
    0.33406569885893617,
    0.38035631887393145,
    0.42776401920860174,
    0.4758461671561308,
    0.5241538328438692,
    0.5722359807913983,
    0.6196436811260685,
    0.6659343011410638,
    0.7106756380653176,
    0.7534499544661147,
    0.7938578786203812,
    0.8315221334651076,
    0.8660910593701449,
    0.8972418979839712,
    0.9246838068662849,
    0.9481605778830261,
    0.9674530379688698,
    0.9823811277937532,
    0.9928057557726342,
    0.9986319309247408,
];

/// Its weights.
static LEGENDRE_WEIGHTS: [f64; 32] = [
    0.003509305004735048,
    0.008137197365452835,
    0.01269603265463103,
    0.017136931456510716,
    0.02141794901111334,
    0.025499029631188087,
    0.029342046739267772,
    0.032911111388180925,
    0.03617289705442425,
    0.039096947893535156,
    0.041655962113473374,
    0.043826046502201906,
    0.045586939347881945,
    0.04692219954040228,
    0.04781936003963743,
    0.0482700442573639,
    0.0482700442573639,
    0.04781936003963743,
    0.04692219954040228,
    0.045586939347881945,
    0.043826046502201906,
    0.041655962113473374,
    0.039096947893535156,
    0.03617289705442425,
    0.032911111388180925,
    0.029342046739267772,
    0.025499029631188087,
    0.02141794901111334,
    0.017136931456510716,
    0.01269603265463103,
    0.008137197365452835,
    0.003509305004735048,
];

/// The part of Owen's function for h >= 0 and 0 < a <= 1: the integral of its definition, cut off
/// where the integrand is negligible.
fn owens_integral(h: f64, a: f64) -> f64 {
    let square = h * h;
    if square > 1490.0 {
        return 0.0;
    }
    let end = if h * a > 8.8 { 8.8 / h } else { a };
    let mut sum = 0.0;
    for i in 0..32 {
        let x = end * LEGENDRE_POINTS[i];
        let y = x * x;
        sum += LEGENDRE_WEIGHTS[i] * exp(-0.5 * square * y) / (1.0 + y);
    }
    let common = exp(-0.5 * square) * (1.0 - 0.5 * square_rest(h, square));
    common * end * sum * 0.15915494309189535
}

/// Owen's T function, the integral of exp(-h^2 (1 + x^2) / 2) / (2 pi (1 + x^2)) for x from 0 to a.
///
/// For |a| > 1 by the reflection of Owen (1956); Patefield and Tandy (2000) list such relations.
pub fn owens_t(h: f64, a: f64) -> f64 {
    if h.is_nan() || a.is_nan() {
        return f64::NAN;
    }
    let x = h.abs();
    let y = a.abs();
    if x.is_infinite() || y == 0.0 {
        return 0.0;
    }
    let value: f64;
    if x == 0.0 {
        value = atan(y) * 0.15915494309189535;
    } else if y.is_infinite() {
        value = 0.5 * ndtr(-x);
    } else if y <= 1.0 {
        value = owens_integral(x, y);
    } else {
        let z = x * y;
        let other = owens_integral(z, 1.0 / y);
        if x < 0.5 {
            // Both distribution functions are near 1/2, so that their differences from it are used.
            let p = ndtr(x) - 0.5;
            let q = ndtr(z) - 0.5;
            value = 0.25 - p * q - other;
        } else {
            let p = ndtr(-x);
            let q = ndtr(-z);
            value = 0.5 * (p + q) - p * q - other;
        }
    }
    if a < 0.0 { -value } else { value }
}

/// The spacing of the trapezoidal rules for the Faddeeva function with 12 terms, sqrt(pi / 12).
const WOFZ_STEP: f64 = 0.5116633539732443;

/// The real part of the Faddeeva function w(x + i y) for x, y >= 0.
///
/// Trapezoidal rules with the residues of the poles nearby, as in Al Azah and Chandler-Wilde
/// (2021): of the rules with nodes at whole and at half multiples of the spacing, the one is used
/// whose nodes are farther from x.
pub(crate) fn wofz_real_part(x: f64, y: f64) -> f64 {
    if y == 0.0 {
        return exp(-x * x);
    }
    if x == 0.0 {
        return erfcx(y);
    }
    if x.is_infinite() || y.is_infinite() {
        return 0.0;
    }
    if x > 1e10 || y > 1e10 {
        // i / (sqrt(pi) z).
        let scale = x.max(y);
        return 0.5641895835477563 * (y / scale) / (x / scale * x + y / scale * y);
    }
    wofz_sum(x, y, true)
}

fn wofz_sum(x: f64, y: f64, real: bool) -> f64 {
    let phase = x / WOFZ_STEP - (x / WOFZ_STEP).floor();
    let near_half = phase >= 0.25 && phase <= 0.75;
    let far = y >= x.max(6.139960247678931);
    // Half multiples are used far from the real axis, and where x is near a whole multiple.
    let halves = far || !near_half;
    let x2 = x * x;
    let y2 = y * y;
    let norm = x2 + y2;
    let mut sum = 0.0;
    for k in 0..12 {
        let node = if halves { k as f64 + 0.5 } else { k as f64 + 1.0 } * WOFZ_STEP;
        let t2 = node * node;
        // |z^2 - t^2|^2 = ((x - t)^2 + y^2) ((x + t)^2 + y^2).
        let below = (x - node) * (x - node) + y2;
        let above = (x + node) * (x + node) + y2;
        let part = if real { y * (norm + t2) } else { x * (norm - t2) };
        sum += exp(-t2) * part / (below * above);
    }
    let mut value = 2.0 * WOFZ_STEP * std::f64::consts::FRAC_1_PI * sum;
    if !halves {
        let part = if real { y } else { x };
        value += WOFZ_STEP * std::f64::consts::FRAC_1_PI * part / norm;
    }
    if far {
        return value;
    }
    // 2 exp(-z^2) / (1 +- exp(-2 pi i z / h)), divided by the larger of its two terms.
    let angle = std::f64::consts::TAU * (x / WOFZ_STEP - (x / WOFZ_STEP).floor());
    let growth = exp(-std::f64::consts::TAU * y / WOFZ_STEP);
    let sign = if halves { 1.0 } else { -1.0 };
    let size = exp(y2 - x2);
    let turn = 2.0 * x * y;
    // With e = exp(2 pi i z / h), whose size is the growth: e / (e + sign).
    let er = growth * cos(angle);
    let ei = growth * sin(angle);
    let dr = er + sign;
    let norm_d = dr * dr + ei * ei;
    let qr = (er * dr + ei * ei) / norm_d;
    let qi = (ei * dr - er * ei) / norm_d;
    let c = cos(turn);
    let s = -sin(turn);
    let rest = if real { c * qr - s * qi } else { c * qi + s * qr };
    value + 2.0 * size * rest
}

/// The real part of the Faddeeva function w(x + i y) = exp(-z^2) erfc(-i z).
pub fn wofz_real(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y >= 0.0 {
        return wofz_real_part(x.abs(), y);
    }
    // w(z) = 2 exp(-z^2) - conj(w(conj(z))) (DLMF 7.4.3).
    let size = 2.0 * exp(y * y - x * x);
    if x == 0.0 {
        return size - wofz_real_part(0.0, -y);
    }
    let mirrored = wofz_real_part(x.abs(), -y);
    // The product may be of 0 and infinity.
    if size == 0.0 { -mirrored } else { size * cos(2.0 * x * y) - mirrored }
}

/// The imaginary part of the Faddeeva function w(x + i y) = exp(-z^2) erfc(-i z).
pub fn wofz_imag(x: f64, y: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let u = x.abs();
    let v = y.abs();
    let mut value = 0.0;
    if v == 0.0 {
        value = 1.1283791670955126 * dawsn(u);
    } else if u.is_infinite() || v.is_infinite() {
        value = 0.0;
    } else if u > 1e10 || v > 1e10 {
        let scale = u.max(v);
        value = 0.5641895835477563 * (u / scale) / (u / scale * u + v / scale * v);
    } else if u > 0.0 {
        value = wofz_sum(u, v, false);
    }
    // The product may be of 0 and infinity.
    let size = if y < 0.0 { 2.0 * exp(y * y - x * x) } else { 0.0 };
    if size != 0.0 {
        value -= size * sin(2.0 * u * y);
    }
    if x < 0.0 { -value } else { value }
}

/// The Voigt profile, the convolution of a normal density with deviation sigma and a Cauchy density
/// with half width gamma.
pub fn voigt_profile(x: f64, sigma: f64, gamma: f64) -> f64 {
    if x.is_nan() || sigma.is_nan() || gamma.is_nan() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return 0.0;
    }
    if sigma == 0.0 {
        if gamma == 0.0 {
            return if x == 0.0 { f64::INFINITY } else { 0.0 };
        }
        return gamma * std::f64::consts::FRAC_1_PI / (x * x + gamma * gamma);
    }
    let scale = 0.3989422804014327 / sigma;
    if gamma == 0.0 {
        let u = x / sigma;
        return scale * exp(-0.5 * u * u);
    }
    let z = std::f64::consts::FRAC_1_SQRT_2 / sigma;
    scale * wofz_real(x * z, gamma * z)
}
