//! The elements of matrices that a library of BLAS and LAPACK works on.

use super::Plain;
use num_complex::{Complex32, Complex64};
use phalanx_device::blas::Kind;
use std::ffi::c_void;

/// A real or complex number of two precisions.
pub(super) trait Number: Plain + PartialEq {
    /// The kind of element in a library's tables.
    const KIND: Kind;

    /// The number of these components, rounded; a real one has the first alone.
    fn of(real: f64, imaginary: f64) -> Self;

    /// The components, exactly.
    fn parts(self) -> [f64; 2];
}

macro_rules! numbers {
    ($($type:ty, $kind:ident, $of:expr, $parts:expr;)*) => {
        $(impl Number for $type {
            const KIND: Kind = Kind::$kind;

            #[inline]
            fn of(real: f64, imaginary: f64) -> Self {
                $of(real, imaginary)
            }

            #[inline]
            fn parts(self) -> [f64; 2] {
                $parts(self)
            }
        })*
    };
}

numbers! {
    f32, S, |real, _| real as f32, |number| [f64::from(number), 0.0];
    f64, D, |real, _| real, |number| [number, 0.0];
    Complex32, C,
        |real, imaginary| Complex32::new(real as f32, imaginary as f32),
        |number: Complex32| [f64::from(number.re), f64::from(number.im)];
    Complex64, Z, Complex64::new, |number: Complex64| [number.re, number.im];
}

/// The address of a matrix that a library writes.
pub(super) fn writable<T>(elements: &mut [T]) -> *mut c_void {
    elements.as_mut_ptr().cast()
}

/// The address of a matrix that a library only reads.
pub(super) fn readable<T>(elements: &[T]) -> *mut c_void {
    elements.as_ptr().cast_mut().cast()
}
