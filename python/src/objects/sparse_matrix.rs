//! The object of a sparse matrix in rows, of which `phalanx.scipy.sparse` makes its classes. Its
//! methods are in `methods`.

use phalanx::sparse::Csr;
use pyo3::prelude::*;

/// A sparse matrix in compressed rows, split by rows over the devices. It does not change, except
/// that writing into its values changes them.
#[pyclass(name = "Rows", module = "phalanx._phalanx.sparse", frozen)]
pub struct SparseMatrix {
    /// The matrix.
    pub matrix: Csr,
}
