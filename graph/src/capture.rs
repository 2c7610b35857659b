//! Capture: operations are recorded without being run, as a program that can be run again and
//! again.

use crate::condition::Check;
use crate::error::{Error, Site};
use crate::graph::{Graph, Input, Source};
use crate::ids::NodeId;
use crate::node::{Held, Node, Operand};
use crate::window::{MeshHandle, Taken};
use std::sync::Arc;

/// Captured operations, in program order.
pub struct Captured {
    capture: u64,
    /// The number of the window that recorded them.
    window: u64,
    graph: Graph,
    /// The leaves of the graph. They are held, because no plan may write the memory of a value that
    /// the graph alone uses, such as data of the host.
    leaves: Vec<Held>,
    /// The conditions on data that were recorded among them, with their errors.
    checks: Vec<(Condition, Error)>,
    /// For each node, the last one that uses it; the number of nodes for that of a condition.
    last_use: Vec<usize>,
}

/// A condition that each launch checks.
enum Condition {
    /// The value of the operation at this position.
    Recorded(usize),
    /// A value from before the capture.
    Before(Held),
}

impl Captured {
    /// The operations of a capture, which a window has recorded, and their conditions.
    fn new(taken: Taken) -> Captured {
        let Taken { capture, window, graph, checks } = taken;
        let mut last_use: Vec<usize> = (0..graph.nodes.len()).collect();
        for (id, data) in graph.numbered() {
            for input in &data.inputs {
                if let Source::Node(from) = input.source {
                    last_use[from.index()] = id.index();
                }
            }
        }
        let leaves = graph.leaves.iter().cloned().map(Held::new).collect();
        let checked = Vec::new();
        let mut captured = Captured { capture, window, graph, leaves, checks: checked, last_use };
        for Check { condition, error } in checks {
            let condition = match captured.position(&condition) {
                Some(position) => {
                    captured.last_use[position] = captured.graph.nodes.len();
                    Condition::Recorded(position)
                }
                None => Condition::Before(condition),
            };
            captured.checks.push((condition, error));
        }
        captured
    }

    /// The number of the capture ([`MeshHandle::capture`]). Local.
    pub fn capture(&self) -> u64 {
        self.capture
    }

    /// Puts a node without a result in the place of a value from before the capture, so that the
    /// operations keep no memory. Returns the node, which stands for the value from now on.
    pub fn release(&mut self, value: &Arc<Node>) -> Arc<Node> {
        if value.element().is_some() {
            return value.clone();
        }
        let without = Node::temporary(value.shape().clone(), value.dtype());
        for (leaf, held) in self.graph.leaves.iter_mut().zip(&mut self.leaves) {
            if Arc::ptr_eq(leaf, value) {
                (*leaf, *held) = (without.clone(), Held::new(without.clone()));
            }
        }
        for (condition, _) in &mut self.checks {
            if let Condition::Before(before) = condition
                && Arc::ptr_eq(before, value)
            {
                *before = Held::new(without.clone());
            }
        }
        without
    }

    /// The operations.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Records the operations again. `present` gives, for a value from before the capture, the one
    /// to use in its place; `None` for the value itself. Returns the new values of the nodes at the
    /// positions `wanted`.
    ///
    /// Local, as [`MeshHandle::record`], whose errors it has.
    pub fn record(
        &self,
        mesh: &MeshHandle,
        present: &dyn Fn(&Arc<Node>) -> Option<Arc<Node>>,
        wanted: &[usize],
        site: Site,
    ) -> Result<Vec<Held>, Error> {
        let mut is_wanted = vec![false; self.graph.nodes.len()];
        wanted.iter().for_each(|&at| is_wanted[at] = true);
        let leaf = |leaf: &Arc<Node>| Held::new(present(leaf).unwrap_or_else(|| leaf.clone()));
        let leaves: Vec<Held> = self.leaves.iter().map(|held| leaf(held)).collect();
        let mut values: Vec<Option<Held>> = Vec::with_capacity(self.graph.nodes.len());
        for (position, data) in self.graph.nodes.iter().enumerate() {
            // A known element of before the capture is recorded where it is first used.
            if let Some(node) = present(&data.node) {
                values.push(Some(Held::new(node)));
                continue;
            }
            let operand = |input: &Input| match input.source {
                Source::Scalar(scalar) => Operand::Scalar(self.graph.scalars[scalar.index()]),
                Source::Node(from) => {
                    Operand::Value { node: kept(&values[from.index()]), map: input.map.clone() }
                }
                Source::Leaf(leaf) => {
                    Operand::Value { node: leaves[leaf.index()].clone(), map: input.map.clone() }
                }
            };
            let operands: Vec<Operand> = data.inputs.iter().map(operand).collect();
            let (op, shape) = (data.op.clone(), data.shape.clone());
            let node = mesh.record(op, &operands, shape, data.dtype, site)?;
            values.push(Some(Held::new(node)));
            // A value that is not used any more need not be stored.
            for input in &data.inputs {
                if let Source::Node(from) = input.source
                    && self.last_use[from.index()] == position
                    && !is_wanted[from.index()]
                {
                    values[from.index()] = None;
                }
            }
        }
        for (condition, error) in &self.checks {
            let condition = match condition {
                Condition::Recorded(position) => kept(&values[*position]),
                Condition::Before(before) => leaf(before),
            };
            mesh.check_later(condition, error.clone());
        }
        Ok(wanted.iter().map(|&at| kept(&values[at])).collect())
    }

    /// The position of a node among the operations; `None` for a known element, which is a constant
    /// of them, and for any other value. Local.
    pub fn position(&self, node: &Node) -> Option<usize> {
        node.position_in(self.window).map(NodeId::index)
    }
}

/// A value that is still used.
fn kept(value: &Option<Held>) -> Held {
    match value {
        Some(value) => value.clone(),
        None => unreachable!("bug: a value is dropped before its last use"),
    }
}

impl MeshHandle {
    /// Ends the capture and returns its operations; `None` if there is none. From now on, the
    /// captured values have an error as their result, for threads that still use them. Local.
    ///
    /// Errors: `PX036` if, with several processes, another thread records.
    pub fn end_capture(&self, site: Site) -> Result<Option<Captured>, Error> {
        self.together(site)?;
        Ok(self.discard_capture(site))
    }

    /// As [`MeshHandle::end_capture`], also by a thread that does not record, at the end of a
    /// session. Local.
    pub fn discard_capture(&self, site: Site) -> Option<Captured> {
        self.take_captured(site).map(Captured::new)
    }
}
