//! The shape of a launch: groups of axes, lanes, teams and chunks.

use super::moments::Moments;
use super::tables::is_ordered;
use super::variant::{Chunks, GuardKind, Mode, Step, THREADS, TILE, Variant};
use crate::ir::{AxisId, Expr, Fold, Kernel, Role, Stmt, Value};
use phalanx_ops::Monoid;

/// Axes that step together in all accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Points.
    pub extent: usize,
    /// The axis, if it must not be merged with others.
    pub axis: Option<AxisId>,
    /// The axis whose strides are the group's: its innermost.
    pub inner: AxisId,
}

/// The shape of a launch: everything but addresses and scalars.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The part that the text depends on.
    pub variant: Variant,
    /// Groups of the grid, outermost first.
    pub grid: Vec<Group>,
    /// Groups of each loop.
    pub loops: Vec<Vec<Group>>,
    /// The byte stride of each access along each axis.
    pub strides: Vec<Vec<isize>>,
    /// The positions `low..high` inside each guard along each of its axes.
    pub bounds: Vec<Vec<(i64, i64)>>,
    /// Lanes of the grid: threads of a column launch, points of a row launch.
    pub units: usize,
    /// Chunks of each loop; rounds of a team's points are dealt to them in turn.
    pub chunks: usize,
    /// The number of points by which the first block begins before the innermost group, so that
    /// blocks start at lines of memory: `Mode::Strides` along rows.
    pub skew: usize,
}

/// The numbers of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// The extent of each axis.
    pub extents: &'a [usize],
    /// The global index of the first point of each axis.
    pub origins: &'a [i64],
    /// The byte stride of each access along each axis that it names.
    pub strides: &'a [&'a [isize]],
    /// The global indices inside each guard along each axis that it names.
    pub guards: &'a [Vec<(i64, i64)>],
    /// The address of each access; only alignment and distances within a buffer matter.
    pub addresses: &'a [u64],
}

/// The number of blocks that keep a device busy. It is fixed, so that the order of folds does not
/// depend on the device.
const BLOCKS: usize = 1024;
/// Bytes that a thread loads at once from an access.
const PACK: usize = 16;
/// Bytes of a line of memory; a shape depends on addresses modulo this.
pub(super) const LINE: usize = 128;
/// The most bytes of consecutive elements of a thread.
const MOST_BYTES: usize = 32;
/// Up to this many operations per element, a thread has one load of an access: memory limits such a
/// kernel, and storing an access with two instructions costs 4 %.
const FEW_FLOPS: u32 = 16;
/// Consecutive points of a thread in a row launch.
const ROW_LANES: usize = 4;
/// Points of a thread whose accesses are only aligned to an element.
const STRIDED_LANES: usize = 4;
/// Rows of a thread that loads elements around its points.
pub(super) const NEIGHBOUR_LANES: usize = 4;
/// The most virtual lanes of a row.
const MOST_LANES: usize = 1024;

/// The loops of a body in the order of their starts, with their depth.
pub(super) fn loops(body: &[Stmt]) -> Vec<(&[AxisId], usize)> {
    fn walk<'a>(body: &'a [Stmt], depth: usize, found: &mut Vec<(&'a [AxisId], usize)>) {
        for statement in body {
            if let Stmt::Loop { axes, body, .. } = statement {
                found.push((axes, depth));
                walk(body, depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(body, 0, &mut found);
    found
}

/// Whether a body stores or accumulates somewhere inside its loops.
fn stores_in_loops(body: &[Stmt], in_loop: bool) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Loop { body, .. } => stores_in_loops(body, true),
        Stmt::Store { .. } | Stmt::Accumulate { .. } => in_loop,
        Stmt::Let(_) => false,
    })
}

/// The accesses that the body of a loop loads directly, not in inner loops.
fn direct_loads(kernel: &Kernel, body: &[Stmt]) -> Vec<usize> {
    let access = |statement: &Stmt| match statement {
        Stmt::Let(value) => match kernel.values[*value].expr {
            Expr::Load { access, .. } => Some(access),
            _ => None,
        },
        _ => None,
    };
    body.iter().filter_map(access).collect()
}

/// Floating-point operations for an element.
fn flops(kernel: &Kernel) -> u32 {
    let of = |value: &Value| match &value.expr {
        Expr::Op { op, .. } => op.flops(),
        _ => 0,
    };
    kernel.values.iter().map(of).sum()
}

/// Whether no result depends on the order in which its parts are combined.
pub(super) fn folds_in_any_order(kernel: &Kernel) -> bool {
    fn all(kernel: &Kernel, body: &[Stmt]) -> bool {
        let is_free = |fold: &Fold| match fold.monoid {
            Monoid::ArgMin | Monoid::ArgMax => true,
            _ => !kernel.values[fold.value].dtype.is_inexact(),
        };
        body.iter().all(|statement| match statement {
            Stmt::Loop { body, folds, .. } => folds.iter().all(is_free) && all(kernel, body),
            Stmt::Accumulate { .. } => false,
            Stmt::Let(_) | Stmt::Store { .. } => true,
        })
    }
    all(kernel, &kernel.body)
}

fn power_of_two_at_most(number: usize) -> usize {
    1 << number.max(1).ilog2()
}

impl Shape {
    /// Computes the shape of a launch; `None` if its grid has no points.
    pub fn new(kernel: &Kernel, launch: &Geometry<'_>) -> Option<Shape> {
        if launch.extents[..kernel.grid].contains(&0) {
            return None;
        }
        let strides = full_strides(kernel, launch);
        let (guards, bounds, mut pinned) = guards(kernel, launch);
        for value in &kernel.values {
            if let Expr::Index(axis) = value.expr {
                pinned[axis] = true;
            }
        }
        let group = |axes: &[AxisId]| groups(axes, launch.extents, &strides, &pinned);
        let mut grid_axes: Vec<AxisId> = (0..kernel.grid).collect();
        // Stores count twice: if loads and stores prefer different orders, stores decide.
        let weight = |axis: AxisId| -> usize {
            let of = |(strides, access): (&Vec<isize>, &crate::ir::Access)| {
                let stores = kernel.params[access.param].role != Role::In;
                strides[axis].unsigned_abs() * (1 + usize::from(stores))
            };
            strides.iter().zip(&kernel.accesses).map(of).sum()
        };
        grid_axes.sort_by_key(|&axis| std::cmp::Reverse(weight(axis)));
        let grid = group(&grid_axes);
        let found = loops(&kernel.body);
        let loops: Vec<Vec<Group>> = found.iter().map(|(axes, _)| group(axes)).collect();
        let item = |access: usize| kernel.params[kernel.accesses[access].param].dtype.size();
        let step = |access: usize, group: &Group| match strides[access][group.inner] {
            0 => Step::None,
            stride if stride == item(access) as isize => Step::Item,
            _ => Step::Any,
        };
        let accesses = 0..kernel.accesses.len();
        let steps_along = |groups: &[Group]| -> Vec<Vec<Step>> {
            let of = |access| groups.iter().map(|group| step(access, group)).collect();
            accesses.clone().map(of).collect()
        };
        let mut shape = Shape {
            variant: Variant {
                grid: grid.iter().map(|group| group.axis).collect(),
                loops: loops
                    .iter()
                    .map(|groups| groups.iter().map(|group| group.axis).collect())
                    .collect(),
                grid_steps: steps_along(&grid),
                loop_steps: {
                    let by_loop: Vec<Vec<Vec<Step>>> =
                        loops.iter().map(|groups| steps_along(groups)).collect();
                    accesses
                        .clone()
                        .map(|access| by_loop.iter().map(|steps| steps[access].clone()).collect())
                        .collect()
                },
                packed: vec![false; kernel.accesses.len()],
                rows: Vec::new(),
                guards,
                mode: Mode::Columns { lanes: 1, team: 1 },
                chunks: Chunks::One,
                wide: false,
                moments: false,
            },
            units: 1,
            chunks: 1,
            skew: 0,
            grid,
            loops,
            strides,
            bounds,
        };
        shape.choose(kernel, launch, &found);
        Some(shape)
    }

    /// Points of the grid.
    pub fn points(&self) -> usize {
        self.grid.iter().map(|group| group.extent).product()
    }

    /// Points of a loop.
    pub fn loop_points(&self, number: usize) -> usize {
        self.loops[number].iter().map(|group| group.extent).product()
    }

    /// The number of blocks for one chunk.
    pub fn tiles(&self) -> usize {
        self.units.div_ceil(self.variant.across() as usize)
    }

    /// Reduces the chunks to at most `most`, the number that a device can run at once.
    pub fn limit_chunks(&mut self, most: usize) {
        if self.chunks > most.max(1) {
            self.chunks = power_of_two_at_most(most);
        }
    }

    fn choose(&mut self, kernel: &Kernel, launch: &Geometry<'_>, found: &[(&[AxisId], usize)]) {
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
            self.variant.chunks = match rounds == 1 && !stores_in_loops(&kernel.body, false) {
                true => Chunks::Last,
                false => Chunks::Together,
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
                let item = kernel.params[kernel.accesses[access].param].dtype.size();
                if self.variant.loop_steps[access][number].last() == Some(&Step::Item) {
                    along_rows += item;
                }
                if self.variant.grid_steps[access].last() == Some(&Step::Item) {
                    along_columns += item;
                }
            }
            number += 1 + loops(body).len();
        }
        let columns = self.grid.last().map_or(1, |group| group.extent);
        match along_columns > 0 && along_columns >= along_rows && columns >= ROW_LANES {
            true => false,
            false => along_rows > 0 || points < 1 << 14,
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
        let lanes = if outer.iter().all(is_even) { ROW_LANES } else { 1 };
        if lanes == 1 {
            width = width.min(THREADS as usize);
        }
        let team = (width / lanes).max(1) as u32;
        let tail = outer.iter().any(|&at| !self.loop_points(at).is_multiple_of(lanes));
        self.variant.mode = Mode::Rows { lanes: lanes as u32, team, tail };
        self.units = self.points();
        if team == THREADS {
            let most = longest / (width * 4);
            self.chunks = power_of_two_at_most((BLOCKS / self.units).clamp(1, most.max(1)));
        }
        if lanes > 1 && !tail {
            let packed: Vec<bool> = (0..kernel.accesses.len())
                .map(|access| {
                    let steps = &self.variant.loop_steps[access];
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
        (0..kernel.accesses.len()).find_map(|access| {
            let steps = &self.variant.grid_steps[access];
            let is_across = |&group: &usize| {
                steps[group] == Step::Item && self.grid[group].extent >= TILE as usize / 2
            };
            (steps[last] == Step::Any).then(|| (0..last).find(is_across)).flatten()
        })
    }

    fn choose_tiles(&mut self, kernel: &Kernel, across: usize) {
        let last = self.grid.len() - 1;
        self.variant.mode = Mode::Tiles { across, mirrored: false };
        let crosses = |access: usize| self.variant.crosses(access);
        let both_ways = (0..kernel.accesses.len()).any(|access| {
            crosses(access)
                && (0..kernel.accesses.len()).any(|other| {
                    kernel.accesses[other].param == kernel.accesses[access].param && !crosses(other)
                })
        });
        let is_square = self.grid[across].extent == self.grid[last].extent;
        let mirrored = both_ways && is_square && self.grid.len() == 2;
        self.variant.mode = Mode::Tiles { across, mirrored };
        let tiles = |(at, group): (usize, &Group)| match at == across || at == last {
            true => group.extent.div_ceil(TILE as usize),
            false => group.extent,
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
        let stepping = (0..kernel.accesses.len())
            .filter(|&access| self.variant.grid_steps[access].get(last) == Some(&Step::Item));
        let widest = stepping
            .clone()
            .map(|access| kernel.params[kernel.accesses[access].param].dtype.size())
            .max();
        let mut lanes = 1;
        if let Some(widest) = widest {
            let smallest_share = match team {
                1 => points / (BLOCKS * THREADS as usize),
                _ => (points * team / THREADS as usize).max(1),
            };
            let bytes = if flops(kernel) <= FEW_FLOPS { PACK } else { MOST_BYTES };
            let mut wanted = (bytes / widest).clamp(1, 16);
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
            if let Some(along) = self.neighbours(kernel) {
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
            if lanes == 1 && inner >= stretch {
                self.variant.mode = Mode::Strides { lanes: STRIDED_LANES as u32, along: last };
                self.units = rows * inner.div_ceil(stretch);
                return;
            }
        }
        self.variant.mode = Mode::Columns { lanes: lanes as u32, team: team as u32 };
        if lanes > 1 {
            let packed =
                |access: usize| self.variant.grid_steps[access].get(last) == Some(&Step::Item);
            self.variant.packed = (0..kernel.accesses.len()).map(packed).collect();
        }
        self.units = rows * inner.div_ceil(lanes);
    }

    /// Whether `lanes` consecutive elements of an access may be loaded at once at every point: its
    /// address and its steps along all groups except those of the lanes are multiples of a load.
    fn is_aligned(
        &self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        access: usize,
        lanes: usize,
        is_lane: impl Fn(&Group) -> bool,
    ) -> bool {
        let item = kernel.params[kernel.accesses[access].param].dtype.size();
        let pack = (lanes * item).min(PACK);
        let mut groups = self.grid.iter().chain(self.loops.iter().flatten());
        let steps = groups.all(|group| {
            let stride = self.strides[access][group.inner];
            stride % pack as isize == 0 || (stride == item as isize && is_lane(group))
        });
        steps && launch.addresses[access].is_multiple_of(pack as u64)
    }

    /// The number of partial results kept between blocks: one for each chunk and point.
    pub fn partials(&self) -> usize {
        match self.variant.is_rows() {
            true => self.units * self.chunks,
            false => {
                let across = self.tiles() * self.variant.across() as usize;
                across * self.variant.lanes() as usize * self.chunks
            }
        }
    }
}

fn full_strides(kernel: &Kernel, launch: &Geometry<'_>) -> Vec<Vec<isize>> {
    let of = |(access, strides): (&crate::ir::Access, &&[isize])| {
        let mut all = vec![0; kernel.axes];
        for (&axis, &stride) in access.axes.iter().zip(strides.iter()) {
            all[axis] = stride;
        }
        all
    };
    kernel.accesses.iter().zip(launch.strides).map(of).collect()
}

type Guards = (Vec<GuardKind>, Vec<Vec<(i64, i64)>>, Vec<bool>);

/// The kind of each guard, its positions, and the axes that must not be merged because of it.
fn guards(kernel: &Kernel, launch: &Geometry<'_>) -> Guards {
    let mut pinned = vec![false; kernel.axes];
    let (mut kinds, mut bounds) = (Vec::new(), Vec::new());
    for (axes, guard) in kernel.guards.iter().zip(launch.guards) {
        let (mut asked, mut positions, mut never) = (Vec::new(), Vec::new(), false);
        for (&axis, &(start, end)) in axes.iter().zip(guard) {
            let extent = launch.extents[axis] as i64;
            let low = start.saturating_sub(launch.origins[axis]).clamp(0, extent);
            let high = end.saturating_sub(launch.origins[axis]).clamp(0, extent);
            never |= low >= high;
            if low > 0 || high < extent {
                asked.push(axis);
                positions.push((low, high));
            }
        }
        if never {
            kinds.push(GuardKind::Never);
            bounds.push(Vec::new());
            continue;
        }
        asked.iter().for_each(|&axis| pinned[axis] = true);
        kinds.push(GuardKind::Bounds(asked));
        bounds.push(positions);
    }
    (kinds, bounds, pinned)
}

/// Merges adjacent axes where each access has one stride over both; drops axes of one point unless
/// their index is needed.
fn groups(
    axes: &[AxisId],
    extents: &[usize],
    strides: &[Vec<isize>],
    pinned: &[bool],
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(axes.len());
    for &axis in axes {
        let extent = extents[axis];
        if extent == 1 && !pinned[axis] {
            continue;
        }
        if let Some(outer) = groups.last_mut()
            && outer.axis.is_none()
            && !pinned[axis]
            && strides.iter().all(|strides| {
                strides[axis].checked_mul(extent as isize) == Some(strides[outer.inner])
            })
        {
            outer.extent *= extent;
            outer.inner = axis;
        } else {
            groups.push(Group { extent, axis: pinned[axis].then_some(axis), inner: axis });
        }
    }
    groups
}

/// Whether a kernel combines into a table whose result depends on the order.
pub(super) fn has_ordered_tables(kernel: &Kernel) -> bool {
    fn accumulates(kernel: &Kernel, body: &[Stmt]) -> bool {
        body.iter().any(|statement| match statement {
            Stmt::Loop { body, .. } => accumulates(kernel, body),
            Stmt::Accumulate { access, .. } => {
                is_ordered(&kernel.params[kernel.accesses[*access].param])
            }
            _ => false,
        })
    }
    accumulates(kernel, &kernel.body)
}
