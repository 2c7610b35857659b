//! Fourier transforms by cuFFT.

use super::outcome::{settle, succeeded};
use crate::cuda::driver::{Library, find};
use crate::cuda::memory::{GpuMemory, Spare, Workspace};
use crate::{DeviceError, DevicePointer};
use cudarc::cufft::sys::{self, cufftHandle, cufftResult, cufftType};
use std::any::Any;
use std::ffi::{c_int, c_longlong};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The kind of a transform; none has a factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fourier {
    /// Complex to complex, with the negative exponent.
    Forward,
    /// Complex to complex, with the positive exponent.
    Inverse,
    /// Real to the first half of a complex spectrum.
    RealForward,
    /// The first half of a complex spectrum to real.
    RealInverse,
}

/// Lines of one length and their position in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FourierLines {
    /// The length of a line; for a real transform, that of the real side.
    pub length: usize,
    /// The number of lines.
    pub count: usize,
    /// Elements from one element of a line to the next, in the input and in the output.
    pub strides: [usize; 2],
    /// Elements from one line to the next, in the input and in the output.
    pub distances: [usize; 2],
    /// Whether components are binary64; otherwise binary32.
    pub is_double: bool,
}

/// The most plans that a device keeps; each may hold memory.
const KEPT: usize = 64;

/// cuFFT on a device.
pub struct Fft {
    memory: Arc<GpuMemory>,
    plans: Mutex<Plans>,
    /// How often plans were dropped.
    dropped: AtomicU64,
}

/// The cached plans of a device; the most recently used is last.
#[derive(Default)]
struct Plans(Vec<(Key, Plan)>);

/// The key of a plan; both directions of a complex transform share one plan.
type Key = (u32, FourierLines);

impl Plans {
    /// Takes a plan out, until the caller keeps it again.
    fn find(&mut self, key: &Key) -> Option<Plan> {
        let at = self.0.iter().position(|(kept, _)| kept == key)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps a plan as the most recently used, and returns the oldest if there are too many.
    fn keep(&mut self, key: Key, plan: Plan) -> Option<Plan> {
        let oldest = (self.0.len() >= KEPT).then(|| self.0.remove(0).1);
        self.0.push((key, plan));
        oldest
    }
}

/// A plan of the library and the size of its workspace.
struct Plan {
    handle: cufftHandle,
    workspace: usize,
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: nothing uses the plan any more; its enqueued work is done, or has failed.
        let _ = unsafe { sys::cufftDestroy(self.handle) };
    }
}

fn check(memory: &GpuMemory, call: &'static str, result: cufftResult) -> Result<(), DeviceError> {
    succeeded(memory, Library::Cufft, call, (result, cufftResult::CUFFT_SUCCESS))
}

impl Fourier {
    fn plan_type(self, is_double: bool) -> cufftType {
        match (self, is_double) {
            (Fourier::Forward | Fourier::Inverse, false) => cufftType::CUFFT_C2C,
            (Fourier::Forward | Fourier::Inverse, true) => cufftType::CUFFT_Z2Z,
            (Fourier::RealForward, false) => cufftType::CUFFT_R2C,
            (Fourier::RealForward, true) => cufftType::CUFFT_D2Z,
            (Fourier::RealInverse, false) => cufftType::CUFFT_C2R,
            (Fourier::RealInverse, true) => cufftType::CUFFT_Z2D,
        }
    }
}

impl Plan {
    fn new(
        memory: &GpuMemory,
        plan_type: cufftType,
        lines: &FourierLines,
    ) -> Result<Plan, DeviceError> {
        let mut handle: cufftHandle = 0;
        // SAFETY: the library is loaded, the context current, and the pointer valid.
        check(memory, "cufftCreate", unsafe { sys::cufftCreate(&raw mut handle) })?;
        let mut plan = Plan { handle, workspace: 0 };
        let mut extent = lines.length as c_longlong;
        let [stride, stride_after] = lines.strides.map(|stride| stride as c_longlong);
        let [distance, distance_after] = lines.distances.map(|distance| distance as c_longlong);
        // SAFETY: the plan lives and is of one axis, whose extents are variables of one number
        // that outlive the calls; the stream is the device's own.
        unsafe {
            let automatic = sys::cufftSetAutoAllocation(handle, 0);
            check(memory, "cufftSetAutoAllocation", automatic)?;
            let (mut embedded, mut embedded_after) = (extent, extent);
            let made = sys::cufftMakePlanMany64(
                handle,
                1,
                &raw mut extent,
                &raw mut embedded,
                stride,
                distance,
                &raw mut embedded_after,
                stride_after,
                distance_after,
                plan_type,
                lines.count as c_longlong,
                &raw mut plan.workspace,
            );
            check(memory, "cufftMakePlanMany64", made)?;
            let stream = memory.context().own_stream() as sys::cudaStream_t;
            check(memory, "cufftSetStream", sys::cufftSetStream(handle, stream))?;
        }
        settle(memory.context());
        Ok(plan)
    }

    /// # Safety
    /// As `Fft::transform`, for one pair of addresses; the work area is set.
    unsafe fn execute(
        &self,
        kind: Fourier,
        is_double: bool,
        [from, to]: [DevicePointer; 2],
    ) -> cufftResult {
        const FORWARD: c_int = -1;
        const INVERSE: c_int = 1;
        let direction = if kind == Fourier::Inverse { INVERSE } else { FORWARD };
        let handle = self.handle;
        // SAFETY: the caller's promise.
        unsafe {
            match kind.plan_type(is_double) {
                cufftType::CUFFT_C2C => {
                    sys::cufftExecC2C(handle, from.as_ptr(), to.as_ptr(), direction)
                }
                cufftType::CUFFT_Z2Z => {
                    sys::cufftExecZ2Z(handle, from.as_ptr(), to.as_ptr(), direction)
                }
                cufftType::CUFFT_R2C => sys::cufftExecR2C(handle, from.as_ptr(), to.as_ptr()),
                cufftType::CUFFT_D2Z => sys::cufftExecD2Z(handle, from.as_ptr(), to.as_ptr()),
                cufftType::CUFFT_C2R => sys::cufftExecC2R(handle, from.as_ptr(), to.as_ptr()),
                cufftType::CUFFT_Z2D => sys::cufftExecZ2D(handle, from.as_ptr(), to.as_ptr()),
            }
        }
    }
}

impl Fft {
    /// The library on the device with this memory.
    pub(in crate::cuda) fn new(memory: &Arc<GpuMemory>) -> Arc<Fft> {
        let (plans, dropped) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Fft { memory: memory.clone(), plans, dropped })
    }

    /// How often plans were dropped, which are made again when they are needed.
    pub(in crate::cuda) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::SeqCst)
    }

    fn plans(&self) -> MutexGuard<'_, Plans> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enqueues transforms of the lines at each pair of addresses, which are those of the first
    /// input and the first output element. A complex-to-real transform may overwrite its input.
    ///
    /// Errors: `DeviceError::Library` without cuFFT, `DeviceError::Cuda` if a call fails,
    /// `DeviceError::OutOfMemory` for the workspace.
    ///
    /// # Safety
    /// All lines are in this device's memory, and outputs do not overlap inputs; addresses are
    /// multiples of the size of a complex element.
    pub unsafe fn transform(
        &self,
        kind: Fourier,
        lines: &FourierLines,
        places: impl Iterator<Item = [DevicePointer; 2]>,
    ) -> Result<(), DeviceError> {
        let memory = &self.memory;
        find(Library::Cufft, memory.context().options())?;
        memory.context().enter();
        let plan_type = kind.plan_type(lines.is_double);
        let key = (plan_type as u32, *lines);
        // The plan is taken out while it is used; the other plans may be freed meanwhile.
        let known = self.plans().find(&key);
        let plan = match known {
            Some(plan) => plan,
            None => memory.with_room(|| Plan::new(memory, plan_type, lines))?,
        };
        let workspace = Workspace::new(memory, plan.workspace);
        let enqueued = workspace.and_then(|workspace| {
            // SAFETY: the plan lives, and the memory has as many bytes as it asked for.
            let set = unsafe { sys::cufftSetWorkArea(plan.handle, workspace.as_ptr()) };
            check(memory, "cufftSetWorkArea", set)?;
            places.into_iter().try_for_each(|place| {
                // SAFETY: the caller's promise.
                let done = unsafe { plan.execute(kind, lines.is_double, place) };
                check(memory, "cufftExec", done)
            })
        });
        let oldest = self.plans().keep(key, plan);
        if oldest.is_some() {
            self.dropped.fetch_add(1, Ordering::SeqCst);
            // Work of the plan may be running and read its tables.
            memory.synchronize();
        }
        enqueued
    }
}

impl Spare for Fft {
    fn take(&self) -> Option<Box<dyn Any>> {
        let plans = std::mem::take(&mut self.plans().0);
        if plans.is_empty() {
            return None;
        }
        self.dropped.fetch_add(1, Ordering::SeqCst);
        Some(Box::new(plans))
    }
}

impl Drop for Fft {
    fn drop(&mut self) {
        let _kept = self.memory.context().visit();
        self.memory.synchronize();
        self.plans.get_mut().unwrap_or_else(PoisonError::into_inner).0.clear();
    }
}
