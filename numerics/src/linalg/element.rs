//! The elements whose matrices can be factorised, and the method for each factorisation.

use super::number::{Number, nan};
use super::{cholesky, general, lu, qr, spectral};
use num_complex::{Complex32, Complex64};
use phalanx_ops::structured::Decomposition;

/// The elements of a matrix that can be factorised.
pub trait Element: Copy + Send + Sync + 'static {
    /// Factorises a matrix in C order, with the given rows and columns, as `decomposition` says.
    /// `to` has the layout of the operation's result. `right` holds the right-hand sides of a
    /// system in C order; it is empty for other operations.
    ///
    /// A matrix that has no such factorisation gives NaN. Panics if lengths do not fit.
    fn factorise(
        decomposition: Decomposition,
        a: &[Self],
        extents: [usize; 2],
        right: &[Self],
        to: &mut [Self],
    );

    /// Replaces a matrix in C order, with so many columns, by both of its triangular factors; the
    /// diagonal is that of the upper one. Returns the order of its rows. Meant for few columns.
    ///
    /// A column without a pivot stays. Source: G. H. Golub, C. F. Van Loan, "Matrix Computations",
    /// 4th edition, algorithm 3.4.1.
    fn eliminate(a: &mut [Self], width: usize) -> Vec<usize>;
}

macro_rules! elements {
    ($($type:ty)*) => {
        $(impl Element for $type {
            fn factorise(
                decomposition: Decomposition,
                a: &[Self],
                extents: [usize; 2],
                right: &[Self],
                to: &mut [Self],
            ) {
                factorise(decomposition, a, extents, right, to);
            }

            fn eliminate(a: &mut [Self], width: usize) -> Vec<usize> {
                lu::eliminated(a, width)
            }
        })*
    };
}

elements! { f32 f64 Complex32 Complex64 }

fn factorise<T: Number>(
    decomposition: Decomposition,
    a: &[T],
    [m, n]: [usize; 2],
    right: &[T],
    to: &mut [T],
) {
    let none = nan();
    match decomposition {
        Decomposition::Cholesky => cholesky::factor(a, n, to),
        Decomposition::Solve => lu::solve(a, n, right, to),
        Decomposition::Inverse => lu::inverse(a, n, to),
        Decomposition::Determinant => lu::determinant(a, n, to),
        Decomposition::Qr { complete } => qr::factor(a, [m, n], complete, to),
        Decomposition::Eigh { lower } => {
            spectral::eigh(a, n, lower, to).unwrap_or_else(|| to.fill(none));
        }
        Decomposition::Eig { real } => {
            general::eig(a, n, real, to).unwrap_or_else(|| to.fill(none));
        }
        Decomposition::Svd { full } => {
            spectral::svd(a, [m, n], full, to).unwrap_or_else(|| to.fill(none));
        }
    }
}
