//! Products on a grid of devices: both operands are split in blocks of a grid, as the result is.
//! Each phase multiplies one panel of the contracted axis, of which every device has a part. So all
//! devices send in each phase, where a panel of consecutive points would come from a few of them.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::{Expansion, Phase, PhaseInput, PhaseSource};
use super::panels::{cut, share};
use crate::placement::{OperandShardings, Placement};
use phalanx_graph::NodeOp;
use phalanx_ops::{Bounds, Bytes, DType, Mesh, Sharding, Split};
use smallvec::SmallVec;

/// A mesh as a grid of two axes, each of which stands for some of the mesh's.
pub(super) struct Grid {
    mesh_axes: [SmallVec<[u8; 2]>; 2],
    parts: [usize; 2],
}

impl Grid {
    /// The grid nearest to a square whose axes are consecutive axes of the mesh. `None` if the mesh
    /// is a line.
    pub fn of(mesh: &Mesh) -> Option<Grid> {
        let long: Vec<usize> = (0..mesh.ndim()).filter(|&axis| mesh.extent(axis) > 1).collect();
        let parts = |axes: &[usize]| axes.iter().map(|&axis| mesh.extent(axis)).product();
        let grids = (1..long.len()).map(|at| {
            let sides: [&[usize]; 2] = [&long[..at], &long[at..]];
            let mesh_axes = sides.map(|side| side.iter().map(|&axis| axis as u8).collect());
            Grid { mesh_axes, parts: sides.map(parts) }
        });
        grids.min_by_key(|grid| grid.parts[0].max(grid.parts[1]))
    }

    /// The grid whose axes split the rows and the columns of a result. `None` if they are not both
    /// split.
    pub fn splitting(output: &Sharding) -> Option<Grid> {
        let [Some(rows), Some(columns)] = output.axes.as_slice() else { return None };
        let mesh_axes = [rows, columns].map(|split| split.mesh_axes.clone());
        Some(Grid { mesh_axes, parts: [rows, columns].map(|split| split.bounds.parts()) })
    }

    /// Even blocks of a matrix.
    pub fn blocks(&self, shape: &[usize]) -> Sharding {
        let axes = (0..2).map(|axis| Some(self.split(axis, shape[axis]))).collect();
        Sharding { axes, partial: None }
    }

    /// The split of an axis of this extent along an axis of the grid.
    fn split(&self, axis: usize, extent: usize) -> Split {
        let bounds = Bounds::even(extent, self.parts[axis]);
        Split { mesh_axes: self.mesh_axes[axis].clone(), bounds }
    }

    /// The fewest pieces of the contracted axis of which each row and each column of the grid has
    /// equally many.
    pub fn pieces(&self) -> usize {
        let [mut divisor, mut rest] = self.parts;
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        self.parts[0] / divisor * self.parts[1]
    }

    /// The bytes that a device receives of both operands of a product.
    pub fn moved(&self, [left, right]: [&PlacedOperand<'_>; 2], mesh: &Mesh) -> Bytes {
        let of = |operand: &PlacedOperand<'_>, along: usize| {
            let blocks = self.blocks(operand.shape);
            let others = self.parts[along] - 1;
            let gathered = blocks.largest_block(operand.shape) * others;
            operand.moved(&blocks, mesh) + Bytes::of(gathered, operand.dtype.size())
        };
        of(left, 1) + of(right, 0)
    }
}

/// The phases so far.
struct Phases<'a> {
    phases: Vec<Phase>,
    call: Call<'a>,
    output: &'a Sharding,
    sum: Option<PhaseSource>,
}

/// The phases of a product in this many panels. If the contracted axis is not a multiple of the
/// pieces, the rest of it is a panel of its own.
pub(super) fn expand(call: Call<'_>, placement: &Placement, panels: usize) -> Expansion {
    let output = &placement.output;
    let grid = Grid::splitting(output).unwrap_or_else(|| unreachable!("bug: no grid for a grid"));
    let [(left, _), (right, _)] = call.operands else {
        unreachable!("bug: a product on a grid to which something is added")
    };
    let (inner, pieces) = (right[0], grid.pieces());
    let each = inner / pieces;
    let mut phases = Phases { phases: Vec::new(), call, output, sum: None };
    let whole = each * pieces;
    let shapes = [[left[0], pieces, each], [pieces, each, right[1]]];
    // The left operand has its pieces on the columns of the grid, the right one on the rows.
    let in_pieces = [0, 1].map(|operand| {
        let axis = 1 - operand;
        let cut = cut(call.operands[operand].0, axis, &(0..whole));
        let blocks = grid.blocks(&cut.shape);
        let mut split = blocks.clone();
        split.axes[axis] = Some(grid.split(axis, pieces));
        split.axes.insert(axis + 1, None);
        let map = (whole < inner).then_some(cut);
        let input = PhaseInput { source: PhaseSource::Operand(operand as u8), map };
        phases.reshape(operand, input, &shapes[operand], (blocks, split))
    });
    for panel in 0..panels {
        let range = share(each, panel, panels);
        let depth = pieces * range.len();
        let factors = [0, 1].map(|operand| {
            let map = cut(&shapes[operand], 2 - operand, &range);
            let (mut gathered, matrix) = (Sharding::replicated(3), along(operand, output));
            gathered.axes[2 * operand] = output.axes[operand].clone();
            let shape = [[left[0], depth], [depth, right[1]]][operand];
            let input = PhaseInput { source: in_pieces[operand], map: Some(map) };
            phases.reshape(operand, input, &shape, (gathered, matrix)).into()
        });
        phases.multiply(factors);
    }
    if whole < inner {
        let rest = [(0, left, 1), (1, right, 0)].map(|(operand, shape, axis)| PhaseInput {
            source: PhaseSource::Operand(operand),
            map: Some(cut(shape, axis, &(whole..inner))),
        });
        phases.multiply(rest);
    }
    Expansion { phases: phases.phases }
}

/// The sharding that an operand must have: its axis of the result is split alike, and the
/// contracted one is whole.
pub(super) fn along(operand: usize, output: &Sharding) -> Sharding {
    let mut wanted = Sharding::replicated(2);
    wanted.axes[operand] = output.axes[operand].clone();
    wanted
}

impl Phases<'_> {
    /// Another shape of an operand's part that resides as the first sharding, which then resides as
    /// the second.
    fn reshape(
        &mut self,
        operand: usize,
        input: PhaseInput,
        shape: &[usize],
        (space, output): (Sharding, Sharding),
    ) -> PhaseSource {
        let dtype = self.call.operands[operand].1;
        let operands = [Some(space.clone())].into_iter().collect();
        let placement = Placement { space, ..Placement::on(output) };
        let inputs = [input].into_iter().collect();
        self.add(NodeOp::Reshape, inputs, operands, (shape, dtype), placement)
    }

    /// The product of two panels and the sum so far.
    fn multiply(&mut self, factors: [PhaseInput; 2]) {
        let wanted = [0, 1].map(|operand| Some(along(operand, self.output)));
        // The sum so far resides where the product does, so it needs no sharding.
        let operands = wanted.into_iter().chain(self.sum.map(|_| None)).collect();
        let inputs = factors.into_iter().chain(self.sum.map(PhaseInput::from)).collect();
        let op = NodeOp::Structured(*self.call.op);
        let placement = Placement::on(self.output.clone());
        self.sum = Some(self.add(op, inputs, operands, self.call.result, placement));
    }

    fn add(
        &mut self,
        op: NodeOp,
        inputs: SmallVec<[PhaseInput; 2]>,
        operands: OperandShardings,
        (shape, dtype): (&[usize], DType),
        placement: Placement,
    ) -> PhaseSource {
        self.phases.push(Phase { op, inputs, operands, shape: shape.into(), dtype, placement });
        PhaseSource::Phase(self.phases.len() as u32 - 1)
    }
}
