//! The graph of a window: the recorded nodes in program order.

use crate::error::{Site, call_site};
use crate::ids::{LeafId, NodeId, ScalarId};
use crate::node::{Deferred, Node, Operand};
use crate::operation::NodeOp;
use phalanx_ops::{AffineMap, DType, Scalar, Shape};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Index;
use std::sync::Arc;

/// The origin of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A node of the same window.
    Node(NodeId),
    /// A leaf: a value that an earlier window computed.
    Leaf(LeafId),
    /// A scalar argument.
    Scalar(ScalarId),
}

/// An input of a node: a value, read through a map.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Input {
    /// The value.
    pub source: Source,
    /// The view of the value; `None` is the whole value.
    pub map: Option<Arc<AffineMap>>,
}

/// A recorded node.
#[derive(Clone, Debug)]
pub struct NodeData {
    /// The operation.
    pub op: NodeOp,
    /// The inputs of the operation.
    pub inputs: SmallVec<[Input; 2]>,
    /// The shape of the value.
    pub shape: Shape,
    /// The dtype of the value.
    pub dtype: DType,
    /// The call that recorded it.
    pub site: Site,
    /// The node that handles refer to.
    pub node: Arc<Node>,
}

impl NodeData {
    /// The operation and the inputs of a node that the call at `site` records.
    pub(crate) fn of(
        op: NodeOp,
        inputs: SmallVec<[Input; 2]>,
        node: &Arc<Node>,
        site: Site,
    ) -> NodeData {
        let (shape, dtype, node) = (node.shape().clone(), node.dtype(), node.clone());
        NodeData { op, inputs, shape, dtype, site, node }
    }
}

/// All recorded operations of a window.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes in program order.
    pub nodes: Vec<NodeData>,
    /// The leaves: values of earlier windows that the nodes use.
    pub leaves: Vec<Arc<Node>>,
    /// The scalar arguments.
    pub scalars: Vec<Scalar>,
}

/// A part of a window that can be evaluated alone. See [`Graph::part`].
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The nodes of the part, in program order.
    pub graph: Graph,
    /// For each node of the part, the node of the window.
    pub positions: Vec<NodeId>,
}

impl Index<NodeId> for Graph {
    type Output = NodeData;
    #[inline]
    fn index(&self, node: NodeId) -> &NodeData {
        &self.nodes[node.index()]
    }
}

impl Graph {
    /// The nodes in program order, each with its id.
    pub fn numbered(&self) -> impl DoubleEndedIterator<Item = (NodeId, &NodeData)> {
        self.nodes.iter().enumerate().map(|(position, data)| (NodeId::new(position), data))
    }

    /// Adds a node after all others. Returns its id.
    pub fn push(&mut self, node: NodeData) -> NodeId {
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }

    /// The node that the closing observation requested; `None` if the window was closed for another
    /// reason or does not contain it. Local.
    pub fn observed(&self) -> Option<NodeId> {
        self.all_observed().next()
    }

    /// The nodes that observations requested and that have no result yet. There are several if
    /// threads observe at the same time. Local.
    pub fn all_observed(&self) -> impl Iterator<Item = NodeId> {
        let is_observed = |data: &NodeData| data.node.is_observed() && data.node.result().is_none();
        self.numbered().filter(move |(_, data)| is_observed(data)).map(|(node, _)| node)
    }

    /// The shape and dtype of a source.
    pub fn source(&self, source: Source) -> (&[usize], DType) {
        match source {
            Source::Node(node) => (&self[node].shape, self[node].dtype),
            Source::Leaf(leaf) => {
                let leaf = &self.leaves[leaf.index()];
                (leaf.shape(), leaf.dtype())
            }
            Source::Scalar(scalar) => (&[], self.scalars[scalar.index()].dtype()),
        }
    }

    /// The map of an input; the identity if the input has none.
    pub fn map_of(&self, input: &Input) -> AffineMap {
        input
            .map
            .as_deref()
            .cloned()
            .unwrap_or_else(|| AffineMap::identity(self.source(input.source).0))
    }

    /// The nodes that are needed to compute the nodes `wanted`. Nodes with a value become leaves. A
    /// failed node is computed again for the nodes that use it.
    pub fn part(&self, wanted: &[NodeId]) -> Part {
        let mut is_needed = vec![false; self.nodes.len()];
        wanted.iter().for_each(|node| is_needed[node.index()] = true);
        let is_known = |node: NodeId| matches!(self[node].node.result(), Some(Ok(_)));
        for (node, data) in self.numbered().rev() {
            if !is_needed[node.index()] {
                continue;
            }
            for input in &data.inputs {
                if let Source::Node(from) = input.source
                    && !is_known(from)
                {
                    is_needed[from.index()] = true;
                }
            }
        }
        let mut part = Part::default();
        let mut moved: FxHashMap<Source, Source> = FxHashMap::default();
        for (node, data) in self.numbered().filter(|(node, _)| is_needed[node.index()]) {
            let mut data = data.clone();
            for input in &mut data.inputs {
                let Graph { leaves, scalars, .. } = &mut part.graph;
                input.source = *moved.entry(input.source).or_insert_with(|| match input.source {
                    Source::Scalar(scalar) => {
                        scalars.push(self.scalars[scalar.index()]);
                        Source::Scalar(ScalarId::new(scalars.len() - 1))
                    }
                    Source::Leaf(leaf) => {
                        leaves.push(self.leaves[leaf.index()].clone());
                        Source::Leaf(LeafId::new(leaves.len() - 1))
                    }
                    Source::Node(node) => {
                        leaves.push(self[node].node.clone());
                        Source::Leaf(LeafId::new(leaves.len() - 1))
                    }
                });
            }
            let own = part.graph.push(data);
            moved.insert(Source::Node(node), Source::Node(own));
            part.positions.push(node);
        }
        part
    }

    /// Makes this the graph of the window `window`: nodes recorded later refer to its nodes by
    /// their positions.
    pub(crate) fn settle_in(&self, window: u64) {
        for (position, data) in self.numbered() {
            data.node.settle_at(window, position);
        }
        for (position, leaf) in self.leaves.iter().enumerate() {
            leaf.settle_as_leaf(window, LeafId::new(position));
        }
    }

    /// The source by which an operation recorded now refers to `node`, a node of the window
    /// `window` or a result.
    pub(crate) fn place(&mut self, node: &Arc<Node>, window: u64) -> Source {
        if let Some(position) = node.position_in(window) {
            return Source::Node(position);
        }
        let leaf = node.leaf_in(window).unwrap_or_else(|| {
            let leaf = LeafId::new(self.leaves.len());
            node.settle_as_leaf(window, leaf);
            self.leaves.push(node.clone());
            leaf
        });
        Source::Leaf(leaf)
    }

    /// Adds a node to this copy of the open window `window`, after the nodes that are deferred
    /// until it is used. The window itself does not change.
    #[track_caller]
    pub(crate) fn add(&mut self, node: &Arc<Node>, window: u64) -> Source {
        if let Some(Deferred { op, operand }) = node.peek_deferred() {
            let input = match operand {
                Operand::Value { node: from, map } => {
                    Input { source: self.add(&from, window), map }
                }
                Operand::Scalar(scalar) => {
                    self.scalars.push(scalar);
                    let scalar = ScalarId::new(self.scalars.len() - 1);
                    Input { source: Source::Scalar(scalar), map: None }
                }
            };
            // A known element was made by no call: it stands for the call that shows the plan.
            let site = match node.site() {
                Some(site) => site,
                None => call_site(),
            };
            let data = NodeData::of(op, [input].into_iter().collect(), node, site);
            return Source::Node(self.push(data));
        }
        if let Some(position) = node.position_in(window) {
            return Source::Node(position);
        }
        let known = self.leaves.iter().position(|leaf| Arc::ptr_eq(leaf, node));
        Source::Leaf(LeafId::new(known.unwrap_or_else(|| {
            self.leaves.push(node.clone());
            self.leaves.len() - 1
        })))
    }
}
