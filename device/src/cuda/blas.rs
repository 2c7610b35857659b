//! Matrix products by cuBLAS.

use super::device::CudaDevice;
use super::library::{Library, find, succeeded};
use crate::DeviceError;
use crate::buffer::Remote;
use cudarc::cublas::sys::{self, cublasHandle_t, cublasStatus_t};
use cudarc::cublas::sys::{cublasComputeType_t as Compute, cudaDataType_t as Type};
use std::ffi::c_void;

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

/// The library's handle for a device.
pub(super) struct Blas(cublasHandle_t);

// SAFETY: a handle may be used by one thread at a time, which the lock around it ensures.
unsafe impl Send for Blas {}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: nothing uses the handle any more.
        let _ = unsafe { sys::cublasDestroy_v2(self.0) };
    }
}

fn check(
    device: &CudaDevice,
    call: &'static str,
    status: cublasStatus_t,
) -> Result<(), DeviceError> {
    let outcome = (status, cublasStatus_t::CUBLAS_STATUS_SUCCESS);
    succeeded(device, Library::Cublas, call, outcome)
}

impl Blas {
    fn new(device: &CudaDevice) -> Result<Blas, DeviceError> {
        find(Library::Cublas, device.options())?;
        device.enter();
        let mut handle: cublasHandle_t = std::ptr::null_mut();
        // SAFETY: the library is loaded, the context current, the pointer valid; the stream is the
        // device's own.
        unsafe {
            check(device, "cublasCreate", sys::cublasCreate_v2(&raw mut handle))?;
            let stream = device.stream_handle() as sys::cudaStream_t;
            check(device, "cublasSetStream", sys::cublasSetStream_v2(handle, stream))?;
            // Long sums of halves that the library splits are kept in f32 until the end.
            let exact = sys::cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
            check(device, "cublasSetMathMode", sys::cublasSetMathMode(handle, exact))?;
        }
        device.settle_libraries();
        Ok(Blas(handle))
    }
}

impl CudaDevice {
    /// Enqueues products of matrices at three addresses.
    ///
    /// Errors: `DeviceError::Library` without cuBLAS, `DeviceError::Cuda` if a call fails.
    ///
    /// # Safety
    /// The matrices are entirely in this device's memory.
    pub unsafe fn multiply(
        &self,
        product: &Product,
        a: u64,
        b: u64,
        c: u64,
    ) -> Result<(), DeviceError> {
        let Product { element, m, n, k, transposed, rows, steps, count, adds } = *product;
        let single = match self.options().tf32 {
            true => Compute::CUBLAS_COMPUTE_32F_FAST_TF32,
            false => Compute::CUBLAS_COMPUTE_32F,
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
        let [of_a, of_b] = transposed.map(|transposed| match transposed {
            true => sys::cublasOperation_t::CUBLAS_OP_T,
            false => sys::cublasOperation_t::CUBLAS_OP_N,
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
                b as *const c_void,
                kind,
                b_row,
                b_step,
                a as *const c_void,
                kind,
                a_row,
                a_step,
                if adds { one } else { zero },
                c as *mut c_void,
                kind,
                n as i64,
                (m * n) as i64,
                count as i64,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        self.with_blas("cublasGemmStridedBatchedEx", multiply)
    }

    /// Calls the library with its handle, which is made at the first call.
    fn with_blas(
        &self,
        name: &'static str,
        call: impl Fn(cublasHandle_t) -> cublasStatus_t,
    ) -> Result<(), DeviceError> {
        let mut blas = self.blas.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let blas = match &mut *blas {
            Some(blas) => blas,
            none => none.insert(self.with_room(|| Blas::new(self))?),
        };
        let workspace = self.device().allocate(self.blas_workspace())?;
        self.enter();
        // The workspace returns to the pool once the work is enqueued: the next user of the memory
        // follows in the order of the stream.
        // SAFETY: the handle lives, and the memory has this many bytes.
        let set = unsafe {
            let place = workspace.as_ptr().cast::<c_void>();
            sys::cublasSetWorkspace_v2(blas.0, place, workspace.len())
        };
        check(self, "cublasSetWorkspace", set)?;
        self.with_room(|| check(self, name, call(blas.0)))
    }

    /// The size of the workspace that the library's documentation recommends.
    fn blas_workspace(&self) -> usize {
        match self.properties().capability {
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
        addresses: u64,
        pivots: u64,
        outcomes: u64,
    ) -> Result<(), DeviceError> {
        let (pivots, outcomes) = (pivots as *mut i32, outcomes as *mut i32);
        macro_rules! factor {
            ($function:path) => {
                // SAFETY: the caller's promise.
                |handle| unsafe {
                    $function(handle, n, addresses as *const _, n, pivots, outcomes, count)
                }
            };
        }
        let name = "cublasgetrfBatched";
        match element {
            MatrixElement::F32 => self.with_blas(name, factor!(sys::cublasSgetrfBatched)),
            MatrixElement::F64 => self.with_blas(name, factor!(sys::cublasDgetrfBatched)),
            MatrixElement::C64 => self.with_blas(name, factor!(sys::cublasCgetrfBatched)),
            MatrixElement::C128 => self.with_blas(name, factor!(sys::cublasZgetrfBatched)),
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
        [factors, right]: [u64; 2],
        pivots: u64,
    ) -> Result<(), DeviceError> {
        let operation = match is_transposed {
            true => sys::cublasOperation_t::CUBLAS_OP_T,
            false => sys::cublasOperation_t::CUBLAS_OP_N,
        };
        let pivots = pivots as *const i32;
        // The library's check of the arguments, which always passes.
        let mut outcome = 0;
        let outcome = &raw mut outcome;
        macro_rules! solve {
            ($function:path) => {
                // SAFETY: the caller's promise; the outcome is on the host.
                |handle| unsafe {
                    let (factors, right) = (factors as *const _, right as *const _);
                    $function(
                        handle, operation, n, columns, factors, n, pivots, right, n, outcome, count,
                    )
                }
            };
        }
        let name = "cublasgetrsBatched";
        match element {
            MatrixElement::F32 => self.with_blas(name, solve!(sys::cublasSgetrsBatched)),
            MatrixElement::F64 => self.with_blas(name, solve!(sys::cublasDgetrsBatched)),
            MatrixElement::C64 => self.with_blas(name, solve!(sys::cublasCgetrsBatched)),
            MatrixElement::C128 => self.with_blas(name, solve!(sys::cublasZgetrsBatched)),
            MatrixElement::F16 | MatrixElement::BF16 => {
                unreachable!("bug: matrices of {element:?} are not factorised")
            }
        }
    }
}
