//! Plans of Fourier transforms by the `rustfft` and `realfft` crates, cached by length.

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
pub use rustfft::FftDirection as Direction;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::{Arc, Mutex, PoisonError};

/// The most lengths whose plans are cached; after that the cache is cleared.
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
    make(planners)
}
