//! The values that units read.

use super::context::Context;
use super::group::{Group, Load, Unit};
use phalanx_graph::{NodeData, NodeOp, Source};
use phalanx_ops::AffineMap;

/// The loads of all members of a group, each once.
pub(crate) fn loads_of(context: &Context<'_>, group: &Group) -> Vec<Load> {
    let mut loads: Vec<Load> = Vec::new();
    for load in group.members.iter().flat_map(|member| context.loads(member, group)) {
        let is_known = |known: &Load| {
            known.source == load.source
                && known.map.axes == load.map.axes
                && known.guard == load.guard
        };
        if !loads.iter().any(is_known) {
            loads.push(load);
        }
    }
    loads
}

/// All reads of a unit.
pub(crate) fn reads_of(context: &Context<'_>, unit: &Unit) -> Vec<Load> {
    match unit {
        Unit::Group(group) => {
            let mut reads = loads_of(context, group);
            for member in &group.members {
                // A written update also reads the elements that it does not write; each device has
                // its own part of them.
                let node = &context.graph[member.node];
                if let NodeOp::Update(map) = &node.op
                    && !member.is_selected
                    && !map.is_identity(&node.shape)
                {
                    let map = map.then(&member.from_group);
                    reads.push(Load { source: node.inputs[0].source, map, guard: None });
                }
            }
            reads
        }
        Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
            let data = &context.graph[*node];
            let whole = |source| AffineMap::identity(context.graph.source(source).0);
            let values = data.inputs.iter().filter(|it| !matches!(it.source, Source::Scalar(_)));
            values
                .map(|input| Load { source: input.source, map: whole(input.source), guard: None })
                .collect()
        }
    }
}

/// The operand whose memory a structured operation may use for its result, if it has one.
pub(crate) fn overwritten(node: &NodeData) -> Option<Source> {
    let NodeOp::Structured(op) = &node.op else { return None };
    Some(node.inputs.get(op.overwrites()?)?.source)
}
