//! Factorisations of matrices by cuSOLVER. Matrices are in Fortran order and consecutive. Each has
//! a number on the device that is not zero if the factorisation does not exist.

use super::blas::MatrixElement;
use super::outcome::{settle, succeeded};
use crate::cuda::driver::{Library, find};
use crate::cuda::memory::{GpuMemory, Workspace};
use crate::{DeviceError, DevicePointer};
use cudarc::cusolver::sys::{self, cudaDataType_t as Type, cusolverStatus_t};
use cudarc::cusolver::sys::{cublasFillMode_t as Fill, cublasOperation_t as Operation};
use cudarc::cusolver::sys::{cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t as Mode};
use std::ffi::{c_int, c_schar, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// Matrices of one shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrices {
    /// The elements.
    pub element: MatrixElement,
    /// The rows of each matrix.
    pub rows: usize,
    /// The columns of each matrix.
    pub columns: usize,
    /// The number of matrices.
    pub count: usize,
}

/// A triangle of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Triangle {
    /// The elements on and below the diagonal.
    Lower,
    /// The elements on and above the diagonal.
    Upper,
}

/// The addresses of the results of singular value decompositions.
#[derive(Clone, Copy, Debug)]
pub struct SingularParts {
    /// The singular values, which are real; each matrix has as many as columns.
    pub values: DevicePointer,
    /// The left vectors in columns: all of them, or as many as the matrix has columns.
    pub left: DevicePointer,
    /// The right vectors, conjugated, in rows.
    pub right: DevicePointer,
    /// Whether all left vectors are computed.
    pub is_full: bool,
}

/// cuSOLVER on a device.
pub struct Solver {
    memory: Arc<GpuMemory>,
    /// The library's handle, made at first use.
    handle: Mutex<Option<Handle>>,
}

/// The library's handle for a device, and its settings.
struct Handle {
    handle: cusolverDnHandle_t,
    parameters: cusolverDnParams_t,
}

// SAFETY: a handle may be used by one thread at a time, which the lock around it ensures.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: nothing uses the handle any more.
        unsafe {
            let _ = sys::cusolverDnDestroyParams(self.parameters);
            let _ = sys::cusolverDnDestroy(self.handle);
        }
    }
}

/// The workspaces of calls, on the device (freed once the calls are enqueued) and on the host.
struct Spaces {
    device: Workspace,
    host: Vec<u8>,
}

fn check(
    memory: &GpuMemory,
    call: &'static str,
    status: cusolverStatus_t,
) -> Result<(), DeviceError> {
    let outcome = (status, cusolverStatus_t::CUSOLVER_STATUS_SUCCESS);
    succeeded(memory, Library::Cusolver, call, outcome)
}

/// The library's names for the elements and for their components.
fn types(element: MatrixElement) -> [Type; 2] {
    match element {
        MatrixElement::F32 => [Type::CUDA_R_32F; 2],
        MatrixElement::F64 => [Type::CUDA_R_64F; 2],
        MatrixElement::C64 => [Type::CUDA_C_32F, Type::CUDA_R_32F],
        MatrixElement::C128 => [Type::CUDA_C_64F, Type::CUDA_R_64F],
        MatrixElement::F16 | MatrixElement::BF16 => {
            unreachable!("bug: matrices of {element:?} are not factorised")
        }
    }
}

/// Bytes of an element and of its components.
fn sizes(element: MatrixElement) -> [u64; 2] {
    match types(element) {
        [Type::CUDA_C_64F, _] => [16, 8],
        [Type::CUDA_C_32F, _] => [8, 4],
        [Type::CUDA_R_64F, _] => [8; 2],
        _ => [4; 2],
    }
}

impl Triangle {
    fn fill(self) -> Fill {
        match self {
            Triangle::Lower => Fill::CUBLAS_FILL_MODE_LOWER,
            Triangle::Upper => Fill::CUBLAS_FILL_MODE_UPPER,
        }
    }
}

/// The bytes of the number for a matrix's outcome.
const OUTCOME: u64 = 4;

impl Handle {
    fn new(memory: &GpuMemory) -> Result<Handle, DeviceError> {
        let context = memory.context();
        find(Library::Cusolver, context.options())?;
        context.enter();
        let mut handle: cusolverDnHandle_t = std::ptr::null_mut();
        let mut parameters: cusolverDnParams_t = std::ptr::null_mut();
        // SAFETY: the library is loaded, the context current, and the pointers valid.
        unsafe {
            check(memory, "cusolverDnCreate", sys::cusolverDnCreate(&raw mut handle))?;
            let made = sys::cusolverDnCreateParams(&raw mut parameters);
            if made != cusolverStatus_t::CUSOLVER_STATUS_SUCCESS {
                let _ = sys::cusolverDnDestroy(handle);
            }
            check(memory, "cusolverDnCreateParams", made)?;
        }
        let solver = Handle { handle, parameters };
        let stream = context.own_stream() as sys::cudaStream_t;
        // SAFETY: the handle lives, and the stream is the device's own.
        let set = unsafe { sys::cusolverDnSetStream(handle, stream) };
        check(memory, "cusolverDnSetStream", set)?;
        settle(context);
        Ok(solver)
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        let _kept = self.memory.context().visit();
        self.memory.synchronize();
        self.handle.get_mut().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Solver {
    /// The library on the device with this memory.
    pub(in crate::cuda) fn new(memory: &Arc<GpuMemory>) -> Solver {
        Solver { memory: memory.clone(), handle: Mutex::new(None) }
    }

    /// Calls the library with its handle, which is made at the first call.
    fn call<R>(
        &self,
        work: impl FnOnce(&Handle) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let memory = &self.memory;
        let mut handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = match &mut *handle {
            Some(handle) => handle,
            none => none.insert(memory.with_room(|| Handle::new(memory))?),
        };
        memory.context().enter();
        work(handle)
    }

    fn check(&self, call: &'static str, status: cusolverStatus_t) -> Result<(), DeviceError> {
        check(&self.memory, call, status)
    }

    /// The workspaces of a call: `ask` writes the sizes for the device and for the host.
    fn spaces(
        &self,
        call: &'static str,
        ask: impl FnOnce(*mut usize, *mut usize) -> cusolverStatus_t,
    ) -> Result<Spaces, DeviceError> {
        let (mut bytes, mut host) = (0, 0);
        self.check(call, ask(&raw mut bytes, &raw mut host))?;
        Ok(Spaces { device: Workspace::new(&self.memory, bytes)?, host: vec![0; host] })
    }

    /// Enqueues Cholesky factorisations of Hermitian matrices with one triangle given. The upper
    /// one is replaced by `U` with `Uᴴ U = A`, the lower one by `L` with `L Lᴴ = A`. The other
    /// triangle may be overwritten.
    ///
    /// Errors of all factorisations: `DeviceError::Library` without cuSOLVER, `DeviceError::Cuda`
    /// if a call fails, `DeviceError::OutOfMemory` for the workspaces.
    ///
    /// # Safety
    /// All data at the addresses is entirely in this device's memory and does not overlap;
    /// `outcomes` points to an `i32` for each matrix.
    pub unsafe fn factor_cholesky(
        &self,
        matrices: Matrices,
        triangle: Triangle,
        a: DevicePointer,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows: n, count, .. } = matrices;
        let ([kind, _], [size, _]) = (types(element), sizes(element));
        let fill = triangle.fill();
        self.call(|&Handle { handle, parameters }| {
            let order = n as i64;
            let mut space =
                // SAFETY: the handle lives, and the pointers are valid.
                self.spaces("cusolverDnXpotrf_bufferSize", |bytes, host| unsafe {
                    let a = a.as_ptr::<c_void>();
                    sys::cusolverDnXpotrf_bufferSize(
                        handle, parameters, fill, order, kind, a, order, kind, bytes, host,
                    )
                })?;
            for at in 0..count as u64 {
                // SAFETY: the caller's promise; the workspaces have the sizes asked for.
                let done = unsafe {
                    sys::cusolverDnXpotrf(
                        handle,
                        parameters,
                        fill,
                        order,
                        kind,
                        a.after(at * (n * n) as u64 * size).as_ptr(),
                        order,
                        kind,
                        space.device.as_ptr(),
                        space.device.len(),
                        space.host.as_mut_ptr().cast(),
                        space.host.len(),
                        outcomes.after(at * OUTCOME).as_ptr::<c_int>(),
                    )
                };
                self.check("cusolverDnXpotrf", done)?;
            }
            Ok(())
        })
    }

    /// Enqueues LU factorisations with partial pivoting, in place. `pivots` points to an `i64` for
    /// each row of each matrix.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`.
    pub unsafe fn factor_lu(
        &self,
        matrices: Matrices,
        a: DevicePointer,
        pivots: DevicePointer,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows: n, count, .. } = matrices;
        let ([kind, _], [size, _]) = (types(element), sizes(element));
        self.call(|&Handle { handle, parameters }| {
            let order = n as i64;
            let mut space =
                // SAFETY: the handle lives, and the pointers are valid.
                self.spaces("cusolverDnXgetrf_bufferSize", |bytes, host| unsafe {
                    let a = a.as_ptr::<c_void>();
                    sys::cusolverDnXgetrf_bufferSize(
                        handle, parameters, order, order, kind, a, order, kind, bytes, host,
                    )
                })?;
            for at in 0..count as u64 {
                // SAFETY: the caller's promise; the workspaces have the sizes asked for.
                let done = unsafe {
                    sys::cusolverDnXgetrf(
                        handle,
                        parameters,
                        order,
                        order,
                        kind,
                        a.after(at * (n * n) as u64 * size).as_ptr(),
                        order,
                        pivots.after(at * n as u64 * 8).as_ptr::<i64>(),
                        kind,
                        space.device.as_ptr(),
                        space.device.len(),
                        space.host.as_mut_ptr().cast(),
                        space.host.len(),
                        outcomes.after(at * OUTCOME).as_ptr::<c_int>(),
                    )
                };
                self.check("cusolverDnXgetrf", done)?;
            }
            Ok(())
        })
    }

    /// Enqueues the solution of `A X = B`, or `Aᵀ X = B`, for matrices that `factor_lu` factorised.
    /// It replaces `b`, which has `columns` columns.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`.
    pub unsafe fn solve_lu(
        &self,
        factors: Matrices,
        is_transposed: bool,
        [a, pivots, b]: [DevicePointer; 3],
        columns: usize,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows: n, count, .. } = factors;
        let ([kind, _], [size, _]) = (types(element), sizes(element));
        let operation = if is_transposed { Operation::CUBLAS_OP_T } else { Operation::CUBLAS_OP_N };
        // The library's check of the arguments, which always passes.
        let outcome = Workspace::new(&self.memory, OUTCOME as usize)?;
        self.call(|&Handle { handle, parameters }| {
            let order = n as i64;
            for at in 0..count as u64 {
                // SAFETY: the caller's promise.
                let done = unsafe {
                    sys::cusolverDnXgetrs(
                        handle,
                        parameters,
                        operation,
                        order,
                        columns as i64,
                        kind,
                        a.after(at * (n * n) as u64 * size).as_ptr(),
                        order,
                        pivots.after(at * n as u64 * 8).as_ptr::<i64>(),
                        kind,
                        b.after(at * (n * columns) as u64 * size).as_ptr(),
                        order,
                        outcome.as_ptr::<c_int>(),
                    )
                };
                self.check("cusolverDnXgetrs", done)?;
            }
            Ok(())
        })
    }

    /// Enqueues QR factorisations: `R` in the upper triangle, reflections below it, and the factor
    /// of each reflection in `factors`; each matrix has as many as its smaller extent.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`.
    pub unsafe fn factor_qr(
        &self,
        matrices: Matrices,
        a: DevicePointer,
        factors: DevicePointer,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows, columns, count } = matrices;
        let ([kind, _], [size, _]) = (types(element), sizes(element));
        let (m, n) = (rows as i64, columns as i64);
        self.call(|&Handle { handle, parameters }| {
            let mut space =
                // SAFETY: the handle lives, and the pointers are valid.
                self.spaces("cusolverDnXgeqrf_bufferSize", |bytes, host| unsafe {
                    let (a, factors) = (a.as_ptr::<c_void>(), factors.as_ptr::<c_void>());
                    sys::cusolverDnXgeqrf_bufferSize(
                        handle, parameters, m, n, kind, a, m, kind, factors, kind, bytes, host,
                    )
                })?;
            for at in 0..count as u64 {
                // SAFETY: the caller's promise; the workspaces have the sizes asked for.
                let done = unsafe {
                    sys::cusolverDnXgeqrf(
                        handle,
                        parameters,
                        m,
                        n,
                        kind,
                        a.after(at * (rows * columns) as u64 * size).as_ptr(),
                        m,
                        kind,
                        factors.after(at * rows.min(columns) as u64 * size).as_ptr(),
                        kind,
                        space.device.as_ptr(),
                        space.device.len(),
                        space.host.as_mut_ptr().cast(),
                        space.host.len(),
                        outcomes.after(at * OUTCOME).as_ptr::<c_int>(),
                    )
                };
                self.check("cusolverDnXgeqrf", done)?;
            }
            Ok(())
        })
    }

    /// Enqueues the computation of one matrix's `Q` in place of its first `reflections` columns,
    /// which `factor_qr` computed. Extents are below 2³¹.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`.
    pub unsafe fn make_q(
        &self,
        q: Matrices,
        reflections: usize,
        a: DevicePointer,
        factors: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows, columns, .. } = q;
        let (m, n, k) = (rows as c_int, columns as c_int, reflections as c_int);
        let outcome = Workspace::new(&self.memory, OUTCOME as usize)?;
        let information = outcome.as_ptr::<c_int>();
        self.call(|&Handle { handle, .. }| {
            macro_rules! make {
                ($size:path, $make:path) => {{
                    let mut elements: c_int = 0;
                    let (matrix, factors) = (a.as_ptr(), factors.as_ptr());
                    let place = &raw mut elements;
                    // SAFETY: the handle lives, and the pointer is valid.
                    let asked = unsafe { $size(handle, m, n, k, matrix, m, factors, place) };
                    self.check("cusolverDnorgqr_bufferSize", asked)?;
                    let bytes = elements as usize * sizes(element)[0] as usize;
                    let space = Workspace::new(&self.memory, bytes)?;
                    let work = space.as_ptr();
                    // SAFETY: the caller's promise; the workspace has the size asked for.
                    let done = unsafe {
                        $make(handle, m, n, k, matrix, m, factors, work, elements, information)
                    };
                    self.check("cusolverDnorgqr", done)
                }};
            }
            match types(element)[0] {
                Type::CUDA_R_32F => {
                    make!(sys::cusolverDnSorgqr_bufferSize, sys::cusolverDnSorgqr)
                }
                Type::CUDA_R_64F => {
                    make!(sys::cusolverDnDorgqr_bufferSize, sys::cusolverDnDorgqr)
                }
                Type::CUDA_C_32F => {
                    make!(sys::cusolverDnCungqr_bufferSize, sys::cusolverDnCungqr)
                }
                _ => make!(sys::cusolverDnZungqr_bufferSize, sys::cusolverDnZungqr),
            }
        })
    }

    /// Enqueues the eigenvectors, in place of Hermitian matrices with one triangle given, and the
    /// eigenvalues, real and ascending, in `values`.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`.
    pub unsafe fn find_hermitian_eigenvectors(
        &self,
        matrices: Matrices,
        triangle: Triangle,
        a: DevicePointer,
        values: DevicePointer,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows: n, count, .. } = matrices;
        let ([kind, real], [size, real_size]) = (types(element), sizes(element));
        let (fill, mode) = (triangle.fill(), Mode::CUSOLVER_EIG_MODE_VECTOR);
        self.call(|&Handle { handle, parameters }| {
            let order = n as i64;
            let mut space =
                // SAFETY: the handle lives, and the pointers are valid.
                self.spaces("cusolverDnXsyevd_bufferSize", |bytes, host| unsafe {
                    let (a, values) = (a.as_ptr::<c_void>(), values.as_ptr::<c_void>());
                    sys::cusolverDnXsyevd_bufferSize(
                        handle, parameters, mode, fill, order, kind, a, order, real, values, kind,
                        bytes, host,
                    )
                })?;
            for at in 0..count as u64 {
                // SAFETY: the caller's promise; the workspaces have the sizes asked for.
                let done = unsafe {
                    sys::cusolverDnXsyevd(
                        handle,
                        parameters,
                        mode,
                        fill,
                        order,
                        kind,
                        a.after(at * (n * n) as u64 * size).as_ptr(),
                        order,
                        real,
                        values.after(at * n as u64 * real_size).as_ptr(),
                        kind,
                        space.device.as_ptr(),
                        space.device.len(),
                        space.host.as_mut_ptr().cast(),
                        space.host.len(),
                        outcomes.after(at * OUTCOME).as_ptr::<c_int>(),
                    )
                };
                self.check("cusolverDnXsyevd", done)?;
            }
            Ok(())
        })
    }

    /// Enqueues singular value decompositions of matrices with at least as many rows as columns,
    /// which are overwritten.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`.
    pub unsafe fn factor_singular(
        &self,
        matrices: Matrices,
        a: DevicePointer,
        parts: SingularParts,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows, columns, count } = matrices;
        let ([kind, real], [size, real_size]) = (types(element), sizes(element));
        let (m, n) = (rows as i64, columns as i64);
        let job = if parts.is_full { b'A' } else { b'S' } as c_schar;
        let left_columns = if parts.is_full { rows } else { columns };
        self.call(|&Handle { handle, parameters }| {
            let mut space =
                // SAFETY: the handle lives, and the pointers are valid.
                self.spaces("cusolverDnXgesvd_bufferSize", |bytes, host| unsafe {
                    let places = [a, parts.values, parts.left, parts.right];
                    let [a, s, u, vt] = places.map(DevicePointer::as_ptr::<c_void>);
                    sys::cusolverDnXgesvd_bufferSize(
                        handle, parameters, job, job, m, n, kind, a, m, real, s, kind, u, m, kind,
                        vt, n, kind, bytes, host,
                    )
                })?;
            for at in 0..count as u64 {
                // SAFETY: the caller's promise; the workspaces have the sizes asked for.
                let done = unsafe {
                    sys::cusolverDnXgesvd(
                        handle,
                        parameters,
                        job,
                        job,
                        m,
                        n,
                        kind,
                        a.after(at * (rows * columns) as u64 * size).as_ptr(),
                        m,
                        real,
                        parts.values.after(at * columns as u64 * real_size).as_ptr(),
                        kind,
                        parts.left.after(at * (rows * left_columns) as u64 * size).as_ptr(),
                        m,
                        kind,
                        parts.right.after(at * (columns * columns) as u64 * size).as_ptr(),
                        n,
                        kind,
                        space.device.as_ptr(),
                        space.device.len(),
                        space.host.as_mut_ptr().cast(),
                        space.host.len(),
                        outcomes.after(at * OUTCOME).as_ptr::<c_int>(),
                    )
                };
                self.check("cusolverDnXgesvd", done)?;
            }
            Ok(())
        })
    }

    /// As `factor_cholesky`, for many small matrices at once: `addresses` points to the address of
    /// each.
    ///
    /// Errors: as `factor_cholesky`.
    ///
    /// # Safety
    /// As `factor_cholesky`; extents and counts are below 2³¹.
    pub unsafe fn factor_small_cholesky(
        &self,
        matrices: Matrices,
        triangle: Triangle,
        addresses: DevicePointer,
        outcomes: DevicePointer,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows: n, count, .. } = matrices;
        let (n, count, fill) = (n as c_int, count as c_int, triangle.fill());
        let outcomes = outcomes.as_ptr::<c_int>();
        self.call(|&Handle { handle, .. }| {
            let each = addresses.as_ptr::<c_void>();
            // SAFETY: the caller's promise.
            let done = unsafe {
                match types(element)[0] {
                    Type::CUDA_R_32F => sys::cusolverDnSpotrfBatched(
                        handle,
                        fill,
                        n,
                        each.cast(),
                        n,
                        outcomes,
                        count,
                    ),
                    Type::CUDA_R_64F => sys::cusolverDnDpotrfBatched(
                        handle,
                        fill,
                        n,
                        each.cast(),
                        n,
                        outcomes,
                        count,
                    ),
                    Type::CUDA_C_32F => sys::cusolverDnCpotrfBatched(
                        handle,
                        fill,
                        n,
                        each.cast(),
                        n,
                        outcomes,
                        count,
                    ),
                    _ => sys::cusolverDnZpotrfBatched(
                        handle,
                        fill,
                        n,
                        each.cast(),
                        n,
                        outcomes,
                        count,
                    ),
                }
            };
            self.check("cusolverDnpotrfBatched", done)
        })
    }
}
