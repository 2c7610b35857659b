//! Dealing on a device: by threads of the CPU or on a GPU.

use super::deal::{Dealt, MOST_MEMBERS, Requests};
use super::{cpu, cuda};
use crate::cuda::{Missing, gpu};
use crate::structured::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError, Slice};
use phalanx_ops::DType;
use std::sync::Arc;

impl Requests {
    /// Counts the requests to each member, in memory of at least [`room`](Requests::room) bytes.
    /// Local. Errors: those of the compiler.
    pub fn deal(
        &self,
        positions: &Block<'_>,
        memory: &Slice,
        device: &Arc<dyn Device>,
    ) -> Result<Dealt, DeviceError> {
        assert!(
            positions.dtype == DType::I64
                && positions.len() == self.count
                && self.of_round <= i32::MAX as usize
                && self.members() <= MOST_MEMBERS,
            "bug: {:?} dealt to {} members",
            positions.shape,
            self.members()
        );
        let mut end = 0;
        let pieces = self.pieces().map(|bytes| {
            end += bytes;
            memory.slice(end - bytes, bytes)
        });
        let [offsets, firsts, written] = pieces;
        let (starts, members) = (Vec::new(), self.members());
        let mut dealt = Dealt { offsets, starts, firsts, written, members };
        if self.rounds() > 0 {
            dealt.starts = match cuda_of(device) {
                Some(gpu) => cuda::deal(self, &dealt, positions, &gpu)?,
                None => cpu::deal(self, &dealt, positions, device.pool()),
            };
        }
        Ok(dealt)
    }

    /// Writes the requests and the slots of a round. Local. Errors: those of the compiler.
    pub fn write(
        &self,
        (dealt, round): (&Dealt, usize),
        positions: &Block<'_>,
        [requests, slots]: [&Slice; 2],
        device: &Arc<dyn Device>,
    ) -> Result<(), DeviceError> {
        let (_, count) = self.round(round);
        let sent = dealt.of_round(round)[self.members()];
        let is_room = requests.len >= sent * self.item() && slots.len >= count * self.item();
        assert!(is_room, "bug: {sent} requests of {count} positions do not fit");
        match cuda_of(device) {
            Some(gpu) => cuda::write(self, (dealt, round), positions, [requests, slots], &gpu),
            None => {
                cpu::write(self, (dealt, round), positions, [requests, slots], device.pool());
                Ok(())
            }
        }
    }

    /// Reads the rows of a table that others have requested: `count` requests. Each stretch of the
    /// table has `extent` rows. Local. Errors: those of the compiler.
    pub fn answer(
        &self,
        extent: usize,
        (requests, count): (&Slice, usize),
        [table, answers]: [&Slice; 2],
        device: &Arc<dyn Device>,
    ) -> Result<(), DeviceError> {
        let is_room = requests.len >= count * self.item()
            && answers.len >= count * self.row()
            && table.len >= extent * self.row();
        assert!(is_room, "bug: {count} answers do not fit");
        let asked = (requests, count);
        match cuda_of(device) {
            Some(gpu) => cuda::answer(self, extent, asked, [table, answers], &gpu),
            None => {
                cpu::answer(self, extent, asked, [table, answers], device.pool());
                Ok(())
            }
        }
    }

    /// Writes the rows of the result of a round: those of the answers, and the others from the
    /// member's own table, whose stretches have `extent` rows. Local. Errors: those of the
    /// compiler.
    pub fn place(
        &self,
        (extent, round): (usize, usize),
        slots: &Slice,
        [table, answers, to]: [&Slice; 3],
        device: &Arc<dyn Device>,
    ) -> Result<(), DeviceError> {
        let (first, count) = self.round(round);
        let is_room = slots.len >= count * self.item() && to.len >= self.count * self.row();
        assert!(is_room, "bug: {count} rows of {} do not fit", self.count);
        let (part, from) = ((extent, first, count), [table, answers]);
        match cuda_of(device) {
            Some(gpu) => cuda::place(self, part, slots, from, to, &gpu),
            None => {
                cpu::place(self, part, slots, from, to, device.pool());
                Ok(())
            }
        }
    }

    /// Puts the values of a round in the order of their requests. Local. Errors: those of the
    /// compiler.
    pub fn carry(
        &self,
        round: usize,
        slots: &Slice,
        [values, to]: [&Slice; 2],
        device: &Arc<dyn Device>,
    ) -> Result<(), DeviceError> {
        let (first, count) = self.round(round);
        let values = values.slice(first * self.bytes, count * self.bytes);
        match cuda_of(device) {
            Some(gpu) => cuda::carry(self, count, slots, [&values, to], &gpu),
            None => {
                cpu::carry(self, count, slots, [&values, to], device.pool());
                Ok(())
            }
        }
    }

    /// The code that a device must load first for such requests, and rows of so many bytes in a
    /// stretch.
    pub fn missing(is_wide: bool, bytes: usize, device: &Arc<dyn Device>) -> Vec<Missing<'static>> {
        let Some(gpu) = cuda_of(device) else { return Vec::new() };
        let routine = cuda::routine(is_wide, bytes);
        if routine.is_loaded(&gpu) { Vec::new() } else { vec![Missing::routine(routine)] }
    }
}

/// The device as a GPU, if it is one.
fn cuda_of(device: &Arc<dyn Device>) -> Option<Arc<CudaDevice>> {
    device.as_any().is::<CudaDevice>().then(|| gpu(device))
}
