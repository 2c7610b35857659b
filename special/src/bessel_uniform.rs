//! Bessel functions of large order, uniformly in the argument.
//!
//! Olver's expansions: in Airy functions about the turning point x = v (DLMF 10.20), Debye's away
//! from it (DLMF 10.19(ii)), and those of the modified functions (DLMF 10.41(ii)).

use crate::airy::{airy_first, airy_second};
use crate::bessel_uniform_tables::*;
use crate::bessel01::exp_times;
use libm::{asinh, atan2, cbrt, cos, exp, log, sin, sqrt};

/// The order from which the expansions of J and Y hold.
pub(crate) const BESSEL_UNIFORM_JY: f64 = 100.0;
/// The order from which the expansions of I and K hold.
pub(crate) const BESSEL_UNIFORM_IK: f64 = 20.0;

/// The sums of U_k(p)/v^k over even and odd k, where `square` = p^2 may be negative.
///
/// For negative squares p stands for |p|, and the odd terms lack a factor i. The loop ends when a
/// term is small, which for large v is soon.
fn bessel_debye_sums(p: f64, square: f64, v: f64, sums: &mut [f64; 2]) {
    sums[0] = 1.0;
    sums[1] = 0.0;
    let step = p / v;
    let mut factor = 1.0;
    let mut start: usize = 1;
    for k in 1..13 {
        factor *= step;
        let mut u = BESSEL_UNIFORM_U[start + k];
        for j in 1..=k {
            u = u * square + BESSEL_UNIFORM_U[start + k - j];
        }
        start += k + 1;
        let mut term = u * factor;
        // i^k without the i of odd powers.
        if square < 0.0 && k % 4 >= 2 {
            term = -term;
        }
        if k % 2 == 0 {
            sums[0] += term;
        } else {
            sums[1] += term;
        }
        if term.abs() < 1e-18 {
            break;
        }
    }
}

/// J (second = false) or Y of order v >= 100 and x > 0.
pub(crate) fn bessel_jy_uniform(v: f64, x: f64, second: bool) -> f64 {
    let z = x / v;
    let mut sums = [0.0; 2];
    if z > 1.7 {
        // DLMF 10.19.6 with x = v sec b and s = v tan b.
        let s = sqrt((x - v) * (x + v));
        let phase = s - v * atan2(s, v) - std::f64::consts::FRAC_PI_4;
        let q = v / s;
        bessel_debye_sums(q, -q * q, v, &mut sums);
        let amplitude = sqrt(2.0 / (std::f64::consts::PI * s));
        let c = cos(phase);
        let d = sin(phase);
        return amplitude
            * if second { d * sums[0] - c * sums[1] } else { c * sums[0] + d * sums[1] };
    }
    if z < 0.5 {
        // DLMF 10.19.3 with x = v sech a and s = v tanh a.
        let s = sqrt((v - x) * (v + x));
        let exponent = s - v * log((v + s) / x);
        let p = v / s;
        bessel_debye_sums(p, p * p, v, &mut sums);
        if second {
            let root = sqrt(2.0 / (std::f64::consts::PI * s));
            return -exp_times(-exponent, root * (sums[0] - sums[1]));
        }
        return exp(exponent) * (sums[0] + sums[1]) / sqrt(2.0 * std::f64::consts::PI * s);
    }
    // DLMF 10.20.4 and 10.20.5.
    let t = (z - 1.1) / 0.6;
    let ratio = bessel_olver_zeta(t);
    let third = cbrt(v);
    let argument = third * third * ratio * ((v - x) / v);
    let factor = sqrt(2.0 * sqrt(ratio / (1.0 + z))) / third;
    let w = 1.0 / (v * v);
    let a = 1.0 + w * (bessel_olver_a1(t) + w * (bessel_olver_a2(t) + w * bessel_olver_a3(t)));
    let b = bessel_olver_b0(t)
        + w * (bessel_olver_b1(t) + w * (bessel_olver_b2(t) + w * bessel_olver_b3(t)));
    let small = b / (v * third);
    if second {
        let f = airy_second(argument, false, false);
        let g = airy_second(argument, true, false);
        -factor * (f * a + g * small)
    } else {
        let f = airy_first(argument, false, false);
        let g = airy_first(argument, true, false);
        factor * (f * a + g * small)
    }
}

/// I (second = false) or K of order v >= 20 and x > 0, times exp(-x) or exp(x) if `scaled`.
pub(crate) fn bessel_ik_uniform(v: f64, x: f64, second: bool, scaled: bool) -> f64 {
    let s = if x > 1e150 { x } else { sqrt(v * v + x * x) };
    let p = v / s;
    let mut sums = [0.0; 2];
    bessel_debye_sums(p, p * p, v, &mut sums);
    // v eta - x, where s - x = v^2/(s + x) loses no digits.
    let shifted = v / (s + x) * v - v * asinh(v / x);
    if second {
        let y = sqrt(std::f64::consts::FRAC_PI_2 / s) * (sums[0] - sums[1]);
        let k = exp_times(-shifted, y);
        return if scaled {
            k
        } else if shifted < -600.0 {
            exp_times(-shifted - x, y)
        } else {
            k * exp(-x)
        };
    }
    let y = (sums[0] + sums[1]) / sqrt(2.0 * std::f64::consts::PI * s);
    if scaled {
        y * exp(shifted)
    } else if shifted < -600.0 || x > 700.0 {
        y * exp(shifted + x)
    } else {
        y * exp(shifted) * exp(x)
    }
}
