//! Graphs of captured operations: a program that is recorded once and run again and again.
//!
//! Between `begin_capture` and `end_capture`, operations of the mesh are recorded and not run. The
//! graph refers to bases of arrays, not to their values: a launch reads what the arrays contain
//! then, and writes the arrays that the captured operations wrote or made.

use super::handle::{Array, CAPTURES, Cell, Live, NOTE, Value};
use phalanx_graph::{Captured, Error, Held, MeshHandle, Node, NodeOp, Operand, Site, call_site};
use phalanx_ops::Scalar;
use phalanx_waiting::lock;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The capture in progress of a mesh.
struct Open {
    mesh: MeshHandle,
    number: u64,
    used: Vec<Used>,
}

/// A base that captured operations have used or made.
struct Used {
    cell: Weak<Cell>,
    /// Keeps a base of before the capture, whose value a launch reads.
    kept: Option<Arc<Cell>>,
    /// The value before the capture; `None` for a base that was made in it.
    before: Option<Held>,
    /// The node that stands for the value in the captured operations.
    input: Option<Held>,
}

static OPEN: Mutex<Vec<Open>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Records that a base is made, or read or written; at the first time, another node takes the place
/// of its value, so that the graph knows the base by it.
#[cold]
fn note(cell: &Arc<Cell>, is_new: bool) {
    let mut open = lock(&OPEN);
    let Some(capture) = open.iter_mut().find(|capture| capture.mesh.same(&cell.mesh)) else {
        return;
    };
    if cell.capture.swap(capture.number, Ordering::Relaxed) == capture.number {
        return;
    }
    let (mut before, mut input, mut kept) = (None, None, None);
    if !is_new && let Some((old, new)) = cell.stand_in() {
        (before, input, kept) = (Some(old), Some(new), Some(cell.clone()));
    }
    capture.used.push(Used { cell: Arc::downgrade(cell), kept, before, input });
}

impl Cell {
    /// Replaces the value by another node with the same result. Returns the old and the new node;
    /// `None` if there is no result yet: another base of the capture made the value.
    fn stand_in(&self) -> Option<(Held, Held)> {
        let mut value = self.value();
        let old = match value.as_ref().ok()? {
            Value::Node(node) => node.clone(),
            Value::Element(element) => Node::known(*element),
        };
        if let Err(error) = self.mesh.compute_deferred(&old) {
            *value = Err(error);
            return None;
        }
        let new = match (old.element(), old.result()) {
            (Some(element), _) => Node::known(element),
            (None, Some(Ok(result))) => {
                let (shape, dtype) = (old.shape().clone(), old.dtype());
                Node::evaluated(shape, dtype, result.clone(), old.site()?)
            }
            _ => return None,
        };
        let held = (Held::new(old), Held::new(new.clone()));
        *value = Ok(Value::of(new));
        Some(held)
    }
}

/// Begins to capture the operations on a mesh: until [`end_capture`], those of all threads are
/// recorded and not run. Collective over the mesh: all recorded operations are started first.
///
/// Errors: `PX181` if operations are being captured already, and those of the recorded operations.
#[track_caller]
pub fn begin_capture(mesh: &MeshHandle) -> Result<(), Error> {
    mesh.begin_capture(call_site())?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    lock(&OPEN).push(Open { mesh: mesh.clone(), number, used: Vec::new() });
    NOTE.get_or_init(|| note);
    CAPTURES.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// Ends the capture of the operations on a mesh and returns them as a graph; `None` if nothing is
/// captured. Local.
///
/// Arrays from before the capture have their values of then, and arrays that were made in it are
/// zero until the graph is launched.
///
/// Errors: those of the captured operations.
#[track_caller]
pub fn end_capture(mesh: &MeshHandle) -> Result<Option<CapturedGraph>, Error> {
    let site = call_site();
    let ended = {
        let mut open = lock(&OPEN);
        let position = open.iter().position(|capture| capture.mesh.same(mesh));
        position.map(|position| open.swap_remove(position))
    };
    let Some(Open { used, .. }) = ended else { return Ok(None) };
    CAPTURES.fetch_sub(1, Ordering::Relaxed);
    let mut ended = Vec::with_capacity(used.len());
    for used in used {
        let Some(cell) = used.cell.upgrade() else { continue };
        let last = cell.node().map(Held::new);
        match &used.before {
            Some(before) => cell.set(Ok(before.node())),
            None => cell.set(zeros(&cell, site)),
        }
        ended.push((used, last));
    }
    let known = ended.iter().filter_map(|(_, last)| last.as_ref().ok().map(|last| last.node()));
    let wanted: Vec<Arc<Node>> = known.filter(|node| node.element().is_none()).collect();
    let Some(captured) = mesh.end_capture(&wanted, site)? else {
        unreachable!("bug: the mesh of an open capture captures")
    };
    let ended = ended.into_iter().map(|(used, last)| Ok((used, last?)));
    let mut ended = ended.collect::<Result<Vec<(Used, Held)>, Error>>()?;
    let mut graph = CapturedGraph { mesh: mesh.clone(), captured, inputs: vec![], outputs: vec![] };
    // What stands for the values from before, without their memory.
    let mut released = FxHashMap::default();
    for (used, _) in &mut ended {
        if let (Some(kept), Some(input)) = (used.kept.take(), &used.input) {
            let node = graph.captured.release(input);
            released.insert(Arc::as_ptr(input), Held::new(node.clone()));
            graph.inputs.push((kept, node));
        }
    }
    for (used, last) in ended {
        let is_same = |input: &Held| Arc::ptr_eq(&last, input);
        if used.input.as_ref().is_some_and(is_same) {
            continue;
        }
        let position = graph.captured.position(&last);
        let last = released.get(&Arc::as_ptr(&last)).cloned().unwrap_or(last);
        graph.outputs.push((used.cell, last, position));
    }
    Ok(Some(graph))
}

/// The value of a base that was made by captured operations, until they are launched.
fn zeros(cell: &Cell, site: Site) -> Result<Arc<Node>, Error> {
    let dtype = cell.dtype();
    let zero = Operand::Scalar(Scalar::new(false).cast(dtype));
    cell.mesh.defer(NodeOp::Fill, zero, cell.shape().clone(), dtype, site)
}

/// Captured operations, which [`CapturedGraph::launch`] runs.
///
/// A launch records all of them at once, so it costs no call for each, and a graph that is launched
/// again has a plan already. Numbers and values of 0-d arrays that are known are constants of the
/// graph, as are the seeds of random numbers.
pub struct CapturedGraph {
    mesh: MeshHandle,
    captured: Captured,
    /// The bases from before the capture, with the nodes that stand for their values.
    inputs: Vec<(Arc<Cell>, Arc<Node>)>,
    /// The bases that are written, with their last values in the capture, and the positions of
    /// those among the operations.
    outputs: Vec<(Weak<Cell>, Held, Option<usize>)>,
}

impl CapturedGraph {
    /// The number of operations. Local.
    #[must_use]
    pub fn len(&self) -> usize {
        self.captured.graph().nodes.len()
    }

    /// Whether there are no operations. Local.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Records the operations on the present values of their arrays. Local, as other operations.
    ///
    /// Errors: those of an array that carries one, and of recording; `PX039` if a written array is
    /// lent.
    #[track_caller]
    pub fn launch(&self) -> Result<(), Error> {
        let site = call_site();
        for (cell, ..) in &self.outputs {
            if let Some(cell) = cell.upgrade() {
                Array(Ok(Live::whole(cell))).check_not_lent(Some(site))?;
            }
        }
        let mut present = Vec::with_capacity(self.inputs.len());
        for (cell, input) in &self.inputs {
            present.push((Arc::as_ptr(input), cell.node()?));
        }
        present.sort_by_key(|(input, _)| *input);
        let present = |node: &Arc<Node>| {
            let found = present.binary_search_by_key(&Arc::as_ptr(node), |(input, _)| *input);
            found.ok().map(|at| present[at].1.clone())
        };
        let living = self
            .outputs
            .iter()
            .filter_map(|(cell, last, position)| cell.upgrade().map(|cell| (cell, last, position)));
        let living: Vec<_> = living.collect();
        let wanted: Vec<usize> = living.iter().filter_map(|(.., position)| **position).collect();
        let mut values = self.captured.record(&self.mesh, &present, &wanted, site)?.into_iter();
        for (cell, last, position) in living {
            let recorded = position.and_then(|_| values.next()).map(|value| value.node());
            let value = recorded.or_else(|| present(last)).unwrap_or_else(|| last.node());
            cell.replace(Ok(value));
        }
        Ok(())
    }

    /// The operations as a graph in the language of Graphviz. Local.
    #[must_use]
    pub fn dot(&self) -> String {
        use phalanx_graph::Source;
        let graph = self.captured.graph();
        let mut text = String::from("digraph captured {\n");
        for (id, data) in graph.numbered() {
            let label = format!("{:?} {:?} {}", data.op, data.shape.as_slice(), data.dtype.name());
            let label = label.replace('\\', "").replace('"', "'");
            let _ = writeln!(text, "  n{} [label=\"{label}\"];", id.index());
            for input in &data.inputs {
                let _ = match input.source {
                    Source::Node(from) => writeln!(text, "  n{} -> n{};", from.index(), id.index()),
                    Source::Leaf(from) => writeln!(text, "  a{} -> n{};", from.index(), id.index()),
                    Source::Scalar(_) => Ok(()),
                };
            }
        }
        text.push_str("}\n");
        text
    }
}
