//! The methods of sparse matrices.

use crate::convert::{self, dtypes, operand};
use crate::interpreter::errors::{raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::objects::sparse_matrix::SparseMatrix;
use crate::session;
use phalanx::sparse::Csr;
use phalanx::{Argument, Array, DType, Entered, Error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

impl SparseMatrix {
    /// Makes the matrix's mesh current until the returned guard is dropped.
    fn enter_mesh(&self) -> Option<Entered> {
        call_mesh::of_array(self.matrix.values())
    }

    fn wrap(py: Python<'_>, made: Result<Csr, Error>) -> PyResult<SparseMatrix> {
        Ok(SparseMatrix { matrix: made.map_err(|error| raised(py, &error))? })
    }

    /// The product with a vector, or with the columns of a matrix.
    fn product(&self, py: Python<'_>, other: Argument) -> PyResult<Py<PyAny>> {
        let other = convert::as_array(py, other)?;
        Ndarray::wrap(
            py,
            at_line(py, || match other.ndim() {
                1 => self.matrix.matvec(&other),
                _ => self.matrix.matmat(&other),
            }),
        )
    }

    fn scaled(&self, py: Python<'_>, factor: Argument) -> PyResult<Py<PyAny>> {
        let _mesh = self.enter_mesh();
        let scaled = at_line(py, || {
            let values = self.matrix.values().multiply(factor);
            let (starts, columns) = (self.matrix.row_starts(), self.matrix.columns());
            Csr::from_parts(&starts, columns, &values, self.matrix.shape())
        });
        Ok(Py::new(py, SparseMatrix::wrap(py, scaled)?)?.into_any())
    }
}

/// The extents of a matrix.
fn extents(object: &Bound<'_, PyAny>) -> PyResult<[usize; 2]> {
    let found = object.extract::<(usize, usize)>();
    found
        .map(Into::into)
        .map_err(|_| type_error(Mistake::Type, "invalid shape: a matrix has two extents"))
}

/// One more than the largest position. Collective.
fn least_extent(py: Python<'_>, positions: &Array) -> PyResult<usize> {
    if positions.size() == 0 {
        return Err(value_error(
            Mistake::Value,
            "cannot infer dimensions from zero sized index arrays",
        ));
    }
    let largest = at_line(py, || positions.max(()).astype(DType::I64).item::<i64>());
    let largest = largest.map_err(|error| raised(py, &error))?;
    Ok(usize::try_from(largest.saturating_add(1)).unwrap_or(0))
}

/// An array of positions; an empty list gives none.
fn positions(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    let array = convert::array(object, None)?;
    let is_empty = array.size() == 0 && !array.dtype().is_integer();
    Ok(if is_empty { at_line(object.py(), || array.astype(DType::I64)) } else { array })
}

/// The matrix of entries: `(data, (row, column))` or `(data, indices, indptr)`, or an empty one of
/// a shape.
fn of_tuple(
    tuple: &Bound<'_, PyTuple>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<DType>,
) -> PyResult<Csr> {
    let py = tuple.py();
    let given = shape.map(extents).transpose()?;
    let failed = |error: Error| raised(py, &error);
    if let Ok(shape) = extents(tuple.as_any()) {
        let empty = |dtype| phalanx::zeros([0], dtype);
        let made = at_line(py, || {
            let starts = phalanx::zeros([shape[0] + 1], DType::I64);
            let values = empty(dtype.unwrap_or(DType::F64));
            Csr::from_parts(&starts, &empty(DType::I64), &values, shape)
        });
        return made.map_err(failed);
    }
    let item = |place: usize| tuple.get_item(place);
    match tuple.len() {
        2 => {
            let values = convert::array(&item(0)?, dtype)?;
            let places = item(1)?.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            let [rows, columns] = places.as_slice() else {
                let text = "the positions of entries must be a pair (rows, columns)";
                return Err(type_error(Mistake::Type, text));
            };
            let (rows, columns) = (positions(rows)?, positions(columns)?);
            let shape = match given {
                Some(shape) => shape,
                None => [least_extent(py, &rows)?, least_extent(py, &columns)?],
            };
            let made = at_line(py, || Csr::from_triplets(&rows, &columns, &values, shape));
            made.map_err(failed)
        }
        3 => {
            let values = convert::array(&item(0)?, dtype)?;
            let (columns, starts) = (positions(&item(1)?)?, positions(&item(2)?)?);
            let shape = match given {
                Some(shape) => shape,
                None => [starts.size().saturating_sub(1), least_extent(py, &columns)?],
            };
            let made = at_line(py, || Csr::from_parts(&starts, &columns, &values, shape));
            made.map_err(failed)
        }
        _ => Err(value_error(Mistake::Value, "unrecognized csr_matrix constructor usage")),
    }
}

#[pymethods]
impl SparseMatrix {
    #[new]
    #[pyo3(signature = (arg1, shape=None, dtype=None, copy=false))]
    fn new(
        arg1: &Bound<'_, PyAny>,
        shape: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        copy: bool,
    ) -> PyResult<SparseMatrix> {
        // The parts never change, so nothing has to be copied.
        let _ = copy;
        let py = arg1.py();
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects([arg1]);
        let dtype = dtype.map(dtypes::from_python).transpose()?;
        if let Ok(other) = arg1.cast::<SparseMatrix>() {
            return match dtype {
                Some(_) => other.get().astype_to(py, dtype),
                None => Ok(SparseMatrix { matrix: other.get().matrix.clone() }),
            };
        }
        if let Ok(tuple) = arg1.cast::<PyTuple>() {
            return Ok(SparseMatrix { matrix: of_tuple(tuple, shape, dtype)? });
        }
        // A matrix of SciPy.
        if arg1.hasattr("tocsr")? {
            let other = arg1.call_method0("tocsr")?;
            let part = |name: &str| other.getattr(name);
            let parts = (part("data")?, part("indices")?, part("indptr")?).into_pyobject(py)?;
            return Ok(SparseMatrix { matrix: of_tuple(&parts, Some(&part("shape")?), dtype)? });
        }
        let mut dense = convert::array(arg1, dtype)?;
        if dense.ndim() < 2 {
            dense = at_line(py, || dense.reshape([1, -1]));
        }
        if let Some(shape) = shape
            && extents(shape)? != dense.shape()
        {
            return Err(value_error(Mistake::Value, "inconsistent shapes"));
        }
        SparseMatrix::wrap(py, at_line(py, || Csr::from_dense(&dense)))
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.matrix.shape().into()
    }

    #[getter]
    fn ndim(&self) -> usize {
        2
    }

    #[getter]
    fn nnz(&self) -> usize {
        self.matrix.nnz()
    }

    #[getter]
    fn format(&self) -> &'static str {
        "csr"
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtypes::to_python(py, self.matrix.dtype())
    }

    /// The values of the entries, row by row.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, self.matrix.values().clone())
    }

    /// The columns of the entries.
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, self.matrix.columns().clone())
    }

    /// The position of the first entry of each row, followed by the number of entries.
    #[getter]
    fn indptr(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.matrix.row_starts()))
    }

    /// The transposed matrix. Collective.
    #[getter(T)]
    fn transposed(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        let _mesh = self.enter_mesh();
        SparseMatrix::wrap(py, at_line(py, || self.matrix.transpose()))
    }

    /// The transposed matrix.
    ///
    /// Returns
    /// -------
    /// csr_matrix
    ///
    /// Raises
    /// ------
    /// None
    ///     Nothing is raised.
    ///
    /// Notes
    /// -----
    /// Collective: every process calls it.
    fn transpose(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        self.transposed(py)
    }

    /// The matrix with values of another dtype.
    ///
    /// Parameters
    /// ----------
    /// dtype : dtype
    ///     The dtype.
    ///
    /// Returns
    /// -------
    /// csr_matrix
    ///
    /// Raises
    /// ------
    /// TypeError
    ///     The dtype is unknown.
    ///
    /// Notes
    /// -----
    /// Local.
    fn astype(&self, dtype: &Bound<'_, PyAny>) -> PyResult<SparseMatrix> {
        self.astype_to(dtype.py(), Some(dtypes::from_python(dtype)?))
    }

    /// A copy, which shares the entries, because they never change.
    ///
    /// Returns
    /// -------
    /// csr_matrix
    ///
    /// Raises
    /// ------
    /// None
    ///     Nothing is raised.
    ///
    /// Notes
    /// -----
    /// Local.
    fn copy(&self) -> SparseMatrix {
        SparseMatrix { matrix: self.matrix.clone() }
    }

    /// The matrix in compressed sparse row form.
    ///
    /// Returns
    /// -------
    /// csr_matrix
    ///     The matrix itself.
    ///
    /// Raises
    /// ------
    /// None
    ///     Nothing is raised.
    ///
    /// Notes
    /// -----
    /// Local.
    fn tocsr(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The number of entries.
    ///
    /// Returns
    /// -------
    /// int
    ///
    /// Raises
    /// ------
    /// None
    ///     Nothing is raised.
    ///
    /// Notes
    /// -----
    /// Local.
    fn getnnz(&self) -> usize {
        self.matrix.nnz()
    }

    /// The matrix as an array. Collective.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     Shape and dtype of the matrix.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX019: there would be too many elements.
    fn toarray(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let _mesh = self.enter_mesh();
        let dense = at_line(py, || self.matrix.to_dense());
        Ndarray::wrap(py, dense)
    }

    /// The matrix as an array, as `toarray`.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     Shape and dtype of the matrix.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX019: there would be too many elements.
    ///
    /// Notes
    /// -----
    /// Collective: every process calls it.
    fn todense(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.toarray(py)
    }

    /// The product with a vector or with a matrix, or with a number.
    ///
    /// Parameters
    /// ----------
    /// other : array_like or scalar
    ///     A vector, a matrix of columns, or a number.
    ///
    /// Returns
    /// -------
    /// ndarray or csr_matrix
    ///     The product: a csr_matrix if ``other`` is a number, else an ndarray.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX014: the extents do not fit.
    ///
    /// Notes
    /// -----
    /// Local: recorded. Each device receives the elements of the vector that it lacks.
    fn dot(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__mul__(other)
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), self.enter_mesh());
        if other.is_instance_of::<SparseMatrix>() {
            return Err(type_error(
                Mistake::Absent,
                "the product of two sparse matrices is not available",
            ));
        }
        match operand(other)? {
            Some(Argument::Array(other)) => self.product(py, Argument::Array(other)),
            Some(_) => {
                Err(value_error(Mistake::Value, "Scalar operands are not allowed, use '*' instead"))
            }
            None => Ok(py.NotImplemented()),
        }
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), self.enter_mesh());
        let Some(Argument::Array(other)) = operand(other)? else {
            return Ok(py.NotImplemented());
        };
        let found = at_line(py, || {
            let turned = self.matrix.transpose()?;
            match other.ndim() {
                1 => turned.matvec(&other),
                _ => turned.matmat(&other.t()).t(),
            }
            .ok()
            .cloned()
        });
        Ndarray::result(py, found.map_err(|error| raised(py, &error))?)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), self.enter_mesh());
        if other.is_instance_of::<SparseMatrix>() {
            return self.__matmul__(other);
        }
        match operand(other)? {
            Some(Argument::Array(other)) if other.ndim() > 0 => {
                self.product(py, Argument::Array(other))
            }
            Some(number) => self.scaled(py, number),
            None => Ok(py.NotImplemented()),
        }
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let _mesh = self.enter_mesh();
        match operand(other)? {
            Some(Argument::Array(array)) if array.ndim() > 0 => self.__rmatmul__(other),
            Some(number) => self.scaled(other.py(), number),
            None => Ok(other.py().NotImplemented()),
        }
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.scaled(py, Argument::from(-1))
    }

    fn __repr__(&self) -> String {
        let [rows, columns] = self.matrix.shape();
        format!(
            "<Compressed Sparse Row sparse matrix of dtype '{}'\n\twith {} stored elements and \
             shape ({rows}, {columns})>",
            self.matrix.dtype().numpy_name(),
            self.matrix.nnz()
        )
    }
}

impl SparseMatrix {
    fn astype_to(&self, py: Python<'_>, dtype: Option<DType>) -> PyResult<SparseMatrix> {
        let _mesh = self.enter_mesh();
        let made = at_line(py, || {
            let values = match dtype {
                Some(dtype) => self.matrix.values().astype(dtype),
                None => self.matrix.values().clone(),
            };
            let (starts, columns) = (self.matrix.row_starts(), self.matrix.columns());
            Csr::from_parts(&starts, columns, &values, self.matrix.shape())
        });
        SparseMatrix::wrap(py, made)
    }
}
