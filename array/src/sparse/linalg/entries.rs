//! Sums over the entries of sparse matrices, from which norms and preconditioners are made.

use crate::array::{Argument, Array};
use crate::creation::{ones, zeros};
use crate::indexing::{AnyIndex, combine_at};
use crate::math::select;
use crate::sparse::Csr;
use phalanx_graph::{Error, call_site};
use phalanx_ops::{DType, Op};

/// The sums of the rows of a matrix with these values in place of its own.
fn sums_of_rows(matrix: &Csr, values: Array) -> Result<Array, Error> {
    let dtype = values.dtype();
    let all = matrix.values().mesh()?.enter(|| ones([matrix.shape()[1]], dtype));
    matrix.of_values(values).matvec(&all).into_result()
}

/// The elements of the diagonal, one for each row; 0 beyond the last column.
pub(super) fn diagonal(matrix: &Csr) -> Result<Array, Error> {
    let is_diagonal = matrix.rows().equal(matrix.columns());
    sums_of_rows(matrix, select(&is_diagonal, matrix.values(), 0))
}

/// The sums of the absolute values of each row.
pub(super) fn row_sums(matrix: &Csr) -> Result<Array, Error> {
    sums_of_rows(matrix, matrix.values().absolute())
}

/// The sums of the absolute values of each column.
pub(super) fn column_sums(matrix: &Csr) -> Result<Array, Error> {
    let sizes = matrix.values().absolute();
    added([matrix.shape()[1]], matrix.columns(), &sizes)
}

/// Zeros to which values are added at positions.
pub(super) fn added<const N: usize>(
    shape: [usize; N],
    positions: &Array,
    values: &Array,
) -> Result<Array, Error> {
    let size = shape.iter().product::<usize>();
    let sums = values.mesh()?.enter(|| zeros([size], values.dtype()));
    let items = [AnyIndex::Array(positions.astype(DType::I64))];
    combine_at(Op::Add, &sums, &items, Some(&Argument::from(values)), call_site())?;
    sums.reshape(shape).into_result()
}
