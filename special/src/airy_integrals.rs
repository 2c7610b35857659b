//! Integrals of Airy functions (DLMF 9.10).

use crate::airy_integral_tables::*;
use libm::{cos, exp, sin, sqrt};

const AIRY_INT_FAR: f64 = 5.25;

/// The integral of Ai, or of Bi, from -infinity to x <= -5.25.
fn airy_integral_negative(x: f64, second: bool) -> f64 {
    let z = -x;
    let root = sqrt(z);
    let zeta = z * root * (2.0 / 3.0);
    let r = AIRY_INT_FAR / z;
    let t = 2.0 * r * r * r - 1.0;
    let p = airy_int_p(t);
    let q = airy_int_q(t) / zeta;
    let s0 = sin(zeta);
    let c0 = cos(zeta);
    // sqrt(2) times the cosine and sine of zeta - pi/4.
    let c = c0 + s0;
    let s = s0 - c0;
    let amplitude = 1.0 / sqrt(2.0 * std::f64::consts::PI * z * root);
    amplitude * if second { -c * p - s * q } else { c * q - s * p }
}

/// The integral of Ai from 0 to x, for either sign of x.
fn airy_integral_first(x: f64) -> f64 {
    if x < -AIRY_INT_FAR {
        return airy_integral_negative(x, false) - 2.0 / 3.0;
    }
    if x < -0.5 * AIRY_INT_FAR {
        return airy_int_ai_far((x + 0.75 * AIRY_INT_FAR) / (0.25 * AIRY_INT_FAR));
    }
    if x < 0.0 {
        return x * airy_int_ai_near((x + 0.25 * AIRY_INT_FAR) / (0.25 * AIRY_INT_FAR));
    }
    if x <= 2.0 {
        return x * airy_int_ai_positive(x - 1.0);
    }
    let cubed = x * sqrt(x);
    let y = exp(-cubed * (2.0 / 3.0)) / sqrt(cubed);
    1.0 / 3.0 - y * airy_int_ai_large(2.0 * 2.8284271247461903 / cubed - 1.0)
}

/// The integral of Bi from 0 to x, for either sign of x.
fn airy_integral_second(x: f64) -> f64 {
    if x < -AIRY_INT_FAR {
        return airy_integral_negative(x, true);
    }
    if x < -0.5 * AIRY_INT_FAR {
        return airy_int_bi_far((x + 0.75 * AIRY_INT_FAR) / (0.25 * AIRY_INT_FAR));
    }
    if x < 0.0 {
        return x * airy_int_bi_near((x + 0.25 * AIRY_INT_FAR) / (0.25 * AIRY_INT_FAR));
    }
    if x <= 0.5 * AIRY_INT_FAR {
        return x * airy_int_bi_positive((x - 0.25 * AIRY_INT_FAR) / (0.25 * AIRY_INT_FAR));
    }
    let cubed = x * sqrt(x);
    let y = exp(cubed * (2.0 / 3.0)) / sqrt(cubed);
    if x <= AIRY_INT_FAR {
        return y * airy_int_bi_middle((x - 0.75 * AIRY_INT_FAR) / (0.25 * AIRY_INT_FAR));
    }
    y * airy_int_bi_large(2.0 * 12.02926119925908 / cubed - 1.0)
}

/// The integral of Ai(t) from 0 to x, the first output of `itairy`.
pub fn itairy_apt(x: f64) -> f64 {
    airy_integral_first(x)
}

/// The integral of Bi(t) from 0 to x, the second output of `itairy`.
pub fn itairy_bpt(x: f64) -> f64 {
    airy_integral_second(x)
}

/// The integral of Ai(-t) from 0 to x, the third output of `itairy`.
pub fn itairy_ant(x: f64) -> f64 {
    -airy_integral_first(-x)
}

/// The integral of Bi(-t) from 0 to x, the fourth output of `itairy`.
pub fn itairy_bnt(x: f64) -> f64 {
    -airy_integral_second(-x)
}
