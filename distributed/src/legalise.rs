//! Legalising: equal operations become one, and operations that need their operands whole or in a certain sharding get
//! copies that have it.

use crate::propagate::Placement;
use phalanx_array::{Graph, Input, Node, NodeData, NodeOp, Site, Source};
use phalanx_ops::{AffineMap, DType, Shape, Sharding};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// What makes two operations equal.
type Computation = (NodeOp, SmallVec<[Input; 2]>, Shape, DType);

/// The graph without operations that compute what an earlier one does, with a `Reshard` before every operand that does not lie as its operation needs it, the placements of its
/// nodes, and for each node of the given graph its position in the new one.
pub fn legalise(
    graph: &Graph,
    placements: Vec<Placement>,
    leaves: &[Sharding],
) -> (Graph, Vec<Placement>, Vec<u32>) {
    let mut legal =
        Graph { nodes: Vec::new(), leaves: graph.leaves.clone(), scalars: graph.scalars.clone() };
    let mut placed: Vec<Placement> = Vec::new();
    let mut moved: Vec<u32> = Vec::with_capacity(graph.nodes.len());
    // Scalars are arguments and never compared, so only operations on arrays alone can be equal.
    let mut known: FxHashMap<Computation, u32> = FxHashMap::default();
    for (node, placement) in graph.nodes.iter().zip(placements) {
        let mut node = node.clone();
        for input in &mut node.inputs {
            if let Source::Node(from) = &mut input.source {
                *from = moved[*from as usize];
            }
        }
        let key = (node.op.clone(), node.inputs.clone(), node.shape.clone(), node.dtype);
        match known.get(&key) {
            Some(&equal) if placed[equal as usize] == placement => {
                moved.push(equal);
                continue;
            }
            _ => known.insert(key.clone(), legal.nodes.len() as u32),
        };
        let wanted: Vec<Option<Sharding>> = match &node.op {
            NodeOp::Reshape => vec![Some(placement.space.clone())],
            NodeOp::Compress => vec![Some(placement.space.clone()); 2],
            NodeOp::Matmul => {
                let (mut a, mut b) = (Sharding::replicated(2), Sharding::replicated(2));
                a.axes[0] = placement.output.axes[0].clone();
                b.axes[1] = placement.output.axes[1].clone();
                vec![Some(a), Some(b)]
            }
            _ => vec![None; node.inputs.len()],
        };
        let site = node.site;
        for (input, wanted) in node.inputs.iter_mut().zip(wanted) {
            let Some(wanted) = wanted else { continue };
            let lies = match input.source {
                Source::Node(from) => placed[from as usize].output == wanted,
                Source::Leaf(leaf) => leaves[leaf as usize] == wanted,
                Source::Scalar(_) => true,
            };
            if !lies || input.map.is_some() {
                *input = insert_copy(&mut legal, &mut placed, input, wanted, site);
            }
        }
        if let Some(position) = known.get_mut(&key) {
            *position = legal.nodes.len() as u32;
        }
        moved.push(legal.nodes.len() as u32);
        legal.nodes.push(node);
        placed.push(placement);
    }
    (legal, placed, moved)
}

fn insert_copy(
    legal: &mut Graph,
    placed: &mut Vec<Placement>,
    input: &Input,
    wanted: Sharding,
    site: Site,
) -> Input {
    let (base, dtype) = legal.source(input.source);
    let shape =
        input.map.as_ref().map_or_else(|| base.into(), |map: &Arc<AffineMap>| map.shape.clone());
    legal.nodes.push(NodeData {
        op: NodeOp::Reshard(Arc::new(wanted.clone())),
        inputs: [input.clone()].into_iter().collect(),
        node: Node::temporary(shape.clone(), dtype),
        shape,
        dtype,
        site,
    });
    placed.push(Placement { space: wanted.clone(), output: wanted, partial: None });
    Input { source: Source::Node(legal.nodes.len() as u32 - 1), map: None }
}
