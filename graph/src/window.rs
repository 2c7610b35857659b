//! Windows: operations are recorded in program order, and a closed window becomes a plan.

use crate::condition::Check;
use crate::engine::{AtOnce, Cause, Engine, Evaluation, Limits};
use crate::error::{Error, Failure, Site, call_site};
use crate::graph::{Graph, Input, NodeData, Source};
use crate::ids::{LeafId, NodeId, ScalarId};
use crate::interval::Interval;
use crate::node::{Deferred, Held, Node, Operand};
use crate::operation::NodeOp;
use crate::view::{Form, Stage, map_or_none};
use phalanx_ops::error::OpError;
use phalanx_ops::{AffineMap, Bytes, DType, Mesh, Op, Shape, Sharding};
use phalanx_waiting::lock;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::thread::ThreadId;

mod capturing;
mod repeats;

use repeats::Repeats;

/// A mesh with its open window. An array belongs to one mesh; clones of a handle are the same mesh.
#[derive(Clone)]
pub struct MeshHandle(Arc<State>);

struct State {
    /// The number of the mesh among those that this process made, from 1.
    number: u64,
    engine: Arc<dyn Engine>,
    limits: Limits,
    window: Mutex<Window>,
    /// With several processes, the only thread that may record: the order of operations of two
    /// threads would differ between processes.
    owner: Option<OnceLock<ThreadId>>,
    /// Conditions on data that the next observation checks, in the order of the program.
    checks: Mutex<VecDeque<Check>>,
    /// The number of the capture in progress, in which the window is not closed and no operation
    /// runs at once; 0 if there is none. It changes while the window is locked.
    capture: AtomicU64,
}

/// What a capture has recorded.
pub(crate) struct Taken {
    /// The number of the capture.
    pub capture: u64,
    /// The number of the window.
    pub window: u64,
    pub graph: Graph,
    /// The conditions on data.
    pub checks: Vec<Check>,
}

/// The number of small operations in a row after which the window closes.
const SMALL_RUN: usize = 8;

/// A thread uses arrays of a mesh of several processes on which another thread records.
#[derive(Debug, thiserror::Error)]
#[error("another thread records on this mesh: with several processes one thread owns it")]
struct OtherThread;

impl Failure for OtherThread {
    fn code(&self) -> &'static str {
        "PX036"
    }
    fn hint(&self) -> &'static str {
        "let one thread work with global arrays; other threads may use host data, or arrays of \
         this process alone (phalanx.local(), in Rust Session::local)"
    }
}

#[derive(Default)]
struct Window {
    number: u64,
    graph: Graph,
    bytes: Bytes,
    repeats: Repeats,
    /// The number of nodes below which the window is not closed for its length. It is above 0 after
    /// there was too little memory.
    retry_from: usize,
    /// The number of small operations recorded last, one after the other.
    small: usize,
    write: Write,
    /// The number of the capture in progress, as in `State`.
    capture: u64,
    /// While operations are captured, the number of the last window that computed a value for
    /// them, if there was one.
    last: u64,
}

/// The state of the recording of a write.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Write {
    #[default]
    No,
    /// The next operation is the first one of a write.
    Begins,
    Going,
}

/// A guard: while it lives, a write is being recorded.
pub struct Writing<'a>(&'a MeshHandle);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.window().write = Write::No;
    }
}

static DEFAULT: RwLock<Option<MeshHandle>> = RwLock::new(None);
thread_local! {
    /// The meshes that this thread entered, the current one last, with ascending numbers.
    static ENTERED: RefCell<Vec<(u64, MeshHandle)>> = const { RefCell::new(Vec::new()) };
}

/// A guard of the current mesh. See [`MeshHandle::entered`].
pub struct Entered {
    number: u64,
    /// Not `Send`: the mesh is current on its thread.
    _not_send: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        // The thread-local value may be gone if the thread is ending.
        let _left = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            let place = entered.iter().position(|(number, _)| *number == self.number)?;
            Some(entered.remove(place))
        });
    }
}

impl MeshHandle {
    /// A mesh whose windows are evaluated by `engine`.
    pub fn new(engine: Arc<dyn Engine>) -> MeshHandle {
        let limits = engine.limits();
        let window = Mutex::new(Window { number: 1, ..Window::default() });
        let owner = (engine.process().1 > 1).then(OnceLock::new);
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed) + 1;
        MeshHandle(Arc::new(State {
            number,
            engine,
            limits,
            window,
            owner,
            checks: Mutex::default(),
            capture: AtomicU64::new(0),
        }))
    }

    /// Sets the default mesh of new arrays in all threads, and returns the previous one.
    pub fn set_default(mesh: Option<MeshHandle>) -> Option<MeshHandle> {
        std::mem::replace(&mut *DEFAULT.write().unwrap_or_else(PoisonError::into_inner), mesh)
    }

    /// The mesh of new arrays on this thread: the entered one, or the default one.
    pub fn current() -> Option<MeshHandle> {
        ENTERED
            .with_borrow(|entered| entered.last().map(|(_, mesh)| mesh.clone()))
            .or_else(|| DEFAULT.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Whether this is the mesh of new arrays on this thread.
    #[inline]
    pub fn is_current(&self) -> bool {
        let entered = ENTERED.with_borrow(|entered| entered.last().map(|last| last.1.same(self)));
        entered.unwrap_or_else(|| {
            let default = DEFAULT.read().unwrap_or_else(PoisonError::into_inner);
            default.as_ref().is_some_and(|default| default.same(self))
        })
    }

    /// Runs `body` with this as the current mesh of the thread.
    pub fn enter<R>(&self, body: impl FnOnce() -> R) -> R {
        let _entered = self.entered();
        body()
    }

    /// Makes this the current mesh of the thread until the guard is dropped. Use it in bindings of
    /// languages whose blocks are not closures.
    #[must_use]
    pub fn entered(&self) -> Entered {
        let number = ENTERED.with_borrow_mut(|entered| {
            let number = entered.last().map_or(0, |(last, _)| last + 1);
            entered.push((number, self.clone()));
            number
        });
        Entered { number, _not_send: PhantomData }
    }

    /// The number of the mesh among those that this process made.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// The engine that evaluates the windows of the mesh.
    #[inline]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.0.engine
    }

    /// The grid of devices.
    #[inline]
    pub fn mesh(&self) -> &Mesh {
        self.0.engine.mesh()
    }

    /// Whether the devices of the mesh are GPUs, for which another composition of operations may be
    /// faster. All processes have devices of one kind, so all get the same answer. Local.
    pub fn has_gpus(&self) -> bool {
        self.0.engine.has_gpus()
    }

    /// Whether both are the same mesh.
    #[inline]
    pub fn same(&self, other: &MeshHandle) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The error of an operation on arrays of this mesh and of another one. If both are grids of
    /// the same shape, it also names their processes and numbers. Local.
    pub fn differing(&self, other: &MeshHandle) -> OpError {
        let (left, right) = (self.mesh().to_string(), other.mesh().to_string());
        if left != right {
            return OpError::Meshes { left, right };
        }
        let described = |handle: &MeshHandle| {
            let owner = match handle.engine().process().1 {
                1 => String::from("one process"),
                several => format!("{several} processes"),
            };
            format!("{left} of {owner} (the mesh number {} made here)", handle.0.number)
        };
        OpError::Meshes { left: described(self), right: described(other) }
    }

    pub(crate) fn checks(&self) -> MutexGuard<'_, VecDeque<Check>> {
        self.0.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        lock(&self.0.window)
    }

    /// Makes the calling thread the owner, which records and observes, if there is none yet.
    ///
    /// Errors: `PX036` if, with several processes, another thread is the owner.
    fn own(&self, site: Site) -> Result<(), Error> {
        let Some(owner) = &self.0.owner else { return Ok(()) };
        let own = std::thread::current().id();
        if *owner.get_or_init(|| own) == own {
            Ok(())
        } else {
            Err(Error::failure(OtherThread, Some(site)))
        }
    }

    /// The engine, for a Collective action.
    ///
    /// Errors: `PX036` if, with several processes, another thread records.
    pub fn together(&self, site: Site) -> Result<&Arc<dyn Engine>, Error> {
        self.own(site)?;
        Ok(&self.0.engine)
    }

    /// Records an operation, for crates that define operations. `shape` and `dtype` are those of
    /// its value.
    ///
    /// Local; a window that has become too long is planned and started first. Errors: `PX036` if,
    /// with several processes, another thread records; the error of an operand; those of the engine
    /// for the window that is closed; `PX181` while operations are captured, if the shape of the
    /// result depends on data.
    pub fn record(
        &self,
        op: NodeOp,
        operands: &[Operand],
        shape: Shape,
        dtype: DType,
        site: Site,
    ) -> Result<Arc<Node>, Error> {
        tracing::trace!(target: "phalanx::path", file = file!());
        self.own(site)?;
        if self.is_capturing() {
            return self.record_captured(op, operands, shape, dtype, site);
        }
        if let Some(node) = self.at_once(&op, operands, &shape, dtype, site) {
            return Ok(node);
        }
        let mut window = self.window();
        let place = window.repeats.place(site, &op);
        let is_end = window.write == Write::Going || belongs_to_last(operands, &window.graph);
        let is_long = |window: &Window| {
            let length = window.graph.nodes.len();
            let is_long = (!is_end && window.repeats.closes(&place, length, self.0.limits.soft))
                || length >= self.0.limits.hard
                || window.bytes >= self.0.limits.bytes;
            is_long && length >= window.retry_from
        };
        if is_long(&window) {
            drop(window);
            self.0.engine.make_room()?;
            window = self.window();
        }
        if !is_end && window.write == Write::No && self.ends_run(&mut window, &op, operands, &shape)
        {
            drop(window);
            self.compute_all(site)?;
            if let Some(node) = self.at_once(&op, operands, &shape, dtype, site) {
                return Ok(node);
            }
            window = self.window();
        }
        // Another thread may have begun the capture during a wait.
        if self.is_capturing() {
            drop(window);
            return self.record_captured(op, operands, shape, dtype, site);
        }
        if window.write == Write::Begins {
            window.write = Write::Going;
        }
        if is_long(&window) {
            self.close_window(&mut window, Cause::Limit, site)?;
        }
        let before = window.graph.nodes.len();
        window.repeats.note(place, before, !is_end);
        window.push(op, operands, shape, dtype, site)
    }

    /// The node of an operation that runs now, if it is small and its operands are computed.
    fn at_once(
        &self,
        op: &NodeOp,
        operands: &[Operand],
        shape: &Shape,
        dtype: DType,
        site: Site,
    ) -> Option<Arc<Node>> {
        if self.most_at_once() == 0 {
            return None;
        }
        Some(match self.0.engine.at_once(op, operands, shape, dtype)? {
            AtOnce::Element(element) => Node::known(element),
            AtOnce::Value(value) => {
                let node = Node::evaluated(shape.clone(), dtype, value, site);
                node.learn(Interval::of_result(op, operands, shape, dtype));
                node
            }
        })
    }

    /// Counts an operation that is recorded. Whether it is small and waits for a pending value,
    /// like many before it: then the program works on few elements, which costs less at once than
    /// by plans.
    fn ends_run(
        &self,
        window: &mut Window,
        op: &NodeOp,
        operands: &[Operand],
        shape: &Shape,
    ) -> bool {
        let most = self.0.limits.at_once;
        let is_small =
            most > 0 && may_run_at_once(op, operands) && elements(op, operands, shape) <= most;
        window.small = if is_small { window.small + 1 } else { 0 };
        window.small > SMALL_RUN && window.graph.nodes.len() >= window.retry_from
    }

    /// Closes the window and waits until its values are computed, so that small operations run at
    /// once. Values that cannot be computed carry their errors.
    fn compute_all(&self, site: Site) -> Result<(), Error> {
        let closed = self.close(Cause::Small, site);
        match closed.and_then(|()| self.0.engine.hand_over()) {
            Err(error) if error.is_interrupt() => Err(error),
            _ => Ok(()),
        }
    }

    /// A copy of an operand by `op` that is recorded when its value is first used. An unused copy
    /// is never recorded. While operations are captured, each copy is recorded at once: the graph
    /// must not depend on whether a process still has the copy. Local. Errors: those of
    /// [`MeshHandle::record`].
    pub fn defer(
        &self,
        op: NodeOp,
        operand: Operand,
        shape: Shape,
        dtype: DType,
        site: Site,
    ) -> Result<Arc<Node>, Error> {
        // A copy of a deferred copy is recorded, and with it the deferred one, so chains do not
        // grow.
        let is_deferred = matches!(&operand, Operand::Value { node, .. } if node.is_deferred());
        if is_deferred || self.is_capturing() {
            return self.record(op, &[operand], shape, dtype, site);
        }
        self.own(site)?;
        if let Some(node) = self.at_once(&op, std::slice::from_ref(&operand), &shape, dtype, site) {
            return Ok(node);
        }
        let interval = Interval::of_result(&op, std::slice::from_ref(&operand), &shape, dtype);
        let node = Node::deferred(shape, dtype, Deferred { op, operand }, site);
        node.learn(interval);
        Ok(node)
    }

    /// A part of complex numbers, if `operand` is a view of numbers that the open window made from
    /// their parts. The part then need not be extracted. Local.
    pub fn known_part(&self, operand: &Operand, part: usize) -> Option<Operand> {
        let Operand::Value { node, map } = operand else { return None };
        let mut window = self.window();
        let number = window.number;
        if node.result().is_some() || node.is_deferred() {
            return None;
        }
        let Source::Node(mut position) = window.graph.place(node, number) else { return None };
        let mut data = &window.graph[position];
        // A write of a whole value: the value that was written.
        while let NodeOp::Update(map) = &data.op
            && map.is_identity(&data.shape)
            && let Input { source: Source::Node(value), map: None } = data.inputs[1]
        {
            position = value;
            data = &window.graph[position];
        }
        if data.op != NodeOp::Elementwise(Op::Complex) {
            return None;
        }
        let input = &data.inputs[part];
        let node = match input.source {
            Source::Node(from) => window.graph[from].node.clone(),
            Source::Leaf(leaf) => window.graph.leaves[leaf.index()].clone(),
            Source::Scalar(_) => return None,
        };
        let seen = match map {
            Some(map) => Some(window.graph.map_of(input).then(map)),
            None => input.map.as_deref().cloned(),
        };
        let map = seen.and_then(|seen| map_or_none(seen, node.shape()));
        Some(Operand::Value { node: Held::new(node), map })
    }

    fn close_window(&self, window: &mut Window, cause: Cause, site: Site) -> Result<(), Error> {
        let (number, write) = (window.number + 1, window.write);
        let next = Window { number, repeats: window.repeats.next(), write, ..Window::default() };
        let closed = std::mem::replace(window, next);
        if closed.graph.nodes.is_empty() {
            return Ok(());
        }
        let Evaluation { pending, outcome } = self.0.engine.evaluate(&closed.graph, cause, site);
        if !pending.nodes.is_empty() {
            pending.settle_in(number);
            window.bytes = pending.nodes.iter().map(stored_bytes).sum();
            window.retry_from = pending.nodes.len() + self.0.limits.soft;
            window.graph = pending;
        }
        outcome
    }

    /// Until the guard is dropped, a write of `value` is being recorded. A long window is not
    /// closed between the operations of a write, nor before the first one if the value was recorded
    /// last. Local.
    pub fn writing(&self, value: &Operand) -> Writing<'_> {
        let mut window = self.window();
        let last = window.graph.nodes.last();
        let is_last = last.is_some_and(|last| is_node(value, &last.node));
        window.write = if is_last { Write::Going } else { Write::Begins };
        Writing(self)
    }

    /// Closes the open window: all recorded nodes are planned and started. Collective over the
    /// mesh.
    ///
    /// Errors: `PX036` if, with several processes, another thread records; `PX181` while operations
    /// are captured; those of the engine.
    pub fn close(&self, cause: Cause, site: Site) -> Result<(), Error> {
        self.closed(cause, site).map(drop)
    }

    /// As [`MeshHandle::close`]. Returns the next window, still locked.
    fn closed(&self, cause: Cause, site: Site) -> Result<MutexGuard<'_, Window>, Error> {
        self.own(site)?;
        let mut window = self.window_to_close(site)?;
        if !window.graph.nodes.is_empty() {
            drop(window);
            self.0.engine.make_room()?;
            window = self.window_to_close(site)?;
        }
        self.close_window(&mut window, cause, site)?;
        Ok(window)
    }

    /// Closes the window because the value of its node `node` is needed. Collective over the mesh.
    ///
    /// Errors: those of [`MeshHandle::close`].
    pub fn close_for(&self, node: &Arc<Node>, cause: Cause, site: Site) -> Result<(), Error> {
        self.own(site)?;
        self.window_to_close(site)?.settle(node, site)?;
        node.observe();
        self.close(cause, site)
    }

    /// Whether a value of the open window follows only from scalars and indices by elementwise
    /// operations, so that no earlier value determines its split. Always false on one device.
    pub fn is_unplaced(&self, node: &Node) -> bool {
        if self.mesh().devices() == 1 {
            return false;
        }
        let window = self.window();
        let Some(position) = node.position_in(window.number) else { return false };
        let graph = &window.graph;
        let (mut seen, mut ahead) = (FxHashSet::default(), vec![position]);
        while let Some(position) = ahead.pop() {
            let data = &graph[position];
            let is_elementwise = matches!(
                data.op,
                NodeOp::Fill
                    | NodeOp::Index(_)
                    | NodeOp::Elementwise(_)
                    | NodeOp::Special(_)
                    | NodeOp::Select
                    | NodeOp::Cast
            );
            if !is_elementwise {
                return false;
            }
            for input in &data.inputs {
                match input.source {
                    Source::Node(from) if seen.insert(from) => ahead.push(from),
                    Source::Node(_) | Source::Scalar(_) => {}
                    Source::Leaf(_) => return false,
                }
            }
        }
        true
    }

    /// The plan of the open window, including the computation of `node`. Local.
    #[track_caller]
    pub fn explain(&self, node: &Arc<Node>) -> Result<String, Error> {
        let window = self.window();
        let mut graph = window.graph.clone();
        if node.is_deferred() {
            graph.add(node, window.number);
        }
        drop(window);
        self.0.engine.explain(&graph)
    }

    /// The sharding that a view of a value has or will get. The window does not change. Local.
    #[track_caller]
    pub fn sharding(&self, node: &Arc<Node>, stages: &[Stage]) -> Result<Sharding, Error> {
        let (mut graph, mut source) = match node.result() {
            Some(result) => {
                result.clone()?;
                (
                    Graph { leaves: vec![node.clone()], ..Graph::default() },
                    Source::Leaf(LeafId::new(0)),
                )
            }
            None => {
                let window = self.window();
                let mut graph = window.graph.clone();
                let source = graph.add(node, window.number);
                (graph, source)
            }
        };
        let mut map = None;
        for stage in stages {
            let mut add = |op, map, shape: &Shape, dtype| {
                source = Source::Node(graph.push(NodeData {
                    op,
                    inputs: [Input { source, map }].into_iter().collect(),
                    shape: shape.clone(),
                    dtype,
                    site: call_site(),
                    node: Node::temporary(shape.clone(), dtype),
                }));
            };
            if let Some(Form { shape, dtype }) = stage.form.as_deref() {
                add(NodeOp::Reshape, map.take(), shape, *dtype);
            }
            map = Some(stage.map.clone());
            if let Some(lens) = stage.lens {
                let dtype = stage.form.as_ref().map_or(node.dtype(), |form| form.dtype).real();
                add(NodeOp::Elementwise(lens.op()), map.take(), &stage.map.shape, dtype);
            }
        }
        let mut shardings = self.0.engine.shardings(&graph)?;
        let base = match (source, node.result()) {
            (Source::Node(position), _) => shardings.swap_remove(position.index()),
            (_, Some(Ok(value))) => value.sharding().clone(),
            _ => unreachable!("bug: a node without a result is outside the open window"),
        };
        Ok(map.map_or_else(|| base.clone(), |map: Arc<AffineMap>| base.through(&map)))
    }

    /// The most elements of an operation that runs when it is recorded; 0 if none does
    /// ([`Limits::at_once`]), as while operations are captured. Local.
    #[inline]
    pub fn most_at_once(&self) -> usize {
        if self.is_capturing() { 0 } else { self.0.limits.at_once }
    }

    /// Whether operations are recorded so that their bits do not depend on how arrays are split,
    /// where no scope says otherwise ([`Limits::reproducible`]). Local.
    #[inline]
    pub fn is_reproducible(&self) -> bool {
        self.0.limits.reproducible
    }

    /// The number of operations recorded in the open window. Local.
    pub fn pending(&self) -> usize {
        self.window().graph.nodes.len()
    }
}

impl Window {
    /// The input for an operand of an operation that is recorded now.
    fn input(&mut self, operand: &Operand, site: Site) -> Result<Input, Error> {
        Ok(match operand {
            Operand::Scalar(value) => {
                let scalars = &mut self.graph.scalars;
                scalars.push(*value);
                Input { source: Source::Scalar(ScalarId::new(scalars.len() - 1)), map: None }
            }
            Operand::Value { node, map } => {
                if let Some(Err(error)) = node.result() {
                    return Err(error.clone());
                }
                if node.stands_in().is_some_and(|capture| capture != self.capture) {
                    return Err(MeshHandle::after_capture(site));
                }
                self.settle(node, site)?;
                Input { source: self.graph.place(node, self.number), map: map.clone() }
            }
        })
    }

    /// Adds an operation.
    fn push(
        &mut self,
        op: NodeOp,
        operands: &[Operand],
        shape: Shape,
        dtype: DType,
        site: Site,
    ) -> Result<Arc<Node>, Error> {
        let mut inputs = SmallVec::<[Input; 2]>::with_capacity(operands.len());
        for operand in operands {
            inputs.push(self.input(operand, site)?);
        }
        let position = NodeId::new(self.graph.nodes.len());
        let node = Node::recorded(shape, dtype, self.number, position, Some(site));
        node.learn(Interval::of_result(&op, operands, node.shape(), dtype));
        let data = NodeData::of(op, inputs, &node, site);
        self.bytes += stored_bytes(&data);
        self.graph.nodes.push(data);
        Ok(node)
    }

    /// Records the operation that was deferred until this node is used. It gets the call site of
    /// the use, because reports on ranks that diverge name the calls that record.
    fn settle(&mut self, node: &Arc<Node>, site: Site) -> Result<(), Error> {
        let Some(Deferred { op, operand }) = node.take_deferred() else { return Ok(()) };
        let input = self.input(&operand, site);
        let input = input.inspect_err(|error| node.finish(Err(error.clone())))?;
        node.settle_at(self.number, NodeId::new(self.graph.nodes.len()));
        let data = NodeData::of(op, [input].into_iter().collect(), node, site);
        self.graph.nodes.push(data);
        Ok(())
    }
}

/// Whether an operation would run at once if its operands were computed, and one is not.
fn may_run_at_once(op: &NodeOp, operands: &[Operand]) -> bool {
    let is_half = |operand: &Operand| matches!(operand.dtype(), DType::F16 | DType::BF16);
    let is_pending = |operand: &Operand| match operand {
        Operand::Value { node, .. } => node.result().is_none() && node.element().is_none(),
        Operand::Scalar(_) => false,
    };
    let is_for_plans =
        matches!(op, NodeOp::Accumulate { .. } | NodeOp::Compress | NodeOp::Reshard(_));
    !is_for_plans && !operands.iter().any(is_half) && operands.iter().any(is_pending)
}

/// The number of elements that an operation reads or writes.
fn elements(op: &NodeOp, operands: &[Operand], shape: &[usize]) -> usize {
    use phalanx_ops::shape::size;
    let seen = |operand: &Operand| match operand {
        Operand::Value { node, map } => size(map.as_ref().map_or(node.shape(), |map| &map.shape)),
        Operand::Scalar(_) => 1,
    };
    match op {
        NodeOp::Update(map) => size(&map.shape),
        NodeOp::Reduce { .. } | NodeOp::Structured(_) => {
            operands.iter().map(seen).fold(size(shape), usize::max)
        }
        _ => size(shape),
    }
}

/// The bytes of a value that is stored in any case. Elementwise values and writes may be fused, and
/// views need no memory.
fn stored_bytes(data: &NodeData) -> Bytes {
    let is_stored = matches!(
        data.op,
        NodeOp::Reduce { .. }
            | NodeOp::Accumulate { .. }
            | NodeOp::Structured(_)
            | NodeOp::Compress
    );
    let elements = if is_stored { phalanx_ops::shape::size(&data.shape) } else { 0 };
    Bytes::of(elements, data.dtype.size())
}

/// Whether an operation uses a component or another form that was recorded just before it. Closing
/// the window between them would keep the old value in memory beside them.
fn belongs_to_last(operands: &[Operand], graph: &Graph) -> bool {
    graph.nodes.last().is_some_and(|last| {
        let is_view = matches!(last.op, NodeOp::Elementwise(Op::Real | Op::Imag) | NodeOp::Reshape);
        is_view && operands.iter().any(|operand| is_node(operand, &last.node))
    })
}

fn is_node(operand: &Operand, wanted: &Arc<Node>) -> bool {
    matches!(operand, Operand::Value { node, .. } if Arc::ptr_eq(node, wanted))
}
