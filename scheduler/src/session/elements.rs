//! Single elements of computed values, read and written in their memory without a plan.
//!
//! Only a process that is alone does so: whether a value is computed already may differ between
//! processes, and with it what they record.

use super::Session;
use crate::shards::Shards;
use phalanx_graph::Evaluated;
use phalanx_kernels::cpu::small;
use phalanx_ops::{DType, Op, Scalar};
use std::sync::Arc;

impl Session {
    /// See `Engine::element`.
    pub(super) fn element_at(&self, value: &Arc<dyn Evaluated>, index: &[i64]) -> Option<Scalar> {
        let shards = Shards::of(value);
        if !self.is_alone_on_host() || !shards.is_computed() {
            return None;
        }
        let (local, offset) = shards.locate(index, &self.mesh)?;
        let (buffer, mut bytes) = (&shards.buffers()[local], [0; size_of::<u128>()]);
        // Copies of a fixed size are single instructions.
        match shards.dtype.size() {
            8 => buffer.read(offset, &mut bytes[..8]),
            4 => buffer.read(offset, &mut bytes[..4]),
            size => buffer.read(offset, &mut bytes[..size]),
        }
        Some(Scalar::from_padded(shards.dtype, bytes))
    }

    /// See `Engine::set_element`.
    pub(super) fn write_element(
        &self,
        value: &Arc<dyn Evaluated>,
        index: &[i64],
        element: Scalar,
    ) -> bool {
        let shards = Shards::of(value);
        // Other devices may have copies.
        if self.devices.len() > 1 || !self.is_alone_on_host() || !self.is_free(shards) {
            return false;
        }
        let Some((local, offset)) = shards.locate(index, &self.mesh) else { return false };
        let (buffer, bytes) = (&shards.buffers()[local], element.padded());
        match shards.dtype.size() {
            8 => buffer.write(offset, &bytes[..8]),
            4 => buffer.write(offset, &bytes[..4]),
            size => buffer.write(offset, &bytes[..size]),
        }
        true
    }

    /// See `Engine::computed`.
    pub(super) fn compute(&self, op: Op, operands: &[Scalar], result: DType) -> Option<Scalar> {
        if !self.is_alone_on_host() {
            return None;
        }
        small::element(op, operands, result)
    }

    /// Whether the process is the only one, belongs to the session, and has only CPUs.
    pub(super) fn is_alone_on_host(&self) -> bool {
        self.world.size() == 1
            && self.is_usable()
            && self.devices.iter().all(|device| device.is_host())
    }
}
