//! Capture: operations are recorded without being run, as a program that can be run again and
//! again.

use crate::error::{Error, Site};
use crate::graph::{Graph, Input, Source};
use crate::node::{Held, Node, Operand};
use crate::window::MeshHandle;
use std::sync::Arc;

/// Captured operations, in program order.
pub struct Captured {
    graph: Graph,
    /// The conditions on data that were recorded among them, by their positions, with their errors.
    checks: Vec<(usize, Error)>,
    /// For each node, the last one that uses it; the number of nodes for that of a condition.
    last_use: Vec<usize>,
}

impl Captured {
    fn new(graph: Graph, checks: Vec<(Held, Error)>) -> Captured {
        let mut last_use: Vec<usize> = (0..graph.nodes.len()).collect();
        for (id, data) in graph.numbered() {
            for input in &data.inputs {
                if let Source::Node(from) = input.source {
                    last_use[from.index()] = id.index();
                }
            }
        }
        let mut captured = Captured { graph, checks: Vec::new(), last_use };
        for (condition, error) in checks {
            if let Some(position) = captured.position(&condition) {
                captured.last_use[position] = captured.graph.nodes.len();
                captured.checks.push((position, error));
            }
        }
        captured
    }

    /// Puts a node without a result in the place of a value from before the capture, so that the
    /// operations keep no memory. Returns the node, which stands for the value from now on.
    pub fn release(&mut self, value: &Arc<Node>) -> Arc<Node> {
        if value.element().is_some() {
            return value.clone();
        }
        let without = Node::temporary(value.shape().clone(), value.dtype());
        if let Some(leaf) = self.graph.leaves.iter_mut().find(|leaf| Arc::ptr_eq(leaf, value)) {
            *leaf = without.clone();
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
        let leaves: Vec<Held> = self.graph.leaves.iter().map(leaf).collect();
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
            mesh.check_later(kept(&values[*condition]), error.clone());
        }
        Ok(wanted.iter().map(|&at| kept(&values[at])).collect())
    }

    /// The position of a node among the operations. Local.
    pub fn position(&self, node: &Arc<Node>) -> Option<usize> {
        self.graph.nodes.iter().position(|data| Arc::ptr_eq(&data.node, node))
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
    /// Ends the capture. `wanted` are the values that the program keeps: those that are deferred
    /// are recorded. Returns the operations; `None` if there is no capture. Local.
    ///
    /// Errors: that of a value.
    pub fn end_capture(&self, wanted: &[Arc<Node>], site: Site) -> Result<Option<Captured>, Error> {
        let taken = self.take_captured(wanted, site)?;
        Ok(taken.map(|(graph, checks)| Captured::new(graph, checks)))
    }
}
