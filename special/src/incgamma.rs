//! The incomplete gamma functions and their inverses.

use crate::elementary::log1pmx;
use crate::erf::{erfc, ndtri};
use crate::gamma::{gamma, log_gamma_near_one, log_gamma_positive, stirling_rest};
use libm::{exp, expm1, log, pow};

/// The coefficients of eta^n / a^k in Temme's uniform expansion (DLMF 8.12.10).
static TEMME: [[f64; 17]; 12] = [
    [
        -0.3333333333333333,
        0.08333333333333333,
        -0.014814814814814815,
        0.0011574074074074073,
        0.0003527336860670194,
        -0.0001787551440329218,
        3.919263178522438e-05,
        -2.185448510679992e-06,
        -1.85406221071516e-06,
        8.296711340953087e-07,
        -1.7665952736826078e-07,
        6.707853543401498e-09,
        1.0261809784240309e-08,
        -4.382036018453353e-09,
        9.14769958223679e-10,
        -2.5514193994946248e-11,
        -5.830772132550426e-11,
    ],
    [
        -0.001851851851851852,
        -0.003472222222222222,
        0.0026455026455026454,
        -0.0009902263374485596,
        0.00020576131687242798,
        -4.018775720164609e-07,
        -1.8098550334489977e-05,
        7.64916091608111e-06,
        -1.6120900894563446e-06,
        4.647127802807434e-09,
        1.378633446915721e-07,
        -5.752545603517705e-08,
        1.1951628599778148e-08,
        -1.7543241719747647e-11,
        -1.0091543710600413e-09,
        4.162792991842583e-10,
        0.0,
    ],
    [
        0.004133597883597883,
        -0.0026813271604938273,
        0.0007716049382716049,
        2.0093878600823047e-06,
        -0.0001073665322636516,
        5.2923448829120125e-05,
        -1.2760635188618728e-05,
        3.423578734096138e-08,
        1.3721957309062934e-06,
        -6.298992138380055e-07,
        1.4280614206064242e-07,
        -2.0477098421990866e-10,
        -1.409252991086752e-08,
        6.228974084922022e-09,
        -1.3670488396617114e-09,
        0.0,
        0.0,
    ],
    [
        0.0006494341563786008,
        0.00022947209362139917,
        -0.0004691894943952557,
        0.00026772063206283885,
        -7.561801671883977e-05,
        -2.396505113867297e-07,
        1.1082654115347302e-05,
        -5.6749528269915965e-06,
        1.4230900732435883e-06,
        -2.7861080291528143e-11,
        -1.6958404091930278e-07,
        8.099464905388083e-08,
        -1.9111168485973655e-08,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -0.0008618882909167117,
        0.0007840392217200666,
        -0.0002990724803031902,
        -1.4638452578843418e-06,
        6.641498215465122e-05,
        -3.968365047179435e-05,
        1.1375726970678419e-05,
        2.507497226237533e-10,
        -1.6954149536558305e-06,
        8.907507532205309e-07,
        -2.292934834000805e-07,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -0.00033679855336635813,
        -6.972813758365857e-05,
        0.0002772753244959392,
        -0.00019932570516188847,
        6.797780477937208e-05,
        1.419062920643967e-07,
        -1.3594048189768693e-05,
        8.018470256334202e-06,
        -2.291481176508095e-06,
        -3.252473551298454e-10,
        3.4652846491085265e-07,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        0.0005313079364639922,
        -0.0005921664373536939,
        0.0002708782096718045,
        7.902353232660328e-07,
        -8.153969367561969e-05,
        5.61168275310625e-05,
        -1.8329116582843375e-05,
        -3.0796134506033047e-09,
        3.465155368803609e-06,
        -2.0291327396058603e-06,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        0.00034436760689237765,
        5.171790908260592e-05,
        -0.00033493161081142234,
        0.0002812695154763237,
        -0.00010976582244684731,
        -1.2741009095484485e-07,
        2.7744451511563645e-05,
        -1.8263488805711332e-05,
        5.7876949497350525e-06,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -0.0006526239185953094,
        0.0008394987206720873,
        -0.000438297098541721,
        -6.969091458420552e-07,
        0.00016644846642067547,
        -0.00012783517679769218,
        4.629953263691304e-05,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -0.0005967612901927463,
        -7.204895416020011e-05,
        0.0006782308837667328,
        -0.0006401475260262758,
        0.00027750107634328704,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        0.0013324454494800656,
        -0.0019144384985654776,
        0.0011089369134596636,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        0.001579727660730835,
        0.00016251626278391583,
        -0.0020633421035543276,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
];

/// a b - product, for the rounded product (Dekker 1971).
pub(crate) fn product_rest(a: f64, b: f64, product: f64) -> f64 {
    let a_high = f64::from_bits(a.to_bits() & 18446744073575333888);
    let b_high = f64::from_bits(b.to_bits() & 18446744073575333888);
    let a_low = a - a_high;
    let b_low = b - b_high;
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

/// x^a exp(-x) / Gamma(a + 1) (DiDonato and Morris 1986).
pub(crate) fn gamma_prefactor(a: f64, x: f64) -> f64 {
    if a == 0.0 {
        return exp(-x);
    }
    if a < 10.0 {
        if x > 800.0 {
            return 0.0;
        }
        let half = exp(-0.5 * x);
        if a < 1.0 {
            return pow(x, a) * half / gamma(a + 1.0) * half;
        }
        return pow(x, a) * half / (a * gamma(a)) * half;
    }
    let mu = (x - a) / a;
    let scale = exp(-stirling_rest(a)) / (std::f64::consts::TAU * a).sqrt();
    if mu.abs() < 0.4 || a > 1000.0 {
        return scale * exp(a * log1pmx(mu));
    }
    // Powers have no error of the exponent; that of the quotient is made good.
    let quotient = x / a;
    let exponent = a * log(quotient) + (a - x);
    if !(exponent > -800.0) {
        return 0.0;
    }
    let product = quotient * a;
    let rest = ((x - product) - product_rest(quotient, a, product)) / x;
    let difference = a - x;
    let lost = if a > x { (a - difference) - x } else { a - (difference + x) };
    let root = pow(quotient, 0.5 * a) * exp(0.5 * difference);
    scale * root * root * (1.0 + (a * rest + lost))
}

/// P(a, x) / gamma_prefactor(a, x) (DLMF 8.11.4).
fn gamma_series(a: f64, x: f64) -> f64 {
    let mut sum = 1.0;
    let mut term = 1.0;
    let mut n = a;
    for _ in 0..5000 {
        n += 1.0;
        term *= x / n;
        sum += term;
        if term <= sum * 1e-17 {
            break;
        }
    }
    sum
}

/// Q(a, x) / gamma_prefactor(a, x): the continued fraction DLMF 8.9.2 in even form.
///
/// From its end to its start, because rounding errors shrink in this order. Its error after n terms
/// is about exp(-4 sqrt(n x)).
fn gamma_fraction(a: f64, x: f64) -> f64 {
    let count = 30.0 + (90.0 / x).floor();
    let mut rest = 0.0;
    let mut k = count;
    let base = x + 1.0 - a;
    while k > 0.0 {
        rest = k * (a - k) / (base + 2.0 * k + rest);
        k -= 1.0;
    }
    a / (base + rest)
}

/// Q(a, x) for small x and a, where 1 - P cancels (DLMF 8.7.1).
fn gamma_upper_small(a: f64, x: f64) -> f64 {
    let mut sum = 0.0;
    let mut factor = 1.0;
    for i in 1..100 {
        let n = i as f64;
        factor *= -x / n;
        let term = factor / (a + n);
        sum += term;
        if term.abs() <= sum.abs() * 1e-17 {
            break;
        }
    }
    let l = log(x);
    let lg = if a < 0.5 { log_gamma_near_one(a) } else { log_gamma_positive(a + 1.0) };
    let first = -expm1(a * l - lg);
    first - exp(a * l - lg) * a * sum
}

/// Temme's uniform expansion for a >= 20 and |x - a| < 0.3 a (DLMF 8.12.3 and 8.12.4).
fn gamma_uniform(a: f64, x: f64, upper: bool) -> f64 {
    let mu = (x - a) / a;
    let half_square = -log1pmx(mu);
    let size = (2.0 * half_square).sqrt();
    let eta = if mu < 0.0 { -size } else { size };
    let mut sum = 0.0;
    let mut power = 1.0;
    for k in 0..12 {
        let mut inner = 0.0;
        for n in (0..17).rev() {
            inner = inner * eta + TEMME[k as usize][n as usize];
        }
        let term = inner * power;
        sum += term;
        if term.abs() < 1e-17 * sum.abs() {
            break;
        }
        power /= a;
    }
    let rest = exp(-a * half_square) * sum / (std::f64::consts::TAU * a).sqrt();
    let z = eta * (0.5 * a).sqrt();
    if upper { 0.5 * erfc(z) + rest } else { 0.5 * erfc(-z) - rest }
}

/// P(a, x), or Q(a, x) if upper, for positive finite a and x.
pub(crate) fn gamma_part(a: f64, x: f64, upper: bool) -> f64 {
    if a >= 20.0 && (x - a).abs() < 0.3 * a {
        return gamma_uniform(a, x, upper);
    }
    // The smaller part is computed where possible.
    if x > 1.5 && x >= a {
        let value = gamma_prefactor(a, x);
        let q = if value == 0.0 { 0.0 } else { value * gamma_fraction(a, x) };
        return if upper { q } else { 1.0 - q };
    }
    if upper {
        let small =
            if x <= 1.5 { if x <= 0.5 { -0.4 / log(x) >= a } else { 1.1 * x >= a } } else { false };
        if small {
            return gamma_upper_small(a, x);
        }
    }
    let value = gamma_prefactor(a, x);
    let p = if value == 0.0 { 0.0 } else { value * gamma_series(a, x) };
    if upper { 1.0 - p } else { p }
}

/// P(a, x), or Q(a, x) if upper, with the values at the ends of both.
fn gamma_regularized(a: f64, x: f64, upper: bool) -> f64 {
    if a.is_nan() || x.is_nan() || a < 0.0 || x < 0.0 {
        return f64::NAN;
    }
    let none = if upper { 1.0 } else { 0.0 };
    let all = 1.0 - none;
    if a == 0.0 {
        return if x > 0.0 { all } else { f64::NAN };
    }
    if x == 0.0 {
        return none;
    }
    if a.is_infinite() {
        return if x.is_infinite() { f64::NAN } else { none };
    }
    if x.is_infinite() {
        return all;
    }
    gamma_part(a, x, upper)
}

/// The regularized lower incomplete gamma function P(a, x).
pub fn gammainc(a: f64, x: f64) -> f64 {
    gamma_regularized(a, x, false)
}

/// The regularized upper incomplete gamma function Q(a, x).
pub fn gammaincc(a: f64, x: f64) -> f64 {
    gamma_regularized(a, x, true)
}

/// The x at which P(a, x), or Q(a, x) if upper, is p, for 0 < p < 1.
///
/// Newton's method for log(p) as a function of log(x), which is concave, so that all steps after
/// the first have one direction.
fn gamma_inverse(a: f64, p: f64, upper: bool) -> f64 {
    let goal = log(p);
    // The power law of small x, or the mean.
    let mut x = a;
    if !upper && a < 10.0 {
        let low = (goal + log_gamma_positive(a + 1.0)) / a;
        x = if low < -1.0 || a < 1.0 { exp(low) } else { a };
        if low < -744.0 {
            return exp(low);
        }
    }
    if upper && a < 1.0 {
        x = (-goal).max(a);
    }
    if a >= 10.0 {
        // Wilson and Hilferty's cube of a normal number (1931).
        let z = if upper { -ndtri(p) } else { ndtri(p) };
        let root = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * a.sqrt());
        if root > 0.1 {
            x = a * root * root * root;
        }
    }
    let mut last = 1.0;
    for _ in 0..100 {
        let value = gamma_part(a, x, upper);
        if value == 0.0 {
            // So far in the tail that the value underflows: half of the last step back.
            last *= 0.5;
            x *= exp(if upper { -last } else { last });
        } else {
            let slope = a * gamma_prefactor(a, x) / value;
            // The logarithm of a quotient near 1 has no cancellation in the difference.
            let ratio = (p - value) / value;
            let rise = if ratio.abs() < 0.1 { libm::log1p(ratio) } else { goal - log(value) };
            let step = if upper { -rise / slope } else { rise / slope };
            let step = step.min(4.0).max(-700.0);
            x *= exp(step);
            last = step.abs();
            if last < 1e-9 {
                break;
            }
        }
    }
    x
}

/// The inverse of `gammainc` in its second argument.
pub fn gammaincinv(a: f64, y: f64) -> f64 {
    if a.is_nan() || y.is_nan() || a < 0.0 || !(y >= 0.0 && y <= 1.0) {
        return f64::NAN;
    }
    if y == 0.0 {
        return 0.0;
    }
    if y == 1.0 {
        return f64::INFINITY;
    }
    if a == 0.0 || a.is_infinite() {
        return f64::NAN;
    }
    if y > 0.75 { gamma_inverse(a, 1.0 - y, true) } else { gamma_inverse(a, y, false) }
}

/// The inverse of `gammaincc` in its second argument.
pub fn gammainccinv(a: f64, y: f64) -> f64 {
    if a.is_nan() || y.is_nan() || a < 0.0 || !(y >= 0.0 && y <= 1.0) {
        return f64::NAN;
    }
    if y == 1.0 {
        return 0.0;
    }
    if y == 0.0 {
        return f64::INFINITY;
    }
    if a == 0.0 || a.is_infinite() {
        return f64::NAN;
    }
    if y > 0.75 { gamma_inverse(a, 1.0 - y, false) } else { gamma_inverse(a, y, true) }
}
