//! Arguments that functions of several topics share: lists of axes, orders, casting rules, targets.

use super::answer::Answer;
use super::arguments::{Arguments, integer, is_integer, wrong_type};
use super::indexing::{Key, key};
use crate::convert::dtypes::numpy;
use crate::convert::{self, on_host};
use crate::interpreter::errors::{as_numpy_raises, raised, refused, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::elements;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass::no_subclass;
use crate::session;
use phalanx::{Argument, Array, AxisList, Casting, DType, Mode, Positions, Scalar, Sections, Weak};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PySlice, PyString, PyTuple, PyType};

/// Positions that are read as an array, not one by one.
const LONG: usize = 1024;

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
        // Our own arrays stay on their devices.
        let array = match object.is_instance_of::<Ndarray>() {
            true => object.clone(),
            false => as_numpy(&on_host(object)?)?,
        };
        let kind: char = array.getattr("dtype")?.getattr("kind")?.extract()?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        let is_long = shape.iter().product::<usize>() >= LONG;
        let (is_insert, is_one) = (self.name() == "insert", shape.iter().product::<usize>() == 1);
        match kind {
            'b' if shape.len() == 1 && !is_long => {
                return Ok(Positions::Mask(array.call_method0("tolist")?.extract()?));
            }
            'b' if shape.len() != 1 => {
                let text = format!("{}(): boolean array must be one dimensional", self.name());
                return Err(value_error(Mistake::Value, text));
            }
            _ if is_insert && shape.len() > 1 => {
                let text = "index array argument obj to insert must be one dimensional or scalar";
                return Err(value_error(Mistake::Value, text));
            }
            'b' | 'i' | 'u' => {}
            // The dtype of an empty list means nothing; an empty array has a dtype of its own.
            _ if shape.contains(&0) && !object.hasattr("dtype")? => {}
            // As in NumPy, which uses one position as a bound of a slice.
            _ if is_one && is_insert => {
                let text = "slice indices must be integers or None or have an __index__ method";
                return Err(type_error(Mistake::Key, text));
            }
            _ => {
                return Err(refused::<pyo3::exceptions::PyIndexError>(
                    Mistake::Key,
                    "arrays used as indices must be of integer (or boolean) type",
                ));
            }
        }
        if is_long {
            return convert::array(&array, None).map(|positions| Positions::from(&positions));
        }
        let flat = array.call_method0("ravel")?.call_method0("tolist")?;
        Ok(Positions::Many(flat.extract()?))
    }

    /// Refuses every device but that of the arrays of the session. `cpu`, NumPy's only device,
    /// stands for it, so that programs for NumPy run.
    pub fn device(&self) -> PyResult<()> {
        if self.only("device", "cpu").is_ok() {
            return Ok(());
        }
        self.only("device", session::device_name(self.py())?)
    }

    /// Refuses `like` if it is an array of another library.
    pub fn like(&self) -> PyResult<()> {
        if self.given("like").is_none_or(|like| like.is_instance_of::<Ndarray>()) {
            Ok(())
        } else {
            Err(self.wrong("like", "a phalanx.ndarray, the class of the result"))
        }
    }

    /// Whether to copy: always, never, or if needed (`None`). As in NumPy, a string is refused.
    pub fn copies(&self, name: &str, default: Option<bool>) -> PyResult<Option<bool>> {
        match self.find(name) {
            None => Ok(default),
            Some(object) if object.is_none() => Ok(None),
            Some(object) if object.is_instance_of::<PyString>() => Err(value_error(
                Mistake::Value,
                format!("strings are not allowed for '{name}': use True, False or None"),
            )),
            Some(object) => object.is_truthy().map(Some),
        }
    }

    /// An array to write, which must be one of ours.
    pub fn target(&self, name: &str) -> PyResult<Array> {
        let object = self.object(name)?;
        let wrong = || self.wrong(name, "a phalanx.ndarray");
        Ok(elements::target(object).ok_or_else(wrong)?.clone())
    }

    /// Values to write into an array of a dtype. Numbers in lists must fit the dtype, and elements
    /// of arrays are cast to it, as in NumPy.
    pub fn values(&self, name: &str, dtype: DType) -> PyResult<Argument> {
        let object = self.object(name)?;
        let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        if is_list || convert::is_element(object)? {
            convert::array(object, Some(dtype)).map(Argument::Array)
        } else {
            convert::argument(object)
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
        result.store_in(out, casting).map_err(|error| raised(self.py(), &error))?;
        Ok(Answer::Object(object.clone().unbind()))
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

    /// The class and the dtype that a call of `view` asks for. A class may be given as the dtype.
    pub fn class_and_dtype(&self) -> PyResult<(Option<Bound<'py, PyType>>, Option<DType>)> {
        let is_of_arrays = |class: &Bound<'py, PyType>| class.is_subclass_of::<Ndarray>();
        let by_dtype = self.given("dtype").and_then(|object| object.cast::<PyType>().ok());
        let by_dtype = by_dtype.filter(|class| is_of_arrays(class).unwrap_or(false));
        let Some(by_type) = self.given("type") else {
            let dtype = if by_dtype.is_none() { self.optional_dtype("dtype")? } else { None };
            return Ok((by_dtype.cloned(), dtype));
        };
        if by_dtype.is_some() {
            return Err(value_error(Mistake::Together, "Cannot specify output type twice."));
        }
        let class =
            by_type.cast::<PyType>().ok().filter(|class| is_of_arrays(class).unwrap_or(false));
        let class = class.cloned().ok_or_else(no_subclass)?;
        Ok((Some(class), self.optional_dtype("dtype")?))
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
pub fn as_numpy<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let made = numpy(py)?.getattr("asarray")?.call1((object,));
    made.map_err(|error| as_numpy_raises(py, Mistake::Elements, error))
}
