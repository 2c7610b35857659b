//! Matrix products by cuBLAS.

use super::outcome::{settle, succeeded};
use crate::cuda::driver::{Library, find};
use crate::cuda::memory::{GpuMemory, Workspace};
use crate::{DeviceError, DevicePointer};
use cudarc::cublas::sys::{self, cublasHandle_t, cublasStatus_t};
use cudarc::cublas::sys::{cublasComputeType_t as Compute, cudaDataType_t as Type};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// The element type of matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatrixElement {
    /// IEEE binary16, summed in f32.
    F16,
    /// bfloat16, summed in f32.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Complex of two binary32.
    C64,
    /// Complex of two binary64.
    C128,
}

/// A stack of products `c = a · b` or `c += a · b` of matrices in C order; the matrices of `c` are
/// consecutive.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// The elements.
    pub element: MatrixElement,
    /// Rows of `a` and `c`.
    pub m: usize,
    /// Columns of `b` and `c`.
    pub n: usize,
    /// Columns of `a`, rows of `b`.
    pub k: usize,
    /// Whether the matrices of `a` and of `b` are stored transposed.
    pub transposed: [bool; 2],
    /// Elements from one stored row of `a` and of `b` to the next.
    pub rows: [usize; 2],
    /// Elements from one matrix of `a` and of `b` to the next.
    pub steps: [usize; 2],
    /// The number of products.
    pub count: usize,
    /// Whether the products are added to the old elements of `c`.
    pub adds: bool,
}

/// The first compute capability for which the library needs a large workspace.
const FIRST_WIDE: u32 = 90;

/// A scalar for the library, real or complex, as a real part and a zero.
///
/// CUDA aligns complex numbers of two doubles to 16 bytes; the library may read them with
/// instructions that fault at other addresses.
#[repr(C, align(16))]
struct Factor<T>([T; 2]);

static SINGLE_ONE: Factor<f32> = Factor([1.0, 0.0]);
static SINGLE_ZERO: Factor<f32> = Factor([0.0, 0.0]);
static DOUBLE_ONE: Factor<f64> = Factor([1.0, 0.0]);
static DOUBLE_ZERO: Factor<f64> = Factor([0.0, 0.0]);

fn address_of<T>(factor: &'static Factor<T>) -> *const c_void {
    std::ptr::from_ref(factor).cast()
}

/// cuBLAS on a device.
pub struct Blas {
    memory: Arc<GpuMemory>,
    /// The library's handle, made at first use.
    handle: Mutex<Option<Handle>>,
}

/// The library's handle for a device.
struct Handle(cublasHandle_t);

// SAFETY: a handle may be used by one thread at a time, which the lock around it ensures.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: nothing uses the handle any more.
        let _ = unsafe { sys::cublasDestroy_v2(self.0) };
    }
}

fn check(
    memory: &GpuMemory,
    call: &'static str,
    status: cublasStatus_t,
) -> Result<(), DeviceError> {
    let outcome = (status, cublasStatus_t::CUBLAS_STATUS_SUCCESS);
    succeeded(memory, Library::Cublas, call, outcome)
}

impl Handle {
    fn new(memory: &GpuMemory) -> Result<Handle, DeviceError> {
        let context = memory.context();
        find(Library::Cublas, context.options())?;
        context.enter();
        let mut handle: cublasHandle_t = std::ptr::null_mut();
        // SAFETY: the library is loaded, the context current, the pointer valid; the stream is the
        // device's own.
        unsafe {
            check(memory, "cublasCreate", sys::cublasCreate_v2(&raw mut handle))?;
            let stream = context.own_stream() as sys::cudaStream_t;
            check(memory, "cublasSetStream", sys::cublasSetStream_v2(handle, stream))?;
            // Long sums of halves that the library splits are kept in f32 until the end.
            let exact = sys::cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
            check(memory, "cublasSetMathMode", sys::cublasSetMathMode(handle, exact))?;
        }
        settle(context);
        Ok(Handle(handle))
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        let _kept = self.memory.context().visit();
        self.memory.synchronize();
        self.handle.get_mut().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Blas {
    /// The library on the device with this memory.
    pub(in crate::cuda) fn new(memory: &Arc<GpuMemory>) -> Blas {
        Blas { memory: memory.clone(), handle: Mutex::new(None) }
    }

    /// Enqueues products of matrices at three addresses.
    ///
    /// Errors: `DeviceError::Library` without cuBLAS, `DeviceError::Cuda` if a call fails.
    ///
    /// # Safety
    /// The matrices are entirely in this device's memory.
    pub unsafe fn multiply(
        &self,
        product: &Product,
        [a, b, c]: [DevicePointer; 3],
    ) -> Result<(), DeviceError> {
        let Product { element, m, n, k, transposed, rows, steps, count, adds } = *product;
        let single = if self.memory.context().options().tf32 {
            Compute::CUBLAS_COMPUTE_32F_FAST_TF32
        } else {
            Compute::CUBLAS_COMPUTE_32F
        };
        let (kind, compute) = match element {
            MatrixElement::F16 => (Type::CUDA_R_16F, Compute::CUBLAS_COMPUTE_32F),
            MatrixElement::BF16 => (Type::CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F),
            MatrixElement::F32 => (Type::CUDA_R_32F, single),
            MatrixElement::F64 => (Type::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F),
            MatrixElement::C64 => (Type::CUDA_C_32F, single),
            MatrixElement::C128 => (Type::CUDA_C_64F, Compute::CUBLAS_COMPUTE_64F),
        };
        let (one, zero) = match compute {
            Compute::CUBLAS_COMPUTE_64F => (address_of(&DOUBLE_ONE), address_of(&DOUBLE_ZERO)),
            _ => (address_of(&SINGLE_ONE), address_of(&SINGLE_ZERO)),
        };
        let [of_a, of_b] = transposed.map(|transposed| {
            if transposed {
                sys::cublasOperation_t::CUBLAS_OP_T
            } else {
                sys::cublasOperation_t::CUBLAS_OP_N
            }
        });
        let [a_row, b_row] = rows.map(|row| row as i64);
        let [a_step, b_step] = steps.map(|step| step as i64);
        // The library's matrices are in Fortran order, so this requests the transposed product.
        // SAFETY: the caller's promise; the numbers are of the compute type and outlive the call.
        let multiply = |handle| unsafe {
            sys::cublasGemmStridedBatchedEx_64(
                handle,
                of_b,
                of_a,
                n as i64,
                m as i64,
                k as i64,
                one,
                b.as_ptr::<c_void>(),
                kind,
                b_row,
                b_step,
                a.as_ptr::<c_void>(),
                kind,
                a_row,
                a_step,
                if adds { one } else { zero },
                c.as_ptr(),
                kind,
                n as i64,
                (m * n) as i64,
                count as i64,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        self.call("cublasGemmStridedBatchedEx", multiply)
    }

    /// Calls the library with its handle, which is made at the first call.
    fn call(
        &self,
        name: &'static str,
        call: impl Fn(cublasHandle_t) -> cublasStatus_t,
    ) -> Result<(), DeviceError> {
        let memory = &self.memory;
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = match &mut *handle {
            Some(handle) => handle.0,
            none => none.insert(memory.with_room(|| Handle::new(memory))?).0,
        };
        let workspace = Workspace::new(memory, self.workspace_bytes())?;
        memory.context().enter();
        // SAFETY: the handle lives, and the memory has this many bytes.
        let set = unsafe {
            let place = workspace.as_ptr::<c_void>();
            sys::cublasSetWorkspace_v2(handle, place, workspace.len())
        };
        check(memory, "cublasSetWorkspace", set)?;
        memory.with_room(|| check(memory, name, call(handle)))
    }

    /// The size of the workspace that the library's documentation recommends.
    fn workspace_bytes(&self) -> usize {
        match self.memory.context().properties().capability {
            ..FIRST_WIDE => 4 << 20,
            _ => 32 << 20,
        }
    }

    /// Enqueues LU factorisations with partial pivoting of many small matrices in Fortran order, in
    /// place. `addresses` points to the address of each matrix, `pivots` to an `i32` for each row
    /// of each, `outcomes` to an `i32` for each, which is not zero if a pivot is zero.
    ///
    /// Errors: as `multiply`.
    ///
    /// # Safety
    /// All of that is entirely in this device's memory and does not overlap.
    pub unsafe fn factor_small_lu(
        &self,
        element: MatrixElement,
        [n, count]: [i32; 2],
        addresses: DevicePointer,
        pivots: DevicePointer,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let (pivots, outcomes) = (pivots.as_ptr::<i32>(), outcomes.as_ptr::<i32>());
        macro_rules! factor {
            ($function:path) => {
                // SAFETY: the caller's promise.
                |handle| unsafe {
                    $function(handle, n, addresses.as_ptr(), n, pivots, outcomes, count)
                }
            };
        }
        let name = "cublasgetrfBatched";
        match element {
            MatrixElement::F32 => self.call(name, factor!(sys::cublasSgetrfBatched)),
            MatrixElement::F64 => self.call(name, factor!(sys::cublasDgetrfBatched)),
            MatrixElement::C64 => self.call(name, factor!(sys::cublasCgetrfBatched)),
            MatrixElement::C128 => self.call(name, factor!(sys::cublasZgetrfBatched)),
            MatrixElement::F16 | MatrixElement::BF16 => {
                unreachable!("bug: matrices of {element:?} are not factorised")
            }
        }
    }

    /// Enqueues the solutions of `A X = B`, or `Aᵀ X = B`, for matrices that `factor_small_lu`
    /// factorised. They replace the right-hand sides, which have `columns` columns. The addresses
    /// are those of the factors and of the right-hand sides.
    ///
    /// Errors: as `multiply`.
    ///
    /// # Safety
    /// As `factor_small_lu`.
    pub unsafe fn solve_small_lu(
        &self,
        element: MatrixElement,
        is_transposed: bool,
        [n, columns, count]: [i32; 3],
        [factors, right]: [DevicePointer; 2],
        pivots: DevicePointer,
    ) -> Result<(), DeviceError> {
        let operation = if is_transposed {
            sys::cublasOperation_t::CUBLAS_OP_T
        } else {
            sys::cublasOperation_t::CUBLAS_OP_N
        };
        let pivots = pivots.as_ptr::<i32>();
        // The library's check of the arguments, which always passes.
        let mut outcome = 0;
        let outcome = &raw mut outcome;
        macro_rules! solve {
            ($function:path) => {
                // SAFETY: the caller's promise; the outcome is on the host.
                |handle| unsafe {
                    let (factors, right) = (factors.as_ptr(), right.as_ptr());
                    $function(
                        handle, operation, n, columns, factors, n, pivots, right, n, outcome, count,
                    )
                }
            };
        }
        let name = "cublasgetrsBatched";
        match element {
            MatrixElement::F32 => self.call(name, solve!(sys::cublasSgetrsBatched)),
            MatrixElement::F64 => self.call(name, solve!(sys::cublasDgetrsBatched)),
            MatrixElement::C64 => self.call(name, solve!(sys::cublasCgetrsBatched)),
            MatrixElement::C128 => self.call(name, solve!(sys::cublasZgetrsBatched)),
            MatrixElement::F16 | MatrixElement::BF16 => {
                unreachable!("bug: matrices of {element:?} are not factorised")
            }
        }
    }
}
