//! The solvers for sparse matrices and other linear operators: what
//! `phalanx.scipy.sparse.linalg` calls.

use crate::calls::callback::Callback;
use crate::convert::{self, dtypes};
use crate::interpreter::errors::{Passing, raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::{at_line, here};
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::objects::sparse_matrix::SparseMatrix;
use crate::session::ensure;
use num_complex::Complex64;
use phalanx::linalg::Ord;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{
    self, BlockJacobi, ColumnOrder, Dropping, EigenOptions, FactorOptions, Factorisation,
    Factorised, Function, Jacobi, LeastSquaresOptions, LinearOperator, LobpcgOptions, Multigrid,
    MultigridOptions, Options, Solved, System, Which,
};
use phalanx::{Array, Error};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;

/// An operator of Python: a matrix of `phalanx.scipy.sparse`, an array with two axes, or an object
/// with products.
enum Operator<'py> {
    Sparse(Box<Csr>),
    Dense(Array),
    Made(Bound<'py, Preconditioner>),
    Object(Function<'py>),
}

impl<'py> Operator<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Operator<'py>> {
        if let Some(matrix) = sparse(object)? {
            return Ok(Operator::Sparse(Box::new(matrix)));
        }
        if let Ok(made) = object.cast::<Preconditioner>() {
            return Ok(Operator::Made(made.clone()));
        }
        if object.is_instance_of::<Ndarray>() {
            return Ok(Operator::Dense(convert::array(object, None)?));
        }
        let (rows, columns): (usize, usize) = object.getattr("shape")?.extract()?;
        let dtype = dtypes::from_python(&object.getattr("dtype")?)?;
        let of = product(object, "matvec")?
            .ok_or_else(|| type_error(Mistake::Type, "a linear operator has a method matvec"))?;
        let mut made = Function::new([rows, columns], dtype, of);
        if let Some(adjoint) = product(object, "rmatvec")? {
            made = made.with_adjoint(adjoint);
        }
        if let Some(block) = product(object, "matmat")? {
            made = made.with_block(block);
        }
        Ok(Operator::Object(made))
    }

    fn get(&self) -> &dyn LinearOperator {
        match self {
            Operator::Sparse(matrix) => &**matrix,
            Operator::Dense(array) => array,
            Operator::Made(made) => &*made.get().0,
            Operator::Object(function) => function,
        }
    }
}

/// An approximate inverse of a sparse matrix.
#[pyclass(name = "Preconditioner", module = "phalanx._phalanx.sparse", frozen)]
pub struct Preconditioner(Box<dyn LinearOperator + Send + Sync>);

#[pymethods]
impl Preconditioner {
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.0.shape().into()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtypes::to_python(py, self.0.dtype())
    }

    /// The product with a vector.
    fn matvec(&self, x: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, x) = (x.py(), convert::array(x, None)?);
        let found = at_line(py, || self.0.apply(&x)).map_err(|error| raised(py, &error))?;
        wrapped(py, &found)
    }

    /// The product of the conjugate transpose with a vector.
    fn rmatvec(&self, x: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, x) = (x.py(), convert::array(x, None)?);
        let found = at_line(py, || self.0.apply_adjoint(&x)).map_err(|error| raised(py, &error))?;
        wrapped(py, &found)
    }
}

/// The approximate inverse of a name, and facts of its levels for `multigrid`: the rows of each,
/// and the entries of all divided by those of the first.
#[pyfunction]
fn _preconditioner(
    name: &str,
    matrix: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<(Preconditioner, Vec<usize>, f64)> {
    let py = matrix.py();
    ensure(py)?;
    let given = Given(options);
    let Some(own) = sparse(matrix)? else {
        return Err(type_error(Mistake::Type, "a preconditioner is of a sparse matrix"));
    };
    let error = |error: Error| raised(py, &error);
    let made: Box<dyn LinearOperator + Send + Sync> = match name {
        "jacobi" => Box::new(at_line(py, || Jacobi::new(&own)).map_err(error)?),
        "block_jacobi" => {
            let extent = given.number("extent")?.unwrap_or(1);
            Box::new(at_line(py, || BlockJacobi::new(&own, extent)).map_err(error)?)
        }
        "multigrid" => {
            let mut of = MultigridOptions::default();
            if let Some(strength) = given.number("strength")? {
                of = of.strength(strength);
            }
            if let Some(rows) = given.number("smallest")? {
                of = of.smallest(rows);
            }
            if let Some(levels) = given.number("most_levels")? {
                of = of.most_levels(levels);
            }
            if let Some(sweeps) = given.number("sweeps")? {
                of = of.sweeps(sweeps);
            }
            let made = at_line(py, || Multigrid::new(&own, of)).map_err(error)?;
            let facts = (made.rows(), made.complexity());
            return Ok((Preconditioner(Box::new(made)), facts.0, facts.1));
        }
        _ => return Err(value_error(Mistake::Choice, "an unknown preconditioner")),
    };
    Ok((Preconditioner(made), Vec::new(), 1.0))
}

/// A factorised sparse matrix.
#[pyclass(name = "Factors", module = "phalanx._phalanx.sparse", frozen)]
pub struct Factors(Factorised);

#[pymethods]
impl Factors {
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.0.shape().into()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtypes::to_python(py, self.0.dtype())
    }

    /// What factors on the devices take; `None` for factors on the host.
    #[getter]
    fn fronts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(report) = self.0.fronts() else { return Ok(None) };
        let made = PyDict::new(py);
        made.set_item("fronts", report.fronts)?;
        made.set_item("largest", report.largest)?;
        made.set_item("elements", report.elements)?;
        made.set_item("bytes", report.bytes)?;
        made.set_item("multiplications", report.multiplications)?;
        Ok(Some(made))
    }

    /// The number of entries of both factors.
    #[getter]
    fn nnz(&self, py: Python<'_>) -> PyResult<usize> {
        at_line(py, || self.0.nnz()).map_err(|error| raised(py, &error))
    }

    /// `L`, transposed.
    fn lower_transposed(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        let made = at_line(py, || self.0.lower_transposed());
        Ok(SparseMatrix { matrix: made.map_err(|error| raised(py, &error))? })
    }

    /// `U`, transposed.
    fn upper_transposed(&self, py: Python<'_>) -> PyResult<SparseMatrix> {
        let made = at_line(py, || self.0.upper_transposed());
        Ok(SparseMatrix { matrix: made.map_err(|error| raised(py, &error))? })
    }

    /// Where rows and columns of the matrix stand in the product of the factors.
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let found = at_line(py, || self.0.positions()).map_err(|error| raised(py, &error))?;
        found.iter().map(|array| wrapped(py, array)).collect()
    }

    /// The solution of the system of the matrix, of its transpose `T`, or of its adjoint `H`.
    fn solve(&self, b: &Bound<'_, PyAny>, system: &str) -> PyResult<Py<PyAny>> {
        let (py, b) = (b.py(), convert::array(b, None)?);
        let system = match system {
            "T" => System::Transpose,
            "H" => System::Adjoint,
            _ => System::Matrix,
        };
        let found = at_line(py, || self.0.solve(&b, system)).map_err(|error| raised(py, &error))?;
        wrapped(py, &found)
    }

    /// The inverse as an operator of the solvers.
    fn operator(&self) -> Preconditioner {
        Preconditioner(Box::new(self.0.clone()))
    }
}

/// Factorises a matrix by a method of a name.
#[pyfunction]
fn _factorised(
    name: &str,
    matrix: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Factors> {
    let py = matrix.py();
    ensure(py)?;
    let given = Given(options);
    let Some(own) = sparse(matrix)? else {
        return Err(type_error(Mistake::Type, "a factorised matrix is sparse"));
    };
    let how = match name {
        "ilu0" => Factorisation::Pattern,
        "ic0" => Factorisation::HermitianPattern,
        "fronts" => Factorisation::Fronts,
        "ssor" => Factorisation::Relaxation { factor: given.number("factor")?.unwrap_or(1.0) },
        _ => {
            let mut columns = FactorOptions::default();
            if let Some(order) = given.object("order")? {
                columns.order = match order.extract::<&str>()? {
                    "NATURAL" => ColumnOrder::Natural,
                    "MMD_AT_PLUS_A" => ColumnOrder::OfSum,
                    _ => ColumnOrder::OfProduct,
                };
            }
            if let Some(threshold) = given.number("diagonal_threshold")? {
                columns.diagonal_threshold = threshold;
            }
            if let (Some(threshold), Some(fill)) = (given.number("drop")?, given.number("fill")?) {
                columns.dropping = Some(Dropping { threshold, fill });
            }
            Factorisation::Columns(columns)
        }
    };
    let made = at_line(py, || Factorised::new(&own, how)).map_err(|error| raised(py, &error))?;
    Ok(Factors(made))
}

/// The rows of a matrix of `phalanx.scipy.sparse`; `None` for any other object.
fn sparse(object: &Bound<'_, PyAny>) -> PyResult<Option<Csr>> {
    match object.getattr_opt("_rows")? {
        Some(rows) => {
            let rows = rows.call0()?;
            Ok(Some(rows.cast::<SparseMatrix>()?.get().matrix.clone()))
        }
        None => Ok(None),
    }
}

/// A method of an operator as a product.
fn product<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Option<impl Fn(&Array) -> Result<Array, Error> + 'py>> {
    let Some(method) = object.getattr_opt(name)?.filter(|method| !method.is_none()) else {
        return Ok(None);
    };
    let callback = Callback::new(&method, None, None)?;
    let py = object.py();
    Ok(Some(move |x: &Array| {
        let answer = callback.object(std::slice::from_ref(x), None);
        let array = answer.and_then(|object| convert::array(&object, None));
        array.map_err(|exception| Error::failure(Passing(exception), Some(here(py))))
    }))
}

/// The options of a call, by name.
struct Given<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Given<'_, 'py> {
    fn object(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|object| !object.is_none()))
    }

    fn number<T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
        &self,
        name: &str,
    ) -> PyResult<Option<T>> {
        self.object(name)?.map(|object| object.extract::<T>().map_err(Into::into)).transpose()
    }

    fn array(&self, name: &str) -> PyResult<Option<Array>> {
        self.object(name)?.map(|object| convert::array(&object, None)).transpose()
    }

    fn operator(&self, name: &str) -> PyResult<Option<Operator<'py>>> {
        self.object(name)?.map(|object| Operator::of(&object)).transpose()
    }
}

fn wrapped(py: Python<'_>, array: &Array) -> PyResult<Py<PyAny>> {
    Ndarray::wrap(py, array.clone())
}

/// Solves linear equations by the method of a name.
#[pyfunction]
fn _solve<'py>(
    method: &str,
    operator: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Py<PyAny>, i64, usize, Vec<f64>)> {
    let py = operator.py();
    ensure(py)?;
    let _mesh = call_mesh::of_objects([b]);
    let solver: fn(&dyn LinearOperator, &Array, Options<'_>) -> Result<Solved, Error> = match method
    {
        "cg" => linalg::cg,
        "cgs" => linalg::cgs,
        "bicg" => linalg::bicg,
        "bicgstab" => linalg::bicgstab,
        "gmres" => linalg::gmres,
        "lgmres" => linalg::lgmres,
        "minres" => linalg::minres,
        "qmr" => linalg::qmr,
        "tfqmr" => linalg::tfqmr,
        "gcrotmk" => linalg::gcrotmk,
        _ => return Err(value_error(Mistake::Choice, "an unknown method")),
    };
    let given = Given(options);
    let (matrix, b) = (Operator::of(operator)?, convert::array(b, None)?);
    let (left, right) = (given.operator("M")?, given.operator("M2")?);
    let (mut of_iterate, mut of_residual) = (None, None);
    let on_iterate = given.object("callback")?;
    let on_residual = given.object("residual_callback")?;
    let found = {
        let mut own = Options::default()
            .rtol(given.number("rtol")?.unwrap_or(1e-5))
            .atol(given.number("atol")?.unwrap_or(0.0))
            .maxiter(given.number::<usize>("maxiter")?)
            .restart(given.number::<usize>("restart")?)
            .recycled(given.number::<usize>("recycled")?)
            .truncate_smallest(given.number("truncate_smallest")?.unwrap_or(false))
            .shift(given.number("shift")?.unwrap_or(0.0))
            .pipelined(given.number("pipelined")?.unwrap_or(false))
            .check_every(given.number("check_every")?.unwrap_or(1));
        if let Some(x0) = given.array("x0")? {
            own = own.x0(&x0);
        }
        if let Some(operator) = &left {
            own = own.preconditioner(operator.get());
        }
        if let Some(operator) = &right {
            own = own.right_preconditioner(operator.get());
        }
        if let Some(function) = &on_iterate {
            own = own.on_iterate(|x: &Array| {
                let called = wrapped(py, x).and_then(|x| function.call1((x,)));
                stopped(called, &mut of_iterate)
            });
        }
        if let Some(function) = &on_residual {
            own = own.on_residual(|size: f64| stopped(function.call1((size,)), &mut of_residual));
        }
        at_line(py, || solver(matrix.get(), &b, own))
    };
    if let Some(exception) = of_iterate.or(of_residual) {
        return Err(exception);
    }
    let found = found.map_err(|error| raised(py, &error))?;
    Ok((wrapped(py, &found.x)?, found.info, found.iterations, found.residuals))
}

/// Whether a solver goes on after a call; an exception is kept.
fn stopped(called: PyResult<Bound<'_, PyAny>>, failed: &mut Option<PyErr>) -> ControlFlow<()> {
    match called {
        Ok(_) => ControlFlow::Continue(()),
        Err(exception) => {
            *failed = Some(exception);
            ControlFlow::Break(())
        }
    }
}

/// Solves least squares by the method of a name. Returns the fields of its result.
#[pyfunction]
fn _least_squares<'py>(
    method: &str,
    operator: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = operator.py();
    ensure(py)?;
    let _mesh = call_mesh::of_objects([b]);
    let given = Given(options);
    let (matrix, b) = (Operator::of(operator)?, convert::array(b, None)?);
    let mut own = LeastSquaresOptions::default()
        .maxiter(given.number::<usize>("maxiter")?)
        .variances(given.number("calc_var")?.unwrap_or(false));
    if let Some(damp) = given.number("damp")? {
        own = own.damp(damp);
    }
    if let Some(atol) = given.number("atol")? {
        own = own.atol(atol);
    }
    if let Some(btol) = given.number("btol")? {
        own = own.btol(btol);
    }
    if let Some(conlim) = given.number("conlim")? {
        own = own.conlim(conlim);
    }
    if let Some(x0) = given.array("x0")? {
        own = own.x0(&x0);
    }
    let fields = PyDict::new(py);
    let mut numbers: Vec<(&str, f64)> = Vec::new();
    let error = |error: Error| raised(py, &error);
    match method {
        "lsqr" => {
            let found = at_line(py, || linalg::lsqr(matrix.get(), &b, own)).map_err(error)?;
            fields.set_item("x", wrapped(py, &found.x)?)?;
            fields.set_item("istop", found.istop)?;
            fields.set_item("itn", found.itn)?;
            let var = found.var.as_ref().map(|var| wrapped(py, var)).transpose()?;
            fields.set_item("var", var)?;
            numbers.extend([("r1norm", found.r1norm), ("r2norm", found.r2norm)]);
            numbers.extend([("anorm", found.anorm), ("acond", found.acond)]);
            numbers.extend([("arnorm", found.arnorm), ("xnorm", found.xnorm)]);
        }
        "lsmr" => {
            let found = at_line(py, || linalg::lsmr(matrix.get(), &b, own)).map_err(error)?;
            fields.set_item("x", wrapped(py, &found.x)?)?;
            fields.set_item("istop", found.istop)?;
            fields.set_item("itn", found.itn)?;
            numbers.extend([("normr", found.normr), ("normar", found.normar)]);
            numbers.extend([("norma", found.norma), ("conda", found.conda)]);
            numbers.push(("normx", found.normx));
        }
        _ => return Err(value_error(Mistake::Choice, "an unknown method")),
    }
    for (name, number) in numbers {
        fields.set_item(name, number)?;
    }
    Ok(fields)
}

/// The options of eigenvalue problems, and calls a function with them.
fn with_eigen_options<T>(
    options: &Bound<'_, PyDict>,
    run: impl FnOnce(&EigenOptions<'_>) -> Result<T, Error>,
) -> PyResult<T> {
    let py = options.py();
    let given = Given(options);
    let which = match given.number::<String>("which")?.as_deref() {
        None | Some("LM") => Which::LargestMagnitude,
        Some("SM") => Which::SmallestMagnitude,
        Some("LR" | "LA") => Which::LargestReal,
        Some("SR" | "SA") => Which::SmallestReal,
        Some("LI") => Which::LargestImaginary,
        Some("SI") => Which::SmallestImaginary,
        Some("BE") => Which::BothEnds,
        Some(_) => return Err(value_error(Mistake::Choice, "which: an unknown choice")),
    };
    let mut own = EigenOptions::default()
        .which(which)
        .ncv(given.number::<usize>("ncv")?)
        .tol(given.number("tol")?.unwrap_or(0.0))
        .maxiter(given.number::<usize>("maxiter")?);
    if let Some(v0) = given.array("v0")? {
        own = own.v0(&v0);
    }
    let inverse = given.operator("inverse")?;
    if let (Some(inverse), Some(sigma)) = (&inverse, given.number::<Complex64>("sigma")?) {
        own = own.sigma(sigma, inverse.get());
    }
    at_line(py, || run(&own)).map_err(|error| raised(py, &error))
}

/// Eigenvalues and eigenvectors, and how many have converged.
#[pyfunction]
fn _eigen<'py>(
    method: &str,
    operator: &Bound<'py, PyAny>,
    k: usize,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Py<PyAny>, Py<PyAny>, usize)> {
    let py = operator.py();
    ensure(py)?;
    let matrix = Operator::of(operator)?;
    let found = with_eigen_options(options, |own| match method {
        "eigsh" => linalg::eigsh(matrix.get(), k, own),
        _ => linalg::eigs(matrix.get(), k, own),
    })?;
    let (values, vectors) = (wrapped(py, &found.eigenvalues)?, wrapped(py, &found.eigenvectors)?);
    Ok((values, vectors, found.converged))
}

/// Singular triplets.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple of Python")]
fn _svds<'py>(
    operator: &Bound<'py, PyAny>,
    k: usize,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Py<PyAny>, Py<PyAny>, Py<PyAny>, usize)> {
    let py = operator.py();
    ensure(py)?;
    let matrix = Operator::of(operator)?;
    let found = with_eigen_options(options, |own| linalg::svds(matrix.get(), k, own))?;
    let [u, s, vh] = [&found.u, &found.s, &found.vh].map(|array| wrapped(py, array));
    Ok((u?, s?, vh?, found.converged))
}

/// Eigenpairs by the block method, and the histories of eigenvalues and residuals.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple of Python")]
fn _lobpcg<'py>(
    operator: &Bound<'py, PyAny>,
    start: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Py<PyAny>, Py<PyAny>, Vec<Vec<f64>>, Vec<Vec<f64>>)> {
    let py = operator.py();
    ensure(py)?;
    let _mesh = call_mesh::of_objects([start]);
    let given = Given(options);
    let (matrix, start) = (Operator::of(operator)?, convert::array(start, None)?);
    let (mass, preconditioner) = (given.operator("B")?, given.operator("M")?);
    let mut own = LobpcgOptions::default()
        .tol(given.number::<f64>("tol")?)
        .largest(given.number("largest")?.unwrap_or(true));
    if let Some(maxiter) = given.number("maxiter")? {
        own = own.maxiter(maxiter);
    }
    if let Some(mass) = &mass {
        own = own.mass(mass.get());
    }
    if let Some(preconditioner) = &preconditioner {
        own = own.preconditioner(preconditioner.get());
    }
    if let Some(constraints) = given.array("Y")? {
        own = own.constraints(&constraints);
    }
    let found = at_line(py, || linalg::lobpcg(matrix.get(), &start, &own));
    let found = found.map_err(|error| raised(py, &error))?;
    let (values, vectors) = (wrapped(py, &found.eigenvalues)?, wrapped(py, &found.eigenvectors)?);
    Ok((values, vectors, found.eigenvalue_history, found.residual_history))
}

/// The product of the exponential of an operator, or of its multiples from `start` to `stop`.
#[pyfunction]
fn _expm_multiply<'py>(
    operator: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Py<PyAny>> {
    let py = operator.py();
    ensure(py)?;
    let _mesh = call_mesh::of_objects([b]);
    let given = Given(options);
    let (matrix, b) = (Operator::of(operator)?, convert::array(b, None)?);
    let found = match (given.number::<f64>("start")?, given.number::<f64>("stop")?) {
        (Some(start), Some(stop)) => {
            let num = given.number("num")?.unwrap_or(50);
            at_line(py, || linalg::expm_multiply_range(matrix.get(), &b, [start, stop], num))
        }
        _ => at_line(py, || linalg::expm_multiply(matrix.get(), &b, 1.0)),
    };
    wrapped(py, &found.map_err(|error| raised(py, &error))?)
}

/// An estimate of the 1-norm, the vector that attains it, and its product.
#[pyfunction]
fn _onenormest(
    operator: &Bound<'_, PyAny>,
    t: usize,
    itmax: usize,
) -> PyResult<(f64, Py<PyAny>, Py<PyAny>)> {
    let py = operator.py();
    ensure(py)?;
    let matrix = Operator::of(operator)?;
    let found = at_line(py, || linalg::onenormest(matrix.get(), t, itmax));
    let found = found.map_err(|error| raised(py, &error))?;
    Ok((found.norm, wrapped(py, &found.v)?, wrapped(py, &found.w)?))
}

/// The norm of a sparse matrix.
#[pyfunction]
#[pyo3(signature = (matrix, ord=None))]
fn _sparse_norm(matrix: &Bound<'_, PyAny>, ord: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
    let py = matrix.py();
    ensure(py)?;
    let Some(own) = sparse(matrix)? else {
        return Err(type_error(Mistake::Type, "norm: the matrix is not sparse"));
    };
    let ord = match ord.filter(|ord| !ord.is_none()) {
        None => Ord::Default,
        Some(ord) if ord.extract::<String>().is_ok_and(|name| name == "fro") => Ord::Frobenius,
        Some(ord) => match ord.extract::<f64>()? {
            f64::INFINITY => Ord::Infinity,
            f64::NEG_INFINITY => Ord::MinusInfinity,
            p => Ord::P(p),
        },
    };
    let found = at_line(py, || linalg::norm(&own, ord)).map_err(|error| raised(py, &error))?;
    wrapped(py, &found)
}

/// Adds these functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Preconditioner>()?;
    module.add_class::<Factors>()?;
    module.add_function(wrap_pyfunction!(_preconditioner, module)?)?;
    module.add_function(wrap_pyfunction!(_factorised, module)?)?;
    module.add_function(wrap_pyfunction!(_solve, module)?)?;
    module.add_function(wrap_pyfunction!(_least_squares, module)?)?;
    module.add_function(wrap_pyfunction!(_eigen, module)?)?;
    module.add_function(wrap_pyfunction!(_svds, module)?)?;
    module.add_function(wrap_pyfunction!(_lobpcg, module)?)?;
    module.add_function(wrap_pyfunction!(_expm_multiply, module)?)?;
    module.add_function(wrap_pyfunction!(_onenormest, module)?)?;
    module.add_function(wrap_pyfunction!(_sparse_norm, module)?)
}
