//! Ready plans: finalised plans with compiled kernels and an instance for each local device.

use crate::build::ScalarSource;
use crate::error::RunError;
use crate::finalise::{Final, FinalStep, Liveness, Place, finalise};
use crate::instance::{At, Instance, LocalStep, Together, assert_sound, instantiate};
use crate::moves::{Move, moves};
use crate::plan::Plan;
use crate::routines::Routines;
use crate::segments::{Segment, segments};
use crate::timeline::{StepName, names};
use phalanx_device::{Buffer, Device};
use phalanx_distributed::{Placement, Setup};
use phalanx_graph::NodeId;
use phalanx_kernels::ir::Kernel;
use phalanx_kernels::structured::{self, Block};
use phalanx_kernels::{Executable, Missing};
use phalanx_ops::{Bytes, Mesh, Scalar};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most kernels that are kept; beyond, those that no plan holds are dropped.
const MOST_KERNELS: usize = 4096;

/// Compiled kernels by structure, for a session's kind of device.
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

    /// Whether a call that gives the devices work returns only when the work is done.
    pub fn is_host(&self) -> bool {
        self.device.as_ref().is_none_or(|device| device.is_host())
    }

    pub fn len(&self) -> usize {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// The session that plans are made for.
pub(crate) struct Target<'a> {
    pub setup: Setup<'a>,
    /// The devices of this process.
    pub devices: Range<usize>,
    pub kernels: &'a KernelCache,
    /// Whether the steps of devices have names, for a timeline.
    pub is_named: bool,
    /// The most bytes of the copies of leaves that lie otherwise than their partners.
    pub most_moved: Bytes,
}

/// A plan specialised for one set of live values; it can be refilled.
pub(crate) struct Case {
    finished: Final,
    kernels: Arc<[Arc<Executable>]>,
}

/// A plan that needs only memory to run.
pub(crate) struct Ready {
    /// For each node of the window, the node of the plan.
    pub moved: Arc<[NodeId]>,
    /// Scalars of phases, which follow those of the window.
    pub constants: Arc<[Scalar]>,
    pub placements: Arc<[Placement]>,
    /// The leaves of which it exchanges a large part.
    pub moves: Box<[Move]>,
    /// The place of each node of the plan that has a value.
    pub places: Arc<[Option<Place>]>,
    pub kernels: Arc<[Arc<Executable>]>,
    /// One for each local device.
    pub instances: Vec<Instance>,
    /// The segments of each instance; none on host devices.
    pub segments: Vec<Vec<Segment>>,
    /// The names of each instance's steps; none without a timeline.
    pub names: Vec<Vec<StepName>>,
    /// The names of each instance's segments; none without a timeline.
    pub graphs: Vec<Vec<StepName>>,
    /// Whether any devices of the mesh communicate.
    pub is_collective: bool,
    is_loaded: OnceLock<()>,
    workspace: OnceLock<Bytes>,
    loading: Loading,
}

/// Which runs of a plan load code of libraries.
struct Loading {
    /// Whether it has routines: what a library loads for its numbers is not known before it runs.
    has_routines: bool,
    /// How much the devices had forgotten (`Device::forgotten`) at the last run.
    forgotten: Mutex<Option<u64>>,
}

impl Loading {
    fn next(&self, forgotten: u64) -> bool {
        let mut last = self.forgotten.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_routines && last.replace(forgotten) != Some(forgotten)
    }
}

impl Ready {
    /// Host memory that routines need beside the plan's memory: the largest need of each device's
    /// steps, summed, because devices work at the same time.
    pub fn workspace(&self, devices: &[Arc<dyn Device>]) -> Bytes {
        let of_device = |(instance, device): (&Instance, &Arc<dyn Device>)| {
            if !device.is_host() {
                return Bytes(0);
            }
            let threads = device.pool().map_or(1, |pool| pool.current_num_threads());
            let nowhere = Buffer::without_memory(0);
            let of_step = |step: &LocalStep| match step {
                LocalStep::Routine(routine) if routine.together.is_none() => {
                    let operands = routine.operands.iter().map(|at| at.on(&nowhere));
                    let operands: SmallVec<[Block<'_>; 3]> = operands.collect();
                    let to = routine.to.on(&nowhere);
                    let library = device.blas().is_some();
                    structured::workspace(&routine.op, &operands, &to, threads, library)
                }
                _ => Bytes(0),
            };
            instance.steps.iter().map(of_step).max().unwrap_or_default()
        };
        *self.workspace.get_or_init(|| {
            let of_devices = self.instances.iter().zip(devices).map(of_device);
            of_devices.fold(Bytes(0), Bytes::saturating_add)
        })
    }

    /// Whether this process's devices communicate.
    pub fn communicates(&self) -> bool {
        self.instances.iter().flat_map(|instance| &instance.steps).any(LocalStep::communicates)
    }

    /// Whether the next run may load code, if the devices have forgotten this much by then. Every
    /// run asks once.
    pub fn loads(&self, forgotten: u64) -> bool {
        self.loading.next(forgotten)
    }

    /// Whether this process has all devices of a mesh.
    pub fn is_alone(&self, mesh: &Mesh) -> bool {
        self.instances.len() == mesh.devices()
    }

    /// The code that a step must load on a device before it runs.
    fn missing(
        &self,
        step: &LocalStep,
        routines: Routines,
        device: &Arc<dyn Device>,
    ) -> Vec<Missing<'_>> {
        match step {
            LocalStep::Launch { kernel, extents, origins, accesses, guards, scalars } => {
                let places = accesses.iter().map(|at| {
                    ((At::first_in_memory(accesses, at), at.offset), at.strides.as_slice())
                });
                let scalars: SmallVec<[Option<Scalar>; 8]> = scalars
                    .iter()
                    .map(|source| match source {
                        ScalarSource::Number(number) => Some(*number),
                        _ => None,
                    })
                    .collect();
                let kernel = &self.kernels[*kernel];
                kernel.missing(extents, origins, places, guards, &scalars, device)
            }
            LocalStep::Routine(routine) => {
                let nowhere = Buffer::without_memory(0);
                let operands: SmallVec<[Block<'_>; 3]> =
                    routine.operands.iter().map(|at| at.on(&nowhere)).collect();
                let to = routine.to.on(&nowhere);
                let own = || structured::missing(&routine.op, &operands, &to, device);
                let mut missing = match &routine.together {
                    None => own(),
                    Some(Together { largest, .. }) => {
                        let together = routines.of(&routine.op);
                        together.map_or_else(Vec::new, |together| {
                            together.missing(&routine.op, (&operands, largest), &to, device)
                        })
                    }
                };
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

    /// Loads the code of all steps for these devices, on several threads, so that nothing is
    /// compiled or loaded while devices wait for each other.
    ///
    /// Errors: those of a GPU's compiler.
    pub fn load(&self, devices: &[Arc<dyn Device>], routines: Routines) -> Result<(), RunError> {
        if self.is_loaded.get().is_some() {
            return Ok(());
        }
        let mut missing: Vec<(Missing<'_>, &Arc<dyn Device>)> = Vec::new();
        for (instance, device) in self.instances.iter().zip(devices) {
            for step in &instance.steps {
                for needed in self.missing(step, routines, device) {
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
        // The number of cores is read from files: too slow for a plan that lacks nothing.
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let helpers = match missing.len() {
            0 | 1 => 0,
            more => more.min(cores()) - 1,
        };
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

impl Case {
    /// Finalises a plan and compiles the kernels that are new.
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

    /// The same case for a refill of its plan, if the kernels are correct for the new numbers.
    pub fn refilled(&self, plan: &Plan, liveness: &Liveness) -> Option<Case> {
        let finished = self.finished.refilled(plan)?;
        if cfg!(debug_assertions) {
            finished.assert_sound(plan, liveness);
        }
        Some(Case { finished, kernels: self.kernels.clone() })
    }

    /// The ready plan of some devices of the mesh.
    pub fn ready(&self, plan: &Plan, target: &Target<'_>) -> Ready {
        let (devices, mesh) = (target.devices.clone(), target.setup.mesh);
        let is_host = target.kernels.is_host();
        let instance = |device| instantiate(plan, &self.finished, mesh, device);
        let instances: Vec<Instance> = devices.clone().map(instance).collect();
        if cfg!(debug_assertions) {
            assert_sound(plan, &self.finished, mesh, devices.clone(), &instances);
        }
        let of_instance = |instance: &Instance| {
            if is_host { Vec::new() } else { segments(&instance.steps, &self.kernels) }
        };
        let communicates = |step: &FinalStep| match step {
            FinalStep::Exchange(_) | FinalStep::Combine(_) => true,
            FinalStep::Routine(node) => plan.placements[node.index()].together().is_some(),
            _ => false,
        };
        let is_routine = |step: &FinalStep| matches!(step, FinalStep::Routine(_));
        let segments: Vec<Vec<Segment>> = instances.iter().map(of_instance).collect();
        let named = |(device, instance): (usize, &Instance)| {
            names(plan, &self.finished, instance, mesh, device)
        };
        let names: Vec<Vec<StepName>> = match target.is_named {
            true => devices.zip(&instances).map(named).collect(),
            false => Vec::new(),
        };
        let graphs = names.iter().zip(&segments).map(|(names, segments)| {
            let of_segment = |segment: &Segment| StepName::of_graph(&names[segment.steps.clone()]);
            segments.iter().map(of_segment).collect()
        });
        let graphs = graphs.collect();
        Ready {
            is_collective: self.finished.steps.iter().any(communicates),
            moved: plan.moved.clone(),
            constants: plan.constants.as_slice().into(),
            placements: plan.placements.clone(),
            moves: moves(plan, mesh, target.most_moved),
            places: self.finished.places.clone(),
            kernels: self.kernels.clone(),
            segments,
            names,
            graphs,
            instances,
            is_loaded: OnceLock::new(),
            workspace: OnceLock::new(),
            loading: Loading {
                has_routines: self.finished.steps.iter().any(is_routine),
                forgotten: Mutex::default(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_load_code_first_and_after_a_device_has_forgotten_some() {
        let of = |has_routines| Loading { has_routines, forgotten: Mutex::default() };
        let runs = [0, 0, 3, 3, 4];
        let loading = of(true);
        assert_eq!(runs.map(|forgotten| loading.next(forgotten)), [true, false, true, false, true]);
        let kernels = of(false);
        assert_eq!(runs.map(|forgotten| kernels.next(forgotten)), [false; 5]);
    }
}
