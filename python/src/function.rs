//! Functions of the module: rows of a table as callable objects.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::documentation;
use crate::calls::signature::Signature;
use crate::interpreter::site::at_line;
use crate::objects::elements::Elements;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass;
use crate::records;
use crate::session;
use crate::session::notices::settle;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::OnceLock;

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
    signature: OnceLock<Signature>,
}

impl Function {
    /// The function of a row.
    pub fn new(row: &'static Row, home: &'static str) -> Function {
        let takes_records = home != "phalanx.random." && records::may_take(row.name());
        let gives = Elements::of(row.name());
        Function { row, home, takes_records, gives, signature: OnceLock::new() }
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
    fn __call__(
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
