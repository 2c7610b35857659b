//! Leaves of which a plan exchanges a large part, because their blocks are elsewhere than those of
//! the operands beside them.

use crate::plan::{Exchange, Plan};
use phalanx_distributed::read_price;
use phalanx_graph::{Input, LeafId, Node, NodeOp, Source};
use phalanx_ops::shape::size;
use phalanx_ops::{AffineMap, AxisMap, Bytes, Mesh, Sharding};
use std::sync::Arc;

/// A leaf that a plan exchanges, and the sharding in which elementwise work reads it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Move {
    pub leaf: LeafId,
    pub to: Sharding,
}

/// What is known of where a value should lie.
#[derive(Default)]
pub(crate) enum Moved {
    /// No window has exchanged it.
    #[default]
    Never,
    /// A window has exchanged it for work with this sharding.
    Noted(Sharding),
    /// It was copied to this sharding.
    Kept(Sharding, Arc<Node>),
    /// There was no memory for a copy.
    Stays,
}

/// Whether an operation computes each element from the elements at the same place.
pub(crate) fn is_elementwise(op: &NodeOp) -> bool {
    use NodeOp::{Cast, Elementwise, Reduce, Select, Special};
    matches!(op, Elementwise(_) | Special(_) | Select | Cast | Reduce { .. })
}

/// The leaves of which some device receives at least a quarter of a block, in the order of the
/// exchanges. A halo is less, and a leaf that every device needs whole has no better place. `most`
/// bounds the bytes of a leaf. A function of the plan alone.
pub(crate) fn moves(plan: &Plan, mesh: &Mesh, most: Bytes) -> Box<[Move]> {
    let mut moves: Vec<Move> = Vec::new();
    for exchange in &plan.exchanges {
        let Source::Leaf(leaf) = exchange.source else { continue };
        let (shape, dtype) = plan.graph.source(exchange.source);
        let (lies, item) = (&plan.leaves[leaf.index()], dtype.size());
        let Some(to) = wanted(exchange, shape) else { continue };
        let is_known = moves.iter().any(|known| known.leaf == leaf);
        let bytes = Bytes::of(size(shape), item);
        if is_known || to.is_replicated() || bytes > most || !is_read_whole(plan, leaf) {
            continue;
        }
        let same = AffineMap::identity(shape);
        let Bytes(moved) = read_price(lies, shape, item, &same, &to, mesh);
        if moved > 0 && 4 * moved >= lies.largest_block(shape) * item {
            moves.push(Move { leaf, to });
        }
    }
    moves.into()
}

/// The sharding in which a group reads a whole value of this shape, each element once. The axes may
/// be permuted: `a + a.T` asks for a copy of `a` in columns, beside `a.T` in columns.
fn wanted(exchange: &Exchange, shape: &[usize]) -> Option<Sharding> {
    let part = &exchange.parts[0];
    let load = &part.loads[0];
    if load.guard.is_some() {
        return None;
    }
    let split = |(map, &extent): (&AxisMap, &usize)| {
        let axis = &part.axes[usize::from(map.axis?)];
        let is_same = map.start == 0 && map.step == 1 && axis.extent == extent;
        is_same.then(|| axis.split.clone())
    };
    let axes = load.map.axes.iter().zip(shape).map(split).collect::<Option<_>>()?;
    Some(Sharding { axes, partial: None })
}

/// Whether elementwise work reads a leaf without a view.
fn is_read_whole(plan: &Plan, leaf: LeafId) -> bool {
    let is_read = |input: &Input| input.source == Source::Leaf(leaf) && input.map.is_none();
    let elementwise = plan.graph.nodes.iter().filter(|data| is_elementwise(&data.op));
    elementwise.flat_map(|data| &data.inputs).any(is_read)
}
