//! The nearest elements along lines on a GPU.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::lines::Lines;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::structured::Nearest;

static TEXT: &str = include_str!("nearest.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;

fn routine() -> Routine {
    Routine::new(TEXT, [], Uses::default())
}

/// The texts that `run` runs.
pub fn routines(to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() { Vec::new() } else { vec![routine()] }
}

/// Computes the block `to` of the result from the block of the costs. Errors: those of the
/// compiler.
pub fn run(
    op: &Nearest,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let lines = Lines::of(to.shape, op.axis);
    let [costs, result] = [&operands[0], to].map(|block| block.buffer.as_ptr() as u64);
    let counts = [lines.extent, lines.inner].map(|count| count as u64);
    let words = [costs, result, to.len() as u64, op.spacing, counts[0], counts[1]];
    let blocks = to.len().div_ceil(THREADS).min(MOST_BLOCKS);
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe { routine().launch("nearest", device, (blocks, THREADS as u32), &words) }
}

/// The text.
pub fn sources() -> Vec<String> {
    vec![routine().source()]
}
