//! Ready plans: finalised, with compiled kernels and an instance for each local device.

use crate::error::RunError;
use crate::finalise::{Final, FinalStep, Liveness, Place, finalise};
use crate::instance::{Instance, LocalStep, instantiate};
use crate::plan::Plan;
use phalanx_device::Device;
use phalanx_distributed::Placement;
use phalanx_kernels::Executable;
use phalanx_kernels::ir::Kernel;
use phalanx_ops::Mesh;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Kernels that are kept; beyond, those that no plan holds are forgotten.
const MOST_KERNELS: usize = 4096;

/// Compiled kernels by structure, for the kind of device that a session has.
#[derive(Default)]
pub(crate) struct KernelCache {
    device: Option<Arc<dyn Device>>,
    kernels: Mutex<FxHashMap<Kernel, Arc<Executable>>>,
}

impl KernelCache {
    /// A cache for kernels of devices of this kind.
    pub fn new(device: Option<Arc<dyn Device>>) -> KernelCache {
        KernelCache { device, kernels: Mutex::default() }
    }

    pub fn get(&self, kernel: &Kernel) -> Result<Arc<Executable>, RunError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = kernels.get(kernel) {
            return Ok(compiled.clone());
        }
        if kernels.len() >= MOST_KERNELS {
            kernels.retain(|_, compiled| Arc::strong_count(compiled) > 1);
        }
        let compiled = Arc::new(Executable::new(kernel, self.device.as_deref())?);
        kernels.insert(kernel.clone(), compiled.clone());
        Ok(compiled)
    }

    pub fn len(&self) -> usize {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// What a plan has come to for what is live after it: it can be refilled.
pub(crate) struct Case {
    finished: Final,
    kernels: Arc<[Arc<Executable>]>,
}

/// A plan that only needs memory to run.
pub(crate) struct Ready {
    /// The position in the plan of each node of the window.
    pub moved: Arc<[u32]>,
    pub placements: Arc<[Placement]>,
    /// Where each node of the plan lies, if it exists.
    pub places: Arc<[Option<Place>]>,
    pub kernels: Arc<[Arc<Executable>]>,
    /// One for each local device.
    pub instances: Vec<Instance>,
}

impl Ready {
    /// Whether devices tell each other something.
    pub fn communicates(&self) -> bool {
        self.instances.iter().flat_map(|instance| &instance.steps).any(LocalStep::communicates)
    }
}

impl Case {
    /// Finalises a plan and compiles what has never been compiled.
    pub fn new(plan: &Plan, liveness: &Liveness, cache: &KernelCache) -> Result<Case, RunError> {
        let finished = finalise(plan, liveness);
        let mut kernels = Vec::new();
        for step in &finished.steps {
            if let FinalStep::Launch(launch) = step {
                kernels.push(cache.get(&launch.built.kernel)?);
            }
        }
        Ok(Case { finished, kernels: kernels.into() })
    }

    /// The same for a plan that is this one's with other numbers, if its kernels are right for
    /// them.
    pub fn refilled(&self, plan: &Plan) -> Option<Case> {
        Some(Case { finished: self.finished.refilled(plan)?, kernels: self.kernels.clone() })
    }

    /// What devices of the mesh do.
    pub fn ready(&self, plan: &Plan, mesh: &Mesh, devices: Range<usize>) -> Ready {
        let instance = |device| instantiate(plan, &self.finished, mesh, device);
        Ready {
            moved: plan.moved.clone(),
            placements: plan.placements.clone(),
            places: self.finished.places.clone(),
            kernels: self.kernels.clone(),
            instances: devices.map(instance).collect(),
        }
    }
}
