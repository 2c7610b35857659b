//! Points in space: what `phalanx.scipy.spatial` calls.
//!
//! Arguments are checked in Python.

use crate::convert;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use phalanx::spatial::{Tree, nearest_in_tree};
use pyo3::prelude::*;

/// The boxes, the leaves and the members of a tree, a number that no point has, and the extents of
/// a periodic space.
type Packed<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, u64, Option<Bound<'py, PyAny>>);

/// The numbers of the nearest points of a tree. `given` is the number of points to find, the
/// exponent of the norm and the limit.
#[pyfunction(name = "_nearest_in_tree")]
fn nearest(
    points: &Bound<'_, PyAny>,
    tree: Packed<'_>,
    given: (usize, f64, f64),
) -> PyResult<Py<PyAny>> {
    let py = points.py();
    let points = convert::array(points, None)?;
    let _mesh = call_mesh::of_array(&points);
    let (boxes, leaves, members, absent, extents) = tree;
    let array = |one: &Bound<'_, PyAny>| convert::array(one, None);
    let [boxes, leaves, members] = [array(&boxes)?, array(&leaves)?, array(&members)?];
    let extents = extents.as_ref().map(array).transpose()?;
    let tree = Tree {
        boxes: &boxes,
        leaves: &leaves,
        members: &members,
        absent,
        extents: extents.as_ref(),
    };
    let (count, norm, limit) = given;
    let made = at_line(py, || nearest_in_tree(&points, &tree, count, norm, limit).into_result());
    Ndarray::wrap(py, made.map_err(|error| raised(py, &error))?)
}

/// Adds the functions to their module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(nearest, module)?)
}
