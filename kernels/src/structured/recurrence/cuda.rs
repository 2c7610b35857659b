//! Linear recurrences along lines, on a GPU.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::structured::{Filtered, Recurrence};
use phalanx_ops::{DType, Op};

static TEXT: &str = include_str!("recurrence.cu");
const MOST_BLOCKS: usize = 1 << 20;

/// The warps of a thread block, by the shared memory of each.
fn warps(dtype: DType) -> usize {
    if dtype.size() == 16 { 2 } else { 4 }
}

/// The text for coefficients of this shape.
fn routine(op: &Recurrence, dtype: DType, coefficients: &[usize]) -> Routine {
    let mut uses = Uses::default();
    for arithmetic in [Op::Add, Op::Subtract, Op::Multiply] {
        uses.ops.insert((arithmetic, vec![dtype, dtype]));
    }
    let mut defines = vec![
        ("T", dtype.name().into()),
        ("ROWS", coefficients[0].to_string()),
        ("ORDER", (coefficients[1] - 1).to_string()),
        ("WARPS", warps(dtype).to_string()),
    ];
    if op.gives == Filtered::States {
        defines.push(("STATES", String::new()));
    }
    Routine::new(TEXT, defines, uses)
}

/// The texts that `run` runs.
pub fn routines(op: &Recurrence, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() { Vec::new() } else { vec![routine(op, to.dtype, operands[1].shape)] }
}

/// Computes the block `to` of the result from the signal, both matrices of coefficients and the
/// states. Errors: those of the compiler.
pub fn run(
    op: &Recurrence,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let coefficients = operands[1].shape;
    let count = operands[3].len() / (coefficients[0] * (coefficients[1] - 1));
    let length = operands[0].shape.last().copied().unwrap_or(0);
    let address = |block: &Block<'_>| block.buffer.as_ptr() as u64;
    let mut words: Vec<u64> = operands[..4].iter().map(address).collect();
    words.extend([address(to), count as u64, length as u64]);
    let warps = warps(to.dtype);
    let blocks = count.div_ceil(32 * warps).min(MOST_BLOCKS);
    let routine = routine(op, to.dtype, coefficients);
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe { routine.launch("recurrence", device, (blocks, 32 * warps as u32), &words) }
}

/// The texts of every dtype, for both results.
pub fn sources() -> Vec<String> {
    let dtypes = [DType::F32, DType::F64, DType::C64, DType::C128];
    let pairs = dtypes.iter().zip([[1, 2], [1, 5], [4, 3], [1, 10]]);
    let texts = pairs.flat_map(|(&dtype, shape)| {
        let each = [Filtered::Signal, Filtered::States].into_iter();
        each.map(move |gives| routine(&Recurrence { gives }, dtype, &shape).source())
    });
    texts.collect()
}
