//! Plans: the units of a window in order, with what is exchanged and combined between them.
//!
//! A plan is a function of the window, the shardings of its leaves, the mesh and the policy; it is the same on every
//! rank, and so is the order of its collectives.

use crate::fuse::{Context, Fused, Group, Load, Unit, fuse};
use phalanx_array::{Graph, Node, NodeData, Source};
use phalanx_distributed::{Placement, Policy, image, is_aligned, legalise, propagate};
use phalanx_ops::sharding::{intersect, is_empty};
use phalanx_ops::{AffineMap, DType, IndexBox, Mesh, Monoid, Sharding};
use std::collections::BTreeSet;

/// A planned window. Holds no values.
pub(crate) struct Plan {
    pub graph: Graph,
    pub placements: Vec<Placement>,
    pub leaves: Vec<Sharding>,
    /// The position in `graph` of each node of the window.
    pub moved: Vec<u32>,
    pub units: Vec<Unit>,
    pub steps: Vec<Step>,
    pub exchanges: Vec<Exchange>,
}

/// A step, in program order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    /// Shards of these nodes are combined over the mesh axes of their partial values.
    Combine(Vec<u32>),
    /// What a unit reads beyond its blocks is fetched.
    Exchange(usize),
    /// A unit runs.
    Unit(usize),
}

/// Boxes of a value that a unit needs beside its device's block.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub source: Source,
    pub unit: usize,
    /// The reads that need it; their maps differ in their starts only.
    pub loads: Vec<Load>,
}

impl Exchange {
    /// Whether a read is served by this exchange.
    pub fn serves(&self, source: Source, map: &AffineMap) -> bool {
        self.source == source && same_direction(&self.loads[0].map, map)
    }

    /// The box of the value that a device needs which runs the box `space` of the group.
    pub fn need(&self, space: &IndexBox) -> IndexBox {
        let nothing: IndexBox = self.loads[0].map.axes.iter().map(|_| 0..0).collect();
        let reached = |load: &Load| {
            let inside = load.guard.as_ref().map_or_else(|| space.clone(), |guard| intersect(space, guard));
            (!is_empty(&inside)).then(|| image(&load.map, &inside))
        };
        let union = |a: IndexBox, b: IndexBox| {
            a.iter().zip(&b).map(|(x, y)| x.start.min(y.start)..x.end.max(y.end)).collect()
        };
        self.loads.iter().filter_map(reached).reduce(union).unwrap_or(nothing)
    }
}

fn same_direction(a: &AffineMap, b: &AffineMap) -> bool {
    a.axes.iter().zip(&b.axes).all(|(x, y)| x.axis == y.axis && x.step == y.step)
}

impl Plan {
    /// Plans a window.
    pub fn new(window: &Graph, leaves: &[Sharding], mesh: &Mesh, policy: &Policy) -> Plan {
        let placements = propagate(window, leaves, mesh, policy);
        let (mut graph, placements, moved) = legalise(window, placements, leaves);
        // A plan outlives its window in the cache and must not keep its values alive.
        graph.leaves.iter_mut().for_each(|leaf| *leaf = Node::temporary(leaf.shape().clone(), leaf.dtype()));
        graph.nodes.iter_mut().for_each(|node| node.node = Node::temporary(node.shape.clone(), node.dtype));
        let (units, steps, exchanges) = {
            let context = Context::new(&graph, &placements, leaves);
            let Fused { units, .. } = fuse(&context);
            let (steps, exchanges) = order(&context, &units);
            (units, steps, exchanges)
        };
        Plan { graph, placements, leaves: leaves.to_vec(), moved, units, steps, exchanges }
    }

    /// What fusion knows of the graph.
    pub fn context(&self) -> Context<'_> {
        Context::new(&self.graph, &self.placements, &self.leaves)
    }

    pub fn node(&self, node: u32) -> &NodeData {
        &self.graph.nodes[node as usize]
    }

    /// The dtype and monoid of what is combined for a partial node.
    pub fn combined_item(&self, node: u32) -> Option<(DType, Monoid)> {
        let placement = &self.placements[node as usize];
        let partial = placement.partial.as_ref()?;
        let data = self.node(node);
        let dtype = match partial.monoid {
            Monoid::ArgMin | Monoid::ArgMax => self.graph.source(data.inputs[0].source).1,
            _ => data.dtype,
        };
        Some((dtype, partial.monoid))
    }

    /// The dtype and monoid of a node whose shards carry more than its element until they are combined.
    pub fn packed_item(&self, node: u32) -> Option<(DType, Monoid)> {
        self.combined_item(node).filter(|(_, monoid)| monoid.is_compound())
    }
}

fn order(context: &Context<'_>, units: &[Unit]) -> (Vec<Step>, Vec<Exchange>) {
    let mut steps = Vec::new();
    let mut exchanges: Vec<Exchange> = Vec::new();
    // Nodes with partial values that nothing has needed combined yet, in program order.
    let mut partial: Vec<u32> = Vec::new();
    for (position, unit) in units.iter().enumerate() {
        let reads = reads_of(context, unit);
        let needs: BTreeSet<u32> = reads
            .iter()
            .filter_map(|load| if let Source::Node(node) = load.source { Some(node) } else { None })
            .filter(|node| partial.contains(node))
            .collect();
        if !needs.is_empty() {
            // Everything that is ready is combined at once.
            combine(context, &mut steps, std::mem::take(&mut partial));
        }
        if let Unit::Group(group) = unit {
            for exchange in exchanges_of(context, group, position, &reads) {
                steps.push(Step::Exchange(exchanges.len()));
                exchanges.push(exchange);
            }
            partial.extend(
                group
                    .members
                    .iter()
                    .map(|member| member.node)
                    .filter(|&node| context.placements[node as usize].partial.is_some()),
            );
        }
        steps.push(Step::Unit(position));
    }
    combine(context, &mut steps, partial);
    (steps, exchanges)
}

/// One step for each set of mesh axes and monoid, so that each is one coalesced collective.
fn combine(context: &Context<'_>, steps: &mut Vec<Step>, mut partial: Vec<u32>) {
    let key = |node: u32| {
        let (_, dtype) = context.graph.source(context.graph.nodes[node as usize].inputs[0].source);
        (context.placements[node as usize].partial.clone(), dtype, context.graph.nodes[node as usize].dtype)
    };
    while let Some(&first) = partial.first() {
        let (together, rest) = partial.into_iter().partition(|&node| key(node) == key(first));
        steps.push(Step::Combine(together));
        partial = rest;
    }
}

/// What a unit reads.
pub(crate) fn reads_of(context: &Context<'_>, unit: &Unit) -> Vec<Load> {
    match unit {
        Unit::Group(group) => {
            let mut reads: Vec<Load> = Vec::new();
            for member in &group.members {
                for read in context.loads(member, group) {
                    let is_known = |known: &Load| {
                        known.source == read.source && known.map.axes == read.map.axes && known.guard == read.guard
                    };
                    if !reads.iter().any(is_known) {
                        reads.push(read);
                    }
                }
                // An update that is written reads what it leaves unwritten.
                let node = &context.graph.nodes[member.node as usize];
                if let phalanx_array::NodeOp::Update(map) = &node.op
                    && !member.is_selected
                    && !map.is_identity(&node.shape)
                {
                    let map = map.then(&member.from_group);
                    reads.push(Load { source: node.inputs[0].source, map, guard: None });
                }
            }
            reads
        }
        Unit::Reshape(node) | Unit::Matmul(node) | Unit::Compress(node) => {
            let data = &context.graph.nodes[*node as usize];
            let whole = |source| AffineMap::identity(context.graph.source(source).0);
            data.inputs
                .iter()
                .map(|input| Load { source: input.source, map: whole(input.source), guard: None })
                .collect()
        }
    }
}

/// The exchanges before a group: one for each value and direction in which reads leave their block.
fn exchanges_of(context: &Context<'_>, group: &Group, unit: usize, reads: &[Load]) -> Vec<Exchange> {
    let space = group.space();
    let mut exchanges: Vec<Exchange> = Vec::new();
    for read in reads {
        let Some(sharding) = context.sharding(read.source) else { continue };
        if is_aligned(sharding, &read.map, &space) {
            continue;
        }
        match exchanges.iter_mut().find(|exchange| exchange.serves(read.source, &read.map)) {
            Some(exchange) => exchange.loads.push(read.clone()),
            None => exchanges.push(Exchange { source: read.source, unit, loads: vec![read.clone()] }),
        }
    }
    exchanges
}
