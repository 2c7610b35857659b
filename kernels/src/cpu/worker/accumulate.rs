//! Executor steps that combine into tables.
//!
//! The numbered conditions are those of `worker`.

use super::interpret::Worker;
use crate::cpu::loops::Loop;
use crate::cpu::program::{Accumulate, TableUse};
use crate::ir::AccessId;
use phalanx_ops::{DType, Monoid};

impl Worker<'_> {
    pub(super) fn accumulate(&mut self, step: &Accumulate) {
        let table = &self.prepared.program.tables[step.table];
        let positions = self.state.pointers[step.position].cast_const().cast::<i64>();
        let values = self.state.pointers[step.value].cast_const();
        let length = self.prepared.length(table) as u64;
        let copy = self.state.tables[step.table];
        let shared = !copy.is_null() || self.state.block.reach[table.access.index()].stride == 0;
        if self.count(step.width) == 1 || (shared && self.is_even(table.access)) {
            let target =
                if copy.is_null() { self.state.cursors[table.access.index()] } else { copy };
            let count = self.count(step.width);
            // SAFETY: conditions 1 to 3 of `worker`; positions outside the table are skipped.
            return unsafe { scatter(table, target, positions, values, count, length) };
        }
        for piece in 0..self.state.block.pieces.len() {
            let lanes = self.state.block.pieces[piece];
            for lane in lanes.lane..lanes.lane + lanes.count {
                let offset = self.lane_offset(table.access, piece, lane);
                let target = self.state.cursors[table.access.index()].wrapping_offset(offset);
                // SAFETY: as above, for one SIMD lane.
                unsafe {
                    let value = values.add(lane * table.size);
                    scatter(table, target, positions.add(lane), value, 1, length);
                }
            }
        }
    }

    fn is_even(&self, access: AccessId) -> bool {
        self.state.block.reach[access.index()].even
    }
}

/// Combines `count` values into a table of `length` elements.
///
/// # Safety
/// All pointers are aligned and valid for their elements.
unsafe fn scatter(
    table: &TableUse,
    target: *mut u8,
    positions: *const i64,
    values: *const u8,
    count: usize,
    length: u64,
) {
    macro_rules! typed {
        ($type:ty, $add:expr) => {
            for lane in 0..count {
                // SAFETY: the caller's promise; the position was checked against the length.
                unsafe {
                    let position = positions.add(lane).read() as u64;
                    if position < length {
                        let element = target.cast::<$type>().add(position as usize);
                        element
                            .write($add(element.read(), values.cast::<$type>().add(lane).read()));
                    }
                }
            }
        };
    }
    match (table.monoid, table.dtype) {
        (Monoid::Add, DType::I64 | DType::U64) => typed!(u64, u64::wrapping_add),
        (Monoid::Add, DType::I32 | DType::U32) => typed!(u32, u32::wrapping_add),
        (Monoid::Add, DType::F64) => typed!(f64, |a: f64, b: f64| a + b),
        (Monoid::Add, DType::F32) => typed!(f32, |a: f32, b: f32| a + b),
        _ => {
            let combine: Loop = table.combine;
            for lane in 0..count {
                // SAFETY: the caller's promise; the position was checked against the length.
                unsafe {
                    let position = positions.add(lane).read() as u64;
                    if position < length {
                        let element = target.add(position as usize * table.size);
                        let value = values.add(lane * table.size);
                        combine(&[element.cast_const(), value], element, 1);
                    }
                }
            }
        }
    }
}
