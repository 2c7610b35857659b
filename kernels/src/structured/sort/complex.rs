//! Sorting of complex numbers on a GPU: numbers are mapped to integers of the same order, the
//! positions of these are sorted (keys of two words by the lower word first), and the numbers are
//! read at the positions.

use super::order::defines;
use super::radix::{Sorting, routine as sorting};
use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::gather::cuda::{gather_lines, of_elements};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError};
use phalanx_ops::DType;
use phalanx_ops::structured::Order;
use std::sync::Arc;

static TEXT: &str = concat!(include_str!("order.cu"), include_str!("complex.cu"));
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// The texts of both dtypes.
pub(super) fn sources() -> Vec<String> {
    [DType::C64, DType::C128].map(|dtype| of_keys(dtype).source()).into()
}

/// The text that maps numbers to integers of the same order.
fn of_keys(dtype: DType) -> Routine {
    Routine::new(TEXT, defines(dtype), Uses::default())
}

/// The routines that sorting complex numbers launches.
pub(super) fn routines(order: Order, dtype: DType, many: bool) -> Vec<Routine> {
    let mut routines = vec![of_keys(dtype), sorting(Order::Positions, DType::U64, many)];
    if dtype == DType::C128 || order == Order::Values {
        routines.push(of_elements(8));
    }
    if dtype == DType::C128 && order == Order::Values {
        routines.push(of_elements(16));
    }
    routines
}

/// Sorts contiguous lines of complex numbers; positions count from `origin` on.
///
/// Errors: those of the compiler; `DeviceError::OutOfMemory` for keys and positions (16 bytes for
/// each number of 8, 32 for each of 16) and for the memory of sorting them.
pub(super) fn lines(
    order: Order,
    dtype: DType,
    device: &Arc<CudaDevice>,
    [from, to]: [u64; 2],
    count: usize,
    [extent, origin]: [usize; 2],
) -> Result<(), DeviceError> {
    let total = count * extent;
    let words = || device.clone().allocate(8 * total);
    let at = |buffer: &Buffer| buffer.as_ptr() as u64;
    let gather = |size, table: u64, positions: u64, to: u64| {
        // SAFETY: the table, the positions and the result have `total` elements each.
        unsafe { gather_lines(device, size, [table, positions, to], total, [extent, origin]) }
    };
    let sorting = Sorting::new(Order::Positions, DType::U64, device).from(origin);
    let first = words()?;
    if dtype == DType::C64 {
        keys(dtype, device, [from, at(&first), 0, total as u64])?;
        if order == Order::Positions {
            return sorting.lines(at(&first), to, count, extent);
        }
        let positions = words()?;
        sorting.lines(at(&first), at(&positions), count, extent)?;
        return gather(8, from, at(&positions), to);
    }
    let second = words()?;
    keys(dtype, device, [from, at(&first), at(&second), total as u64])?;
    let by_second = words()?;
    sorting.lines(at(&second), at(&by_second), count, extent)?;
    // The first words in the order of the second ones; the stable sort keeps it where equal.
    gather(8, at(&first), at(&by_second), at(&second))?;
    let by_first = words()?;
    sorting.lines(at(&second), at(&by_first), count, extent)?;
    if order == Order::Positions {
        return gather(8, at(&by_second), at(&by_first), to);
    }
    gather(8, at(&by_second), at(&by_first), at(&first))?;
    gather(16, from, at(&first), to)
}

fn keys(dtype: DType, device: &CudaDevice, words: [u64; 4]) -> Result<(), DeviceError> {
    let blocks = (words[3] as usize).div_ceil(THREADS as usize).min(MOST_BLOCKS);
    // SAFETY: the words are those of `Argument` in the text; keys are as many as numbers.
    unsafe { of_keys(dtype).launch("complex_keys", device, (blocks, THREADS), &words) }
}
