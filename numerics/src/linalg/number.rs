//! The elements of factorised matrices, and conversions to and from `faer` matrices.

use faer::Mat;
use faer::traits::ComplexField;
use num_complex::{Complex32, Complex64};

/// An element: a real or complex number of two precisions.
pub(super) trait Number: Copy + ComplexField {
    /// Squares of numbers with a binary exponent of at most this magnitude can be summed safely.
    const SAFE_EXPONENT: i32;

    /// The number of these components, rounded; a real one has the first alone.
    fn of(real: f64, imaginary: f64) -> Self;

    /// The components, exactly.
    fn parts(self) -> [f64; 2];

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
        $(impl Number for $type {
            const SAFE_EXPONENT: i32 = $exponent;

            fn of(real: f64, imaginary: f64) -> Self {
                $of(real, imaginary)
            }

            fn parts(self) -> [f64; 2] {
                $parts(self)
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::samples::{assert_nan, for_each_number, unwritten};

    #[test]
    fn scaling_by_a_power_of_two_is_exact() {
        fn check<T: Number>() {
            let number = T::of(3.0, -5.0);
            assert_eq!(number.scaled(4), T::of(48.0, -80.0));
            assert_eq!(number.scaled(T::SAFE_EXPONENT).scaled(-T::SAFE_EXPONENT), number);
            assert_eq!(number.conjugate(), T::of(3.0, 5.0));
        }
        for_each_number!(check);
    }

    #[test]
    fn nan_has_no_component_that_is_a_number() {
        fn check<T: Number>() {
            assert_nan(&[nan::<T>()]);
        }
        for_each_number!(check);
    }

    #[test]
    fn only_sizes_whose_squares_are_unsafe_have_an_exponent() {
        fn check<T: Number>() {
            let safe = T::SAFE_EXPONENT;
            let power = |exponent: i32| T::of(libm::ldexp(1.5, exponent), 0.0);
            let of = |numbers: &[T]| exponent(numbers.iter().copied());
            assert_eq!(of(&[]), Some(0));
            assert_eq!(of(&[power(0).scaled(-10), T::of(0.0, 0.0)]), Some(0));
            assert_eq!(of(&[T::of(0.0, 0.0)]), Some(0));
            assert_eq!(of(&[power(safe)]), Some(0));
            assert_eq!(of(&[power(safe + 1)]), Some(safe + 1));
            assert_eq!(of(&[power(-safe)]), Some(0));
            assert_eq!(of(&[power(-safe - 1)]), Some(-safe - 1));
            // The largest element decides, and a component counts like an element.
            assert_eq!(of(&[power(-safe - 1), power(safe + 2), power(0)]), Some(safe + 2));
            let imaginary = T::of(1.0, libm::ldexp(1.0, safe + 1));
            assert_eq!(of(&[imaginary]), Some(if T::IS_REAL { 0 } else { safe + 1 }));
        }
        for_each_number!(check);
    }

    #[test]
    fn elements_that_are_not_finite_have_no_exponent() {
        fn check<T: Number>() {
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let numbers = [T::of(1.0, 0.0), T::of(wrong, 0.0)];
                assert_eq!(exponent(numbers.into_iter()), None);
                let imaginary = exponent([T::of(1.0, wrong)].into_iter());
                assert_eq!(imaginary, T::IS_REAL.then_some(0));
            }
        }
        for_each_number!(check);
    }

    #[test]
    fn a_stored_matrix_has_the_elements_that_it_was_made_of() {
        fn check<T: Number>() {
            let elements: Vec<T> = (0..6).map(|at| T::of(f64::from(at), -1.0)).collect();
            let stored = matrix(&elements, 3, 0);
            assert_eq!((stored.nrows(), stored.ncols()), (2, 3));
            let mut to = unwritten::<T>(6);
            store(&stored, &mut to, 3);
            assert_eq!(to, elements);
            assert_eq!(matrix(&elements, 3, 2)[(1, 2)], elements[5].scaled(-2));
        }
        for_each_number!(check);
    }

    #[test]
    fn a_matrix_is_stored_in_the_first_columns_of_the_first_rows() {
        fn check<T: Number>() {
            let elements: Vec<T> = (0..4).map(|at| T::of(f64::from(at), 0.0)).collect();
            let mut to = unwritten::<T>(9);
            let rest = to[8];
            store(&matrix(&elements, 2, 0), &mut to, 3);
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| elements[at]);
            assert_eq!(to, [a, b, rest, c, d, rest, rest, rest, rest]);
        }
        for_each_number!(check);
    }

    #[test]
    fn matrices_without_elements_are_stored() {
        fn check<T: Number>() {
            for [rows, columns] in [[0, 0], [0, 3], [3, 0]] {
                let mut to = unwritten::<T>(columns);
                let rest = to.clone();
                store(&Mat::full(rows, columns, T::of(1.0, 0.0)), &mut to, columns);
                assert_eq!(to, rest);
            }
            assert_eq!(matrix::<T>(&[], 0, 0).nrows(), 0);
            assert_eq!(matrix::<T>(&[], 3, 0).nrows(), 0);
        }
        for_each_number!(check);
    }
}
