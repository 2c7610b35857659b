//! Functions of the module: rows of a table as callable objects.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::documentation;
use crate::calls::overrides;
use crate::calls::signature::Signature;
use crate::interpreter::site::at_line;
use crate::objects::elements::Elements;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass;
use crate::records;
use crate::session;
use crate::session::notices::settle;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::OnceLock;

/// How classes of arguments override a function, as in NumPy.
#[derive(Clone, Copy)]
enum Overridden {
    /// Not at all.
    Never,
    /// By `__array_function__` of the argument `like`.
    ByLike,
    /// By `__array_function__` of any argument.
    ByArguments,
    /// By `__array_ufunc__` of the two operands.
    AsUfunc,
}

/// Functions that NumPy has as ufuncs of two operands, with the dimensions of their cores.
const UFUNCS: &[(&str, &str)] = &[
    ("matmul", "(n?,k),(k,m?)->(n?,m?)"),
    ("matvec", "(m,n),(n)->(m)"),
    ("vecdot", "(n),(n)->()"),
    ("vecmat", "(n),(n,m)->(m)"),
];

/// Functions of NumPy that no class overrides, apart from those with the parameter `like`.
const NOT_OVERRIDDEN: &[&str] = &[
    "asarray_chkfinite",
    "bartlett",
    "base_repr",
    "binary_repr",
    "blackman",
    "broadcast_shapes",
    "diag_indices",
    "fftfreq",
    "finfo",
    "format_float_positional",
    "format_float_scientific",
    "get_printoptions",
    "hamming",
    "hanning",
    "iinfo",
    "indices",
    "isdtype",
    "isfortran",
    "isscalar",
    "issubdtype",
    "iterable",
    "kaiser",
    "load",
    "mask_indices",
    "mintypecode",
    "printoptions",
    "promote_types",
    "rfftfreq",
    "set_printoptions",
    "tril_indices",
    "triu_indices",
    "typename",
];

/// The dimensions of the core of a function that NumPy has as a ufunc.
fn core_of(name: &str) -> Option<&'static str> {
    UFUNCS.iter().find(|(known, _)| *known == name).map(|(_, core)| *core)
}

impl Overridden {
    /// The rule of a function of a module.
    fn of(home: &str, signature: &str, name: &str) -> Overridden {
        let is_of_numpy = matches!(home, "phalanx." | "phalanx.linalg." | "phalanx.fft.");
        if !is_of_numpy || NOT_OVERRIDDEN.contains(&name) {
            Overridden::Never
        } else if home == "phalanx." && core_of(name).is_some() {
            Overridden::AsUfunc
        } else if signature.contains("like=") {
            Overridden::ByLike
        } else {
            Overridden::ByArguments
        }
    }
}

/// A row of a table.
pub struct Row {
    /// The signature, as in Python.
    pub signature: &'static str,
    /// A sentence about the function.
    pub summary: &'static str,
    /// The call.
    pub call: fn(&Arguments<'_, '_>) -> PyResult<Answer>,
}

impl Row {
    /// The function's name.
    pub fn name(&self) -> &'static str {
        self.signature.split('(').next().unwrap_or(self.signature)
    }
}

// A function of the module, or a method of its arrays. (No `///`: that would be `__doc__`.)
#[pyclass(name = "function", module = "phalanx", frozen)]
pub struct Function {
    row: &'static Row,
    /// The name of the module or class, with a dot at the end.
    home: &'static str,
    /// Whether it may accept structured arrays or dtypes.
    takes_records: bool,
    gives: Elements,
    overridden: Overridden,
    signature: OnceLock<Signature>,
}

impl Function {
    /// The function of a row.
    pub fn new(row: &'static Row, home: &'static str) -> Function {
        let takes_records = home != "phalanx.random." && records::may_take(row.name());
        let gives = Elements::of(row.name());
        let overridden = Overridden::of(home, row.signature, row.name());
        Function { row, home, takes_records, gives, overridden, signature: OnceLock::new() }
    }

    fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| Signature::new(self.row.signature))
    }

    fn call(
        &self,
        receiver: Option<&Bound<'_, PyAny>>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = arguments.py();
        session::ensure(py)?;
        let arguments = Arguments::new(self.signature(), receiver, arguments, keywords)?;
        if arguments.signature().takes_like {
            arguments.like()?;
        }
        let _mesh = arguments.enter_mesh();
        if self.takes_records
            && let Some(answer) = records::called(&arguments)?
        {
            return answer.into_python(py);
        }
        let template = arguments.template();
        let answer = at_line(py, || (self.row.call)(&arguments))?;
        settle(py)?;
        let are_elements = || self.gives.elements(receiver.is_some(), arguments.first());
        answered(py, answer, template.as_ref(), &are_elements)
    }
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let function = slf.as_any();
        let answer = match slf.get().overridden {
            Overridden::Never => None,
            Overridden::ByLike => overrides::of_like(function, arguments, keywords)?,
            Overridden::ByArguments => overrides::of_function(function, arguments, keywords)?,
            Overridden::AsUfunc => {
                overrides::of_ufunc(function, "__call__", (2, &[]), arguments, keywords)?
            }
        };
        answer.map_or_else(|| slf.get().call(None, arguments, keywords), Ok)
    }

    /// The function as it is for arrays, whatever the classes of arguments override.
    #[pyo3(signature = (*arguments, **keywords))]
    fn _implementation(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        self.call(None, arguments, keywords)
    }

    /// A function in a class is a method of the objects of the class.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        object: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if object.is_none() {
            return Ok(slf.clone().into_any());
        }
        let method = Method { function: slf.clone().unbind(), receiver: object.clone().unbind() };
        Ok(Bound::new(slf.py(), method)?.into_any())
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.row.name()
    }

    /// Functions are pickled by their names.
    fn __reduce__(&self) -> String {
        format!("{}{}", self.home.trim_start_matches("phalanx."), self.row.name())
    }

    /// The number of operands, of a function that NumPy has as a ufunc.
    #[getter]
    fn nin(&self) -> PyResult<usize> {
        self.signature_of_core().map(|_| 2)
    }

    /// The number of results, of a function that NumPy has as a ufunc.
    #[getter]
    fn nout(&self) -> PyResult<usize> {
        self.signature_of_core().map(|_| 1)
    }

    /// The dimensions of the core, of a function that NumPy has as a ufunc.
    #[getter(signature)]
    fn signature_of_core(&self) -> PyResult<&'static str> {
        // As for any name that an object lacks.
        let lacks = || PyAttributeError::new_err("'function' object is no ufunc");
        core_of(self.row.name()).ok_or_else(lacks)
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.row.name()
    }

    #[getter]
    fn __text_signature__(&self) -> String {
        format!("({})", self.signature().parameters_text)
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.signature().inspected(py, false)
    }

    #[getter]
    fn __doc__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        documentation::of_function(py, self.home, self.signature(), self.row.summary)
    }

    fn __repr__(&self) -> String {
        format!("<function {}{}>", self.home, self.row.name())
    }
}

// A function with the array that it is a method of.
#[pyclass(name = "method", module = "phalanx", frozen)]
struct Method {
    function: Py<Function>,
    receiver: Py<PyAny>,
}

#[pymethods]
impl Method {
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = arguments.py();
        self.function.get().call(Some(self.receiver.bind(py)), arguments, keywords)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.function.get().row.name()
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.function.get().signature().inspected(py, true)
    }

    #[getter]
    fn __self__(&self, py: Python<'_>) -> Py<PyAny> {
        self.receiver.clone_ref(py)
    }

    #[getter]
    fn __doc__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.function.get().__doc__(py)
    }

    fn __repr__(&self) -> String {
        format!("<method {} of phalanx.ndarray>", self.function.get().row.name())
    }
}

/// Wraps the answer of a function. A view of an argument of a subclass has the argument's class.
/// `are_elements` says whether results without axes are elements, which never change.
fn answered(
    py: Python<'_>,
    answer: Answer,
    template: Option<&Bound<'_, PyAny>>,
    are_elements: &dyn Fn() -> bool,
) -> PyResult<Py<PyAny>> {
    answer.into_python_by(py, &|array| {
        if let Some(template) = template
            && array.has_base_of(&template.cast::<Ndarray>()?.get().array)
        {
            return subclass::wrap_as(py, array, Some(template));
        }
        if array.ndim() == 0 && are_elements() {
            Ndarray::result(py, array)
        } else {
            Ndarray::wrap(py, array)
        }
    })
}

/// A table of functions: for each the signature, a sentence, and the call.
#[macro_export]
macro_rules! functions {
    (
        $(#[$attribute:meta])*
        $table:ident, $a:ident => $($signature:literal, $summary:literal: $body:expr;)*
    ) => {
        $(#[$attribute])*
        pub const $table: &[$crate::function::Row] = &[$($crate::function::Row {
            signature: $signature,
            summary: $summary,
            call: |$a| Ok($crate::calls::answer::Answer::from($body)),
        }),*];
    };
}
