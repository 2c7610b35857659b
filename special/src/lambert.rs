//! Lambert's W function, Wright's omega function and Wright's Bessel function.

use crate::gamma::{log_gamma_positive, rgamma};
use libm::{exp, log, log1p};

/// Lambert's W function, the solution w of w exp(w) = x, for the real branches k = 0 and k = -1.
///
/// Starting values after Corless et al. (1996), then the iteration of Fritsch, Shafer and Crowley
/// (1973), whose order is 4.
pub fn lambertw(x: f64, k: f64) -> f64 {
    if x.is_nan() || (k != 0.0 && k != -1.0) {
        return f64::NAN;
    }
    if k == 0.0 && (x == 0.0 || x == f64::INFINITY) {
        return x;
    }
    if k == -1.0 && x == 0.0 {
        return f64::NEG_INFINITY;
    }
    // e x + 1, with the digits that the double of e lacks.
    let above = (x + 0.36787944117144233) * std::f64::consts::E - 3.374888842586316e-17;
    if above < -1e-17 || (k == -1.0 && x > 0.0) {
        return f64::NAN;
    }
    if above < 1e-3 {
        return lambert_near_branch(if above > 0.0 { above } else { 0.0 }, k);
    }
    let mut w: f64;
    if k == 0.0 {
        if x < 0.05 {
            let p = (2.0 * above).sqrt();
            w = if x.abs() < 0.1 {
                x * (1.0 - x * (1.0 - 1.5 * x))
            } else {
                horner!(p; -1.0, 1.0, -0.3333333333333333, 0.1527777777777778, -0.0796296296296296)
            };
        } else if x < 3.0 {
            let l = log1p(x);
            w = l * (1.0 - log1p(l) / (2.0 + l));
        } else {
            let l = log(x);
            let m = log(l);
            w = l - m + m / l;
        }
    } else if x < -0.27 {
        let p = -(2.0 * above).sqrt();
        w = horner!(p; -1.0, 1.0, -0.3333333333333333, 0.1527777777777778, -0.0796296296296296);
    } else {
        let l = log(-x);
        let m = log(-l);
        w = l - m + m / l;
    }
    for _ in 0..4 {
        if w == 0.0 {
            break;
        }
        // log(x / w) - w.
        let z =
            if x.abs() < 0.1 && w.abs() < 0.1 { log1p((x - w) / w) - w } else { log(x / w) - w };
        let q = 2.0 * (1.0 + w) * (1.0 + w + 2.0 / 3.0 * z);
        let e = z / (1.0 + w) * ((q - z) / (q - 2.0 * z));
        w *= 1.0 + e;
        if e.abs() < 1e-5 {
            break;
        }
    }
    w
}

/// The series at the branch point (DLMF 4.13.6), for above = e x + 1.
fn lambert_near_branch(above: f64, k: f64) -> f64 {
    let root = (2.0 * above).sqrt();
    let p = if k == 0.0 { root } else { -root };
    horner!(
        p;
        -1.0, 1.0, -0.3333333333333333, 0.1527777777777778, -0.07962962962962963,
        0.044502314814814814, -0.02598471487360376, 0.01563563253233392, -0.009616892024299432,
        0.006014543252956118, -0.003811298034891999, 0.002440877991143982
    )
}

/// Wright's omega function of a real number, the solution w of w + log(w) = x.
pub fn wrightomega(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == f64::NEG_INFINITY {
        return 0.0;
    }
    if x < -50.0 {
        return exp(x);
    }
    if x > 1e20 {
        return x;
    }
    let mut w: f64;
    if x < -2.0 {
        let e = exp(x);
        w = e * (1.0 - e * (1.0 - 1.5 * e));
    } else if x < 1.0 {
        w = exp(2.0 / 3.0 * (x - 1.0));
    } else {
        let l = log(x);
        w = x - l + l / x;
    }
    for _ in 0..3 {
        // The iteration of Fritsch, Shafer and Crowley, for the residual x - w - log(w).
        let r = x - w - log(w);
        let u = 1.0 + w;
        let q = 2.0 * u * (u + 2.0 / 3.0 * r);
        let e = r / u * ((q - r) / (q - 2.0 * r));
        w *= 1.0 + e;
        if e.abs() < 1e-5 {
            break;
        }
    }
    w
}

/// The logarithm of the k-th term of Wright's series.
fn wright_log_term(a: f64, b: f64, l: f64, k: f64) -> f64 {
    k * l - log_gamma_positive(k + 1.0) - log_gamma_positive(a * k + b)
}

/// Wright's series, divided by the exponential of the state's first number: the logarithm of the
/// largest term.
fn wright_sum(a: f64, b: f64, x: f64, scale: &mut [f64; 1]) -> f64 {
    let l = log(x);
    // The terms grow while x > k (a k + b)^a, and the largest is between the bounds.
    let mut low = 0.0;
    let mut high = 1.0;
    while l > log(high) + a * log(a * high + b) && high < 1e16 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..60 {
        if high - low <= 1.0 {
            break;
        }
        let middle = (0.5 * (low + high)).floor();
        if l > log(middle) + a * log(a * middle + b) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let peak = low.floor();
    let first_is_pole = a * peak + b == 0.0;
    let peak = if first_is_pole { peak + 1.0 } else { peak };
    let largest = wright_log_term(a, b, l, peak);
    scale[0] = largest;
    if peak > 1e7 {
        // Laplace's method: the sum of so many terms is an integral.
        let second = 1.0 / peak + a * (a / (a * peak + b));
        return (std::f64::consts::TAU / second).sqrt();
    }
    let mut sum = 1.0;
    let mut k = peak + 1.0;
    for _ in 0..100000 {
        let term = exp(wright_log_term(a, b, l, k) - largest);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
        k += 1.0;
    }
    k = peak - 1.0;
    while k >= 0.0 {
        if a * k + b == 0.0 {
            break;
        }
        let term = exp(wright_log_term(a, b, l, k) - largest);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
        k -= 1.0;
    }
    sum
}

/// The sum of the first terms for a small x, where the terms decrease quickly.
fn wright_small(a: f64, b: f64, x: f64) -> f64 {
    let mut sum = 0.0;
    let mut power = 1.0;
    for i in 0..60 {
        let k = i as f64;
        let term = power * rgamma(a * k + b);
        sum += term;
        if term.abs() < 1e-17 * sum && i > 1 {
            break;
        }
        power *= x / (k + 1.0);
    }
    sum
}

/// Wright's generalized Bessel function, the sum of x^k / (k! Gamma(a k + b)) over k >= 0.
pub fn wright_bessel(a: f64, b: f64, x: f64) -> f64 {
    if a.is_nan() || b.is_nan() || x.is_nan() || a < 0.0 || b < 0.0 || x < 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() {
        return if a.is_infinite() || b.is_infinite() { f64::NAN } else { f64::INFINITY };
    }
    if a.is_infinite() || b.is_infinite() {
        return f64::NAN;
    }
    if x == 0.0 || a > 1e3 && x < 1e3 && b > 0.0 && rgamma(a + b) == 0.0 {
        return rgamma(b);
    }
    if a == 0.0 || (a * x < 1e-18 && b > 1e-2 && b < 1e2) {
        return wright_exponential(x, b);
    }
    if x <= 3.0 {
        return wright_small(a, b, x);
    }
    let mut scale = [0.0; 1];
    let sum = wright_sum(a, b, x, &mut scale);
    if scale[0] > 709.0 {
        let half = exp(0.5 * scale[0]);
        return half * sum * half;
    }
    exp(scale[0]) * sum
}

/// exp(x) / Gamma(b), without an early overflow.
fn wright_exponential(x: f64, b: f64) -> f64 {
    if x > 700.0 {
        let half = exp(0.5 * x);
        return half * rgamma(b) * half;
    }
    exp(x) * rgamma(b)
}

/// The logarithm of Wright's generalized Bessel function.
pub fn log_wright_bessel(a: f64, b: f64, x: f64) -> f64 {
    if a.is_nan() || b.is_nan() || x.is_nan() || a < 0.0 || b < 0.0 || x < 0.0 {
        return f64::NAN;
    }
    if a.is_infinite() || b.is_infinite() {
        return f64::NAN;
    }
    if x.is_infinite() {
        return f64::INFINITY;
    }
    if x == 0.0 {
        return -crate::gamma::gammaln(b);
    }
    if a == 0.0 || (a * x < 1e-18 && b > 1e-2 && b < 1e2) {
        return x - crate::gamma::gammaln(b);
    }
    if x <= 3.0 {
        let value = wright_small(a, b, x);
        if value > 1e-290 {
            return log(value);
        }
    }
    let mut scale = [0.0; 1];
    let sum = wright_sum(a, b, x, &mut scale);
    scale[0] + log(sum)
}
