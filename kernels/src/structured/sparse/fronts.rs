//! Dense parts of sparse factorisations (fronts) on the CPU.

use super::rows::elements;
use super::value::{Value, by_size, by_value};
use crate::structured::Block;
use crate::structured::lines::{copy, each};

/// The least number of elements of a job.
const ELEMENTS: usize = 1 << 14;

/// `Sparse::AddFronts`: operands (into, slots, rows, columns, source).
pub fn add(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let [into, slots, rows, columns, source] = operands else {
        unreachable!("bug: {} operands of a sum of fronts", operands.len())
    };
    copy(into, to, pool);
    let [fronts, height, width] = extents(to);
    let [sources, below, across] = extents(source);
    let slots = elements::<i64>(slots);
    let [rows, columns] = [rows, columns].map(|block| elements::<i32>(block));
    assert!(
        slots.len() == fronts
            && rows.len() == fronts * height
            && columns.len() == fronts * width
            && source.dtype == to.dtype,
        "bug: {} slots, {} rows and {} columns for {fronts} fronts",
        slots.len(),
        rows.len(),
        columns.len()
    );
    let at = |number: i64, extent: usize| usize::try_from(number).ok().filter(|it| *it < extent);
    by_value!(to.dtype, T => {
        let source = elements::<T>(source);
        // A job has whole rows of fronts.
        each(pool, fronts * height, ELEMENTS.div_ceil(width.max(1)), |range| {
            for line in range {
                let (front, row) = (line / height, i64::from(rows[line]));
                let Some((slot, row)) = at(slots[front], sources).zip(at(row, below)) else {
                    continue;
                };
                let from = &source[(slot * below + row) * across..][..across];
                // SAFETY: a line is one job's, and the result is the plan's alone.
                let to = unsafe { to.part_mut::<T>(line * width, width) };
                for (to, &column) in to.iter_mut().zip(&columns[front * width..]) {
                    if let Some(column) = at(i64::from(column), across) {
                        *to = T::narrow(T::add(to.widen(), from[column].widen()));
                    }
                }
            }
        });
    });
}

/// `Sparse::Place`: operands (into, places, values). Places outside are left out.
pub fn place(operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    copy(&operands[0], to, pool);
    let places = elements::<i64>(&operands[1]);
    by_size!(to.dtype.size(), T => {
        let values = elements::<T>(&operands[2]);
        // SAFETY: the result is the plan's alone.
        let to = unsafe { to.elements_mut::<T>() };
        for (&place, &value) in places.iter().zip(values) {
            if let Some(to) = usize::try_from(place).ok().and_then(|place| to.get_mut(place)) {
                *to = value;
            }
        }
    });
}

/// The extents of a stack of matrices.
pub(super) fn extents(block: &Block<'_>) -> [usize; 3] {
    let &[fronts, rows, columns] = block.shape else {
        unreachable!("bug: {} axes of a stack of matrices", block.shape.len())
    };
    [fronts, rows, columns]
}
