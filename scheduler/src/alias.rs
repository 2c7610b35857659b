//! Aliases: an update of a whole array becomes an alias of the written value, not a copy of it.

use phalanx_distributed::{Legal, Origin, Placement};
use phalanx_graph::{NodeId, NodeOp, Source};

/// Drops each update that replaces every element by a value of the window with the same sharding.
/// Readers of the update read that value instead.
///
/// Two arrays of the program may then share memory. Neither is written in place while the other
/// lives, because only memory with a single owner is overwritten.
pub(crate) fn drop_whole_updates(legal: &mut Legal) {
    tracing::trace!(target: "phalanx::path", file = file!());
    let Legal { graph, placements, moved, origins, .. } = legal;
    let mut position_of: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    let mut kept = Vec::with_capacity(graph.nodes.len());
    let mut kept_placements: Vec<Placement> = Vec::with_capacity(graph.nodes.len());
    let mut kept_origins: Vec<Origin> = Vec::with_capacity(graph.nodes.len());
    let nodes = graph.nodes.drain(..).zip(placements.drain(..)).zip(origins.drain(..));
    for ((mut node, placement), origin) in nodes {
        for input in &mut node.inputs {
            if let Source::Node(from) = &mut input.source {
                *from = position_of[from.index()];
            }
        }
        if let NodeOp::Update(map) = &node.op
            && map.is_identity(&node.shape)
            && let (Source::Node(value), None) = (node.inputs[1].source, &node.inputs[1].map)
            && kept_placements[value.index()].output == placement.output
        {
            position_of.push(value);
            continue;
        }
        position_of.push(NodeId::new(kept.len()));
        kept.push(node);
        kept_placements.push(placement);
        kept_origins.push(origin);
    }
    graph.nodes = kept;
    *placements = kept_placements;
    *origins = kept_origins;
    moved.iter_mut().for_each(|place| *place = position_of[place.index()]);
}
