//! Functions of the program that functions of ours call.

use crate::convert;
use crate::objects::ndarray::Ndarray;
use crate::session::agreement::agreed;
use phalanx::{Argument, Array, DType};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::RefCell;

/// An array that carries an error, in place of the result of program code that raised an exception.
/// The exception is raised instead of the error.
pub fn broken() -> Array {
    phalanx::zeros([-1i64], DType::F64)
}

/// A function of Python that a function of ours calls with arrays.
pub struct Callback<'py> {
    function: Bound<'py, PyAny>,
    rest: Vec<Bound<'py, PyAny>>,
    keywords: Option<Bound<'py, PyDict>>,
    failed: RefCell<Option<PyErr>>,
}

impl<'py> Callback<'py> {
    /// A function, and its arguments after the arrays.
    pub fn new(
        function: &Bound<'py, PyAny>,
        rest: Option<&Bound<'py, PyAny>>,
        keywords: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Callback<'py>> {
        let rest = rest.map(|rest| rest.try_iter()?.collect::<PyResult<_>>()).transpose()?;
        let keywords = keywords.map(|keywords| keywords.cast::<PyDict>().cloned()).transpose()?;
        Ok(Callback {
            function: function.clone(),
            rest: rest.unwrap_or_default(),
            keywords,
            failed: RefCell::new(None),
        })
    }

    /// The answer of the function.
    pub fn object(&self, arrays: &[Array], number: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.function.py();
        let mut arguments = Vec::with_capacity(arrays.len() + self.rest.len());
        for array in arrays {
            arguments.push(Ndarray::wrap(py, array.clone())?.into_bound(py));
        }
        if let Some(number) = number {
            arguments.push(number.into_pyobject(py)?.into_any());
        }
        arguments.extend(self.rest.iter().cloned());
        self.function.call(PyTuple::new(py, arguments)?, self.keywords.as_ref())
    }

    /// The answer of the function, after all processes have agreed on the outcome. Collective.
    pub fn agreed(&self, arrays: &[Array]) -> PyResult<Bound<'py, PyAny>> {
        agreed(self.function.py(), self.object(arrays, None))
    }

    /// The answer of the function, as an array. An exception is kept for [`Callback::finish`].
    pub fn array(&self, arrays: &[Array], number: Option<i64>) -> Array {
        let answer = self.object(arrays, number).and_then(|object| convert::array(&object, None));
        answer.unwrap_or_else(|exception| {
            *self.failed.borrow_mut() = Some(exception);
            broken()
        })
    }

    /// The answer of the function, after all processes have agreed on the outcome, as a number or
    /// an array. An exception is kept for [`Callback::finish`]. Collective.
    pub fn argument(&self, arrays: &[Array]) -> Argument {
        let answer = self.agreed(arrays).and_then(|object| convert::argument(&object));
        answer.unwrap_or_else(|exception| {
            *self.failed.borrow_mut() = Some(exception);
            Argument::Array(broken())
        })
    }

    /// The answer, or the exception that the function raised on all processes. Local:
    /// [`Callback::agreed`] has already compared the outcomes.
    pub fn raise<T>(self, answer: T) -> PyResult<T> {
        self.failed.into_inner().map_or(Ok(answer), Err)
    }

    /// The answer, or an error if the function raised an exception on any process. Collective.
    pub fn finish<T>(self, answer: T) -> PyResult<T> {
        agreed(self.function.py(), self.failed.into_inner().map_or(Ok(answer), Err))
    }
}
