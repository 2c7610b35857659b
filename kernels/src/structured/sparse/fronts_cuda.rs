//! Dense parts of sparse factorisations (fronts) on a GPU.

use super::fronts::extents;
use super::rows_cuda::numbers;
use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Routine, word};
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::copy_slice;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::structured::Sparse;
use phalanx_ops::{DType, Op};

static TEXT: &str = include_str!("fronts.cu");
/// Threads of a thread block; the text has the same number.
const THREADS: usize = 256;

/// The text of an operation for elements of a dtype; `is_large` if 32 bits cannot number them.
pub fn routine(op: Sparse, dtype: DType, is_large: bool) -> Routine {
    let (mut defines, uses) = match op {
        Sparse::Place => {
            (vec![("PLACE", String::new()), ("T", word(dtype.size()).into())], Uses::default())
        }
        _ => {
            let (mut defines, uses) = numbers(dtype, [Op::Add]);
            defines.push(("ADD", String::new()));
            (defines, uses)
        }
    };
    defines.push(("N", String::from(if is_large { "u64" } else { "u32" })));
    Routine::new(TEXT, defines, uses)
}

/// The text that `run` runs.
pub fn routine_of(op: Sparse, to: &Block<'_>) -> Routine {
    routine(op, to.dtype, u32::try_from(to.len()).is_err())
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let of = |op: Sparse, dtype: DType| routine(op, dtype, false).source();
    let places = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128];
    let sums = DType::ALL.iter().map(|&dtype| of(Sparse::AddFronts { is_local: true }, dtype));
    sums.chain(places.map(|dtype| of(Sparse::Place, dtype))).collect()
}

/// Runs an operation. Errors: those of the compiler.
pub fn run(
    op: Sparse,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    if !operands[0].buffer.same(to.buffer) {
        copy_slice(&operands[0].memory(), &to.memory());
    }
    let at = |operand: usize| operands[operand].buffer.as_ptr() as u64;
    let own = to.buffer.as_ptr() as u64;
    let (name, count, words) = if op == Sparse::Place {
        let count = operands[1].len();
        let sizes = [count, to.len(), 0, 0, 0, 0].map(|number| number as u64);
        ("place", count, [&[own, 0, at(1), 0, at(2)][..], &sizes].concat())
    } else {
        let ([_, height, width], [sources, below, across]) = (extents(to), extents(&operands[4]));
        let sizes = [to.len(), height, width, sources, below, across].map(|number| number as u64);
        ("add_fronts", to.len(), [&[own, at(1), at(2), at(3), at(4)][..], &sizes].concat())
    };
    if count == 0 {
        return Ok(());
    }
    let size = (count.div_ceil(THREADS), THREADS as u32);
    // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the kernel
    // touches nothing outside of them.
    unsafe { routine_of(op, to).launch(name, device, size, &words) }
}
