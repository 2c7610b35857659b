//! Digests: the identity of a window's structure, and of everything ranks have to agree on.

use phalanx_array::{Graph, NodeData};
use phalanx_ops::Sharding;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Feeds two hashers with different beginnings; together they give 128 bits.
struct Digest(DefaultHasher, DefaultHasher);

impl Digest {
    fn new() -> Digest {
        let mut second = DefaultHasher::new();
        second.write_u64(0x9e37_79b9_7f4a_7c15);
        Digest(DefaultHasher::new(), second)
    }

    fn add(&mut self, value: &impl Hash) {
        value.hash(&mut self.0);
        value.hash(&mut self.1);
    }

    fn finish(&self) -> u128 {
        u128::from(self.0.finish()) << 64 | u128::from(self.1.finish())
    }
}

fn structure(graph: &Graph, leaves: &[Sharding]) -> Digest {
    let mut digest = Digest::new();
    for NodeData { op, inputs, shape, dtype, .. } in &graph.nodes {
        digest.add(&(op, inputs, shape, dtype));
    }
    for (leaf, sharding) in graph.leaves.iter().zip(leaves) {
        digest.add(&(leaf.shape(), leaf.dtype(), sharding));
    }
    for scalar in &graph.scalars {
        digest.add(&scalar.dtype());
    }
    digest
}

/// The key of a window's plan: everything but the values of scalars.
pub(crate) fn plan_digest(graph: &Graph, leaves: &[Sharding]) -> u128 {
    structure(graph, leaves).finish()
}

/// What all ranks must have recorded alike.
pub(crate) fn ticket_digest(graph: &Graph, leaves: &[Sharding]) -> u128 {
    let mut digest = structure(graph, leaves);
    digest.add(&graph.scalars);
    digest.finish()
}
