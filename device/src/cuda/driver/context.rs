//! A GPU's context: the driver's handles, the stream that orders the device's work, and the
//! failure that the device keeps.

use super::attributes::ATTRIBUTES;
use super::capturing;
use super::gpus::{Properties, cuda_devices, known};
use super::kept::{KeptContext, has_begun, keep_context};
use super::library::CudaOptions;
use super::result::check;
use super::suspects::{LaunchedAt, Suspects};
use crate::DeviceError;
use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute as Attribute, CUstream};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The context of a GPU, with the stream of the device's own work. Everything that a program holds
/// on a GPU keeps it.
pub struct Context {
    name: String,
    ordinal: usize,
    device: CUdevice,
    handle: CUcontext,
    stream: CUstream,
    properties: Properties,
    options: CudaOptions,
    /// The first failure, after which the device is unusable; or a refusal of memory that no caller
    /// has received yet.
    failure: Mutex<Option<DeviceError>>,
    suspects: Suspects,
}

// SAFETY: a context and a stream may be used by any thread; each call makes the context current
// first (`Context::enter`).
unsafe impl Send for Context {}
// SAFETY: as for `Send`: the driver orders concurrent calls itself.
unsafe impl Sync for Context {}

/// The contexts that the process has made.
static LIVING: Mutex<Vec<Weak<Context>>> = Mutex::new(Vec::new());

/// The contexts of the process that still exist.
pub(in crate::cuda) fn living() -> Vec<Arc<Context>> {
    let living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
    living.iter().filter_map(Weak::upgrade).collect()
}

impl Context {
    /// The context of the GPU `cuda:ordinal`.
    ///
    /// Errors: those of `cuda_devices`; `DeviceError::NoSuchDevice`; `DeviceError::Capability` for
    /// GPUs older than compute capability 8.0.
    pub(in crate::cuda) fn new(
        ordinal: usize,
        options: &CudaOptions,
    ) -> Result<Arc<Context>, DeviceError> {
        let count = cuda_devices(options)?;
        if ordinal >= count {
            return Err(DeviceError::NoSuchDevice { ordinal, count });
        }
        // SAFETY: the driver is initialised (`cuda_devices`).
        let (device, properties) = unsafe { known(ordinal)? };
        let name = format!("cuda:{ordinal}");
        let mut handle: CUcontext = std::ptr::null_mut();
        let mut stream: CUstream = std::ptr::null_mut();
        has_begun();
        let _kept = keep_context();
        // SAFETY: the driver is initialised and the device one of its own; all pointers are valid,
        // and the context is made current before the stream is made in it.
        unsafe {
            let retained = sys::cuDevicePrimaryCtxRetain(&raw mut handle, device);
            check(&name, "cuDevicePrimaryCtxRetain", retained)?;
            check(&name, "cuCtxSetCurrent", sys::cuCtxSetCurrent(handle))?;
            let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            check(&name, "cuStreamCreate", sys::cuStreamCreate(&raw mut stream, flags))?;
        }
        let options = options.clone();
        let (failure, suspects) = (Mutex::default(), Suspects::default());
        let made = Arc::new(Context {
            name,
            ordinal,
            device,
            handle,
            stream,
            properties,
            options,
            failure,
            suspects,
        });
        let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
        living.retain(|known| known.strong_count() > 0);
        living.push(Arc::downgrade(&made));
        Ok(made)
    }

    /// The device's name, such as `cuda:0`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the GPU.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The properties of the GPU.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The options of CUDA.
    pub fn options(&self) -> &CudaOptions {
        &self.options
    }

    /// The driver's number of the GPU.
    pub(in crate::cuda) fn device(&self) -> CUdevice {
        self.device
    }

    /// The driver's handle.
    pub(in crate::cuda) fn handle(&self) -> CUcontext {
        self.handle
    }

    /// The stream that orders all work of the device. It lives as long as the context.
    pub(in crate::cuda) fn own_stream(&self) -> CUstream {
        self.stream
    }

    /// The stream in which the calling thread enqueues work: the device's own, unless the thread is
    /// capturing.
    pub(in crate::cuda) fn work_stream(&self) -> CUstream {
        capturing::stream_for(self.stream)
    }

    /// Whether the calling thread is capturing this device's work.
    pub(in crate::cuda) fn is_capturing(&self) -> bool {
        self.work_stream() != self.stream
    }

    /// Lets the capture in progress keep what its work uses; without one, `kept` is not called.
    pub(in crate::cuda) fn keep_captured<T: Send + 'static>(&self, kept: impl FnOnce() -> T) {
        capturing::keep(self.stream, kept);
    }

    /// Makes the context current on the calling thread.
    pub(in crate::cuda) fn enter(&self) {
        // SAFETY: the context is retained as long as this lives.
        let entered = unsafe { sys::cuCtxSetCurrent(self.handle) };
        self.note("cuCtxSetCurrent", entered);
    }

    /// As `enter`, until the returned value is dropped.
    pub fn visit(&self) -> Option<KeptContext> {
        let kept = keep_context();
        self.enter();
        kept
    }

    /// Returns the error of a call.
    pub(in crate::cuda) fn check(
        &self,
        call: &'static str,
        result: sys::CUresult,
    ) -> Result<(), DeviceError> {
        check(&self.name, call, result).map_err(|mut error| {
            if let DeviceError::Cuda { text, .. } = &mut error {
                text.push_str(&self.suspects.text(result));
            }
            error
        })
    }

    /// Notes the launch of a kernel of the user's own: the error of a fault names it.
    pub fn suspect(&self, kernel: &str, at: LaunchedAt) {
        self.suspects.note(kernel, at);
    }

    /// Records the error of a call (the device keeps the first); returns whether there was none.
    pub(in crate::cuda) fn note(&self, call: &'static str, result: sys::CUresult) -> bool {
        match self.check(call, result) {
            Ok(()) => true,
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// Returns the error of a call; the device keeps it too, unless it is about memory.
    pub(in crate::cuda) fn check_and_note(
        &self,
        call: &'static str,
        result: sys::CUresult,
    ) -> Result<(), DeviceError> {
        let outcome = self.check(call, result);
        match &outcome {
            Ok(()) | Err(DeviceError::OutOfMemory { .. }) => {}
            Err(error) => self.fail(error.clone()),
        }
        outcome
    }

    /// As `Device::fail`.
    pub(in crate::cuda) fn fail(&self, error: DeviceError) {
        if let Some(error) = capturing::keep_failure(self.stream, error) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            match &*failure {
                None | Some(DeviceError::OutOfMemory { .. }) => *failure = Some(error),
                Some(_) => {}
            }
        }
    }

    /// As `Device::failure`.
    pub(in crate::cuda) fn failure(&self) -> Option<DeviceError> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failure {
            // The device stays usable, so the refusal is reported once.
            Some(DeviceError::OutOfMemory { .. }) => failure.take(),
            lasting => lasting.clone(),
        }
    }

    /// The free and the total bytes of the GPU.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn memory_info(&self) -> Result<(usize, usize), DeviceError> {
        let _kept = self.visit();
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current, and both pointers are valid.
        let asked = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        self.check("cuMemGetInfo", asked)?;
        Ok((free, total))
    }

    /// The globally unique identity of the GPU.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn identity(&self) -> Result<String, DeviceError> {
        let mut identity = sys::CUuuid { bytes: [0; 16] };
        // SAFETY: the device is one of the driver's, and the pointer is valid.
        let asked = unsafe { sys::cuDeviceGetUuid_v2(&raw mut identity, self.device) };
        self.check("cuDeviceGetUuid", asked)?;
        Ok(identity.bytes.iter().map(|byte| format!("{:02x}", byte.cast_unsigned())).collect())
    }

    /// The attributes that the GPU supports, by the names of CUDA's runtime.
    pub fn attributes(&self) -> Vec<(&'static str, i32)> {
        let value = |&(name, attribute): &(&'static str, Attribute)| {
            let mut value = 0;
            // SAFETY: the device is one of the driver's, and the pointer is valid.
            let asked =
                unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, self.device) };
            (asked == sys::CUresult::CUDA_SUCCESS).then_some((name, value))
        };
        ATTRIBUTES.iter().filter_map(value).collect()
    }

    /// Waits for all work of the process on the GPU, including that of other libraries.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn synchronize_all(&self) -> Result<(), DeviceError> {
        let _kept = self.visit();
        // SAFETY: the context is current.
        self.check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let kept = self.visit();
        // SAFETY: nothing of the device is in use any more.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.stream) };
        drop(kept);
        // SAFETY: as above; the thread has another context by now, or this one by its own choice.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}
