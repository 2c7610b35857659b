//! The mesh of a call: the mesh of its first array.
//!
//! An array of this process alone may be used outside of the block that made it. Arrays that the
//! call makes of lists, of numbers or of nothing must be on the same mesh.

use super::ndarray::{DEEPEST, Ndarray};
use super::sparse_matrix::SparseMatrix;
use crate::session;
use phalanx::{Array, Entered};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple};

/// Makes the mesh of an array current until the returned guard is dropped.
pub fn of_array(array: &Array) -> Option<Entered> {
    // Most programs have one mesh, so there is nothing to look for.
    if !session::has_local_mesh() {
        return None;
    }
    // An array that carries an error has no mesh; the call raises the error.
    let mesh = array.mesh().ok()?;
    (!mesh.is_current()).then(|| mesh.entered())
}

/// As [`of_array`], for the first array among objects and in their lists.
pub fn of_objects<'a, 'py: 'a>(
    objects: impl IntoIterator<Item = &'a Bound<'py, PyAny>>,
) -> Option<Entered> {
    if !session::has_local_mesh() {
        return None;
    }
    let found = objects.into_iter().map(|object| first(object, DEEPEST));
    let array = found.take_while(Result::is_ok).find_map(|found| found.ok().flatten());
    of_array(&array?)
}

/// As [`of_objects`], for the arguments of a call and then its keywords.
pub fn of_call(
    arguments: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> Option<Entered> {
    of_objects(std::iter::once(arguments.as_any()).chain(keywords.map(|all| all.as_any())))
}

/// The lists are nested deeper than an array has axes.
struct TooDeep;

/// The first array that an object is or holds.
fn first(object: &Bound<'_, PyAny>, deepest: usize) -> Result<Option<Array>, TooDeep> {
    if let Ok(array) = object.cast::<Ndarray>() {
        let array = array.get();
        let bytes = array.records.as_ref().map(|records| records.bytes().clone());
        return Ok(Some(bytes.unwrap_or_else(|| array.array.clone())));
    }
    if let Ok(matrix) = object.cast::<SparseMatrix>() {
        return Ok(Some(matrix.get().matrix.values().clone()));
    }
    let mut items: Box<dyn Iterator<Item = Bound<'_, PyAny>>> = match () {
        () if let Ok(list) = object.cast::<PyList>() => Box::new(list.iter()),
        () if let Ok(tuple) = object.cast::<PyTuple>() => Box::new(tuple.iter()),
        () if let Ok(keywords) = object.cast::<PyDict>() => {
            Box::new(keywords.iter().map(|(_, value)| value))
        }
        () if let Ok(slice) = object.cast::<PySlice>() => {
            let part = |name: &&str| slice.getattr(*name).ok();
            Box::new(
                ["start", "stop", "step"].iter().filter_map(part).collect::<Vec<_>>().into_iter(),
            )
        }
        () => return Ok(None),
    };
    let deepest = deepest.checked_sub(1).ok_or(TooDeep)?;
    items.find_map(|item| first(&item, deepest).transpose()).transpose()
}
