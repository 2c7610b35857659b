//! Kernels that a kind of device can run.

use crate::cpu::{self, BufferLaunch};
use crate::cuda::CudaKernel;
use crate::error::KernelError;
use crate::ir::Kernel;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use std::sync::Arc;

/// A kernel, ready for one kind of device.
pub enum Executable {
    /// For CPUs.
    Cpu(Box<cpu::Compiled>),
    /// For NVIDIA GPUs.
    Cuda(Box<CudaKernel>),
}

impl Executable {
    /// Makes a kernel ready for devices of the kind of `device`, CPUs if there is none.
    ///
    /// Errors: `KernelError::Verify` (PX041), `KernelError::UnsupportedOperation` (PX042),
    /// `KernelError::UnsupportedCombination` (PX043).
    pub fn new(kernel: &Kernel, device: Option<&dyn Device>) -> Result<Executable, KernelError> {
        match device.is_some_and(|device| device.as_any().is::<CudaDevice>()) {
            true => Ok(Executable::Cuda(Box::new(CudaKernel::new(kernel)?))),
            false => Ok(Executable::Cpu(Box::new(cpu::compile(kernel)?))),
        }
    }

    /// Runs the kernel on buffers of a device: a CPU is done when this returns, a GPU has the work
    /// in the order of its stream.
    ///
    /// Panics (`bug:`) if the device is not of the kernel's kind, or an access reaches outside of
    /// its buffer. Errors: those of a GPU's compiler and memory.
    pub fn launch(
        &self,
        launch: &BufferLaunch<'_>,
        device: &Arc<dyn Device>,
    ) -> Result<(), DeviceError> {
        match self {
            Executable::Cpu(compiled) => {
                cpu::launch(compiled, launch, device.pool());
                Ok(())
            }
            Executable::Cuda(kernel) => kernel.launch(&gpu(device), launch),
        }
    }
}

/// The device as a GPU.
pub(crate) fn gpu(device: &Arc<dyn Device>) -> Arc<CudaDevice> {
    let gpu = device.as_any().downcast_ref::<CudaDevice>().and_then(CudaDevice::handle);
    match gpu {
        Some(gpu) => gpu,
        None => unreachable!("bug: {} is no GPU", device.name()),
    }
}
