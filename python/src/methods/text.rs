//! Arrays as text. Rust formats them if NumPy's print options are the default; else NumPy formats
//! the elements that are shown.

use crate::calls::arguments::Arguments;
use crate::convert::dtypes::numpy;
use crate::convert::{fetch, to_numpy};
use crate::interpreter::errors::{raised, type_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::session::notices::observed;
use phalanx::{Array, Error, Summary};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};

/// The NumPy function that formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextOptions {
    /// `array_str`.
    Str,
    /// `array_repr`.
    Repr,
    /// `array2string`.
    Free,
}

#[pymethods]
impl Ndarray {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (py, this) = (slf.py(), slf.get());
        if this.records.is_some() {
            return this.host(py)?.repr()?.extract();
        }
        if !slf.is_exact_instance_of::<Ndarray>() {
            return repr_of_subclass(slf);
        }
        text(py, &this.array, TextOptions::Repr)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        if self.records.is_some() {
            return self.host(py)?.str()?.extract();
        }
        text(py, &self.array, TextOptions::Str)
    }

    fn __format__(&self, py: Python<'_>, form: &Bound<'_, PyAny>) -> PyResult<String> {
        if form.is_truthy()? && self.array.ndim() == 0 {
            let text = self.number(py)?.call_method1("__format__", (form,))?;
            return text.extract();
        }
        if form.is_truthy()? {
            return Err(type_error(
                Mistake::Conversion,
                "unsupported format string passed to phalanx.ndarray.__format__",
            ));
        }
        self.__str__(py)
    }
}

/// The text of an object of a subclass, which NumPy writes with the name of the class. Collective.
fn repr_of_subclass(object: &Bound<'_, Ndarray>) -> PyResult<String> {
    let py = object.py();
    let host = to_numpy(py, fetch(py, &object.get().array)?)?;
    let bases = (numpy(py)?.getattr("ndarray")?,);
    let class =
        py.get_type::<PyType>().call1((object.get_type().name()?, bases, PyDict::new(py)))?;
    host.call_method1("view", (class,))?.repr()?.extract()
}

/// The text of an array. Collective.
pub fn text(py: Python<'_>, array: &Array, kind: TextOptions) -> PyResult<String> {
    if !has_defaults(py)? {
        return by_numpy(py, array, kind, &PyDict::new(py));
    }
    let form: fn(&Array) -> Result<String, Error> = match kind {
        TextOptions::Str => phalanx::array_str,
        TextOptions::Repr => phalanx::array_repr,
        TextOptions::Free => phalanx::array2string,
    };
    let text = at_line(py, || form(array));
    observed(py, text)
}

/// The text of the array argument `name`. The other arguments are the options.
pub fn text_of(a: &Arguments<'_, '_>, name: &str, kind: TextOptions) -> PyResult<String> {
    let (py, array) = (a.py(), a.array(name)?);
    let options = PyDict::new(py);
    for option in a.signature().names().filter(|option| *option != name) {
        if let Some(value) = a.given(option) {
            options.set_item(option, value)?;
        }
    }
    if options.is_empty() { text(py, &array, kind) } else { by_numpy(py, &array, kind, &options) }
}

/// Whether NumPy's print options have their initial values.
fn has_defaults(py: Python<'_>) -> PyResult<bool> {
    static DEFAULTS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let loaded = py.import("sys")?.getattr("modules")?;
    if !loaded.contains("numpy")? {
        return Ok(true);
    }
    let defaults = DEFAULTS.get_or_try_init(py, || -> PyResult<Py<PyDict>> {
        let options = PyDict::new(py);
        options.set_item("precision", 8)?;
        options.set_item("threshold", 1000)?;
        options.set_item("edgeitems", 3)?;
        options.set_item("linewidth", 75)?;
        options.set_item("suppress", false)?;
        options.set_item("nanstr", "nan")?;
        options.set_item("infstr", "inf")?;
        options.set_item("sign", "-")?;
        options.set_item("floatmode", "maxprec")?;
        options.set_item("formatter", py.None())?;
        options.set_item("legacy", false)?;
        options.set_item("override_repr", py.None())?;
        Ok(options.unbind())
    })?;
    numpy(py)?.getattr("get_printoptions")?.call0()?.eq(defaults.bind(py))
}

/// An option that is given, or else NumPy's current one.
fn option<'py>(
    options: &Bound<'py, PyDict>,
    current: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    match options.get_item(name)? {
        Some(given) => Ok(given),
        None => current.get_item(name),
    }
}

fn by_numpy(
    py: Python<'_>,
    array: &Array,
    kind: TextOptions,
    options: &Bound<'_, PyDict>,
) -> PyResult<String> {
    array.ok().map_err(|error| raised(py, &error))?;
    let numpy = numpy(py)?;
    let current = numpy.getattr("get_printoptions")?.call0()?;
    let threshold: f64 = option(options, &current, "threshold")?.extract()?;
    let edge: usize = option(options, &current, "edgeitems")?.extract()?;
    // Without ends to show, the whole array is needed.
    let threshold = if edge == 0 { usize::MAX } else { threshold.max(0.0) as usize };
    let (summary, shape) = (Summary { threshold, edge }, array.shape());
    let cut: Vec<usize> = (0..shape.len()).filter(|&axis| summary.is_cut(shape, axis)).collect();
    if cut.is_empty() {
        let whole = to_numpy(py, fetch(py, array)?)?;
        let name = match kind {
            TextOptions::Str => "array_str",
            TextOptions::Repr => "array_repr",
            TextOptions::Free => "array2string",
        };
        return numpy.getattr(name)?.call((whole,), Some(options))?.extract();
    }
    let corners = at_line(py, || array.corners(summary));
    let mut shown = to_numpy(py, corners.map_err(|error| raised(py, &error))?)?;
    // An extra element between the ends makes NumPy cut the axis there.
    for axis in cut {
        let places: Vec<usize> = (0..edge).chain([0]).chain(edge..2 * edge).collect();
        shown = shown.call_method1("take", (PyList::new(py, places)?, axis))?;
    }
    let all = options.copy()?;
    all.set_item("threshold", 0)?;
    all.set_item("edgeitems", edge)?;
    if kind == TextOptions::Repr {
        all.set_item("separator", ", ")?;
        all.set_item("prefix", "array(")?;
        all.set_item("suffix", ")")?;
    }
    let text: String = numpy.getattr("array2string")?.call((shown,), Some(&all))?.extract()?;
    if kind != TextOptions::Repr {
        return Ok(text);
    }
    let width: usize = match options.get_item("max_line_width")? {
        Some(width) => width.extract()?,
        None => current.get_item("linewidth")?.extract()?,
    };
    // NumPy's texts of older versions lack the shape of an array that they cut.
    let names_shape = !current.get_item("legacy")?.is_truthy()?;
    Ok(phalanx::repr_around(&text, array, names_shape, width))
}
