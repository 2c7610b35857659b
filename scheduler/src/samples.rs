//! Small programs for tests, recorded by hand, and their plans.

use crate::fuse::{Group, Unit};
use crate::plan::Plan;
use phalanx_distributed::{Lowerings, Policy, Setup, propagate};
use phalanx_graph::{
    Graph, Input, LeafId, Node, NodeData, NodeId, NodeOp, ScalarId, Source, call_site,
};
use phalanx_ops::{AffineMap, DType, Index, Mesh, Monoid, Op, Scalar, Sharding};
use std::sync::Arc;

/// A window that is recorded by hand. It has one scalar, and its leaves are of dtype f64.
pub(crate) struct Program {
    pub graph: Graph,
}

impl Program {
    /// A program that has recorded nothing, with leaves of these shapes.
    pub fn new(leaves: &[&[usize]]) -> Program {
        let leaf = |shape: &&[usize]| Node::temporary((*shape).into(), DType::F64);
        let leaves = leaves.iter().map(leaf).collect();
        Program { graph: Graph { nodes: Vec::new(), leaves, scalars: vec![Scalar::new(2.0_f64)] } }
    }

    /// Records an operation. Returns the input that reads its value.
    pub fn record(&mut self, op: NodeOp, inputs: &[&Input], shape: &[usize]) -> Input {
        self.push(op, inputs, shape, DType::F64)
    }

    fn push(&mut self, op: NodeOp, inputs: &[&Input], shape: &[usize], dtype: DType) -> Input {
        let site = call_site();
        let node = Node::temporary(shape.into(), dtype);
        let inputs = inputs.iter().map(|&input| input.clone()).collect();
        let data = NodeData { op, inputs, shape: shape.into(), dtype, site, node };
        Input { source: Source::Node(self.graph.push(data)), map: None }
    }

    /// Records the numbers from 0.
    pub fn positions(&mut self, extent: usize) -> Input {
        let numbers = self.push(NodeOp::Index(0), &[], &[extent], DType::I64);
        self.record(NodeOp::Cast, &[&numbers], &[extent])
    }

    /// Records an elementwise operation, whose result has the shape of the first input.
    pub fn apply(&mut self, op: Op, inputs: &[&Input]) -> Input {
        let shape = self.graph.map_of(inputs[0]).shape;
        self.record(NodeOp::Elementwise(op), inputs, &shape)
    }

    /// Records a reduction over one axis.
    pub fn reduce(&mut self, monoid: Monoid, axis: u8, of: &Input) -> Input {
        let mut shape = self.graph.map_of(of).shape;
        shape.remove(usize::from(axis));
        self.record(NodeOp::Reduce { monoid, axes: [axis].into_iter().collect() }, &[of], &shape)
    }

    /// Records a write through a view of a value.
    pub fn update(&mut self, old: &Input, view: AffineMap, value: &Input) -> Input {
        let shape = self.graph.map_of(old).shape;
        self.record(NodeOp::Update(Arc::new(view)), &[old, value], &shape)
    }

    /// The plan for one device.
    pub fn plan(&self) -> Plan {
        let leaves = self.graph.leaves.iter().map(|leaf| Sharding::replicated(leaf.shape().len()));
        self.plan_on(&Mesh::line(1), &leaves.collect::<Vec<_>>())
    }

    /// The plan for a mesh, with leaves of these shardings.
    pub fn plan_on(&self, mesh: &Mesh, leaves: &[Sharding]) -> Plan {
        assert_eq!(self.graph.verify(), Ok(()));
        let policy = &Policy { split_from: 16 };
        let setup = Setup { mesh, policy, lowerings: Lowerings::default() };
        Plan::new(&self.graph, propagate(&self.graph, leaves, setup), leaves, setup)
    }
}

/// A whole leaf.
pub(crate) fn leaf(position: usize) -> Input {
    Input { source: Source::Leaf(LeafId::new(position)), map: None }
}

/// The scalar of a program.
pub(crate) fn scalar() -> Input {
    Input { source: Source::Scalar(ScalarId::new(0)), map: None }
}

/// A view of a whole value.
pub(crate) fn through(view: AffineMap, input: &Input) -> Input {
    Input { source: input.source, map: Some(Arc::new(view)) }
}

/// The view `start..stop` of a vector.
pub(crate) fn slice(extent: usize, start: i64, stop: i64) -> AffineMap {
    let range = Index::Range { start: Some(start), stop: Some(stop), step: 1 };
    AffineMap::identity(&[extent]).index(&[range]).expect("a vector has an axis")
}

/// A vector of rows, repeated along a new last axis of this extent.
pub(crate) fn along_rows(rows: usize, columns: usize, input: &Input) -> Input {
    let all = Index::Range { start: None, stop: None, step: 1 };
    let column = AffineMap::identity(&[rows]).index(&[all, Index::NewAxis]);
    let column = column.expect("a vector has an axis");
    through(column.broadcast_to(&[rows, columns]).expect("an axis of extent 1"), input)
}

/// The node that an input reads.
pub(crate) fn node_of(input: &Input) -> NodeId {
    match input.source {
        Source::Node(node) => node,
        source => panic!("{source:?} is no node"),
    }
}

/// The groups of a plan; a group that was merged into another has no members.
pub(crate) fn groups_of(plan: &Plan) -> impl Iterator<Item = &Group> {
    plan.units.iter().filter_map(|unit| match unit {
        Unit::Group(group) => Some(group),
        Unit::Reshape(_) | Unit::Routine(_) | Unit::Compress(_) => None,
    })
}

/// The group that computes a node of the plan.
pub(crate) fn group_of(plan: &Plan, node: NodeId) -> &Group {
    let mut groups = groups_of(plan);
    let found = groups.find(|group| group.members.iter().any(|member| member.node == node));
    found.expect("a node of a group")
}
