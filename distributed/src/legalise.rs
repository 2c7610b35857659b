//! Legalising: equal operations become one, and operations that need their operands whole or in a
//! certain sharding get copies that have it.

use crate::propagate::Placement;
use crate::regions::{is_small_write, may_clash};
use phalanx_array::{Graph, Input, Node, NodeData, NodeOp, Site, Source};
use phalanx_ops::{AffineMap, DType, IndexBox, Shape, Sharding};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// What makes two operations equal.
type Computation = (NodeOp, SmallVec<[Input; 2]>, Shape, DType);

/// A legal graph.
pub struct Legal {
    /// The graph without operations that compute what an earlier one does, with a `Reshard` before
    /// every operand that does not lie as its operation needs it.
    pub graph: Graph,
    /// The placements of its nodes.
    pub placements: Vec<Placement>,
    /// For each node of the given graph, its position in this one.
    pub moved: Vec<u32>,
    /// For each node of this graph, what it comes from.
    pub origins: Vec<Origin>,
}

/// What a node of a legal graph comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A node of the given graph.
    Node(u32),
    /// The copy of an input of a node of the given graph.
    Copy {
        /// The node.
        node: u32,
        /// The number of the input.
        input: u8,
    },
}

/// Makes a graph legal.
pub fn legalise(graph: &Graph, placements: Vec<Placement>, leaves: &[Sharding]) -> Legal {
    let mut legal =
        Graph { nodes: Vec::new(), leaves: graph.leaves.clone(), scalars: graph.scalars.clone() };
    let mut placed: Vec<Placement> = Vec::new();
    let mut moved: Vec<u32> = Vec::with_capacity(graph.nodes.len());
    let mut origins: Vec<Origin> = Vec::with_capacity(graph.nodes.len());
    // Scalars are arguments and never compared, so only operations on arrays alone can be equal.
    let mut known: FxHashMap<Computation, u32> = FxHashMap::default();
    for (position, (node, placement)) in graph.nodes.iter().zip(placements).enumerate() {
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
        let clashes = reads_what_it_writes(&node);
        let site = node.site;
        for (number, input) in node.inputs.iter_mut().enumerate() {
            let number = number as u8;
            let Some(wanted) = wanted_sharding(&node.op, &placement, number) else { continue };
            if matches!(node.op, NodeOp::Update(_)) && !clashes {
                continue;
            }
            let lies = match input.source {
                Source::Node(from) => placed[from as usize].output == wanted,
                Source::Leaf(leaf) => leaves[leaf as usize] == wanted,
                Source::Scalar(_) => true,
            };
            if !lies || input.map.is_some() {
                *input = insert_copy(&mut legal, &mut placed, input, wanted, site);
                origins.push(Origin::Copy { node: position as u32, input: number });
            }
        }
        if let Some(position) = known.get_mut(&key) {
            *position = legal.nodes.len() as u32;
        }
        moved.push(legal.nodes.len() as u32);
        legal.nodes.push(node);
        placed.push(placement);
        origins.push(Origin::Node(position as u32));
    }
    Legal { graph: legal, placements: placed, moved, origins }
}

/// The sharding that an operation needs an input to have, if not any will do.
pub fn wanted_sharding(op: &NodeOp, placement: &Placement, input: u8) -> Option<Sharding> {
    match op {
        NodeOp::Reshape | NodeOp::Compress => Some(placement.space.clone()),
        NodeOp::Matmul => {
            let mut wanted = Sharding::replicated(2);
            let axis = usize::from(input);
            wanted.axes[axis] = placement.output.axes[axis].clone();
            Some(wanted)
        }
        // The value, where it is copied first.
        NodeOp::Update(_) if input == 1 => Some(placement.space.clone()),
        _ => None,
    }
}

/// Whether an update writes a small part of its base and its value is a view of the base that meets
/// it: then the value is copied first, which costs less than a copy of the base.
fn reads_what_it_writes(node: &NodeData) -> bool {
    let NodeOp::Update(target) = &node.op else { return false };
    let [old, value] = node.inputs.as_slice() else { return false };
    let Some(map) = &value.map else { return false };
    let whole: IndexBox = target.shape.iter().map(|&extent| 0..extent).collect();
    old.source == value.source
        && is_small_write(target, &node.shape)
        && may_clash((map, &whole), (target, &whole))
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
    let placement = Placement { space: wanted.clone(), output: wanted.clone(), partial: None };
    legal.nodes.push(NodeData {
        op: NodeOp::Reshard(Arc::new(wanted)),
        inputs: [input.clone()].into_iter().collect(),
        node: Node::temporary(shape.clone(), dtype),
        shape,
        dtype,
        site,
    });
    placed.push(placement);
    Input { source: Source::Node(legal.nodes.len() as u32 - 1), map: None }
}
