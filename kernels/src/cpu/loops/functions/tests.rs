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
