//! The kernels that convert between our order of matrices and a library's.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use phalanx_device::DeviceError;
use phalanx_device::cuda::{CudaDevice, Triangle};
use phalanx_ops::DType;

static TEXT: &str = include_str!("linalg.cu");
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 16;
/// Threads that multiply the pivots of a matrix; the text has the same number.
const PIVOTS: u32 = 128;

/// The elements that kernels work on. Every kernel takes addresses of whole blocks in the device's
/// memory; the caller promises this. Errors: those of the compiler.
pub(super) struct Elements<'a> {
    pub dtype: DType,
    pub device: &'a CudaDevice,
}

/// The text with elements of a dtype.
pub(super) fn routine(dtype: DType) -> Routine {
    let components = if dtype.is_complex() { 2 } else { 1 };
    let defines = [("R", String::from(dtype.real().name())), ("C", components.to_string())];
    Routine::new(TEXT, defines, Uses::default())
}

/// The texts of every dtype.
pub(super) fn sources() -> Vec<String> {
    [DType::F32, DType::F64, DType::C64, DType::C128].map(|dtype| routine(dtype).source()).into()
}

/// The text's number of a triangle; `None` is the whole matrix.
fn which(triangle: Option<Triangle>) -> u64 {
    match triangle {
        None => 0,
        Some(Triangle::Lower) => 1,
        Some(Triangle::Upper) => 2,
    }
}

impl Elements<'_> {
    /// # Safety
    /// The words are those of the kernel's argument in the text, and the addresses are valid.
    unsafe fn launch(
        &self,
        entry: &'static str,
        size: (usize, u32),
        words: &[u64],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { routine(self.dtype).launch(entry, self.device, size, words) }
    }

    /// The thread blocks for one thread per item.
    fn blocks(items: usize) -> (usize, u32) {
        (items.div_ceil(THREADS as usize).min(MOST_BLOCKS), THREADS)
    }

    /// Flags matrices with an element that is NaN, or not finite.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn inspect(
        &self,
        [from, flags]: [u64; 2],
        [rows, columns]: [usize; 2],
        count: usize,
        triangle: Option<Triangle>,
        infinite: bool,
    ) -> Result<(), DeviceError> {
        let total = count * rows * columns;
        let numbers = [rows, columns, total].map(|number| number as u64);
        let [rows, columns, all] = numbers;
        let words = [from, flags, rows, columns, all, which(triangle), u64::from(infinite)];
        // SAFETY: the words of `Inspection`.
        unsafe { self.launch("inspect", Self::blocks(total), &words) }
    }

    /// Copies a triangle of Hermitian matrices, with zeros elsewhere and a real diagonal. If the
    /// address `flags` is not 0, flagged matrices become the identity. If the address `found` is
    /// not 0, sets the flags there of matrices with a NaN.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn prepare(
        &self,
        [from, to, flags, found]: [u64; 4],
        n: usize,
        count: usize,
        triangle: Option<Triangle>,
    ) -> Result<(), DeviceError> {
        let total = count * n * n;
        let words = [from, to, flags, found, n as u64, total as u64, which(triangle)];
        // SAFETY: the words of `Preparation`.
        unsafe { self.launch("prepare", Self::blocks(total), &words) }
    }

    /// Replaces flagged matrices of `size` elements with zeros.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn replace(
        &self,
        [to, flags]: [u64; 2],
        size: usize,
        count: usize,
    ) -> Result<(), DeviceError> {
        let words = [to, flags, size as u64, count as u64];
        // SAFETY: the words of `Replacement`.
        unsafe { self.launch("replace", Self::blocks(size), &words) }
    }

    /// Writes NaN to results of `size` elements with a nonzero outcome or flag (where these
    /// addresses are not 0). In the others, writes zeros above the diagonal of a square, if its
    /// extent is given.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn spoil(
        &self,
        [to, outcomes, flags]: [u64; 3],
        size: usize,
        count: usize,
        square: Option<usize>,
    ) -> Result<(), DeviceError> {
        if size == 0 {
            return Ok(());
        }
        let blocks = size.div_ceil(8 * THREADS as usize).min(MOST_BLOCKS);
        let n = square.unwrap_or(0);
        let words = [to, outcomes, flags, size as u64, blocks as u64, n as u64];
        // SAFETY: the words of `Spoiling`.
        unsafe { self.launch("spoil", (blocks * count, THREADS), &words) }
    }

    /// Writes identity matrices.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn identity(
        &self,
        to: u64,
        n: usize,
        count: usize,
    ) -> Result<(), DeviceError> {
        let total = count * n * n;
        let words = [to, n as u64, total as u64];
        // SAFETY: the words of `Identity`.
        unsafe { self.launch("identity", Self::blocks(total), &words) }
    }

    /// Writes `count` addresses, `step` bytes from one to the next.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn addresses(
        &self,
        to: u64,
        first: u64,
        step: usize,
        count: usize,
    ) -> Result<(), DeviceError> {
        let words = [to, first, step as u64, count as u64];
        let blocks = count.div_ceil(THREADS as usize);
        // SAFETY: the words of `Addresses`.
        unsafe { self.launch("addresses", (blocks, THREADS), &words) }
    }

    /// Transposes the upper triangles of matrices of `m` rows in Fortran's order into matrices of
    /// the given extents. `steps` are the elements from one matrix to the next, before and after.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn factor(
        &self,
        [from, to]: [u64; 2],
        [m, rows, columns]: [usize; 3],
        [from_step, to_step]: [usize; 2],
        count: usize,
    ) -> Result<(), DeviceError> {
        let total = count * rows * columns;
        let numbers = [m, rows, columns, to_step, from_step, total].map(|number| number as u64);
        let words: Vec<u64> = [from, to].into_iter().chain(numbers).collect();
        // SAFETY: the words of `Factor`.
        unsafe { self.launch("factor", Self::blocks(total), &words) }
    }

    /// Converts real values to elements.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn values(
        &self,
        [from, to]: [u64; 2],
        values: usize,
        to_step: usize,
        count: usize,
    ) -> Result<(), DeviceError> {
        let total = count * values;
        let words = [from, to, values as u64, to_step as u64, total as u64];
        // SAFETY: the words of `Values`.
        unsafe { self.launch("values", Self::blocks(total), &words) }
    }

    /// Writes pivots that exchange no rows, for all rows (`fresh`) or in place of pivots outside of
    /// their matrix. There is one for each row of each matrix, an `i64` if `wide`, else an `i32`.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn pivots(
        &self,
        to: u64,
        n: usize,
        count: usize,
        wide: bool,
        fresh: bool,
    ) -> Result<(), DeviceError> {
        let total = n * count;
        let words = [to, n as u64, total as u64, u64::from(wide), u64::from(fresh)];
        // SAFETY: the words of `Pivots`.
        unsafe { self.launch("pivots", Self::blocks(total), &words) }
    }

    /// Computes the determinants of factorised matrices, their signs and logarithms; NaN for
    /// flagged matrices. Pivots are `i64` if `wide`, else `i32`.
    ///
    /// # Safety
    /// See `Elements`.
    pub(super) unsafe fn determinant(
        &self,
        [from, pivots, flags, to]: [u64; 4],
        n: usize,
        count: usize,
        wide: bool,
    ) -> Result<(), DeviceError> {
        let words = [from, pivots, flags, to, n as u64, u64::from(wide)];
        // SAFETY: the words of `Determinants`.
        unsafe { self.launch("determinant", (count, PIVOTS), &words) }
    }
}
