//! Small matrices for the tests of factorisations, and products that check the results.

use super::number::Number;
use num_complex::Complex64;
use std::any::type_name;

/// The extents of square matrices.
pub(super) const EXTENTS: [usize; 4] = [1, 2, 3, 5];

/// The rows and columns of matrices.
pub(super) const SHAPES: [[usize; 2]; 8] =
    [[1, 1], [2, 2], [3, 3], [5, 5], [5, 1], [1, 5], [5, 3], [3, 5]];

/// A matrix in C order, in double precision.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Dense {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) elements: Vec<Complex64>,
}

impl Dense {
    /// The matrix with the element that a function returns for each row and column.
    pub(super) fn new(
        [rows, columns]: [usize; 2],
        element: impl Fn(usize, usize) -> Complex64,
    ) -> Dense {
        let elements = (0..rows * columns).map(|at| element(at / columns, at % columns)).collect();
        Dense { rows, columns, elements }
    }

    /// A matrix of real numbers in C order.
    pub(super) fn real(extents: [usize; 2], elements: &[f64]) -> Dense {
        assert_eq!(elements.len(), extents[0] * extents[1]);
        Dense::new(extents, |row, column| Complex64::from(elements[row * extents[1] + column]))
    }

    /// A matrix of one row.
    pub(super) fn row(elements: &[Complex64]) -> Dense {
        Dense { rows: 1, columns: elements.len(), elements: elements.to_vec() }
    }

    /// The identity.
    pub(super) fn identity(n: usize) -> Dense {
        Dense::new([n, n], |row, column| Complex64::from(if row == column { 1.0 } else { 0.0 }))
    }

    /// A result in C order.
    pub(super) fn read<T: Number>(extents: [usize; 2], elements: &[T]) -> Dense {
        assert_eq!(elements.len(), extents[0] * extents[1]);
        Dense::new(extents, |row, column| {
            let [re, im] = elements[row * extents[1] + column].parts();
            Complex64::new(re, im)
        })
    }

    /// The elements in C order, rounded.
    pub(super) fn write<T: Number>(&self) -> Vec<T> {
        self.elements.iter().map(|element| T::of(element.re, element.im)).collect()
    }

    /// An element.
    pub(super) fn at(&self, row: usize, column: usize) -> Complex64 {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        self.elements[row * self.columns + column]
    }

    /// The transpose.
    pub(super) fn transposed(&self) -> Dense {
        Dense::new([self.columns, self.rows], |row, column| self.at(column, row))
    }

    /// The conjugate of the transpose.
    pub(super) fn adjoint(&self) -> Dense {
        Dense::new([self.columns, self.rows], |row, column| self.at(column, row).conj())
    }

    /// The product with another matrix.
    pub(super) fn times(&self, other: &Dense) -> Dense {
        assert_eq!(self.columns, other.rows);
        Dense::new([self.rows, other.columns], |row, column| {
            (0..self.columns).map(|at| self.at(row, at) * other.at(at, column)).sum()
        })
    }

    /// The matrix whose diagonal has the elements of this row, and which is 0 elsewhere.
    pub(super) fn diagonal(&self, extents: [usize; 2]) -> Dense {
        Dense::new(extents, |row, column| {
            let is_set = row == column && row < self.columns;
            if is_set { self.at(0, row) } else { Complex64::from(0.0) }
        })
    }

    /// The product with a power of two.
    pub(super) fn scaled(&self, power: i32) -> Dense {
        Dense::new([self.rows, self.columns], |row, column| {
            let element = self.at(row, column);
            Complex64::new(libm::ldexp(element.re, power), libm::ldexp(element.im, power))
        })
    }

    /// The absolute value of the largest element.
    pub(super) fn size(&self) -> f64 {
        self.elements.iter().map(|element| element.norm()).fold(0.0, f64::max)
    }
}

/// A matrix of small integers, which are complex if `T` is. Sums of their products are exact.
pub(super) fn sample<T: Number>(extents: [usize; 2]) -> Dense {
    Dense::new(extents, |row, column| {
        let re = ((7 * row + 3 * column + 5 * row * column) % 11) as f64 - 5.0;
        let im = ((5 * row + 2 * column + row * column) % 7) as f64 - 3.0;
        Complex64::new(re, if T::IS_REAL { 0.0 } else { im })
    })
}

/// Room for a result, with a number that no result contains: an element that is not written shows.
pub(super) fn unwritten<T: Number>(count: usize) -> Vec<T> {
    vec![T::of(7777.0, 7777.0); count]
}

/// The distance from 1 to the next number.
pub(super) fn epsilon<T: Number>() -> f64 {
    let is_single = T::of(1.0 + f64::EPSILON, 0.0).parts()[0] == 1.0;
    if is_single { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Checks that two matrices differ by no more than rounding does in sums of numbers of this size.
#[track_caller]
pub(super) fn assert_near<T: Number>(found: &Dense, expected: &Dense, size: f64) {
    assert_eq!([found.rows, found.columns], [expected.rows, expected.columns]);
    let tolerance = 32.0 * epsilon::<T>() * (found.rows + found.columns) as f64 * size;
    for (at, (found, expected)) in found.elements.iter().zip(&expected.elements).enumerate() {
        let error = (found - expected).norm();
        assert!(
            error <= tolerance,
            "{}, element {at}: {found} is not {expected}: {error:e} > {tolerance:e}",
            type_name::<T>()
        );
    }
}

/// Checks that all components are NaN.
#[track_caller]
pub(super) fn assert_nan<T: Number>(elements: &[T]) {
    for (at, element) in elements.iter().enumerate() {
        let [re, im] = element.parts();
        assert!(
            re.is_nan() && (T::IS_REAL || im.is_nan()),
            "{}, element {at} of {}: {element:?}",
            type_name::<T>(),
            elements.len()
        );
    }
}

/// Calls a generic function for real numbers in single and complex ones in double precision. Each
/// further dtype would compile the factorisations once more.
macro_rules! for_each_number {
    ($check:ident) => {
        $check::<f32>();
        $check::<num_complex::Complex64>();
    };
}

pub(super) use for_each_number;
