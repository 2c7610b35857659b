//! Ready plans: finalised, with compiled kernels and an instance for each local device.

use crate::build::ScalarSource;
use crate::error::RunError;
use crate::finalise::{Final, FinalStep, Liveness, Place, finalise};
use crate::instance::{At, BlockAt, Instance, LocalStep, instantiate};
use crate::plan::Plan;
use crate::segments::{Segment, segments};
use phalanx_device::{Buffer, Device};
use phalanx_distributed::Placement;
use phalanx_kernels::ir::Kernel;
use phalanx_kernels::structured::{self, Block};
use phalanx_kernels::{Executable, Missing};
use phalanx_ops::{Mesh, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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

    /// Whether the devices' work is done when they have been asked for it.
    pub fn is_host(&self) -> bool {
        self.device.as_ref().is_none_or(|device| device.is_host())
    }

    pub fn len(&self) -> usize {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// What a plan has come to for what is live after it: it can be refilled.
pub(crate) struct Case {
    finished: Final,
    kernels: Arc<[Arc<Executable>]>,
    runs: Arc<FirstRuns>,
}

/// What is known of the first runs of a case, whatever its numbers.
struct FirstRuns {
    /// Whether it has steps of which nobody knows before what they load.
    loads: bool,
    /// The local devices that have run it.
    devices: Mutex<FxHashSet<usize>>,
}

/// A plan that only needs memory to run.
pub(crate) struct Ready {
    /// The position in the plan of each node of the window.
    pub moved: Arc<[u32]>,
    /// Scalars behind those of the window.
    pub constants: Arc<[Scalar]>,
    pub placements: Arc<[Placement]>,
    /// Where each node of the plan lies, if it exists.
    pub places: Arc<[Option<Place>]>,
    pub kernels: Arc<[Arc<Executable>]>,
    /// One for each local device.
    pub instances: Vec<Instance>,
    /// The segments of each instance; none of devices whose work is done when it is asked for.
    pub segments: Vec<Vec<Segment>>,
    /// Whether devices tell each other something, on whatever process.
    pub is_collective: bool,
    is_loaded: OnceLock<()>,
    workspace: OnceLock<usize>,
    runs: Arc<FirstRuns>,
}

impl Ready {
    /// Bytes of the host that routines work in beside the plan's memory: those of one step of each
    /// device, which work at the same time.
    pub fn workspace(&self, devices: &[Arc<dyn Device>]) -> usize {
        let of_device = |(instance, device): (&Instance, &Arc<dyn Device>)| {
            if !device.is_host() {
                return 0;
            }
            let threads = device.pool().map_or(1, |pool| pool.current_num_threads());
            let nowhere = Buffer::without_memory(0);
            let of_step = |step: &LocalStep| match step {
                LocalStep::Routine(routine) => {
                    let operands = routine.operands.iter().map(|at| block_at(at, &nowhere));
                    let operands: SmallVec<[Block<'_>; 3]> = operands.collect();
                    let to = block_at(&routine.to, &nowhere);
                    structured::workspace(&routine.op, &operands, &to, threads)
                }
                _ => 0,
            };
            instance.steps.iter().map(of_step).max().unwrap_or(0)
        };
        *self.workspace.get_or_init(|| {
            self.instances.iter().zip(devices).map(of_device).fold(0, usize::saturating_add)
        })
    }

    /// Whether devices tell each other something.
    pub fn communicates(&self) -> bool {
        self.instances.iter().flat_map(|instance| &instance.steps).any(LocalStep::communicates)
    }

    /// Whether a device runs the plan for the first time, and has steps of which nobody knows
    /// before what they load.
    pub fn is_first_run(&self, local: usize) -> bool {
        let mut known = self.runs.devices.lock().unwrap_or_else(PoisonError::into_inner);
        self.runs.loads && known.insert(local)
    }

    /// Whether all devices of a mesh are of this process.
    pub fn is_alone(&self, mesh: &Mesh) -> bool {
        self.instances.len() == mesh.devices()
    }

    /// What a step has to load first on a device.
    fn missing(&self, step: &LocalStep, device: &Arc<dyn Device>) -> Vec<Missing<'_>> {
        match step {
            LocalStep::Launch { kernel, extents, origins, accesses, guards, scalars } => {
                let places = accesses.iter().map(|at| {
                    ((At::first_in_memory(accesses, at), at.offset), at.strides.as_slice())
                });
                let scalars: SmallVec<[Option<Scalar>; 8]> = scalars
                    .iter()
                    .map(|source| match source {
                        ScalarSource::Number(number) => Some(*number),
                        ScalarSource::Argument(_) | ScalarSource::Points(_) => None,
                    })
                    .collect();
                let kernel = &self.kernels[*kernel];
                kernel.missing(extents, origins, places, guards, &scalars, device)
            }
            LocalStep::Routine(routine) => {
                let nowhere = Buffer::without_memory(0);
                let block = |at| block_at(at, &nowhere);
                let operands: SmallVec<[Block<'_>; 3]> =
                    routine.operands.iter().map(block).collect();
                let to = block(&routine.to);
                let mut missing = structured::missing(&routine.op, &operands, &to, device);
                missing.extend(Missing::copies(device));
                missing
            }
            LocalStep::Start { .. }
            | LocalStep::Wait { .. }
            | LocalStep::Combine { .. }
            | LocalStep::Copy(_)
            | LocalStep::Compress { .. } => Missing::copies(device).into_iter().collect(),
            LocalStep::Zero { .. } => Vec::new(),
        }
    }

    /// Loads what the steps run on these devices for the shapes of this plan, several at a time:
    /// nothing is compiled or loaded while devices wait for each other.
    ///
    /// Errors: those of a GPU's compiler.
    pub fn load(&self, devices: &[Arc<dyn Device>]) -> Result<(), RunError> {
        if self.is_loaded.get().is_some() {
            return Ok(());
        }
        let mut missing: Vec<(Missing<'_>, &Arc<dyn Device>)> = Vec::new();
        for (instance, device) in self.instances.iter().zip(devices) {
            for step in &instance.steps {
                for needed in self.missing(step, device) {
                    if !missing.iter().any(|(known, _)| *known == needed) {
                        missing.push((needed, device));
                    }
                }
            }
        }
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), RunError> {
            while let Some((missing, device)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                missing.load(device)?;
            }
            Ok(())
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let helpers = missing.len().min(cores).saturating_sub(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..helpers).map(|_| scope.spawn(work)).collect();
            let own = work();
            let others = threads.into_iter().map(|thread| match thread.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            others.fold(own, Result::and)
        })?;
        let _ = self.is_loaded.set(());
        Ok(())
    }
}

/// A block in some memory.
fn block_at<'a>(at: &'a BlockAt, buffer: &'a Buffer) -> Block<'a> {
    let BlockAt { dtype, shape, origin, .. } = at;
    Block { buffer, dtype: *dtype, shape, origin }
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
        let loads = finished.steps.iter().any(|step| matches!(step, FinalStep::Routine(_)));
        let runs = Arc::new(FirstRuns { loads, devices: Mutex::default() });
        Ok(Case { finished, kernels: kernels.into(), runs })
    }

    /// The same for a plan that is this one's with other numbers, if its kernels are right for
    /// them.
    pub fn refilled(&self, plan: &Plan) -> Option<Case> {
        let (kernels, runs) = (self.kernels.clone(), self.runs.clone());
        Some(Case { finished: self.finished.refilled(plan)?, kernels, runs })
    }

    /// What devices of the mesh do.
    pub fn ready(&self, plan: &Plan, mesh: &Mesh, devices: Range<usize>, is_host: bool) -> Ready {
        let instance = |device| instantiate(plan, &self.finished, mesh, device);
        let instances: Vec<Instance> = devices.map(instance).collect();
        let of_instance = |instance: &Instance| match is_host {
            true => Vec::new(),
            false => segments(&instance.steps, &self.kernels),
        };
        let tells =
            |step: &FinalStep| matches!(step, FinalStep::Exchange(_) | FinalStep::Combine(_));
        Ready {
            is_collective: self.finished.steps.iter().any(tells),
            runs: self.runs.clone(),
            moved: plan.moved.clone(),
            constants: plan.constants.as_slice().into(),
            placements: plan.placements.clone(),
            places: self.finished.places.clone(),
            kernels: self.kernels.clone(),
            segments: instances.iter().map(of_instance).collect(),
            instances,
            is_loaded: OnceLock::new(),
            workspace: OnceLock::new(),
        }
    }
}
