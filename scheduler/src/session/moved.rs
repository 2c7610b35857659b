//! Leaves that lie otherwise than their partners, which means that their blocks are elsewhere than
//! those of the operands beside them: they are moved once, and the moved copy is kept.
//!
//! A window that exchanges a large part of a leaf for elementwise work notes where the leaf should
//! lie. The next window that would exchange it for the same place reshards it first and keeps the
//! copy; windows after it read the copy. A copy lives at most as long as the value of the leaf,
//! which a write replaces.
//!
//! All ranks must do alike, so the rule depends on the recorded windows, on sizes and on the agreed
//! limit alone: all copies together take at most an eighth of it. Values that a rank has freed
//! count until their copies are the least recently used.

use super::launch::{Stop, Work};
use super::state::{Session, State};
use crate::moves::{Move, Moved, is_elementwise};
use crate::shards::Shards;
use phalanx_graph::{Graph, Input, LeafId, Node, NodeData, NodeId, NodeOp, Site, Source};
use phalanx_ops::shape::size;
use phalanx_ops::{Bytes, Sharding};
use phalanx_waiting::lock;
use std::sync::{Arc, Mutex};

/// The bytes that copies may take without an agreed limit.
const MOST_UNLIMITED: Bytes = Bytes(4 << 30);
/// The part of the agreed limit that copies may take.
const PART: usize = 8;

/// A window that reads copies instead of leaves.
pub(super) struct Replaced {
    pub graph: Graph,
    /// For each leaf, whether it is a copy.
    pub kept: Vec<bool>,
    /// The state of the leaves whose copies the graph reads.
    used: Vec<Arc<Mutex<Moved>>>,
    /// The state of the leaves that the first nodes of the graph copy, each with its new sharding.
    made: Vec<(Arc<Mutex<Moved>>, Sharding)>,
}

impl Replaced {
    /// For each node of the graph, whether its value is wanted, from those of the window.
    pub fn wanted(&self, of_window: &[bool]) -> Vec<bool> {
        let copies = self.made.iter().map(|_| true);
        copies.chain(of_window.iter().copied()).collect()
    }
}

impl Session {
    /// The most bytes of all copies together.
    pub(super) fn most_moved(&self) -> Bytes {
        match self.options.memory_limit {
            Some(limit) => Bytes(limit.saturating_mul(self.mesh.devices()) / PART),
            None => MOST_UNLIMITED,
        }
    }

    /// The window with copies in place of leaves that it would exchange; `None` if it would
    /// exchange none again.
    pub(super) fn replaced(&self, graph: &Graph, moves: &[Move], site: Site) -> Option<Replaced> {
        let mut leaves = graph.leaves.clone();
        let mut kept = vec![false; leaves.len()];
        let mut made: Vec<(LeafId, Arc<Mutex<Moved>>, Sharding)> = Vec::new();
        let mut redirected: Vec<(LeafId, Source)> = Vec::new();
        let mut used = Vec::new();
        for Move { leaf, to } in moves {
            let Some(shards) = shards_of(graph, *leaf) else { continue };
            let mut moved = lock(shards.moved());
            if let Moved::Kept(lies, copy) = &*moved
                && self.has_failed(copy)
            {
                *moved = Moved::Noted(lies.clone());
            }
            match &*moved {
                Moved::Kept(lies, copy) if lies == to => {
                    let place = if has_other_readers(graph, *leaf) {
                        leaves.push(copy.clone());
                        kept.push(true);
                        LeafId::new(leaves.len() - 1)
                    } else {
                        leaves[leaf.index()] = copy.clone();
                        kept[leaf.index()] = true;
                        *leaf
                    };
                    redirected.push((*leaf, Source::Leaf(place)));
                    used.push(shards.moved().clone());
                }
                Moved::Noted(lies) if lies == to => {
                    let copy = Source::Node(NodeId::new(made.len()));
                    redirected.push((*leaf, copy));
                    made.push((*leaf, shards.moved().clone(), to.clone()));
                }
                _ => {}
            }
        }
        if redirected.is_empty() {
            return None;
        }
        let mut new = Graph { leaves, ..graph.clone() };
        for NodeData { op, inputs, .. } in &mut new.nodes {
            for input in inputs {
                input.source = match input.source {
                    Source::Node(node) => Source::Node(NodeId::new(node.index() + made.len())),
                    Source::Leaf(leaf) if reads_copy(op, input) => {
                        let copy = redirected.iter().find(|(from, _)| *from == leaf);
                        copy.map_or(input.source, |(_, copy)| *copy)
                    }
                    source => source,
                };
            }
        }
        let reshard = |(leaf, _, to): &(LeafId, Arc<Mutex<Moved>>, Sharding)| {
            let source = Source::Leaf(*leaf);
            let (shape, dtype) = graph.source(source);
            NodeData {
                op: NodeOp::Reshard(Arc::new(to.clone())),
                inputs: [Input { source, map: None }].into_iter().collect(),
                shape: shape.into(),
                dtype,
                site,
                node: Node::temporary(shape.into(), dtype),
            }
        };
        let first: Vec<NodeData> = made.iter().map(reshard).collect();
        new.nodes.splice(0..0, first);
        let made = made.into_iter().map(|(_, moved, to)| (moved, to)).collect();
        Some(Replaced { graph: new, kept, used, made })
    }

    /// Whether the plan that made a copy is known to have failed; false in a world of several
    /// processes, where the others would not know.
    fn has_failed(&self, copy: &Node) -> bool {
        let is_sound = match copy.result() {
            Some(Ok(value)) => Shards::of(value).failure().is_none(),
            _ => false,
        };
        self.world.size() == 1 && !is_sound
    }

    /// Notes where a window wants the leaves that have no copy.
    pub(super) fn note_moves(graph: &Graph, moves: &[Move]) {
        for Move { leaf, to } in moves {
            let Some(shards) = shards_of(graph, *leaf) else { continue };
            let mut moved = lock(shards.moved());
            if matches!(*moved, Moved::Never | Moved::Noted(_)) {
                *moved = Moved::Noted(to.clone());
            }
        }
    }

    /// Launches a window that reads copies, and keeps those that it makes. If there is no memory
    /// for these, their leaves stay where they are, and the window must be launched without copies.
    pub(super) fn launch_replaced(
        &self,
        state: &mut State,
        work: &Work<'_>,
        replaced: &Replaced,
    ) -> Result<(), Stop> {
        let Replaced { graph, kept, used, made } = replaced;
        used.iter().for_each(|moved| state.moved.used(moved));
        let leaves = Session::leaf_shardings(graph).map_err(Stop::Failed)?;
        let wanted = replaced.wanted(work.wanted);
        let of_window = work.kept.iter().copied().chain(std::iter::repeat(false));
        let kept: Vec<bool> =
            kept.iter().zip(of_window).map(|(copy, kept)| *copy || kept).collect();
        state.plans.identify(graph, &leaves);
        let (wanted, kept) = (&wanted[..], &kept[..]);
        let launched =
            self.launch(state, &Work { graph, wanted, kept, may_replace: false, ..*work }, &leaves);
        if let Err(Stop::Refused { .. }) = launched {
            // All ranks know of the refusal.
            state.moved.free_all();
            made.iter().for_each(|(moved, _)| *lock(moved) = Moved::Stays);
        }
        launched?;
        for ((moved, to), data) in made.iter().zip(&graph.nodes) {
            let bytes = Bytes::of(size(&data.shape), data.dtype.size());
            state.moved.keep(moved, bytes, self.most_moved());
            *lock(moved) = Moved::Kept(to.clone(), data.node.clone());
        }
        Ok(())
    }
}

/// Whether an operand of an operation may be a copy that lies elsewhere.
fn reads_copy(op: &NodeOp, input: &Input) -> bool {
    is_elementwise(op) && input.map.is_none()
}

/// Whether a window also reads a leaf where copies are not read.
fn has_other_readers(graph: &Graph, leaf: LeafId) -> bool {
    graph.nodes.iter().any(|data| {
        let mut reads = data.inputs.iter().filter(|input| input.source == Source::Leaf(leaf));
        reads.any(|input| !reads_copy(&data.op, input))
    })
}

/// The value of a leaf, if its shape is known.
fn shards_of(graph: &Graph, leaf: LeafId) -> Option<&Shards> {
    match graph.leaves[leaf.index()].result() {
        Some(Ok(value)) => Some(Shards::of(value)).filter(|shards| !shards.is_late()),
        _ => None,
    }
}
