//! Airy functions of real arguments.
//!
//! Polynomials near 0, the exponential forms of DLMF 9.7.5 to 9.7.8 for positive and the amplitudes
//! of 9.7.9 to 9.7.12 for negative arguments; the tables are sharp where the series are not.

use crate::airy_tables::*;
use libm::{cos, exp, sin, sqrt};

const AIRY_ROOT_INV_PI: f64 = 0.5641895835477563;
const AIRY_ROOT_HALF: f64 = 0.7071067811865476;
/// Beyond this distance from 0 the asymptotic forms hold.
const AIRY_FAR: f64 = 5.25;

/// Ai, Ai', Bi, Bi' (which = 0, 1, 2, 3) of x <= -5.25.
fn airy_negative(x: f64, which: i64) -> f64 {
    let z = -x;
    let root = sqrt(z);
    let zeta = z * root * (2.0 / 3.0);
    let r = AIRY_FAR / z;
    let t = 2.0 * r * r * r - 1.0;
    let s0 = sin(zeta);
    let c0 = cos(zeta);
    let c = (c0 + s0) * AIRY_ROOT_HALF;
    let s = (s0 - c0) * AIRY_ROOT_HALF;
    let fourth = sqrt(root);
    if which == 0 || which == 2 {
        let p = airy_p(t);
        let q = airy_q(t) / zeta;
        let y = if which == 0 { c * p + s * q } else { c * q - s * p };
        AIRY_ROOT_INV_PI / fourth * y
    } else {
        let p = airy_r(t);
        let q = airy_s(t) / zeta;
        let y = if which == 1 { s * p - c * q } else { c * p + s * q };
        AIRY_ROOT_INV_PI * fourth * y
    }
}

/// Ai or Ai' of x, times exp(z) with z = (2/3) x^(3/2) if `scaled`, which needs x >= 0.
pub(crate) fn airy_first(x: f64, derivative: bool, scaled: bool) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    if x < -AIRY_FAR {
        return airy_negative(x, if derivative { 1 } else { 0 });
    }
    if x < -0.5 * AIRY_FAR {
        let t = (x + 0.75 * AIRY_FAR) / (0.25 * AIRY_FAR);
        return if derivative { airy_aip_far(t) } else { airy_ai_far(t) };
    }
    if x < 0.0 {
        let t = (x + 0.25 * AIRY_FAR) / (0.25 * AIRY_FAR);
        return if derivative { airy_aip_near(t) } else { airy_ai_near(t) };
    }
    let root = sqrt(x);
    let zeta = x * root * (2.0 / 3.0);
    if x <= 2.0 {
        let y = if derivative { airy_aip_positive(x - 1.0) } else { airy_ai_positive(x - 1.0) };
        return if scaled { y * exp(zeta) } else { y };
    }
    // 2 (2/x)^(3/2) - 1.
    let t = 2.0 * 2.8284271247461903 / (x * root) - 1.0;
    let fourth = sqrt(root);
    let y = if derivative { airy_aip_large(t) * fourth } else { airy_ai_large(t) / fourth };
    if scaled { y } else { y * exp(-zeta) }
}

/// Bi or Bi' of x, times exp(-z) with z = (2/3) x^(3/2) if `scaled`, which needs x >= 0.
pub(crate) fn airy_second(x: f64, derivative: bool, scaled: bool) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    if x < -AIRY_FAR {
        return airy_negative(x, if derivative { 3 } else { 2 });
    }
    if x < -0.5 * AIRY_FAR {
        let t = (x + 0.75 * AIRY_FAR) / (0.25 * AIRY_FAR);
        return if derivative { airy_bip_far(t) } else { airy_bi_far(t) };
    }
    if x < 0.0 {
        let t = (x + 0.25 * AIRY_FAR) / (0.25 * AIRY_FAR);
        return if derivative { airy_bip_near(t) } else { airy_bi_near(t) };
    }
    let root = sqrt(x);
    let zeta = x * root * (2.0 / 3.0);
    if x <= 0.5 * AIRY_FAR {
        let t = (x - 0.25 * AIRY_FAR) / (0.25 * AIRY_FAR);
        let y = if derivative { airy_bip_positive(t) } else { airy_bi_positive(t) };
        return if scaled { y * exp(-zeta) } else { y };
    }
    let fourth = sqrt(root);
    let mut y: f64;
    if x <= AIRY_FAR {
        let t = (x - 0.75 * AIRY_FAR) / (0.25 * AIRY_FAR);
        y = if derivative { airy_bip_middle(t) } else { airy_bi_middle(t) };
    } else {
        // 2 (5.25/x)^(3/2) - 1.
        let t = 2.0 * 12.02926119925908 / (x * root) - 1.0;
        y = if derivative { airy_bip_large(t) } else { airy_bi_large(t) };
    }
    y = if derivative { y * fourth } else { y / fourth };
    if scaled { y } else { y * exp(zeta) }
}

/// The Airy function Ai, the first output of `airy`.
pub fn airy_ai(x: f64) -> f64 {
    airy_first(x, false, false)
}

/// The derivative of the Airy function Ai, the second output of `airy`.
pub fn airy_aip(x: f64) -> f64 {
    airy_first(x, true, false)
}

/// The Airy function Bi, the third output of `airy`.
pub fn airy_bi(x: f64) -> f64 {
    airy_second(x, false, false)
}

/// The derivative of the Airy function Bi, the fourth output of `airy`.
pub fn airy_bip(x: f64) -> f64 {
    airy_second(x, true, false)
}

/// The Airy function Ai times exp((2/3) x^(3/2)), NaN for negative arguments.
pub fn airye_ai(x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { airy_first(x, false, true) }
}

/// The derivative of the Airy function Ai times exp((2/3) x^(3/2)), NaN for negative arguments.
pub fn airye_aip(x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { airy_first(x, true, true) }
}

/// The Airy function Bi times exp(-(2/3) x^(3/2)), without the factor for negative arguments.
pub fn airye_bi(x: f64) -> f64 {
    airy_second(x, false, x >= 0.0)
}

/// The derivative of Bi times exp(-(2/3) x^(3/2)), without the factor for negative arguments.
pub fn airye_bip(x: f64) -> f64 {
    airy_second(x, true, x >= 0.0)
}
