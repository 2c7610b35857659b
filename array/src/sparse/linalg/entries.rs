//! Sums over the entries of sparse matrices, from which norms and preconditioners are made.

use crate::array::Array;
use crate::math::select;
use crate::sparse::Csr;
use crate::sparse::sums::sums_at;
use phalanx_graph::{Error, call_site};
use phalanx_ops::Op;

/// The elements of the diagonal, one for each row; 0 beyond the last column.
pub(super) fn diagonal(matrix: &Csr) -> Result<Array, Error> {
    let is_diagonal = matrix.rows().equal(matrix.columns());
    matrix.fold(Op::Add, &select(&is_diagonal, matrix.values(), 0), call_site())
}

/// The sums of the absolute values of each row.
pub(super) fn row_sums(matrix: &Csr) -> Result<Array, Error> {
    matrix.fold(Op::Add, &matrix.values().absolute(), call_site())
}

/// The sums of the absolute values of each column.
pub(super) fn column_sums(matrix: &Csr) -> Result<Array, Error> {
    let sizes = matrix.values().absolute();
    sums_at(matrix.shape()[1], sizes.dtype(), matrix.columns(), &sizes, call_site())
}
