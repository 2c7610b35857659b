//! Guards around the operands of a launch, which find writes outside of them.
//!
//! Each operand is copied between two ranges of known bytes, the kernel gets the addresses of the
//! copies, and the ranges are checked after it. This finds writes near an operand, not reads, nor
//! writes far from all of them.

use super::super::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError, DevicePointer, Slice, copy_slice};
use phalanx_ops::structured::{Entry, LaunchParameter};
use std::sync::Arc;

/// The bytes of a guard. The operand between two of them keeps the alignment of allocations.
const BYTES: usize = 4096;
/// The value of each byte of a guard.
const VALUE: u8 = 0xA7;

/// The operands of a launch between guards.
pub(super) struct Guards {
    /// For each operand that has an address, the copy between its guards.
    copies: Vec<Option<Buffer>>,
}

impl Guards {
    /// Copies the operands whose addresses the kernel gets.
    ///
    /// Errors: `DeviceError::OutOfMemory`.
    pub fn around(
        entry: &Entry,
        operands: &[Block<'_>],
        gpu: &Arc<CudaDevice>,
    ) -> Result<Guards, DeviceError> {
        let mut copies = vec![None; operands.len()];
        for parameter in &entry.parameters {
            let LaunchParameter::Address(operand) = *parameter else { continue };
            let (place, buffer) =
                (&mut copies[usize::from(operand)], operands[usize::from(operand)].buffer);
            if place.is_some() || buffer.is_empty() {
                continue;
            }
            let copy = gpu.clone().allocate(buffer.len() + 2 * BYTES)?;
            copy.write(0, &[VALUE; BYTES]);
            copy.write(BYTES + buffer.len(), &[VALUE; BYTES]);
            copy_slice(&whole(buffer), &inner(&copy));
            *place = Some(copy);
        }
        Ok(Guards { copies })
    }

    /// The address of an operand's copy; `None` if it has no elements.
    pub fn address(&self, operand: u8) -> Option<DevicePointer> {
        let copy = self.copies[usize::from(operand)].as_ref()?;
        Some(inner(copy).device_pointer())
    }

    /// Waits for the kernel, checks the guards, and copies what it may have written back.
    ///
    /// Errors: `DeviceError::Guard` for the first parameter whose guards are not as they were; the
    /// failure of the device.
    pub fn check(
        self,
        entry: &Entry,
        operands: &[Block<'_>],
        gpu: &CudaDevice,
    ) -> Result<(), DeviceError> {
        for (number, parameter) in entry.parameters.iter().enumerate() {
            let LaunchParameter::Address(operand) = *parameter else { continue };
            let Some(copy) = &self.copies[usize::from(operand)] else { continue };
            let mut guard = [0; BYTES];
            copy.read(0, &mut guard);
            // How far the writes reach.
            let before = guard.iter().position(|&byte| byte != VALUE).map(|at| BYTES - at);
            copy.read(copy.len() - BYTES, &mut guard);
            let after = guard.iter().rposition(|&byte| byte != VALUE).map(|at| at + 1);
            if let Some(failure) = gpu.failure() {
                return Err(failure);
            }
            let (bytes, side) = match (before, after) {
                (Some(bytes), _) => (bytes, "before the first"),
                (None, Some(bytes)) => (bytes, "after the last"),
                (None, None) => continue,
            };
            return Err(DeviceError::Guard {
                device: gpu.name(),
                kernel: entry.symbol.clone(),
                parameter: number,
                place: format!("up to {bytes} bytes {side} element"),
                at: entry.last_call().map_or_else(String::new, |at| format!("; launched at {at}")),
            });
        }
        for (copy, operand) in self.copies.iter().zip(operands).take(usize::from(entry.lent)) {
            if let Some(copy) = copy {
                copy_slice(&inner(copy), &whole(operand.buffer));
            }
        }
        Ok(())
    }
}

fn whole(buffer: &Buffer) -> Slice {
    Slice { buffer: buffer.clone(), offset: 0, len: buffer.len() }
}

/// The copy of an operand between its guards.
fn inner(copy: &Buffer) -> Slice {
    Slice { buffer: copy.clone(), offset: BYTES, len: copy.len() - 2 * BYTES }
}
