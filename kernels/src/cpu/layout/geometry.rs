//! The geometry of a launch: merged axes, address strides, and guards relative to the launch's
//! extents.

use crate::cpu::program::Phase;
use crate::ir::{AccessId, AxisId, GuardId, Kernel, Launch};
use smallvec::SmallVec;

/// Axes of a lane set or a loop after merging, outermost first.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct Group {
    pub extent: usize,
    /// The axis, if the group is a single axis that must not be merged (see `Geometry::pinned`).
    pub axis: Option<AxisId>,
    /// The axis whose strides are the group's: its innermost; `None` for a group without axes.
    pub inner: Option<AxisId>,
}

/// A guard in positions of the launch instead of global indices. Bounds that hold everywhere are
/// dropped.
#[derive(Clone, Debug, Default)]
pub(in crate::cpu) struct GuardRange {
    /// Whether no point of the launch is inside.
    pub never: bool,
    /// Axes with the positions that are inside.
    pub bounds: SmallVec<[(AxisId, usize, usize); 4]>,
}

/// The geometry that all phases of a launch share.
#[derive(Debug)]
pub(in crate::cpu) struct Geometry {
    extents: Vec<usize>,
    /// The byte stride of each access along each axis.
    strides: Vec<isize>,
    pub guards: Vec<GuardRange>,
    /// Axes that must not be merged: an executor step reads their index, or a guard bounds them.
    pinned: Vec<bool>,
}

impl Geometry {
    pub fn new(kernel: &Kernel, launch: &Launch, indexed: &[bool]) -> Geometry {
        assert!(
            launch.extents.len() == kernel.axes
                && launch.origins.len() == kernel.axes
                && launch.accesses.len() == kernel.accesses.len()
                && launch.guards.len() == kernel.guards.len(),
            "bug: a launch does not match its kernel"
        );
        let mut strides = vec![0; kernel.accesses.len() * kernel.axes];
        for (access, (data, argument)) in kernel.accesses.iter().zip(&launch.accesses).enumerate() {
            assert_eq!(
                data.axes.len(),
                argument.strides.len(),
                "bug: strides do not match an access"
            );
            for (&axis, &stride) in data.axes.iter().zip(&argument.strides) {
                strides[access * kernel.axes + axis.index()] = stride;
            }
        }
        let mut pinned = indexed.to_vec();
        let mut guards = Vec::with_capacity(kernel.guards.len());
        for (axes, argument) in kernel.guards.iter().zip(&launch.guards) {
            let mut range = GuardRange::default();
            for (&axis, &(start, end)) in axes.iter().zip(&argument.bounds) {
                let extent = launch.extents[axis.index()] as i64;
                let origin = launch.origins[axis.index()];
                let low = start.saturating_sub(origin).clamp(0, extent);
                let high = end.saturating_sub(origin).clamp(0, extent);
                if low >= high {
                    range.never = true;
                } else if low > 0 || high < extent {
                    range.bounds.push((axis, low as usize, high as usize));
                    pinned[axis.index()] = true;
                }
            }
            guards.push(range);
        }
        Geometry { extents: launch.extents.clone(), strides, guards, pinned }
    }

    pub fn stride(&self, access: AccessId, axis: AxisId) -> isize {
        self.strides[access.index() * self.extents.len() + axis.index()]
    }

    /// The byte stride of an access along a group; 0 along a group without axes.
    pub fn stride_along(&self, access: AccessId, group: &Group) -> isize {
        group.inner.map_or(0, |inner| self.stride(access, inner))
    }

    /// Merges adjacent axes where each access has one stride over both; drops axes of one point.
    pub fn groups(&self, axes: &[AxisId], accesses: &[AccessId]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::with_capacity(axes.len());
        for &axis in axes {
            let extent = self.extents[axis.index()];
            if extent == 1 {
                continue;
            }
            let pinned = self.pinned[axis.index()];
            if let Some(outer) = groups.last_mut()
                && outer.axis.is_none()
                && !pinned
                && accesses.iter().all(|&access| {
                    let step = self.stride(access, axis).checked_mul(extent as isize);
                    step == Some(self.stride_along(access, outer))
                })
            {
                outer.extent *= extent;
                outer.inner = Some(axis);
            } else {
                groups.push(Group { extent, axis: pinned.then_some(axis), inner: Some(axis) });
            }
        }
        groups
    }

    /// The number of points of the axes.
    pub fn points(&self, axes: &[AxisId]) -> usize {
        axes.iter().map(|&axis| self.extents[axis.index()]).product()
    }
}

/// The SIMD lanes of a phase.
#[derive(Debug)]
pub(in crate::cpu) struct Lanes {
    pub groups: Vec<Group>,
    pub total: usize,
    /// The byte stride of each access of the phase along each group, access by access.
    strides: Vec<isize>,
    /// For each access, its byte stride from one SIMD lane to the next if all are equal.
    pub linear: Vec<Option<isize>>,
    pub guards: Vec<LaneGuard>,
    /// Positions of the innermost group, in ascending order, at which guards start or end, if the
    /// stretches between them are long.
    pub cuts: SmallVec<[usize; 4]>,
    /// Rows and columns of a lane block when blocks are tiles of the two innermost groups. Tiles of
    /// one row are visited down the rows first.
    pub tile: Option<(usize, usize)>,
}

/// A guard of a phase, split into bounds that differ between SIMD lanes and bounds that do not.
#[derive(Debug)]
pub(in crate::cpu) struct LaneGuard {
    pub guard: GuardId,
    pub never: bool,
    /// Groups with the positions that are inside.
    pub lanes: SmallVec<[(usize, usize, usize); 4]>,
    /// Axes visited one point after the other, with the positions that are inside.
    pub sequential: SmallVec<[(AxisId, usize, usize); 4]>,
}

impl Lanes {
    pub fn new(geometry: &Geometry, phase: &Phase, width: usize) -> Lanes {
        let mut axes = phase.lanes.clone().unwrap_or_default();
        let accesses = &phase.accesses;
        if !phase.ordered {
            // The smallest strides become innermost. No result depends on the order here.
            let weight = |axis: AxisId| {
                accesses
                    .iter()
                    .map(|&access| geometry.stride(access, axis).unsigned_abs())
                    .sum::<usize>()
            };
            axes.sort_by_key(|&axis| std::cmp::Reverse(weight(axis)));
        }
        let total = geometry.points(&axes);
        let mut groups = geometry.groups(&axes, accesses);
        let tile = if phase.ordered {
            None
        } else {
            short_runs(geometry, phase, &mut groups, width)
                .or_else(|| transpose_tile(geometry, accesses, &mut groups, width))
        };
        if groups.is_empty() {
            groups.push(Group { extent: 1, axis: None, inner: None });
        }
        let mut strides = Vec::with_capacity(accesses.len() * groups.len());
        let mut linear = Vec::with_capacity(accesses.len());
        for &access in accesses {
            strides.extend(groups.iter().map(|group| geometry.stride_along(access, group)));
            let own = &strides[strides.len() - groups.len()..];
            let even =
                (1..groups.len()).all(|at| own[at - 1] == own[at] * groups[at].extent as isize);
            linear.push(even.then(|| own[groups.len() - 1]));
        }
        let guards = phase.guards.iter().map(|&guard| {
            let range = &geometry.guards[guard.index()];
            let (lanes, sequential) = (SmallVec::new(), SmallVec::new());
            let mut split = LaneGuard { guard, never: range.never, lanes, sequential };
            for &(axis, low, high) in &range.bounds {
                match groups.iter().position(|group| group.axis == Some(axis)) {
                    Some(group) => split.lanes.push((group, low, high)),
                    None => split.sequential.push((axis, low, high)),
                }
            }
            split
        });
        let guards: Vec<LaneGuard> = guards.collect();
        let cuts = long_stretches(&guards, &groups);
        Lanes { groups, total, strides, linear, guards, cuts, tile }
    }

    /// The strides of the phase's access number `at`.
    pub fn strides(&self, at: usize) -> &[isize] {
        &self.strides[at * self.groups.len()..][..self.groups.len()]
    }

    /// The number of tiles, or of SIMD lanes where there are no tiles.
    pub fn units(&self) -> usize {
        let Some((rows, columns)) = self.tile else {
            return self.total;
        };
        let last = self.groups.len() - 1;
        let outer: usize = self.groups[..last - 1].iter().map(|group| group.extent).product();
        let down = self.groups[last - 1].extent.div_ceil(rows);
        outer * down * self.groups[last].extent.div_ceil(columns)
    }

    /// The extent of the innermost group.
    pub fn columns(&self) -> usize {
        self.groups.last().map_or(1, |group| group.extent)
    }

    /// The end of the stretch of the innermost group that has a position.
    pub fn end_of_stretch(&self, column: usize) -> usize {
        self.cuts.iter().copied().find(|&cut| cut > column).unwrap_or(self.columns())
    }
}

/// Where guards start or end in the innermost group. A lane block that is partly inside of a guard
/// evaluates both sides of a selection, and one that is inside or outside takes one side as it is.
/// A further lane block takes as long as that for `LEAST` lanes.
fn long_stretches(guards: &[LaneGuard], groups: &[Group]) -> SmallVec<[usize; 4]> {
    const LEAST: usize = 128;
    let Some(group) = groups.last() else { return SmallVec::new() };
    let bounds = guards.iter().filter(|guard| !guard.never).flat_map(|guard| &guard.lanes);
    let innermost = bounds.filter(|bound| bound.0 + 1 == groups.len());
    let ends = innermost.flat_map(|&(_, low, high)| [low, high]);
    let mut cuts: SmallVec<[usize; 4]> =
        ends.filter(|&cut| cut > 0 && cut < group.extent).collect();
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() * LEAST > group.extent {
        cuts.clear();
    }
    cuts
}

/// If guards cut the innermost group into short runs, or it is short and no access goes on evenly
/// from one row of it to the next, makes a long group innermost and chooses a tile: each run would
/// be moved separately.
///
/// The positions of the short group are visited for the same points of the long one, so lines of
/// memory that they share are still cached.
fn short_runs(
    geometry: &Geometry,
    phase: &Phase,
    groups: &mut Vec<Group>,
    width: usize,
) -> Option<(usize, usize)> {
    /// Elements one after the other: to move so many of them apart takes as long as one run.
    const LONG: usize = 4;
    let [.., long, short] = groups.as_slice() else { return None };
    let bounds = phase.guards.iter().flat_map(|guard| &geometry.guards[guard.index()].bounds);
    let mut cuts: SmallVec<[usize; 8]> = bounds
        .filter(|bound| short.axis == Some(bound.0))
        .flat_map(|&(_, low, high)| [low, high])
        .filter(|&cut| cut > 0 && cut < short.extent)
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let goes_on = |&access: &AccessId| {
        let step = geometry.stride_along(access, short);
        let next = step.checked_mul(short.extent as isize);
        step != 0 && next == Some(geometry.stride_along(access, long))
    };
    let is_cut = !cuts.is_empty() || !phase.accesses.iter().any(goes_on);
    if !is_cut || short.extent / (cuts.len() + 1) >= LONG || long.extent < 4 * LONG {
        return None;
    }
    let mut apart = groups.clone();
    apart.rotate_right(1);
    if let Some(tile) = transpose_tile(geometry, &phase.accesses, &mut apart, width) {
        *groups = apart;
        return Some(tile);
    }
    let last = groups.len() - 1;
    groups.swap(last - 1, last);
    Some((1, width.min(groups[last].extent)))
}

/// If some access has a large stride along the innermost group and a small one along another, moves
/// that other group next to the innermost and chooses a tile of both.
///
/// Without tiles a transposed operand would touch one cache line for each element, and touch it
/// again for the next row.
fn transpose_tile(
    geometry: &Geometry,
    accesses: &[AccessId],
    groups: &mut Vec<Group>,
    width: usize,
) -> Option<(usize, usize)> {
    const SIDE: usize = 32;
    const LINE: usize = 64;
    let last =
        groups.len().checked_sub(1).filter(|&last| last > 0 && groups[last].extent >= SIDE)?;
    let step =
        |access: AccessId, group: &Group| geometry.stride_along(access, group).unsigned_abs();
    let across = accesses.iter().find_map(|&access| {
        let strided = step(access, &groups[last]) >= LINE;
        (0..last).find(|&at| {
            let own = step(access, &groups[at]);
            strided && own > 0 && own < LINE && groups[at].extent >= SIDE
        })
    })?;
    let group = groups.remove(across);
    groups.insert(last - 1, group);
    let columns = (width / SIDE).clamp(1, groups[last].extent);
    Some((SIDE, columns))
}

/// A loop of a launch.
#[derive(Debug)]
pub(in crate::cpu) struct LoopShape {
    pub groups: Vec<Group>,
    pub total: usize,
    /// The byte stride of each access of the loop along each group, access by access.
    strides: Vec<isize>,
}

impl LoopShape {
    pub fn new(geometry: &Geometry, axes: &[AxisId], accesses: &[AccessId]) -> LoopShape {
        let groups = geometry.groups(axes, accesses);
        let strides = accesses
            .iter()
            .flat_map(|&access| {
                groups.iter().map(move |group| geometry.stride_along(access, group))
            })
            .collect();
        LoopShape { groups, total: geometry.points(axes), strides }
    }

    /// The strides of the loop's access number `at`.
    pub fn strides(&self, at: usize) -> &[isize] {
        &self.strides[at * self.groups.len()..][..self.groups.len()]
    }
}
