//! The elements of matrices that a library of BLAS and LAPACK works on.

use super::Plain;
use num_complex::{Complex32, Complex64};
use phalanx_device::blas::Kind;
use phalanx_numerics::linalg::Components;
use std::ffi::c_void;

/// A real or complex number of two precisions.
pub(super) trait Number: Plain + PartialEq + Components {
    /// The kind of element in a library's tables.
    const KIND: Kind;

    /// Whether no component is infinite or NaN.
    fn is_finite(self) -> bool {
        self.parts().iter().all(|part| part.is_finite())
    }
}

macro_rules! numbers {
    ($($type:ty, $kind:ident;)*) => {
        $(impl Number for $type {
            const KIND: Kind = Kind::$kind;
        })*
    };
}

numbers! {
    f32, S;
    f64, D;
    Complex32, C;
    Complex64, Z;
}

/// The address of a matrix that a library writes.
pub(super) fn writable<T>(elements: &mut [T]) -> *mut c_void {
    elements.as_mut_ptr().cast()
}

/// The address of a matrix that a library only reads.
pub(super) fn readable<T>(elements: &[T]) -> *mut c_void {
    elements.as_ptr().cast_mut().cast()
}
