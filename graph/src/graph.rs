//! The graph of a window: the recorded nodes in program order.

use crate::error::{Error, Site};
use crate::ids::{LeafId, NodeId, ScalarId};
use crate::interval::Interval;
use crate::operand::Operand;
use phalanx_ops::{AffineMap, DType, Kind, Monoid, Op, Scalar, Shape, Sharding, Structured};
use phalanx_waiting::lock;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::ops::{Deref, Index};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The result of a node: shards on devices. The engine implements it.
pub trait Evaluated: Any + Send + Sync + fmt::Debug {
    /// The sharding of the value.
    fn sharding(&self) -> &Sharding;
    /// Waits until the value is computed. Returns the error if that failed.
    fn wait(&self) -> Result<(), Error>;
    /// The value as `Any`: the engine casts it back to its own type.
    fn as_any(&self) -> &dyn Any;
}

/// A value: a node of the open window, or a result.
#[derive(Debug)]
pub struct Node {
    shape: Shape,
    dtype: DType,
    /// The window that recorded it, and its position there.
    window: AtomicU64,
    position: AtomicU32,
    /// The last window that uses it as a leaf, and its position among the leaves.
    leaf_window: AtomicU64,
    leaf_position: AtomicU32,
    handles: AtomicU32,
    /// Whether its window was closed in order to observe it.
    observed: AtomicBool,
    /// Bounds of the elements that are tighter than those of the dtype.
    interval: OnceLock<Interval>,
    /// Whether a check has found the elements to be non-negative.
    non_negative: AtomicBool,
    /// The call that made it; `None` for a node that a planner adds.
    site: Option<Site>,
    result: OnceLock<Result<Arc<dyn Evaluated>, Error>>,
    /// The operation to record when the value is first used. Set only while `window` is
    /// `UNRECORDED`.
    deferred: Mutex<Option<Deferred>>,
}

/// An operation that is recorded when its value is first used. An unused value is never computed.
#[derive(Clone, Debug)]
pub(crate) struct Deferred {
    pub(crate) op: NodeOp,
    pub(crate) operand: Operand,
}

/// The window of a node that no window has recorded.
const UNRECORDED: u64 = u64::MAX;

impl Node {
    #[inline]
    pub(crate) fn recorded(
        shape: Shape,
        dtype: DType,
        window: u64,
        position: NodeId,
        site: Option<Site>,
    ) -> Arc<Node> {
        Arc::new(Node {
            shape,
            dtype,
            window: AtomicU64::new(window),
            position: AtomicU32::new(position.index() as u32),
            leaf_window: AtomicU64::new(0),
            leaf_position: AtomicU32::new(0),
            handles: AtomicU32::new(0),
            observed: AtomicBool::new(false),
            interval: OnceLock::new(),
            non_negative: AtomicBool::new(false),
            site,
            result: OnceLock::new(),
            deferred: Mutex::new(None),
        })
    }

    /// A node that is recorded when it is first used.
    pub(crate) fn deferred(
        shape: Shape,
        dtype: DType,
        deferred: Deferred,
        site: Site,
    ) -> Arc<Node> {
        let node = Node::recorded(shape, dtype, UNRECORDED, NodeId::new(0), Some(site));
        *lock(&node.deferred) = Some(deferred);
        node
    }

    /// Whether the node has not been recorded yet.
    pub(crate) fn is_deferred(&self) -> bool {
        self.window.load(Ordering::Relaxed) == UNRECORDED && self.result().is_none()
    }

    /// Takes the operation that is deferred for the node. The caller records it.
    pub(crate) fn take_deferred(&self) -> Option<Deferred> {
        if self.is_deferred() { lock(&self.deferred).take() } else { None }
    }

    fn peek_deferred(&self) -> Option<Deferred> {
        if self.is_deferred() { lock(&self.deferred).clone() } else { None }
    }

    /// The position of the node in `window`, if that window recorded it.
    pub(crate) fn position_in(&self, window: u64) -> Option<NodeId> {
        let is_here = self.window.load(Ordering::Relaxed) == window;
        is_here.then(|| NodeId::new(self.position.load(Ordering::Relaxed) as usize))
    }

    /// Sets the window and the position of the node.
    pub(crate) fn settle_at(&self, window: u64, position: NodeId) {
        self.window.store(window, Ordering::Relaxed);
        self.position.store(position.index() as u32, Ordering::Relaxed);
    }

    /// A node whose value exists already.
    pub fn evaluated(
        shape: Shape,
        dtype: DType,
        value: Arc<dyn Evaluated>,
        site: Site,
    ) -> Arc<Node> {
        let node = Node::recorded(shape, dtype, 0, NodeId::new(0), Some(site));
        node.finish(Ok(value));
        node
    }

    /// A node without a handle, for values that a planner adds.
    pub fn temporary(shape: Shape, dtype: DType) -> Arc<Node> {
        Node::recorded(shape, dtype, 0, NodeId::new(0), None)
    }

    /// The call that made the value; `None` if a planner did.
    #[inline]
    pub fn site(&self) -> Option<Site> {
        self.site
    }

    /// The shape of the value.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dtype of the value.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The result; `None` until the window is closed.
    #[inline]
    pub fn result(&self) -> Option<&Result<Arc<dyn Evaluated>, Error>> {
        self.result.get()
    }

    /// Sets the result of the node; later calls are ignored.
    pub fn finish(&self, result: Result<Arc<dyn Evaluated>, Error>) {
        let _ = self.result.set(result);
    }

    /// Whether the program can still observe the value.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.handles.load(Ordering::Relaxed) > 0
    }

    /// Whether the window of the value was closed in order to observe this value.
    pub fn is_observed(&self) -> bool {
        self.observed.load(Ordering::Relaxed)
    }

    /// Records that the window is closed in order to observe this value.
    pub(crate) fn observe(&self) {
        self.observed.store(true, Ordering::Relaxed);
    }

    /// The known bounds of the elements.
    #[inline]
    pub fn interval(&self) -> Option<Interval> {
        self.interval.get().copied().or_else(|| Interval::of_dtype(self.dtype))
    }

    /// Sets the bounds of the elements; bounds that are already set are kept.
    pub fn learn(&self, interval: Option<Interval>) {
        if let Some(interval) = interval {
            let _ = self.interval.set(interval);
        }
    }

    /// Whether no element can be negative.
    #[inline]
    pub fn is_non_negative(&self) -> bool {
        self.non_negative.load(Ordering::Relaxed)
            || self.dtype.kind() == Kind::Unsigned
            || self.interval().is_some_and(Interval::is_non_negative)
    }

    /// Records that a check has found the elements to be non-negative.
    pub fn found_non_negative(&self) {
        self.non_negative.store(true, Ordering::Relaxed);
    }

    /// Counts a handle by which the program can observe the value.
    #[inline]
    pub fn add_handle(&self) {
        self.handles.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one handle less.
    #[inline]
    pub fn drop_handle(&self) {
        self.handles.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A node that a running call needs. It counts as a handle, so a window that closes during the call
/// computes the node.
#[derive(Debug)]
pub struct Held(Arc<Node>);

impl Held {
    /// Holds a node.
    #[inline]
    pub fn new(node: Arc<Node>) -> Held {
        node.add_handle();
        Held(node)
    }

    /// The node. The caller adds a handle of its own.
    #[inline]
    pub fn node(&self) -> Arc<Node> {
        self.0.clone()
    }
}

impl Clone for Held {
    #[inline]
    fn clone(&self) -> Held {
        Held::new(self.0.clone())
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        self.0.drop_handle();
    }
}

impl Deref for Held {
    type Target = Arc<Node>;
    #[inline]
    fn deref(&self) -> &Arc<Node> {
        &self.0
    }
}

/// The operation of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NodeOp {
    /// Every element is the scalar input.
    Fill,
    /// The index along an axis (`i64`).
    Index(u8),
    /// An elementwise operation; inputs have the dtypes of one of its signatures.
    Elementwise(Op),
    /// `condition ? a : b` of inputs (condition, a, b).
    Select,
    /// The input converted to the node's dtype; a copy if the dtypes are equal.
    Cast,
    /// A reduction over the given axes of the input, which ascend. `ArgMin` and `ArgMax` give the
    /// index (`i64`) in C order over those axes; `Moments` gives the sum of squares about the mean.
    Reduce {
        /// The reduction.
        monoid: Monoid,
        /// The axes that are removed.
        axes: SmallVec<[u8; 4]>,
    },
    /// Inputs (old, value): elements that the map reaches are those of `value`, all others those of
    /// `old`. The shape of the map's view is that of `value`.
    Update(Arc<AffineMap>),
    /// The same bytes in C order, with another shape or dtype.
    Reshape,
    /// Inputs (position, value): a vector whose element `p` combines all values at position `p`.
    /// Positions outside of the vector are ignored.
    Accumulate {
        /// The reduction that combines values.
        monoid: Monoid,
    },
    /// A structured operation; its inputs are those that `Structured` defines.
    Structured(Structured),
    /// Inputs (value, mask): the elements of `value`, in C order, for which `mask` holds. The
    /// length is known after the evaluation.
    Compress,
    /// The input with another sharding.
    Reshard(Arc<Sharding>),
}

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
    /// The operation and the inputs of a node that a call of the program made.
    pub(crate) fn of(op: NodeOp, inputs: SmallVec<[Input; 2]>, node: &Arc<Node>) -> NodeData {
        let site = node.site.unwrap_or_else(|| unreachable!("bug: a node that no call made"));
        let (shape, dtype, node) = (node.shape.clone(), node.dtype, node.clone());
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
            leaf.leaf_window.store(window, Ordering::Relaxed);
            leaf.leaf_position.store(position as u32, Ordering::Relaxed);
        }
    }

    /// The source by which an operation recorded now refers to `node`, a node of the window
    /// `window` or a result.
    pub(crate) fn place(&mut self, node: &Arc<Node>, window: u64) -> Source {
        if let Some(position) = node.position_in(window) {
            return Source::Node(position);
        }
        if node.leaf_window.load(Ordering::Relaxed) != window {
            node.leaf_window.store(window, Ordering::Relaxed);
            node.leaf_position.store(self.leaves.len() as u32, Ordering::Relaxed);
            self.leaves.push(node.clone());
        }
        Source::Leaf(LeafId::new(node.leaf_position.load(Ordering::Relaxed) as usize))
    }

    /// Adds a node to this copy of the open window `window`, after the nodes that are deferred
    /// until it is used. The window itself does not change.
    pub(crate) fn add(&mut self, node: &Arc<Node>, window: u64) -> Source {
        if let Some(Deferred { op, operand }) = node.peek_deferred() {
            let Operand::Value { node: from, map } = operand else {
                unreachable!("bug: an array is a value")
            };
            let input = Input { source: self.add(&from, window), map };
            let data = NodeData::of(op, [input].into_iter().collect(), node);
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
