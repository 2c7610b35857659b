//! The routine of each structured operation.

use super::Block;
use super::lines::copy;
use super::workspace::workspace;
use super::{
    fft, interpolation, labels, linalg, matmul, nearest, neighbourhood, recurrence, sparse, trees,
};
use super::{gather, launch, scan, search, sort};
use crate::cuda::routine::Routine;
use crate::cuda::{Missing, gpu};
use crate::host_copies::HostCopies;
use phalanx_device::blas::Blas;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError, copy_slice};
use phalanx_ops::memory::has_room;
use phalanx_ops::{Bytes, Scalar, Structured};
use std::sync::Arc;

/// Computes the block `to` of the result of an operation from blocks of its operands, which are
/// distributed as `Structured::rule` says.
///
/// Nothing else touches the blocks meanwhile (condition 2 of `Buffer`). `to` shares no memory with
/// an operand, except that it may be the block of the operand that `Structured::overwrites` names.
/// Panics (`bug:`) if a shape is not that of a block.
pub fn run_on(
    op: &Structured,
    operands: &[Block<'_>],
    scalars: &[Scalar],
    to: &Block<'_>,
    device: &Arc<dyn Device>,
) -> Result<(), DeviceError> {
    if device.as_any().is::<CudaDevice>() {
        run_on_gpu(op, operands, scalars, to, device)
    } else {
        let threads = device.pool().map_or(1, rayon::ThreadPool::current_num_threads);
        let blas = device.blas();
        let Bytes(requested) = workspace(op, operands, to, threads, blas.is_some());
        if !has_room(requested) {
            let (device, in_use) = (device.name(), device.bytes_in_use());
            return Err(DeviceError::OutOfMemory { device, requested, in_use, limit: None });
        }
        run(op, operands, scalars, to, device.pool(), blas);
        Ok(())
    }
}

/// Runs a routine of the GPU if there is one, else runs on the host with copies of the blocks.
fn run_on_gpu(
    op: &Structured,
    operands: &[Block<'_>],
    scalars: &[Scalar],
    to: &Block<'_>,
    device: &Arc<dyn Device>,
) -> Result<(), DeviceError> {
    let gpu = gpu(device);
    let is_done = match op {
        Structured::Matmul(matmul) => matmul::cuda::run(*matmul, operands, to, &gpu)?,
        Structured::Fft(fft) => {
            fft::cuda::run(fft, operands, to, &gpu)?;
            true
        }
        Structured::Sort(sort) => sort::cuda::run(*sort, operands, to, &gpu)?,
        Structured::Route(_) => {
            copy_slice(&operands[operands.len() - 1].memory(), &to.memory());
            true
        }
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
        Structured::Neighbourhood(op) => neighbourhood::cuda::run(op, operands, to, &gpu)?,
        Structured::Interpolate(op) => {
            interpolation::cuda::run(op, operands, to, &gpu)?;
            true
        }
        Structured::Recurrence(op) => {
            recurrence::cuda::run(op, operands, to, &gpu)?;
            true
        }
        Structured::Components(op) => {
            labels::cuda::run(op, operands, to, &gpu)?;
            true
        }
        Structured::Nearest(op) => {
            nearest::cuda::run(op, operands, to, &gpu)?;
            true
        }
        Structured::TreeSearch(op) => {
            trees::cuda::run(op, operands, to, &gpu)?;
            true
        }
        Structured::Sparse(op) => sparse::cuda::run(*op, operands, to, &gpu)?,
        Structured::Put(put) => gather::cuda::put(*put, operands, to, &gpu)?,
        Structured::SearchSorted(search) => {
            search::cuda::run(*search, 0, operands, to, &gpu)?;
            true
        }
        Structured::Launch(launch) => {
            launch::cuda::run(launch, operands, scalars, to, &gpu)?;
            true
        }
        Structured::Lend(_) | Structured::Returned(_) => {
            hand_over(&operands[0], to);
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
    run(op, &on_host, scalars, &Block { buffer: &own, ..*to }, device.pool(), device.blas());
    to.buffer.update_from_host(&own);
    Ok(())
}

/// The texts that `run_on` runs on a GPU. The memory of the blocks does not matter.
fn routines(op: &Structured, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    match op {
        Structured::Matmul(matmul) => matmul::cuda::routines(*matmul, operands, to),
        Structured::Fft(fft) => fft::cuda::routines(fft, operands, to),
        Structured::Sort(sort) => sort::cuda::routines(*sort, operands, to),
        Structured::Route(_)
        | Structured::Lend(_)
        // A call compiles and loads the kernel.
        | Structured::Launch(_)
        | Structured::Returned(_) => Vec::new(),
        Structured::Scan(scan) => scan::cuda::routines(*scan, to),
        Structured::ReduceAt(reduce) => scan::reduce_at_routines(*reduce, to),
        Structured::Take(take) => gather::cuda::take_routines(*take, operands, to),
        Structured::TakeAlong(take) => gather::cuda::take_along_routines(*take, operands, to),
        Structured::Decomposition(decomposition) => {
            linalg::cuda::routines(decomposition, operands, to)
        }
        Structured::Neighbourhood(op) => neighbourhood::cuda::routines(op, operands, to),
        Structured::Interpolate(op) => interpolation::cuda::routines(op, operands, to),
        Structured::Recurrence(op) => recurrence::cuda::routines(op, operands, to),
        Structured::Components(_) => labels::cuda::routines(to),
        Structured::Nearest(_) => nearest::cuda::routines(to),
        Structured::TreeSearch(op) => trees::cuda::routines(op, operands, to),
        Structured::Sparse(op) => sparse::cuda::routines(*op, operands, to),
        Structured::Put(put) => gather::cuda::put_routines(*put, operands, to),
        Structured::SearchSorted(_) if to.is_empty() => Vec::new(),
        Structured::SearchSorted(_) => vec![search::cuda::routine(operands[0].dtype)],
    }
}

/// The texts that `run_on` must load on a device first. The memory of the blocks does not matter.
pub fn missing(
    op: &Structured,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<dyn Device>,
) -> Vec<Missing<'static>> {
    if !device.as_any().is::<CudaDevice>() {
        return Vec::new();
    }
    let gpu = gpu(device);
    routines(op, operands, to)
        .into_iter()
        .filter(|routine| !routine.is_loaded(&gpu))
        .map(Missing::routine)
        .collect()
}

/// Like `run_on`, for blocks in the host's memory, on the threads of a pool. If there is a library,
/// it multiplies and factorises matrices that are not small.
pub fn run(
    op: &Structured,
    operands: &[Block<'_>],
    scalars: &[Scalar],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    blas: Option<Blas>,
) {
    match op {
        Structured::Matmul(matmul) => matmul::cpu::run(*matmul, operands, to, pool, blas),
        Structured::Fft(fft) => fft::cpu::run(fft, operands, to, pool),
        Structured::Sort(sort) => sort::cpu::run(*sort, operands, to, pool),
        Structured::Route(_) => copy(&operands[operands.len() - 1], to, pool),
        Structured::Scan(scan) => scan::cpu::run(*scan, operands, to, pool),
        Structured::ReduceAt(reduce) => scan::cpu::reduce_at(*reduce, operands, to, pool),
        Structured::Take(take) => gather::cpu::take(*take, operands, to, pool),
        Structured::TakeAlong(take) => gather::cpu::take_along(*take, operands, to, pool),
        Structured::Put(put) => gather::cpu::put(*put, operands, to, pool),
        Structured::SearchSorted(search) => search::cpu::run(*search, 0, operands, to, pool),
        Structured::Decomposition(decomposition) => {
            linalg::cpu::run(decomposition, operands, to, pool, blas);
        }
        Structured::Neighbourhood(op) => neighbourhood::cpu::run(op, operands, to, pool),
        Structured::Interpolate(op) => interpolation::cpu::run(op, operands, to, pool),
        Structured::Recurrence(op) => recurrence::cpu::run(op, operands, to, pool),
        Structured::Components(op) => labels::cpu::run(op, operands, to, pool),
        Structured::Nearest(op) => nearest::cpu::run(op, operands, to, pool),
        Structured::TreeSearch(op) => trees::cpu::run(op, operands, to, pool),
        Structured::Sparse(op) => sparse::cpu::run(*op, operands, to, pool),
        Structured::Launch(launch) => launch::cpu::run(launch, operands, scalars, to),
        Structured::Lend(_) | Structured::Returned(_) => hand_over(&operands[0], to),
    }
}

/// The value of an operand: in its own memory, or copied.
fn hand_over(from: &Block<'_>, to: &Block<'_>) {
    if !from.is_empty() && !from.buffer.same(to.buffer) {
        copy_slice(&from.memory(), &to.memory());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ops::structured::{Matmul, Order, Put, Sort};
    use phalanx_ops::{DType, Op};

    fn count(op: Structured, operands: &[(DType, &[usize])]) -> usize {
        let nowhere = Buffer::without_memory(0);
        let block = |dtype, shape| Block { buffer: &nowhere, dtype, shape, origin: &[0; 4] };
        let pairs: Vec<_> = operands.iter().map(|&(dtype, shape)| (shape, dtype)).collect();
        let (shape, dtype) = op.result(&pairs);
        let operands: Vec<_> = operands.iter().map(|&(dtype, shape)| block(dtype, shape)).collect();
        routines(&op, &operands, &block(dtype, &shape)).len()
    }

    #[test]
    fn the_runs_of_an_operation_are_known_from_its_blocks() {
        let sort = |order| Structured::Sort(Sort::new(0, order));
        assert_eq!(count(sort(Order::Values), &[(DType::F32, &[5000])]), 1);
        assert_eq!(count(sort(Order::Values), &[(DType::F32, &[0])]), 0);
        // Keys, their positions, and the elements read at these: words, and numbers of two words.
        assert_eq!(count(sort(Order::Positions), &[(DType::C64, &[50])]), 2);
        assert_eq!(count(sort(Order::Values), &[(DType::C64, &[50])]), 3);
        assert_eq!(count(sort(Order::Values), &[(DType::C128, &[50])]), 4);
        let product = |k: usize| {
            let matmul = Structured::Matmul(Matmul::default());
            count(matmul, &[(DType::F32, &[8, k]), (DType::F32, &[k, 8])])
        };
        assert_eq!([product(8), product(1 << 20)], [0, 1]);
        let put = |op, dtype| {
            let operands: [(DType, &[usize]); 3] =
                [(dtype, &[100]), (DType::I64, &[7]), (dtype, &[7])];
            count(Structured::Put(Put { axis: 0, op, in_order: false }), &operands)
        };
        // Numbers are sorted by their positions, and combined in order.
        assert_eq!([put(Some(Op::Add), DType::I32), put(Some(Op::Add), DType::F32)], [1, 3]);
        assert_eq!(put(None, DType::F32), 1);
    }
}
