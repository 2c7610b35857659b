//! Kernels of the user's own: the native part of `ElementwiseKernel` and `ReductionKernel`, whose
//! classes are written in Python.

use crate::calls::answer::Answer;
use crate::calls::indexing::key;
use crate::convert::{self, dtypes};
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::session;
use phalanx::user_kernels::{
    ElementwiseKernel, Parameter, ParameterType, ReductionCall, ReductionKernel, UserUfunc,
};
use phalanx::{Argument, Array, Error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

/// An elementwise kernel.
#[pyclass(name = "_ElementwiseKernel", module = "phalanx._phalanx", frozen)]
pub struct Elementwise(ElementwiseKernel);

/// A reduction.
#[pyclass(name = "_ReductionKernel", module = "phalanx._phalanx", frozen)]
pub struct Reduction(ReductionKernel);

/// For each parameter: its name, its dtype if it has one, the name of its type, and whether it is
/// raw.
type Described = Vec<(String, Option<Py<PyAny>>, String, bool)>;

fn described(py: Python<'_>, parameters: &[Parameter]) -> PyResult<Described> {
    let describe = |parameter: &Parameter| {
        let (dtype, name) = match &parameter.of {
            ParameterType::DType(dtype) => {
                let object = dtypes::to_python(py, *dtype)?.into_any().unbind();
                (Some(object), dtype.numpy_name().to_string())
            }
            ParameterType::Placeholder(name) => (None, name.clone()),
        };
        Ok((parameter.name.clone(), dtype, name, parameter.is_raw))
    };
    parameters.iter().map(describe).collect()
}

/// The arguments of a call.
type Arguments = SmallVec<[Argument; 4]>;

/// The arguments of a kernel.
fn arguments(objects: &[Bound<'_, PyAny>]) -> PyResult<Arguments> {
    objects.iter().map(convert::argument).collect()
}

/// Makes a kernel as a call of the running line of Python.
fn made<T>(py: Python<'_>, make: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    at_line(py, || make().map_err(|error| raised(py, &error)))
}

/// Calls a kernel as a call of the running line of Python.
fn answered(
    py: Python<'_>,
    objects: &[Bound<'_, PyAny>],
    call: impl FnOnce(Arguments) -> PyResult<Result<Vec<Array>, Error>>,
) -> PyResult<Py<PyAny>> {
    session::ensure(py)?;
    let _mesh = call_mesh::of_objects(objects.iter());
    let results = at_line(py, || -> PyResult<Vec<Array>> {
        call(arguments(objects)?)?.map_err(|error| raised(py, &error))
    })?;
    let objects = results.into_iter().map(|array| Ndarray::result(py, array));
    let objects = objects.collect::<PyResult<SmallVec<[Py<PyAny>; 2]>>>()?;
    Ok(PyTuple::new(py, objects)?.into_any().unbind())
}

#[pymethods]
impl Elementwise {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        parameters: (String, String),
        text: &str,
        preamble: &str,
        loop_prep: &str,
    ) -> PyResult<Elementwise> {
        made(py, || {
            let kernel = ElementwiseKernel::new(name, (&parameters.0, &parameters.1), text)?;
            Ok(Elementwise(kernel.preamble(preamble)?.loop_prep(loop_prep)?))
        })
    }

    fn inputs(&self, py: Python<'_>) -> PyResult<Described> {
        described(py, self.0.inputs())
    }

    fn outputs(&self, py: Python<'_>) -> PyResult<Described> {
        described(py, self.0.outputs())
    }

    fn call(
        &self,
        py: Python<'_>,
        objects: &Bound<'_, PyTuple>,
        size: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        let objects: SmallVec<[Bound<'_, PyAny>; 8]> = objects.iter().collect();
        answered(py, &objects, |arguments| Ok(self.0.call(&arguments, size)))
    }
}

#[pymethods]
impl Reduction {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        parameters: (String, String),
        texts: [String; 3],
        combining: (Option<String>, Option<String>),
        reduce_type: Option<&str>,
        preamble: &str,
    ) -> PyResult<Reduction> {
        made(py, || {
            let (identity, across) = (combining.0.as_deref(), combining.1.as_deref());
            let parts = texts.each_ref().map(String::as_str);
            let parameters = (parameters.0.as_str(), parameters.1.as_str());
            let kernel = ReductionKernel::new(name, parameters, parts, identity)?;
            let kernel = kernel.preamble(preamble)?;
            let kernel = match across {
                Some(text) => kernel.across(text)?,
                None => kernel,
            };
            Ok(Reduction(match reduce_type {
                Some(name) => kernel.reduce_type(name),
                None => kernel,
            }))
        })
    }

    fn inputs(&self, py: Python<'_>) -> PyResult<Described> {
        described(py, self.0.inputs())
    }

    fn outputs(&self, py: Python<'_>) -> PyResult<Described> {
        described(py, self.0.outputs())
    }

    fn call(
        &self,
        py: Python<'_>,
        objects: Vec<Bound<'_, PyAny>>,
        axes: Option<Vec<i64>>,
        keepdims: bool,
        out: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        answered(py, &objects, |arguments| {
            let out = out.iter().map(|object| convert::array(object, None));
            let out = out.collect::<PyResult<Vec<Array>>>()?;
            Ok(self.0.call(&arguments, &ReductionCall { axes, keepdims, out }))
        })
    }
}

/// A ufunc of the user's own.
#[pyclass(name = "_UserUfunc", module = "phalanx._phalanx", frozen)]
pub struct OwnUfunc(UserUfunc);

impl OwnUfunc {
    /// Calls a method as a call of the running line of Python.
    fn answered(
        py: Python<'_>,
        objects: &[Bound<'_, PyAny>],
        call: impl FnOnce(&[Argument]) -> Result<Array, Error>,
    ) -> PyResult<Py<PyAny>> {
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects(objects.iter());
        let answer = at_line(py, || -> PyResult<Answer> {
            let result = call(&arguments(objects)?).map_err(|error| raised(py, &error))?;
            Ok(Answer::Array(result))
        })?;
        answer.into_python(py)
    }
}

/// The array of an argument.
fn array_of(argument: &Argument) -> Array {
    argument.clone().into_array()
}

#[pymethods]
impl OwnUfunc {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        inputs: &str,
        expression: &str,
        output: Option<&Bound<'_, PyAny>>,
        identity: Option<&str>,
    ) -> PyResult<OwnUfunc> {
        let output = output.map(dtypes::from_python).transpose()?;
        made(py, || {
            let ufunc = UserUfunc::new(name, inputs, expression)?;
            let ufunc = match output {
                Some(dtype) => ufunc.with_output(dtype)?,
                None => ufunc,
            };
            Ok(OwnUfunc(match identity {
                Some(identity) => ufunc.with_identity(identity),
                None => ufunc,
            }))
        })
    }

    fn call(
        &self,
        py: Python<'_>,
        objects: Vec<Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let dtype = dtype.map(dtypes::from_python).transpose()?;
        OwnUfunc::answered(py, &objects, |given| match dtype {
            Some(dtype) => self.0.call_as(given, dtype),
            None => self.0.call(given),
        })
    }

    fn reduce(
        &self,
        py: Python<'_>,
        object: Bound<'_, PyAny>,
        axes: Option<Vec<i64>>,
        keepdims: bool,
    ) -> PyResult<Py<PyAny>> {
        let call = ReductionCall { axes, keepdims, out: Vec::new() };
        OwnUfunc::answered(py, &[object], |given| self.0.reduce(&array_of(&given[0]), &call))
    }

    fn accumulate(
        &self,
        py: Python<'_>,
        object: Bound<'_, PyAny>,
        axis: i64,
    ) -> PyResult<Py<PyAny>> {
        OwnUfunc::answered(py, &[object], |given| self.0.accumulate(&array_of(&given[0]), axis))
    }

    fn outer(
        &self,
        py: Python<'_>,
        one: Bound<'_, PyAny>,
        other: Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let call = |given: &[Argument]| self.0.outer(&array_of(&given[0]), &array_of(&given[1]));
        OwnUfunc::answered(py, &[one, other], call)
    }

    fn at(
        &self,
        py: Python<'_>,
        object: &Bound<'_, PyAny>,
        items: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects([object]);
        let array = convert::array(object, None)?;
        let items = key(items)?.into_items();
        let values = values.map(convert::argument).transpose()?;
        made(py, || self.0.at(&array, &items, values))
    }
}
