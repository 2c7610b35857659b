//! Handles of CUDA's libraries, for `phalanx.cuda`.

use super::gpus::{failed, on_device, stream_of};
use crate::interpreter::errors::value_error;
use crate::interpreter::mistakes::Mistake;
use phalanx::cuda::{HandleKind, LibraryHandle};
use phalanx::waiting::lock;
use pyo3::prelude::*;
use std::sync::Mutex;

/// A handle of a library on a GPU.
#[pyclass(name = "_LibraryHandle", module = "phalanx._phalanx", frozen)]
pub struct Handle {
    handle: Mutex<LibraryHandle>,
    number: usize,
}

#[pymethods]
impl Handle {
    /// The handle of a kind on a device: "blas", "dense solver", "sparse solver", "sparse",
    /// "networks" or "tensors".
    #[new]
    fn new(number: usize, kind: &str) -> PyResult<Handle> {
        let kind = match kind {
            "blas" => HandleKind::Blas,
            "dense solver" => HandleKind::DenseSolver,
            "sparse solver" => HandleKind::SparseSolver,
            "sparse" => HandleKind::Sparse,
            "networks" => HandleKind::Networks,
            "tensors" => HandleKind::Tensors,
            other => return Err(value_error(Mistake::Choice, format!("no handle of {other:?}"))),
        };
        let handle = LibraryHandle::new(on_device(number)?.context(), kind);
        Ok(Handle { handle: Mutex::new(handle.map_err(|error| failed(&error))?), number })
    }

    #[getter]
    fn ptr(&self) -> usize {
        lock(&self.handle).as_ptr() as usize
    }

    /// Puts later work of the handle into a stream, by its number in protocols.
    fn set_stream(&self, stream: i64) -> PyResult<()> {
        let stream = stream_of(&on_device(self.number)?, stream)?;
        lock(&self.handle).set_stream(stream).map_err(|error| failed(&error))
    }
}

/// Adds this class to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Handle>()
}
