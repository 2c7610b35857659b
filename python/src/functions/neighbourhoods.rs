//! Neighbourhoods in images: what `phalanx.scipy.ndimage` calls.
//!
//! Arguments are checked in Python.

use crate::convert::{self, dtypes};
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use phalanx::ndimage::{
    Border, Outside, Window, WindowOptions, interpolate, label, nearest_along, window_filter,
};
use pyo3::prelude::*;

/// What a window computes: a dict of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given<'py> {
    /// "sum", "line", "mean", "minimum", "maximum" or "rank".
    combine: String,
    heights: Option<Bound<'py, PyAny>>,
    rank: usize,
    origins: Vec<i64>,
    /// "constant", "nearest", "reflect", "mirror" or "wrap".
    mode: String,
    cval: f64,
    dtype: Option<Bound<'py, PyAny>>,
}

#[pyfunction(name = "_window_filter")]
fn filtered(
    image: &Bound<'_, PyAny>,
    window: &Bound<'_, PyAny>,
    given: Given<'_>,
) -> PyResult<Py<PyAny>> {
    let py = image.py();
    let image = convert::array(image, None)?;
    let _mesh = call_mesh::of_array(&image);
    let window = convert::array(window, None)?;
    let heights = given.heights.map(|heights| convert::array(&heights, None)).transpose()?;
    let dtype = given.dtype.map(|dtype| dtypes::from_python(&dtype)).transpose()?;
    let border = match given.mode.as_str() {
        "constant" => Border::constant(given.cval),
        "nearest" => Border::Nearest,
        "mirror" => Border::Mirror,
        "wrap" => Border::Wrap,
        _ => Border::Reflect,
    };
    let combine = match given.combine.as_str() {
        "line" => Window::Line(&window),
        "mean" => Window::Mean(&window),
        "minimum" => Window::Minimum(&window, heights.as_ref()),
        "maximum" => Window::Maximum(&window, heights.as_ref()),
        "rank" => Window::Rank(&window, given.rank),
        _ => Window::Sum(&window),
    };
    let options = WindowOptions { border, origins: given.origins, dtype };
    let made = at_line(py, || window_filter(&image, combine, &options).into_result());
    Ndarray::wrap(py, made.map_err(|error| raised(py, &error))?)
}

#[pyfunction(name = "_label")]
fn labelled(mask: &Bound<'_, PyAny>, structure: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, usize)> {
    let py = mask.py();
    let mask = convert::array(mask, None)?;
    let _mesh = call_mesh::of_array(&mask);
    let structure = convert::array(structure, None)?;
    let found = at_line(py, || label(&mask, &structure)).map_err(|error| raised(py, &error))?;
    Ok((Ndarray::wrap(py, found.0)?, found.1))
}

#[pyfunction(name = "_nearest_along")]
fn nearest(costs: &Bound<'_, PyAny>, axis: i64, spacing: f64) -> PyResult<Py<PyAny>> {
    let py = costs.py();
    let costs = convert::array(costs, None)?;
    let _mesh = call_mesh::of_array(&costs);
    let found = at_line(py, || nearest_along(&costs, axis, spacing).into_result());
    Ndarray::wrap(py, found.map_err(|error| raised(py, &error))?)
}

/// The values of a spline at points. The first axis of each array of coordinates is that of the
/// axes of the coefficients. `given` is the order, the mode and the number outside.
#[pyfunction(name = "_interpolate")]
fn interpolated(
    coefficients: &Bound<'_, PyAny>,
    coordinates: Vec<Bound<'_, PyAny>>,
    given: (u8, String, f64),
) -> PyResult<Py<PyAny>> {
    let py = coefficients.py();
    let coefficients = convert::array(coefficients, None)?;
    let _mesh = call_mesh::of_array(&coefficients);
    let arrays = coordinates.iter().map(|one| convert::array(one, None));
    let coordinates = arrays.collect::<PyResult<Vec<_>>>()?;
    let (order, mode, cval) = given;
    let outside = match mode.as_str() {
        "constant" => Outside::Constant,
        "nearest" => Outside::Nearest,
        "reflect" => Outside::Reflect,
        "mirror" => Outside::Mirror,
        "wrap" => Outside::Wrap,
        "grid-wrap" => Outside::Repeat,
        _ => Outside::Coefficient,
    };
    let made = at_line(py, || {
        interpolate(&coefficients, &coordinates, order, outside, cval).into_result()
    });
    Ndarray::wrap(py, made.map_err(|error| raised(py, &error))?)
}

/// Adds the functions to their module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(filtered, module)?)?;
    module.add_function(wrap_pyfunction!(labelled, module)?)?;
    module.add_function(wrap_pyfunction!(interpolated, module)?)?;
    module.add_function(wrap_pyfunction!(nearest, module)?)
}
