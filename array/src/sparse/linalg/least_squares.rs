//! The least squares problem of GMRES: a Hessenberg matrix that grows by a column a step.

use super::dense::{absolute, rotation};
use num_complex::Complex64;

/// The QR factors of a Hessenberg matrix, and the right-hand side `beta e₁` rotated with them.
/// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), section 6.5.3.
pub(super) struct Hessenberg {
    /// The columns as they were added.
    pub(super) columns: Vec<Vec<Complex64>>,
    triangle: Vec<Vec<Complex64>>,
    rotations: Vec<(f64, Complex64)>,
    right: Vec<Complex64>,
}

impl Hessenberg {
    pub(super) fn new(beta: f64) -> Hessenberg {
        let right = vec![Complex64::from(beta)];
        Hessenberg { columns: Vec::new(), triangle: Vec::new(), rotations: Vec::new(), right }
    }

    /// Adds a column with one element more than there are columns with it. Returns the norm of the
    /// residual.
    pub(super) fn push(&mut self, column: Vec<Complex64>) -> f64 {
        let at = self.columns.len();
        let mut rotated = column.clone();
        for (row, (cosine, sine)) in self.rotations.iter().enumerate() {
            let (upper, lower) = (rotated[row], rotated[row + 1]);
            rotated[row] = upper * cosine + sine * lower;
            rotated[row + 1] = lower * cosine - sine.conj() * upper;
        }
        let (cosine, sine) = rotation(rotated[at], rotated[at + 1]);
        rotated[at] = rotated[at] * cosine + sine * rotated[at + 1];
        rotated.truncate(at + 1);
        let last = self.right[at];
        self.right[at] = last * cosine;
        self.right.push(-sine.conj() * last);
        self.rotations.push((cosine, sine));
        self.triangle.push(rotated);
        self.columns.push(column);
        absolute(self.right[at + 1])
    }

    /// The minimiser. A column that adds nothing has the factor 0.
    pub(super) fn minimiser(&self) -> Vec<Complex64> {
        let count = self.triangle.len();
        let size = |column: &Vec<Complex64>| column.iter().map(|value| absolute(*value)).sum();
        let largest = self.columns.iter().map(size).fold(0.0, f64::max);
        let mut factors = self.right[..count].to_vec();
        for at in (0..count).rev() {
            let pivot = self.triangle[at][at];
            factors[at] = if absolute(pivot) <= f64::EPSILON * largest {
                Complex64::default()
            } else {
                factors[at] / pivot
            };
            for row in 0..at {
                let product = self.triangle[at][row] * factors[at];
                factors[row] -= product;
            }
        }
        factors
    }

    /// The product of the matrix with a vector.
    pub(super) fn times(&self, factors: &[Complex64]) -> Vec<Complex64> {
        let mut product = vec![Complex64::default(); self.columns.len() + 1];
        for (column, factor) in self.columns.iter().zip(factors) {
            for (sum, value) in product.iter_mut().zip(column) {
                *sum += value * factor;
            }
        }
        product
    }

    /// The columns of the triangle.
    pub(super) fn triangle(&self) -> &[Vec<Complex64>] {
        &self.triangle
    }
}
