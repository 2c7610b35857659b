//! Operations on sparse matrices in rows on a GPU: products with vectors and matrices, and those of
//! `rows`. What has no text runs on the host, with copies of the blocks.
//!
//! This is our own kernel: cuSPARSE supports neither separate starts and ends of rows nor integers,
//! reads the entries of short rows less well, and adds them in its own order.

use super::fronts_cuda as fronts;
use super::product_rows_cuda as product_rows;
use super::rows_cuda as rows;
use super::sampled_cuda as sampled;
use super::tiles_cuda as tiles;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::sort;
use crate::structured::sort::radix::Sorting;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::DType;
use phalanx_ops::structured::{Order, Semiring, Sort, Sparse};
use std::sync::Arc;

static TEXT: &str = concat!(include_str!("inside.cu"), include_str!("csr.cu"));
/// Groups are sorted, because a GPU has no order in which to count.
const GROUP: Sort = Sort { axis: 0, order: Order::Positions, ranks: None, runs: None };
/// Threads and rows of a thread block; the text has the same number.
const ROWS: u32 = 256;

/// The text with elements of a dtype.
pub fn routine(dtype: DType, columns: DType, semiring: Semiring) -> Routine {
    let (mut defines, uses) = rows::products(dtype, semiring);
    defines.push(("I", String::from(columns.name())));
    Routine::new(TEXT, defines, uses)
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let source = |(dtype, semiring)| routine(dtype, DType::I32, semiring).source();
    rows::of_products()
        .map(source)
        .chain(rows::sources())
        .chain(product_rows::sources())
        .chain(tiles::sources())
        .chain(fronts::sources())
        .chain(sampled::sources())
        .collect()
}

/// The texts that `run` runs.
pub fn routines(op: Sparse, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    match op {
        _ if to.is_empty() => Vec::new(),
        Sparse::Product { is_even: false, semiring, .. } => {
            vec![tiles::routine(semiring, operands, to)]
        }
        Sparse::Product { semiring, .. } => vec![routine(to.dtype, operands[2].dtype, semiring)],
        Sparse::ProductRows { semiring } => vec![product_rows::routine(semiring, operands, to)],
        Sparse::AddFronts { .. } | Sparse::Place => vec![fronts::routine_of(op, to)],
        Sparse::SampledProduct { .. } => vec![sampled::routine(operands, to)],
        Sparse::Group => sort::cuda::routines(GROUP, &operands[2..], to),
        Sparse::Order if let Some(keys) = rows::Call::keys(operands) => {
            vec![keys.routine(), sort::radix::routine(Order::Positions, DType::U64, false)]
        }
        _ => rows::Call::of(op, operands, to).map(|call| call.routine()).into_iter().collect(),
    }
}

/// Runs an operation if there is a text for it. Only the order in which products and folds add the
/// entries of a row differs from the CPU's routine.
///
/// Errors: those of the compiler.
pub fn run(
    op: Sparse,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    if op == Sparse::Group {
        return sort::cuda::run(GROUP, &operands[2..], to, device);
    }
    if let Sparse::Product { is_even, semiring, .. } = op {
        return product(operands, to, is_even, semiring, device).map(|()| true);
    }
    if to.is_empty() {
        return Ok(true);
    }
    if let Sparse::ProductRows { semiring } = op {
        return product_rows::run(semiring, operands, to, device).map(|()| true);
    }
    if let Sparse::AddFronts { .. } | Sparse::Place = op {
        return fronts::run(op, operands, to, device).map(|()| true);
    }
    if matches!(op, Sparse::SampledProduct { .. }) {
        return sampled::run(operands, to, device).map(|()| true);
    }
    if op == Sparse::Order
        && let Some(keys) = rows::Call::keys(operands)
    {
        return sorted(keys, operands[1].len(), to, device).map(|()| true);
    }
    match rows::Call::of(op, operands, to) {
        Some(call) => call.run(device).map(|()| true),
        None => Ok(false),
    }
}

/// Sorts all entries by their keys: their rows and columns. Long rows cost as much as short ones.
fn sorted(
    call: rows::Call,
    rows: usize,
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let entries = to.len();
    let keys = device.clone().allocate(8 * entries)?;
    call.into(keys.as_ptr() as u64).run(device)?;
    let bits = 31 + (usize::BITS - rows.leading_zeros());
    Sorting::new(Order::Positions, DType::U64, device).of_digits(bits.div_ceil(8) as usize).lines(
        keys.as_ptr() as u64,
        to.buffer.as_ptr() as u64,
        1,
        entries,
    )
}

fn product(
    operands: &[Block<'_>],
    to: &Block<'_>,
    is_even: bool,
    semiring: Semiring,
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let rows = to.shape[0];
    let [starts, ends, columns, values, x] = operands else {
        unreachable!("bug: {} operands of a sparse product", operands.len())
    };
    assert!(
        [starts.len(), ends.len()] == [rows; 2]
            && columns.len() == values.len()
            && [values.dtype, x.dtype] == [to.dtype; 2],
        "bug: {} starts, {} ends, {} columns and {} values for {} rows",
        starts.len(),
        ends.len(),
        columns.len(),
        values.len(),
        rows
    );
    if to.is_empty() {
        return Ok(());
    }
    if !is_even {
        return tiles::run(semiring, operands, to, device);
    }
    let routine = routine(to.dtype, columns.dtype, semiring);
    let addresses = [starts, ends, columns, values, x, to].map(|it| it.buffer.as_ptr() as u64);
    let numbers = [rows, values.len(), x.shape[0]].map(|number| number as u64);
    let mut words: Vec<u64> = addresses.into_iter().chain(numbers).collect();
    let blocks = to.len().div_ceil(ROWS as usize);
    if let [_, width] = *to.shape {
        words.push(width as u64);
        // SAFETY: the words are those of `Matrix` in the text; the blocks are whole, and the kernel
        // reads nothing outside of them.
        return unsafe { routine.launch("spmm", device, (blocks, ROWS), &words) };
    }
    // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the kernel
    // reads nothing outside of them.
    unsafe { routine.launch("spmv", device, (blocks, ROWS), &words) }
}
