//! Sorting along an axis on a GPU: lines are made contiguous, and real (`radix`) or complex
//! (`complex`) elements sorted.

use super::complex;
use super::radix::{MOST, Sorting, routine};
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::lines::Lines;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError, Strided, copy_strided};
use phalanx_ops::DType;
use phalanx_ops::structured::{Order, Sort};
use std::sync::Arc;

/// `to` = the elements of each line in order, or the positions they had. A partition is a full
/// sort. False for lines of 2³⁰
/// elements and more, which the host sorts.
///
/// Equal elements keep their order; among values, -0 is before 0. Errors: those of the compiler;
/// `DeviceError::OutOfMemory` for the buffers between passes.
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
    if lines.inner == 1 {
        let addresses = [from, to].map(|block| block.buffer.as_ptr() as u64);
        sort_lines(sort.order, from.dtype, device, addresses, lines.outer, lines.extent)?;
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
    sort_lines(sort.order, from.dtype, device, addresses, count, lines.extent)?;
    let (across, next) = strides(result);
    copy(&sorted, to.buffer, &next, &across, result);
    Ok(true)
}

/// Sorts contiguous lines, one after the other.
fn sort_lines(
    order: Order,
    dtype: DType,
    device: &Arc<CudaDevice>,
    addresses: [u64; 2],
    count: usize,
    extent: usize,
) -> Result<(), DeviceError> {
    if dtype.is_complex() {
        return complex::lines(order, dtype, device, addresses, count, extent);
    }
    let [from, to] = addresses;
    Sorting::new(order, dtype, device).lines(from, to, count, extent)
}

/// The routines that `run` launches.
pub fn routines(sort: Sort, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    let dtype = operands[0].dtype;
    if Lines::of(to.shape, sort.axis).extent >= MOST || to.is_empty() {
        return Vec::new();
    }
    if dtype.is_complex() {
        complex::routines(sort.order, dtype)
    } else {
        vec![routine(sort.order, dtype)]
    }
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let real = DType::ALL.iter().filter(|dtype| !dtype.is_complex());
    real.flat_map(|&dtype| [Order::Values, Order::Positions].map(|order| (order, dtype)))
        .map(|(order, dtype)| routine(order, dtype).source())
        .chain(complex::sources())
        .collect()
}
