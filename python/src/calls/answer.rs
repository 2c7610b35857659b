//! The answer of a call.

use crate::convert::dtypes;
use crate::interpreter::errors::raised;
use crate::objects::ndarray::Ndarray;
use phalanx::{Array, DType, Error};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// The answer of a call.
pub enum Answer {
    /// An array. If it carries an error, the error is raised.
    Array(Array),
    /// Several answers, as a tuple.
    Tuple(Vec<Answer>),
    /// Several answers, as a list.
    List(Vec<Answer>),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A text.
    Text(String),
    /// A dtype.
    DType(DType),
    /// Nothing.
    Nothing,
    /// An object.
    Object(Py<PyAny>),
    /// An error.
    Failed(Error),
    /// An exception.
    Raised(PyErr),
}

impl Answer {
    /// The answer as a Python object, or its exception.
    pub fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.into_python_by(py, &|array| Ndarray::result(py, array))
    }

    /// As [`Answer::into_python`], with a function that makes objects of arrays.
    pub fn into_python_by(
        self,
        py: Python<'_>,
        wrap: &dyn Fn(Array) -> PyResult<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let items = |answers: Vec<Answer>| {
            let objects = answers.into_iter().map(|one| one.into_python_by(py, wrap));
            objects.collect::<PyResult<Vec<_>>>()
        };
        match self {
            Answer::Array(array) => wrap(array),
            Answer::Tuple(answers) => Ok(PyTuple::new(py, items(answers)?)?.into_any().unbind()),
            Answer::List(answers) => Ok(PyList::new(py, items(answers)?)?.into_any().unbind()),
            Answer::Bool(truth) => Ok(truth.into_pyobject(py)?.to_owned().into_any().unbind()),
            Answer::Int(number) => Ok(number.into_pyobject(py)?.into_any().unbind()),
            Answer::Float(number) => Ok(number.into_pyobject(py)?.into_any().unbind()),
            Answer::Text(text) => Ok(text.into_pyobject(py)?.into_any().unbind()),
            Answer::DType(dtype) => Ok(dtypes::to_python(py, dtype)?.unbind()),
            Answer::Nothing => Ok(py.None()),
            Answer::Object(object) => Ok(object),
            Answer::Failed(error) => Err(raised(py, &error)),
            Answer::Raised(exception) => Err(exception),
        }
    }

    /// The answers of an iterator as a list.
    pub fn list<T: Into<Answer>>(items: impl IntoIterator<Item = T>) -> Answer {
        Answer::List(items.into_iter().map(T::into).collect())
    }

    /// The answers of an iterator as a tuple.
    pub fn tuple<T: Into<Answer>>(items: impl IntoIterator<Item = T>) -> Answer {
        Answer::Tuple(items.into_iter().map(T::into).collect())
    }
}

macro_rules! answers {
    ($($type:ty, $value:ident => $answer:expr;)*) => {
        $(impl From<$type> for Answer {
            fn from($value: $type) -> Answer { $answer }
        })*
    };
}

answers! {
    Array, array => Answer::Array(array);
    &Array, array => Answer::Array(array.clone());
    bool, value => Answer::Bool(value);
    i64, value => Answer::Int(value);
    usize, value => Answer::Int(value as i64);
    f64, value => Answer::Float(value);
    DType, dtype => Answer::DType(dtype);
    String, text => Answer::Text(text);
    &str, text => Answer::Text(text.to_owned());
    (), _nothing => Answer::Nothing;
    Py<PyAny>, object => Answer::Object(object);
}

/// A variable number of answers is a tuple, as in most of NumPy; see [`Answer::list`].
impl<T: Into<Answer>> From<Vec<T>> for Answer {
    fn from(items: Vec<T>) -> Answer {
        Answer::tuple(items)
    }
}

impl<T: Into<Answer>, const N: usize> From<[T; N]> for Answer {
    fn from(items: [T; N]) -> Answer {
        Answer::tuple(items)
    }
}

impl<A: Into<Answer>, B: Into<Answer>> From<(A, B)> for Answer {
    fn from((first, second): (A, B)) -> Answer {
        Answer::Tuple(vec![first.into(), second.into()])
    }
}

impl<A: Into<Answer>, B: Into<Answer>, C: Into<Answer>> From<(A, B, C)> for Answer {
    fn from((first, second, third): (A, B, C)) -> Answer {
        Answer::Tuple(vec![first.into(), second.into(), third.into()])
    }
}

impl<T: Into<Answer>> From<Result<T, Error>> for Answer {
    fn from(result: Result<T, Error>) -> Answer {
        result.map_or_else(Answer::Failed, T::into)
    }
}

impl<T: Into<Answer>> From<PyResult<T>> for Answer {
    fn from(result: PyResult<T>) -> Answer {
        result.map_or_else(Answer::Raised, T::into)
    }
}

impl<T: Into<Answer>> From<Option<T>> for Answer {
    fn from(option: Option<T>) -> Answer {
        option.map_or(Answer::Nothing, T::into)
    }
}
