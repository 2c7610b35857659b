//! The graph of a window: what was recorded, in program order.

use crate::error::{Error, Site};
use crate::interval::Interval;
use crate::operand::Operand;
use phalanx_ops::waiting::lock;
use phalanx_ops::{AffineMap, DType, Kind, Monoid, Op, Scalar, Shape, Sharding, Structured};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The result of a node: shards on devices. Implemented by the engine.
pub trait Evaluated: Any + Send + Sync + fmt::Debug {
    /// Where the blocks lie.
    fn sharding(&self) -> &Sharding;
    /// Waits until the value has been computed; an error if that failed.
    fn wait(&self) -> Result<(), Error>;
    /// For the engine, which knows the type.
    fn as_any(&self) -> &dyn Any;
}

/// A value, past or to come: a place in the open window, or a result.
#[derive(Debug)]
pub struct Node {
    shape: Shape,
    dtype: DType,
    /// The window it was recorded in, and its position there.
    window: AtomicU64,
    position: AtomicU32,
    /// Likewise as a leaf of a later window.
    leaf_window: AtomicU64,
    leaf_position: AtomicU32,
    handles: AtomicU32,
    /// Whether its window was closed to observe it.
    observed: AtomicBool,
    /// What is known of the elements beyond their dtype.
    interval: OnceLock<Interval>,
    /// Whether the elements were seen to be non-negative.
    non_negative: AtomicBool,
    /// The call that made it; `None` for what a planner adds.
    site: Option<Site>,
    result: OnceLock<Result<Arc<dyn Evaluated>, Error>>,
    /// What is to be recorded when the value is first used; only where `window` is `UNRECORDED`.
    deferred: Mutex<Option<Deferred>>,
}

/// An operation that is recorded when its value is first used. What nobody uses costs nothing then.
#[derive(Clone, Debug)]
pub(crate) struct Deferred {
    pub(crate) op: NodeOp,
    pub(crate) operand: Operand,
}

/// The window of a node that no window has.
const UNRECORDED: u64 = u64::MAX;

impl Node {
    pub(crate) fn recorded(
        shape: Shape,
        dtype: DType,
        window: u64,
        position: u32,
        site: Option<Site>,
    ) -> Arc<Node> {
        Arc::new(Node {
            shape,
            dtype,
            window: AtomicU64::new(window),
            position: AtomicU32::new(position),
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
        let node = Node::recorded(shape, dtype, UNRECORDED, 0, Some(site));
        *lock(&node.deferred) = Some(deferred);
        node
    }

    /// Whether the node has not been recorded yet.
    pub(crate) fn is_deferred(&self) -> bool {
        self.window.load(Ordering::Relaxed) == UNRECORDED && self.result().is_none()
    }

    /// What is to be recorded for the node, which the caller does.
    pub(crate) fn take_deferred(&self) -> Option<Deferred> {
        if self.is_deferred() { lock(&self.deferred).take() } else { None }
    }

    fn peek_deferred(&self) -> Option<Deferred> {
        if self.is_deferred() { lock(&self.deferred).clone() } else { None }
    }

    /// Where the node is in a window, if that has recorded it.
    pub(crate) fn position_in(&self, window: u64) -> Option<u32> {
        let is_here = self.window.load(Ordering::Relaxed) == window;
        is_here.then(|| self.position.load(Ordering::Relaxed))
    }

    /// Notes where the node is recorded now.
    pub(crate) fn settle_at(&self, window: u64, position: usize) {
        self.window.store(window, Ordering::Relaxed);
        self.position.store(position as u32, Ordering::Relaxed);
    }

    /// A node whose value exists already.
    pub fn evaluated(
        shape: Shape,
        dtype: DType,
        value: Arc<dyn Evaluated>,
        site: Site,
    ) -> Arc<Node> {
        let node = Node::recorded(shape, dtype, 0, 0, Some(site));
        node.finish(Ok(value));
        node
    }

    /// A node that no handle refers to, for values that a planner adds.
    pub fn temporary(shape: Shape, dtype: DType) -> Arc<Node> {
        Node::recorded(shape, dtype, 0, 0, None)
    }

    /// The call that made the value, if the program did.
    pub fn site(&self) -> Option<Site> {
        self.site
    }

    /// The shape of the value.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The dtype of the value.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The result, once its window was closed.
    pub fn result(&self) -> Option<&Result<Arc<dyn Evaluated>, Error>> {
        self.result.get()
    }

    /// Gives the node its result; later results are ignored.
    pub fn finish(&self, result: Result<Arc<dyn Evaluated>, Error>) {
        let _ = self.result.set(result);
    }

    /// Whether the program can still observe the value.
    pub fn is_live(&self) -> bool {
        self.handles.load(Ordering::Relaxed) > 0
    }

    /// Whether the window of the value was closed because the program observed this one.
    pub fn is_observed(&self) -> bool {
        self.observed.load(Ordering::Relaxed)
    }

    pub(crate) fn observe(&self) {
        self.observed.store(true, Ordering::Relaxed);
    }

    /// What is known of the elements.
    pub(crate) fn interval(&self) -> Option<Interval> {
        self.interval.get().copied().or_else(|| Interval::of_dtype(self.dtype))
    }

    /// Notes what is known of the elements; what was known before stays.
    pub(crate) fn learn(&self, interval: Option<Interval>) {
        if let Some(interval) = interval {
            let _ = self.interval.set(interval);
        }
    }

    /// Whether no element can be negative.
    pub(crate) fn is_non_negative(&self) -> bool {
        self.non_negative.load(Ordering::Relaxed)
            || self.dtype.kind() == Kind::Unsigned
            || self.interval().is_some_and(Interval::is_non_negative)
    }

    /// Notes that the elements were seen to be non-negative.
    pub(crate) fn found_non_negative(&self) {
        self.non_negative.store(true, Ordering::Relaxed);
    }

    pub(crate) fn add_handle(&self) {
        self.handles.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn drop_handle(&self) {
        self.handles.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A node that a call in progress needs. A window that closes meanwhile computes it, as if a handle
/// referred to it.
#[derive(Debug)]
pub(crate) struct Held(Arc<Node>);

impl Held {
    pub(crate) fn new(node: Arc<Node>) -> Held {
        node.add_handle();
        Held(node)
    }

    /// The node, which the caller gives a handle of its own.
    pub(crate) fn node(&self) -> Arc<Node> {
        self.0.clone()
    }
}

impl Clone for Held {
    fn clone(&self) -> Held {
        Held::new(self.0.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.drop_handle();
    }
}

impl Deref for Held {
    type Target = Arc<Node>;
    fn deref(&self) -> &Arc<Node> {
        &self.0
    }
}

/// What a node computes.
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
    /// The input converted to the node's dtype; with an equal dtype, a copy.
    Cast,
    /// A combination over the given axes of the input, ascending; `ArgMin`/`ArgMax` give the index
    /// (`i64`) in C order of those axes, `Moments` the sum of squares about the mean.
    Reduce {
        /// How elements are combined.
        monoid: Monoid,
        /// The axes that disappear.
        axes: SmallVec<[u8; 4]>,
    },
    /// Inputs (old, value): `value` where the map reaches, `old` elsewhere. The map's view has the
    /// value's shape.
    Update(Arc<AffineMap>),
    /// The same bytes in C order with another shape, or another dtype.
    Reshape,
    /// Inputs (position, value): a vector whose element `p` combines all values at position `p`;
    /// positions outside of it are dropped.
    Accumulate {
        /// How values are combined.
        monoid: Monoid,
    },
    /// An operation with a structure of its own; its inputs are as `Structured` says.
    Structured(Structured),
    /// Inputs (value, mask): the elements of `value`, in C order, where `mask` holds. The length is
    /// known afterwards.
    Compress,
    /// The input with another sharding.
    Reshard(Arc<Sharding>),
}

/// Where an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A node of this window.
    Node(u32),
    /// A value computed before.
    Leaf(u32),
    /// A scalar argument.
    Scalar(u32),
}

/// An input of a node: a value seen through a map.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Input {
    /// The value.
    pub source: Source,
    /// The view of it; `None` is the whole value as it is.
    pub map: Option<Arc<AffineMap>>,
}

/// A recorded node.
#[derive(Clone, Debug)]
pub struct NodeData {
    /// What it computes.
    pub op: NodeOp,
    /// From what.
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
    /// What computes a node of the program.
    pub(crate) fn of(op: NodeOp, inputs: SmallVec<[Input; 2]>, node: &Arc<Node>) -> NodeData {
        let site = node.site.unwrap_or_else(|| unreachable!("bug: a node that no call made"));
        let (shape, dtype, node) = (node.shape.clone(), node.dtype, node.clone());
        NodeData { op, inputs, shape, dtype, site, node }
    }
}

/// Everything recorded in a window.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes in program order.
    pub nodes: Vec<NodeData>,
    /// The values computed before that they use.
    pub leaves: Vec<Arc<Node>>,
    /// The scalar arguments.
    pub scalars: Vec<Scalar>,
}

/// A part of a window that can be evaluated by itself; see [`Graph::part`].
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its nodes, in program order.
    pub graph: Graph,
    /// The position in the window of each of its nodes.
    pub positions: Vec<u32>,
}

impl Graph {
    /// The node that the closing observation asked for; `None` if the window was closed for another
    /// reason or has no such node. Local.
    pub fn observed(&self) -> Option<u32> {
        self.all_observed().next()
    }

    /// The nodes that observations have asked for and that have no result yet: several, where
    /// threads observe at once. Local.
    pub fn all_observed(&self) -> impl Iterator<Item = u32> {
        let is_observed = |data: &NodeData| data.node.is_observed() && data.node.result().is_none();
        (0u32..).zip(&self.nodes).filter(move |(_, data)| is_observed(data)).map(|(at, _)| at)
    }

    /// The shape and dtype of a source.
    pub fn source(&self, source: Source) -> (&[usize], DType) {
        match source {
            Source::Node(node) => {
                (&self.nodes[node as usize].shape, self.nodes[node as usize].dtype)
            }
            Source::Leaf(leaf) => {
                (self.leaves[leaf as usize].shape(), self.leaves[leaf as usize].dtype())
            }
            Source::Scalar(scalar) => (&[], self.scalars[scalar as usize].dtype()),
        }
    }

    /// The map of an input in full.
    pub fn map_of(&self, input: &Input) -> AffineMap {
        input
            .map
            .as_deref()
            .cloned()
            .unwrap_or_else(|| AffineMap::identity(self.source(input.source).0))
    }

    /// What computes the nodes at these positions. What has been computed by now are leaves; a node
    /// that has failed is computed once more for those that use it.
    pub fn part(&self, wanted: &[u32]) -> Part {
        let mut is_needed = vec![false; self.nodes.len()];
        wanted.iter().for_each(|&position| is_needed[position as usize] = true);
        let is_known =
            |position: u32| matches!(self.nodes[position as usize].node.result(), Some(Ok(_)));
        for position in (0..self.nodes.len()).rev() {
            if !is_needed[position] {
                continue;
            }
            for input in &self.nodes[position].inputs {
                if let Source::Node(from) = input.source
                    && !is_known(from)
                {
                    is_needed[from as usize] = true;
                }
            }
        }
        let mut part = Part::default();
        let mut moved: FxHashMap<Source, Source> = FxHashMap::default();
        for (position, data) in self.nodes.iter().enumerate().filter(|(at, _)| is_needed[*at]) {
            let mut data = data.clone();
            for input in &mut data.inputs {
                let Graph { leaves, scalars, .. } = &mut part.graph;
                input.source = *moved.entry(input.source).or_insert_with(|| match input.source {
                    Source::Scalar(scalar) => {
                        scalars.push(self.scalars[scalar as usize]);
                        Source::Scalar(scalars.len() as u32 - 1)
                    }
                    Source::Leaf(leaf) => {
                        leaves.push(self.leaves[leaf as usize].clone());
                        Source::Leaf(leaves.len() as u32 - 1)
                    }
                    Source::Node(node) => {
                        leaves.push(self.nodes[node as usize].node.clone());
                        Source::Leaf(leaves.len() as u32 - 1)
                    }
                });
            }
            let own = Source::Node(part.graph.nodes.len() as u32);
            moved.insert(Source::Node(position as u32), own);
            part.graph.nodes.push(data);
            part.positions.push(position as u32);
        }
        part
    }

    /// Makes this the graph of the window `window`: later operations find its nodes here.
    pub(crate) fn settle_in(&self, window: u64) {
        for (position, data) in self.nodes.iter().enumerate() {
            data.node.settle_at(window, position);
        }
        for (position, leaf) in self.leaves.iter().enumerate() {
            leaf.leaf_window.store(window, Ordering::Relaxed);
            leaf.leaf_position.store(position as u32, Ordering::Relaxed);
        }
    }

    /// Where a node of the window `window` (or a result) is found by an operation recorded now.
    pub(crate) fn place(&mut self, node: &Arc<Node>, window: u64) -> Source {
        if let Some(position) = node.position_in(window) {
            return Source::Node(position);
        }
        if node.leaf_window.load(Ordering::Relaxed) != window {
            node.leaf_window.store(window, Ordering::Relaxed);
            node.leaf_position.store(self.leaves.len() as u32, Ordering::Relaxed);
            self.leaves.push(node.clone());
        }
        Source::Leaf(node.leaf_position.load(Ordering::Relaxed))
    }

    /// Adds a node to a copy of the open window, which is `window`, and first what is deferred
    /// until the node is used. The window itself stays as it is.
    pub(crate) fn add(&mut self, node: &Arc<Node>, window: u64) -> Source {
        if let Some(Deferred { op, operand }) = node.peek_deferred() {
            let Operand::Value { node: from, map } = operand else {
                unreachable!("bug: an array is a value")
            };
            let input = Input { source: self.add(&from, window), map };
            self.nodes.push(NodeData::of(op, [input].into_iter().collect(), node));
            return Source::Node(self.nodes.len() as u32 - 1);
        }
        if let Some(position) = node.position_in(window) {
            return Source::Node(position);
        }
        let known = self.leaves.iter().position(|leaf| Arc::ptr_eq(leaf, node));
        Source::Leaf(known.unwrap_or_else(|| {
            self.leaves.push(node.clone());
            self.leaves.len() - 1
        }) as u32)
    }
}
