//! The shape of a launch: groups of axes, points of a thread, teams and chunks.

use super::facts::loops;
use super::geometry::{Geometry, Group, full_strides, groups, guards};
use crate::cuda::variant::{Chunks, LoopLanes, Mode, Step, Variant};
use crate::ir::{AccessId, AxisId, Expr, Kernel, Role};

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

/// For each access, the first one of the same parameter with the same strides.
fn alike(kernel: &Kernel, strides: &[Vec<isize>]) -> Vec<AccessId> {
    let first = |access: AccessId| {
        let is_alike = |other: &AccessId| {
            kernel[*other].param == kernel[access].param
                && strides[other.index()] == strides[access.index()]
        };
        kernel.access_ids().find(is_alike).unwrap_or(access)
    };
    kernel.access_ids().map(first).collect()
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
                pinned[axis.index()] = true;
            }
        }
        let group = |axes: &[AxisId]| groups(axes, launch.extents, &strides, &pinned);
        let mut grid_axes: Vec<AxisId> = kernel.grid_axes().collect();
        // If loads and stores prefer different orders, stores decide.
        let weight = |axis: AxisId| -> [usize; 2] {
            let of = |stores: bool| {
                let accesses = strides.iter().zip(&kernel.accesses);
                let alike = accesses
                    .filter(|(_, access)| (kernel[access.param].role != Role::In) == stores);
                alike.map(|(strides, _)| strides[axis.index()].unsigned_abs()).sum()
            };
            [of(true), of(false)]
        };
        grid_axes.sort_by_key(|&axis| std::cmp::Reverse(weight(axis)));
        let grid = group(&grid_axes);
        let found = loops(&kernel.body);
        let loops: Vec<Vec<Group>> = found.iter().map(|(axes, _)| group(axes)).collect();
        let item = |access: AccessId| kernel[kernel[access].param].dtype.size();
        let step =
            |access: AccessId, group: &Group| match strides[access.index()][group.inner.index()] {
                0 => Step::None,
                stride if stride == item(access) as isize => Step::Item,
                _ => Step::Any,
            };
        let accesses = kernel.access_ids();
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
                        .map(|access| {
                            by_loop.iter().map(|steps| steps[access.index()].clone()).collect()
                        })
                        .collect()
                },
                alike: alike(kernel, &strides),
                packed: vec![false; kernel.accesses.len()],
                rows: Vec::new(),
                guards,
                mode: Mode::Columns { lanes: 1, team: 1 },
                loop_lanes: vec![LoopLanes::default(); loops.len()],
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

    /// The number of partial results kept between blocks: one for each chunk and point.
    pub fn partials(&self) -> usize {
        if self.variant.is_rows() {
            self.units * self.chunks
        } else {
            let across = self.tiles() * self.variant.across() as usize;
            across * self.variant.lanes() as usize * self.chunks
        }
    }
}
