//! Factorisations of matrices in the last two axes, of dtype f32, f64, c64 or c128. Several results
//! are stored in one array; functions return views of its parts.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// A factorisation of the matrices in the last two axes, or a result computed from one. Leading
/// axes are stacks of matrices. A matrix without the factorisation gives NaN in all elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decomposition {
    /// `(…, n, n) -> (…, n, n)`: the lower triangular `L` with `L Lᴴ = A`, zeros above; the lower
    /// triangle of `A` is read.
    Cholesky,
    /// `(…, n, n), (…, n, k) -> (…, n, k)`: the solution of `A X = B` by LU with partial pivoting.
    Solve,
    /// `(…, n, n) -> (…, n, n)`: the inverse.
    Inverse,
    /// `(…, n, n) -> (…, 3)`: the determinant, its sign (or phase), and the logarithm of its
    /// absolute value; of a singular matrix 0, 0 and -∞.
    Determinant,
    /// `(…, m, n) -> (…, m + n, k)`, `k` the smaller extent, or `m` if complete: above, `Q`; below,
    /// the transpose of `R`. By Householder reflections.
    Qr {
        /// Whether `Q` has all `m` columns.
        complete: bool,
    },
    /// `(…, n, n) -> (…, n + 1, n)`: above, the eigenvectors in columns; below them, the
    /// eigenvalues, ascending. One triangle of the Hermitian matrix is read.
    Eigh {
        /// Whether the lower triangle is read; otherwise the upper one.
        lower: bool,
    },
    /// `(…, n, n) -> (…, n + 1, n)`, complex: above, the eigenvectors in columns, of norm 1 and
    /// with a real largest component; below them, the eigenvalues.
    Eig {
        /// Whether all elements are real, so that eigenvalues are real or pairs of conjugates.
        real: bool,
    },
    /// `(…, m, n) -> (…, m + n + 1, w)`, `k` the smaller extent and `w = k`, or the larger one if
    /// full: `U` in the first `m` rows, the transpose of `Vᴴ` in the next `n`, then the singular
    /// values, descending; all other elements are 0.
    Svd {
        /// Whether `U` and `V` are square.
        full: bool,
    },
}

impl Record for Decomposition {
    fn name(&self) -> &'static str {
        match self {
            Decomposition::Cholesky => "cholesky",
            Decomposition::Solve => "solve",
            Decomposition::Inverse => "inv",
            Decomposition::Determinant => "det",
            Decomposition::Qr { .. } => "qr",
            Decomposition::Eigh { .. } => "eigh",
            Decomposition::Eig { .. } => "eig",
            Decomposition::Svd { .. } => "svd",
        }
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let (shape, dtype) = operands[0];
        let (stack, matrix) = shape.split_at(shape.len() - 2);
        let (m, n) = (matrix[0], matrix[1]);
        let mut shape: Shape = stack.into();
        match self {
            Decomposition::Cholesky | Decomposition::Inverse => shape.extend([m, n]),
            Decomposition::Solve => shape = operands[1].0.into(),
            Decomposition::Determinant => shape.push(3),
            Decomposition::Qr { complete } => {
                shape.extend([m + n, if *complete { m } else { m.min(n) }]);
            }
            Decomposition::Eigh { .. } | Decomposition::Eig { .. } => shape.extend([n + 1, n]),
            Decomposition::Svd { full } => {
                shape.extend([m + n + 1, if *full { m.max(n) } else { m.min(n) }]);
            }
        }
        (shape, dtype)
    }

    /// Stacks may be split, and so may the right-hand sides of `Solve`.
    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let ndim = shapes[0].len();
        let follow = |operand: usize, axis: usize| match self {
            Decomposition::Solve if operand == 1 && axis == ndim - 1 => Follow::Result(axis as u8),
            _ if axis < ndim - 2 => Follow::Result(axis as u8),
            _ => Follow::Whole,
        };
        let axes = |operand: usize| (0..ndim).map(|axis| follow(operand, axis)).collect();
        Rule { operands: (0..shapes.len()).map(axes).collect() }
    }

    /// Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition: the operations that
    /// each method counts, with the vectors.
    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        let matrix = shapes[0].iter().rev().map(|&extent| extent.max(1) as u64);
        let (n, m) = (matrix.clone().next().unwrap_or(1), matrix.clone().nth(1).unwrap_or(1));
        let (more, less) = (m.max(n), m.min(n));
        match self {
            Decomposition::Cholesky => n / 3,
            Decomposition::Solve => {
                let sides = shapes[1][shapes[1].len() - 1].max(1) as u64;
                2 * n * n / (3 * sides) + 2 * n
            }
            Decomposition::Inverse => 2 * n,
            Decomposition::Determinant => 2 * n * n * n / 9,
            Decomposition::Qr { complete } => {
                let columns = if *complete { m } else { less };
                4 * less * less * (more - less / 3) / ((m + n) * columns)
            }
            Decomposition::Eigh { .. } => 9 * n,
            Decomposition::Eig { .. } => 25 * n,
            Decomposition::Svd { full: false } => {
                (6 * more * less + 20 * less * less) / (m + n + 1)
            }
            Decomposition::Svd { full: true } => {
                (4 * more * more * less + 22 * less * less * less) / ((m + n + 1) * more)
            }
        }
    }

    fn work(&self) -> Work {
        match self {
            Decomposition::Eigh { .. } | Decomposition::Eig { .. } | Decomposition::Svd { .. } => {
                Work::Spectrum
            }
            Decomposition::Cholesky
            | Decomposition::Inverse
            | Decomposition::Solve
            | Decomposition::Determinant
            | Decomposition::Qr { .. } => Work::Factors,
        }
    }
}
