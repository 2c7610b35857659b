//! GPU texts that must be loaded before they can run.

use super::direct::DirectKernel;
use crate::cuda::device::gpu;
use crate::cuda::routine::Routine;
use crate::cuda::variant::Variant;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use std::sync::Arc;

/// A text for GPUs that has not been loaded yet.
#[derive(PartialEq)]
pub struct Missing<'a>(Text<'a>);

enum Text<'a> {
    Kernel { kernel: &'a DirectKernel, variant: Variant },
    Routine(Routine),
    Copies,
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Text<'_>) -> bool {
        match (self, other) {
            (Text::Kernel { kernel, variant }, Text::Kernel { kernel: known, variant: other }) => {
                std::ptr::eq(*kernel, *known) && variant == other
            }
            (Text::Routine(own), Text::Routine(other)) => own == other,
            (Text::Copies, Text::Copies) => true,
            _ => false,
        }
    }
}

impl<'a> Missing<'a> {
    pub(super) fn kernel(kernel: &'a DirectKernel, variant: Variant) -> Missing<'a> {
        Missing(Text::Kernel { kernel, variant })
    }

    pub(crate) fn routine(routine: Routine) -> Missing<'a> {
        Missing(Text::Routine(routine))
    }

    /// The text for copies within a device's memory; `None` for devices that need none.
    pub fn copies(device: &Arc<dyn Device>) -> Option<Missing<'static>> {
        device.as_any().is::<CudaDevice>().then_some(Missing(Text::Copies))
    }

    /// Compiles and loads it, for this device and for all others of its kind.
    ///
    /// Errors: `DeviceError::Compile`, `DeviceError::Library`.
    pub fn load(&self, device: &Arc<dyn Device>) -> Result<(), DeviceError> {
        let gpu = gpu(device);
        match &self.0 {
            Text::Kernel { kernel, variant } => kernel.load(&gpu, variant).map(drop),
            Text::Routine(routine) => routine.load(&gpu),
            Text::Copies => gpu.load_copies(),
        }
    }
}
