//! Plans of Fourier transforms by the `rustfft` and `realfft` crates, cached by length.

use super::cache::Cache;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
pub use rustfft::FftDirection as Direction;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::Arc;

/// The components of the elements that are transformed.
pub trait Precision: FftNum {
    /// The plan of a complex transform of `length` elements.
    fn plan(length: usize, direction: Direction) -> Arc<dyn Fft<Self>>;

    /// The plan of a transform of `length` real numbers.
    fn plan_real_forward(length: usize) -> Arc<dyn RealToComplex<Self>>;

    /// The plan of a transform to `length` real numbers.
    fn plan_real_inverse(length: usize) -> Arc<dyn ComplexToReal<Self>>;
}

/// The planners of a precision.
struct Planners<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
}

impl<T: FftNum> Planners<T> {
    fn new() -> Planners<T> {
        Planners { complex: FftPlanner::new(), real: RealFftPlanner::new() }
    }
}

macro_rules! precisions {
    ($($type:ty, $cache:ident;)*) => {
        $(
            static $cache: Cache<Planners<$type>> = Cache::of(Planners::new);

            impl Precision for $type {
                fn plan(length: usize, direction: Direction) -> Arc<dyn Fft<Self>> {
                    $cache.made(length, |it| it.complex.plan_fft(length, direction))
                }

                fn plan_real_forward(length: usize) -> Arc<dyn RealToComplex<Self>> {
                    $cache.made(length, |it| it.real.plan_fft_forward(length))
                }

                fn plan_real_inverse(length: usize) -> Arc<dyn ComplexToReal<Self>> {
                    $cache.made(length, |it| it.real.plan_fft_inverse(length))
                }
            }
        )*
    };
}

precisions! {
    f32, PLANNERS_OF_F32;
    f64, PLANNERS_OF_F64;
}
