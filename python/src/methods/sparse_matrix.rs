//! The methods of sparse matrices in rows.

use crate::convert::{self, dtypes};
use crate::interpreter::errors::{raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::objects::sparse_matrix::SparseMatrix;
use crate::session;
use phalanx::sparse::{Csr, Semiring};
use phalanx::{Array, Entered, Error, Op};
use pyo3::prelude::*;

impl SparseMatrix {
    /// Makes the matrix's mesh current until the returned guard is dropped.
    fn enter_mesh(&self) -> Option<Entered> {
        call_mesh::of_array(self.matrix.values())
    }

    fn wrap(py: Python<'_>, made: Result<Csr, Error>) -> PyResult<SparseMatrix> {
        Ok(SparseMatrix { matrix: made.map_err(|error| raised(py, &error))? })
    }

    /// The matrix that a call makes of this one.
    fn made(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&Csr) -> Result<Csr, Error>,
    ) -> PyResult<SparseMatrix> {
        let _mesh = self.enter_mesh();
        SparseMatrix::wrap(py, at_line(py, || make(&self.matrix)))
    }

    /// The array that a call makes of this one.
    fn array(&self, py: Python<'_>, make: impl FnOnce(&Csr) -> Array) -> PyResult<Py<PyAny>> {
        let _mesh = self.enter_mesh();
        Ndarray::wrap(py, at_line(py, || make(&self.matrix)))
    }
}

/// The extents of a matrix.
fn extents(object: &Bound<'_, PyAny>) -> PyResult<[usize; 2]> {
    let found = object.extract::<(usize, usize)>();
    found
        .map(Into::into)
        .map_err(|_| type_error(Mistake::Type, "invalid shape: a matrix has two extents"))
}

fn array(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    convert::array(object, None)
}

/// The semiring of a name.
fn named(name: &str) -> PyResult<Semiring> {
    Semiring::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Semiring::ALL.iter().map(|semiring| semiring.name()).collect();
        let text = format!("semiring must be one of {}, not {name:?}", names.join(", "));
        value_error(Mistake::Choice, text)
    })
}

#[pymethods]
impl SparseMatrix {
    /// The matrix with these starts of rows, columns and values.
    #[staticmethod]
    fn from_parts(
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
    ) -> PyResult<SparseMatrix> {
        let py = data.py();
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects([data, indices, indptr]);
        let (starts, columns, values) = (array(indptr)?, array(indices)?, array(data)?);
        let shape = extents(shape)?;
        let made = at_line(py, || Csr::from_parts(&starts, &columns, &values, shape));
        SparseMatrix::wrap(py, made)
    }

    /// The matrix with values at rows and columns.
    #[staticmethod]
    #[pyo3(signature = (row, col, data, shape, is_summed=true))]
    fn from_triplets(
        row: &Bound<'_, PyAny>,
        col: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
        is_summed: bool,
    ) -> PyResult<SparseMatrix> {
        let py = data.py();
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects([data, row, col]);
        let (rows, columns, values) = (array(row)?, array(col)?, array(data)?);
        let shape = extents(shape)?;
        let made = at_line(py, || {
            let made = Csr::from_triplets(&rows, &columns, &values, shape)?;
            if is_summed { made.summed() } else { made.sorted() }
        });
        SparseMatrix::wrap(py, made)
    }

    /// The matrix of the elements of an array that are not zero.
    #[staticmethod]
    fn from_dense(dense: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        let py = dense.py();
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects([dense]);
        let dense = array(dense)?;
        SparseMatrix::wrap(py, at_line(py, || Csr::from_dense(&dense)))
    }

    /// The matrix without entries.
    #[staticmethod]
    fn zeros(shape: &Bound<'_, PyAny>, dtype: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        let py = shape.py();
        session::ensure(py)?;
        let (shape, dtype) = (extents(shape)?, dtypes::from_python(dtype)?);
        SparseMatrix::wrap(py, at_line(py, || Csr::zeros(shape, dtype)))
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.matrix.shape().into()
    }

    #[getter]
    fn nnz(&self) -> usize {
        self.matrix.nnz()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtypes::to_python(py, self.matrix.dtype())
    }

    /// The values of the entries, row by row.
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, self.matrix.values().clone())
    }

    /// The columns of the entries.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, self.matrix.columns().clone())
    }

    /// The position of the first entry of each row, followed by the number of entries.
    fn row_starts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, Csr::row_starts)
    }

    /// The row of each entry.
    fn rows(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, Csr::rows)
    }

    /// The matrix with other values of its entries.
    fn with_values(&self, values: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        let (py, values) = (values.py(), array(values)?);
        self.made(py, |matrix| matrix.with_values(&values))
    }

    /// The transposed matrix.
    fn transpose(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        self.made(py, Csr::transpose)
    }

    /// The matrix as an array.
    fn to_dense(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.array(py, Csr::to_dense)
    }

    /// The matrix with the entries of each row sorted by their columns.
    fn sorted(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        self.made(py, Csr::sorted)
    }

    /// The matrix with sorted entries and without duplicates.
    fn summed(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        self.made(py, Csr::summed)
    }

    /// Whether the columns of each row never fall.
    fn is_sorted(&self, py: Python<'_>) -> PyResult<bool> {
        let _mesh = self.enter_mesh();
        at_line(py, || self.matrix.is_sorted()).map_err(|error| raised(py, &error))
    }

    /// Whether the columns of each row rise.
    fn is_canonical(&self, py: Python<'_>) -> PyResult<bool> {
        let _mesh = self.enter_mesh();
        at_line(py, || self.matrix.is_canonical()).map_err(|error| raised(py, &error))
    }

    /// The entries for which a mask holds.
    fn kept(&self, mask: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        let (py, mask) = (mask.py(), array(mask)?);
        self.made(py, |matrix| matrix.kept(&mask))
    }

    /// The product with a vector or with a matrix over the semiring of a name.
    #[pyo3(signature = (other, semiring="plus_times"))]
    fn dot(&self, other: &Bound<'_, PyAny>, semiring: &str) -> PyResult<Py<PyAny>> {
        let (py, semiring) = (other.py(), named(semiring)?);
        let other = array(other)?;
        self.array(py, |matrix| matrix.dot_over(&other, semiring))
    }

    /// The product of two arrays at the entries, times the values.
    fn sampled_product(
        &self,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<SparseMatrix> {
        let (py, x, y) = (x.py(), array(x)?, array(y)?);
        self.made(py, |matrix| matrix.sampled_product(&x, &y))
    }

    /// The matrix with about as many entries on each device.
    fn balanced(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        self.made(py, Csr::balanced)
    }

    /// The product with a sparse matrix over the semiring of a name.
    #[pyo3(signature = (other, semiring="plus_times"))]
    fn matmul(
        &self,
        py: Python<'_>,
        other: &SparseMatrix,
        semiring: &str,
    ) -> PyResult<SparseMatrix> {
        let semiring = named(semiring)?;
        self.made(py, |matrix| matrix.matmul_over(&other.matrix, semiring))
    }

    /// The places at which either matrix has an entry.
    fn union(&self, py: Python<'_>, other: &SparseMatrix) -> PyResult<SparseMatrix> {
        self.made(py, |matrix| matrix.union(&other.matrix))
    }

    /// The values of this matrix at the entries of another one.
    fn align(&self, py: Python<'_>, pattern: &SparseMatrix) -> PyResult<Py<PyAny>> {
        self.array(py, |matrix| matrix.align(&pattern.matrix))
    }

    /// The rows at positions.
    fn take_rows(&self, positions: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        let (py, positions) = (positions.py(), array(positions)?);
        self.made(py, |matrix| matrix.take_rows(&positions))
    }

    /// The columns at positions.
    fn take_columns(&self, positions: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        let (py, positions) = (positions.py(), array(positions)?);
        self.made(py, |matrix| matrix.take_columns(&positions))
    }

    /// Neighbouring rows.
    fn slice_rows(&self, py: Python<'_>, start: usize, stop: usize) -> PyResult<SparseMatrix> {
        self.made(py, |matrix| matrix.slice_rows(start..stop.max(start)))
    }

    /// The elements of each row or column combined, or the numbers of their entries.
    fn reduce(&self, py: Python<'_>, name: &str, axis: i64) -> PyResult<Py<PyAny>> {
        let op = match name {
            "add" => Op::Add,
            "maximum" => Op::Maximum,
            "minimum" => Op::Minimum,
            "fmax" => Op::Fmax,
            "fmin" => Op::Fmin,
            "count" => return self.array(py, |matrix| matrix.counts(axis)),
            _ => return Err(value_error(Mistake::Choice, "reduce: an unknown combination")),
        };
        self.array(py, |matrix| matrix.reduce(op, axis))
    }

    /// The elements of a diagonal.
    #[pyo3(signature = (k=0))]
    fn diagonal(&self, py: Python<'_>, k: i64) -> PyResult<Py<PyAny>> {
        self.array(py, |matrix| matrix.diagonal(k))
    }
}
