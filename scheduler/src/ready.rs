//! Ready plans: finalised, with compiled kernels and an instance for each local device.

use crate::error::RunError;
use crate::finalise::{Final, FinalStep, Liveness, finalise};
use crate::instance::{Instance, instantiate};
use crate::plan::Plan;
use phalanx_kernels::cpu::{Compiled, compile};
use phalanx_kernels::ir::Kernel;
use phalanx_ops::Mesh;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Compiled kernels by structure.
#[derive(Default)]
pub(crate) struct KernelCache(Mutex<FxHashMap<Kernel, Arc<Compiled>>>);

impl KernelCache {
    pub fn get(&self, kernel: &Kernel) -> Result<Arc<Compiled>, RunError> {
        let mut kernels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = kernels.get(kernel) {
            return Ok(compiled.clone());
        }
        let compiled = Arc::new(compile(kernel)?);
        kernels.insert(kernel.clone(), compiled.clone());
        Ok(compiled)
    }

    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// A plan that only needs memory to run.
pub(crate) struct Ready {
    pub plan: Arc<Plan>,
    pub finished: Final,
    pub kernels: Vec<Arc<Compiled>>,
    /// One for each local device.
    pub instances: Vec<Instance>,
}

impl Ready {
    pub fn new(
        plan: &Arc<Plan>,
        liveness: &Liveness,
        mesh: &Mesh,
        devices: std::ops::Range<usize>,
        cache: &KernelCache,
    ) -> Result<Ready, RunError> {
        let finished = finalise(plan, liveness);
        let mut kernels = Vec::new();
        for step in &finished.steps {
            if let FinalStep::Launch(launch) = step {
                kernels.push(cache.get(&launch.built.kernel)?);
            }
        }
        let instances = devices.map(|device| instantiate(plan, &finished, mesh, device)).collect();
        Ok(Ready { plan: plan.clone(), finished, kernels, instances })
    }
}
