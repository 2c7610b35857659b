//! Sorts in ranks: the phases.

use super::super::call::Call;
use super::super::expansion::{Expansion, Phase, PhaseInput, PhaseSource};
use crate::placement::{Placement, Schedule};
use phalanx_graph::NodeOp;
use phalanx_ops::structured::{Order, Route, Sort, TakeAlong};
use phalanx_ops::{AffineMap, DType, Shape, Sharding, Structured};
use smallvec::SmallVec;
use std::sync::Arc;

/// The phases of a sort in ranks with this placement.
pub(super) fn expand(sort: Sort, call: Call<'_>, placement: &Placement) -> Expansion {
    let (shape, dtype) = call.operands[0];
    let (axis, ndim) = (usize::from(sort.axis), shape.len());
    // Lines lie side by side in memory, so that a part of a line is one message.
    let is_turned = shape[axis + 1..].iter().any(|&extent| extent != 1);
    let order: SmallVec<[usize; 4]> = match is_turned {
        true => (0..ndim).filter(|&other| other != axis).chain([axis]).collect(),
        false => (0..ndim).collect(),
    };
    let turn = |sharding: &Sharding| Sharding {
        axes: order.iter().map(|&axis| sharding.axes[axis].clone()).collect(),
        partial: None,
    };
    let turned: Shape = order.iter().map(|&axis| shape[axis]).collect();
    let ranks = Ranks {
        shape: turned.clone(),
        axis: if is_turned { ndim as u8 - 1 } else { sort.axis },
        from: turn(&placement.space),
        to: turn(&placement.output),
        together: placement.schedule.clone(),
        phases: Vec::new(),
    };
    let map = is_turned.then(|| AffineMap::identity(shape).transpose(&order));
    let value = PhaseInput { source: PhaseSource::Operand(0), map };
    let Some(split) = &placement.output.axes[axis] else {
        unreachable!("bug: a sort in ranks of an axis that is not split")
    };
    let runs = split.bounds.parts();
    let mut phases = match sort.order {
        Order::Values => ranks.values(value, dtype, runs),
        Order::Positions if Order::is_packed(dtype, shape[axis]) => ranks.packed(value, runs),
        Order::Positions => ranks.positions(value, dtype, runs),
        Order::Packed | Order::Unpacked => unreachable!("bug: only phases of a sort are packed"),
    };
    if is_turned {
        let back: SmallVec<[usize; 4]> = (0..ndim)
            .map(|axis| order.iter().position(|&from| from == axis).unwrap_or(axis))
            .collect();
        let map = Some(AffineMap::identity(&turned).transpose(&back));
        let source = PhaseSource::Phase(phases.len() as u32 - 1);
        phases.push(Phase {
            op: NodeOp::Reshard(Arc::new(placement.output.clone())),
            inputs: [PhaseInput { source, map }].into_iter().collect(),
            operands: [None].into_iter().collect(),
            shape: shape.into(),
            dtype: call.result.1,
            placement: Placement::on(placement.output.clone()),
        });
    }
    Expansion { phases }
}

/// The phases made so far, of lines along the last axis that is not 1.
struct Ranks {
    shape: Shape,
    axis: u8,
    /// The sharding of the operand, and that of the result.
    from: Sharding,
    to: Sharding,
    together: Schedule,
    phases: Vec<Phase>,
}

impl Ranks {
    /// The elements in order: sorted blocks, routed to their ranks and merged.
    fn values(mut self, value: PhaseInput, dtype: DType, runs: usize) -> Vec<Phase> {
        let sorted = self.blocks(self.sort(Order::Values, None), &[value], dtype, false);
        let routed = self.route(&[sorted], dtype);
        let merge = self.sort(Order::Values, Some(runs));
        self.blocks(merge, &[routed.into()], dtype, true);
        self.phases
    }

    /// The positions of the elements in order: they are carried beside the keys.
    fn positions(mut self, value: PhaseInput, dtype: DType, runs: usize) -> Vec<Phase> {
        let take = Structured::TakeAlong(TakeAlong { axis: self.axis });
        let sort = self.sort(Order::Positions, None);
        let positions = self.blocks(sort, std::slice::from_ref(&value), DType::I64, false);
        let keys = self.blocks(take, &[value, positions.into()], dtype, false);
        let routed_keys = self.route(&[keys], dtype);
        let routed = self.route(&[keys, positions], DType::I64);
        let merge = self.sort(Order::Positions, Some(runs));
        let merged = self.blocks(merge, &[routed_keys.into()], DType::I64, true);
        self.blocks(take, &[routed.into(), merged.into()], DType::I64, true);
        self.phases
    }

    /// The positions of short elements in order: they are carried in the low bits of the keys, so
    /// no two keys are equal.
    fn packed(mut self, value: PhaseInput, runs: usize) -> Vec<Phase> {
        let sort = self.sort(Order::Packed, None);
        let packed = self.blocks(sort, &[value], DType::U64, false);
        let routed = self.route(&[packed], DType::U64);
        let merge = self.sort(Order::Unpacked, Some(runs));
        self.blocks(merge, &[routed.into()], DType::I64, true);
        self.phases
    }

    fn sort(&self, order: Order, runs: Option<usize>) -> Structured {
        Structured::Sort(Sort { axis: self.axis, order, ranks: None, runs })
    }

    /// A routine on the blocks of the operand, or of the result if `is_routed`.
    fn blocks(
        &mut self,
        op: Structured,
        inputs: &[PhaseInput],
        dtype: DType,
        is_routed: bool,
    ) -> PhaseSource {
        let sharding = if is_routed { self.to.clone() } else { self.from.clone() };
        let schedule = Schedule::Blocks;
        let placement = Placement { schedule, ..Placement::on(sharding.clone()) };
        self.add(op, inputs, sharding, dtype, placement)
    }

    fn route(&mut self, inputs: &[PhaseSource], dtype: DType) -> PhaseSource {
        let op = Structured::Route(Route { axis: self.axis });
        let inputs: Vec<PhaseInput> = inputs.iter().map(|&source| source.into()).collect();
        let schedule = self.together.clone();
        let placement = Placement { schedule, ..Placement::on(self.to.clone()) };
        self.add(op, &inputs, self.from.clone(), dtype, placement)
    }

    /// A phase whose inputs have the sharding `read`.
    fn add(
        &mut self,
        op: Structured,
        inputs: &[PhaseInput],
        read: Sharding,
        dtype: DType,
        placement: Placement,
    ) -> PhaseSource {
        self.phases.push(Phase {
            op: NodeOp::Structured(op),
            inputs: inputs.iter().cloned().collect(),
            operands: inputs.iter().map(|_| Some(read.clone())).collect(),
            shape: self.shape.clone(),
            dtype,
            placement,
        });
        PhaseSource::Phase(self.phases.len() as u32 - 1)
    }
}
