//! The numbers of sparse matrices that are factorised.

use crate::linalg::Components;
use num_complex::Complex64;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Sub, SubAssign};

/// A real or complex number of double precision. Other dtypes are converted.
pub trait Scalar:
    Components
    + Default
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Send
    + Sync
    + 'static
{
    /// The absolute value.
    fn magnitude(self) -> f64;

    /// The complex conjugate.
    fn conjugate(self) -> Self;
}

impl Scalar for f64 {
    fn magnitude(self) -> f64 {
        self.abs()
    }

    fn conjugate(self) -> f64 {
        self
    }
}

impl Scalar for Complex64 {
    fn magnitude(self) -> f64 {
        self.norm()
    }

    fn conjugate(self) -> Complex64 {
        self.conj()
    }
}
