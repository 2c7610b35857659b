//! The steps that must run, and the last use of each value.

use super::overwrite::{Apart, stay_apart};
use super::places::assign;
use crate::build::{Buffer, Built, build};
use crate::fuse::{Group, Unit};
use crate::ids::{ExchangeId, SlotId, UnitId};
use crate::plan::{Plan, Step};
use phalanx_graph::{LeafId, NodeId, NodeOp, Source};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The memory of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// A slot, which is memory of the plan.
    Slot(SlotId),
    /// The memory of a leaf.
    Leaf(LeafId),
}

/// A finalised plan.
pub(crate) struct Final {
    pub steps: Vec<FinalStep>,
    /// For each slot, the nodes whose values it holds in turn.
    pub slots: Arc<[Vec<NodeId>]>,
    /// The place of each node that has a value.
    pub places: Arc<[Option<Place>]>,
}

impl Final {
    /// The same for a refilled plan, if the kernels are correct for its numbers.
    pub fn refilled(&self, plan: &Plan) -> Option<Final> {
        let step = |step: &FinalStep| {
            Some(match step {
                FinalStep::Launch(launch) => {
                    let Some(group) = plan.group(launch.unit) else {
                        unreachable!("bug: only groups are launched")
                    };
                    let built = launch.built.refilled(&plan.graph, group)?;
                    if !launch.apart.iter().all(|&pair| stay_apart(&built, group, pair)) {
                        return None;
                    }
                    FinalStep::Launch(Box::new(FinalLaunch {
                        unit: launch.unit,
                        built,
                        copies: launch.copies.clone(),
                        tables: launch.tables.clone(),
                        apart: launch.apart.clone(),
                    }))
                }
                FinalStep::Combine(nodes) => FinalStep::Combine(nodes.clone()),
                FinalStep::Exchange(exchange) => FinalStep::Exchange(*exchange),
                FinalStep::Routine(node) => FinalStep::Routine(*node),
                FinalStep::Compress(node) => FinalStep::Compress(*node),
            })
        };
        let steps = self.steps.iter().map(step).collect::<Option<Vec<_>>>()?;
        Some(Final { steps, slots: self.slots.clone(), places: self.places.clone() })
    }
}

/// A step that runs.
pub(crate) enum FinalStep {
    /// See `Step::Combine`.
    Combine(Vec<NodeId>),
    /// See `Step::Exchange`.
    Exchange(ExchangeId),
    /// A kernel.
    Launch(Box<FinalLaunch>),
    /// A structured operation.
    Routine(NodeId),
    /// A selection by a mask (`compress`).
    Compress(NodeId),
}

/// A kernel with the preparations for it.
pub(crate) struct FinalLaunch {
    pub unit: UnitId,
    pub built: Built,
    /// For updates into a new slot, the copies of the unwritten elements from the old value.
    pub copies: Arc<[FinalCopy]>,
    /// The tables that the kernel accumulates into; they start as zeros.
    pub tables: Arc<[NodeId]>,
    /// Pairs of accesses to the same memory that never touch the same element.
    pub apart: Arc<[Apart]>,
}

/// The copy of the elements that an update leaves unwritten.
#[derive(Clone)]
pub(crate) struct FinalCopy {
    pub from: Place,
    pub source: Source,
    pub node: NodeId,
}

/// The values that the program can still observe.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Liveness {
    /// For each node of the plan's graph, whether a handle refers to it.
    pub nodes: Vec<bool>,
    /// For each leaf, whether its memory may be overwritten.
    pub donated: Arc<[bool]>,
}

/// Finalises a plan.
pub(crate) fn finalise(plan: &Plan, liveness: &Liveness) -> Final {
    tracing::trace!(target: "phalanx::path", file = file!());
    let (kept, last_use) = needed(plan, liveness);
    assign(plan, kept, last_use)
}

pub(super) enum Kept {
    Step(Step),
    Launch(Box<Built>, UnitId),
}

/// The needed steps, and for each value the last of them that reads it (`usize::MAX` if it outlives
/// the plan).
fn needed(plan: &Plan, liveness: &Liveness) -> (Vec<Kept>, Uses) {
    let context = plan.context();
    let nodes = (0..plan.graph.nodes.len()).map(NodeId::new);
    let mut wanted: BTreeSet<NodeId> = nodes.filter(|node| liveness.nodes[node.index()]).collect();
    let mut kept: Vec<Kept> = Vec::new();
    for step in plan.steps.iter().rev() {
        match step {
            Step::Combine(nodes) => {
                wanted.extend(nodes);
                kept.push(Kept::Step(step.clone()));
            }
            Step::Exchange(exchange) => {
                if let Source::Node(node) = plan.exchanges[exchange.index()].source {
                    wanted.insert(node);
                }
                kept.push(Kept::Step(step.clone()));
            }
            Step::Unit(position) => match &plan.units[position.index()] {
                Unit::Group(group) => {
                    let stored: BTreeSet<NodeId> = group
                        .members
                        .iter()
                        .map(|member| member.node)
                        .filter(|node| wanted.contains(node))
                        .collect();
                    if stored.is_empty() {
                        continue;
                    }
                    let built = build(&context, group, &stored);
                    wanted.extend(built.reloaded.iter());
                    for read in reads(plan, group, &built) {
                        if let Source::Node(node) = read {
                            wanted.insert(node);
                        }
                    }
                    kept.push(Kept::Launch(Box::new(built), *position));
                }
                Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
                    // A routine that communicates runs on every rank, also where no unit needs its
                    // value.
                    let is_together = plan.placements[node.index()].together().is_some();
                    if wanted.contains(node) || is_together {
                        for input in &plan.node(*node).inputs {
                            if let Source::Node(from) = input.source {
                                wanted.insert(from);
                            }
                        }
                        kept.push(Kept::Step(step.clone()));
                    }
                }
            },
        }
    }
    kept.reverse();
    let mut uses = Uses {
        nodes: liveness.nodes.iter().map(|&live| if live { usize::MAX } else { 0 }).collect(),
        leaves: liveness
            .donated
            .iter()
            .map(|&donated| if donated { 0 } else { usize::MAX })
            .collect(),
    };
    for (position, step) in kept.iter().enumerate() {
        match step {
            Kept::Step(Step::Combine(nodes)) => {
                nodes.iter().for_each(|&node| uses.read(Source::Node(node), position));
            }
            // A sent value must stay unchanged until the unit that waits for the exchange. That
            // unit reads it, or is found below through the exchange.
            Kept::Step(Step::Exchange(exchange)) => {
                uses.read(plan.exchanges[exchange.index()].source, position)
            }
            Kept::Step(Step::Unit(unit)) => match &plan.units[unit.index()] {
                Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
                    plan.node(*node)
                        .inputs
                        .iter()
                        .for_each(|input| uses.read(input.source, position));
                }
                Unit::Group(_) => unreachable!("bug: groups are kept as launches"),
            },
            Kept::Launch(built, unit) => {
                let Some(group) = plan.group(*unit) else {
                    unreachable!("bug: only groups are launched")
                };
                reads(plan, group, built)
                    .into_iter()
                    .for_each(|source| uses.read(source, position));
                for exchange in plan.exchanges.iter().filter(|exchange| exchange.is_for(*unit)) {
                    uses.read(exchange.source, position);
                }
            }
        }
    }
    (kept, uses)
}

pub(super) struct Uses {
    pub nodes: Vec<usize>,
    pub leaves: Vec<usize>,
}

impl Uses {
    fn read(&mut self, source: Source, position: usize) {
        let last = match source {
            Source::Node(node) => &mut self.nodes[node.index()],
            Source::Leaf(leaf) => &mut self.leaves[leaf.index()],
            Source::Scalar(_) => return,
        };
        *last = (*last).max(position);
    }
}

/// The values that a built kernel reads, including old values of partial updates.
fn reads(plan: &Plan, group: &Group, built: &Built) -> Vec<Source> {
    let mut sources = Vec::new();
    for access in &built.accesses {
        match &access.buffer {
            Buffer::Input(source) => sources.push(*source),
            Buffer::Output(node) => sources.extend(partly_written(plan, group, *node)),
            Buffer::OutputPart(..) => {}
        }
    }
    sources
}

/// The old value of a written update that leaves elements unwritten.
pub(super) fn partly_written(plan: &Plan, group: &Group, node: NodeId) -> Option<Source> {
    let data = plan.node(node);
    let is_member = group.members.iter().any(|member| member.node == node && !member.is_selected);
    match &data.op {
        NodeOp::Update(map) if is_member && !map.is_identity(&data.shape) => {
            Some(data.inputs[0].source)
        }
        _ => None,
    }
}
