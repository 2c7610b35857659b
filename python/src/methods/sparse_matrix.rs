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

    fn product(&self, py: Python<'_>, other: &Array) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.matrix.dot(other)))
    }

    fn scaled(&self, py: Python<'_>, factor: Argument) -> PyResult<Py<PyAny>> {
        let _mesh = self.enter_mesh();
        let scaled = at_line(py, || self.matrix.scale(factor));
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

/// The matrix of entries: `(data, (row, column))` or `(data, indices, indptr)`, or an empty one of
/// a shape.
fn of_tuple(
    tuple: &Bound<'_, PyTuple>,
    shape: Option<&Bound<'_, PyAny>>,
    dtype: Option<DType>,
) -> PyResult<SparseMatrix> {
    let py = tuple.py();
    let given = shape.map(extents).transpose()?;
    if let Ok(shape) = extents(tuple.as_any()) {
        let made = at_line(py, || Csr::zeros(shape, dtype.unwrap_or(DType::F64)));
        return SparseMatrix::wrap(py, made);
    }
    let array = |object: &Bound<'_, PyAny>| convert::array(object, None);
    let values = || convert::array(&tuple.get_item(0)?, dtype);
    let made = match tuple.len() {
        2 => {
            let values = values()?;
            let places = tuple.get_item(1)?.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            let [rows, columns] = places.as_slice() else {
                let text = "the positions of entries must be a pair (rows, columns)";
                return Err(type_error(Mistake::Type, text));
            };
            let (rows, columns) = (array(rows)?, array(columns)?);
            at_line(py, || Csr::from_triplets(&rows, &columns, &values, given))
        }
        3 => {
            let values = values()?;
            let (columns, starts) = (array(&tuple.get_item(1)?)?, array(&tuple.get_item(2)?)?);
            at_line(py, || Csr::from_parts(&starts, &columns, &values, given))
        }
        _ => {
            let text = "unrecognized csr_matrix constructor usage";
            return Err(value_error(Mistake::Value, text));
        }
    };
    SparseMatrix::wrap(py, made)
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
                Some(dtype) => other.get().astype_to(py, dtype),
                None => Ok(SparseMatrix { matrix: other.get().matrix.clone() }),
            };
        }
        if let Ok(tuple) = arg1.cast::<PyTuple>() {
            return of_tuple(tuple, shape, dtype);
        }
        // A matrix of SciPy.
        if arg1.hasattr("tocsr")? {
            let other = arg1.call_method0("tocsr")?;
            let part = |name: &str| other.getattr(name);
            let parts = (part("data")?, part("indices")?, part("indptr")?).into_pyobject(py)?;
            return of_tuple(&parts, Some(&part("shape")?), dtype);
        }
        let dense = convert::array(arg1, dtype)?;
        let made = SparseMatrix::wrap(py, at_line(py, || Csr::from_dense(&dense)))?;
        match shape {
            Some(shape) if extents(shape)? != made.matrix.shape() => {
                Err(value_error(Mistake::Value, "inconsistent shapes"))
            }
            _ => Ok(made),
        }
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
        self.astype_to(dtype.py(), dtypes::from_python(dtype)?)
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
            Some(Argument::Array(other)) => self.product(py, &other),
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
        Ndarray::result(py, at_line(py, || self.matrix.dot_from_left(&other)))
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (other.py(), self.enter_mesh());
        if other.is_instance_of::<SparseMatrix>() {
            return self.__matmul__(other);
        }
        match operand(other)? {
            Some(Argument::Array(other)) if other.ndim() > 0 => self.product(py, &other),
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
    fn astype_to(&self, py: Python<'_>, dtype: DType) -> PyResult<SparseMatrix> {
        let _mesh = self.enter_mesh();
        SparseMatrix::wrap(py, at_line(py, || self.matrix.astype(dtype)))
    }
}
