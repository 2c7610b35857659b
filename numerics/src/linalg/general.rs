//! Eigenvalues of general matrices.

use super::number::{Number, exponent};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_cplx, evd_real, evd_scratch};
use faer::{Mat, Par};
use num_complex::Complex64;

/// Writes the eigenvectors and, in the last row, the eigenvalues, computed in double precision.
/// `None` if there are none.
pub(super) fn eig<T: Number>(a: &[T], n: usize, real: bool, to: &mut [T]) -> Option<()> {
    let power = exponent(a.iter().copied())?;
    let element = |row: usize, column: usize| {
        let [real, imaginary] = a[row * n + column].parts();
        let scaled = |part: f64| if power == 0 { part } else { libm::ldexp(part, -power) };
        Complex64::new(scaled(real), scaled(imaginary))
    };
    let (values, mut vectors) = match (n, real) {
        (1, _) => (vec![element(0, 0)], Mat::full(1, 1, Complex64::new(1.0, 0.0))),
        (_, true) => of_real(&Mat::from_fn(n, n, |row, column| element(row, column).re), n)?,
        (_, false) => of_complex(&Mat::from_fn(n, n, element), n)?,
    };
    for column in 0..n {
        normalise(&mut vectors, column);
    }
    for row in 0..n {
        for column in 0..n {
            let component = vectors[(row, column)];
            to[row * n + column] = T::of(component.re, component.im);
        }
    }
    for (value, to) in values.iter().zip(&mut to[n * n..]) {
        *to = T::of(value.re, value.im).scaled(power);
    }
    Some(())
}

/// Eigenvalues, and eigenvectors in columns.
type Pairs = (Vec<Complex64>, Mat<Complex64>);

fn of_real(matrix: &Mat<f64>, n: usize) -> Option<Pairs> {
    let (mut real, mut imaginary) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut parts = Mat::<f64>::zeros(n, n);
    let (left, right) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
    let scratch = evd_scratch::<f64>(n, left, right, Par::Seq, Default::default());
    evd_real(
        matrix.as_ref(),
        real.as_mut(),
        imaginary.as_mut(),
        None,
        Some(parts.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let values: Vec<Complex64> = (0..n).map(|at| Complex64::new(real[at], imaginary[at])).collect();
    // The first of two conjugates has its real parts in one column and the others in the next.
    let mut vectors = Mat::zeros(n, n);
    let mut column = 0;
    while column < n {
        let is_pair = values[column].im != 0.0 && column + 1 < n;
        for row in 0..n {
            let other = if is_pair { parts[(row, column + 1)] } else { 0.0 };
            let component = Complex64::new(parts[(row, column)], other);
            vectors[(row, column)] = component;
            if is_pair {
                vectors[(row, column + 1)] = component.conj();
            }
        }
        column += if is_pair { 2 } else { 1 };
    }
    Some((values, vectors))
}

fn of_complex(matrix: &Mat<Complex64>, n: usize) -> Option<Pairs> {
    let mut values = Diag::<Complex64>::zeros(n);
    let mut vectors = Mat::<Complex64>::zeros(n, n);
    let (left, right) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
    let scratch = evd_scratch::<Complex64>(n, left, right, Par::Seq, Default::default());
    evd_cplx(
        matrix.as_ref(),
        values.as_mut(),
        None,
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    Some(((0..n).map(|at| values[at]).collect(), vectors))
}

/// Scales a vector to norm 1 and a real largest component, as LAPACK does.
fn normalise(vectors: &mut Mat<Complex64>, column: usize) {
    let rows = vectors.nrows();
    // If a matrix has many equal eigenvalues, squares of components may overflow.
    let components = (0..rows).map(|row| vectors[(row, column)]);
    if let Some(power) = exponent(components).filter(|&power| power != 0) {
        for row in 0..rows {
            vectors[(row, column)] = vectors[(row, column)].scaled(-power);
        }
    }
    let (mut largest, mut sum) = (Complex64::new(0.0, 0.0), 0.0);
    let mut is_real = true;
    for row in 0..rows {
        let component = vectors[(row, column)];
        sum += component.norm_sqr();
        is_real &= component.im == 0.0;
        if component.norm_sqr() > largest.norm_sqr() {
            largest = component;
        }
    }
    if sum == 0.0 {
        return;
    }
    let turn = if is_real {
        Complex64::new(1.0 / sum.sqrt(), 0.0)
    } else {
        largest.conj() / (largest.norm() * sum.sqrt())
    };
    for row in 0..rows {
        vectors[(row, column)] *= turn;
        if !is_real && vectors[(row, column)].im.abs() <= f64::EPSILON * 1e-3 {
            vectors[(row, column)].im = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::samples::{Dense, EXTENTS, assert_near, epsilon, sample, unwritten};

    /// The eigenvectors in columns and the eigenvalues in a row.
    fn pairs_of<T: Number>(a: &Dense, real: bool) -> (Dense, Dense) {
        let n = a.rows;
        let mut to = unwritten::<T>((n + 1) * n);
        eig(&a.write::<T>(), n, real, &mut to).expect("a finite matrix has eigenvalues");
        let (vectors, values) = to.split_at(n * n);
        (Dense::read([n, n], vectors), Dense::read([1, n], values))
    }

    #[track_caller]
    fn check_pairs<T: Number>(a: &Dense, vectors: &Dense, values: &Dense) {
        let n = a.rows;
        let weighted = vectors.times(&values.diagonal([n, n]));
        assert_near::<T>(&a.times(vectors), &weighted, a.size());
        // One pair that is found several times would pass the first check.
        let trace: Complex64 = (0..n).map(|at| a.at(at, at)).sum();
        let sum: Complex64 = values.elements.iter().sum();
        assert_near::<T>(&Dense::row(&[sum]), &Dense::row(&[trace]), a.size());
        for column in 0..n {
            let sizes: Vec<f64> = (0..n).map(|row| vectors.at(row, column).norm()).collect();
            let norm = sizes.iter().map(|size| size * size).sum::<f64>().sqrt();
            assert!((norm - 1.0).abs() <= 32.0 * epsilon::<T>(), "{norm} of {vectors:?}");
            let nearly_largest = sizes.iter().copied().fold(0.0, f64::max) * (1.0 - 1e-6);
            // Components of nearly the same size may both count as the largest.
            let mut largest = (0..n).filter(|&row| sizes[row] >= nearly_largest);
            let is_real = |row: usize| vectors.at(row, column).im.abs() <= 4.0 * epsilon::<T>();
            assert!(largest.any(is_real), "column {column} of {vectors:?}");
        }
    }

    /// A matrix with `n` equal eigenvalues and one eigenvector.
    fn jordan_block(n: usize, value: f64) -> Dense {
        Dense::new([n, n], |row, column| {
            let element = if row == column { value } else { 0.0 };
            Complex64::from(if row + 1 == column { 1.0 } else { element })
        })
    }

    #[test]
    fn eigenvectors_have_norm_1_and_a_real_largest_component() {
        fn check<T: Number>() {
            for n in EXTENTS {
                for (a, real) in [
                    (sample::<f64>([n, n]), true),
                    (sample::<f64>([n, n]), false),
                    (sample::<T>([n, n]), false),
                ] {
                    let (vectors, values) = pairs_of::<T>(&a, real);
                    check_pairs::<T>(&a, &vectors, &values);
                }
            }
        }
        check::<Complex64>();
    }

    #[test]
    fn eigenvalues_of_a_real_matrix_are_real_or_pairs_of_conjugates() {
        fn check<T: Number>() {
            let rotation = Dense::real([2, 2], &[0.0, -1.0, 1.0, 0.0]);
            let (vectors, values) = pairs_of::<T>(&rotation, true);
            check_pairs::<T>(&rotation, &vectors, &values);
            assert!(values.elements.iter().all(|value| value.im != 0.0), "{values:?}");
            for a in EXTENTS.map(|n| sample::<f64>([n, n])).iter().chain([&rotation]) {
                let (_, values) = pairs_of::<T>(a, true);
                let has_pair = |value: &Complex64| values.elements.contains(&value.conj());
                assert!(values.elements.iter().all(has_pair), "{values:?}");
            }
        }
        check::<Complex64>();
    }

    #[test]
    fn a_single_element_is_its_own_eigenvalue() {
        fn check<T: Number>() {
            let a = sample::<T>([1, 1]);
            assert_eq!(pairs_of::<T>(&a, false), (Dense::identity(1), a));
        }
        check::<Complex64>();
    }

    #[test]
    fn matrices_with_equal_eigenvalues_have_vectors_of_norm_1() {
        fn check<T: Number>() {
            for n in EXTENTS {
                for a in [
                    Dense::new([n, n], |_, _| Complex64::from(0.0)),
                    Dense::identity(n),
                    jordan_block(n, 0.0),
                    jordan_block(n, 2.0),
                ] {
                    for real in [false, true] {
                        let (vectors, values) = pairs_of::<T>(&a, real);
                        check_pairs::<T>(&a, &vectors, &values);
                    }
                }
            }
        }
        check::<Complex64>();
    }

    /// The components grow with each equal eigenvalue, and their squares overflow from here on.
    #[test]
    fn vectors_of_a_jordan_block_of_twelve_have_norm_1() {
        let a = jordan_block(12, 0.0);
        let (vectors, values) = pairs_of::<Complex64>(&a, true);
        check_pairs::<Complex64>(&a, &vectors, &values);
    }

    #[test]
    fn squares_of_elements_neither_overflow_nor_vanish() {
        fn check<T: Number>() {
            for power in [2 * T::SAFE_EXPONENT, -2 * T::SAFE_EXPONENT] {
                for (a, real) in [(sample::<f64>([3, 3]), true), (sample::<T>([3, 3]), false)] {
                    let (vectors, values) = pairs_of::<T>(&a.scaled(power), real);
                    check_pairs::<T>(&a, &vectors, &values.scaled(-power));
                }
            }
        }
        check::<Complex64>();
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_eigenvalues() {
        fn check<T: Number>() {
            for wrong in [f64::NAN, f64::INFINITY] {
                for (n, elements) in [(1, &[wrong][..]), (2, &[1.0, 0.0, wrong, 1.0])] {
                    let a = Dense::real([n, n], elements).write::<T>();
                    let mut to = unwritten::<T>((n + 1) * n);
                    assert_eq!(eig(&a, n, true, &mut to), None);
                    assert_eq!(eig(&a, n, false, &mut to), None);
                }
            }
        }
        check::<Complex64>();
    }
}
