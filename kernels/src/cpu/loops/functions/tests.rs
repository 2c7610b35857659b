//! The functions against those of the crate `libm`, which are within a unit of the exact result.

use super::*;

/// Numbers of every exponent, both signs, and those at which an algorithm changes.
fn numbers() -> Vec<f64> {
    let mut numbers = vec![0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY, f64::NAN];
    numbers.extend((1..2047).flat_map(|exponent: u64| {
        [0, 1, 0x5_5555_5555_5555, 0x6_a09e_667f_3bcd, 0xf_ffff_ffff_ffff]
            .map(|fraction| f64::from_bits(exponent << 52 | fraction))
    }));
    numbers.extend((0..60_000).map(|at| f64::from(at) * 0.0173));
    // Where arguments are near a multiple of pi/2, reduction cancels most.
    numbers.extend((1..2000).map(|at| f64::from(at) * std::f64::consts::FRAC_PI_2));
    let negative: Vec<f64> = numbers.iter().map(|number| -number).collect();
    numbers.extend(negative);
    numbers
}

/// The numbers between two of the same precision; 0 if both are NaN.
fn distance(a: f64, b: f64) -> u64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() { 0 } else { u64::MAX };
    }
    let order = |number: f64| {
        let bits = number.to_bits() as i64;
        if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
    };
    // Zeros of different signs are different.
    let sign = u64::from(a == 0.0 && a.is_sign_negative() != b.is_sign_negative());
    order(a).abs_diff(order(b)).max(sign)
}

fn distance_single(a: f32, b: f32) -> u64 {
    if a.is_nan() || b.is_nan() {
        return distance(a.into(), b.into());
    }
    let order = |number: f32| i64::from(number.abs().to_bits()) * number.signum() as i64;
    order(a).abs_diff(order(b))
}

/// Compares each function of one number with that of the library.
macro_rules! compare {
    ($($name:ident $single:ident $within:expr;)*) => {$({
        let within: fn(f64) -> bool = $within;
        for x in numbers().into_iter().filter(|x| within(*x) || !x.is_finite()) {
            let (ours, theirs) = ($name::<Double>(x), libm::$name(x));
            assert!(
                distance(ours, theirs) <= 3,
                "{}({x:e}) = {ours:e}, not {theirs:e}", stringify!($name)
            );
            let x = x as f32;
            let (ours, theirs) = ($name::<Single>(x.into()) as f32, libm::$single(x));
            assert!(
                distance_single(ours, theirs) <= 3,
                "{}({x:e}) = {ours:e}, not {theirs:e}", stringify!($single)
            );
        }
    })*};
}

#[test]
fn functions_of_one_number_are_near_those_of_the_library() {
    let all = |_: f64| true;
    compare! {
        exp expf all; exp2 exp2f all; expm1 expm1f all;
        log logf all; log2 log2f all; log10 log10f all; log1p log1pf all;
        sin sinf |x| x.abs() < LARGE; cos cosf |x| x.abs() < LARGE; tan tanf |x| x.abs() < LARGE;
        asin asinf all; acos acosf all; atan atanf all;
        sinh sinhf all; cosh coshf all; tanh tanhf all;
        asinh asinhf all; acosh acoshf |x| x >= 1.0; atanh atanhf all;
        cbrt cbrtf all;
    }
}

#[test]
fn functions_of_two_numbers_are_near_those_of_the_library() {
    let numbers: Vec<f64> = numbers().into_iter().step_by(311).collect();
    let edges = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e16, 1e300, f64::INFINITY, f64::NAN];
    let edges: Vec<f64> = edges.into_iter().flat_map(|edge| [edge, -edge]).collect();
    for &x in edges.iter().chain(&numbers) {
        for &y in edges.iter().chain(&numbers) {
            for (name, ours, theirs) in [
                ("pow", pow::<Double>(x, y), libm::pow(x, y)),
                ("hypot", hypot::<Double>(x, y), libm::hypot(x, y)),
                ("atan2", atan2::<Double>(x, y), libm::atan2(x, y)),
            ] {
                assert!(
                    distance(ours, theirs) <= 3,
                    "{name}({x:e}, {y:e}) = {ours:e}, not {theirs:e}"
                );
            }
        }
    }
}

/// Random numbers whose sizes have exponents up to `most`.
fn random_numbers(most: i32) -> impl Iterator<Item = f64> {
    let mut bits = 9_u64;
    std::iter::from_fn(move || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let exponent = (bits >> 48) as i32 % (2 * most + 1) - most;
        let size = (1.0 + (bits >> 12 & 0xffff) as f64 / 65_536.0) * 2f64.powi(exponent);
        Some(if bits >> 63 == 1 { -size } else { size })
    })
}

/// Whether two complex numbers agree to some units of the larger part.
fn agree(a: (f64, f64), b: num_complex::Complex64, units: f64) -> bool {
    let unit = b.re.abs().max(b.im.abs()) * f64::EPSILON;
    (a.0 - b.re).abs() <= units * unit && (a.1 - b.im).abs() <= units * unit
}

#[test]
fn functions_of_usual_complex_numbers_agree_with_those_of_any_number() {
    use crate::cpu::loops::complex_functions as any;
    let mut numbers = random_numbers(12);
    let mut usual = 0;
    for _ in 0..20_000 {
        let parts = [(); 4].map(|()| numbers.next().expect("the numbers do not end"));
        let [x, y, u, v] = parts;
        let z = num_complex::Complex64::new(x, y);
        let w = num_complex::Complex64::new(u, v);
        let mut check = |name: &str, (re, im, is_usual): complex::Usual, expected| {
            usual += usize::from(is_usual);
            assert!(!is_usual || agree((re, im), expected, 40.0), "{name} of {z}: {re}, {im}");
        };
        check("sqrt", complex::sqrt(x, y), any::sqrt(z));
        check("exp", complex::exp(x, y), any::exp(z));
        check("exp2", complex::exp2(x, y), any::exp2(z));
        check("expm1", complex::expm1(x, y), any::expm1(z));
        check("log", complex::log(x, y), any::log(z));
        check("log1p", complex::log1p(x, y), any::log1p(z));
        check("sinh", complex::sinh(x, y), any::sinh(z));
        check("cosh", complex::cosh(x, y), any::cosh(z));
        check("tanh", complex::tanh(x, y), any::tanh(z));
        check("sin", complex::sin(x, y), any::sin(z));
        check("cos", complex::cos(x, y), any::cos(z));
        check("tan", complex::tan(x, y), any::tan(z));
        // The error grows with the logarithm of the result.
        let (re, im, is_usual) = complex::power(x, y, u, v);
        let (power, size) = (any::power(z, w), 1.0 + (w * any::log(z)).norm());
        let fits = !is_usual || agree((re, im), power, 8.0 * size);
        assert!(fits, "{z} to the power {w}: {re}, {im}, not {power}");
    }
    assert!(usual > 150_000, "{usual} of 240,000");
}

#[test]
fn parts_that_are_not_usual_are_left_to_others() {
    for z in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300] {
        for (x, y) in [(z, 1.0), (1.0, z), (z, z)] {
            let all = [
                complex::sqrt(x, y),
                complex::exp(x, y),
                complex::log(x, y),
                complex::log1p(x, y),
                complex::sinh(x, y),
                complex::tanh(x, y),
                complex::arcsin(x, y),
                complex::arccos(x, y),
                complex::arctanh(x, y),
                complex::power(x, y, 0.5, 0.5),
            ];
            assert!(all.iter().all(|result| !result.2), "{x}, {y}: {all:?}");
        }
    }
    assert!(!complex::sqrt(0.0, 0.0).2 && !complex::log(0.0, -0.0).2);
    assert!(!complex::power(2.0, 1.0, 3.0, 0.0).2 && complex::power(2.0, 1.0, 3.5, 0.0).2);
}

#[test]
fn inverse_functions_of_complex_numbers_are_undone() {
    use num_complex::Complex64;
    type Function = fn(f64, f64) -> complex::Usual;
    let pairs: [(&str, Function, Function); 6] = [
        ("arcsin", complex::arcsin, complex::sin),
        ("arccos", complex::arccos, complex::cos),
        ("arctan", complex::arctan, complex::tan),
        ("arcsinh", complex::arcsinh, complex::sinh),
        ("arccosh", complex::arccosh, complex::cosh),
        ("arctanh", complex::arctanh, complex::tanh),
    ];
    let mut numbers = random_numbers(3);
    for _ in 0..5_000 {
        let [x, y] = [(); 2].map(|()| numbers.next().expect("the numbers do not end"));
        for (name, inverse, function) in pairs {
            let (re, im, is_usual) = inverse(x, y);
            assert!(is_usual, "{name} of {x} and {y}");
            let (back_re, back_im, _) = function(re, im);
            let (z, back) = (Complex64::new(x, y), Complex64::new(back_re, back_im));
            // Where the inverse is nearly constant, as arctangents of large numbers, its rounding
            // is multiplied by the square of the modulus.
            let allowed = 2e-14 * (1.0 + z.norm_sqr());
            assert!(
                (back - z).norm() <= allowed,
                "{name} of {z} is {re}, {im}, which gives {back}"
            );
        }
    }
}
