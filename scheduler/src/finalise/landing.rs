//! Landing: messages of an exchange arrive in the memory of the value that they are for, so nothing
//! copies them there.

use super::kept::Kept;
use crate::ids::ExchangeId;
use crate::plan::Plan;
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_ops::{AffineMap, AxisMap};

/// The value in whose memory the messages of an exchange arrive; `None` if they need memory of
/// their own. `later` are the steps from the exchange on.
///
/// The only consumer is a move of the value, or of a box of it, to another sharding. Each message
/// must be one run of bytes there: the blocks that are sent divide the first axis alone.
pub(super) fn landing(plan: &Plan, later: &[Kept], id: ExchangeId) -> Option<NodeId> {
    let exchange = &plan.exchanges[id.index()];
    let [part] = exchange.parts.as_slice() else { return None };
    let is_consumer = |step: &Kept| matches!(step, Kept::Launch(_, unit) if *unit == part.unit);
    later.iter().find(|step| is_consumer(step))?;
    let [member] = plan.group(part.unit)?.members.as_slice() else { return None };
    let data = plan.node(member.node);
    let [input] = data.inputs.as_slice() else { return None };
    let is_move = matches!(data.op, NodeOp::Reshard(_))
        && input.source == exchange.source
        && is_box(&plan.graph.map_of(input));
    let sharding = match exchange.source {
        Source::Node(node) => &plan.placements[node.index()].output,
        Source::Leaf(leaf) => &plan.leaves[leaf.index()],
        Source::Scalar(_) => return None,
    };
    let first = data.shape.iter().position(|&extent| extent != 1)?;
    let is_in_runs = sharding.axes.iter().skip(first + 1).all(Option::is_none);
    (is_move && is_in_runs).then_some(member.node)
}

/// Whether a view of a value is a box of it.
fn is_box(map: &AffineMap) -> bool {
    let follows = |(number, axis): (usize, &AxisMap)| {
        axis.step == 1 && axis.axis.map(usize::from) == Some(number)
    };
    map.axes.len() == map.shape.len() && map.axes.iter().enumerate().all(follows)
}
