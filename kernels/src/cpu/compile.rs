//! Compiled kernels: lowered once for each choice of SIMD lanes, launched any number of times.

use super::executable::{Lowered, Wide, recent};
use super::layout::Tuning;
use crate::error::KernelError;
use crate::ir::{Kernel, Launch, verify};
use rayon::ThreadPool;

/// A kernel that is ready to run.
///
/// Immutable, so that any number of threads may launch it at once.
#[derive(Debug)]
pub struct Compiled {
    pub(super) form: Form,
}

/// The compiled form of a kernel.
#[derive(Debug)]
pub(super) enum Form {
    /// The kernel itself.
    Direct(Box<Lowered>),
    /// A kernel without tables of half precision in place of one that has them.
    Wide(Box<Wide>),
}

/// Verifies and lowers a kernel. Callers keep the result by the kernel's structure.
///
/// Errors: `KernelError::Verify` (PX041), `KernelError::UnsupportedOperation` (PX042),
/// `KernelError::UnsupportedCombination` (PX043).
pub fn compile(kernel: &Kernel) -> Result<Compiled, KernelError> {
    tracing::trace!(target: "phalanx::path", file = file!());
    verify(kernel)?;
    let form = match Wide::new(kernel)? {
        Some(wide) => Form::Wide(Box::new(wide)),
        None => Form::Direct(Box::new(Lowered::new(kernel)?)),
    };
    Ok(Compiled { form })
}

impl Compiled {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        match &self.form {
            Form::Direct(lowered) => lowered.kernel(),
            Form::Wide(wide) => wide.kernel(),
        }
    }

    /// Runs the kernel over the launch's grid, on the threads of `pool` where that is faster;
    /// returns when it is done.
    ///
    /// # Safety
    ///
    /// 1. The launch has the numbers of extents, accesses, strides, scalars and guards that the
    ///    kernel declares, and scalars of its dtypes (a mismatch of numbers panics).
    /// 2. Every element that some point loads (inside its guard), stores, or may accumulate into is
    ///    valid for the time of the call and aligned to its size or 8 bytes, whichever is less;
    ///    loaded elements are initialised.
    /// 3. Different points store different elements. An element that is stored is loaded only by
    ///    the point that stores it, before the store; this also holds between parameters that share
    ///    memory.
    /// 4. During the call no other code writes memory that the launch touches, or reads memory that
    ///    it writes.
    pub unsafe fn run(&self, launch: &Launch, pool: Option<&ThreadPool>) {
        match &self.form {
            Form::Direct(lowered) => recent::run(lowered, launch, pool),
            // SAFETY: the caller's promise, which the wide launch inherits.
            Form::Wide(wide) => unsafe {
                wide.run(launch, |lowered, launch| recent::run(lowered, launch, pool));
            },
        }
    }

    /// Like `run`, with some of the choices made by the caller.
    ///
    /// # Safety
    /// As for `run`.
    pub unsafe fn run_tuned(&self, launch: &Launch, pool: Option<&ThreadPool>, tuning: &Tuning) {
        match &self.form {
            Form::Direct(lowered) => lowered.run_tuned(launch, pool, tuning),
            // SAFETY: the caller's promise, which the wide launch inherits.
            Form::Wide(wide) => unsafe {
                wide.run(launch, |lowered, launch| lowered.run_tuned(launch, pool, tuning));
            },
        }
    }
}
