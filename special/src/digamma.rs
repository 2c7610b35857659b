//! The logarithmic derivatives of the gamma function, and the zeta functions.

use crate::elementary::{cospi, sinpi};
use crate::gamma::{gamma, gammaln};
use libm::{exp, log, pow};

/// The positive root of the digamma function is the sum of these.
const ROOT: f64 = 1.4616321449683622;
const ROOT_REST: f64 = 9.549995429965697e-17;

/// The digamma function of a positive number.
pub(crate) fn digamma_positive(x: f64) -> f64 {
    let mut y = x;
    let mut sum = 0.0;
    if y < 10.0 {
        while y > 2.0 {
            y -= 1.0;
            sum += 1.0 / y;
        }
        if y < 1.0 {
            sum = -1.0 / y;
            y += 1.0;
        }
        let s = y - 1.0;
        let difference = (y - ROOT) - ROOT_REST;
        return difference
            * (horner!(
                s;
                1.2503801375034054, 2.0411087477806844, 1.2230507843318603, 0.34147280190464624,
                0.04591029345598592, 0.0027161996380116174, 5.23549255486597e-05,
                6.368515133880996e-08
            ) / horner!(
                s;
                1.0, 2.315937386980913, 1.9594031821041815, 0.7901860963473188, 0.1626356759950898,
                0.016650272465346456, 0.0007449827179226764, 1.0084992601278136e-05
            ))
            + sum;
    }
    // DLMF 5.11.2.
    let w = 1.0 / x;
    let u = w * w;
    log(x) - 0.5 * w
        + u * horner!(
            u;
            -0.08333333333333333, 0.008333333333329106, -0.003968253961468057, 0.004166662567411554,
            -0.007574572228183736, 0.02091510603714855, -0.06980454894449505
        )
}

/// The digamma function, the derivative of log(gamma(x)).
pub fn digamma(x: f64) -> f64 {
    if x > 0.0 {
        return if x.is_infinite() { x } else { digamma_positive(x) };
    }
    if x == 0.0 {
        return if x.is_sign_negative() { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    if x.floor() == x || x.is_nan() {
        return f64::NAN;
    }
    if x > -0.7 && x < -0.3 {
        // Near the root -0.504 the terms of the reflection cancel: Taylor's series at the root
        // (DLMF 5.15.1), which leaves the factor x - root.
        let t = (x + 0.5040830082644554) + 8.154282062438129e-18;
        if t.abs() < 0.05 {
            return t * horner!(
                t;
                8.939798558792134, -0.8093454625306442, 32.2585720649154, -2.7610116488633105,
                128.27342343209457, -14.706721503821726, 513.2704591658752, -75.37731783533003,
                2055.5409015460223, -368.3676402808872, 8231.218041524278, -1810.2965323476476,
                34094.31391248081
            );
        }
    }
    // Reflection (DLMF 5.5.4).
    digamma_positive(1.0 - x) - std::f64::consts::PI * cospi(x) / sinpi(x)
}

/// The digamma function under its other name.
pub fn psi(x: f64) -> f64 {
    digamma(x)
}

/// B(2 k) / (2 k)! for k = 1, 2, ...
static BERNOULLI: [f64; 14] = [
    0.08333333333333333,
    -0.001388888888888889,
    3.306878306878307e-5,
    -8.267195767195768e-7,
    2.08767569878681e-8,
    -5.284190138687493e-10,
    1.3382536530684679e-11,
    -3.3896802963225827e-13,
    8.586062056277845e-15,
    -2.174868698558062e-16,
    5.5090028283602295e-18,
    -1.3954464685812525e-19,
    3.534707039629467e-21,
    -8.953517427037546e-23,
];

/// The Hurwitz zeta function for x > 1 and q > 0.
pub(crate) fn zeta_positive(x: f64, q: f64) -> f64 {
    zeta_scaled(x, q, 1.0)
}

/// The sum of ((k + q) / scale)^-x over k >= 0, for x > 1 and q > 0.
///
/// Euler and Maclaurin's sum (DLMF 25.11.43 and 2.10.1).
fn zeta_scaled(x: f64, q: f64, scale: f64) -> f64 {
    let mut sum = 0.0;
    let mut y = q;
    // The corrections converge where y is well above x / (2 pi).
    let start = 12.0 + 0.7 * x;
    for _ in 0..400 {
        if y >= start {
            break;
        }
        let term = pow(y / scale, -x);
        sum += term;
        if term <= sum * 1e-17 || sum.is_infinite() {
            return sum;
        }
        y += 1.0;
    }
    let last = pow(y / scale, -x);
    let w = 1.0 / y;
    sum += last * y / (x - 1.0) + 0.5 * last;
    let mut factor = last * w * x;
    let mut n = x;
    for i in 0..14 {
        let term = factor * BERNOULLI[i];
        sum += term;
        if term.abs() < sum * 1e-17 {
            break;
        }
        factor *= (n + 1.0) * (n + 2.0) * (w * w);
        n += 2.0;
    }
    sum
}

/// The Hurwitz zeta function, the sum of (k + q)^-x over k >= 0.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        // The terms with negative bases are real for whole x only.
        if x != x.floor() {
            return f64::NAN;
        }
        return zeta_negative(x, q);
    }
    if q.is_infinite() || x.is_infinite() {
        return if q < 1.0 {
            f64::INFINITY
        } else if q == 1.0 {
            1.0
        } else {
            0.0
        };
    }
    if q > 1e8 {
        // DLMF 25.11.43.
        return (1.0 / (x - 1.0) + 1.0 / (2.0 * q)) * pow(q, 1.0 - x);
    }
    zeta_positive(x, q)
}

/// The function for a whole x > 1 and a negative q that is no integer.
fn zeta_negative(x: f64, q: f64) -> f64 {
    // Up to the next integer the terms are added in the order of their sizes from the left.
    let count = (-q.floor()).min(1e6);
    let mut sum = 0.0;
    for i in 0..count as i64 {
        sum += pow(q + i as f64, -x);
    }
    sum + zeta_positive(x, q + count)
}

/// Riemann's zeta function less 1.
pub fn zetac(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x >= 3.0 {
        return zetac_above_three(x);
    }
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x >= -1.0 {
        // zeta(x) - 1/(x - 1) is entire.
        let s = x - 1.0;
        return (horner!(
            s;
            0.5772156649015329, 0.07281584548367673, -0.00484518159643616,
            -0.00034230573671722314, 9.689041939447079e-05, -6.6110318108474165e-06,
            -3.3162409087504884e-07, 1.0462094585524536e-07, -8.733218100730905e-09,
            9.478276650433895e-11, 5.658421977189354e-11, -6.768682659122486e-12,
            3.4921127756405973e-13, 4.407654671780426e-15, -2.399664285467139e-15,
            2.1740592520393784e-16, -9.572477455436303e-18, -1.528782312479122e-19,
            5.154530592115777e-20
        ) - 1.0)
            + 1.0 / s;
    }
    zeta_below_zero(x) - 1.0
}

fn zetac_above_three(x: f64) -> f64 {
    if x > 60.0 {
        return pow(2.0, -x) + pow(3.0, -x);
    }
    zeta_positive(x, 2.0)
}

/// Riemann's zeta function of a number below -1, by reflection (DLMF 25.4.1).
fn zeta_below_zero(x: f64) -> f64 {
    if 0.5 * x == (0.5 * x).floor() {
        return 0.0;
    }
    let y = 1.0 - x;
    let z = if y >= 3.0 {
        1.0 + zetac_above_three(y)
    } else {
        let s = y - 1.0;
        horner!(
            s;
            0.5772156649015329, 0.07281584548367673, -0.00484518159643616,
            -0.00034230573671722314, 9.689041939447079e-05, -6.6110318108474165e-06,
            -3.3162409087504884e-07, 1.0462094585524536e-07, -8.733218100730905e-09,
            9.478276650433895e-11, 5.658421977189354e-11, -6.768682659122486e-12,
            3.4921127756405973e-13, 4.407654671780426e-15, -2.399664285467139e-15,
            2.1740592520393784e-16, -9.572477455436303e-18, -1.528782312479122e-19,
            5.154530592115777e-20
        ) + 1.0 / s
    };
    let sine = sinpi(0.5 * x);
    if y < 150.0 {
        // The last factor is for the digits that the double of 2 pi lacks.
        let power = pow(std::f64::consts::TAU, -y) * (1.0 - y * 3.8981718325193755e-17);
        return 2.0 * power * sine * gamma(y) * z;
    }
    let half = exp(0.5 * (gammaln(y) - y * 1.8378770664093453));
    2.0 * half * sine * z * half
}

/// Riemann's zeta function.
pub fn riemann_zeta(x: f64) -> f64 {
    if x.is_infinite() {
        return if x > 0.0 { 1.0 } else { f64::NAN };
    }
    if x < -1.0 { zeta_below_zero(x) } else { 1.0 + zetac(x) }
}

/// The polygamma function, the derivative of order n of the digamma function.
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    let odd = n - 2.0 * (0.5 * n).floor() == 1.0;
    let sign = if odd { 1.0 } else { -1.0 };
    if n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    let power = (n + 1.0) * log(x);
    if x > 0.0 && (n >= 150.0 || power > 650.0) && x < f64::INFINITY {
        // The factorial overflows, or the zeta function underflows.
        return sign * exp(gammaln(n + 1.0) - power) * zeta_scaled(n + 1.0, x, x);
    }
    if n < 150.0 {
        return sign * (gamma(n + 1.0) * zeta(n + 1.0, x));
    }
    let value = zeta(n + 1.0, x);
    sign * exp(gammaln(n + 1.0) + log(value))
}
