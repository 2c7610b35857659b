//! Plans of Fourier transforms, and their cache.

use super::cache::{Cache, KEPT};
use num_complex::{Complex, Complex64};
use phalanx_numerics::fft::{Direction, Precision};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Powers of two, small odd numbers and larger primes.
const LENGTHS: [usize; 8] = [1, 2, 3, 4, 5, 8, 17, 31];

/// A line of small integers.
fn line(length: usize) -> Vec<Complex64> {
    let part = |at: usize, factor: usize, modulus: usize| ((factor * at + 2) % modulus) as f64;
    (0..length).map(|at| Complex64::new(part(at, 7, 11) - 5.0, part(at, 5, 7) - 3.0)).collect()
}

/// The sums that define a transform: for each `j`, `x[k] exp(∓2πi j k / n)` over all `k`.
fn sums(line: &[Complex64], direction: Direction) -> Vec<Complex64> {
    let n = line.len();
    let turn = match direction {
        Direction::Forward => -TAU,
        Direction::Inverse => TAU,
    };
    let root = |power: usize| Complex64::cis(turn * (power % n) as f64 / n as f64);
    let sum = |j: usize| (0..n).map(|k| line[k] * root(j * k)).sum::<Complex64>();
    (0..n).map(sum).collect()
}

/// A number, which both precisions have.
fn narrow<T: Precision>(number: f64) -> T {
    T::from_f64(number).expect("a small integer")
}

fn narrow_all<T: Precision>(numbers: &[Complex64]) -> Vec<Complex<T>> {
    numbers.iter().map(|number| Complex::new(narrow(number.re), narrow(number.im))).collect()
}

/// Checks that a result differs from the sums by no more than rounding does.
#[track_caller]
fn assert_near(found: &[Complex64], expected: &[Complex64], line: &[Complex64], epsilon: f64) {
    assert_eq!(found.len(), expected.len());
    let tolerance = 16.0 * epsilon * line.iter().map(|number| number.norm()).sum::<f64>();
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).norm();
        assert!(
            error <= tolerance,
            "element {at} of length {}: {found} is not {expected}: {error:e} > {tolerance:e}",
            line.len()
        );
    }
}

#[test]
fn a_complex_plan_computes_the_sums_that_define_it() {
    fn check<T: Precision + Into<f64>>(epsilon: f64) {
        for length in LENGTHS {
            for direction in [Direction::Forward, Direction::Inverse] {
                let line = line(length);
                let mut to: Vec<Complex<T>> = narrow_all(&line);
                T::plan(length, direction).process(&mut to);
                let found: Vec<Complex64> =
                    to.iter().map(|to| Complex64::new(to.re.into(), to.im.into())).collect();
                assert_near(&found, &sums(&line, direction), &line, epsilon);
            }
        }
    }
    check::<f32>(f64::from(f32::EPSILON));
    check::<f64>(f64::EPSILON);
}

#[test]
fn a_real_forward_plan_computes_the_first_half() {
    fn check<T: Precision + Into<f64>>(epsilon: f64) {
        for length in LENGTHS {
            let line: Vec<Complex64> =
                line(length).iter().map(|number| Complex64::from(number.re)).collect();
            let mut from: Vec<T> = line.iter().map(|number| narrow(number.re)).collect();
            let plan = T::plan_real_forward(length);
            let mut to = plan.make_output_vec();
            plan.process(&mut from, &mut to).expect("lines of the plan's lengths");
            let found: Vec<Complex64> =
                to.iter().map(|to| Complex64::new(to.re.into(), to.im.into())).collect();
            let expected = &sums(&line, Direction::Forward)[..length / 2 + 1];
            assert_near(&found, expected, &line, epsilon);
        }
    }
    check::<f32>(f64::from(f32::EPSILON));
    check::<f64>(f64::EPSILON);
}

#[test]
fn a_real_inverse_plan_computes_the_sums_of_the_whole_from_the_first_half() {
    fn check<T: Precision + Into<f64>>(epsilon: f64) {
        for length in LENGTHS {
            let mut half = line(length / 2 + 1);
            // These are their own conjugates.
            for (at, number) in half.iter_mut().enumerate() {
                if (2 * at).is_multiple_of(length) {
                    number.im = 0.0;
                }
            }
            let whole: Vec<Complex64> = (0..length)
                .map(|at| if at < half.len() { half[at] } else { half[length - at].conj() })
                .collect();
            let mut from: Vec<Complex<T>> = narrow_all(&half);
            let plan = T::plan_real_inverse(length);
            let mut to = plan.make_output_vec();
            plan.process(&mut from, &mut to).expect("lines of the plan's lengths");
            let found: Vec<Complex64> =
                to.iter().map(|&number| Complex64::new(number.into(), 0.0)).collect();
            assert_near(&found, &sums(&whole, Direction::Inverse), &whole, epsilon);
        }
    }
    check::<f32>(f64::from(f32::EPSILON));
    check::<f64>(f64::EPSILON);
}

#[test]
fn plans_are_kept_until_there_are_too_many() {
    // Planners that count their plans.
    let cache = Cache::of(|| 0);
    let made = |length: usize| {
        cache.made(length, |count| {
            *count += 1;
            *count
        })
    };
    for length in 1..=KEPT {
        assert_eq!(made(length), 2 * length - 1);
        assert_eq!(made(1), 2 * length, "length 1 is known");
    }
    assert_eq!(made(KEPT + 1), 1);
}

#[test]
fn a_known_length_has_one_plan() {
    let plan = || f64::plan(31, Direction::Forward);
    assert!(Arc::ptr_eq(&plan(), &plan()));
}

#[test]
fn a_panic_while_planning_does_not_stop_later_plans() {
    let cache = Cache::of(Vec::new);
    let planning = || cache.made(1, |_: &mut Vec<usize>| -> usize { panic!("on purpose") });
    let planning = std::panic::AssertUnwindSafe(planning);
    assert!(std::panic::catch_unwind(planning).is_err());
    let planned = cache.made(3, |plans| {
        plans.push(3);
        plans.clone()
    });
    assert_eq!(planned, [3]);
}
