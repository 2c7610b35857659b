//! Accumulation into tables.
//!
//! The sharing of a table decides which points may run in parallel. Where the result depends on the
//! order of combination, the launch's extents alone decide how points are divided, never threads.

use super::loops::Loop;
use super::prepare::Prepared;
use super::program::{Accumulate, LaneChoice, TableUse};
use super::worker::Worker;
use phalanx_ops::{DType, Monoid, Weak};

/// Which points combine into a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sharing {
    /// Each grid point has a separate table.
    Own,
    /// All points share one table; threads may combine into copies.
    Whole,
    /// Some points share a table, so all points run one after the other.
    Partial,
}

/// The smallest number of points for which an ordered table is worth a private copy.
const POINTS_PER_COPY: usize = 1 << 15;
const MOST_COPIES: usize = 16;
const BYTES_OF_COPIES: usize = 64 << 20;

pub(super) fn sharing(prepared: &Prepared<'_>, table: &TableUse) -> Sharing {
    let geometry = &prepared.geometry;
    let moves = |axis: usize| geometry.stride(table.access, axis) != 0;
    let long = |axis: &usize| prepared.launch.extents[*axis] > 1;
    let grid: Vec<usize> = (0..prepared.kernel.grid).filter(long).collect();
    if !(0..prepared.kernel.axes).filter(long).any(moves) {
        return match grid.is_empty() && !table.looped {
            true => Sharing::Own,
            false => Sharing::Whole,
        };
    }
    match !grid.is_empty() && grid.into_iter().all(moves) {
        true => Sharing::Own,
        false => Sharing::Partial,
    }
}

/// The number of elements of a table.
pub(super) fn length(prepared: &Prepared<'_>, table: &TableUse) -> usize {
    match prepared.launch.scalars[table.length].to_weak() {
        Weak::Int(length) => usize::try_from(length).unwrap_or(0),
        other => panic!("bug: the length of a table is {other:?}"),
    }
}

/// Whether blocks of several lanes would combine in another order than point after point.
pub(super) fn needs_single_lanes(prepared: &Prepared<'_>) -> bool {
    prepared.program.tables.iter().any(|table| {
        let apart =
            prepared.program.lanes == LaneChoice::Grid && sharing(prepared, table) == Sharing::Own;
        table.ordered && table.in_loop && !apart
    })
}

/// The number of chunks with private tables for `points` points. A function of the launch alone.
pub(super) fn copies(prepared: &Prepared<'_>, tables: &[usize], points: usize) -> usize {
    let bytes: usize = tables
        .iter()
        .map(|&table| &prepared.program.tables[table])
        .map(|table| length(prepared, table) * table.size)
        .sum();
    (points / POINTS_PER_COPY).min(MOST_COPIES).min(BYTES_OF_COPIES / bytes.max(1)).max(1)
}

/// A private table.
#[derive(Debug)]
pub(super) struct Copy {
    elements: Vec<[u64; 2]>,
}

impl Copy {
    /// A table of identities.
    pub fn new(prepared: &Prepared<'_>, table: &TableUse) -> Copy {
        let bytes = length(prepared, table) * table.size;
        let mut elements = vec![[0u64; 2]; bytes.div_ceil(16)];
        if table.identity != [0; 16] {
            let start = elements.as_mut_ptr().cast::<u8>();
            for at in (0..bytes).step_by(table.size) {
                // SAFETY: `at + size <= bytes`, for which the vector has room.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        table.identity.as_ptr(),
                        start.add(at),
                        table.size,
                    )
                };
            }
        }
        Copy { elements }
    }

    pub fn pointer(&mut self) -> *mut u8 {
        self.elements.as_mut_ptr().cast()
    }

    /// Combines the copy into the launch's table.
    ///
    /// # Safety
    /// As for `Compiled::run`; no other thread touches the table meanwhile.
    pub unsafe fn merge(&self, prepared: &Prepared<'_>, table: &TableUse) {
        let target = prepared.launch.accesses[table.access].pointer;
        let inputs = [target.cast_const(), self.elements.as_ptr().cast()];
        // SAFETY: both hold `length` elements.
        unsafe { (table.combine)(&inputs, target, length(prepared, table)) };
    }
}

impl Worker<'_> {
    pub(super) fn accumulate(&mut self, step: &Accumulate) {
        let table = &self.prepared.program.tables[step.table];
        let positions = self.state.pointers[step.position].cast_const().cast::<i64>();
        let values = self.state.pointers[step.value].cast_const();
        let length = length(self.prepared, table) as u64;
        let copy = self.state.tables[step.table];
        let shared = !copy.is_null() || self.state.block.reach[table.access].stride == 0;
        if self.count(step.width) == 1 || (shared && self.is_even(table.access)) {
            let target = if copy.is_null() { self.state.cursors[table.access] } else { copy };
            let count = self.count(step.width);
            // SAFETY: conditions 1 to 3 of `worker`; positions outside the table are skipped.
            return unsafe { scatter(table, target, positions, values, count, length) };
        }
        for piece in 0..self.state.block.pieces.len() {
            let lanes = self.state.block.pieces[piece];
            for lane in lanes.lane..lanes.lane + lanes.count {
                let offset = self.lane_offset(table.access, piece, lane);
                let target = self.state.cursors[table.access].wrapping_offset(offset);
                // SAFETY: as above, for one lane.
                unsafe {
                    let value = values.add(lane * table.size);
                    scatter(table, target, positions.add(lane), value, 1, length);
                }
            }
        }
    }

    fn is_even(&self, access: usize) -> bool {
        self.state.block.reach[access].even
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
