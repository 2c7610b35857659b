//! Combinations of stretches on a GPU: a thread or a warp for each stretch, or for each chunk of a
//! stretch if there are few stretches.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::combining::has_loop;
use crate::structured::lines::Lines;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::structured::ReduceAt;
use phalanx_ops::{DType, Op};
use std::sync::Arc;

static TEXT: &str = include_str!("reduce_at.cu");
const THREADS: usize = 256;
const WARP: usize = 32;
const MOST_BLOCKS: usize = 1 << 20;
/// The number of threads that keep a device busy. It is fixed, so that the order of sums does not
/// depend on the device.
const MANY_THREADS: usize = 1 << 19;
/// The fewest rows of a chunk for a thread, on average.
const ROWS: usize = 128;

/// The text with an operation.
fn routine(op: Op, dtype: DType) -> Routine {
    let mut uses = Uses::default();
    uses.ops.insert((op, vec![dtype, dtype]));
    let name = if dtype == DType::Bool { "bool" } else { dtype.name() };
    let defines = [("Element", String::from(name)), ("OP", format!("op_{}", op.name()))];
    Routine::new(TEXT, defines, uses)
}

/// The texts of sums and of maxima.
pub fn reduce_at_sources() -> Vec<String> {
    let of = |op: Op| {
        let dtypes = DType::ALL.iter().filter(move |&&dtype| has_loop(op, dtype));
        dtypes.map(move |&dtype| routine(op, dtype).source())
    };
    of(Op::Add).chain(of(Op::Maximum)).collect()
}

/// The routines that `reduce_at` launches.
pub fn reduce_at_routines(reduce: ReduceAt, to: &Block<'_>) -> Vec<Routine> {
    if has_loop(reduce.op, to.dtype) && !to.is_empty() {
        vec![routine(reduce.op, to.dtype)]
    } else {
        Vec::new()
    }
}

/// The combination of each stretch of an axis; false for operations that have no such loop. A start
/// outside of the axis is moved to the nearest one inside.
///
/// Panics (`bug:`) if shapes or dtypes do not fit. Errors: those of the compiler;
/// `DeviceError::OutOfMemory` for the results of chunks.
pub fn reduce_at(
    reduce: ReduceAt,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let (from, starts) = (&operands[0], &operands[1]);
    let (lines, result) = (Lines::of(from.shape, reduce.axis), Lines::of(to.shape, reduce.axis));
    assert!(
        from.dtype == to.dtype
            && starts.dtype == DType::I64
            && (lines.outer, lines.inner) == (result.outer, result.inner)
            && starts.len() == result.extent
            && (lines.extent > 0 || to.is_empty()),
        "bug: stretches of {:?} from {:?} into {:?}",
        from.shape,
        starts.shape,
        to.shape
    );
    let dtype = to.dtype;
    if !has_loop(reduce.op, dtype) {
        return Ok(false);
    }
    if to.is_empty() {
        return Ok(true);
    }
    // If another order is not allowed, one thread combines from left to right.
    let is_free = !reduce.in_order && reduce.op.is_free(dtype);
    let has_lines = is_free && lines.inner == 1;
    let per_part = if has_lines { WARP } else { 1 };
    let wanted = MANY_THREADS / (to.len() * per_part);
    let longest = lines.extent / (result.extent * ROWS * per_part);
    let chunks = if is_free { wanted.min(longest).max(1) } else { 1 };
    let parts = match chunks {
        1 => None,
        _ => Some(device.clone().allocate(to.len() * chunks * dtype.size())?),
    };
    let routine = routine(reduce.op, dtype);
    let address = |block: &Block<'_>| block.buffer.as_ptr() as u64;
    let of_parts = parts.as_ref().map_or(0, |parts| parts.as_ptr() as u64);
    let sizes = [lines.outer, lines.extent, lines.inner, result.extent, chunks];
    let addresses = [address(from), address(starts), address(to), of_parts];
    let words: Vec<u64> = addresses.into_iter().chain(sizes.map(|size| size as u64)).collect();
    let launch = |entry, threads: usize| {
        let blocks = threads.div_ceil(THREADS).min(MOST_BLOCKS);
        // SAFETY: the words are those of `Argument` in the text; starts are brought inside of the
        // axis, the blocks are whole, and there is a part for each chunk of each element.
        unsafe { routine.launch(entry, device, (blocks, THREADS as u32), &words) }
    };
    let [entry, joining] = if has_lines {
        ["reduce_lines", "reduce_line_parts"]
    } else {
        ["reduce_columns", "reduce_column_parts"]
    };
    launch(entry, to.len() * chunks * per_part)?;
    if chunks > 1 {
        launch(joining, to.len() * if has_lines { THREADS } else { 1 })?;
    }
    Ok(true)
}
