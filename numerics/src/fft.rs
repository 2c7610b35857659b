//! Plans of Fourier transforms by the `rustfft` and `realfft` crates, cached by length.

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
pub use rustfft::FftDirection as Direction;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::{Arc, Mutex, PoisonError};

/// The most lengths whose plans are cached; a further one clears the cache.
const KEPT: usize = 64;

/// The components of the elements that are transformed.
pub trait Precision: FftNum {
    /// The plan of a complex transform of `length` elements.
    fn plan(length: usize, direction: Direction) -> Arc<dyn Fft<Self>>;

    /// The plan of a transform of `length` real numbers.
    fn plan_real_forward(length: usize) -> Arc<dyn RealToComplex<Self>>;

    /// The plan of a transform to `length` real numbers.
    fn plan_real_inverse(length: usize) -> Arc<dyn ComplexToReal<Self>>;
}

/// The planners of a precision and the lengths of their plans.
struct Planners<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    lengths: Vec<usize>,
}

/// The place of the planners of a precision.
type Place<T> = Mutex<Option<Planners<T>>>;

macro_rules! precisions {
    ($($type:ty, $place:ident;)*) => {
        $(
            static $place: Place<$type> = Mutex::new(None);

            impl Precision for $type {
                fn plan(length: usize, direction: Direction) -> Arc<dyn Fft<Self>> {
                    made(&$place, length, |it| it.complex.plan_fft(length, direction))
                }

                fn plan_real_forward(length: usize) -> Arc<dyn RealToComplex<Self>> {
                    made(&$place, length, |it| it.real.plan_fft_forward(length))
                }

                fn plan_real_inverse(length: usize) -> Arc<dyn ComplexToReal<Self>> {
                    made(&$place, length, |it| it.real.plan_fft_inverse(length))
                }
            }
        )*
    };
}

precisions! {
    f32, PLANNERS_OF_F32;
    f64, PLANNERS_OF_F64;
}

/// Calls `make` with the planners, for a line of this length.
fn made<R, T: FftNum>(
    place: &Place<T>,
    length: usize,
    make: impl FnOnce(&mut Planners<T>) -> R,
) -> R {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    let is_full = |planners: &Planners<T>| {
        planners.lengths.len() >= KEPT && !planners.lengths.contains(&length)
    };
    if place.as_ref().is_some_and(is_full) {
        *place = None;
    }
    let planners = place.get_or_insert_with(|| Planners {
        complex: FftPlanner::new(),
        real: RealFftPlanner::new(),
        lengths: Vec::new(),
    });
    if !planners.lengths.contains(&length) {
        planners.lengths.push(length);
    }
    make(planners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::{Complex, Complex64};
    use std::f64::consts::TAU;

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
        let place: Place<f64> = Mutex::new(None);
        let kept = |length: usize| made(&place, length, |planners| planners.lengths.len());
        for length in 1..=KEPT {
            assert_eq!(kept(length), length);
            assert_eq!(kept(1), length, "length 1 is known");
        }
        assert_eq!(kept(KEPT + 1), 1);
    }

    #[test]
    fn a_panic_while_planning_does_not_stop_later_plans() {
        let place: Place<f64> = Mutex::new(None);
        let planning = || made(&place, 1, |_| -> usize { panic!("on purpose") });
        let planning = std::panic::AssertUnwindSafe(planning);
        assert!(std::panic::catch_unwind(planning).is_err());
        let plan = made(&place, 3, |planners| planners.complex.plan_fft_forward(3));
        let mut to = [Complex64::from(1.0); 3];
        plan.process(&mut to);
        assert!((to[0] - 3.0).norm() < 1e-15 && to[1].norm() < 1e-15, "{to:?}");
    }
}
