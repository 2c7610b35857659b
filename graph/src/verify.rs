//! The verifier of graphs: the rules of a window that is planned. Debug builds and tests run it on
//! each window and on each legalised graph.

use crate::graph::{Graph, Input, NodeData, Source};
use crate::operation::NodeOp;
use phalanx_ops::shape::size;
use phalanx_ops::structured::Operand;
use phalanx_ops::{AffineMap, DType};
use smallvec::SmallVec;

impl Graph {
    /// Finds the first node that breaks a rule of graphs: a node reads a value that does not exist
    /// yet, a view leaves its base, or shape and dtype do not match the operation. Local.
    ///
    /// Errors: a sentence with the node's position and operation, for a `bug:` message.
    pub fn verify(&self) -> Result<(), String> {
        self.nodes.iter().enumerate().try_for_each(|(position, node)| {
            let read = node.inputs.iter().try_for_each(|input| self.verify_input(position, input));
            let checked = read.and_then(|()| self.verify_node(node));
            checked.map_err(|flaw| format!("node {position}, {:?}: {flaw}", node.op))
        })
    }

    fn verify_input(&self, position: usize, input: &Input) -> Result<(), String> {
        let (number, count, kind) = match input.source {
            Source::Node(node) => (node.index(), position, "an earlier node"),
            Source::Leaf(leaf) => (leaf.index(), self.leaves.len(), "a leaf"),
            Source::Scalar(scalar) => (scalar.index(), self.scalars.len(), "a scalar"),
        };
        if number >= count {
            return Err(format!("it reads {:?}, which is not {kind}", input.source));
        }
        match &input.map {
            Some(map) => within(map, self.source(input.source).0),
            None => Ok(()),
        }
    }

    fn verify_node(&self, node: &NodeData) -> Result<(), String> {
        let reads: SmallVec<[(SmallVec<[usize; 4]>, DType); 3]> =
            node.inputs.iter().map(|input| self.read(input)).collect();
        let inputs = |expected: usize| {
            if node.inputs.len() == expected {
                Ok(())
            } else {
                Err(format!("it has {} inputs, not {expected}", node.inputs.len()))
            }
        };
        let shape = |expected: &[usize]| {
            if node.shape[..] == *expected {
                Ok(())
            } else {
                Err(format!("its shape is {:?}, not {expected:?}", node.shape))
            }
        };
        let is_scalar = |at: usize| matches!(node.inputs[at].source, Source::Scalar(_));
        match &node.op {
            NodeOp::Fill => inputs(1),
            NodeOp::Index(axis) => {
                inputs(0)?;
                if usize::from(*axis) < node.shape.len() {
                    Ok(())
                } else {
                    Err(format!("its value has {} axes", node.shape.len()))
                }
            }
            NodeOp::Elementwise(_) | NodeOp::Special(_) | NodeOp::Select | NodeOp::Cast => {
                (0..reads.len()).filter(|&at| !is_scalar(at)).try_for_each(|at| shape(&reads[at].0))
            }
            NodeOp::Reduce { axes, .. } => {
                inputs(1)?;
                let kept = reads[0].0.iter().enumerate();
                let kept = kept.filter(|(axis, _)| !axes.contains(&(*axis as u8)));
                shape(&kept.map(|(_, &extent)| extent).collect::<SmallVec<[usize; 4]>>())
            }
            NodeOp::Accumulate { .. } => {
                inputs(2)?;
                match node.shape.len() {
                    1 => Ok(()),
                    count => Err(format!("its table has {count} axes")),
                }
            }
            NodeOp::Update(map) => {
                inputs(2)?;
                shape(&reads[0].0)?;
                within(map, &node.shape)?;
                if is_scalar(1) || reads[1].0[..] == map.shape[..] {
                    Ok(())
                } else {
                    Err(format!("{:?} is written into {:?}", reads[1].0, map.shape))
                }
            }
            NodeOp::Reshape => {
                inputs(1)?;
                let [before, after] = [(&reads[0].0[..], reads[0].1), (&*node.shape, node.dtype)]
                    .map(|(shape, dtype)| size(shape) * dtype.size());
                if before == after { Ok(()) } else { Err(format!("{before} bytes become {after}")) }
            }
            NodeOp::Structured(op) => {
                let operands: SmallVec<[Operand<'_>; 3]> =
                    reads.iter().map(|(shape, dtype)| (&shape[..], *dtype)).collect();
                let (expected, dtype) = op.result(&operands);
                shape(&expected)?;
                if dtype == node.dtype {
                    Ok(())
                } else {
                    Err(format!("its dtype is {}, not {dtype}", node.dtype))
                }
            }
            NodeOp::Compress => inputs(2),
            NodeOp::Reshard(sharding) => {
                inputs(1)?;
                shape(&reads[0].0)?;
                if sharding.axes.len() == node.shape.len() {
                    Ok(())
                } else {
                    Err(format!("its sharding has {} axes", sharding.axes.len()))
                }
            }
        }
    }

    /// The shape and dtype of an input, after its map.
    fn read(&self, input: &Input) -> (SmallVec<[usize; 4]>, DType) {
        let (base, dtype) = self.source(input.source);
        (input.map.as_ref().map_or(base, |map| &map.shape).into(), dtype)
    }
}

/// Checks that a view stays within a base of this shape.
fn within(map: &AffineMap, base: &[usize]) -> Result<(), String> {
    if map.axes.len() != base.len() {
        return Err(format!("a view of {} axes of a base of {}", map.axes.len(), base.len()));
    }
    if map.shape.contains(&0) {
        return Ok(());
    }
    for (axis, &extent) in map.axes.iter().zip(base) {
        let last = match axis.axis {
            Some(follows) => {
                let count = map.shape.get(usize::from(follows)).copied();
                let Some(count) = count else {
                    return Err(format!("a view follows axis {follows} of {:?}", map.shape));
                };
                axis.start + (count as i64 - 1) * axis.step
            }
            None => axis.start,
        };
        if axis.start.min(last) < 0 || axis.start.max(last) >= extent as i64 {
            return Err(format!("a view from {} to {last} of an extent of {extent}", axis.start));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LeafId, NodeId};
    use crate::node::Node;
    use phalanx_ops::structured::{Order, Sort};
    use phalanx_ops::{Op, Structured};
    use std::sync::Arc;

    fn graph(op: NodeOp, inputs: &[Input], shape: &[usize]) -> Graph {
        let node = Node::temporary(shape.into(), DType::F64);
        let leaves = vec![Node::temporary([3, 4][..].into(), DType::F64)];
        let (shape, dtype, site) = (shape.into(), DType::F64, crate::error::call_site());
        let inputs = inputs.iter().cloned().collect();
        let nodes = vec![NodeData { op, inputs, shape, dtype, site, node }];
        Graph { nodes, leaves, scalars: Vec::new() }
    }

    fn leaf(map: Option<AffineMap>) -> Input {
        Input { source: Source::Leaf(LeafId::new(0)), map: map.map(Arc::new) }
    }

    #[test]
    fn each_broken_rule_of_graphs_is_found() {
        let whole = [leaf(None)];
        let sqrt = || NodeOp::Elementwise(Op::Sqrt);
        assert_eq!(graph(sqrt(), &whole, &[3, 4]).verify(), Ok(()));
        let mut beyond = AffineMap::identity(&[3, 4]);
        beyond.axes[1].start = 1;
        let itself = Input { source: Source::Node(NodeId::new(0)), map: None };
        let sort = Structured::Sort(Sort::new(0, Order::Positions));
        let sum = |axes: &[u8]| NodeOp::Reduce {
            monoid: phalanx_ops::Monoid::Add,
            axes: axes.iter().copied().collect(),
        };
        let update = NodeOp::Update(Arc::new(AffineMap::identity(&[3, 4])));
        for (graph, flaw) in [
            (graph(sqrt(), &[itself], &[3, 4]), "not an earlier node"),
            (graph(sqrt(), &[leaf(Some(beyond))], &[3, 4]), "from 1 to 4 of an extent of 4"),
            (graph(sqrt(), &whole, &[4, 3]), "its shape is [4, 3], not [3, 4]"),
            (graph(sum(&[0]), &whole, &[3]), "its shape is [3], not [4]"),
            (graph(NodeOp::Reshape, &whole, &[11]), "96 bytes become 88"),
            (graph(NodeOp::Structured(sort), &whole, &[3, 4]), "its dtype is f64"),
            (graph(update, &whole, &[3, 4]), "it has 1 inputs, not 2"),
            (graph(NodeOp::Index(2), &[], &[3, 4]), "its value has 2 axes"),
        ] {
            let found = graph.verify().expect_err(flaw);
            assert!(found.contains(flaw), "{found}");
        }
    }
}
