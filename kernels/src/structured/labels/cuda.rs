//! Connected elements on a GPU: every thread connects an element with its neighbours, by atomic
//! minima of parents (Komura 2015).

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::structured::Components;

static TEXT: &str = include_str!("labels.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// The text for a number of axes.
fn routine(axes: usize) -> Routine {
    Routine::new(TEXT, [("AXES", axes.max(1).to_string())], Uses::default())
}

/// The texts that `run` runs.
pub fn routines(to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() { Vec::new() } else { vec![routine(to.shape.len())] }
}

/// Computes the block `to` of the result from the blocks (mask, structure). Errors: those of the
/// compiler.
pub fn run(
    op: &Components,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let addresses = operands.iter().chain([to]).map(|block| block.buffer.as_ptr() as u64);
    let mut words: Vec<u64> = addresses.chain([to.len() as u64]).collect();
    if to.shape.is_empty() {
        words.extend([1, 0, 1]);
    } else {
        words.extend(to.shape.iter().chain(to.origin).map(|&number| number as u64));
        words.extend(&op.extents[..to.shape.len()]);
    }
    let blocks = to.len().div_ceil(THREADS).min(MOST_BLOCKS);
    let routine = routine(to.shape.len());
    for kernel in ["plant", "join", "flatten", "place"] {
        // SAFETY: the words are those of `Argument` in the text; the kernels touch nothing outside
        // of the blocks.
        unsafe { routine.launch(kernel, device, (blocks, THREADS as u32), &words)? };
    }
    Ok(())
}

/// The texts of some numbers of axes.
pub fn sources() -> Vec<String> {
    (1..=4).map(|axes| routine(axes).source()).collect()
}
