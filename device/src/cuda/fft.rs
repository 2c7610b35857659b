//! Fourier transforms by cuFFT.

use super::device::CudaDevice;
use super::library::{Library, find, succeeded};
use crate::{Device, DeviceError};
use cudarc::cufft::sys::{self, cufftHandle, cufftResult, cufftType};
use std::ffi::{c_int, c_longlong, c_void};
use std::sync::{Arc, PoisonError};

/// What a transform leads from and to; none has a factor.
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

/// Lines of one length and where they lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FourierLines {
    /// Elements of a line; those on the real side, if there is one.
    pub length: usize,
    /// How many lines.
    pub count: usize,
    /// Elements from one of a line to the next, before and after.
    pub strides: [usize; 2],
    /// Elements from a line to the next, before and after.
    pub distances: [usize; 2],
    /// Whether components are binary64 and not binary32.
    pub is_double: bool,
}

/// Plans that a device keeps at most; each may hold some memory.
const KEPT: usize = 16;

/// Plans of a device, the one that was used last at the end.
#[derive(Default)]
pub(super) struct Plans(Vec<(Key, Plan)>);

/// What a plan is of: it serves both directions of a complex transform.
type Key = (u32, FourierLines);

impl Plans {
    /// All plans, which are dropped while the device's context is current.
    pub(super) fn take(&mut self) -> Vec<impl Sized + use<>> {
        std::mem::take(&mut self.0)
    }

    /// A plan, which is the caller's until it is kept again.
    fn find(&mut self, key: &Key) -> Option<Plan> {
        let at = self.0.iter().position(|(kept, _)| kept == key)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps a plan as the one that was used last, and gives up the oldest if there are too many.
    fn keep(&mut self, key: Key, plan: Plan) -> Option<Plan> {
        let oldest = (self.0.len() >= KEPT).then(|| self.0.remove(0).1);
        self.0.push((key, plan));
        oldest
    }
}

/// A plan of the library and the bytes that it works in.
struct Plan {
    handle: cufftHandle,
    workspace: usize,
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: nobody uses the plan any more; what it has enqueued is done, or has failed.
        let _ = unsafe { sys::cufftDestroy(self.handle) };
    }
}

fn check(device: &CudaDevice, call: &'static str, result: cufftResult) -> Result<(), DeviceError> {
    succeeded(device, Library::Cufft, call, (result, cufftResult::CUFFT_SUCCESS))
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
        device: &CudaDevice,
        plan_type: cufftType,
        lines: &FourierLines,
    ) -> Result<Plan, DeviceError> {
        let mut handle: cufftHandle = 0;
        // SAFETY: the library is loaded, the context current, and the place valid.
        check(device, "cufftCreate", unsafe { sys::cufftCreate(&raw mut handle) })?;
        let mut plan = Plan { handle, workspace: 0 };
        let mut extent = lines.length as c_longlong;
        let [stride, stride_after] = lines.strides.map(|stride| stride as c_longlong);
        let [distance, distance_after] = lines.distances.map(|distance| distance as c_longlong);
        // SAFETY: the plan lives and is of one axis, of which the extents are places of one number
        // that outlive the calls; the stream is the device's own.
        unsafe {
            let automatic = sys::cufftSetAutoAllocation(handle, 0);
            check(device, "cufftSetAutoAllocation", automatic)?;
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
            check(device, "cufftMakePlanMany64", made)?;
            let stream = device.stream_handle() as sys::cudaStream_t;
            check(device, "cufftSetStream", sys::cufftSetStream(handle, stream))?;
        }
        device.settle_libraries();
        Ok(plan)
    }

    /// # Safety
    /// As `CudaDevice::transform`, of one place before and one after; the work area is set.
    unsafe fn execute(&self, kind: Fourier, is_double: bool, [from, to]: [u64; 2]) -> cufftResult {
        const FORWARD: c_int = -1;
        const INVERSE: c_int = 1;
        let direction = if kind == Fourier::Inverse { INVERSE } else { FORWARD };
        let handle = self.handle;
        // SAFETY: the caller's promise.
        unsafe {
            match kind.plan_type(is_double) {
                cufftType::CUFFT_C2C => {
                    sys::cufftExecC2C(handle, from as *mut _, to as *mut _, direction)
                }
                cufftType::CUFFT_Z2Z => {
                    sys::cufftExecZ2Z(handle, from as *mut _, to as *mut _, direction)
                }
                cufftType::CUFFT_R2C => sys::cufftExecR2C(handle, from as *mut _, to as *mut _),
                cufftType::CUFFT_D2Z => sys::cufftExecD2Z(handle, from as *mut _, to as *mut _),
                cufftType::CUFFT_C2R => sys::cufftExecC2R(handle, from as *mut _, to as *mut _),
                cufftType::CUFFT_Z2D => sys::cufftExecZ2D(handle, from as *mut _, to as *mut _),
            }
        }
    }
}

impl CudaDevice {
    /// Enqueues transforms of the lines at each of some places: the addresses of the first element
    /// before and after. A transform to real numbers may spoil what it reads.
    ///
    /// Errors: `DeviceError::Library` without cuFFT, `DeviceError::Cuda` where it refuses,
    /// `DeviceError::OutOfMemory` for what it works in.
    ///
    /// # Safety
    /// All lines lie in this device's memory, those after apart from those before; addresses are
    /// multiples of the size of a complex element.
    pub unsafe fn transform(
        self: &Arc<Self>,
        kind: Fourier,
        lines: &FourierLines,
        places: impl Iterator<Item = [u64; 2]>,
    ) -> Result<(), DeviceError> {
        find(Library::Cufft, self.options())?;
        let plans = || self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        self.enter();
        let plan_type = kind.plan_type(lines.is_double);
        let key = (plan_type as u32, *lines);
        // Nobody else has the plan while it is used, and all others may be given up meanwhile.
        let known = plans().find(&key);
        let plan = match known {
            Some(plan) => plan,
            None => self.with_room(|| Plan::new(self, plan_type, lines))?,
        };
        // What the plan works in is free again as soon as the work is enqueued: whoever gets it is
        // behind in the order of the stream.
        let workspace = self.clone().allocate(plan.workspace);
        let enqueued = workspace.and_then(|workspace| {
            let area = workspace.as_ptr().cast::<c_void>();
            // SAFETY: the plan lives, and the memory has as many bytes as it asked for.
            let set = unsafe { sys::cufftSetWorkArea(plan.handle, area) };
            check(self, "cufftSetWorkArea", set)?;
            places.into_iter().try_for_each(|place| {
                // SAFETY: the caller's promise.
                let done = unsafe { plan.execute(kind, lines.is_double, place) };
                check(self, "cufftExec", done)
            })
        });
        let oldest = plans().keep(key, plan);
        if oldest.is_some() {
            // What it has enqueued may be under way, and read what it holds.
            self.synchronize();
        }
        enqueued
    }
}
