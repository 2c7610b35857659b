//! Sorting along an axis on a GPU: lines are made contiguous, and real (`radix`) or complex
//! (`complex`) elements sorted.

use super::complex;
use super::merge_path::{self, Merge};
use super::radix::{MOST, Sorting, routine};
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::lines::Lines;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError, Strided, copy_strided};
use phalanx_ops::DType;
use phalanx_ops::structured::{Order, Sort};
use std::sync::Arc;

/// Runs that are merged in passes over memory rather than sorted anew.
const MOST_RUNS: usize = 64;

/// `to` = the elements of each line in order, the positions they had, or both packed. A partition
/// is a full sort. False for lines of 2³⁰ elements and more, which the host sorts.
///
/// Equal elements keep their order; among values, -0 is before 0, in lines of runs within each run.
/// Errors: those of the compiler; `DeviceError::OutOfMemory` for the buffers between passes.
pub fn run(
    sort: Sort,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let from = &operands[0];
    let lines = Lines::of(to.shape, sort.axis);
    if lines.extent >= MOST {
        return Ok(false);
    }
    if to.is_empty() {
        return Ok(true);
    }
    let (item, result) = (from.dtype.size(), to.dtype.size());
    let origin = from.origin[usize::from(sort.axis)];
    if lines.inner == 1 {
        let addresses = [from, to].map(|block| block.buffer.as_ptr() as u64);
        let numbers = [lines.extent, origin];
        match merged(sort, from.dtype) {
            Some(runs) => {
                let merge = Merge { order: sort.order, dtype: from.dtype, runs };
                merge.lines(device, addresses, lines.outer, numbers)?;
            }
            None => sort_lines(sort.order, from.dtype, device, addresses, lines.outer, numbers)?,
        }
        return Ok(true);
    }
    // Lines across rows are copied to contiguous lines, and back.
    let along = device.clone().allocate(from.len() * item)?;
    let sorted = device.clone().allocate(to.len() * result)?;
    let extents = [lines.outer, lines.inner, lines.extent];
    let strides = |size: usize| {
        let size = size as isize;
        let [inner, extent] = [lines.inner as isize, lines.extent as isize];
        let across = [extent * inner * size, size, inner * size];
        (across, [extent * inner * size, extent * size, size])
    };
    let copy = |from: &Buffer, to: &Buffer, own: &[isize], other: &[isize], size: usize| {
        copy_strided(
            &Strided { buffer: from, offset: 0, strides: own },
            &Strided { buffer: to, offset: 0, strides: other },
            &extents,
            size,
        );
    };
    let (across, next) = strides(item);
    copy(from.buffer, &along, &across, &next, item);
    let addresses = [&along, &sorted].map(|buffer| buffer.as_ptr() as u64);
    let count = lines.outer * lines.inner;
    let numbers = [lines.extent, origin];
    sort_lines(sort.order, from.dtype, device, addresses, count, numbers)?;
    let (across, next) = strides(result);
    copy(&sorted, to.buffer, &next, &across, result);
    Ok(true)
}

/// The most runs of a line if they are merged. Complex numbers and very many runs are sorted anew,
/// as are positions of more than two runs, which would have to be carried from pass to pass.
fn merged(sort: Sort, dtype: DType) -> Option<usize> {
    let most = match sort.order {
        Order::Values | Order::Unpacked => MOST_RUNS,
        Order::Positions => 2,
        Order::Packed => 0,
    };
    sort.runs.filter(|&runs| !dtype.is_complex() && runs <= most)
}

/// Sorts contiguous lines.
fn sort_lines(
    order: Order,
    dtype: DType,
    device: &Arc<CudaDevice>,
    addresses: [u64; 2],
    count: usize,
    [extent, origin]: [usize; 2],
) -> Result<(), DeviceError> {
    if dtype.is_complex() {
        return complex::lines(order, dtype, device, addresses, count, [extent, origin]);
    }
    let [from, to] = addresses;
    Sorting::new(order, dtype, device).from(origin).lines(from, to, count, extent)
}

/// The routines that `run` launches.
pub fn routines(sort: Sort, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    let (dtype, lines) = (operands[0].dtype, Lines::of(to.shape, sort.axis));
    if lines.extent >= MOST || to.is_empty() {
        return Vec::new();
    }
    let is_several = lines.outer * lines.inner > 1;
    if merged(sort, dtype).is_some() && lines.inner == 1 {
        vec![merge_path::routine(sort.order, dtype)]
    } else if dtype.is_complex() {
        complex::routines(sort.order, dtype, is_several)
    } else {
        vec![routine(sort.order, dtype, is_several)]
    }
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let real = DType::ALL.iter().filter(|dtype| !dtype.is_complex());
    let packed = real.clone().filter(|&&dtype| Order::is_packed(dtype, 0));
    real.clone()
        .flat_map(|&dtype| [Order::Values, Order::Positions].map(|order| (order, dtype)))
        .chain(packed.map(|&dtype| (Order::Packed, dtype)))
        .chain([(Order::Unpacked, DType::U64)])
        .flat_map(|(order, dtype)| [false, true].map(|many| routine(order, dtype, many).source()))
        .chain(complex::sources())
        .chain(real.flat_map(|&dtype| {
            [Order::Values, Order::Positions]
                .map(|order| merge_path::routine(order, dtype).source())
        }))
        .chain([merge_path::routine(Order::Unpacked, DType::U64).source()])
        .collect()
}
