//! The routine of each structured operation.

use super::Block;
use super::{fft, linalg, matmul, sparse};
use super::{gather, scan, search, sort};
use crate::executable::gpu;
use crate::host_copies::HostCopies;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError};
use phalanx_ops::Structured;
use std::sync::Arc;

/// Computes the block `to` of the result of an operation from blocks of its operands, which lie as
/// `Structured::rule` says.
///
/// Nothing else touches the blocks meanwhile (condition 2 of `Buffer`), and `to` shares no memory
/// with an operand but the one that `Structured::overwrites` names, whose block it may be. Panics
/// (`bug:`) where a shape is not that of a block.
pub fn run_on(
    op: &Structured,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<dyn Device>,
) -> Result<(), DeviceError> {
    match device.as_any().is::<CudaDevice>() {
        true => run_on_gpu(op, operands, to, device),
        false => {
            run(op, operands, to, device.pool());
            Ok(())
        }
    }
}

/// By a routine of the GPU where there is one, else on the host with copies of the blocks.
fn run_on_gpu(
    op: &Structured,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<dyn Device>,
) -> Result<(), DeviceError> {
    let gpu = gpu(device);
    let is_done = match op {
        Structured::Matmul => matmul::cuda::run(operands, to, &gpu)?,
        Structured::Fft(fft) => {
            fft::cuda::run(fft, operands, to, &gpu)?;
            true
        }
        Structured::Sort(sort) => sort::cuda::run(*sort, operands, to, &gpu)?,
        Structured::Scan(scan) => scan::cuda::run(*scan, operands, to, &gpu)?,
        Structured::ReduceAt(reduce) => scan::reduce_at(*reduce, operands, to, &gpu)?,
        Structured::Take(take) => {
            gather::cuda::take(*take, operands, to, &gpu)?;
            true
        }
        Structured::TakeAlong(take) => {
            gather::cuda::take_along(*take, operands, to, &gpu)?;
            true
        }
        Structured::Decomposition(decomposition) => {
            linalg::cuda::run(decomposition, operands, to, &gpu)?
        }
        Structured::Spmv => {
            sparse::cuda::run(operands, to, &gpu)?;
            true
        }
        Structured::Put(put) => gather::cuda::put(*put, operands, to, &gpu)?,
        Structured::SearchSorted(search) => {
            search::cuda::run(*search, operands, to, &gpu)?;
            true
        }
    };
    if is_done {
        return Ok(());
    }
    let copies = HostCopies::of(operands.iter().map(|block| block.buffer));
    let fresh = || Buffer::from_vec(vec![0u128; to.buffer.len().div_ceil(16)]);
    let own = copies.get(to.buffer).cloned().unwrap_or_else(fresh);
    let copied = operands.iter().map(|block| {
        let buffer = copies.get(block.buffer).unwrap_or(block.buffer);
        Block { buffer, ..*block }
    });
    let on_host: Vec<Block<'_>> = copied.collect();
    run(op, &on_host, &Block { buffer: &own, ..*to }, device.pool());
    to.buffer.update_from_host(&own);
    Ok(())
}

/// As `run_on`, of blocks in the host's memory, on the threads of a pool.
pub fn run(
    op: &Structured,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    match op {
        Structured::Matmul => matmul::cpu::run(operands, to, pool),
        Structured::Fft(fft) => fft::cpu::run(fft, operands, to, pool),
        Structured::Sort(sort) => sort::cpu::run(*sort, operands, to, pool),
        Structured::Scan(scan) => scan::cpu::run(*scan, operands, to, pool),
        Structured::ReduceAt(reduce) => scan::cpu::reduce_at(*reduce, operands, to, pool),
        Structured::Take(take) => gather::cpu::take(*take, operands, to, pool),
        Structured::TakeAlong(take) => gather::cpu::take_along(*take, operands, to, pool),
        Structured::Put(put) => gather::cpu::put(*put, operands, to, pool),
        Structured::SearchSorted(search) => search::cpu::run(*search, operands, to, pool),
        Structured::Decomposition(decomposition) => {
            linalg::cpu::run(decomposition, operands, to, pool);
        }
        Structured::Spmv => sparse::cpu::run(operands, to, pool),
    }
}
