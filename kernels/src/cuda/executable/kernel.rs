//! A kernel on GPUs.

use super::direct::DirectKernel;
use super::missing::Missing;
use super::tables::Tables;
use crate::cpu::{self, BufferLaunch};
use crate::cuda::shape::{Geometry, has_ordered_tables};
use crate::error::KernelError;
use crate::host_copies::HostCopies;
use crate::ir::{Kernel, Role, verify};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError, NullDevice};
use phalanx_ops::Scalar;
use std::sync::Arc;

/// A kernel that GPUs can run.
pub struct CudaKernel {
    form: Form,
}

/// The form in which a kernel runs.
enum Form {
    /// As one text.
    Direct(Box<DirectKernel>),
    /// With tables that are combined in a fixed order.
    Ordered(Box<Ordered>),
}

/// A kernel with tables that are combined in a fixed order.
struct Ordered {
    /// The form that runs on the GPU.
    tables: Tables,
    /// The kernel on the host, for too many points or tables along several axes.
    host: cpu::Compiled,
}

impl CudaKernel {
    /// A kernel; nothing is compiled before the first launch.
    ///
    /// Errors: `KernelError::Verify` (PX041); those of `cpu::compile` for kernels with a host form.
    pub fn new(kernel: &Kernel) -> Result<CudaKernel, KernelError> {
        verify(kernel)?;
        let form = if has_ordered_tables(kernel) {
            let (tables, host) = (Tables::new(kernel)?, cpu::compile(kernel)?);
            Form::Ordered(Box::new(Ordered { tables, host }))
        } else {
            Form::Direct(Box::new(DirectKernel::new(kernel)))
        };
        Ok(CudaKernel { form })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        match &self.form {
            Form::Direct(direct) => direct.kernel(),
            Form::Ordered(ordered) => ordered.host.kernel(),
        }
    }

    /// For a kernel whose tables depend on the order of combination: the kernel that runs in its
    /// place and writes the positions and numbers to combine.
    pub fn ordered(&self) -> Option<&Kernel> {
        match &self.form {
            Form::Direct(_) => None,
            Form::Ordered(ordered) => Some(ordered.tables.kernel()),
        }
    }

    /// Enqueues a launch.
    ///
    /// Panics (`bug:`) if a launch does not match the kernel. Errors: `DeviceError::Compile`,
    /// `DeviceError::Library`, `DeviceError::OutOfMemory`, `DeviceError::Cuda`. The device keeps
    /// errors of work that fails later.
    pub fn launch(
        &self,
        device: &Arc<CudaDevice>,
        launch: &BufferLaunch<'_>,
    ) -> Result<(), DeviceError> {
        match &self.form {
            Form::Direct(direct) => direct.launch(device, launch),
            Form::Ordered(ordered) => {
                if !ordered.tables.launch(device, launch)? {
                    run_on_host(&ordered.host, device, launch);
                }
                Ok(())
            }
        }
    }

    /// Writes the text for a launch to the source folder of a Null device, if it has one.
    pub fn save(&self, device: &NullDevice, launch: &BufferLaunch<'_>) {
        if let Form::Direct(direct) = &self.form {
            direct.save(device, launch);
        }
    }

    /// Whether launches only enqueue a kernel.
    pub(crate) fn is_enqueued(&self) -> bool {
        matches!(self.form, Form::Direct(_))
    }

    /// The texts that a launch needs and that have not been loaded.
    pub(crate) fn missing(
        &self,
        device: &CudaDevice,
        launch: &Geometry<'_>,
        scalars: &[Option<Scalar>],
    ) -> Vec<Missing<'_>> {
        match &self.form {
            Form::Direct(direct) => {
                let variant = direct.missing(device, launch);
                variant.map(|variant| Missing::kernel(direct, variant)).into_iter().collect()
            }
            Form::Ordered(ordered) => ordered.tables.missing(device, launch, scalars),
        }
    }
}

/// Runs a kernel on host copies of the buffers, and copies the written ones back.
fn run_on_host(compiled: &cpu::Compiled, device: &Arc<CudaDevice>, launch: &BufferLaunch<'_>) {
    let copies = HostCopies::of(launch.accesses.iter().map(|access| access.0));
    let copy_of = |buffer: &Buffer| match copies.get(buffer) {
        Some(copy) => copy,
        None => unreachable!("bug: a buffer without a copy"),
    };
    let on_host = BufferLaunch {
        extents: launch.extents,
        origins: launch.origins,
        accesses: launch
            .accesses
            .iter()
            .map(|(buffer, offset, strides)| (copy_of(buffer), *offset, *strides))
            .collect(),
        guards: launch.guards,
        scalars: launch.scalars.clone(),
    };
    cpu::launch(compiled, &on_host, device.pool());
    let kernel = compiled.kernel();
    for (access, (buffer, _, _)) in kernel.accesses.iter().zip(&launch.accesses) {
        if kernel[access.param].role != Role::In {
            buffer.update_from_host(copy_of(buffer));
        }
    }
}
