//! Binary search on a GPU, a thread for each value.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::sort::order::defines;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::DType;
use phalanx_ops::structured::{SearchSorted, Side};

static TEXT: &str = concat!(include_str!("../sort/order.cu"), include_str!("search.cu"));
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    DType::ALL.iter().map(|&dtype| routine(dtype).source()).collect()
}

/// The text with values of a dtype.
pub fn routine(dtype: DType) -> Routine {
    Routine::new(TEXT, defines(dtype), Uses::default())
}

/// `to` = `first` and the number of elements of the sorted vector before each value; NaN is last.
///
/// Panics (`bug:`) if shapes or dtypes do not fit. Errors: those of the compiler.
pub fn run(
    search: SearchSorted,
    first: u64,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    let (sorted, values) = (&operands[0], &operands[1]);
    assert!(
        sorted.dtype == values.dtype && to.dtype == DType::I64 && values.shape == to.shape,
        "bug: {:?} {} in {} into {:?}",
        values.shape,
        values.dtype,
        sorted.dtype,
        to.shape
    );
    if to.is_empty() {
        return Ok(());
    }
    let has_equals = u64::from(search.side == Side::Right);
    let [extent, total] = [sorted.len(), values.len()].map(|count| count as u64);
    let [from, values, result] = [sorted, values, to].map(|block| block.buffer.as_ptr() as u64);
    let words = [from, values, result, extent, total, has_equals, first];
    let blocks = to.len().div_ceil(THREADS as usize).min(MOST_BLOCKS);
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe { routine(sorted.dtype).launch("search", device, (blocks, THREADS), &words) }
}
