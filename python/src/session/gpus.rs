//! The GPUs of the session, and streams on them.

use crate::interpreter::errors::{coded, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::cuda::{self, CudaDevice};
use phalanx::waiting::lock;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

/// The GPUs of the session.
pub static GPUS: Gpus = Gpus(Mutex::new(Vec::new()));

/// The GPUs of this process, in the order of its devices; none on CPUs.
pub struct Gpus(Mutex<Vec<Arc<CudaDevice>>>);

impl Gpus {
    /// Sets the GPUs when a session starts, and an empty list when it ends.
    pub fn set(&self, gpus: Vec<Arc<CudaDevice>>) {
        let before = std::mem::replace(&mut *lock(&self.0), gpus);
        drop(before);
    }

    /// All of them.
    pub fn all(&self) -> SmallVec<[Arc<CudaDevice>; 1]> {
        lock(&self.0).iter().cloned().collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// The first GPU with a CUDA ordinal.
    pub fn of_ordinal(&self, ordinal: usize) -> Option<Arc<CudaDevice>> {
        lock(&self.0).iter().find(|gpu| gpu.ordinal() == ordinal).cloned()
    }
}

/// The exception of an error of a GPU.
pub fn failed(error: &phalanx::cuda::DeviceError) -> PyErr {
    let text = format!("{error} [{}]\n  hint    {}", error.code(), error.hint());
    coded::<PyRuntimeError>(text, error.code())
}

/// A device of this process by its number.
pub fn on_device(number: usize) -> PyResult<Arc<CudaDevice>> {
    let gpus = lock(&GPUS.0);
    let found = gpus.get(number).cloned();
    found.ok_or_else(|| {
        value_error(
            Mistake::Value,
            format!("there is no device {number}: this process has {} GPUs", gpus.len()),
        )
    })
}

/// The stream of a number in a protocol: 0 and 1 are CUDA's default stream, 2 is the default stream
/// of the thread, and other numbers are handles.
pub fn stream_of(device: &Arc<CudaDevice>, number: i64) -> PyResult<cuda::Stream> {
    let handle = usize::try_from(number)
        .map_err(|_| value_error(Mistake::Value, "a stream must not be negative"))?;
    // SAFETY: the caller that passes a stream promises that it lives as long as it is used.
    Ok(unsafe { cuda::Stream::external(device.context(), handle) })
}
