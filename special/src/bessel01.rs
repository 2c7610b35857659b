//! Bessel functions of orders 0 and 1.
//!
//! Small arguments use polynomials, large ones the amplitude and phase of Hankel's expansion (DLMF
//! 10.17), whose amplitudes are polynomials too; Clenshaw (1962) made such tables first.

use crate::arithmetic::{rsqrt, sincos};
use crate::bessel_tables::*;
use libm::{exp, fabs, log, sqrt};

/// sqrt(1/pi), of the amplitude of large arguments.
const BESSEL_ROOT_INV_PI: f64 = 0.5641895835477563;
/// 2/pi.
const BESSEL_TWO_OVER_PI: f64 = 0.6366197723675814;

/// J0 (order 0) or J1 (order 1) of x >= 8.
fn bessel_j_large(x: f64, order: i64) -> f64 {
    let inverse = 1.0 / x;
    let t = 128.0 * inverse * inverse - 1.0;
    let mut both = [0.0; 2];
    sincos(x, &mut both);
    let s = both[0];
    let c = both[1];
    let amplitude = BESSEL_ROOT_INV_PI * rsqrt(x);
    // sqrt(2) times the cosine and sine of x - (order/2 + 1/4) pi.
    if order == 0 {
        let p = bessel_p0(t);
        let q = bessel_q0(t) * inverse;
        amplitude * (p * (c + s) - q * (s - c))
    } else {
        let p = bessel_p1(t);
        let q = bessel_q1(t) * inverse;
        amplitude * (p * (s - c) + q * (s + c))
    }
}

/// Y0 (order 0) or Y1 (order 1) of x >= 8.
fn bessel_y_large(x: f64, order: i64) -> f64 {
    let inverse = 1.0 / x;
    let t = 128.0 * inverse * inverse - 1.0;
    let mut both = [0.0; 2];
    sincos(x, &mut both);
    let s = both[0];
    let c = both[1];
    let amplitude = BESSEL_ROOT_INV_PI * rsqrt(x);
    if order == 0 {
        let p = bessel_p0(t);
        let q = bessel_q0(t) * inverse;
        amplitude * (p * (s - c) + q * (c + s))
    } else {
        let p = bessel_p1(t);
        let q = bessel_q1(t) * inverse;
        amplitude * (q * (s - c) - p * (s + c))
    }
}

/// The Bessel function of the first kind and order 0.
pub fn j0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 4.0 {
        bessel_j0_small(ax * ax / 8.0 - 1.0)
    } else if ax <= 8.0 {
        bessel_j0_middle((ax - 6.0) / 2.0)
    } else {
        bessel_j_large(ax, 0)
    }
}

/// The Bessel function of the first kind and order 1.
pub fn j1(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 4.0 {
        return x * bessel_j1_small(ax * ax / 8.0 - 1.0);
    }
    let y = if ax <= 8.0 { bessel_j1_middle((ax - 6.0) / 2.0) } else { bessel_j_large(ax, 1) };
    if x < 0.0 { -y } else { y }
}

/// The Bessel function of the second kind and order 0, NaN for negative arguments.
pub fn y0(x: f64) -> f64 {
    if x <= 0.0 {
        if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN }
    } else if x <= 4.0 {
        let t = x * x / 8.0 - 1.0;
        let j = bessel_j0_small(t);
        bessel_y0_small(t) + BESSEL_TWO_OVER_PI * log(x) * j
    } else if x <= 8.0 {
        bessel_y0_middle((x - 6.0) / 2.0)
    } else {
        bessel_y_large(x, 0)
    }
}

/// The Bessel function of the second kind and order 1, NaN for negative arguments.
pub fn y1(x: f64) -> f64 {
    if x <= 0.0 {
        if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN }
    } else if x <= 4.0 {
        let t = x * x / 8.0 - 1.0;
        let j = x * bessel_j1_small(t);
        x * bessel_y1_small(t) + BESSEL_TWO_OVER_PI * (log(x) * j - 1.0 / x)
    } else if x <= 8.0 {
        bessel_y1_middle((x - 6.0) / 2.0)
    } else {
        bessel_y_large(x, 1)
    }
}

/// exp(-x) I0(x) for x >= 8, but without the factor 1/sqrt(x); the same for order 1.
fn bessel_i_large(x: f64, order: i64) -> f64 {
    let t = 16.0 / x - 1.0;
    if order == 0 { bessel_i0_large(t) } else { bessel_i1_large(t) }
}

/// exp(x) y, where exp(x) alone may overflow.
pub(crate) fn exp_times(x: f64, y: f64) -> f64 {
    if x > 700.0 {
        let half = exp(0.5 * x);
        half * y * half
    } else {
        exp(x) * y
    }
}

/// The modified Bessel function of the first kind and order 0.
pub fn i0(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        bessel_i0_small(ax * ax / 4.0)
    } else {
        exp_times(ax, bessel_i_large(ax, 0) / sqrt(ax))
    }
}

/// The modified Bessel function of the first kind and order 0 times exp(-|x|).
pub fn i0e(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        exp(-ax) * bessel_i0_small(ax * ax / 4.0)
    } else {
        bessel_i_large(ax, 0) / sqrt(ax)
    }
}

/// The modified Bessel function of the first kind and order 1.
pub fn i1(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        x * (0.5 * bessel_i1_small(ax * ax / 4.0))
    } else {
        let y = exp_times(ax, bessel_i_large(ax, 1) / sqrt(ax));
        if x < 0.0 { -y } else { y }
    }
}

/// The modified Bessel function of the first kind and order 1 times exp(-|x|).
pub fn i1e(x: f64) -> f64 {
    let ax = fabs(x);
    if ax <= 8.0 {
        let p = bessel_i1_small(ax * ax / 4.0);
        x * (0.5 * exp(-ax) * p)
    } else {
        let y = bessel_i_large(ax, 1) / sqrt(ax);
        if x < 0.0 { -y } else { y }
    }
}

/// K0 (order 0) or K1 (order 1) of 0 < x <= 2 (DLMF 10.31.1, 10.31.2).
fn bessel_k_small(x: f64, order: i64) -> f64 {
    let t = 0.5 * x * x - 1.0;
    let u = 0.25 * x * x;
    if order == 0 {
        let i = bessel_i0_small(u);
        bessel_k0_small(t) - log(0.5 * x) * i
    } else {
        let i = 0.5 * x * bessel_i1_small(u);
        let r = x * bessel_k1_small(t);
        1.0 / x + (log(0.5 * x) * i + r)
    }
}

/// exp(x) K0(x) (order 0) or exp(x) K1(x) (order 1) of x > 2.
fn bessel_k_large(x: f64, order: i64) -> f64 {
    let t = 4.0 / x - 1.0;
    if order == 0 { bessel_k0_large(t) / sqrt(x) } else { bessel_k1_large(t) / sqrt(x) }
}

/// K of order 0 or 1, times exp(x) if `scaled`.
fn bessel_k01(x: f64, order: i64, scaled: bool) -> f64 {
    if x <= 0.0 {
        if x == 0.0 { f64::INFINITY } else { f64::NAN }
    } else if x <= 2.0 {
        let k = bessel_k_small(x, order);
        if scaled { k * exp(x) } else { k }
    } else if scaled {
        bessel_k_large(x, order)
    } else {
        exp(-x) * bessel_k_large(x, order)
    }
}

/// The modified Bessel function of the second kind and order 0, NaN for negative arguments.
pub fn k0(x: f64) -> f64 {
    bessel_k01(x, 0, false)
}

/// The modified Bessel function of the second kind and order 0 times exp(x).
pub fn k0e(x: f64) -> f64 {
    bessel_k01(x, 0, true)
}

/// The modified Bessel function of the second kind and order 1, NaN for negative arguments.
pub fn k1(x: f64) -> f64 {
    bessel_k01(x, 1, false)
}

/// The modified Bessel function of the second kind and order 1 times exp(x).
pub fn k1e(x: f64) -> f64 {
    bessel_k01(x, 1, true)
}
