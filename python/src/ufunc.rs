//! Elementwise operations as objects with NumPy's methods.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::asked::Asked;
use crate::calls::documentation;
use crate::calls::indexing;
use crate::calls::overrides;
use crate::calls::signature::Signature;
use crate::convert::{self, dtypes};
use crate::interpreter::errors::{raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::elements;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass;
use crate::session;
use phalanx::{Argument, Array, AxisList, Casting, KnownElement, MemoryOrder, Op, UfuncOptions};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;
use std::sync::OnceLock;

// An elementwise operation: NumPy's ufunc. (No `///`: that would be `__doc__`.)
#[pyclass(name = "ufunc", module = "phalanx", frozen)]
pub struct Ufunc {
    ufunc: phalanx::Ufunc,
    signature: OnceLock<Signature>,
}

/// The call of a ufunc, or of its method `outer`.
type Call = fn(phalanx::Ufunc, &[Argument], &UfuncOptions) -> Result<Vec<Array>, phalanx::Error>;

impl Ufunc {
    /// Every ufunc.
    pub fn all() -> Vec<Ufunc> {
        let front = |ufunc| Ufunc { ufunc, signature: OnceLock::new() };
        phalanx::Ufunc::all().map(front).collect()
    }

    /// The names of a ufunc in the module.
    pub fn names(&self) -> Vec<&'static str> {
        self.ufunc.names().collect()
    }

    fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| {
            let text = match (self.nin(), self.nout()) {
                (1, 1) => UNARY_TEXT,
                (1, _) => TWO_RESULTS_TEXT,
                (_, 1) => BINARY_TEXT,
                _ => TWO_BY_TWO_TEXT,
            };
            Signature::new(text).named(self.ufunc.name())
        })
    }

    /// The ufunc; an error if it has several results, which methods do not support.
    fn of_one_result(&self, method: &str) -> PyResult<phalanx::Ufunc> {
        match self.ufunc.nout() {
            1 => Ok(self.ufunc),
            _ => Err(value_error(
                Mistake::Absent,
                format!("{method} only supported for functions of one result"),
            )),
        }
    }

    /// The operation that computes the result, or the first of two.
    fn first(&self) -> Op {
        let mut ops = self.ufunc.ops();
        ops.next().unwrap_or_else(|| unreachable!("bug: a ufunc without a result"))
    }

    /// A call with all parameters of NumPy's.
    fn call_with(
        &self,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        call: Call,
    ) -> PyResult<Py<PyAny>> {
        let py = arguments.py();
        let (results, given) = (self.nout(), arguments.len());
        if !(self.nin()..=self.nargs()).contains(&given) {
            return Err(type_error(
                Mistake::Count,
                format!(
                    "{}() takes from {} to {} positional arguments but {given} {} given",
                    self.ufunc.name(),
                    self.nin(),
                    self.nargs(),
                    if given == 1 { "was" } else { "were" }
                ),
            ));
        }
        let a = Arguments::new(self.signature(), None, arguments, keywords)?;
        let names = ["x1", "x2"].iter().take(self.nin());
        let objects = names.map(|name| a.object(name).cloned());
        let operands = convert::operands(&objects.collect::<PyResult<SmallVec<[_; 2]>>>()?)?;
        let asked = Asked::of(&a, self.nin(), self.nout())?;
        let outs = self.outs(&a, results)?;
        let options = UfuncOptions {
            dtype: asked.dtype,
            signature: asked.signature,
            casting: a.casting("casting", Casting::SameKind)?,
            order: a.order_or("order", MemoryOrder::K)?,
            mask: a.elements_that_count()?,
            out: outs.iter().map(|out| out.as_ref().map(|out| out.get().array.clone())).collect(),
        };
        let computed = at_line(py, || call(self.ufunc, &operands, &options));
        let computed = computed.map_err(|error| raised(py, &error))?;
        let answer = |(array, out): (Array, Option<Py<Ndarray>>)| match out {
            Some(out) => Answer::Object(out.into_any()),
            None => Answer::Array(array),
        };
        let mut answers: Vec<Answer> = computed.into_iter().zip(outs).map(answer).collect();
        let template = a.template();
        let wrap = |array| subclass::wrap_as(py, array, template.as_ref());
        match answers.len() {
            1 => answers.remove(0).into_python_by(py, &wrap),
            _ => Answer::Tuple(answers).into_python_by(py, &wrap),
        }
    }

    /// The arrays to write, in the order of the results.
    fn outs(&self, a: &Arguments<'_, '_>, results: usize) -> PyResult<Vec<Option<Py<Ndarray>>>> {
        let target = |object: &Bound<'_, PyAny>| {
            if object.is_none() {
                return PyResult::Ok(None);
            }
            match object.cast::<Ndarray>() {
                Ok(array) if !array.get().array.is_element() => Ok(Some(array.clone().unbind())),
                _ => Err(type_error(Mistake::Type, "return arrays must be of phalanx.ndarray")),
            }
        };
        let mut outs: Vec<Option<Py<Ndarray>>> = (0..results).map(|_| None).collect();
        match a.given("out") {
            None => {}
            Some(object) => match object.cast::<PyTuple>() {
                Ok(tuple) if tuple.len() == results => {
                    for (place, object) in tuple.iter().enumerate() {
                        outs[place] = target(&object)?;
                    }
                }
                Ok(_) => {
                    return Err(value_error(
                        Mistake::Together,
                        "The 'out' tuple must have exactly one entry per ufunc output",
                    ));
                }
                Err(_) if results == 1 || a.positional() > self.nin() => {
                    outs[0] = target(object)?;
                }
                Err(_) => return Err(type_error(Mistake::Type, "'out' must be a tuple of arrays")),
            },
        }
        if results == 2
            && let Some(second) = a.given("out2")
        {
            outs[1] = target(second)?;
        }
        Ok(outs)
    }
}

/// The parameters of every ufunc after its operands and results.
macro_rules! text {
    ($operands:literal) => {
        concat!(
            "ufunc(",
            $operands,
            ", *, where=True, casting='same_kind', order='K', dtype=None, subok=True, \
             signature=None, sig=None)"
        )
    };
}

const UNARY_TEXT: &str = text!("x1, /, out=None");
const BINARY_TEXT: &str = text!("x1, x2, /, out=None");
const TWO_RESULTS_TEXT: &str = text!("x1, /, out=None, out2=None");
const TWO_BY_TWO_TEXT: &str = text!("x1, x2, /, out=None, out2=None");

/// The result of an operation on arguments that are elements or numbers, at least one of them an
/// element.
fn applied_to_known(op: Op, arguments: &Bound<'_, PyTuple>) -> Option<KnownElement> {
    let is_known = |object: &Borrowed<'_, '_, PyAny>| {
        let array = object.cast_exact::<Ndarray>();
        array.is_ok_and(|array| array.get().array.element().is_some())
    };
    let element = arguments.iter_borrowed().find(is_known)?;
    let element = &element.cast_exact::<Ndarray>().ok()?.get().array;
    let known = arguments.iter_borrowed().map(|object| convert::known(element, &object));
    element.apply_to_known(op, &known.collect::<Option<SmallVec<[Argument; 2]>>>()?)
}

#[pymethods]
impl Ufunc {
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        tracing::trace!(target: "phalanx::path", file = file!());
        let py = arguments.py();
        let this = slf.get();
        session::ensure(py)?;
        let _mesh = call_mesh::of_call(arguments, keywords);
        // Most calls have the operands alone.
        let has_operands_alone = keywords.is_none() && arguments.len() == this.nin();
        if has_operands_alone
            && this.nout() == 1
            && let Some(result) = applied_to_known(this.first(), arguments)
        {
            return Ndarray::known(py, result);
        }
        let operands = (this.nin(), &[][..]);
        let answer = overrides::of_ufunc(slf, "__call__", operands, arguments, keywords)?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        if has_operands_alone {
            let objects: SmallVec<[_; 2]> = arguments.iter().collect();
            let mut operands = convert::operands(&objects)?;
            at_line(py, || Argument::make_one_an_array(&mut operands));
            let template = subclass::template(&objects);
            let wrap = |array| subclass::wrap_as(py, array, template.as_ref());
            if this.nout() == 1 {
                return wrap(at_line(py, || Array::apply(this.first(), &operands)));
            }
            let computed = at_line(py, || this.ufunc.call(&operands, &UfuncOptions::default()));
            let computed = computed.map_err(|error| raised(py, &error))?;
            return Answer::tuple(computed).into_python_by(py, &wrap);
        }
        this.call_with(arguments, keywords, phalanx::Ufunc::call)
    }

    /// Combines the elements over axes by the operation.
    ///
    /// Parameters
    /// ----------
    /// array : array_like
    ///     The elements.
    /// axis : int, tuple of int or None, optional
    ///     The axes; None for all. An operation whose order matters, such as ``subtract``, takes
    ///     one axis.
    /// dtype : dtype, optional
    ///     The dtype to which the elements are cast first.
    /// out : ndarray, optional
    ///     The array that is written and returned.
    /// keepdims : bool
    ///     Whether the reduced axes are kept with extent 1.
    /// initial : scalar, optional
    ///     A value that is combined with the elements.
    /// where : array_like of bool
    ///     The elements to include, broadcast to the array.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     The shape of ``array`` without the axes. Dtype: that of the operation on two elements;
    ///     ``add`` and ``multiply`` combine bools and narrow integers in 64 bits.
    ///
    /// Raises
    /// ------
    /// AxisError
    ///     PX003: there is no such axis.
    /// ValueError
    ///     PX016: there are no elements, and the operation has no identity. PX017: the operation
    ///     has one operand, or takes one axis only.
    ///
    /// Notes
    /// -----
    /// Local: recorded, and computed when a value is observed. Distribution: reduce: partial
    /// results of the devices are combined; all-to-all for operations whose order matters.
    #[pyo3(
        signature = (*arguments, **keywords),
        text_signature = "($self, array, axis=0, dtype=None, out=None, keepdims=False, \
                          initial=None, where=True)"
    )]
    fn reduce<'py>(
        slf: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        static SIGNATURE: OnceLock<Signature> = OnceLock::new();
        let py = arguments.py();
        session::ensure(py)?;
        let names = ["axis", "dtype", "out", "keepdims", "initial", "where"];
        let answer = overrides::of_ufunc(slf, "reduce", (1, &names), arguments, keywords)?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let signature = SIGNATURE.get_or_init(|| {
            Signature::new(
                "reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, \
                 where=True)",
            )
        });
        let mut a = Arguments::new(signature, None, arguments, keywords)?;
        a.default("axis", 0)?;
        let _mesh = a.enter_mesh();
        let axes = a.reduction()?;
        let (ufunc, array) = (slf.get().of_one_result("reduce")?, a.array("array")?);
        let result = at_line(py, || ufunc.reduce(&array, axes));
        Ndarray::result(py, result)
    }

    /// The running combinations of the elements along an axis.
    ///
    /// Parameters
    /// ----------
    /// array : array_like
    ///     The elements.
    /// axis : int
    ///     The axis.
    /// dtype : dtype, optional
    ///     The dtype to which the elements are cast first.
    /// out : ndarray, optional
    ///     The array that is written and returned.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     The shape of ``array``. Dtype: as for ``reduce``.
    ///
    /// Raises
    /// ------
    /// AxisError
    ///     PX003: there is no such axis.
    /// TypeError
    ///     PX011: the operation has no loop from and to one dtype. PX133: the array has no axes.
    /// ValueError
    ///     PX017: there are several axes.
    ///
    /// Notes
    /// -----
    /// Local: recorded, and computed when a value is observed. Distribution: all-to-all along a
    /// split axis; vectors are gathered.
    #[pyo3(
        signature = (array, axis=OneAxis::default(), dtype=None, out=None),
        text_signature = "($self, array, axis=0, dtype=None, out=None)"
    )]
    fn accumulate<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
        axis: OneAxis,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        session::ensure(py)?;
        let (operands, options) = (PyTuple::new(py, [array])?, axis.options(py, dtype, out)?);
        let method = "accumulate";
        let answer = overrides::of_ufunc(slf, method, (1, &[]), &operands, Some(&options))?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let _mesh = call_mesh::of_objects([array]);
        let ufunc = slf.get().of_one_result(method)?;
        let dtype = dtype.map(dtypes::from_python).transpose()?;
        let array = convert::array(array, None)?;
        let result = at_line(py, || match dtype {
            Some(dtype) => ufunc.accumulate_as(&array, axis.axes, dtype),
            None => ufunc.accumulate(&array, axis.axes),
        });
        written(py, result, out)
    }

    /// Combines the elements of ranges of an axis. A range ends where the next one starts, the last
    /// one at the end of the axis. If the next start is not larger, the result is the element at
    /// the start.
    ///
    /// Parameters
    /// ----------
    /// array : array_like
    ///     The elements.
    /// indices : array_like of int
    ///     The starts of the ranges, a vector.
    /// axis : int
    ///     The axis.
    /// dtype : dtype, optional
    ///     The dtype to which the elements are cast first.
    /// out : ndarray, optional
    ///     The array that is written and returned.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     The shape of ``array``, with as many elements along the axis as there are starts. Dtype:
    ///     as for ``reduce``.
    ///
    /// Raises
    /// ------
    /// AxisError
    ///     PX003: there is no such axis.
    /// IndexError
    ///     PX135: a start is outside of the axis.
    /// TypeError
    ///     PX133: the array has no axes.
    /// ValueError
    ///     PX017: there are several axes.
    ///
    /// Notes
    /// -----
    /// Collective if a start may be outside of the axis, else Local.
    #[pyo3(
        signature = (array, indices, axis=OneAxis::default(), dtype=None, out=None),
        text_signature = "($self, array, indices, axis=0, dtype=None, out=None)"
    )]
    fn reduceat<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
        axis: OneAxis,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        session::ensure(py)?;
        let operands = PyTuple::new(py, [array, indices])?;
        let (method, options) = ("reduceat", axis.options(py, dtype, out)?);
        let answer = overrides::of_ufunc(slf, method, (2, &[]), &operands, Some(&options))?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let ufunc = slf.get().of_one_result(method)?;
        let _mesh = call_mesh::of_objects([array, indices]);
        let dtype = dtype.map(dtypes::from_python).transpose()?;
        let array = convert::array(array, None)?;
        let starts = convert::array(indices, None)?;
        let result = at_line(py, || match dtype {
            Some(dtype) => ufunc.reduceat_as(&array, &starts, axis.axes, dtype),
            None => ufunc.reduceat(&array, &starts, axis.axes),
        });
        written(py, result, out)
    }

    /// The operation on every pair of an element of ``a`` and one of ``b``.
    ///
    /// Parameters
    /// ----------
    /// a : array_like
    ///     The first operands.
    /// b : array_like
    ///     The second operands.
    /// **keywords : dict
    ///     ``out``, ``where``, ``casting``, ``order``, ``dtype`` and ``signature``, as in a call.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     The shape of ``a``, followed by that of ``b``. Dtype: that of the operation.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX017: the operation has one operand. PX023: there would be more than 64 axes.
    /// TypeError
    ///     PX011: there is no loop for the dtypes.
    ///
    /// Notes
    /// -----
    /// Local: recorded, and computed when a value is observed.
    #[pyo3(signature = (a, b, /, **keywords))]
    fn outer<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        session::ensure(py)?;
        let (this, operands) = (slf.get(), PyTuple::new(py, [a, b])?);
        let answer = overrides::of_ufunc(slf, "outer", (2, &[]), &operands, keywords)?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let _mesh = call_mesh::of_objects([a, b]);
        if this.nin() != 2 {
            let refused = at_line(py, || this.ufunc.outer_with(&[], &UfuncOptions::default()));
            return refused.map(|_| py.None()).map_err(|error| raised(py, &error));
        }
        this.call_with(&operands, keywords, phalanx::Ufunc::outer_with)
    }

    /// Applies the operation to elements in place. An element that is named several times is
    /// changed as many times.
    ///
    /// Parameters
    /// ----------
    /// a : ndarray
    ///     The array that is written.
    /// indices : array_like of int, slice, tuple of these
    ///     Any key that ``a[indices]`` accepts.
    /// b : array_like, optional
    ///     The second operands of an operation of two, broadcast to the elements. The result is
    ///     computed in the dtype that both promote to, and cast to that of ``a`` each time.
    ///
    /// Returns
    /// -------
    /// None
    ///
    /// Raises
    /// ------
    /// IndexError
    ///     PX025: the positions are no integers. PX028: a position is outside of the axis.
    /// TypeError
    ///     PX011: there is no loop for the dtypes.
    /// ValueError
    ///     PX002: ``b`` cannot be broadcast to the elements. PX022: integers to negative integer
    ///     powers. PX143: ``b`` is missing, or is given to an operation of one operand.
    ///
    /// Notes
    /// -----
    /// Collective if the indices contain a mask, or a position that may be outside of its axis,
    /// else Local.
    #[pyo3(signature = (a, indices, b=None, /))]
    fn at<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        a: &Bound<'py, PyAny>,
        indices: &Bound<'py, PyAny>,
        b: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let (this, given) = (slf.get(), [Some(a), Some(indices), b].into_iter().flatten());
        let operands = PyTuple::new(py, given.collect::<Vec<_>>())?;
        let count = (operands.len(), &[][..]);
        if let Some(answer) = overrides::of_ufunc(slf, "at", count, &operands, None)? {
            return Ok(answer);
        }
        let target = array_to_write(a)?;
        let _mesh = call_mesh::of_array(target);
        if this.nout() != 1 {
            return Err(value_error(
                Mistake::Absent,
                "Only single output ufuncs supported at this time",
            ));
        }
        let items = indexing::key(indices)?.into_items();
        let done = match (this.nin(), b) {
            (1, None) => at_line(py, || this.ufunc.try_at_alone(target, &items)),
            (1, Some(_)) => {
                return Err(value_error(
                    Mistake::Count,
                    "second operand provided when ufunc is unary",
                ));
            }
            (_, None) => {
                return Err(value_error(Mistake::Count, "second operand needed for ufunc"));
            }
            (_, Some(b)) => {
                let values = convert::argument(b)?;
                at_line(py, || this.ufunc.try_at(target, &items, values))
            }
        };
        done.map(|()| py.None()).map_err(|error| raised(py, &error))
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.ufunc.name()
    }

    /// Ufuncs are pickled by their names.
    fn __reduce__(&self) -> &'static str {
        self.ufunc.name()
    }

    #[getter]
    fn nin(&self) -> usize {
        self.ufunc.nin()
    }

    #[getter]
    fn nout(&self) -> usize {
        self.ufunc.nout()
    }

    #[getter]
    fn nargs(&self) -> usize {
        self.nin() + self.nout()
    }

    /// The core dimensions of a generalized ufunc, which none of these is.
    #[getter(signature)]
    fn core_signature(&self) -> Option<&'static str> {
        None
    }

    #[getter]
    fn identity(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.first().identity().filter(|_| self.nout() == 1) {
            Some(weak) => Ok(convert::weak_number(py, weak)?.unbind()),
            None => Ok(py.None()),
        }
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
        let docs: Vec<_> = self.ufunc.ops().map(|op| op.row().doc).collect();
        documentation::of_ufunc(py, self.signature(), &docs.join(" "), self.first().row().loops)
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.ufunc.name())
    }
}

/// The axis of `accumulate` and `reduceat`: a number, a tuple, or None.
struct OneAxis {
    axes: AxisList,
    /// The argument; nothing for the default.
    given: Option<Py<PyAny>>,
}

impl Default for OneAxis {
    fn default() -> OneAxis {
        OneAxis { axes: 0.into(), given: None }
    }
}

impl<'py> FromPyObject<'_, 'py> for OneAxis {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<OneAxis> {
        let axes = match object.cast::<PyTuple>() {
            Ok(axes) => AxisList::from(axes.extract::<Vec<i64>>()?),
            Err(_) => AxisList::from(object.extract::<Option<i64>>()?),
        };
        Ok(OneAxis { axes, given: Some(object.to_owned().unbind()) })
    }
}

impl OneAxis {
    /// The options of a method of a ufunc as keywords, without those at their defaults.
    fn options<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        let axis = self.given.as_ref().map(|axis| axis.bind(py));
        for (name, value) in [("axis", axis), ("dtype", dtype), ("out", out)] {
            if let Some(value) = value {
                options.set_item(name, value)?;
            }
        }
        Ok(options)
    }
}

/// The array that is written in place.
fn array_to_write<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a Array> {
    let wrong = || type_error(Mistake::Type, "first operand must be array");
    elements::target(object).ok_or_else(wrong)
}

/// The answer, written into `out` if it is given. `out` may be a tuple of one array.
fn written(py: Python<'_>, result: Array, out: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
    let Some(out) = out.filter(|out| !out.is_none()) else { return Ndarray::result(py, result) };
    let out = match out.cast::<PyTuple>() {
        Ok(tuple) if tuple.len() == 1 => tuple.get_item(0)?,
        _ => out.clone(),
    };
    let wrong = || type_error(Mistake::Type, "return arrays must be of phalanx.ndarray");
    let target = elements::target(&out).ok_or_else(wrong)?;
    result.ok().map_err(|error| raised(py, &error))?;
    let assigned = at_line(py, || target.try_assign(result));
    assigned.map_err(|error| raised(py, &error))?;
    Ok(out.unbind())
}
