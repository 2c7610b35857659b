//! The object of a sparse matrix: SciPy's `csr_matrix`. Its methods are in `methods`.

use phalanx::sparse::Csr;
use pyo3::prelude::*;

/// A sparse matrix in compressed sparse row form, split by rows over the devices.
#[pyclass(name = "csr_matrix", module = "phalanx.scipy.sparse", frozen)]
pub struct SparseMatrix {
    /// The matrix.
    pub matrix: Csr,
}
