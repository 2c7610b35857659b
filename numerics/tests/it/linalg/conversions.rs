//! The elements and their conversions: exponents, matrices and stored results.

use super::number::{Number, exponent, matrix, nan, store};
use super::samples::{assert_nan, for_each_number, unwritten};
use faer::Mat;

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
