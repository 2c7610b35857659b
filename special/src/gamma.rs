//! The gamma function and its relatives.

use crate::digamma::digamma;
use crate::elementary::sinpi;
use libm::{exp, log, log1p, pow};

/// sqrt(2 pi).
const SQRT_TAU: f64 = 2.5066282746310002;

/// From here on Stirling's series (DLMF 5.11.3) has enough digits.
const STIRLING: f64 = 10.0;
/// Below, the gamma function is a product: faster than a power, and rounded no more than it.
const GAMMA_PRODUCTS: f64 = 20.0;

/// Gamma(x) / pow(x, x - 1/2) * exp(x) for x >= 10 (DLMF 5.11.3).
fn gamma_stirling(x: f64) -> f64 {
    let w = 1.0 / x;
    SQRT_TAU
        * horner!(
            w;
            1.0, 0.08333333333333305, 0.0034722222223136827, -0.0026813271721055506,
            -0.00022947134871747512, 0.000784011977555201, 7.032729496676439e-05,
            -0.0006001311861478895, 8.822138061762207e-06, 0.0006286076162064008
        )
}

/// Gamma(x) for 2 <= x <= 3.
fn gamma_two_to_three(x: f64) -> f64 {
    let s = x - 2.5;
    horner!(
        s;
        1.329340388179137, 0.9347345216260855, 0.6545585779813368, 0.25387124684114376,
        0.10967323400215975, 0.028360780594778156, 0.010392403425935072, 0.0016074004868597799,
        0.0007544741279764075, 3.941751363613351e-06, 6.132998881756122e-05,
        -1.28013080342882e-05, 7.253750203859473e-06, -2.5623512284561174e-06,
        1.0829914823314093e-06, -4.1777172328856477e-07, 1.685124864158984e-07,
        -8.312435079672132e-08, 3.329125646482475e-08
    )
}

/// The gamma function.
pub fn gamma(x: f64) -> f64 {
    if x >= GAMMA_PRODUCTS {
        if x > 171.7 {
            return f64::INFINITY;
        }
        // The differences in the exponents are exact. The power overflows before the product.
        if x < 140.0 {
            return pow(x, x - 0.5) * exp(-x) * gamma_stirling(x);
        }
        let half = pow(x, 0.5 * x - 0.25);
        return half * exp(-x) * gamma_stirling(x) * half;
    }
    if x > -STIRLING {
        let mut y = x;
        // Two products do not wait for each other.
        let mut product = 1.0;
        let mut other = 1.0;
        while y >= 4.0 {
            y -= 2.0;
            product *= y;
            other *= y + 1.0;
        }
        if y >= 3.0 {
            y -= 1.0;
            product *= y;
        }
        let mut divisor = 1.0;
        while y < 2.0 {
            if y == 0.0 && x != 0.0 {
                return f64::NAN;
            }
            divisor *= y;
            y += 1.0;
        }
        return gamma_two_to_three(y) * (product * other) / divisor;
    }
    if x.floor() == x || x.is_nan() {
        return f64::NAN;
    }
    // Reflection (DLMF 5.5.3), in an order without overflow.
    let y = -x;
    if y > 190.0 {
        return 0.0;
    }
    let half = pow(y, 0.5 * y - 0.25);
    let quotient = -std::f64::consts::PI / (y * sinpi(y)) / half;
    quotient / (exp(-y) * gamma_stirling(y)) / half
}

/// Gamma(a + b), with the error of the sum made good.
pub(crate) fn gamma_of_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let value = gamma(sum);
    let from_b = sum - a;
    let rest = (a - (sum - from_b)) + (b - from_b);
    if rest == 0.0 || !rest.is_finite() { value } else { value * (1.0 + rest * digamma(sum)) }
}

/// The sign of the gamma function.
pub fn gammasgn(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 0.0 {
        return 1.0;
    }
    if x == 0.0 {
        return if x.is_sign_negative() { -1.0 } else { 1.0 };
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let below = x.floor();
    if below == x {
        return f64::NAN;
    }
    // Odd and even intervals alternate.
    if below - 2.0 * (0.5 * below).floor() == 0.0 { 1.0 } else { -1.0 }
}

/// The reciprocal of the gamma function.
pub fn rgamma(x: f64) -> f64 {
    if x > 170.0 {
        if x > 200.0 {
            return 0.0;
        }
        let half = pow(x, 0.5 * x - 0.25);
        return 1.0 / half / (exp(-x) * gamma_stirling(x)) / half;
    }
    if x <= 0.0 && x.floor() == x {
        return x.max(-0.0) * 0.0;
    }
    if x < -STIRLING {
        let y = -x;
        if y > 190.0 {
            return -gammasgn(x) * f64::NEG_INFINITY;
        }
        let half = pow(y, 0.5 * y - 0.25);
        let product = y * sinpi(y) / -std::f64::consts::PI * half;
        return product * (exp(-y) * gamma_stirling(y)) * half;
    }
    if x.abs() < 1e-300 {
        return x;
    }
    1.0 / gamma(x)
}

/// log(Gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 10 (DLMF 5.11.1).
pub(crate) fn stirling_rest(x: f64) -> f64 {
    let w = 1.0 / x;
    let u = w * w;
    w * horner!(
        u;
        0.08333333333333333, -0.0027777777777580276, 0.0007936507705358385,
        -0.0005952281677813871, 0.0008398119406784212, -0.0017404558723843708
    )
}

/// log(Gamma(1 + t)) for |t| <= 1/2, exact to the last digits also near its root 0.
pub(crate) fn log_gamma_near_one(t: f64) -> f64 {
    let s = t + 0.5;
    t * (horner!(
        s;
        -1.1447298858494002, -6.037476076608672, -11.074453046003981, -7.060256117850161,
        1.7442411476275483, 3.923105542989204, 1.4952746264999952, 0.18493488402868385,
        0.005213871054457312
    ) / horner!(
        s;
        1.0, 6.7046702037116495, 17.815620328126595, 23.933179555124703, 17.207418715960465,
        6.469197271926865, 1.1555456435633171, 0.07903020671591635, 0.0011778118478573605
    ))
}

/// log(Gamma(2 + t)) for |t| <= 1/2, exact to the last digits also near its root 0.
pub(crate) fn log_gamma_near_two(t: f64) -> f64 {
    let s = t + 0.5;
    t * (horner!(
        s;
        0.24156447527049044, 0.9236159228006052, 1.1817293245240428, 0.696687545981804,
        0.2043166926037791, 0.0287461791812862, 0.001652149204014757, 2.4546780174307887e-05
    ) / horner!(
        s;
        1.0, 2.1255895331539363, 1.7569847242650543, 0.7128273950390035, 0.14734777879361477,
        0.014555517150364983, 0.0005651947928118785, 4.9809743961170186e-06
    ))
}

/// The logarithm of the gamma function of a positive number.
pub(crate) fn log_gamma_positive(x: f64) -> f64 {
    if x >= STIRLING {
        if x > 1e19 {
            return x * (log(x) - 1.0);
        }
        return (x - 0.5) * (log(x) - 1.0) + (0.4189385332046727 + stirling_rest(x));
    }
    if x < 0.5 {
        return log_gamma_near_one(x) - log(x);
    }
    if x < 1.5 {
        return log_gamma_near_one(x - 1.0);
    }
    let mut y = x;
    let mut product = 1.0;
    while y >= 2.5 {
        y -= 1.0;
        product *= y;
    }
    let rest = log_gamma_near_two(y - 2.0);
    if product == 1.0 { rest } else { log(product) + rest }
}

/// The logarithm of the absolute value of the gamma function.
pub fn gammaln(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 0.0 {
        return log_gamma_positive(x);
    }
    if x.floor() == x || x.is_infinite() {
        return f64::INFINITY;
    }
    let y = -x;
    if y < 0.5 {
        return log_gamma_near_one(x) - log(y);
    }
    if y < STIRLING {
        // The recurrence is more accurate than the reflection where the two parts cancel.
        let mut z = x;
        let mut product = 1.0;
        while z < 0.5 {
            product *= z;
            z += 1.0;
        }
        let rest = log_gamma_near_one(z - 1.0);
        let value = log(product.abs());
        if (rest - value).abs() < 0.2 {
            // Near a root: log(g) for a g near 1.
            return log1p((gamma(x).abs() - 1.0) * 1.0);
        }
        return rest - value;
    }
    // Reflection (DLMF 5.5.3).
    log(std::f64::consts::PI / (y * sinpi(y).abs())) - log_gamma_positive(y)
}

/// The logarithm of the gamma function of a positive number, and nan for negative ones.
pub fn loggamma(x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { gammaln(x) }
}

/// log(Gamma(b) / Gamma(a + b)) for b >= 10 and a >= 0, without cancellation (DiDonato and Morris
/// 1992).
pub(crate) fn log_gamma_quotient(a: f64, b: f64) -> f64 {
    // The sum a + b may round; log1p(a / b) keeps what is lost.
    let rest = stirling_rest(b) - stirling_rest(a + b);
    let l = log1p(a / b);
    rest - (b - 0.5) * l - a * (log(b) + l - 1.0)
}

/// The logarithm of the beta function of positive numbers.
pub(crate) fn log_beta_positive(p: f64, q: f64) -> f64 {
    let a = p.min(q);
    let b = p.max(q);
    if a >= STIRLING {
        let rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
        let h = a / b;
        let first = -0.5 * log(b) + 0.9189385332046727 + rest;
        return first + (a - 0.5) * log(h / (1.0 + h)) - b * log1p(h);
    }
    if b >= STIRLING {
        return log_gamma_positive(a) + log_gamma_quotient(a, b);
    }
    if a < 1e-3 || b > 2.0 {
        return log_gamma_positive(a) + (log_gamma_positive(b) - log_gamma_positive(a + b));
    }
    log(gamma(a) * (gamma(b) / gamma_of_sum(a, b)))
}

/// The beta function.
pub fn beta(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 && a < f64::INFINITY && b < f64::INFINITY {
        if a + b < 171.0 && a > 1e-290 && b > 1e-290 {
            let small = a.min(b);
            let large = a.max(b);
            return gamma(small) * (gamma(large) / gamma_of_sum(a, b));
        }
        return exp(log_beta_positive(a, b));
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let large = a.max(b);
    let small = a.min(b);
    if large.is_infinite() || small.is_infinite() {
        return beta_infinite(small, large);
    }
    if small <= 0.0 && small.floor() == small {
        return beta_of_pole(small, large);
    }
    if large <= 0.0 && large.floor() == large {
        return beta_of_pole(large, small);
    }
    let sum = a + b;
    let sign = gammasgn(a) * gammasgn(b) * gammasgn(sum);
    if sum <= 0.0 && sum.floor() == sum {
        return 0.0;
    }
    if a.abs() < 160.0 && b.abs() < 160.0 && sum.abs() < 160.0 {
        return gamma(a) * (gamma(b) / gamma_of_sum(a, b));
    }
    if large > 1e6 && large > 1e6 * small.abs() {
        // DLMF 5.11.13.
        let rest = 0.5 * small * (1.0 - small) / large;
        return gammasgn(small) * exp(gammaln(small) - small * log(large) + rest);
    }
    if sum >= STIRLING {
        return sign * exp(gammaln(small) - log_gamma_quotient(-small, sum));
    }
    sign * exp(gammaln(a) + (gammaln(b) - gammaln(sum)))
}

/// The beta function of an infinite argument.
fn beta_infinite(small: f64, large: f64) -> f64 {
    if small == f64::NEG_INFINITY {
        let whole = large.floor() == large && large > 0.0 && large < f64::INFINITY;
        return if whole { f64::INFINITY } else { f64::NAN };
    }
    if large < f64::INFINITY || small == f64::INFINITY {
        return f64::NAN;
    }
    if small > 0.0 {
        return 0.0;
    }
    if small.floor() == small {
        return f64::INFINITY;
    }
    gammasgn(small) * f64::INFINITY
}

/// The beta function of a non-positive integer a: finite only if b is an integer that cancels the
/// pole.
fn beta_of_pole(a: f64, b: f64) -> f64 {
    if b.floor() == b && 1.0 - a - b > 0.0 && b.is_finite() {
        let sign = if (0.5 * b).floor() == 0.5 * b { 1.0 } else { -1.0 };
        return sign * beta_simple(1.0 - a - b, b);
    }
    f64::INFINITY
}

fn beta_simple(a: f64, b: f64) -> f64 {
    if b <= 0.0 {
        return f64::INFINITY;
    }
    if a + b < 171.0 {
        gamma(a) * (gamma(b) / gamma_of_sum(a, b))
    } else {
        exp(log_beta_positive(a, b))
    }
}

/// The logarithm of the absolute value of the beta function.
pub fn betaln(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 && a < f64::INFINITY && b < f64::INFINITY {
        if a + b < 100.0 && a > 1e-290 && b > 1e-290 {
            let value = beta_simple(a.min(b), a.max(b));
            return log(value);
        }
        return log_beta_positive(a, b);
    }
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let value = beta(a, b).abs();
    if value > 1e-300 && value < 1e300 {
        return log(value);
    }
    if a.is_infinite() || b.is_infinite() {
        return log(value);
    }
    let pole = (a <= 0.0 && a.floor() == a) || (b <= 0.0 && b.floor() == b);
    if pole {
        return log(value);
    }
    let large = a.max(b);
    let small = a.min(b);
    if large > 1e6 && large > 1e6 * small.abs() {
        return gammaln(small) - small * log(large) + 0.5 * small * (1.0 - small) / large;
    }
    if a + b >= STIRLING {
        return gammaln(small) - log_gamma_quotient(-small, a + b);
    }
    gammaln(a) + (gammaln(b) - gammaln(a + b))
}

/// The Pochhammer symbol (rising factorial), Gamma(a + m) / Gamma(a).
pub fn poch(a: f64, m: f64) -> f64 {
    if m == 0.0 {
        return 1.0;
    }
    if a.is_nan() || m.is_nan() {
        return f64::NAN;
    }
    if a.is_infinite() || m.is_infinite() {
        return poch_infinite(a, m);
    }
    if m.floor() == m && m.abs() <= 40.0 {
        let mut product = 1.0;
        if m > 0.0 {
            for i in 0..m as i64 {
                product *= a + i as f64;
            }
            return product;
        }
        for i in 1..=(-m) as i64 {
            product *= a - i as f64;
        }
        return 1.0 / product;
    }
    let sum = a + m;
    let pole_above = sum <= 0.0 && sum.floor() == sum;
    let pole_below = a <= 0.0 && a.floor() == a;
    if pole_above && !pole_below {
        return f64::INFINITY;
    }
    if pole_below && !pole_above {
        return 0.0;
    }
    if pole_above && pole_below {
        // The residues' quotient.
        let n = -sum;
        let sign = if (0.5 * m).floor() == 0.5 * m { 1.0 } else { -1.0 };
        return sign * exp(gammaln(1.0 - a) - gammaln(1.0 + n));
    }
    if a > 0.0 && sum > 0.0 {
        if a < 170.0 && sum < 170.0 {
            return gamma_of_sum(a, m) / gamma(a);
        }
        if m > 0.0 && a >= STIRLING {
            return exp(-log_gamma_quotient(m, a));
        }
        if m < 0.0 && sum >= STIRLING {
            return exp(log_gamma_quotient(-m, sum));
        }
        return exp(log_gamma_positive(sum) - log_gamma_positive(a));
    }
    if a.abs() < 170.0 && sum.abs() < 170.0 {
        return gamma_of_sum(a, m) * rgamma(a);
    }
    gammasgn(a) * gammasgn(sum) * exp(gammaln(sum) - gammaln(a))
}

/// The limit of the symbol for an infinite argument.
fn poch_infinite(a: f64, m: f64) -> f64 {
    if m.is_infinite() {
        if a <= 0.0 && a.floor() == a && !a.is_infinite() {
            return 0.0;
        }
        return if a > 0.0 && m > 0.0 && !a.is_infinite() { f64::INFINITY } else { f64::NAN };
    }
    if a < 0.0 {
        return if m == 1.0 { a } else { f64::NAN };
    }
    // SciPy has no limit for larger exponents.
    if m > 2.0 || m < -2.0 {
        return f64::NAN;
    }
    if m > 0.0 { f64::INFINITY } else { 0.0 }
}

/// The binomial coefficient "n over k" of real numbers, 1 / ((n + 1) B(n - k + 1, k + 1)).
pub fn binom(n: f64, k: f64) -> f64 {
    if n < 0.0 && n.floor() == n {
        return f64::NAN;
    }
    let whole = k.floor();
    if k == whole && (n.abs() > 1e-8 || n == 0.0) {
        // The product is exact or nearly so; the smaller of k and n - k is used.
        let mut count = k;
        if n == n.floor() && n > 0.0 && k > 0.5 * n {
            count = n - k;
        }
        if count >= 0.0 && count < 20.0 {
            let mut above = 1.0;
            let mut below = 1.0;
            for i in 1..=count as i64 {
                above *= i as f64 + n - count;
                below *= i as f64;
                if above.abs() > 1e50 {
                    above /= below;
                    below = 1.0;
                }
            }
            return above / below;
        }
    }
    if n >= 1e10 * k && k > 0.0 {
        return exp(-betaln(1.0 + n - k, 1.0 + k) - log(n + 1.0));
    }
    if k > 1e8 * n.abs() {
        // The asymptotic expansion for a large k (DLMF 5.11.12 with reflection).
        let value = gamma(1.0 + n) / k + gamma(1.0 + n) * n / (2.0 * k * k);
        let value = value / (std::f64::consts::PI * pow(k, n));
        let odd = whole - 2.0 * (0.5 * whole).floor() != 0.0;
        let sign = if odd { -1.0 } else { 1.0 };
        return sign * value * sinpi(k - whole - n);
    }
    if n.abs() < 160.0 && k.abs() < 160.0 && (n - k).abs() < 160.0 {
        return binom_of_gammas(n, k);
    }
    1.0 / (n + 1.0) / beta(1.0 + n - k, 1.0 + k)
}

/// Gamma(n + 1) / (Gamma(k + 1) Gamma(n - k + 1)), with the errors of the sums made good.
fn binom_of_gammas(n: f64, k: f64) -> f64 {
    let difference = n - k;
    let from_k = difference - n;
    let rest = (n - (difference - from_k)) - (k + from_k);
    let sum = 1.0 + difference;
    if sum <= 0.0 && sum.floor() == sum {
        return 0.0;
    }
    let value = gamma_of_sum(n, 1.0) * rgamma(k + 1.0) / gamma_of_sum(difference, 1.0);
    let rest = rest * digamma(sum);
    let from_one = (k + 1.0) - 1.0;
    let rest_of_k = k - from_one;
    let rest = if rest_of_k == 0.0 { rest } else { rest + rest_of_k * digamma(k + 1.0) };
    value * (1.0 - rest)
}
