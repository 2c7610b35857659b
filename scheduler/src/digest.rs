//! The identity of a window's structure, and of everything ranks have to agree on.

use phalanx_array::{Graph, Input, NodeData, NodeOp};
use phalanx_ops::{DType, Shape, Sharding};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The structure of a window: everything its plan depends on, so everything but the values of scalars.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    nodes: Vec<(NodeOp, SmallVec<[Input; 2]>, Shape, DType)>,
    leaves: Vec<(Shape, DType, Sharding)>,
    scalars: Vec<DType>,
}

impl Structure {
    pub fn of(graph: &Graph, leaves: &[Sharding]) -> Structure {
        let node = |node: &NodeData| {
            (node.op.clone(), node.inputs.clone(), node.shape.clone(), node.dtype)
        };
        let leaf = graph.leaves.iter().zip(leaves);
        Structure {
            nodes: graph.nodes.iter().map(node).collect(),
            leaves: leaf
                .map(|(leaf, sharding)| (leaf.shape().clone(), leaf.dtype(), sharding.clone()))
                .collect(),
            scalars: graph.scalars.iter().map(phalanx_ops::Scalar::dtype).collect(),
        }
    }

    /// Whether a window has this structure.
    pub fn is_of(&self, graph: &Graph, leaves: &[Sharding]) -> bool {
        self.nodes.len() == graph.nodes.len()
            && self.leaves.len() == leaves.len()
            && self.scalars.len() == graph.scalars.len()
            && self.nodes.iter().zip(&graph.nodes).all(|((op, inputs, shape, dtype), node)| {
                *dtype == node.dtype
                    && *shape == node.shape
                    && *op == node.op
                    && *inputs == node.inputs
            })
            && self.leaves.iter().zip(&graph.leaves).zip(leaves).all(
                |(((shape, dtype, known), leaf), sharding)| {
                    shape == leaf.shape() && *dtype == leaf.dtype() && known == sharding
                },
            )
            && self
                .scalars
                .iter()
                .zip(&graph.scalars)
                .all(|(dtype, scalar)| *dtype == scalar.dtype())
    }
}

/// A number that windows of one structure share; others rarely do.
pub(crate) fn structure_hash(graph: &Graph, leaves: &[Sharding]) -> u64 {
    let mut hasher = FxHasher::default();
    structure(graph, leaves, &mut hasher);
    hasher.finish()
}

/// What all ranks must have recorded alike, scalars included.
pub(crate) fn ticket_digest(graph: &Graph, leaves: &[Sharding]) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(seed);
        structure(graph, leaves, &mut hasher);
        graph.scalars.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

fn structure(graph: &Graph, leaves: &[Sharding], hasher: &mut impl Hasher) {
    for NodeData { op, inputs, shape, dtype, .. } in &graph.nodes {
        (op, inputs, shape, dtype).hash(hasher);
    }
    for (leaf, sharding) in graph.leaves.iter().zip(leaves) {
        (leaf.shape(), leaf.dtype(), sharding).hash(hasher);
    }
    for scalar in &graph.scalars {
        scalar.dtype().hash(hasher);
    }
}
