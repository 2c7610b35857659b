//! Products of a sparse matrix in rows and a vector on a GPU.
//!
//! This is our own kernel: cuSPARSE supports neither separate starts and ends of rows nor integers,
//! reads the entries of short rows less well, and adds them in its own order.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::{DType, Op};

static TEXT: &str = include_str!("csr.cu");
/// Threads and rows of a thread block; the text has the same number.
const ROWS: u32 = 256;

/// The text with elements of a dtype.
pub fn routine(dtype: DType, columns: DType) -> Routine {
    let is_half = matches!(dtype, DType::F16 | DType::BF16);
    let sum = if is_half { DType::F32 } else { dtype };
    let mut uses = Uses::default();
    uses.ops.insert((Op::Add, vec![sum; 2]));
    uses.ops.insert((Op::Multiply, vec![sum; 2]));
    let cast = |to: DType| if is_half { format!("cast_{to}") } else { String::new() };
    if is_half {
        uses.casts.extend([(dtype, sum), (sum, dtype)]);
    }
    let name = |dtype: DType| String::from(dtype.name());
    let defines = [
        ("T", name(dtype)),
        ("S", name(sum)),
        ("I", name(columns)),
        ("WIDE", cast(sum)),
        ("NARROW", cast(dtype)),
    ];
    Routine::new(TEXT, defines, uses)
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let source = |&dtype: &DType| routine(dtype, DType::I32).source();
    DType::ALL.iter().map(source).collect()
}

/// `to = A x`. Only the order in which the entries of long rows are added differs from the CPU's
/// routine.
///
/// Errors: those of the compiler.
pub fn run(operands: &[Block<'_>], to: &Block<'_>, device: &CudaDevice) -> Result<(), DeviceError> {
    let [starts, ends, columns, values, x] = operands else {
        unreachable!("bug: {} operands of a sparse product", operands.len())
    };
    assert!(
        [starts.len(), ends.len()] == [to.len(); 2]
            && columns.len() == values.len()
            && [values.dtype, x.dtype] == [to.dtype; 2],
        "bug: {} starts, {} ends, {} columns and {} values for {} rows",
        starts.len(),
        ends.len(),
        columns.len(),
        values.len(),
        to.len()
    );
    if to.is_empty() {
        return Ok(());
    }
    let routine = routine(to.dtype, columns.dtype);
    let addresses = [starts, ends, columns, values, x, to].map(|it| it.buffer.as_ptr() as u64);
    let numbers = [to.len(), values.len(), x.len()].map(|number| number as u64);
    let words: Vec<u64> = addresses.into_iter().chain(numbers).collect();
    let blocks = to.len().div_ceil(ROWS as usize);
    // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the kernel
    // reads nothing outside of them.
    unsafe { routine.launch("spmv", device, (blocks, ROWS), &words) }
}
