//! Aliases: an update of a whole array becomes an alias of the written value, not a copy of it, and
//! so does a copy of a value to the sharding that it has.

use phalanx_distributed::{Legal, Origin, Placement};
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_ops::Sharding;

/// Drops each update that replaces every element by a value of the window with the same sharding,
/// and each copy of a value of the window to the sharding that it has. Readers read that value
/// instead. Readers of such a copy of a leaf read the leaf; the copy itself is made only if an
/// array of the program needs it.
///
/// Two arrays of the program may then share memory. Neither is written in place while the other
/// lives, because only memory with a single owner is overwritten.
pub(crate) fn drop_whole_copies(legal: &mut Legal, leaves: &[Sharding]) {
    tracing::trace!(target: "phalanx::path", file = file!());
    let Legal { graph, placements, moved, origins, .. } = legal;
    let mut position_of: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    // What readers of each node read.
    let mut value_of: Vec<Source> = Vec::with_capacity(graph.nodes.len());
    let mut kept = Vec::with_capacity(graph.nodes.len());
    let mut kept_placements: Vec<Placement> = Vec::with_capacity(graph.nodes.len());
    let mut kept_origins: Vec<Origin> = Vec::with_capacity(graph.nodes.len());
    let nodes = graph.nodes.drain(..).zip(placements.drain(..)).zip(origins.drain(..));
    for ((mut node, placement), origin) in nodes {
        for input in &mut node.inputs {
            if let Source::Node(from) = input.source {
                input.source = value_of[from.index()];
            }
        }
        let written = match &node.op {
            NodeOp::Update(map) if map.is_identity(&node.shape) => Some(&node.inputs[1]),
            NodeOp::Reshard(_) => Some(&node.inputs[0]),
            _ => None,
        };
        let alias = written.filter(|input| input.map.is_none()).map(|input| input.source);
        let resides = |sharding: &Sharding| *sharding == placement.output;
        let own = NodeId::new(kept.len());
        let (position, value) = match alias {
            Some(Source::Node(value)) if resides(&kept_placements[value.index()].output) => {
                (value, Source::Node(value))
            }
            Some(Source::Leaf(leaf))
                if matches!(node.op, NodeOp::Reshard(_)) && resides(&leaves[leaf.index()]) =>
            {
                (own, Source::Leaf(leaf))
            }
            _ => (own, Source::Node(own)),
        };
        position_of.push(position);
        value_of.push(value);
        if position == own {
            kept.push(node);
            kept_placements.push(placement);
            kept_origins.push(origin);
        }
    }
    graph.nodes = kept;
    *placements = kept_placements;
    *origins = kept_origins;
    moved.iter_mut().for_each(|place| *place = position_of[place.index()]);
}
