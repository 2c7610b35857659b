//! Reading at positions on a GPU: a thread for each word of the result.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Routine, word};
use crate::structured::Block;
use crate::structured::lines::Lines;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::DType;
use phalanx_ops::structured::{Take, TakeAlong};

static TEXT: &str = include_str!("take.cu");
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// The texts of reading with words of every size.
pub fn take_sources() -> Vec<String> {
    [1, 2, 4, 8, 16].map(|bytes| of_elements(bytes).source()).into()
}

/// The text with words of `bytes` bytes.
pub(in crate::structured) fn of_elements(bytes: usize) -> Routine {
    Routine::new(TEXT, [("W", String::from(word(bytes)))], Uses::default())
}

/// Bytes of the words that `take` reads: the largest that divide the rows of the table.
fn word_size(inner: usize, dtype: DType) -> usize {
    1 << (inner * dtype.size()).trailing_zeros().min(4)
}

/// The routines that `take` launches.
pub fn take_routines(take: Take, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    let lines = Lines::of(operands[0].shape, take.axis);
    if to.is_empty() || lines.extent == 0 {
        Vec::new()
    } else {
        vec![of_elements(word_size(lines.inner, to.dtype))]
    }
}

/// The routines that `take_along` launches.
pub fn take_along_routines(
    take: TakeAlong,
    operands: &[Block<'_>],
    to: &Block<'_>,
) -> Vec<Routine> {
    if to.is_empty() || Lines::of(operands[0].shape, take.axis).extent == 0 {
        Vec::new()
    } else {
        vec![of_elements(to.dtype.size())]
    }
}

fn address(block: &Block<'_>) -> u64 {
    block.buffer.as_ptr() as u64
}

/// `to[…, k, …] = table[…, positions[k], …]`; zeros where the axis of the table is empty.
///
/// Errors: those of the compiler.
pub fn take(
    take: Take,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    let (table, positions) = (&operands[0], &operands[1]);
    let (lines, result) = (Lines::of(table.shape, take.axis), Lines::of(to.shape, take.axis));
    assert!(
        table.dtype == to.dtype
            && (lines.outer, lines.inner) == (result.outer, result.inner)
            && positions.len() == result.extent,
        "bug: {:?} of {:?} into {:?}",
        positions.shape,
        table.shape,
        to.shape
    );
    let bytes = lines.inner * to.dtype.size();
    if to.is_empty() || lines.extent == 0 {
        to.buffer.zero(0, to.len() * to.dtype.size());
        return Ok(());
    }
    let size = word_size(lines.inner, to.dtype);
    let words = bytes / size;
    let total = result.outer * result.extent * words;
    let blocks = total.div_ceil(THREADS as usize).min(MOST_BLOCKS);
    let [table, positions, to] = [address(table), address(positions), address(to)];
    let numbers = [total, words, result.extent, lines.extent, lines.inner, 0].map(|n| n as u64);
    let argument: Vec<u64> = [table, positions, to].into_iter().chain(numbers).collect();
    // SAFETY: the words are those of `Argument` in the text; positions are brought inside of the
    // table, and the blocks are whole.
    unsafe { of_elements(size).launch("take", device, (blocks, THREADS), &argument) }
}

/// `to[…, k, …] = table[…, positions[…, k, …], …]`, with positions in the whole axis of the table;
/// zeros where the axis of the table is empty.
///
/// Errors: those of the compiler.
pub fn take_along(
    take: TakeAlong,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    let (table, positions) = (&operands[0], &operands[1]);
    let (lines, result) = (Lines::of(table.shape, take.axis), Lines::of(to.shape, take.axis));
    assert!(
        table.dtype == to.dtype
            && positions.shape == to.shape
            && (lines.outer, lines.inner) == (result.outer, result.inner),
        "bug: {:?} of {:?} into {:?}",
        positions.shape,
        table.shape,
        to.shape
    );
    let size = to.dtype.size();
    if to.is_empty() || lines.extent == 0 {
        to.buffer.zero(0, to.len() * size);
        return Ok(());
    }
    let addresses = [address(table), address(positions), address(to)];
    let origin = table.origin[usize::from(take.axis)];
    let numbers = [result.extent, lines.extent, lines.inner, origin];
    // SAFETY: the blocks are whole and of these lines.
    unsafe { along(device, size, addresses, to.len(), numbers) }
}

/// `to[line, k] = table[line, positions[line, k] - origin]` for elements of `size` bytes in
/// contiguous lines, one after the other.
///
/// # Safety
/// The three addresses, of the table, the `i64` positions and the result, are of `total` elements
/// each.
pub(in crate::structured) unsafe fn gather_lines(
    device: &CudaDevice,
    size: usize,
    addresses: [u64; 3],
    total: usize,
    [extent, origin]: [usize; 2],
) -> Result<(), DeviceError> {
    // SAFETY: the caller's promise.
    unsafe { along(device, size, addresses, total, [extent, extent, 1, origin]) }
}

/// Reads each element of the result at its position. The last four numbers are the rows of a
/// stretch of the result, the rows of a stretch of the table, the elements of a row, and the
/// position of the table's first row.
///
/// # Safety
/// The addresses are of a table, `i64` positions and a result of these lines.
unsafe fn along(
    device: &CudaDevice,
    size: usize,
    addresses: [u64; 3],
    total: usize,
    [rows, extent, inner, origin]: [usize; 4],
) -> Result<(), DeviceError> {
    let blocks = total.div_ceil(THREADS as usize).min(MOST_BLOCKS);
    let numbers = [total, 1, rows, extent, inner, origin].map(|number| number as u64);
    let argument: Vec<u64> = addresses.into_iter().chain(numbers).collect();
    // SAFETY: the words are those of `Argument` in the text; positions are brought inside of the
    // table, and the rest is the caller's promise.
    unsafe { of_elements(size).launch("take_along", device, (blocks, THREADS), &argument) }
}
