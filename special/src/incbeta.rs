//! The incomplete beta functions and their inverses.

use crate::elementary::log1pmx;
use crate::erf::{erfc, ndtri};
use crate::gamma::{gamma, gamma_of_sum, log_gamma_quotient, stirling_rest};
use crate::incgamma::product_rest;
use libm::{exp, log, log1p, pow};

/// log(x) of x = 1 - y, from the smaller one.
fn log_of_share(x: f64, y: f64) -> f64 {
    if x < 0.5 { log(x) } else { log1p(-y) }
}

/// The distance from the mean, a - (a + b) x, with the errors of the sum and product made good: the
/// logarithm of the prefactor changes quickly with it.
fn beta_distance(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let sum = a + b;
    let from_b = sum - a;
    let sum_rest = (a - (sum - from_b)) + (b - from_b);
    if a > b {
        let product = sum * y;
        return (product - b) + (product_rest(sum, y, product) + sum_rest * y);
    }
    let product = sum * x;
    (a - product) - (product_rest(sum, x, product) + sum_rest * x)
}

/// log(1 + e) - e, from the sum where e is not small.
fn scaled_log(e: f64, sum: f64) -> f64 {
    if e.abs() < 0.5 { log1pmx(e) } else { log(sum) - e }
}

/// x^a y^b / B(a, b) for x + y = 1 (`brcomp` of DiDonato and Morris 1992).
pub(crate) fn beta_prefactor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let small = a.min(b);
    let large = a.max(b);
    if small >= 10.0 {
        // The exponent is a minimum at the mean, from which the distance is lambda.
        let lambda = beta_distance(a, b, x, y);
        let below = scaled_log(-lambda / a, x * ((a + b) / a));
        let above = scaled_log(lambda / b, y * ((a + b) / b));
        let exponent = a * below + b * above;
        let rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
        let root = (b * (a / (a + b)) / std::f64::consts::TAU).sqrt();
        return root * exp(exponent - rest);
    }
    if large >= 10.0 {
        return if a <= b { beta_skew(a, b, x, y) } else { beta_skew(b, a, y, x) };
    }
    let power =
        if x < 0.5 { pow(x, a) * exp(b * log1p(-x)) } else { exp(a * log1p(-y)) * pow(y, b) };
    power * (gamma_of_sum(a, b) / gamma(large) / gamma(small))
}

/// The prefactor for a < 10 <= b.
fn beta_skew(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let shape = a / gamma(a + 1.0);
    let t = b * x;
    if t > 1e30 {
        let power = a * log_of_share(x, y) + b * log_of_share(y, x);
        return exp(power - log_gamma_quotient(a, b)) * shape;
    }
    // (b x)^a, where the product's error is made good, times y^b (1 + a / b)^b.
    let rest = if t > 1e-280 { a * (product_rest(b, x, t) / t) } else { 0.0 };
    let l = log1p(a / b);
    let d = beta_distance(a, b, x, y) / b;
    let power = b * if d.abs() < 0.5 { log1p(d) } else { log_of_share(y, x) + l };
    let exponent = power + (a - 0.5) * l - a - (stirling_rest(b) - stirling_rest(a + b));
    pow(t, a) * (1.0 + rest) * exp(exponent) * shape
}

/// I_x(a, b) a / prefactor for small b x: the series DLMF 8.17.7 with 8.17.8, divided by y^b.
fn beta_series(a: f64, b: f64, x: f64) -> f64 {
    let mut sum = 1.0;
    let mut factor = 1.0;
    for i in 1..5000 {
        let n = i as f64;
        factor *= (n - b) * x / n;
        let term = factor * (a / (a + n));
        sum += term;
        if term.abs() <= 1e-17 * sum.abs() {
            break;
        }
    }
    sum
}

/// I_x(a, b) / prefactor: the continued fraction (9) of DiDonato and Morris (1992), the even form
/// of DLMF 8.17.22, as a sum (Steed's algorithm, Barnett et al. 1974).
///
/// Near x = 1 it depends on x by way of y and lambda only, which are accurate.
fn beta_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let lambda = beta_distance(a, b, x, y);
    let mut d = 1.0 / (a / (a + 1.0) * (lambda + 1.0));
    let mut rise = d;
    let mut sum = d;
    for i in 1..100000 {
        let n = i as f64;
        let odd = a + 2.0 * n - 1.0;
        let w = n * (b - n) * x;
        let alpha = (a + n - 1.0) / odd * ((a + b + n - 1.0) / odd) * (w * x);
        let beta = n + w / odd + (a + n) / (odd + 2.0) * (lambda + 1.0 + n * (1.0 + y));
        let next = 1.0 / (beta + alpha * d);
        rise *= -alpha * d * next;
        d = next;
        sum += rise;
        if rise.abs() < 1e-17 * sum.abs() {
            break;
        }
    }
    sum
}

/// I_x(a, b), or its complement if upper, for positive a, b, x and y = 1 - x, from the prefactor.
fn beta_with(a: f64, b: f64, x: f64, y: f64, upper: bool, prefactor: f64) -> f64 {
    if a.min(b) > 1e12 {
        // The leading term of DLMF 8.18.9; a fraction would need very many terms.
        let lambda = beta_distance(a, b, x, y);
        let exponent = a * log1pmx(-lambda / a) + b * log1pmx(lambda / b);
        let z = (-exponent).sqrt();
        let below = (lambda > 0.0) != upper;
        return 0.5 * erfc(if below { z } else { -z });
    }
    // Left of the mean the function is small, right of it the complement.
    let mean = (a + 1.0) / (a + b + 2.0);
    let far = !upper && b <= 1.0 && x <= 0.99 && a * y <= 1.0 && b * log(y) > -0.3;
    if far || (b * x <= 1.0 && x <= 0.7 && !(x > mean && a > 1.0)) {
        // x^a / (a B) times the series; the prefactor has y^b in addition.
        let value = prefactor * exp(-b * log_of_share(y, x)) / a;
        let p = value * beta_series(a, b, x);
        if !upper {
            return p;
        }
        if p < 0.9 {
            return 1.0 - p;
        }
    }
    let far = upper && a <= 1.0 && y <= 0.99 && b * x <= 1.0 && a * log(x) > -0.3;
    if far || (a * y <= 1.0 && y <= 0.7 && !(x < mean && b > 1.0)) {
        let value = prefactor * exp(-a * log_of_share(x, y)) / b;
        let q = value * beta_series(b, a, y);
        if upper {
            return q;
        }
        if q < 0.9 {
            return 1.0 - q;
        }
    }
    if x <= mean {
        let p = if prefactor == 0.0 { 0.0 } else { prefactor * beta_fraction(a, b, x, y) };
        return if upper { 1.0 - p } else { p };
    }
    let q = if prefactor == 0.0 { 0.0 } else { prefactor * beta_fraction(b, a, y, x) };
    if upper { q } else { 1.0 - q }
}

/// I_x(a, b), or its complement if upper, for positive a, b, x and y = 1 - x.
pub(crate) fn beta_part(a: f64, b: f64, x: f64, y: f64, upper: bool) -> f64 {
    beta_with(a, b, x, y, upper, beta_prefactor(a, b, x, y))
}

/// I_x(a, b), or its complement if upper, with the values at the limits.
pub(crate) fn beta_checked(a: f64, b: f64, x: f64, y: f64, upper: bool) -> f64 {
    if a.is_nan() || b.is_nan() || !(x >= 0.0 && x <= 1.0) || a < 0.0 || b < 0.0 {
        return f64::NAN;
    }
    let lower_value = if upper { 1.0 } else { 0.0 };
    let upper_value = 1.0 - lower_value;
    if (a == 0.0 && b == 0.0) || (a.is_infinite() && b.is_infinite()) {
        return f64::NAN;
    }
    if a == 0.0 || b.is_infinite() {
        return if x > 0.0 { upper_value } else { lower_value };
    }
    if b == 0.0 || a.is_infinite() {
        return if x < 1.0 { lower_value } else { upper_value };
    }
    if x == 0.0 {
        return lower_value;
    }
    if y == 0.0 {
        return upper_value;
    }
    beta_part(a, b, x, y, upper)
}

/// The regularized incomplete beta function I_x(a, b).
pub fn betainc(a: f64, b: f64, x: f64) -> f64 {
    beta_checked(a, b, x, 1.0 - x, false)
}

/// The complement of the regularized incomplete beta function, 1 - I_x(a, b).
pub fn betaincc(a: f64, b: f64, x: f64) -> f64 {
    beta_checked(a, b, x, 1.0 - x, true)
}

/// The x at which I_x(a, b), or its complement if upper, is p, and y = 1 - x, both accurate.
///
/// Newton's method for log(p) as a function of log(x / y), which is concave, so that all steps
/// after the first have one direction.
pub(crate) fn beta_inverse(a: f64, b: f64, p: f64, upper: bool, both: &mut [f64; 2]) {
    let goal = log(p);
    let mut x = a / (a + b);
    let mut y = b / (a + b);
    let mut last = 1e300;
    if a.min(b) > 10.0 {
        // log(x / y) is nearly normal.
        let z = if upper { -ndtri(p) } else { ndtri(p) };
        let odds = a / b * exp(z * (1.0 / a + 1.0 / b).sqrt());
        x = odds / (1.0 + odds);
        y = 1.0 / (1.0 + odds);
    }
    for _ in 0..100 {
        let prefactor = beta_prefactor(a, b, x, y);
        let value = beta_with(a, b, x, y, upper, prefactor);
        // Where the value underflows, half of the last step back.
        let mut step = if last < 1e300 { 0.5 * last } else { 1.0 };
        if upper {
            step = -step;
        }
        if value > 0.0 {
            let slope = prefactor / value;
            let ratio = (p - value) / value;
            let rise = if ratio.abs() < 0.1 { log1p(ratio) } else { goal - log(value) };
            step = rise / slope;
            if upper {
                step = -step;
            }
            step = step.min(700.0).max(-700.0);
        }
        // The odds x / y are multiplied by exp(step).
        if step > 0.0 {
            let e = exp(-step);
            let sum = x + y * e;
            y = y * e / sum;
            x /= sum;
        } else {
            let e = exp(step);
            let sum = x * e + y;
            x = x * e / sum;
            y /= sum;
        }
        if x == 0.0 || y == 0.0 {
            break;
        }
        // Newton's steps shrink until only rounding is left.
        if step.abs() < 1e-10 || (step.abs() < 1e-6 && step.abs() >= last && value > 0.0) {
            break;
        }
        last = step.abs();
    }
    both[0] = x;
    both[1] = y;
}

fn beta_inverse_checked(a: f64, b: f64, p: f64, upper: bool) -> f64 {
    if a.is_nan() || b.is_nan() || !(p >= 0.0 && p <= 1.0) || !(a > 0.0) || !(b > 0.0) {
        return f64::NAN;
    }
    if p == 0.0 {
        return if upper { 1.0 } else { 0.0 };
    }
    if p == 1.0 {
        return if upper { 0.0 } else { 1.0 };
    }
    if a.is_infinite() || b.is_infinite() {
        return if a == b { f64::NAN } else { if a > b { 1.0 } else { 0.0 } };
    }
    let mut both = [0.0; 2];
    if p > 0.5 {
        beta_inverse(a, b, 1.0 - p, !upper, &mut both);
    } else {
        beta_inverse(a, b, p, upper, &mut both);
    }
    both[0]
}

/// The inverse of `betainc` in its third argument.
pub fn betaincinv(a: f64, b: f64, y: f64) -> f64 {
    beta_inverse_checked(a, b, y, false)
}

/// The inverse of `betaincc` in its third argument.
pub fn betainccinv(a: f64, b: f64, y: f64) -> f64 {
    beta_inverse_checked(a, b, y, true)
}
