//! The facts that a session reports about itself, its processes and its devices.

use super::Session;
use crate::startup::{InitError, gpu};
use phalanx_device::cuda::CudaDevice;
use phalanx_graph::{MeshHandle, call_site};
use phalanx_ops::Mesh;
use phalanx_scheduler::Counters;
use std::sync::Arc;

/// The memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// The bytes of arrays and of running plans.
    pub in_use: usize,
    /// The largest number of bytes that it has held.
    pub peak: usize,
    /// The largest number of bytes that it may hold, if there is a limit.
    pub limit: Option<usize>,
    /// On a GPU: the bytes that are kept for later arrays, and the number of their blocks.
    pub cached: (usize, usize),
}

/// A process of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFacts {
    /// The host on which it runs.
    pub host: String,
    /// The number of its devices.
    pub devices: usize,
}

impl Session {
    /// The mesh of all devices.
    pub fn mesh(&self) -> &Mesh {
        self.mesh.mesh()
    }

    /// The mesh with its open window, for arrays on this mesh whatever the default is.
    pub fn handle(&self) -> &MeshHandle {
        &self.mesh
    }

    /// A mesh of this process's devices alone, for work that depends on the rank. It posts no
    /// tickets, and arrays on it belong to this process. Arrays of different meshes cannot be
    /// mixed; `Array::local_shards` and `Array::from_local` convert between them. Local.
    ///
    /// Errors: `PX051` if threads cannot be started.
    #[track_caller]
    pub fn local(&self) -> Result<MeshHandle, InitError> {
        let site = call_site();
        let local = self.scheduler.local().map_err(|failure| InitError::new(failure, site))?;
        Ok(MeshHandle::new(local))
    }

    /// The processes, by rank. Local.
    pub fn processes(&self) -> Vec<ProcessFacts> {
        let world = self.scheduler.world();
        let own = (world.size() == 1).then(phalanx_collectives::host_name);
        let hosts = own.into_iter().chain(world.hosts().map(str::to_owned));
        let pairs = hosts.zip(world.device_counts());
        pairs.map(|(host, &devices)| ProcessFacts { host, devices }).collect()
    }

    /// The transport of messages between processes, `mpi` or `tcp`, with the reason against MPI;
    /// `local` if there is one process. Local.
    pub fn transport(&self) -> (&'static str, Option<&str>) {
        let world = self.scheduler.world();
        (world.transport(), world.without_mpi())
    }

    /// The library that multiplies and factorises matrices on CPU devices, or why our own routines
    /// do. Local.
    pub fn blas(&self) -> &str {
        &self.blas
    }

    /// How data in GPU memory travels between devices, and why; `None` unless there are several
    /// devices and all are GPUs. Local.
    pub fn gpu_path(&self) -> Option<String> {
        self.scheduler.world().gpu_path().map(ToString::to_string)
    }

    /// Counters of the session's work so far. Local.
    pub fn counters(&self) -> Counters {
        self.scheduler.counters()
    }

    /// The largest number of bytes that a device of this process has held. Local.
    pub fn peak_bytes(&self) -> usize {
        self.scheduler.devices().iter().map(|device| device.peak_bytes()).max().unwrap_or(0)
    }

    /// The memory of each device of this process. Local.
    pub fn memory(&self) -> Vec<DeviceMemory> {
        let devices = self.scheduler.devices().iter().map(|device| DeviceMemory {
            in_use: device.bytes_in_use(),
            peak: device.peak_bytes(),
            limit: device.memory_limit(),
            cached: gpu(device).map_or((0, 0), |gpu| gpu.cached()),
        });
        devices.collect()
    }

    /// The GPUs of this process, in the order of its devices; empty on CPUs. Local.
    pub fn gpus(&self) -> Vec<Arc<CudaDevice>> {
        self.scheduler.devices().iter().filter_map(gpu).collect()
    }

    /// Resets the peak to the present use of memory. Local.
    pub fn reset_peak(&self) {
        self.scheduler.devices().iter().for_each(|device| device.reset_peak());
    }
}
