//! Arguments that functions of several topics share: lists of axes, orders, casting rules, targets.

use crate::answer::Answer;
use crate::arguments::{Arguments, integer, is_integer};
use crate::convert::{self, wrong_type};
use crate::dtypes::numpy;
use crate::elements;
use crate::errors::{as_numpy_raises, raised, refused, type_error, value_error, warn_discarded};
use crate::indexing::{Key, key};
use crate::mistakes::Mistake;
use crate::ndarray::Ndarray;
use crate::session;
use crate::site::at_line;
use crate::spelling::in_numpy;
use phalanx::{
    Argument, Array, AxisList, Casting, DType, MemoryOrder, Mode, Positions, Scalar, Sections, Weak,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PySlice, PyString, PyTuple};

impl<'py> Arguments<'_, 'py> {
    /// Axes in the order given, or none.
    pub fn axis_list(&self, name: &str) -> PyResult<AxisList> {
        Ok(AxisList::from(self.optional_integers(name)?))
    }

    /// The extents of an array, none of which may be negative.
    pub fn extents(&self, name: &str) -> PyResult<Vec<usize>> {
        let extent = |extent: i64| {
            let refused =
                |_| value_error(Mistake::Value, format!("{}(): negative extents", self.name()));
            usize::try_from(extent).map_err(refused)
        };
        self.shape(name)?.into_iter().map(extent).collect()
    }

    /// A count.
    pub fn count(&self, name: &str) -> PyResult<usize> {
        usize::try_from(self.integer(name).map_err(|error| self.no_extent(error))?).map_err(|_| {
            value_error(Mistake::Value, format!("{}(): {name} must not be negative", self.name()))
        })
    }

    /// A rule of casting.
    pub fn casting(&self, name: &str, default: Casting) -> PyResult<Casting> {
        let Some(text) = self.optional_text(name)? else { return Ok(default) };
        Casting::from_name(&text).ok_or_else(|| {
            value_error(
                Mistake::Choice,
                format!(
                    "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got \
                 '{text}')"
                ),
            )
        })
    }

    /// The treatment of positions outside of an axis.
    pub fn mode(&self, name: &str) -> PyResult<Mode> {
        self.given(name).map_or(Ok(Mode::Raise), |object| mode_of(object))
    }

    /// A number of parts, or the positions at which parts start.
    pub fn sections(&self, name: &str) -> PyResult<Sections> {
        if is_integer(self.object(name)?)? {
            let count = self.integer(name)?;
            let refused = |_| value_error(Mistake::Value, "number sections must be larger than 0.");
            return usize::try_from(count).map(Sections::Count).map_err(refused);
        }
        Ok(Sections::At(self.host_integers(name)?))
    }

    /// Integers that are needed on the host: of a list, or the elements of an array. Collective for
    /// an array.
    pub fn host_integers(&self, name: &str) -> PyResult<Vec<i64>> {
        let object = on_host(self.object(name)?)?;
        let array = as_numpy(&object)?;
        let flat = array.call_method0("ravel")?.call_method0("tolist")?;
        let wrong = |error| self.no_integer(name, "an integer or several", error);
        flat.try_iter()?.map(|item| integer(&item?).map_err(wrong)).collect()
    }

    /// Positions along an axis: an integer, several, a slice, or a mask.
    pub fn positions(&self, name: &str) -> PyResult<Positions> {
        let object = self.object(name)?;
        if object.is_instance_of::<PySlice>() {
            return match key(object)? {
                Key::Basic(items) => Ok(Positions::from(items[0])),
                Key::Advanced(_) => Err(self.wrong(name, "positions")),
            };
        }
        if is_integer(object)? && !object.is_instance_of::<PyBool>() {
            return Ok(Positions::One(self.integer(name)?));
        }
        let numpy = numpy(self.py())?;
        let array = as_numpy(&on_host(object)?)?;
        let kind: char = array.getattr("dtype")?.getattr("kind")?.extract()?;
        let size: usize = array.getattr("size")?.extract()?;
        let flat = match kind {
            'b' => numpy.getattr("flatnonzero")?.call1((array,))?,
            'i' | 'u' => array.call_method0("ravel")?,
            // The dtype of an empty list means nothing; an empty array has a dtype of its own.
            _ if size == 0 && !object.hasattr("dtype")? => {
                return Ok(Positions::Many(Vec::new()));
            }
            // As in NumPy, which uses one position as a bound of a slice.
            _ if size == 1 && self.name() == "insert" => {
                let text = "slice indices must be integers or None or have an __index__ method";
                return Err(type_error(Mistake::Key, text));
            }
            _ => {
                return Err(refused::<pyo3::exceptions::PyIndexError>(
                    Mistake::Key,
                    "arrays used as indices must be of integer (or boolean) type",
                ));
            }
        };
        Ok(Positions::Many(flat.call_method0("tolist")?.extract()?))
    }

    /// Refuses every device but `cpu`, the only kind.
    pub fn device(&self) -> PyResult<()> {
        self.only("device", "cpu")
    }

    /// Refuses `like` if it is an array of another library.
    pub fn like(&self) -> PyResult<()> {
        match self.given("like").is_none_or(|like| like.is_instance_of::<Ndarray>()) {
            true => Ok(()),
            false => Err(self.wrong("like", "a phalanx.ndarray, the class of the result")),
        }
    }

    /// Whether to copy: always, never, or if needed (`None`).
    pub fn copies(&self, name: &str, default: Option<bool>) -> PyResult<Option<bool>> {
        match self.find(name) {
            None => Ok(default),
            Some(object) if object.is_none() => Ok(None),
            Some(object) => object.is_truthy().map(Some),
        }
    }

    /// An array to write, which must be one of ours.
    pub fn target(&self, name: &str) -> PyResult<Array> {
        let object = self.object(name)?;
        let wrong = || self.wrong(name, "a phalanx.ndarray");
        Ok(elements::target(object).ok_or_else(wrong)?.clone())
    }

    /// Values to write into an array of a dtype. Numbers in lists must fit the dtype.
    pub fn values(&self, name: &str, dtype: DType) -> PyResult<Argument> {
        let object = self.object(name)?;
        match object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            true => convert::array(object, Some(dtype)).map(Argument::Array),
            false => convert::argument(object),
        }
    }

    /// A value for an array of a dtype. A string is read as the number that it spells, as in NumPy.
    pub fn value(&self, name: &str, dtype: DType) -> PyResult<Argument> {
        let object = self.object(name)?;
        if !object.is_instance_of::<PyString>() && !object.is_instance_of::<PyBytes>() {
            return convert::argument(object);
        }
        let host = convert::to_host_array(object, Some(dtype))?;
        Ok(Argument::Scalar(Scalar::from_bytes(host.dtype, &host.bytes)))
    }

    /// A number without a dtype of its own.
    pub fn number(&self, name: &str) -> PyResult<Weak> {
        weak_of(self.object(name)?)?.ok_or_else(|| self.wrong(name, "a number"))
    }

    /// An array of bool. Elements of another array are true if they are not zero.
    pub fn mask(&self, name: &str) -> PyResult<Array> {
        let array = self.array(name)?;
        Ok(if array.dtype() == DType::Bool { array } else { array.astype(DType::Bool) })
    }

    /// The answer, written into `out` if it is given.
    pub fn stored(&self, result: Array) -> PyResult<Answer> {
        self.stored_by(result, Casting::SameKind)
    }

    /// As [`Arguments::stored`], by another casting rule.
    pub fn stored_by(&self, result: Array, casting: Casting) -> PyResult<Answer> {
        let Some(object) = self.given("out") else { return Ok(Answer::Array(result)) };
        self.stored_in(object, result, casting)
    }

    /// The answer, written into an array.
    pub fn stored_in(
        &self,
        object: &Bound<'py, PyAny>,
        result: Array,
        casting: Casting,
    ) -> PyResult<Answer> {
        let object = match object.cast::<PyTuple>() {
            Ok(tuple) if tuple.len() == 1 => tuple.get_item(0)?,
            _ => object.clone(),
        };
        let wrong = || wrong_type(&format!("{}(): out", self.name()), "a phalanx.ndarray", &object);
        let out = elements::target(&object).ok_or_else(wrong)?;
        let py = self.py();
        result.ok().map_err(|error| raised(py, &error))?;
        self.check_cast(result.dtype(), out.dtype(), casting)?;
        warn_discarded(py, result.dtype(), out.dtype())?;
        if result.shape() != out.shape() {
            return Err(value_error(
                Mistake::Together,
                in_numpy(&format!(
                    "{}(): out has shape {:?}, and the result {:?}",
                    self.name(),
                    out.shape(),
                    result.shape()
                )),
            ));
        }
        out.try_assign(result).map_err(|error| raised(py, &error))?;
        Ok(Answer::Object(object.clone().unbind()))
    }

    /// Refuses a cast that a rule does not allow.
    pub fn check_cast(&self, from: DType, to: DType, casting: Casting) -> PyResult<()> {
        if phalanx::can_cast(from, to, casting) {
            return Ok(());
        }
        Err(type_error(
            Mistake::Type,
            format!(
                "Cannot cast array data from dtype('{}') to dtype('{}') according to the rule '{}'",
                from.numpy_name(),
                to.numpy_name(),
                casting.name()
            ),
        ))
    }

    /// A new array in the memory order `order`. `make` makes an array in C order; for Fortran order
    /// it receives the extents reversed.
    pub fn ordered(&self, shape: &[i64], make: impl FnOnce(&[i64]) -> Array) -> PyResult<Array> {
        match self.order_or("order", MemoryOrder::C)? {
            MemoryOrder::C => Ok(make(shape)),
            MemoryOrder::F => {
                let reversed: Vec<i64> = shape.iter().rev().copied().collect();
                Ok(make(&reversed).t())
            }
            _ => Err(value_error(Mistake::Choice, "only 'C' or 'F' order is permitted")),
        }
    }

    /// The one element of an array of truth values. Collective.
    pub fn truth(&self, array: Array) -> PyResult<bool> {
        array.ok().map_err(|error| raised(self.py(), &error))?;
        Ndarray::new(array).number(self.py())?.is_truthy()
    }

    /// The result of NumPy's function of the same name for the same arguments. Arrays of ours are
    /// fetched. Collective if there are any.
    pub fn by_numpy(&self) -> PyResult<Bound<'py, PyAny>> {
        let keywords = PyDict::new(self.py());
        for name in self.signature().names() {
            if let Some(value) = self.find(name) {
                keywords.set_item(name, on_host(value)?)?;
            }
        }
        let answer = numpy(self.py())?.getattr(self.name())?.call((), Some(&keywords));
        answer.map_err(|error| as_numpy_raises(self.py(), Mistake::Value, error))
    }

    /// As [`Arguments::by_numpy`], but the result is an array of ours.
    pub fn uploaded(&self) -> PyResult<Array> {
        convert::array(&self.by_numpy()?, None)
    }
}

/// The treatment of positions outside of an axis, by NumPy's name.
pub fn mode_of(object: &Bound<'_, PyAny>) -> PyResult<Mode> {
    match object.extract::<String>().ok().as_deref() {
        Some("raise") => Ok(Mode::Raise),
        Some("wrap") => Ok(Mode::Wrap),
        Some("clip") => Ok(Mode::Clip),
        Some(other) => Err(value_error(
            Mistake::Choice,
            format!("clipmode must be one of 'clip', 'raise', or 'wrap' (got '{other}')"),
        )),
        None => Err(wrong_type("mode", "a string", object)),
    }
}

/// A number of Python or of NumPy, or the element of an array of one, without a dtype of its own.
/// `None` for any other array.
pub fn weak_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Weak>> {
    if let Some(weak) = convert::weak(object)? {
        return Ok(Some(weak));
    }
    if let Ok(array) = object.cast::<Ndarray>() {
        return match array.get().array.size() {
            1 => convert::weak(&array.get().number(object.py())?),
            _ => Ok(None),
        };
    }
    Ok(match convert::argument(object)? {
        Argument::Scalar(scalar) => Some(scalar.to_weak()),
        Argument::Weak(weak) => Some(weak),
        Argument::Array(_) => None,
    })
}

/// The positions or counts of an argument, as a NumPy array.
fn as_numpy<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let made = numpy(py)?.getattr("asarray")?.call1((object,));
    made.map_err(|error| as_numpy_raises(py, Mistake::Elements, error))
}

/// The object itself, or the elements of an array of ours as a NumPy array. Collective for an
/// array.
pub fn on_host<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    match object.cast::<Ndarray>() {
        Ok(array) => array.get().host(py),
        Err(_) => Ok(object.clone()),
    }
}

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
    failed: std::cell::RefCell<Option<PyErr>>,
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
            failed: std::cell::RefCell::new(None),
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

/// The outcome of program code that a function of ours called, after all processes have agreed on
/// it. Collective.
///
/// If the code raised an exception on some processes only, the other processes get an error at
/// once. The processes record different operations from then on, so the world ends. If it raised an
/// exception on all processes, the program may continue.
pub fn agreed<T>(py: Python<'_>, outcome: PyResult<T>) -> PyResult<T> {
    let mesh = phalanx::MeshHandle::current();
    if mesh.is_none_or(|mesh| mesh.engine().process().1 == 1) {
        return outcome;
    }
    let told = outcome.as_ref().map(drop).map_err(ToString::to_string);
    let Err(failure) = at_line(py, || phalanx::agree(told.clone())) else { return outcome };
    let is_well = match &told {
        Ok(()) => Err(String::from("raised nothing")),
        Err(_) => Ok(()),
    };
    let is_alike = at_line(py, || phalanx::agree(is_well)).is_ok();
    if let (Err(message), false) = (told, is_alike) {
        session::abort(&message);
    }
    outcome.and_then(|_| Err(raised(py, &failure)))
}

/// Calls a function of the program; all processes agree on the outcome. Collective.
#[pyfunction(name = "_agreed_call")]
#[pyo3(signature = (function, /, *arguments))]
pub fn agreed_call<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    agreed(function.py(), function.call1(arguments))
}

/// Runs a write as a call of the running line of Python.
pub fn written(py: Python<'_>, write: impl FnOnce() -> Result<(), phalanx::Error>) -> PyResult<()> {
    at_line(py, write).map_err(|error| raised(py, &error))
}
