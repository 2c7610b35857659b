//! Elementary functions with names of their own in `scipy.special`.

use libm::{cos, exp, expm1, log, log1p, pow, rint, sin};

/// sin(pi x), with an exact reduction of x.
pub(crate) fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    // The nearest multiple of 1/2 leaves at most 1/4, on which polynomials converge fast.
    let k = rint(2.0 * (x - 2.0 * rint(0.5 * x)));
    let r = (x - 2.0 * rint(0.5 * x)) - 0.5 * k;
    let n = k as i64 & 3;
    let u = r * r;
    let s = r * horner!(
        u;
        3.141592653589793, -5.16771278004997, 2.5501640398773415, -0.5992645293202978,
        0.08214588658005621, -0.007370429884712669, 0.00046628272951211076,
        -2.1717401400090533e-05
    );
    let c = 1.0
        + u * horner!(
            u;
            -4.934802200544679, 4.058712126416765, -1.3352627688538095, 0.23533063028399223,
            -0.025806887964701878, 0.001929493874894941, -0.00010370082971594627
        );
    let value = if n & 1 == 0 { s } else { c };
    if n & 2 == 0 { value } else { -value }
}

/// cos(pi x), with an exact reduction of x.
pub(crate) fn cospi(x: f64) -> f64 {
    let y = x.abs();
    // A large number is an even integer, to which no half can be added.
    if y >= 9007199254740992.0 {
        return if y.is_finite() { 1.0 } else { f64::NAN };
    }
    sinpi((y - 2.0 * (0.5 * y).floor()) + 0.5)
}

/// log(1 + x) - x, without cancellation for small x.
pub(crate) fn log1pmx(x: f64) -> f64 {
    if x < -0.4 || x > 0.66 || x.is_nan() {
        return log1p(x) - x;
    }
    // log(1 + x) = 2 atanh(r), and 2 r - x = -r x.
    let r = x / (2.0 + x);
    let u = r * r;
    r * (2.0
        * u
        * horner!(
            u;
            0.3333333333333333, 0.20000000000000032, 0.14285714285697212, 0.11111111114598056,
            0.09090908729844124, 0.07692329119112426, 0.06665895156771022, 0.05899449571380945,
            0.05036728550743743, 0.06376785352502834
        )
        - x)
}

/// cos(x) - 1, also accurate for small x.
pub fn cosm1(x: f64) -> f64 {
    if x.abs() > std::f64::consts::FRAC_PI_4 {
        return cos(x) - 1.0;
    }
    let u = x * x;
    -0.5 * u
        + u * u
            * horner!(
                u;
                0.041666666666666664, -0.001388888888888889, 2.4801587301587298e-05,
                -2.7557319223983495e-07, 2.0876756986341493e-09, -1.1470745069612994e-11,
                4.779376099913555e-14, -1.5518109885664316e-16
            )
}

/// x to the power y, less 1, also accurate for results near 0.
pub fn powm1(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 0.0;
    }
    if x < 0.0 && (y != y.floor() || y.is_infinite()) {
        return f64::NAN;
    }
    if x > 0.0 {
        let z = y * log(x);
        if z.abs() < 0.5 {
            return expm1(z);
        }
    }
    pow(x, y) - 1.0
}

/// (exp(x) - 1) / x, and 1 for x = 0.
pub fn exprel(x: f64) -> f64 {
    if x.abs() < 1e-16 {
        return 1.0;
    }
    if x > 717.0 {
        return f64::INFINITY;
    }
    // The halves of the exponential keep the quotient finite where exp(x) is not.
    if x > 700.0 {
        let half = exp(0.5 * x);
        return half / x * half;
    }
    expm1(x) / x
}

/// sin(pi x) / (pi x), and 1 for x = 0.
pub fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-150 {
        return 1.0;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    sinpi(x) / (std::f64::consts::PI * x)
}

/// The sine of an angle in degrees.
pub fn sindg(x: f64) -> f64 {
    if !(x.abs() <= 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    sinpi_of(x % 360.0, 0.0)
}

/// The cosine of an angle in degrees.
pub fn cosdg(x: f64) -> f64 {
    if !(x.abs() <= 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    sinpi_of((x % 360.0).abs(), 90.0)
}

/// The sine of the sum of an angle below 360 degrees and a multiple of 90 degrees.
fn sinpi_of(x: f64, shift: f64) -> f64 {
    // The multiples of 90 degrees are removed in degrees, where they are exact.
    let k = rint(x / 90.0);
    let r = (x - 90.0 * k) * 0.017453292519943295;
    let n = (k + shift / 90.0) as i64 & 3;
    let value = if n & 1 == 0 { sin(r) } else { cos(r) };
    if n & 2 == 0 { value } else { -value }
}

/// The tangent of an angle in degrees.
pub fn tandg(x: f64) -> f64 {
    tangent_of_degrees(x, false)
}

/// The cotangent of an angle in degrees.
pub fn cotdg(x: f64) -> f64 {
    tangent_of_degrees(x, true)
}

fn tangent_of_degrees(x: f64, inverse: bool) -> f64 {
    if !(x.abs() <= 1e14) {
        return if x.is_nan() { x } else { 0.0 };
    }
    let y = x % 180.0;
    let k = rint(y / 90.0);
    let r = libm::tan((y - 90.0 * k) * 0.017453292519943295);
    let odd = (k as i64 & 1 == 1) != inverse;
    if odd {
        if r == 0.0 {
            return f64::INFINITY;
        }
        return if inverse { 1.0 / r } else { -1.0 / r };
    }
    if inverse { -r } else { r }
}

/// An angle of d degrees, m minutes and s seconds in radians.
pub fn radian(d: f64, m: f64, s: f64) -> f64 {
    ((d * 60.0 + m) * 60.0 + s) * 4.84813681109536e-6
}

/// The arithmetic-geometric mean of a and b.
pub fn agm(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0) {
        return f64::NAN;
    }
    if (a.is_infinite() || b.is_infinite()) && (a == 0.0 || b == 0.0) {
        return f64::NAN;
    }
    if a == b || a.is_infinite() {
        return a;
    }
    if b.is_infinite() {
        return b;
    }
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let sign = if a < 0.0 { -1.0 } else { 1.0 };
    // A power of two keeps the products in range.
    let scale = if a.abs() > 1e100 || b.abs() > 1e100 {
        2.1382117680737565e-50
    } else if a.abs() < 1e-100 && b.abs() < 1e-100 {
        4.676805239458889e49
    } else {
        1.0
    };
    let mut x = a.abs() * scale * scale;
    let mut y = b.abs() * scale * scale;
    for _ in 0..40 {
        let mean = 0.5 * (x + y);
        y = x.sqrt() * y.sqrt();
        x = mean;
        if (x - y).abs() <= 2e-16 * x {
            break;
        }
    }
    sign * (x / scale / scale)
}

/// x log(y), and 0 for x = 0 unless y is nan.
pub fn xlogy(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * log(y) }
}

/// x log(1 + y), and 0 for x = 0 unless y is nan.
pub fn xlog1py(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * log1p(y) }
}

/// The elementwise entropy, -x log(x).
pub fn entr(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else if x > 0.0 {
        -x * log(x)
    } else if x == 0.0 {
        0.0
    } else {
        f64::NEG_INFINITY
    }
}

/// The elementwise relative entropy, x log(x / y).
pub fn rel_entr(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x > 0.0 && y > 0.0 {
        return x * log_ratio(x, y);
    }
    if x == 0.0 && y >= 0.0 { 0.0 } else { f64::INFINITY }
}

/// log(x / y) of positive numbers, also accurate for nearly equal ones.
fn log_ratio(x: f64, y: f64) -> f64 {
    let ratio = x / y;
    if ratio > 0.5 && ratio < 2.0 {
        log1p((x - y) / y)
    } else if ratio > 2.3e-308 && ratio.is_finite() {
        log(ratio)
    } else {
        log(x) - log(y)
    }
}

/// The Kullback-Leibler divergence, x log(x / y) - x + y.
pub fn kl_div(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x > 0.0 && y > 0.0 {
        let d = (y - x) / x;
        // x log(x / y) + y - x = -x (log(1 + d) - d) without cancellation.
        if d.abs() < 0.5 {
            return -x * log1pmx(d);
        }
        return x * log_ratio(x, y) - x + y;
    }
    if x == 0.0 && y >= 0.0 { y } else { f64::INFINITY }
}

/// The Huber loss of a residual r, which is linear beyond delta.
pub fn huber(delta: f64, r: f64) -> f64 {
    if delta < 0.0 {
        f64::INFINITY
    } else if r.abs() <= delta {
        0.5 * r * r
    } else {
        delta * (r.abs() - 0.5 * delta)
    }
}

/// The pseudo-Huber loss of a residual r, delta^2 (sqrt(1 + (r / delta)^2) - 1).
pub fn pseudo_huber(delta: f64, r: f64) -> f64 {
    if delta < 0.0 {
        return f64::INFINITY;
    }
    if delta == 0.0 || r == 0.0 {
        return 0.0;
    }
    let v = r / delta;
    // sqrt(1 + v^2) - 1 = v^2 / (1 + sqrt(1 + v^2)); a large v has no square.
    if v.abs() > 1e150 {
        return delta * r.abs();
    }
    delta * (v * (r / (1.0 + (1.0 + v * v).sqrt())))
}

/// log(p / (1 - p)).
pub fn logit(p: f64) -> f64 {
    // Near 1/2 the quotient is near 1: log(1 + (2 p - 1) / (1 - p)) has no cancellation.
    if p > 0.3 && p < 0.65 { log1p((2.0 * p - 1.0) / (1.0 - p)) } else { log(p / (1.0 - p)) }
}

/// The logistic function, 1 / (1 + exp(-x)).
pub fn expit(x: f64) -> f64 {
    if x < -20.0 {
        let e = exp(x);
        return e / (1.0 + e);
    }
    1.0 / (1.0 + exp(-x))
}

/// The logarithm of the logistic function.
pub fn log_expit(x: f64) -> f64 {
    if x < 0.0 { x - log1p(exp(x)) } else { -log1p(exp(-x)) }
}

/// The softplus function, log(1 + exp(x)).
pub fn softplus(x: f64) -> f64 {
    if x > 0.0 { x + log1p(exp(-x)) } else { log1p(exp(x)) }
}

/// The Box-Cox transform, (x^lambda - 1) / lambda, and log(x) for lambda = 0.
pub fn boxcox(x: f64, lmbda: f64) -> f64 {
    // The limit is exact to the last digit where lambda log(x) is tiny.
    if lmbda.abs() < 1e-19 {
        return log(x);
    }
    let z = lmbda * log(x);
    if z.abs() < 700.0 { expm1(z) / lmbda } else { boxcox_large(z, lmbda) }
}

/// exp(z) / lambda without overflow of exp(z).
fn boxcox_large(z: f64, lmbda: f64) -> f64 {
    if z < 0.0 {
        return -1.0 / lmbda;
    }
    let sign = if lmbda < 0.0 { -1.0 } else { 1.0 };
    sign * exp(z - log(lmbda.abs())) - 1.0 / lmbda
}

/// The Box-Cox transform of 1 + x.
pub fn boxcox1p(x: f64, lmbda: f64) -> f64 {
    let l = log1p(x);
    if lmbda.abs() < 1e-19 || (l.abs() < 1e-289 && lmbda.abs() < 1e273) {
        return l;
    }
    let z = lmbda * l;
    if z.abs() < 700.0 { expm1(z) / lmbda } else { boxcox_large(z, lmbda) }
}

/// The inverse of the Box-Cox transform, (lambda x + 1)^(1 / lambda).
pub fn inv_boxcox(x: f64, lmbda: f64) -> f64 {
    if lmbda == 0.0 {
        return exp(x);
    }
    let z = lmbda * x;
    if z.is_infinite() {
        let sign = if lmbda < 0.0 { -1.0 } else { 1.0 };
        return exp((log(sign * x) + log(lmbda.abs()) - 1.0 / z) / lmbda);
    }
    exp(log1p(z) / lmbda)
}

/// The inverse of the Box-Cox transform of 1 + x.
pub fn inv_boxcox1p(x: f64, lmbda: f64) -> f64 {
    if lmbda == 0.0 {
        return expm1(x);
    }
    let z = lmbda * x;
    if z.abs() < 1e-154 {
        return x;
    }
    if z.is_infinite() {
        let sign = if lmbda < 0.0 { -1.0 } else { 1.0 };
        return expm1((log(sign * x) + log(lmbda.abs()) - 1.0 / z) / lmbda);
    }
    expm1(log1p(z) / lmbda)
}
