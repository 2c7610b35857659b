//! The rows of a value that the windows of a row of the result read, with the elements beyond the
//! ends of the axis.
//!
//! Each row is copied once for the rows of the result that read it: a ring of rows follows them.

use super::geometry::Geometry;
use crate::structured::Plain;
use crate::structured::tasks::each_with;
use std::marker::PhantomData;
use std::ops::Range;

/// The elements that the windows of a stretch of a row of the result read.
pub(super) struct Ring<A> {
    rows: Vec<A>,
    /// The elements of a row here.
    width: usize,
    /// The rows of a window.
    window: usize,
    /// The place of the window's first row.
    first: usize,
}

impl<A> Ring<A> {
    /// All rows, one behind the other.
    pub fn elements(&self) -> &[A] {
        &self.rows
    }

    /// The place in `elements` of an element of the window of the first element of the stretch.
    /// `plane` counts the positions along the outer axes.
    pub fn place(&self, plane: usize, row: usize, column: usize) -> usize {
        let row = (self.first + row) % self.window;
        (plane * self.window + row) * self.width + column
    }
}

/// Bytes of the rows that a thread keeps at a time: they stay in its cache.
const RING_BYTES: usize = 1 << 19;
/// Elements of a stretch, at least.
const LEAST_STRETCH: usize = 256;

/// Reads elements of type `T` and keeps them as `A`.
pub(super) struct Reader<'a, T, A, K> {
    pub geometry: &'a Geometry,
    pub keep: K,
    /// The number outside of the value.
    pub outside: A,
    pub element: PhantomData<T>,
}

impl<T: Plain, A: Plain, K: Fn(T) -> A + Sync> Reader<'_, T, A, K> {
    /// Calls `work` for each stretch of a row of the result, with the rows that it reads, the place
    /// of its first element in the block of the result, and its length.
    pub fn for_each_stretch<S: Send>(
        &self,
        pool: Option<&rayon::ThreadPool>,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &Ring<A>, usize, usize) + Sync,
    ) {
        let geometry = self.geometry;
        let [rows, columns] = geometry.inner();
        let planes = geometry.planes();
        let outer: usize = geometry.outer().iter().map(|axis| axis.range.len()).product();
        let rows_kept = planes * rows.window;
        let most = RING_BYTES / (rows_kept * size_of::<A>()).max(1);
        let stretch = most
            .saturating_sub(columns.window)
            .clamp(LEAST_STRETCH, 1 << 14)
            .min(columns.range.len().max(1));
        let stretches = columns.range.len().div_ceil(stretch);
        let threads = pool.map_or(1, rayon::ThreadPool::current_num_threads);
        // Each run of rows reads the rows before its first window again.
        let run = rows.range.len().div_ceil(4 * threads).max(8 * rows.window).max(1);
        let runs = rows.range.len().div_ceil(run);
        let count = outer * runs * stretches;
        let with_state = || {
            let ring = Ring {
                rows: vec![self.outside; rows_kept * (stretch + columns.window - 1)],
                width: stretch + columns.window - 1,
                window: rows.window,
                first: 0,
            };
            (ring, state())
        };
        let task = |(ring, state): &mut (Ring<A>, S), number: usize| {
            let (place, of_columns) = (number / stretches, number % stretches);
            let (outer_place, of_rows) = (place / runs, place % runs);
            let from = of_columns * stretch;
            let taken = stretch.min(columns.range.len() - from);
            let first = of_rows * run;
            let last = rows.range.len().min(first + run);
            let outer_at = self.outer_index(outer_place);
            for row in first..last {
                let start = (rows.range.start + row) as i64 - rows.before as i64;
                let at = (columns.range.start + from) as i64 - columns.before as i64;
                let wanted = taken + columns.window - 1;
                let fresh =
                    if row == first { 0..rows.window } else { rows.window - 1..rows.window };
                ring.first = if row == first { 0 } else { (ring.first + 1) % rows.window };
                for plane in 0..planes {
                    for of_window in fresh.clone() {
                        let place = ring.place(plane, of_window, 0);
                        let into = &mut ring.rows[place..place + wanted];
                        self.read(&outer_at, plane, start + of_window as i64, at, into);
                    }
                }
                let result = (outer_place * rows.range.len() + row) * columns.range.len() + from;
                work(state, ring, result, taken);
            }
        };
        each_with(pool, count, 1, with_state, task);
    }

    /// The positions along the outer axes, of which `place` counts those of the block.
    fn outer_index(&self, mut place: usize) -> Vec<i64> {
        let axes = self.geometry.outer();
        let mut index = vec![0; axes.len()];
        for (at, axis) in index.iter_mut().zip(axes).rev() {
            *at = (axis.range.start + place % axis.range.len()) as i64 - axis.before as i64;
            place /= axis.range.len();
        }
        index
    }

    /// Reads the elements from `start` on of a row, inside or outside of the value.
    fn read(&self, outer: &[i64], mut plane: usize, row: i64, start: i64, into: &mut [A]) {
        let Geometry { axes, border, .. } = self.geometry;
        let mut index = vec![0; axes.len() - 1];
        for (number, axis) in self.geometry.outer().iter().enumerate().rev() {
            let at = outer[number] + (plane % axis.window) as i64;
            plane /= axis.window;
            match border.position(at, axis.extent) {
                Some(place) => index[number] = place,
                None => return into.fill(self.outside),
            }
        }
        let [rows, columns] = self.geometry.inner();
        match border.position(row, rows.extent) {
            Some(place) => index[axes.len() - 2] = place,
            None => return into.fill(self.outside),
        }
        let end = start + into.len() as i64;
        let inside = start.clamp(0, columns.extent as i64)..end.clamp(0, columns.extent as i64);
        let (low, high) = ((inside.start - start) as usize, (inside.end - start) as usize);
        let all = inside.start as usize..inside.end.max(inside.start) as usize;
        let high = high.max(low);
        self.copy(&index, all, &mut into[low..high]);
        for place in (0..low).chain(high..into.len()) {
            let Some(at) = border.position(start + place as i64, columns.extent) else {
                into[place] = self.outside;
                continue;
            };
            // Many borders repeat what was copied.
            let copied = at as i64 - start;
            into[place] = if (low as i64..high as i64).contains(&copied) {
                into[copied as usize]
            } else {
                let mut one = [self.outside];
                self.copy(&index, at..at + 1, &mut one);
                one[0]
            };
        }
    }

    /// Copies the elements at `columns` of the row at `index`.
    fn copy(&self, index: &[usize], columns: Range<usize>, into: &mut [A]) {
        let mut at = columns.start;
        while at < columns.end {
            let found = self.geometry.boxes.iter().find(|of_box| {
                let mut places = index.iter().chain([&at]).zip(&of_box.ranges);
                places.all(|(place, range)| range.contains(place))
            });
            let Some(of_box) = found else {
                unreachable!("bug: the halo lacks element {at} of row {index:?}")
            };
            let last = of_box.ranges.len() - 1;
            let end = columns.end.min(of_box.ranges[last].end);
            let mut place = 0;
            for (axis, range) in of_box.ranges.iter().enumerate() {
                let here = if axis == last { at } else { index[axis] };
                place = place * range.len() + here - range.start;
            }
            let into = &mut into[at - columns.start..end - columns.start];
            // SAFETY: the box has these positions, so they are in its memory, which nothing writes
            // meanwhile (condition 2 of `Buffer`).
            let elements: &[T] = unsafe {
                std::slice::from_raw_parts(of_box.address.cast::<T>().add(place), into.len())
            };
            for (kept, &element) in into.iter_mut().zip(elements) {
                *kept = (self.keep)(element);
            }
            at = end;
        }
    }
}
