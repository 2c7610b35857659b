//! The GPU behind a device.

use phalanx_device::Device;
use phalanx_device::cuda::CudaDevice;
use std::sync::Arc;

/// The device as a GPU.
pub(crate) fn gpu(device: &Arc<dyn Device>) -> Arc<CudaDevice> {
    let gpu = device.as_any().downcast_ref::<CudaDevice>().and_then(CudaDevice::handle);
    match gpu {
        Some(gpu) => gpu,
        None => unreachable!("bug: {} is no GPU", device.name()),
    }
}
