//! The division of work that accumulates into tables.
//!
//! The sharing of a table decides which points may run in parallel. Where the result depends on the
//! order of combination, the launch's extents alone decide how points are divided, never threads.

use crate::cpu::layout::Prepared;
use crate::cpu::program::{LaneChoice, TableUse};
use crate::ir::AxisId;

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
    let moves = |axis: AxisId| geometry.stride(table.access, axis) != 0;
    let long = |axis: &AxisId| prepared.launch.extents[axis.index()] > 1;
    let grid: Vec<AxisId> = prepared.kernel.grid_axes().filter(long).collect();
    if !(0..prepared.kernel.axes).map(AxisId::new).filter(long).any(moves) {
        return if grid.is_empty() && !table.looped { Sharing::Own } else { Sharing::Whole };
    }
    if !grid.is_empty() && grid.into_iter().all(moves) { Sharing::Own } else { Sharing::Partial }
}

/// Whether lane blocks of several SIMD lanes would combine in another order than point after point.
pub(in crate::cpu) fn needs_single_lanes(prepared: &Prepared<'_>) -> bool {
    prepared.program.tables.iter().any(|table| {
        let apart =
            prepared.program.lanes == LaneChoice::Grid && sharing(prepared, table) == Sharing::Own;
        table.ordered && table.in_loop && !apart
    })
}

/// Whether all points combine into one table whose result depends on the order.
pub(in crate::cpu) fn has_ordered_whole_table(prepared: &Prepared<'_>) -> bool {
    let tables = &prepared.program.tables;
    tables.iter().any(|table| table.ordered && sharing(prepared, table) == Sharing::Whole)
}

/// The number of chunks with private tables for `points` points. A function of the launch alone.
pub(super) fn copies(prepared: &Prepared<'_>, tables: &[usize], points: usize) -> usize {
    let bytes: usize = tables
        .iter()
        .map(|&table| &prepared.program.tables[table])
        .map(|table| prepared.length(table) * table.size)
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
        let bytes = prepared.length(table) * table.size;
        let mut elements = vec![[0u64; 2]; bytes.div_ceil(16)];
        if table.identity.iter().any(|&byte| byte != 0) {
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
        let target = prepared.launch.accesses[table.access.index()].pointer;
        let inputs = [target.cast_const(), self.elements.as_ptr().cast()];
        // SAFETY: both hold `length` elements.
        unsafe { (table.combine)(&inputs, target, prepared.length(table)) };
    }
}
