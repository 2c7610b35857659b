//! Grids of coordinates, which are made by indexing: NumPy's `mgrid` and `ogrid`.

use crate::calls::answer::Answer;
use crate::calls::options::weak_of;
use crate::interpreter::errors::{raised, refused, type_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::session;
use phalanx::{GridRange, Weak};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The coordinates of a grid: NumPy's `mgrid` and `ogrid`.
#[pyclass(name = "nd_grid", module = "phalanx", frozen)]
pub struct Grids {
    /// Whether each axis has its own array, of extent 1 along the others.
    pub sparse: bool,
}

#[pymethods]
impl Grids {
    fn __getitem__(&self, object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = object.py();
        session::ensure(py)?;
        let _mesh = call_mesh::of_objects([object]);
        let Ok(slices) = object.cast::<PyTuple>() else {
            let vector = at_line(py, || {
                phalanx::ogrid(&[only_range(object)?]).map_or_else(
                    |error| Err(raised(py, &error)),
                    |mut vectors| Ok(vectors.remove(0)),
                )
            })?;
            return Ndarray::wrap(py, vector);
        };
        let ranges: Vec<_> =
            slices.iter().map(|slice| grid_range(&slice)).collect::<PyResult<_>>()?;
        if !self.sparse {
            return Ndarray::wrap(py, at_line(py, || phalanx::mgrid(&ranges)));
        }
        let vectors = at_line(py, || phalanx::ogrid(&ranges));
        Answer::from(vectors).into_python(py)
    }
}

/// One of several ranges of a grid. A complex step is the number of points, with both ends. As in
/// NumPy, an invalid part is an `AttributeError`.
fn grid_range(object: &Bound<'_, PyAny>) -> PyResult<GridRange> {
    let [start, stop, step] = parts(object)?;
    let wrong = || {
        let text = "several ranges of a grid are slices of real numbers with an end";
        refused::<PyAttributeError>(Mistake::Value, text)
    };
    let is_complex = |number: &Weak| matches!(number, Weak::Complex(_));
    let start = start.map_err(|_| wrong())?.unwrap_or(Weak::Int(0));
    let stop = stop.map_err(|_| wrong())?.ok_or_else(wrong)?;
    let step = step.map_err(|_| wrong())?.unwrap_or(Weak::Int(1));
    if !is_complex(&step) && (is_complex(&start) || is_complex(&stop)) {
        return Err(wrong());
    }
    Ok(GridRange::of_slice(start, stop, step))
}

/// The only range of a grid. As in `arange`, a start without a stop is the stop.
fn only_range(object: &Bound<'_, PyAny>) -> PyResult<GridRange> {
    let [start, stop, step] = parts(object)?;
    let (start, stop) = (start?.unwrap_or(Weak::Int(0)), stop?);
    let step = step?.unwrap_or(Weak::Int(1));
    Ok(match (step, stop) {
        (Weak::Complex(_), None) => {
            return Err(type_error(Mistake::Type, "a range with a count needs an end"));
        }
        (_, Some(stop)) => GridRange::of_slice(start, stop, step),
        (_, None) => GridRange::of_slice(Weak::Int(0), start, step),
    })
}

/// The start, the stop and the step of a range of a grid, where they are given.
fn parts(object: &Bound<'_, PyAny>) -> PyResult<[PyResult<Option<Weak>>; 3]> {
    let part = |name: &str| -> PyResult<PyResult<Option<Weak>>> {
        let value = object.getattr(name)?;
        if value.is_none() {
            return Ok(Ok(None));
        }
        let wrong = || type_error(Mistake::Type, "a grid is made of slices of numbers");
        Ok(match weak_of(&value) {
            Ok(Some(Weak::Bool(truth))) => Ok(Some(Weak::Int(truth.into()))),
            Ok(number) => number.map(Some).ok_or_else(wrong),
            Err(error) => Err(error),
        })
    };
    Ok([part("start")?, part("stop")?, part("step")?])
}
