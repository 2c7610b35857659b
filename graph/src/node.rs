//! Nodes: values that operations record, with the handles of the program, the known bounds of their
//! elements and their results; and the operands of operations that are being recorded.

use crate::error::{Error, Site};
use crate::ids::{LeafId, NodeId};
use crate::interval::Interval;
use crate::operation::NodeOp;
use phalanx_ops::{AffineMap, DType, Kind, Scalar, Shape, Sharding};
use phalanx_waiting::lock;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
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
    /// Whether elements were written after the value was computed, so that `interval` is void.
    changed: AtomicBool,
    /// The element of a value without axes that is known without a plan.
    known: Option<Scalar>,
    /// The call that made it; `None` for a known element, and for a node that a planner adds.
    site: Option<Site>,
    /// The number of the capture in which the node stands for another one, and that one.
    stands_for: Option<Box<(u64, Held)>>,
    result: OnceLock<Result<Arc<dyn Evaluated>, Error>>,
    /// The operation to record when the value is first used. Set only while `window` is
    /// `UNRECORDED`.
    deferred: Mutex<Option<Box<Deferred>>>,
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
        Arc::new(Node::new(shape, dtype, window, position, site))
    }

    #[inline]
    fn new(shape: Shape, dtype: DType, window: u64, position: NodeId, site: Option<Site>) -> Node {
        Node {
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
            changed: AtomicBool::new(false),
            known: None,
            site,
            stands_for: None,
            result: OnceLock::new(),
            deferred: Mutex::new(None),
        }
    }

    /// A node that is recorded when it is first used.
    pub(crate) fn deferred(
        shape: Shape,
        dtype: DType,
        deferred: Deferred,
        site: Site,
    ) -> Arc<Node> {
        let mut node = Node::new(shape, dtype, UNRECORDED, NodeId::new(0), Some(site));
        node.deferred = Mutex::new(Some(Box::new(deferred)));
        Arc::new(node)
    }

    /// A value without axes whose element is known. An operation that needs it as an array records
    /// a fill; an unused one is never recorded.
    pub fn known(element: Scalar) -> Arc<Node> {
        let node = Node::new(Shape::new(), element.dtype(), UNRECORDED, NodeId::new(0), None);
        Arc::new(Node { known: Some(element), ..node })
    }

    /// The element, if the value has no axes and its element is known without a plan.
    #[inline]
    pub fn element(&self) -> Option<Scalar> {
        self.known
    }

    /// Whether the node has not been recorded yet.
    pub(crate) fn is_deferred(&self) -> bool {
        self.window.load(Ordering::Relaxed) == UNRECORDED && self.result().is_none()
    }

    /// Takes the operation that is deferred for the node. The caller records it.
    pub(crate) fn take_deferred(&self) -> Option<Deferred> {
        let taken = || lock(&self.deferred).take().map(|deferred| *deferred);
        if self.is_deferred() { self.fill().or_else(taken) } else { None }
    }

    /// A copy of the operation that is deferred for the node.
    pub(crate) fn peek_deferred(&self) -> Option<Deferred> {
        let copied = || lock(&self.deferred).as_deref().cloned();
        if self.is_deferred() { self.fill().or_else(copied) } else { None }
    }

    /// The operation that makes an array of the known element.
    fn fill(&self) -> Option<Deferred> {
        self.known.map(|known| Deferred { op: NodeOp::Fill, operand: Operand::Scalar(known) })
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

    /// Records that no window has the node, which is a known element: the next one that needs it
    /// records its operation.
    pub(crate) fn unsettle(&self) {
        self.window.store(UNRECORDED, Ordering::Relaxed);
    }

    /// The position of the node among the leaves of `window`, if that window uses it as a leaf.
    pub(crate) fn leaf_in(&self, window: u64) -> Option<LeafId> {
        let is_leaf = self.leaf_window.load(Ordering::Relaxed) == window;
        is_leaf.then(|| LeafId::new(self.leaf_position.load(Ordering::Relaxed) as usize))
    }

    /// Sets the last window that uses the node as a leaf, and its position among the leaves.
    pub(crate) fn settle_as_leaf(&self, window: u64, leaf: LeafId) {
        self.leaf_window.store(window, Ordering::Relaxed);
        self.leaf_position.store(leaf.index() as u32, Ordering::Relaxed);
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

    /// A node that stands for a computed one in the operations of the capture with this number. It
    /// has the same result. `None` if the node's computation failed.
    ///
    /// Windows after the capture refuse it: they would write the memory of a value as soon as one
    /// of both nodes is unused.
    pub fn standing_for(old: &Arc<Node>, capture: u64) -> Option<Arc<Node>> {
        if let Some(element) = old.element() {
            return Some(Node::known(element));
        }
        let Some(Ok(result)) = old.result() else { return None };
        let node = Node::new(old.shape().clone(), old.dtype(), 0, NodeId::new(0), old.site());
        // A thread that reads this node keeps the other one, too.
        let stands_for = Some(Box::new((capture, Held::new(old.clone()))));
        let node = Arc::new(Node { stands_for, ..node });
        node.finish(Ok(result.clone()));
        Some(node)
    }

    /// The number of the capture in which the node stands for another one.
    #[inline]
    pub(crate) fn stands_in(&self) -> Option<u64> {
        self.stands_for.as_ref().map(|of| of.0)
    }

    /// A node without a handle, for values that a planner adds.
    pub fn temporary(shape: Shape, dtype: DType) -> Arc<Node> {
        Node::recorded(shape, dtype, 0, NodeId::new(0), None)
    }

    /// The call that made the value; `None` for a known element, and if a planner made it.
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
        let learnt = if self.changed.load(Ordering::Relaxed) { None } else { self.interval.get() };
        learnt.copied().or_else(|| Interval::of_dtype(self.dtype))
    }

    /// Records that elements of the computed value were written: what is known about them is void.
    pub fn change(&self) {
        self.changed.store(true, Ordering::Relaxed);
        self.non_negative.store(false, Ordering::Relaxed);
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

/// An input of an operation that is being recorded.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A value that is read through a map; `None` is the whole value.
    Value {
        /// The value.
        node: Held,
        /// The view of the value.
        map: Option<Arc<AffineMap>>,
    },
    /// A run-time scalar.
    Scalar(Scalar),
}

impl Operand {
    /// The dtype of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        match self {
            Operand::Value { node, .. } => node.dtype(),
            Operand::Scalar(scalar) => scalar.dtype(),
        }
    }
}

/// An operation that is recorded when its value is first used. An unused value is never computed.
#[derive(Clone, Debug)]
pub(crate) struct Deferred {
    pub(crate) op: NodeOp,
    pub(crate) operand: Operand,
}
