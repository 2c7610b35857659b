//! Finalised plans: the steps that run, and the memory of each value.

use super::overwrite::{Apart, stay_apart};
use crate::build::Built;
use crate::fuse::Unit;
use crate::ids::{ExchangeId, SlotId, UnitId};
use crate::plan::{Exchange, Plan};
use phalanx_graph::{LeafId, NodeId, Source};
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
    /// For each exchange, the node in whose memory its messages arrive; `None` if they need memory
    /// of their own.
    pub landings: Arc<[Option<NodeId>]>,
    /// Nodes in the memory of values with the same layout. Patterns of windows do not say that
    /// layouts of phases and of copies are equal.
    pub alike: Arc<[(NodeId, Source)]>,
}

impl Final {
    /// The place of a value; `None` for a number, and for a value that is not computed.
    pub fn place_of(&self, value: Source) -> Option<Place> {
        match value {
            Source::Node(node) => self.places[node.index()],
            Source::Leaf(leaf) => Some(Place::Leaf(leaf)),
            Source::Scalar(_) => None,
        }
    }

    /// Whether a node is computed in the place of a value.
    pub fn is_in_place(&self, value: Source, node: NodeId) -> bool {
        let place = self.places[node.index()];
        place.is_some() && self.place_of(value) == place
    }

    /// Whether messages of an exchange arrive in the memory of a node.
    pub fn lands(&self, node: NodeId) -> bool {
        self.landings.contains(&Some(node))
    }

    /// The same for a refilled plan, if the kernels are correct for its numbers and values still
    /// fit the memory that they share.
    pub fn refilled(&self, plan: &Plan) -> Option<Final> {
        let is_alike = |&(node, value): &(NodeId, Source)| {
            plan.layout(Source::Node(node)) == plan.layout(value)
        };
        if !self.alike.iter().all(is_alike) {
            return None;
        }
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
        let (slots, places) = (self.slots.clone(), self.places.clone());
        let (landings, alike) = (self.landings.clone(), self.alike.clone());
        Some(Final { steps, slots, places, landings, alike })
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

impl FinalStep {
    /// Whether the step needs what an exchange fetches.
    pub fn waits_for(&self, exchange: &Exchange, plan: &Plan) -> bool {
        match self {
            FinalStep::Launch(launch) => exchange.is_for(launch.unit),
            FinalStep::Routine(node) => exchange.parts.iter().any(
                |part| matches!(&plan.units[part.unit.index()], Unit::Routine(own) if own == node),
            ),
            FinalStep::Combine(_) | FinalStep::Exchange(_) | FinalStep::Compress(_) => false,
        }
    }
}

/// The routines at the end of some steps, the last one first. Messages of an exchange after them
/// may arrive from the first of these on: its chunks are sent between them.
pub(crate) fn routines_at_end(steps: &[FinalStep]) -> impl Iterator<Item = NodeId> {
    steps.iter().rev().map_while(|step| match step {
        FinalStep::Routine(node) => Some(*node),
        _ => None,
    })
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
