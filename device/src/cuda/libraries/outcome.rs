//! The outcomes of libraries' calls as typed errors, and their set-up work.

use crate::DeviceError;
use crate::cuda::driver::{Context, Library};
use crate::cuda::memory::GpuMemory;
use crate::cuda::streams::LEGACY;
use cudarc::driver::sys::{self, CUstream};

/// Converts the status of a library's call to a typed error.
pub(super) fn succeeded<S: PartialEq + std::fmt::Debug>(
    memory: &GpuMemory,
    library: Library,
    call: &'static str,
    (status, success): (S, S),
) -> Result<(), DeviceError> {
    if status == success {
        return Ok(());
    }
    let name = format!("{status:?}");
    if name.ends_with("ALLOC_FAILED") {
        return Err(memory.refused(0));
    }
    Err(DeviceError::Cuda {
        device: String::from(memory.context().name()),
        call,
        name,
        text: format!("see the documentation of {}", library.name()),
    })
}

/// Waits for the set-up work that a library enqueues in CUDA's default stream, such as copies of
/// its tables: the device's stream, in which the library works later, does not wait for that
/// stream. The context is current.
pub(super) fn settle(context: &Context) {
    // SAFETY: the handle stands for a stream that every context has.
    let waited = unsafe { sys::cuStreamSynchronize(LEGACY as CUstream) };
    context.note("cuStreamSynchronize", waited);
}
