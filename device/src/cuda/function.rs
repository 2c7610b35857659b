//! Compiled kernels in memory, and their launches.

use super::device::CudaDevice;
use super::driver::check;
use crate::{Device, DeviceError};
use cudarc::driver::sys::{self, CUfunction, CUlibrary};
use std::ffi::{CString, c_void};

/// Machine code that has been loaded; any device of its architecture may run it.
pub struct Module {
    library: CUlibrary,
}

// SAFETY: a library is not bound to a context or thread.
unsafe impl Send for Module {}
// SAFETY: as for `Send`.
unsafe impl Sync for Module {}

/// A kernel that can be launched. It stays loaded for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    function: CUfunction,
}

// SAFETY: a kernel handle is not bound to a context or thread.
unsafe impl Send for Function {}
// SAFETY: as for `Send`.
unsafe impl Sync for Function {}

/// How many blocks, and threads in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    /// Blocks along the three axes.
    pub blocks: [u32; 3],
    /// Threads of a block along the three axes.
    pub threads: [u32; 3],
    /// Bytes of shared memory beyond what the kernel declares.
    pub shared: u32,
    /// Whether all blocks must run at once.
    pub together: bool,
}

impl Module {
    /// Loads machine code.
    ///
    /// Errors: `DeviceError::Cuda` if it is not for this device's architecture or is damaged.
    pub fn load(device: &CudaDevice, code: &[u8]) -> Result<Module, DeviceError> {
        device.enter();
        let mut library: CUlibrary = std::ptr::null_mut();
        let none = std::ptr::null_mut();
        // SAFETY: the code is a whole image in memory that outlives the call, which copies it;
        // there are no options.
        let loaded = unsafe {
            let code = code.as_ptr().cast::<c_void>();
            let (names, values) = (std::ptr::null_mut(), std::ptr::null_mut());
            sys::cuLibraryLoadData(&raw mut library, code, names, values, 0, none, values, 0)
        };
        check(&device.name(), "cuLibraryLoadData", loaded)?;
        Ok(Module { library })
    }

    /// The kernel of a name.
    ///
    /// Errors: `DeviceError::Cuda` if there is none.
    pub fn function(&self, device: &CudaDevice, name: &str) -> Result<Function, DeviceError> {
        device.enter();
        let Ok(name) = CString::new(name) else { unreachable!("bug: a name with a zero") };
        let mut kernel = std::ptr::null_mut();
        let mut function: CUfunction = std::ptr::null_mut();
        // SAFETY: the library is loaded, the context current, and the places are valid.
        unsafe {
            let found = sys::cuLibraryGetKernel(&raw mut kernel, self.library, name.as_ptr());
            check(&device.name(), "cuLibraryGetKernel", found)?;
            let got = sys::cuKernelGetFunction(&raw mut function, kernel);
            check(&device.name(), "cuKernelGetFunction", got)?;
        }
        Ok(Function { function })
    }
}

impl Function {
    /// Enqueues the kernel with one argument: `argument` is the bytes of its only parameter, which
    /// it takes by value. A failure stays with the device.
    ///
    /// # Safety
    /// The bytes are a parameter of the kernel, and what it does with the addresses in them is
    /// right.
    pub unsafe fn launch(&self, device: &CudaDevice, size: GridSize, argument: &[u8]) {
        device.enter();
        let mut parameters = [argument.as_ptr().cast_mut().cast::<c_void>()];
        let ([x, y, z], [a, b, c]) = (size.blocks, size.threads);
        let parameters = parameters.as_mut_ptr();
        let stream = device.work_stream();
        // SAFETY: the caller's promise; the parameter is copied before the call returns.
        let launched = unsafe {
            match size.together {
                false => sys::cuLaunchKernel(
                    self.function,
                    x,
                    y,
                    z,
                    a,
                    b,
                    c,
                    size.shared,
                    stream,
                    parameters,
                    std::ptr::null_mut(),
                ),
                true => sys::cuLaunchCooperativeKernel(
                    self.function,
                    x,
                    y,
                    z,
                    a,
                    b,
                    c,
                    size.shared,
                    stream,
                    parameters,
                ),
            }
        };
        device.note("cuLaunchKernel", launched);
    }

    /// How many blocks of so many threads a multiprocessor holds at once.
    pub fn blocks_at_once(&self, device: &CudaDevice, threads: u32, shared: u32) -> u32 {
        device.enter();
        let mut blocks = 0;
        // SAFETY: the function is loaded and the place valid.
        let asked = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.function,
                threads as i32,
                shared as usize,
            )
        };
        device.note("cuOccupancyMaxActiveBlocksPerMultiprocessor", asked);
        blocks as u32
    }
}
