//! The choice of the threads of a launch: rows, columns, strides or tiles, teams and chunks.

use super::facts::{direct_loads, flops, has_binned, has_long, loops, stores_in_loops};
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
/// Consecutive points of a thread in a row launch.
const ROW_LANES: usize = 4;
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
        let rows = longest > 0 && self.prefers_rows(kernel, points, longest, found);
        match (rows, self.crossing(kernel)) {
            (true, _) => self.choose_rows(kernel, launch, longest, &outer),
            (false, Some(across)) => self.choose_tiles(kernel, across),
            (false, None) => self.choose_columns(kernel, launch, longest),
        }
        self.variant.moments =
            Moments::find(kernel).is_some_and(|moments| moments.holds(launch, &self.loops));
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
        let (mut along_rows, mut along_columns) = (0, 0);
        let mut number = 0;
        for statement in &kernel.body {
            let Stmt::Loop { body, .. } = statement else { continue };
            for access in direct_loads(kernel, body) {
                let item = kernel[kernel[access].param].dtype.size();
                if self.variant.loop_steps[access.index()][number].last() == Some(&Step::Item) {
                    along_rows += item;
                }
                if self.variant.grid_steps[access.index()].last() == Some(&Step::Item) {
                    along_columns += item;
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

    fn choose_rows(
        &mut self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        longest: usize,
        outer: &[usize],
    ) {
        // The number of virtual lanes depends on the extents alone.
        let mut width = match longest {
            0..=128 => power_of_two_at_most(longest).clamp(ROW_LANES, 32),
            _ => power_of_two_at_most(longest / 4).clamp(32, MOST_LANES),
        };
        let is_even = |&at: &usize| {
            let inner = self.loops[at].last().map_or(1, |group| group.extent);
            self.loops[at].len() <= 1 || inner.is_multiple_of(ROW_LANES)
        };
        let one = has_long(kernel) || !outer.iter().all(is_even);
        let lanes = if one { 1 } else { ROW_LANES };
        if lanes == 1 {
            width = width.min(THREADS as usize);
        }
        let team = (width / lanes).max(1) as u32;
        let tail = outer.iter().any(|&at| !self.loop_points(at).is_multiple_of(lanes));
        self.variant.mode = Mode::Rows { lanes: lanes as u32, team, tail };
        self.units = self.points();
        if team == THREADS {
            let most = longest / (width * 4);
            let blocks = if has_binned(&kernel.body) { BINNED_BLOCKS } else { BLOCKS };
            self.chunks = power_of_two_at_most((blocks / self.units).clamp(1, most.max(1)));
        }
        if lanes > 1 && !tail {
            let packed: Vec<bool> = kernel
                .access_ids()
                .map(|access| {
                    let steps = &self.variant.loop_steps[access.index()];
                    let along = outer.iter().any(|&at| steps[at].last() == Some(&Step::Item));
                    along
                        && self.is_aligned(kernel, launch, access, lanes, |group| {
                            outer.iter().any(|&at| self.loops[at].last() == Some(group))
                        })
                })
                .collect();
            self.variant.packed = packed;
        }
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
