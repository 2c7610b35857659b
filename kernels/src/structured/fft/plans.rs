//! Plans of transforms, kept for the next one of the same length.

use crate::structured::Plain;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Plans that are kept at most; a program that transforms lines of ever new lengths begins anew.
const KEPT: usize = 64;

/// The planners of a precision and how many plans they made.
pub(crate) struct Planners<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    lengths: Vec<usize>,
}

/// A precision that has planners.
pub(crate) trait Precision: FftNum + Plain {
    /// The place of its planners.
    fn place() -> &'static Mutex<Option<Planners<Self>>>;
}

impl Precision for f32 {
    fn place() -> &'static Mutex<Option<Planners<f32>>> {
        static PLACE: Mutex<Option<Planners<f32>>> = Mutex::new(None);
        &PLACE
    }
}

impl Precision for f64 {
    fn place() -> &'static Mutex<Option<Planners<f64>>> {
        static PLACE: Mutex<Option<Planners<f64>>> = Mutex::new(None);
        &PLACE
    }
}

/// The planners for a line of this length.
fn planners<R, T: Precision>(length: usize, plan: impl FnOnce(&mut Planners<T>) -> R) -> R {
    let mut place: MutexGuard<'_, Option<Planners<T>>> =
        T::place().lock().unwrap_or_else(PoisonError::into_inner);
    if place.as_ref().is_some_and(|planners| planners.lengths.len() >= KEPT) {
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
    plan(planners)
}

/// The plan of a complex transform.
pub(super) fn plan<T: Precision>(length: usize, direction: FftDirection) -> Arc<dyn Fft<T>> {
    planners(length, |planners: &mut Planners<T>| planners.complex.plan_fft(length, direction))
}

/// The plan of a transform of real numbers.
pub(super) fn plan_real_forward<T: Precision>(length: usize) -> Arc<dyn RealToComplex<T>> {
    planners(length, |planners: &mut Planners<T>| planners.real.plan_fft_forward(length))
}

/// The plan of a transform to real numbers.
pub(super) fn plan_real_inverse<T: Precision>(length: usize) -> Arc<dyn ComplexToReal<T>> {
    planners(length, |planners: &mut Planners<T>| planners.real.plan_fft_inverse(length))
}
