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
    replace_overflown(&mut vectors, &values, element);
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

/// Replaces the eigenvectors that are not finite. faer's back substitution does not scale, so it
/// overflows where many equal eigenvalues follow each other in a triangular matrix.
fn replace_overflown(
    vectors: &mut Mat<Complex64>,
    values: &[Complex64],
    element: impl Fn(usize, usize) -> Complex64,
) {
    let n = values.len();
    // Equal eigenvalues have one vector, so that it is computed once.
    let mut last: Option<(Complex64, Vec<Complex64>)> = None;
    for column in 0..n {
        if (0..n).all(|row| vectors[(row, column)].is_finite()) {
            continue;
        }
        let value = values[column];
        let vector = match last.take() {
            Some((known, vector)) if known == value => vector,
            _ => null_vector(n, |row, column| {
                let shift = if row == column { value } else { Complex64::ZERO };
                element(row, column) - shift
            }),
        };
        for (row, component) in vector.iter().enumerate() {
            vectors[(row, column)] = *component;
        }
        last = Some((value, vector));
    }
}

/// A vector that a singular matrix, whose elements are about 1 at most, maps nearly to zero: one
/// step of inverse iteration. As in LAPACK's `dlaein`, pivots of zero are replaced and the vector
/// is scaled during the back substitution.
fn null_vector(n: usize, element: impl Fn(usize, usize) -> Complex64) -> Vec<Complex64> {
    // Its square, by which complex numbers are divided, is not zero.
    const LEAST: f64 = 1e-150;
    let mut rows: Vec<Vec<Complex64>> =
        (0..n).map(|row| (0..n).map(|column| element(row, column)).collect()).collect();
    for at in 0..n {
        let size = |row: &usize| rows[*row][at].l1_norm();
        let pivot = (at..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(at);
        rows.swap(at, pivot);
        let (above, below) = rows.split_at_mut(at + 1);
        let top = &mut above[at];
        if top[at].l1_norm() < LEAST {
            top[at] = Complex64::new(LEAST, 0.0);
        }
        for row in below {
            let factor = row[at] / top[at];
            for column in at + 1..n {
                row[column] -= factor * top[column];
            }
        }
    }
    let mut vector = vec![Complex64::new(1.0, 0.0); n];
    for at in (0..n).rev() {
        let known: Complex64 = (at + 1..n).map(|column| rows[at][column] * vector[column]).sum();
        vector[at] = (vector[at] - known) / rows[at][at];
        let size = vector[at].l1_norm();
        if size > 1.0 {
            vector.iter_mut().for_each(|component| *component = component.unscale(size));
        }
    }
    vector
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
