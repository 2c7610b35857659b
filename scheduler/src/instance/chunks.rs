//! Exchanges in chunks: a device sends one part of a value while its routines compute the next.
//!
//! A chunk is a range of the first axis of each device's block. If routines can compute it alone,
//! their steps before the exchange run once for each chunk, one after the other, and each chunk is
//! on its way as soon as it is computed.

use super::steps::{BlockAt, LocalStep, Memory, Routine};
use crate::finalise::{FinalStep, routines_at_end};
use crate::ids::ExchangeId;
use crate::plan::{Plan, Step};
use phalanx_distributed::Schedule;
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_ops::Mesh;
use phalanx_ops::sharding::{intersect, volume};
use phalanx_ops::structured::Follow;
use smallvec::SmallVec;
use std::ops::Range;

/// The most chunks of an exchange.
const MOST_CHUNKS: usize = 8;
/// Chunks begin at multiples of this many rows of a block, so they are aligned for every dtype and
/// every library.
const ALIGNED: usize = 16;

/// The number of chunks of an exchange. A function of the plan alone: all devices exchange as
/// often.
pub(crate) fn chunks_of(plan: &Plan, id: ExchangeId, mesh: &Mesh) -> usize {
    let exchange = &plan.exchanges[id.index()];
    let Source::Node(node) = exchange.source else { return 1 };
    if followed(plan, node).is_none() {
        return 1;
    }
    let is_right_before = plan.steps.windows(2).any(|steps| match steps {
        [Step::Unit(unit), Step::Exchange(other)] => {
            *other == id && plan.units[unit.index()].computes(exchange.source)
        }
        _ => false,
    });
    let (shape, dtype) = plan.graph.source(exchange.source);
    let sharding = &plan.placements[node.index()].output;
    // Devices with the same block compute it alike, also where only some of them divide a routine.
    let splits = sharding.axes.iter().flatten();
    let is_replicated = splits.map(|split| split.mesh_axes.len()).sum::<usize>() < mesh.ndim();
    if !is_right_before || is_replicated {
        return 1;
    }
    // Only three devices are examined, so the time does not grow with the mesh.
    let devices = [0, mesh.devices() / 2, mesh.devices() - 1];
    let received = devices.into_iter().map(|device| {
        let coordinates = mesh.coordinates(device);
        let need = exchange.need(mesh, &coordinates);
        let own = intersect(&need, &sharding.block(shape, mesh, &coordinates));
        (volume(&need) - volume(&own)) * dtype.size()
    });
    (received.max().unwrap_or(0) / plan.policy.chunk().0).clamp(1, MOST_CHUNKS)
}

/// A chunk of a range.
pub(super) fn chunk(range: &Range<usize>, number: usize, chunks: usize) -> Range<usize> {
    let end = |number: usize| match range.len() * number / chunks {
        all if number == chunks => range.start + all,
        some => range.start + some / ALIGNED * ALIGNED,
    };
    end(number)..end(number + 1)
}

/// The routines right before a step of the plan that compute the chunks of its source, in order.
pub(super) fn routines_before(
    plan: &Plan,
    steps: &[FinalStep],
    source: Source,
) -> SmallVec<[NodeId; 4]> {
    let mut chain: SmallVec<[NodeId; 4]> = SmallVec::new();
    let mut wanted: SmallVec<[Source; 3]> = SmallVec::from_slice(&[source]);
    for node in routines_at_end(steps) {
        let Some(follows) = followed(plan, node) else { break };
        if !wanted.contains(&Source::Node(node)) {
            break;
        }
        let inputs = plan.node(node).inputs.iter().zip(follows);
        wanted = inputs.filter(|(_, follows)| *follows).map(|(input, _)| input.source).collect();
        chain.insert(0, node);
    }
    chain
}

/// For each operand of a routine, whether its first axis has the split of the first axis of the
/// result. `None` if the routine cannot compute a range of that axis from the same range of such
/// operands and all of the others.
fn followed(plan: &Plan, node: NodeId) -> Option<SmallVec<[bool; 3]>> {
    let data = plan.node(node);
    let NodeOp::Structured(op) = &data.op else { return None };
    let placement = &plan.placements[node.index()];
    let is_transposed = (0..data.inputs.len()).any(|operand| op.is_transposed(operand));
    let shapes: SmallVec<[&[usize]; 3]> =
        data.inputs.iter().map(|input| plan.graph.source(input.source).0).collect();
    let is_by_rule = placement.schedule == Schedule::Rule;
    if !is_by_rule || is_transposed || !op.is_divisible() || data.shape.is_empty() {
        return None;
    }
    let rule = op.rule(&shapes);
    let first = Follow::Result(0);
    let is_clear = |follows: &SmallVec<[Follow; 4]>| {
        !follows.contains(&Follow::Own) && follows.iter().skip(1).all(|follow| *follow != first)
    };
    if !rule.may_split(0) || !rule.operands.iter().all(is_clear) {
        return None;
    }
    Some(rule.operands.iter().map(|follows| follows.first() == Some(&first)).collect())
}

/// A routine whose steps are divided into chunks.
pub(super) struct Divided {
    routine: Box<Routine>,
    follows: SmallVec<[bool; 3]>,
}

impl Divided {
    /// The routine of a step, which computes `node`.
    pub(super) fn new(plan: &Plan, node: NodeId, step: LocalStep) -> Divided {
        match (step, followed(plan, node)) {
            (LocalStep::Routine(routine), Some(follows)) => Divided { routine, follows },
            _ => unreachable!("bug: a step that is not divided"),
        }
    }

    /// The step as it was.
    pub(super) fn into_step(self) -> LocalStep {
        LocalStep::Routine(self.routine)
    }

    /// The step for a chunk; `None` if it has no elements.
    pub(super) fn step(&self, number: usize, chunks: usize) -> Option<LocalStep> {
        let Routine { node, op, operands, scalars, to, together } = &*self.routine;
        let to = part(to, number, chunks);
        if to.shape.contains(&0) {
            return None;
        }
        let rows = self.routine.to.shape[0];
        let operands = operands.iter().zip(&self.follows).map(|(at, follows)| {
            assert!(!follows || at.shape[0] == rows, "bug: an operand of other rows");
            if *follows { part(at, number, chunks) } else { at.clone() }
        });
        let (operands, together) = (operands.collect(), together.clone());
        let (node, op, scalars) = (*node, *op, scalars.clone());
        Some(LocalStep::Routine(Box::new(Routine { node, op, operands, scalars, to, together })))
    }

    /// The memory that the routine uses: the bytes and rows of a block that is divided, and whether
    /// it is written.
    fn uses(&self) -> impl Iterator<Item = (Memory, Option<[usize; 2]>, bool)> {
        let divided = |at: &BlockAt| [at.bytes(), at.shape[0]];
        let operands = self.routine.operands.iter().zip(&self.follows);
        let read =
            operands.map(move |(at, follows)| (at.memory, follows.then(|| divided(at)), false));
        let to = &self.routine.to;
        read.chain([(to.memory, Some(divided(to)), true)])
    }
}

/// Whether routines may run chunk by chunk, one after the other within a chunk. If two of them use
/// the same memory, a chunk has the same bytes for both, so no chunk touches those of another.
pub(super) fn are_separable(routines: &[Divided]) -> bool {
    let uses: Vec<_> = routines.iter().flat_map(Divided::uses).collect();
    uses.iter().enumerate().all(|(number, (memory, divided, is_written))| {
        uses[number + 1..].iter().all(|(other, others, writes)| {
            memory != other || !(*is_written || *writes) || divided.is_some() && divided == others
        })
    })
}

/// A chunk of a block along its first axis.
fn part(at: &BlockAt, number: usize, chunks: usize) -> BlockAt {
    let mut part = at.clone();
    let rows = chunk(&(0..at.shape[0]), number, chunks);
    let row = at.bytes() / at.shape[0].max(1);
    part.part = Some(rows.start * row..rows.end * row);
    part.shape[0] = rows.len();
    part.origin[0] += rows.start;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_tile_their_range_and_begin_at_aligned_rows() {
        for len in [0, 1, 15, 16, 17, 100, 511, 4096] {
            for chunks in 1..=MOST_CHUNKS {
                let mut end = 5;
                for number in 0..chunks {
                    let range = chunk(&(5..5 + len), number, chunks);
                    assert_eq!(range.start, end);
                    let is_aligned = (range.start - 5).is_multiple_of(ALIGNED);
                    assert!(is_aligned || range.is_empty(), "{range:?}");
                    end = range.end;
                }
                assert_eq!(end, 5 + len);
            }
        }
    }
}
