//! Graphs of captured operations, for `phalanx.cuda`.

use super::world_mesh;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use phalanx::{CapturedGraph, Error};
use pyo3::prelude::*;

/// Captured operations.
#[pyclass(name = "_Graph", module = "phalanx._phalanx", frozen)]
pub struct Graph(CapturedGraph);

#[pymethods]
impl Graph {
    /// Records the operations on the present values of their arrays.
    fn launch(&self, py: Python<'_>) -> PyResult<()> {
        done(py, || self.0.launch())
    }

    /// The operations in the language of Graphviz.
    fn dot(&self) -> String {
        self.0.dot()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

fn done<T>(py: Python<'_>, act: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    at_line(py, || act().map_err(|error| raised(py, &error)))
}

/// Begins to capture the operations on the current mesh.
#[pyfunction(name = "_begin_capture")]
pub fn begin(py: Python<'_>) -> PyResult<()> {
    let mesh = world_mesh(py)?;
    done(py, || phalanx::begin_capture(&mesh))
}

/// Ends the capture; None if there is none.
#[pyfunction(name = "_end_capture")]
pub fn end(py: Python<'_>) -> PyResult<Option<Graph>> {
    let mesh = world_mesh(py)?;
    Ok(done(py, || phalanx::end_capture(&mesh))?.map(Graph))
}

/// Whether operations are captured.
#[pyfunction(name = "_is_capturing")]
pub fn is_capturing(py: Python<'_>) -> PyResult<bool> {
    Ok(world_mesh(py)?.is_capturing())
}

/// Adds these classes and functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Graph>()?;
    module.add_function(wrap_pyfunction!(begin, module)?)?;
    module.add_function(wrap_pyfunction!(end, module)?)?;
    module.add_function(wrap_pyfunction!(is_capturing, module)?)
}
