//! The QR factorisation by Householder reflections with LAPACK's choice of signs, so that `R` has a
//! real diagonal with NumPy's signs.

use super::number::{Number, exponent, matrix};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};

/// Columns whose reflections are applied together.
const PANEL: usize = 32;

/// Reflections `I - V T Vᴴ` of a panel; they do not change the rows before `first`.
struct Reflections<T> {
    first: usize,
    vectors: Mat<T>,
    factor: Mat<T>,
}

/// Writes `Q` and the transpose of `R`.
pub(super) fn factor<T: Number>(a: &[T], [m, n]: [usize; 2], complete: bool, to: &mut [T]) {
    let smaller = m.min(n);
    let width = if complete { m } else { smaller };
    let zero = T::of(0.0, 0.0);
    let power = exponent(a.iter().copied()).unwrap_or(0);
    let mut r = if n == 0 { Mat::zeros(m, 0) } else { matrix(a, n, power) };
    let mut panels = Vec::new();
    for first in (0..smaller).step_by(PANEL) {
        let last = (first + PANEL).min(smaller);
        let panel = reflect(&mut r, first, last);
        let factor = panel.factor.adjoint().to_owned();
        panel.apply(factor, r.as_mut().submatrix_mut(first, last, m - first, n - last));
        panels.push(panel);
    }
    let mut q = Mat::<T>::identity(m, width);
    for panel in panels.iter().rev() {
        let first = panel.first;
        let rest = q.as_mut().submatrix_mut(first, first, m - first, width - first);
        panel.apply(panel.factor.clone(), rest);
    }
    let (upper, lower) = to.split_at_mut(m * width);
    for (at, to) in upper.iter_mut().enumerate() {
        *to = q[(at / width, at % width)];
    }
    for (at, to) in lower.iter_mut().enumerate() {
        let (column, row) = (at / width, at % width);
        let element = if row <= column { r[(row, column)] } else { zero };
        *to = if power == 0 { element } else { element.scaled(power) };
    }
}

impl<T: Number> Reflections<T> {
    /// `to -= V factor Vᴴ to`.
    fn apply(&self, factor: Mat<T>, to: MatMut<'_, T>) {
        let (columns, count) = (to.ncols(), self.factor.nrows());
        if columns == 0 {
            return;
        }
        let (zero, one) = (T::of(0.0, 0.0), T::of(1.0, 0.0));
        let mut to = to;
        let mut products = Mat::full(count, columns, zero);
        matmul(&mut products, Accum::Replace, self.vectors.adjoint(), to.as_ref(), one, Par::Seq);
        let mut weighted = Mat::full(count, columns, zero);
        matmul(&mut weighted, Accum::Replace, &factor, &products, one, Par::Seq);
        matmul(to.as_mut(), Accum::Add, &self.vectors, &weighted, -one, Par::Seq);
    }
}

/// Makes columns of a matrix upper triangular.
fn reflect<T: Number>(a: &mut Mat<T>, first: usize, last: usize) -> Reflections<T> {
    let (rows, count) = (a.nrows() - first, last - first);
    let zero = T::of(0.0, 0.0);
    let mut vectors = Mat::full(rows, count, zero);
    let mut factor = Mat::full(count, count, zero);
    for at in 0..count {
        let column = &mut a.col_as_slice_mut(first + at)[first + at..];
        let (scale, vector) = reflection(column);
        let tail = &mut vectors.col_as_slice_mut(at)[at..];
        tail.copy_from_slice(&vector);
        for other in first + at + 1..last {
            let column = &mut a.col_as_slice_mut(other)[first + at..];
            let weight = scale.conjugate() * inner(&vector, column);
            column.iter_mut().zip(&vector).for_each(|(to, &v)| *to -= weight * v);
        }
        let products = (0..at).map(|before| inner(&vectors.col_as_slice(before)[at..], &vector));
        let products = products.collect::<Vec<T>>();
        for row in 0..at {
            let terms = (row..at).map(|inner| factor[(row, inner)] * products[inner]);
            factor[(row, at)] = -scale * terms.fold(zero, |sum, term| sum + term);
        }
        factor[(at, at)] = scale;
    }
    Reflections { first, vectors, factor }
}

/// The reflection `I - t v vᴴ` whose adjoint zeroes all elements of a vector but the first;
/// LAPACK's `larfg`. Replaces the vector by the reflected one.
fn reflection<T: Number>(vector: &mut [T]) -> (T, Vec<T>) {
    let zero = T::of(0.0, 0.0);
    let [re, im] = vector[0].parts();
    let tail = norm(&vector[1..]);
    let mut reflector = vec![zero; vector.len()];
    reflector[0] = T::of(1.0, 0.0);
    if tail == 0.0 && im == 0.0 {
        return (zero, reflector);
    }
    let left = -re.hypot(im).hypot(tail).copysign(re);
    // A complex division squares the divisor.
    let power = if left.is_finite() && left != 0.0 { libm::ilogb(left) } else { 0 };
    let power = if power.abs() <= T::SAFE_EXPONENT { 0 } else { power };
    let divisor = T::of(libm::ldexp(re - left, -power), libm::ldexp(im, -power));
    for (to, &tail) in reflector[1..].iter_mut().zip(&vector[1..]) {
        *to = if power == 0 { tail / divisor } else { tail.scaled(-power) / divisor };
    }
    vector[1..].fill(zero);
    vector[0] = T::of(left, 0.0);
    (T::of((left - re) / left, -im / left), reflector)
}

/// The Euclidean norm.
fn norm<T: Number>(vector: &[T]) -> f64 {
    let parts = || vector.iter().flat_map(|element| element.parts());
    let squares = parts().map(|part| part * part).sum::<f64>();
    if squares == 0.0 || squares < 1e-280 {
        let largest = parts().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let power = libm::ilogb(largest);
        let scaled = parts().map(|part| libm::ldexp(part, -power));
        return libm::ldexp(scaled.map(|part| part * part).sum::<f64>().sqrt(), power);
    }
    squares.sqrt()
}

/// `aᴴ b`, in four sums.
fn inner<T: Number>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::of(0.0, 0.0); 4];
    let (a_parts, b_parts) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a_parts.remainder().iter().zip(b_parts.remainder());
    for (a, b) in a_parts.zip(b_parts) {
        for lane in 0..4 {
            sums[lane] += a[lane].conjugate() * b[lane];
        }
    }
    let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    rest.fold(sum, |sum, (a, &b)| sum + a.conjugate() * b)
}
