//! The nearest points of a tree on a GPU.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Define, Routine};
use crate::structured::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::structured::TreeSearch;
use std::sync::Arc;

static TEXT: &str = include_str!("trees.cu");
const THREADS: usize = 128;
const MOST_BLOCKS: usize = 1 << 20;
/// The points to find that fit into registers.
const IN_REGISTERS: u64 = 16;

/// The text for points with so many coordinates.
fn routine(op: &TreeSearch, dimensions: usize, is_periodic: bool) -> Routine {
    let norm = match f64::from_bits(op.norm) {
        1.0 => 1,
        2.0 => 2,
        f64::INFINITY => 0,
        _ => 3,
    };
    let count = if op.count <= IN_REGISTERS { op.count } else { 0 };
    let mut defines: Vec<Define> = vec![
        ("DIMENSIONS", dimensions.to_string()),
        ("NORM", norm.to_string()),
        ("COUNT", count.to_string()),
    ];
    if is_periodic {
        defines.push(("PERIODIC", String::new()));
    }
    Routine::new(TEXT, defines, Uses::default())
}

fn of_blocks(op: &TreeSearch, operands: &[Block<'_>]) -> Routine {
    routine(op, operands[2].shape[1], !operands[4].is_empty())
}

/// The texts that `run` runs.
pub fn routines(op: &TreeSearch, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() { Vec::new() } else { vec![of_blocks(op, operands)] }
}

/// Computes the block `to` of the result. Errors: those of the compiler, and of memory for the
/// distances of many points.
pub fn run(
    op: &TreeSearch,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let distances = match op.count {
        0..=IN_REGISTERS => None,
        _ => Some(device.clone().allocate(size_of::<f64>() * to.len())?),
    };
    let mut words: Vec<u64> =
        operands.iter().chain([to]).map(|block| block.buffer.as_ptr() as u64).collect();
    words.push(distances.as_ref().map_or(0, |memory| memory.as_ptr() as u64));
    let [leaves, _, width] = operands[2].shape else { unreachable!("bug: leaves of a tree") };
    words.extend([to.shape[0] as u64, op.count, *leaves as u64 - 1, *width as u64]);
    words.extend([op.absent, op.norm, op.limit]);
    let blocks = to.shape[0].div_ceil(THREADS).min(MOST_BLOCKS);
    let grid = (blocks, THREADS as u32);
    // SAFETY: the words are those of `Argument` in the text; the kernel reads the blocks, which are
    // whole, and writes the result and the distances.
    unsafe { of_blocks(op, operands).launch("search", device, grid, &words) }
}

/// Texts of all norms, and of some numbers of coordinates and points.
pub fn sources() -> Vec<String> {
    let cases =
        [(1.0, 1, 3, false), (2.0, 3, 1, false), (f64::INFINITY, 2, 17, true), (3.5, 9, 2, true)];
    let texts = cases.map(|(norm, dimensions, count, is_periodic): (f64, _, _, _)| {
        let op = TreeSearch { count, absent: 1, norm: norm.to_bits(), limit: 0 };
        routine(&op, dimensions, is_periodic).source()
    });
    texts.into()
}
