//! The choice of the threads of a launch: rows, columns, strides or tiles, teams and chunks.

use super::facts::{direct_accesses, flops, has_binned, has_long, loops, stores_in_loops};
use super::geometry::{Geometry, Group};
use super::moments::Moments;
use super::neighbours::NEIGHBOUR_LANES;
use super::outline::Shape;
use crate::cuda::variant::{Chunks, Mode, Step, THREADS, TILE};
use crate::ir::{AccessId, AxisId, Kernel, Stmt};

/// The number of blocks that keep a device busy. It is fixed, so that the order of folds does not
/// depend on the device.
const BLOCKS: usize = 1024;
/// As `BLOCKS`, for sums of bins along rows, which arithmetic limits.
const BINNED_BLOCKS: usize = 4096;
/// Bytes that a thread loads at once from an access.
const PACK: usize = 16;
/// The most bytes of consecutive elements of a thread.
const MOST_BYTES: usize = 32;
/// Up to this many operations per element, a thread has one load of an access: memory limits such a
/// kernel, and storing an access with two instructions costs 4 %.
const FEW_FLOPS: u32 = 16;
/// Points of a thread in a row launch, and the most consecutive ones in short rows.
const ROW_LANES: usize = 4;
const MOST_ROW_LANES: usize = 8;
/// The most points of a short row.
const SHORT: usize = 128;
/// Points of a thread whose accesses are only aligned to an element.
const STRIDED_LANES: usize = 4;
/// Consecutive points of a thread that folds sums of bins.
const MOST_BINNED: usize = 2;
/// The most virtual lanes of a row.
const MOST_LANES: usize = 1024;

fn power_of_two_at_most(number: usize) -> usize {
    1 << number.max(1).ilog2()
}

impl Shape {
    /// Reduces the chunks to at most `most`, the number that a device can run at once.
    pub fn limit_chunks(&mut self, most: usize) {
        if self.chunks > most.max(1) {
            self.chunks = power_of_two_at_most(most);
        }
    }

    /// Chooses the threads, chunks and packs of a launch with these loops.
    pub(super) fn choose(
        &mut self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        found: &[(&[AxisId], usize)],
    ) {
        let points = self.points();
        let outer: Vec<usize> = (0..found.len()).filter(|&at| found[at].1 == 0).collect();
        let longest = outer.iter().map(|&at| self.loop_points(at)).max().unwrap_or(0);
        let largest = (0..self.loops.len()).map(|at| self.loop_points(at)).max().unwrap_or(1);
        self.variant.wide = points.saturating_mul(largest.max(1)) >= 1 << 31
            || points >= 1 << 30
            || longest >= 1 << 30;
        self.variant.moments =
            Moments::find(kernel).is_some_and(|moments| moments.holds(launch, &self.loops));
        let rows = longest > 0 && self.prefers_rows(kernel, points, longest, found);
        match (rows, self.crossing(kernel)) {
            (true, _) => self.choose_rows(kernel, launch, longest, &outer),
            (false, Some(across)) => self.choose_tiles(kernel, across),
            (false, None) => self.choose_columns(kernel, launch, longest),
        }
        let folds = kernel.body.iter().filter(|statement| matches!(statement, Stmt::Loop { .. }));
        if self.chunks > 1 {
            let rounds = folds.count() - usize::from(self.variant.moments);
            self.variant.chunks = if rounds == 1 && !stores_in_loops(&kernel.body, false) {
                Chunks::Last
            } else {
                Chunks::Together
            };
        }
    }

    /// Whether threads are laid out along the loops rather than the grid.
    fn prefers_rows(
        &self,
        kernel: &Kernel,
        points: usize,
        longest: usize,
        found: &[(&[AxisId], usize)],
    ) -> bool {
        if longest < ROW_LANES {
            return false;
        }
        let nests = found.iter().any(|&(_, depth)| depth > 0);
        if nests && (points >= 1 << 14 || longest < 1 << 10) {
            return false;
        }
        let (mut along_rows, mut along_columns) = (0usize, 0usize);
        let mut number = 0;
        for statement in &kernel.body {
            let Stmt::Loop { body, .. } = statement else { continue };
            for access in direct_accesses(kernel, body) {
                let bytes = self.bytes_of(kernel, access, number);
                if self.variant.loop_steps[access.index()][number].last() == Some(&Step::Item) {
                    along_rows = along_rows.saturating_add(bytes);
                }
                if self.variant.grid_steps[access.index()].last() == Some(&Step::Item) {
                    along_columns = along_columns.saturating_add(bytes);
                }
            }
            number += 1 + loops(body).len();
        }
        let columns = self.grid.last().map_or(1, |group| group.extent);
        if along_columns > 0 && along_columns >= along_rows && columns >= ROW_LANES {
            false
        } else {
            along_rows > 0 || points < 1 << 14
        }
    }

    /// Bytes of the different elements of an access in a loop.
    fn bytes_of(&self, kernel: &Kernel, access: AccessId, number: usize) -> usize {
        let steps = &self.variant.loop_steps[access.index()][number];
        let along_grid = self.variant.grid_steps[access.index()].iter().zip(&self.grid);
        let groups = along_grid.chain(steps.iter().zip(&self.loops[number]));
        let elements = groups.filter(|(step, _)| **step != Step::None);
        elements.fold(kernel[kernel[access].param].dtype.size(), |bytes, (_, group)| {
            bytes.saturating_mul(group.extent)
        })
    }

    fn choose_rows(
        &mut self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        longest: usize,
        outer: &[usize],
    ) {
        // The number of virtual lanes depends on the extents alone, and so does the order in which
        // they are combined, however many of them a thread has. Which points a lane has depends on
        // strides as well (`tall`), and on no address.
        let mut width = match longest {
            0..=SHORT => power_of_two_at_most(longest).clamp(ROW_LANES, 32),
            _ => power_of_two_at_most(longest / 4).clamp(32, MOST_LANES),
        };
        // Moments count the points of a thread, so the last ones alone may be beyond the end; with
        // more than two groups, rows end within.
        let is_tall = |at: usize| {
            width == MOST_LANES
                && outer.contains(&at)
                && self.loads_around(kernel, at)
                && !(self.variant.moments && self.loops[at].len() > 2)
        };
        let tall: Vec<bool> = (0..self.loops.len()).map(is_tall).collect();
        let is_even = |&at: &usize| {
            tall[at] || self.loops[at].len() <= 1 || self.has_whole_rows(at, ROW_LANES)
        };
        let mut lanes = ROW_LANES;
        if has_long(kernel) || !outer.iter().all(is_even) {
            lanes = 1;
            width = width.min(THREADS as usize);
        } else if longest <= SHORT && self.takes_more_lanes(kernel, launch, outer) {
            lanes = MOST_ROW_LANES.min(width);
        }
        let team = (width / lanes).max(1) as u32;
        self.variant.mode = Mode::Rows { lanes: lanes as u32, team };
        for &at in outer {
            let tall = tall[at] && lanes > 1;
            self.variant.loop_lanes[at].tall = tall;
            let group = self.variant.lane_group_of(at).map(|group| self.loops[at][group].extent);
            let points = if tall { group.unwrap_or(1) } else { self.loop_points(at) };
            self.variant.loop_lanes[at].tail = !points.is_multiple_of(lanes);
            self.variant.loop_lanes[at].once = !tall && points <= team as usize * lanes;
        }
        self.units = self.points();
        if team == THREADS {
            let most = longest / (width * 4);
            let blocks = if has_binned(&kernel.body) { BINNED_BLOCKS } else { BLOCKS };
            self.chunks = power_of_two_at_most((blocks / self.units).clamp(1, most.max(1)));
        }
        if lanes > 1 {
            let is_packed = |&at: &usize| {
                let lanes = self.variant.loop_lanes[at];
                !lanes.tall && !lanes.tail
            };
            let loops: Vec<usize> = outer.iter().copied().filter(is_packed).collect();
            let packed = |access| {
                self.steps_along(access, &loops)
                    && self.is_aligned_along(kernel, launch, access, lanes, &loops)
            };
            self.variant.packed = kernel.access_ids().map(packed).collect();
        }
    }

    /// Whether no thread has points of two rows of a loop, if it has so many consecutive ones.
    fn has_whole_rows(&self, number: usize, lanes: usize) -> bool {
        self.loops[number].last().map_or(1, |group| group.extent).is_multiple_of(lanes)
    }

    /// Whether an access has neighbouring elements along the innermost group of one of these loops.
    fn steps_along(&self, access: AccessId, loops: &[usize]) -> bool {
        let steps = &self.variant.loop_steps[access.index()];
        loops.iter().any(|&at| steps[at].last() == Some(&Step::Item))
    }

    /// `is_aligned` for lanes along the innermost groups of loops.
    fn is_aligned_along(
        &self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        access: AccessId,
        lanes: usize,
        loops: &[usize],
    ) -> bool {
        self.is_aligned(kernel, launch, access, lanes, |group| {
            loops.iter().any(|&at| self.loops[at].last() == Some(group))
        })
    }

    /// Whether threads with more consecutive points load them as fast. In short rows a thread does
    /// little for its points beside what it does once.
    fn takes_more_lanes(&self, kernel: &Kernel, launch: &Geometry<'_>, outer: &[usize]) -> bool {
        let fits = |access: &AccessId| {
            MOST_ROW_LANES * kernel[kernel[*access].param].dtype.size() <= MOST_BYTES
                && self.is_aligned_along(kernel, launch, *access, MOST_ROW_LANES, outer)
        };
        outer.iter().all(|&at| self.has_whole_rows(at, MOST_ROW_LANES))
            && kernel
                .access_ids()
                .filter(|&access| self.steps_along(access, outer))
                .all(|at| fits(&at))
    }

    /// A group, not the innermost one, along which some access of a kernel without loops has
    /// neighbouring elements.
    fn crossing(&self, kernel: &Kernel) -> Option<usize> {
        let last = self.grid.len().checked_sub(1)?;
        if !self.loops.is_empty() || self.grid[last].extent < TILE as usize / 2 {
            return None;
        }
        kernel.access_ids().find_map(|access| {
            let steps = &self.variant.grid_steps[access.index()];
            let is_across = |&group: &usize| {
                steps[group] == Step::Item && self.grid[group].extent >= TILE as usize / 2
            };
            (steps[last] == Step::Any).then(|| (0..last).find(is_across)).flatten()
        })
    }

    fn choose_tiles(&mut self, kernel: &Kernel, across: usize) {
        let last = self.grid.len() - 1;
        self.variant.mode = Mode::Tiles { across, mirrored: false };
        let crosses = |access: AccessId| self.variant.crosses(access);
        let both_ways = kernel.access_ids().any(|access| {
            crosses(access)
                && kernel
                    .access_ids()
                    .any(|other| kernel[other].param == kernel[access].param && !crosses(other))
        });
        let is_square = self.grid[across].extent == self.grid[last].extent;
        let mirrored = both_ways && is_square && self.grid.len() == 2;
        self.variant.mode = Mode::Tiles { across, mirrored };
        let tiles = |(at, group): (usize, &Group)| {
            if at == across || at == last {
                group.extent.div_ceil(TILE as usize)
            } else {
                group.extent
            }
        };
        self.units = self.grid.iter().enumerate().map(tiles).product();
    }

    fn choose_columns(&mut self, kernel: &Kernel, launch: &Geometry<'_>, longest: usize) {
        let points = self.points();
        // Teams and chunks depend on the extents alone.
        let mut team = 1;
        if longest >= 16 && points < 1 << 19 {
            team = match points {
                0..64 => power_of_two_at_most(512 / points.max(1)).clamp(8, 128),
                _ => 8,
            };
            team = team.min(power_of_two_at_most(longest));
            let blocks = (points * team).div_ceil(4 * THREADS as usize);
            let most = longest / (team * 8);
            self.chunks = power_of_two_at_most((BLOCKS / blocks).clamp(1, most.max(1)));
        }
        let inner = self.grid.last().map_or(1, |group| group.extent);
        let last = self.grid.len().wrapping_sub(1);
        let stepping = kernel.access_ids().filter(|&access| {
            self.variant.grid_steps[access.index()].get(last) == Some(&Step::Item)
        });
        let widest = stepping.clone().map(|access| kernel[kernel[access].param].dtype.size()).max();
        let mut lanes = 1;
        if let Some(widest) = widest {
            let smallest_share = match team {
                1 => points / (BLOCKS * THREADS as usize),
                _ => (points * team / THREADS as usize).max(1),
            };
            let bytes = if flops(kernel) <= FEW_FLOPS { PACK } else { MOST_BYTES };
            let mut wanted = (bytes / widest).clamp(1, 16);
            if has_long(kernel) {
                wanted = 1;
            }
            if has_binned(&kernel.body) {
                // Their accumulators are large, and threads exchange them in shared memory.
                wanted = wanted.min(MOST_BINNED);
            }
            if self.loops.len() > 1 {
                wanted = wanted.min(PACK / widest.min(PACK)).max(1);
            }
            while wanted > 1 && (wanted > smallest_share.max(1) || !inner.is_multiple_of(wanted)) {
                wanted /= 2;
            }
            let aligned = |lanes: usize| {
                stepping.clone().all(|access| {
                    self.is_aligned(kernel, launch, access, lanes, |group| {
                        self.grid.last() == Some(group)
                    })
                })
            };
            if wanted > 1 && aligned(wanted) {
                lanes = wanted;
            }
        }
        let rows = points / inner.max(1);
        let width = THREADS as usize;
        if self.loops.is_empty() && inner >= width && points >= BLOCKS * width * NEIGHBOUR_LANES {
            if let Some(along) = self.neighbours(kernel).filter(|_| !has_long(kernel)) {
                let across = self.grid[along].extent;
                self.variant.mode = Mode::Strides { lanes: NEIGHBOUR_LANES as u32, along };
                self.variant.rows = self.shared_rows(kernel, launch, along);
                self.skew = self.skew(kernel, launch);
                let others = rows / across;
                let stretches = (self.skew + inner).div_ceil(width);
                self.units = others * stretches * across.div_ceil(NEIGHBOUR_LANES);
                return;
            }
            let stretch = width * STRIDED_LANES;
            if lanes == 1 && inner >= stretch && !has_long(kernel) {
                self.variant.mode = Mode::Strides { lanes: STRIDED_LANES as u32, along: last };
                self.units = rows * inner.div_ceil(stretch);
                return;
            }
        }
        self.variant.mode = Mode::Columns { lanes: lanes as u32, team: team as u32 };
        if lanes > 1 {
            let packed = |access: AccessId| {
                self.variant.grid_steps[access.index()].get(last) == Some(&Step::Item)
            };
            self.variant.packed = kernel.access_ids().map(packed).collect();
        }
        self.units = rows * inner.div_ceil(lanes);
    }

    /// Whether `lanes` consecutive elements of an access may be loaded at once at every point: its
    /// address and its steps along all groups except those of the lanes are multiples of a load.
    fn is_aligned(
        &self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        access: AccessId,
        lanes: usize,
        is_lane: impl Fn(&Group) -> bool,
    ) -> bool {
        let item = kernel[kernel[access].param].dtype.size();
        let pack = (lanes * item).min(PACK);
        let mut groups = self.grid.iter().chain(self.loops.iter().flatten());
        let steps = groups.all(|group| {
            let stride = self.strides[access.index()][group.inner.index()];
            stride % pack as isize == 0 || (stride == item as isize && is_lane(group))
        });
        steps && launch.addresses[access.index()].is_multiple_of(pack as u64)
    }
}
