//! Products of matrices with rows of very different lengths on a GPU.

use super::rows_cuda::{of_products, products};
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::DType;
use phalanx_ops::structured::Semiring;
use std::sync::Arc;

static TEXT: &str = concat!(include_str!("inside.cu"), include_str!("tiles.cu"));
/// Threads of a thread block; the text has the same number.
const THREADS: usize = 256;
/// The entries of a tile of a product with a vector, and with a matrix; the text has the same.
const TILES: [usize; 2] = [8 * THREADS, 128];

/// The text of a product.
pub fn routine(semiring: Semiring, operands: &[Block<'_>], to: &Block<'_>) -> Routine {
    let (mut defines, uses) = products(to.dtype, semiring);
    defines.push(("I", String::from(operands[2].dtype.name())));
    if to.shape.len() == 1 {
        defines.push(("VECTOR", String::new()));
    }
    Routine::new(TEXT, defines, uses)
}

/// Runs a product: operands (starts, ends, columns, values, x). Errors: those of the compiler, and
/// of the allocation of parts, which have a number for each element of the result and each tile.
pub fn run(
    semiring: Semiring,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let (rows, entries) = (to.shape[0], operands[3].len());
    let width = to.shape.get(1).copied();
    let tile = TILES[usize::from(width.is_some())];
    let (width, count) = (width.unwrap_or(1), entries.div_ceil(tile));
    let routine = routine(semiring, operands, to);
    // Sums of half types are wider.
    let part = (to.dtype.size().max(4) * count * width).next_multiple_of(16);
    let numbers = device.clone().allocate(16 * count + 2 * part)?;
    let numbers_at = numbers.as_ptr() as u64;
    let addresses = operands.iter().chain([to]).map(|it| it.buffer.as_ptr() as u64);
    let (pattern, memory) = (addresses.clone().take(3), addresses.skip(3));
    let number = |number: usize| number as u64;
    let counts = [rows, entries].map(number);
    let extents = [operands[4].shape[0], width].map(number);
    let rows_of_heads = numbers_at + 8 * count as u64;
    let heads = numbers_at + 16 * count as u64;
    let own = [numbers_at, rows_of_heads, heads, heads + part as u64];
    let words = pattern.chain(counts).chain(memory).chain(extents).chain(own);
    let words: Vec<u64> = words.collect();
    let warps_of_tiles = match to.shape.len() {
        1 => count * THREADS / 32,
        _ => count * width.div_ceil(32),
    };
    let kernels = [
        ("clear", rows * width),
        ("find_rows", 32 * count),
        ("tiles", 32 * warps_of_tiles),
        ("join", 32 * count * width.div_ceil(32)),
    ];
    for (kernel, threads) in kernels {
        if threads > 0 {
            let size = (threads.div_ceil(THREADS), THREADS as u32);
            // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the
            // kernel touches nothing outside of them and of its numbers.
            unsafe { routine.launch(kernel, device, size, &words)? };
        }
    }
    Ok(())
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    use phalanx_device::Buffer;
    let nowhere = Buffer::without_memory(0);
    let mut sources = Vec::new();
    for (dtype, semiring) in of_products() {
        for shape in [&[1][..], &[1, 1]] {
            let block = |dtype| Block { buffer: &nowhere, dtype, shape, origin: &[0, 0] };
            let operands = [block(DType::I64), block(DType::I64), block(DType::I32)];
            sources.push(routine(semiring, &operands, &block(dtype)).source());
        }
    }
    sources
}
