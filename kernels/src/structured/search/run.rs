//! Searching in a part of a sorted vector.

use super::{cpu, cuda};
use crate::cuda::gpu;
use crate::structured::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::structured::SearchSorted;
use std::sync::Arc;

/// Computes the block `to` from the block of a sorted vector that has `first` elements before it,
/// and from values that belong in the block: as `structured::run_on` would from the whole vector.
///
/// Nothing else writes the blocks meanwhile (condition 2 of `Buffer`). Panics (`bug:`) if shapes or
/// dtypes do not fit. Errors: those of the compiler.
pub fn run_on(
    search: SearchSorted,
    first: u64,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<dyn Device>,
) -> Result<(), DeviceError> {
    if device.as_any().is::<CudaDevice>() {
        return cuda::run(search, first, operands, to, &gpu(device));
    }
    cpu::run(search, first, operands, to, device.pool());
    Ok(())
}
