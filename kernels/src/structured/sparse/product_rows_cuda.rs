//! Products of sparse matrices and vectors in some rows on a GPU.

use super::rows_cuda::{of_products, products};
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{DeviceError, copy_slice};
use phalanx_ops::DType;
use phalanx_ops::structured::Semiring;

static TEXT: &str = concat!(include_str!("inside.cu"), include_str!("product_rows.cu"));
/// Threads of a thread block; the text has the same number.
const THREADS: usize = 256;

/// The text of a product: operands (into, rows, starts, ends, columns, values, x, received).
pub fn routine(semiring: Semiring, operands: &[Block<'_>], to: &Block<'_>) -> Routine {
    of(to.dtype, operands[4].dtype, semiring)
}

fn of(dtype: DType, columns: DType, semiring: Semiring) -> Routine {
    let (mut defines, uses) = products(dtype, semiring);
    defines.push(("I", String::from(columns.name())));
    Routine::new(TEXT, defines, uses)
}

/// Runs a product whose result is not empty. The products of a row of more than 64 entries are
/// added in another order than by the CPU's routine. Errors: those of the compiler.
pub fn run(
    semiring: Semiring,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    let [into, wanted, starts, ends, columns, values, x, received] = operands else {
        unreachable!("bug: {} operands of some rows of a product", operands.len())
    };
    let rows = to.len();
    assert!(
        [starts.len(), ends.len()] == [rows; 2]
            && columns.len() == values.len()
            && [values.dtype, x.dtype, received.dtype] == [to.dtype; 3],
        "bug: {} starts, {} ends, {} columns and {} values for {rows} rows",
        starts.len(),
        ends.len(),
        columns.len(),
        values.len()
    );
    if !into.buffer.same(to.buffer) {
        copy_slice(&into.memory(), &to.memory());
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let pattern = [starts, ends, columns].map(|block| block.buffer.as_ptr() as u64);
    let memory = [values, x, received, wanted, to].map(|block| block.buffer.as_ptr() as u64);
    let counts = [rows, values.len()].map(|number| number as u64);
    let lengths = [x.len(), received.len(), wanted.len()].map(|number| number as u64);
    let words: Vec<u64> = pattern.into_iter().chain(counts).chain(memory).chain(lengths).collect();
    let size = (wanted.len().div_ceil(THREADS), THREADS as u32);
    // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the kernel
    // touches nothing outside of them.
    unsafe { routine(semiring, operands, to).launch("product_rows", device, size, &words) }
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    of_products().map(|(dtype, semiring)| of(dtype, DType::I32, semiring).source()).collect()
}
