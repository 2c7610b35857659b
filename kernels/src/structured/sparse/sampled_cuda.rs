//! Products of dense matrices at the entries of a sparse one on a GPU.

use super::rows_cuda::numbers;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::{DType, Op};

static TEXT: &str = concat!(include_str!("inside.cu"), include_str!("sampled.cu"));
/// Threads of a thread block; the text has the same number.
const THREADS: usize = 256;

/// The threads of an entry whose rows have as many elements.
fn lanes(width: usize) -> usize {
    match width {
        0..8 => 1,
        8..128 => 8,
        _ => 32,
    }
}

/// The text of a product: operands (columns, starts, ends, values, x, y).
pub fn routine(operands: &[Block<'_>], to: &Block<'_>) -> Routine {
    of(to.dtype, operands[0].dtype, lanes(operands[4].shape[1]))
}

fn of(dtype: DType, columns: DType, lanes: usize) -> Routine {
    let (mut defines, uses) = numbers(dtype, [Op::Add, Op::Multiply]);
    defines.extend([("I", String::from(columns.name())), ("LANES", lanes.to_string())]);
    Routine::new(TEXT, defines, uses)
}

/// Runs a product whose result is not empty. Errors: those of the compiler.
pub fn run(operands: &[Block<'_>], to: &Block<'_>, device: &CudaDevice) -> Result<(), DeviceError> {
    let address = |block: &Block<'_>| block.buffer.as_ptr() as u64;
    let [columns, starts, ends, values, x, y] = operands else {
        unreachable!("bug: {} operands of a sampled product", operands.len())
    };
    let [rows, width] = *x.shape else { unreachable!("bug: x is a matrix") };
    assert!(
        [starts.len(), ends.len()] == [rows; 2]
            && [columns.len(), values.len()] == [to.len(); 2]
            && y.shape[1] == width,
        "bug: {rows} rows of x, {} starts, {} columns and {} values for {} entries",
        starts.len(),
        columns.len(),
        values.len(),
        to.len()
    );
    let words = [
        address(starts),
        address(ends),
        address(columns),
        rows as u64,
        to.len() as u64,
        address(values),
        address(x),
        address(y),
        address(to),
        y.shape[0] as u64,
        width as u64,
    ];
    let size = ((to.len() * lanes(width)).div_ceil(THREADS), THREADS as u32);
    // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the kernel
    // reads nothing outside of them.
    unsafe { routine(operands, to).launch("sampled", device, size, &words) }
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let widths = [1, 8, 128].map(lanes);
    let of_dtype = |&dtype: &DType| widths.map(|lanes| of(dtype, DType::I32, lanes).source());
    DType::ALL.iter().flat_map(of_dtype).collect()
}
