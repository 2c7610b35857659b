//! The steps of a plan that are needed, and the last use of each value among them.

use crate::build::Built;
use crate::fuse::Group;
use crate::ids::UnitId;
use crate::plan::{Plan, Step};
use phalanx_graph::{NodeId, NodeOp, Source};

/// A needed step of a plan.
pub(super) enum Kept {
    /// A step that is not a launch.
    Step(Step),
    /// The kernel of a group.
    Launch(Box<Built>, UnitId),
}

/// For each value, the last needed step that reads it; `usize::MAX` if the value outlives the plan.
pub(super) struct Uses {
    pub nodes: Vec<usize>,
    pub leaves: Vec<usize>,
}

impl Uses {
    /// Records that the step at this position reads a value.
    pub fn read(&mut self, source: Source, position: usize) {
        let last = match source {
            Source::Node(node) => &mut self.nodes[node.index()],
            Source::Leaf(leaf) => &mut self.leaves[leaf.index()],
            Source::Scalar(_) => return,
        };
        *last = (*last).max(position);
    }
}

/// The old value of a written update that leaves elements unwritten.
pub(super) fn partly_written(plan: &Plan, group: &Group, node: NodeId) -> Option<Source> {
    let data = plan.node(node);
    let is_member = group.members.iter().any(|member| member.node == node && !member.is_selected);
    match &data.op {
        NodeOp::Update(map) if is_member && !map.is_identity(&data.shape) => {
            Some(data.inputs[0].source)
        }
        _ => None,
    }
}
