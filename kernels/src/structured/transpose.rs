//! Transposed copies of matrices on a GPU, for libraries that use another order of elements.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;

static TEXT: &str = include_str!("transpose.cu");
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// A copy of a row of matrices to their transposes.
#[derive(Clone, Copy)]
pub(super) struct Transposed {
    /// Bytes of an element: 4, 8 or 16.
    pub size: usize,
    /// Rows of a matrix before.
    pub rows: usize,
    /// Columns of a matrix before.
    pub columns: usize,
    /// Elements from a row to the next, before and after.
    pub row_steps: [usize; 2],
    /// Elements from a matrix to the next, before and after.
    pub matrix_steps: [usize; 2],
    /// How many matrices.
    pub count: usize,
    /// Whether the complex conjugates are written.
    pub conjugates: bool,
}

impl Transposed {
    /// Matrices without gaps and their transposes without gaps.
    pub(super) fn packed(size: usize, rows: usize, columns: usize, count: usize) -> Transposed {
        Transposed {
            size,
            rows,
            columns,
            row_steps: [columns, rows],
            matrix_steps: [rows * columns; 2],
            count,
            conjugates: false,
        }
    }
}

/// The text with elements of `size` bytes.
pub(super) fn routine(size: usize) -> Routine {
    let word = match size {
        4 => "u32",
        8 => "u64",
        16 => "uint4",
        other => unreachable!("bug: elements of {other} bytes"),
    };
    Routine::new(TEXT, [("W", String::from(word))], Uses::default())
}

/// The texts of every size of elements.
pub fn sources() -> Vec<String> {
    [4, 8, 16].map(|size| routine(size).source()).into()
}

/// Enqueues the copy.
///
/// Errors: those of the compiler.
///
/// # Safety
/// All elements are in this device's memory; the results do not overlap the sources.
pub(super) unsafe fn transpose(
    copy: &Transposed,
    from: u64,
    to: u64,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    let squares = copy.rows.div_ceil(32) * copy.columns.div_ceil(32) * copy.count;
    if squares == 0 {
        return Ok(());
    }
    let [from_row, to_row] = copy.row_steps;
    let [from_matrix, to_matrix] = copy.matrix_steps;
    let numbers = [copy.rows, copy.columns, from_row, from_matrix, to_row, to_matrix, copy.count];
    let numbers = numbers.into_iter().map(|number| number as u64);
    let words: Vec<u64> =
        [from, to].into_iter().chain(numbers).chain([u64::from(copy.conjugates)]).collect();
    // SAFETY: the words are those of `Argument` in the text; the rest is the caller's promise.
    unsafe {
        let size = (squares.min(MOST_BLOCKS), THREADS);
        routine(copy.size).launch("transpose", device, size, &words)
    }
}
