//! Factors of matrices: they are correct if their product is the matrix and they have their form.

use crate::elements::{epsilon, numbers};
use num_complex::Complex64;
use phalanx::HostArray;

/// The allowed error of factors in units of rounding, for each row.
const UNITS: f64 = 64.0;

/// A matrix on the host.
#[derive(Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    elements: Vec<Complex64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, element: impl Fn(usize, usize) -> Complex64) -> Matrix {
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let elements = all.map(|(row, column)| element(row, column)).collect();
        Matrix { rows, columns, elements }
    }

    fn at(&self, row: usize, column: usize) -> Complex64 {
        self.elements[row * self.columns + column]
    }

    fn identity(size: usize) -> Matrix {
        Matrix::new(size, size, |row, column| Complex64::from(f64::from(u8::from(row == column))))
    }

    fn adjoint(&self) -> Matrix {
        Matrix::new(self.columns, self.rows, |row, column| self.at(column, row).conj())
    }

    /// The first columns.
    fn first_columns(&self, count: usize) -> Matrix {
        Matrix::new(self.rows, count, |row, column| self.at(row, column))
    }

    /// The first rows.
    fn first_rows(&self, count: usize) -> Matrix {
        Matrix::new(count, self.columns, |row, column| self.at(row, column))
    }

    /// The columns scaled by numbers.
    fn scaled(&self, by: &[Complex64]) -> Matrix {
        Matrix::new(self.rows, self.columns, |row, column| self.at(row, column) * by[column])
    }

    fn times(&self, right: &Matrix) -> Matrix {
        Matrix::new(self.rows, right.columns, |row, column| {
            (0..self.columns).map(|at| self.at(row, at) * right.at(at, column)).sum()
        })
    }

    fn largest(&self) -> f64 {
        self.elements.iter().map(|element| element.norm()).fold(0.0, f64::max)
    }

    /// Checks that the two differ by rounding only; the error states the difference.
    fn near(&self, other: &Matrix, unit: f64, what: &str) -> Result<(), String> {
        let differences = self.elements.iter().zip(&other.elements).map(|(a, b)| (a - b).norm());
        let most = differences.fold(0.0, |most: f64, one| if one <= most { most } else { one });
        let size = self.rows.max(self.columns).max(1) as f64;
        let allowed = UNITS * unit * size * other.largest().max(1.0);
        let shapes = (self.rows, self.columns) == (other.rows, other.columns);
        if shapes && most <= allowed { Ok(()) } else { Err(format!("{what} is off by {most:e}")) }
    }

    fn orthonormal_columns(&self, unit: f64, what: &str) -> Result<(), String> {
        self.adjoint().times(self).near(&Matrix::identity(self.columns), unit, what)
    }
}

/// The numbers of an array, a list for each matrix or vector of the stack.
fn stack(host: &HostArray, ndim: usize) -> Vec<Vec<Complex64>> {
    let size: usize = host.shape[host.shape.len() - ndim..].iter().product();
    let all = numbers(host.dtype, &host.bytes).into_iter().map(|number| {
        let [real, imaginary] = number.parts();
        Complex64::new(real, imaginary)
    });
    all.collect::<Vec<_>>().chunks(size.max(1)).map(<[Complex64]>::to_vec).collect()
}

fn matrices(host: &HostArray) -> Vec<Matrix> {
    let [.., rows, columns] = host.shape[..] else { return Vec::new() };
    let elements = stack(host, 2).into_iter();
    elements.map(|elements| Matrix { rows, columns, elements }).collect()
}

/// Checks the factors of a matrix, or of each of a stack: their product and their form.
pub fn check(word: &str, given: &HostArray, factors: &[HostArray]) -> Result<(), String> {
    let unit = factors.iter().map(|factor| epsilon(factor.dtype)).fold(0.0, f64::max);
    let matrices_of = |number: usize| matrices(&factors[number]);
    let vectors_of = |number: usize| stack(&factors[number], 1);
    for (at, matrix) in matrices(given).into_iter().enumerate() {
        match (word, factors.len()) {
            ("qr", 2) => {
                let (q, r) = (&matrices_of(0)[at], &matrices_of(1)[at]);
                q.orthonormal_columns(unit, "q")?;
                q.times(r).near(&matrix, unit, "q @ r")?;
                let upper = Matrix::new(r.rows, r.columns, |row, column| {
                    if row > column { Complex64::ZERO } else { r.at(row, column) }
                });
                r.near(&upper, 0.0, "r below its diagonal")?;
            }
            ("svd", 3) => {
                let (u, s, vh) = (&matrices_of(0)[at], &vectors_of(1)[at], &matrices_of(2)[at]);
                u.orthonormal_columns(unit, "u")?;
                vh.adjoint().orthonormal_columns(unit, "vh")?;
                let scaled = u.first_columns(s.len()).scaled(s);
                scaled.times(&vh.first_rows(s.len())).near(&matrix, unit, "u * s @ vh")?;
            }
            ("eigh" | "eig", 2) => {
                let (values, vectors) = (&vectors_of(0)[at], &matrices_of(1)[at]);
                if word == "eigh" {
                    vectors.orthonormal_columns(unit, "v")?;
                }
                let norms = vectors.adjoint().times(vectors);
                let ones: Vec<Complex64> = (0..norms.rows).map(|at| norms.at(at, at)).collect();
                if ones.iter().any(|norm| (norm.norm() - 1.0).abs() > UNITS * unit) {
                    return Err("eigenvectors are no unit vectors".into());
                }
                matrix.times(vectors).near(&vectors.scaled(values), unit, "a @ v - v * w")?;
            }
            _ => return Err(format!("{word} compares no {} answers", factors.len())),
        }
    }
    Ok(())
}

/// Compares the elements of each vector of a stack in any order.
pub fn unordered(found: &HostArray, expected: &HostArray) -> Result<(), String> {
    let unit = epsilon(found.dtype);
    if found.shape.is_empty() {
        return Err("a scalar has no order".into());
    }
    for (left, mut right) in stack(found, 1).into_iter().zip(stack(expected, 1)) {
        let largest = right.iter().map(|value| value.norm()).fold(1.0, f64::max);
        for value in left {
            let nearest = (0..right.len())
                .min_by(|&a, &b| (right[a] - value).norm().total_cmp(&(right[b] - value).norm()));
            let nearest = nearest.ok_or("too many elements")?;
            let distance = (right.swap_remove(nearest) - value).norm();
            // Eigenvalues of a defective matrix change by a root of a perturbation.
            if distance.is_nan() || distance > unit.powf(0.75) * largest {
                return Err(format!("{value} is {distance:e} from the nearest one expected"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(elements: &[f64], shape: &[usize]) -> HostArray {
        HostArray::from_slice(elements, shape)
    }

    #[test]
    fn wrong_factors_are_refused() {
        let given = host(&[0.0, 2.0, 1.0, 0.0], &[2, 2]);
        let swap = host(&[0.0, 1.0, 1.0, 0.0], &[2, 2]);
        let upper = host(&[1.0, 0.0, 0.0, 2.0], &[2, 2]);
        let one = host(&[1.0, 0.0, 0.0, 1.0], &[2, 2]);
        assert!(check("qr", &given, &[swap.clone(), upper.clone()]).is_ok());
        assert!(check("qr", &given, &[one.clone(), given.clone()]).is_err(), "r is not upper");
        assert!(check("qr", &given, &[given.clone(), one.clone()]).is_err(), "q is not orthogonal");
        assert!(check("qr", &given, &[one.clone(), upper]).is_err(), "another product");
        let values = host(&[2.0, 1.0], &[2]);
        assert!(check("svd", &given, &[one.clone(), values.clone(), swap.clone()]).is_ok());
        assert!(check("svd", &given, &[swap.clone(), values, swap.clone()]).is_err());
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let vectors = host(&[half, half, half, -half], &[2, 2]);
        assert!(check("eigh", &swap, &[host(&[1.0, -1.0], &[2]), vectors.clone()]).is_ok());
        assert!(check("eigh", &swap, &[host(&[-1.0, 1.0], &[2]), vectors]).is_err());
    }

    #[test]
    fn elements_in_another_order_are_the_same() {
        let expected = host(&[1.0, 2.0, 2.0], &[3]);
        assert!(unordered(&host(&[2.0, 1.0, 2.0], &[3]), &expected).is_ok());
        assert!(unordered(&host(&[1.0, 1.0, 2.0], &[3]), &expected).is_err());
    }
}
