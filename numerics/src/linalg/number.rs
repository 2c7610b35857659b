//! The elements of factorised matrices, and conversions to and from `faer` matrices.

use faer::Mat;
use faer::traits::ComplexField;
use num_complex::{Complex32, Complex64};

/// A real or complex number of two precisions, by its components.
pub trait Components: Copy {
    /// The number of these components, rounded; a real one has the first alone.
    fn of(real: f64, imaginary: f64) -> Self;

    /// The components, exactly.
    fn parts(self) -> [f64; 2];
}

/// An element of a factorised matrix.
pub(super) trait Number: Components + ComplexField {
    /// Squares of numbers with a binary exponent of at most this magnitude can be summed safely.
    const SAFE_EXPONENT: i32;

    /// The complex conjugate.
    fn conjugate(self) -> Self {
        Self::conj_impl(&self)
    }

    /// The product with a power of two.
    fn scaled(self, exponent: i32) -> Self {
        let [real, imaginary] = self.parts();
        Self::of(libm::ldexp(real, exponent), libm::ldexp(imaginary, exponent))
    }
}

macro_rules! numbers {
    ($($type:ty, $exponent:literal, $of:expr, $parts:expr;)*) => {
        $(impl Components for $type {
            #[inline]
            fn of(real: f64, imaginary: f64) -> Self {
                $of(real, imaginary)
            }

            #[inline]
            fn parts(self) -> [f64; 2] {
                $parts(self)
            }
        }

        impl Number for $type {
            const SAFE_EXPONENT: i32 = $exponent;
        })*
    };
}

numbers! {
    f32, 40, |real, _| real as f32, |number| [f64::from(number), 0.0];
    f64, 400, |real, _| real, |number| [number, 0.0];
    Complex32, 40,
        |real, imaginary| Complex32::new(real as f32, imaginary as f32),
        |number: Complex32| [f64::from(number.re), f64::from(number.im)];
    Complex64, 400, Complex64::new, |number: Complex64| [number.re, number.im];
}

/// NaN in all components.
pub(super) fn nan<T: Number>() -> T {
    T::of(f64::NAN, f64::NAN)
}

/// The power of two by which elements are divided before their squares are summed: 0 for elements
/// of moderate size; `None` if one is not finite.
pub(super) fn exponent<T: Number>(elements: impl Iterator<Item = T>) -> Option<i32> {
    let mut largest = 0.0_f64;
    for part in elements.flat_map(T::parts) {
        if !part.is_finite() {
            return None;
        }
        largest = largest.max(part.abs());
    }
    let exponent = if largest == 0.0 { 0 } else { libm::ilogb(largest) };
    Some(if exponent.abs() <= T::SAFE_EXPONENT { 0 } else { exponent })
}

/// A matrix from elements in C order, divided by a power of two.
pub(super) fn matrix<T: Number>(elements: &[T], columns: usize, exponent: i32) -> Mat<T> {
    let rows = elements.len().checked_div(columns).unwrap_or(0);
    Mat::from_fn(rows, columns, |row, column| {
        let element = elements[row * columns + column];
        if exponent == 0 { element } else { element.scaled(-exponent) }
    })
}

/// Writes a matrix into the first columns of rows in C order.
pub(super) fn store<T: Number>(matrix: &Mat<T>, to: &mut [T], width: usize) {
    if width == 0 {
        return;
    }
    for (row, to) in to.chunks_exact_mut(width).take(matrix.nrows()).enumerate() {
        for (column, to) in to[..matrix.ncols()].iter_mut().enumerate() {
            *to = matrix[(row, column)];
        }
    }
}
