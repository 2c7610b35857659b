//! Connected elements on a GPU: every thread connects an element with its neighbours, by atomic
//! minima of parents (Komura 2015), within tiles and then across them (Allegretti, Bolelli and
//! Grana 2020).

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::DType;
use phalanx_ops::structured::Components;

static TEXT: &str = include_str!("labels.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// The rows and the columns of a tile of masks with so many axes: as many elements as a thread
/// block connects in shared memory.
fn tile(axes: usize) -> [usize; 2] {
    if axes < 2 { [1, 1024] } else { [16, 64] }
}

/// The text for a number of axes and positions of a dtype.
fn routine(axes: usize, positions: DType) -> Routine {
    let (signed, unsigned) = if positions == DType::I32 { ("i32", "u32") } else { ("i64", "u64") };
    let [rows, columns] = tile(axes);
    let defines = [
        ("AXES", axes.max(1).to_string()),
        ("P", signed.into()),
        ("WORD", unsigned.into()),
        ("TILE_ROWS", rows.to_string()),
        ("TILE_COLUMNS", columns.to_string()),
    ];
    Routine::new(TEXT, defines, Uses::default())
}

/// The texts that `run` runs.
pub fn routines(to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() { Vec::new() } else { vec![routine(to.shape.len(), to.dtype)] }
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
    let [rows, columns] = tile(to.shape.len());
    let tiles = match to.shape {
        [] => 1,
        [length] => length.div_ceil(columns),
        [planes @ .., height, width] => {
            planes.iter().product::<usize>() * height.div_ceil(rows) * width.div_ceil(columns)
        }
    };
    let addresses = operands.iter().chain([to]).map(|block| block.buffer.as_ptr() as u64);
    let mut words: Vec<u64> = addresses.chain([to.len() as u64, tiles as u64]).collect();
    if to.shape.is_empty() {
        words.extend([1, 0, 1]);
    } else {
        words.extend(to.shape.iter().chain(to.origin).map(|&number| number as u64));
        words.extend(&op.extents[..to.shape.len()]);
    }
    let each = to.len().div_ceil(THREADS);
    let routine = routine(to.shape.len(), to.dtype);
    let mut kernels = vec![("plant", tiles), ("join", each), ("climb", each), ("flatten", each)];
    if !op.is_whole(to.shape) {
        kernels.push(("place", each));
    }
    for (kernel, blocks) in kernels {
        let grid = (blocks.min(MOST_BLOCKS), THREADS as u32);
        // SAFETY: the words are those of `Argument` in the text; the kernels touch nothing outside
        // of the blocks.
        unsafe { routine.launch(kernel, device, grid, &words)? };
    }
    Ok(())
}

/// The texts of some numbers of axes.
pub fn sources() -> Vec<String> {
    let dtypes = [DType::I32, DType::I64];
    (1..=4).map(|axes| routine(axes, dtypes[axes % 2]).source()).collect()
}
