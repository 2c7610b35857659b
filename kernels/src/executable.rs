//! Kernels that a kind of device can run.

use crate::cpu::{self, BufferLaunch};
use crate::cuda::{BUFFERS_APART, CudaKernel, Geometry, Missing, gpu};
use crate::error::KernelError;
use crate::ir::Kernel;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError, NullDevice};
use phalanx_ops::Scalar;
use std::sync::Arc;

/// A kernel, ready for one kind of device.
pub enum Executable {
    /// For CPUs.
    Cpu(Box<cpu::Compiled>),
    /// For NVIDIA GPUs.
    Cuda(Box<CudaKernel>),
}

impl Executable {
    /// Makes a kernel ready for devices of the kind of `device`; `None` stands for CPUs.
    ///
    /// Errors: `KernelError::Verify` (PX041), `KernelError::UnsupportedOperation` (PX042),
    /// `KernelError::UnsupportedCombination` (PX043).
    pub fn new(kernel: &Kernel, device: Option<&dyn Device>) -> Result<Executable, KernelError> {
        let is_gpu = |device: &dyn Device| {
            device.as_any().is::<CudaDevice>() || device.as_any().is::<NullDevice>()
        };
        if device.is_some_and(is_gpu) {
            Ok(Executable::Cuda(Box::new(CudaKernel::new(kernel)?)))
        } else {
            Ok(Executable::Cpu(Box::new(cpu::compile(kernel)?)))
        }
    }

    /// Whether a launch only enqueues work and computes nothing on the host.
    pub fn is_enqueued(&self) -> bool {
        match self {
            Executable::Cpu(_) => false,
            Executable::Cuda(kernel) => kernel.is_enqueued(),
        }
    }

    /// The texts that a launch must load on the device first. `places` gives each access as
    /// `((buffer, offset), strides)`, where a buffer is named by the number of the first access to
    /// it. Scalars that are not known yet are `None`.
    pub fn missing<'a>(
        &self,
        extents: &[usize],
        origins: &[i64],
        places: impl Iterator<Item = ((usize, isize), &'a [isize])>,
        guards: &[Vec<(i64, i64)>],
        scalars: &[Option<Scalar>],
        device: &Arc<dyn Device>,
    ) -> Vec<Missing<'_>> {
        let Executable::Cuda(kernel) = self else { return Vec::new() };
        if device.is_null() {
            return Vec::new();
        }
        let (offsets, strides): (Vec<(usize, isize)>, Vec<&[isize]>) = places.unzip();
        // Buffers begin at multiples of lines of memory.
        let address = |&(buffer, offset): &(usize, isize)| {
            ((buffer as u64) << BUFFERS_APART).wrapping_add_signed(offset as i64)
        };
        let addresses: Vec<u64> = offsets.iter().map(address).collect();
        let (strides, addresses) = (&strides[..], &addresses[..]);
        let launch = Geometry { extents, origins, strides, guards, addresses };
        kernel.missing(&gpu(device), &launch, scalars)
    }

    /// Runs the kernel on buffers of a device. On a CPU the kernel is complete when this returns;
    /// on a GPU it runs in the order of the device's stream.
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
            Executable::Cuda(kernel) => match device.as_any().downcast_ref::<NullDevice>() {
                Some(device) => {
                    kernel.save(device, launch);
                    Ok(())
                }
                None => kernel.launch(&gpu(device), launch),
            },
        }
    }
}
