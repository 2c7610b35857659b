//! Graphs of captured operations: a program that is recorded once and run again and again.
//!
//! Between `begin_capture` and `end_capture`, operations of the mesh are recorded and not run. The
//! graph refers to bases of arrays, not to their values: a launch reads what the arrays contain
//! then, and writes the arrays that the captured operations wrote or made.

use super::cell::Cell;
use super::cell::captures::{Before, Used, taken};
use super::handle::{Array, Live};
use phalanx_graph::{Captured, Error, Held, MeshHandle, Node, Site, call_site};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::{Arc, Weak};

/// Begins to capture the operations on a mesh: until [`end_capture`], those of all threads are
/// recorded and not run. Collective over the mesh: all recorded operations are started first.
///
/// In the capture, the first use of a copy that [`Array::with_sharding`] made before, or of an
/// array that another capture made and no launch has written, is Collective, too: the value is
/// computed then.
///
/// Errors: `PX181` if operations are being captured already, and those of the recorded operations.
#[track_caller]
pub fn begin_capture(mesh: &MeshHandle) -> Result<(), Error> {
    mesh.begin_capture(call_site())
}

/// Ends the capture of the operations on a mesh and returns them as a graph; `None` if nothing is
/// captured. Local.
///
/// Arrays from before the capture have their values of then, and arrays that were made in it are
/// zero until the graph is launched. An array that carries the error of a captured operation keeps
/// it, and no launch writes the array.
///
/// Errors: `PX036` if, with several processes, another thread records.
#[track_caller]
pub fn end_capture(mesh: &MeshHandle) -> Result<Option<CapturedGraph>, Error> {
    let site = call_site();
    let Some(mut captured) = mesh.end_capture(site)? else { return Ok(None) };
    let (mut inputs, mut written) = (Vec::new(), Vec::new());
    // What stands for the values from before, without their memory.
    let mut released = FxHashMap::default();
    for Used { cell, before } in taken(captured.capture()) {
        let last = match &before {
            Some(before) => before.end(),
            None => cell.upgrade().and_then(|cell| cell.empty(site)),
        };
        if let Some(Before { cell, input: Some(input), .. }) = before {
            let node = captured.release(&input);
            released.insert(Arc::as_ptr(&input), Held::new(node.clone()));
            inputs.push((cell, node));
        }
        written.extend(last.map(|last| (cell, last)));
    }
    let output = |(cell, last): (Weak<Cell>, Held)| {
        let position = captured.position(&last);
        (cell, released.get(&Arc::as_ptr(&last)).cloned().unwrap_or(last), position)
    };
    let outputs = written.into_iter().map(output).collect();
    Ok(Some(CapturedGraph { mesh: mesh.clone(), captured, inputs, outputs }))
}

/// Ends the capture of the operations on a mesh without a graph, at the end of a session: arrays
/// from before it have their values of then. Local.
pub(super) fn discard_capture(mesh: &MeshHandle, site: Site) {
    if let Some(captured) = mesh.discard_capture(site) {
        let used = taken(captured.capture());
        used.iter().filter_map(|used| used.before.as_ref()).for_each(|before| {
            let _last = before.end();
        });
    }
}

/// Captured operations, which [`CapturedGraph::launch`] runs.
///
/// A launch records all of them at once, so it costs no call for each, and a graph that is launched
/// again has a plan already. Numbers, and elements taken before the capture, are constants
/// of the graph, as are the seeds of random numbers.
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
    /// lent. Conditions on data are checked by the next observation.
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
            cell.replace(value)?;
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
