//! Loaded kernels and their launches.

use crate::DeviceError;
use crate::cuda::driver::{Context, living};
use crate::cuda::streams::Stream;
use cudarc::driver::sys::{
    self, CUfunction, CUkernel, CUlaunchAttribute as Attribute, CUlaunchAttributeID as Id,
    CUlaunchAttributeValue, CUlaunchConfig, CUlibrary, CUstream,
};
use smallvec::SmallVec;
use std::ffi::{CString, c_void};
use std::sync::{Mutex, PoisonError};

/// Loaded machine code, which any device of its architecture may run.
pub struct Module {
    library: CUlibrary,
}

// SAFETY: a library is not bound to a context or thread.
unsafe impl Send for Module {}
// SAFETY: as for `Send`.
unsafe impl Sync for Module {}

/// A kernel that can be launched on every device of its architecture. It stays loaded for the life
/// of the process.
///
/// It keeps the driver's kernel, not the function in a device's context: the functions of a context
/// end with the last device that uses the context.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    kernel: CUkernel,
}

/// All kernels of the process, each with its architecture.
static KNOWN: Mutex<Vec<(u32, Function)>> = Mutex::new(Vec::new());

// SAFETY: a kernel handle is not bound to a context or thread.
unsafe impl Send for Function {}
// SAFETY: as for `Send`.
unsafe impl Sync for Function {}

/// The number of thread blocks, and of threads in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    /// Thread blocks along the three axes.
    pub blocks: [u32; 3],
    /// Threads of a thread block along the three axes.
    pub threads: [u32; 3],
    /// Bytes of shared memory beyond what the kernel declares.
    pub shared: u32,
    /// When its thread blocks start.
    pub blocks_come: Coming,
}

/// When the thread blocks of a kernel start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coming {
    /// After the earlier work is done.
    InTurn,
    /// As soon as there is room: the kernel's first statement waits for the earlier work. Before
    /// compute capability 9.0, as `InTurn`.
    Early,
    /// After the earlier work and all at once, so that thread blocks can wait for each other.
    Together,
}

/// The first compute capability whose thread blocks may start early.
const FIRST_EARLY: u32 = 90;

/// The oldest driver that reports the sizes of a kernel's parameters, by the version of CUDA that
/// it supports.
const TELLS_PARAMETERS: u32 = 12_040;

/// An attribute of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionAttribute {
    /// The most threads of a thread block.
    MostThreads,
    /// Bytes of shared memory that the kernel declares.
    Shared,
    /// Bytes of constant memory.
    Constant,
    /// Bytes of local memory of a thread.
    Local,
    /// Registers of a thread.
    Registers,
    /// The version of the virtual architecture, 90 for 9.0.
    VirtualVersion,
    /// The version of the machine code.
    CodeVersion,
    /// Whether global loads are cached in the first level.
    CacheMode,
    /// The most bytes of shared memory beyond what the kernel declares. Can be set.
    MostDynamicShared,
    /// The percentage of the first level's memory that is shared memory. Can be set.
    Carveout,
}

impl FunctionAttribute {
    fn key(self) -> sys::CUfunction_attribute {
        use sys::CUfunction_attribute as Key;
        match self {
            FunctionAttribute::MostThreads => Key::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            FunctionAttribute::Shared => Key::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            FunctionAttribute::Constant => Key::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
            FunctionAttribute::Local => Key::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
            FunctionAttribute::Registers => Key::CU_FUNC_ATTRIBUTE_NUM_REGS,
            FunctionAttribute::VirtualVersion => Key::CU_FUNC_ATTRIBUTE_PTX_VERSION,
            FunctionAttribute::CodeVersion => Key::CU_FUNC_ATTRIBUTE_BINARY_VERSION,
            FunctionAttribute::CacheMode => Key::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
            FunctionAttribute::MostDynamicShared => {
                Key::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            }
            FunctionAttribute::Carveout => Key::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        }
    }
}

impl Module {
    /// The driver's handle, for other libraries.
    pub fn address(&self) -> usize {
        self.library as usize
    }

    /// Loads machine code.
    ///
    /// Errors: `DeviceError::Cuda` if the code is damaged or for another architecture.
    pub fn load(context: &Context, code: &[u8]) -> Result<Module, DeviceError> {
        context.enter();
        let mut library: CUlibrary = std::ptr::null_mut();
        let none = std::ptr::null_mut();
        // SAFETY: the code is a whole image in memory that outlives the call, which copies it;
        // there are no options.
        let loaded = unsafe {
            let code = code.as_ptr().cast::<c_void>();
            let (names, values) = (std::ptr::null_mut(), std::ptr::null_mut());
            sys::cuLibraryLoadData(&raw mut library, code, names, values, 0, none, values, 0)
        };
        context.check("cuLibraryLoadData", loaded)?;
        Ok(Module { library })
    }

    /// Loads all kernels on a device, which finds out whether the device can run the code.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn try_load(&self, context: &Context) -> Result<(), DeviceError> {
        context.enter();
        let mut module = std::ptr::null_mut();
        // SAFETY: the library is loaded, the context current, and the pointer is valid.
        let got = unsafe { sys::cuLibraryGetModule(&raw mut module, self.library) };
        context.check("cuLibraryGetModule", got)
    }

    /// The address and the size in bytes of a variable on a device; `None` if there is none of that
    /// name.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn global(
        &self,
        context: &Context,
        name: &str,
    ) -> Result<Option<(u64, usize)>, DeviceError> {
        context.enter();
        let Ok(name) = CString::new(name) else { return Ok(None) };
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the library is loaded, the context current, and the pointers are valid.
        let found = unsafe {
            sys::cuLibraryGetGlobal(&raw mut address, &raw mut bytes, self.library, name.as_ptr())
        };
        if found == sys::CUresult::CUDA_ERROR_NOT_FOUND {
            return Ok(None);
        }
        context.check("cuLibraryGetGlobal", found)?;
        Ok(Some((address, bytes)))
    }

    /// The kernel with a name, loaded on this device and on all others of its architecture in the
    /// process, so that none is loaded later, when devices may wait for each other.
    ///
    /// Errors: `DeviceError::Cuda` if there is none.
    pub fn function(&self, context: &Context, name: &str) -> Result<Function, DeviceError> {
        self.find(context, name)?.ok_or_else(|| DeviceError::Cuda {
            device: String::from(context.name()),
            call: "cuLibraryGetKernel",
            name: String::from("CUDA_ERROR_NOT_FOUND"),
            text: format!("the machine code has no kernel {name}"),
        })
    }

    /// As `function`; `None` if the machine code has no such kernel.
    ///
    /// Errors: `DeviceError::Cuda` if it cannot be loaded.
    pub fn find(&self, context: &Context, name: &str) -> Result<Option<Function>, DeviceError> {
        context.enter();
        let Ok(name) = CString::new(name) else { unreachable!("bug: a name with a zero") };
        let mut kernel: CUkernel = std::ptr::null_mut();
        // SAFETY: the library is loaded, the context current, and the pointer is valid.
        let found =
            unsafe { sys::cuLibraryGetKernel(&raw mut kernel, self.library, name.as_ptr()) };
        if found == sys::CUresult::CUDA_ERROR_NOT_FOUND {
            return Ok(None);
        }
        context.check("cuLibraryGetKernel", found)?;
        let function = Function { kernel };
        let capability = context.properties().capability;
        // Recorded before it is loaded: a device that is made meanwhile loads it itself.
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).push((capability, function));
        function.load(context)?;
        for other in living() {
            if other.properties().capability == capability {
                function.load(&other)?;
            }
        }
        context.enter();
        Ok(Some(function))
    }
}

/// Loads every kernel that the process has for a device's architecture, so that none is loaded
/// while the device waits for others.
pub(in crate::cuda) fn load_known(context: &Context) -> Result<(), DeviceError> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let own = known.iter().filter(|(capability, _)| *capability == context.properties().capability);
    own.map(|(_, function)| function).try_for_each(|function| function.load(context))
}

impl Function {
    /// The driver's handle, for other libraries.
    pub fn address(&self) -> usize {
        self.kernel as usize
    }

    /// Loads the kernel into the context of a device; otherwise its first launch does.
    fn load(&self, context: &Context) -> Result<(), DeviceError> {
        context.enter();
        let mut function: CUfunction = std::ptr::null_mut();
        // SAFETY: the kernel stays loaded, the context is current, and the pointer is valid.
        let got = unsafe { sys::cuKernelGetFunction(&raw mut function, self.kernel) };
        context.check("cuKernelGetFunction", got)
    }

    /// The kernel as a function handle, which the driver accepts instead.
    fn handle(&self) -> CUfunction {
        self.kernel as CUfunction
    }

    /// Enqueues the kernel. `argument` is the bytes of its only parameter, which is passed by
    /// value. The device keeps later failures.
    ///
    /// Errors: `DeviceError::Cuda`, which the device (or the capture in progress) keeps too;
    /// `DeviceError::OutOfMemory`. After an error, enqueue no work that relies on the kernel's
    /// output.
    ///
    /// # Safety
    /// The bytes are the kernel's parameter, and its accesses through the addresses in them are
    /// valid.
    pub unsafe fn launch(
        &self,
        context: &Context,
        size: GridSize,
        argument: &[u8],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.enqueue(context, context.work_stream(), size, &[argument]) }
    }

    /// As `launch`, for a kernel with any number of parameters.
    ///
    /// Errors: as `launch`.
    ///
    /// # Safety
    /// As `launch`, for each parameter.
    pub unsafe fn launch_with(
        &self,
        context: &Context,
        size: GridSize,
        parameters: &[&[u8]],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.enqueue(context, context.work_stream(), size, parameters) }
    }

    /// As `launch`, in the order of another stream.
    ///
    /// Errors: as `launch`.
    ///
    /// # Safety
    /// As `launch`.
    pub unsafe fn launch_in(
        &self,
        stream: &Stream,
        size: GridSize,
        argument: &[u8],
    ) -> Result<(), DeviceError> {
        let (context, handle) = (stream.context(), stream.handle() as CUstream);
        let _kept = context.visit();
        // SAFETY: the caller's promise; the stream lives.
        unsafe { self.enqueue(context, handle, size, &[argument]) }
    }

    /// # Safety
    /// As `launch`; the stream is one of the device.
    unsafe fn enqueue(
        &self,
        context: &Context,
        stream: CUstream,
        size: GridSize,
        parameters: &[&[u8]],
    ) -> Result<(), DeviceError> {
        context.enter();
        let mut parameters: SmallVec<[*mut c_void; 16]> =
            parameters.iter().map(|bytes| bytes.as_ptr().cast_mut().cast()).collect();
        let attribute = |id, value| Attribute { id, pad: [0; 4], value };
        let all_at_once = CUlaunchAttributeValue { cooperative: 1 };
        let early = CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 };
        let mut attribute = match size.blocks_come {
            Coming::InTurn => None,
            Coming::Together => Some(attribute(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, all_at_once)),
            Coming::Early if context.properties().capability < FIRST_EARLY => None,
            Coming::Early => {
                let id = Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
                Some(attribute(id, early))
            }
        };
        let ([x, y, z], [a, b, c]) = (size.blocks, size.threads);
        let config = CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: a,
            blockDimY: b,
            blockDimZ: c,
            sharedMemBytes: size.shared,
            hStream: stream,
            numAttrs: u32::from(attribute.is_some()),
            attrs: attribute.as_mut().map_or(std::ptr::null_mut(), |one| &raw mut *one),
        };
        let (parameters, none) = (parameters.as_mut_ptr(), std::ptr::null_mut());
        let function = self.handle();
        // SAFETY: the caller's promise; a kernel stands for its function in the current context;
        // the data behind the pointers outlives the call, which copies it.
        let launched =
            unsafe { sys::cuLaunchKernelEx(&raw const config, function, parameters, none) };
        context.check_and_note("cuLaunchKernelEx", launched)
    }

    /// An attribute of the kernel on a device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn attribute(
        &self,
        context: &Context,
        attribute: FunctionAttribute,
    ) -> Result<i32, DeviceError> {
        context.enter();
        let (mut value, device) = (0, context.device());
        // SAFETY: the kernel is loaded, and the pointer is valid.
        let asked = unsafe {
            sys::cuKernelGetAttribute(&raw mut value, attribute.key(), self.kernel, device)
        };
        context.check("cuKernelGetAttribute", asked)?;
        Ok(value)
    }

    /// Sets an attribute of the kernel on a device.
    ///
    /// Errors: `DeviceError::Cuda` for a value that the device does not have, or an attribute that
    /// cannot be set.
    pub fn set_attribute(
        &self,
        context: &Context,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<(), DeviceError> {
        context.enter();
        // SAFETY: the kernel is loaded.
        let set = unsafe {
            sys::cuKernelSetAttribute(attribute.key(), value, self.kernel, context.device())
        };
        context.check("cuKernelSetAttribute", set)
    }

    /// The size in bytes of each parameter; `None` if the driver is too old to tell.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn parameters(&self, context: &Context) -> Result<Option<Vec<usize>>, DeviceError> {
        if context.properties().driver < TELLS_PARAMETERS {
            return Ok(None);
        }
        context.enter();
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the kernel is loaded, and the pointers are valid.
            let asked = unsafe {
                sys::cuKernelGetParamInfo(self.kernel, sizes.len(), &raw mut offset, &raw mut size)
            };
            if asked == sys::CUresult::CUDA_ERROR_INVALID_VALUE {
                return Ok(Some(sizes));
            }
            context.check("cuKernelGetParamInfo", asked)?;
            sizes.push(size);
        }
    }

    /// The number of thread blocks of this size that a multiprocessor runs at once.
    pub fn blocks_at_once(&self, context: &Context, threads: u32, shared: u32) -> u32 {
        context.enter();
        let (mut blocks, function) = (0, self.handle());
        // SAFETY: the kernel is loaded, and stands for its function in the current context; the
        // pointer is valid.
        let asked = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                function,
                threads as i32,
                shared as usize,
            )
        };
        context.note("cuOccupancyMaxActiveBlocksPerMultiprocessor", asked);
        blocks as u32
    }
}
