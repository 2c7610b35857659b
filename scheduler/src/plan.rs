//! Plans: the units of a window in order, with the exchanges and combinations between them.
//!
//! A plan is a function of the window, the shardings of its leaves, the mesh and the policy. It is
//! the same on every rank, and so is the order of its collectives.

use crate::alias::drop_whole_copies;
use crate::fuse::{Context, Fused, Group, GroupAxis, Load, Unit, fuse, loads_of, reads_of};
use crate::halo::{HaloBox, halo_boxes};
use crate::ids::{ExchangeId, UnitId};
use crate::refill::Refill;
use phalanx_distributed::{
    Expansion, Legal, Origin, Placement, Policy, Setup, image, is_aligned, legalise,
    preimage_range, propagate,
};
use phalanx_graph::{Graph, Node, NodeData, NodeId, NodeOp, Source};
use phalanx_ops::sharding::{intersect, is_empty, volume};
use phalanx_ops::{AffineMap, DType, IndexBox, Mesh, Monoid, Scalar, Sharding};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A planned window. Holds no values.
pub(crate) struct Plan {
    pub graph: Graph,
    /// Numbers that phases need; they follow the window's scalars at the end of `graph.scalars`.
    pub constants: Vec<Scalar>,
    pub placements: Arc<[Placement]>,
    pub leaves: Vec<Sharding>,
    /// For each node of the window, the node of `graph`.
    pub moved: Arc<[NodeId]>,
    /// For each node of `graph`, the node, phase or operand of the window that it was made from.
    origins: Arc<[Origin]>,
    /// The nodes of the window that expand into several phases, with the phases.
    expansions: Arc<[(NodeId, Expansion)]>,
    pub units: Vec<Unit>,
    pub steps: Vec<Step>,
    pub exchanges: Vec<Exchange>,
    /// The sizes at which arrays are split.
    pub policy: Policy,
}

/// A step, in program order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    /// Combines the shards of these nodes over the mesh axes of their partial values.
    Combine(Vec<NodeId>),
    /// Runs an exchange, which fetches the reads beyond a unit's blocks.
    Exchange(ExchangeId),
    /// Runs a unit.
    Unit(UnitId),
}

/// Boxes of a value that units need beside their device's block.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub source: Source,
    /// The units that need it, in order. Their maps differ only in their starts.
    pub parts: Vec<ExchangePart>,
}

/// The boxes that one unit needs from an exchange.
#[derive(Clone, Debug)]
pub(crate) struct ExchangePart {
    pub unit: UnitId,
    /// The unit's iteration space.
    pub axes: Vec<GroupAxis>,
    /// The reads that leave their block.
    pub loads: Vec<Load>,
}

impl Exchange {
    /// Whether a read of a unit is served by this exchange.
    pub fn serves(&self, unit: UnitId, source: Source, map: &AffineMap) -> bool {
        self.is_for(unit)
            && self.source == source
            && same_direction(&self.parts[0].loads[0].map, map)
    }

    /// Whether a unit waits for this exchange.
    pub fn is_for(&self, unit: UnitId) -> bool {
        self.parts.iter().any(|part| part.unit == unit)
    }

    /// The box of the value that a device needs.
    pub fn need(&self, mesh: &Mesh, coordinates: &[usize]) -> IndexBox {
        let parts = self.parts.iter().map(|part| part.need(mesh, coordinates));
        parts.reduce(|a, b| bounding(&a, &b)).unwrap_or_default()
    }
}

impl Exchange {
    /// The devices that may need elements of a block, in ascending order; all devices if the form
    /// of the bounds does not determine them. If it does, the time does not grow with the mesh.
    pub fn peers(&self, mesh: &Mesh, block: &[Range<usize>]) -> Range<usize> {
        let first = &self.parts[0];
        let loads = || self.parts.iter().flat_map(|part| &part.loads);
        for (axis, map) in first.loads[0].map.axes.iter().enumerate() {
            let Some(follows) = map.axis.filter(|_| map.step != 0).map(usize::from) else {
                continue;
            };
            let GroupAxis { extent, split: Some(split), .. } = &first.axes[follows] else {
                continue;
            };
            // On such a split, block `i` is on device `i`.
            let is_whole_mesh = split.mesh_axes.iter().copied().eq(0..mesh.ndim() as u8);
            let is_same = |part: &ExchangePart| part.axes[follows].split.as_ref() == Some(split);
            let follows_it = |load: &Load| {
                (load.map.axes[axis].axis, load.map.axes[axis].step) == (map.axis, map.step)
            };
            if !is_whole_mesh || !self.parts.iter().all(is_same) || !loads().all(follows_it) {
                continue;
            }
            let starts = || loads().map(|load| load.map.axes[axis].start);
            let (Some(least), Some(most)) = (starts().min(), starts().max()) else { continue };
            let ends = [least, most].map(|start| preimage_range(&block[axis], start, map.step));
            // A need is one box, so positions between two needed ones count too.
            let [a, b] = ends;
            let from = a.start.min(b.start).saturating_sub(1).clamp(0, *extent as i64);
            let to = a.end.max(b.end).saturating_add(1).clamp(0, *extent as i64);
            return split.bounds.parts_meeting(from as usize..to as usize);
        }
        0..mesh.devices()
    }
}

impl ExchangePart {
    fn need(&self, mesh: &Mesh, coordinates: &[usize]) -> IndexBox {
        let space = space_box(&self.axes, mesh, coordinates);
        let nothing: IndexBox = self.loads[0].map.axes.iter().map(|_| 0..0).collect();
        let reached = |load: &Load| read_box(&self.axes, &space, &load.map, load.guard.as_ref());
        self.loads.iter().filter_map(reached).reduce(|a, b| bounding(&a, &b)).unwrap_or(nothing)
    }
}

/// The box of its iteration space that a device runs.
pub(crate) fn space_box(axes: &[GroupAxis], mesh: &Mesh, coordinates: &[usize]) -> IndexBox {
    axes.iter()
        .map(|axis| match &axis.split {
            None => 0..axis.extent,
            Some(split) => split.bounds.block(split.part(mesh, coordinates)),
        })
        .collect()
}

/// The box of a value that a unit reads through `map` in a part of its space, or `None`.
///
/// An empty loop prevents only the reads that follow its axes; others may be outside of it.
pub(crate) fn read_box(
    axes: &[GroupAxis],
    part: &IndexBox,
    map: &AffineMap,
    guard: Option<&IndexBox>,
) -> Option<IndexBox> {
    let read = guard.map_or_else(|| part.clone(), |guard| intersect(part, guard));
    let is_followed = |axis: usize| map.axes.iter().any(|follows| follows.axis == Some(axis as u8));
    let hinders =
        |axis: usize| axes[axis].level == 0 || !part[axis].is_empty() || is_followed(axis);
    let reads = (0..axes.len()).all(|axis| !read[axis].is_empty() || !hinders(axis));
    reads.then(|| image(map, &read))
}

/// The smallest box that contains both boxes.
pub(crate) fn bounding(a: &IndexBox, b: &IndexBox) -> IndexBox {
    match (is_empty(a), is_empty(b)) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.iter().zip(b).map(|(x, y)| x.start.min(y.start)..x.end.max(y.end)).collect(),
    }
}

fn same_direction(a: &AffineMap, b: &AffineMap) -> bool {
    a.axes.iter().zip(&b.axes).all(|(x, y)| x.axis == y.axis && x.step == y.step)
}

impl Plan {
    /// The shape, element size and sharding of a value in memory.
    pub(crate) fn layout(&self, source: Source) -> Option<(&[usize], usize, &Sharding)> {
        let (shape, dtype) = self.graph.source(source);
        let sharding = match source {
            Source::Node(from) => &self.placements[from.index()].output,
            Source::Leaf(leaf) => &self.leaves[leaf.index()],
            Source::Scalar(_) => return None,
        };
        Some((shape, dtype.size(), sharding))
    }

    /// Plans a window with the given placement of each operation.
    pub fn new(
        window: &Graph,
        placements: Vec<Placement>,
        leaves: &[Sharding],
        setup: Setup<'_>,
    ) -> Plan {
        tracing::trace!(target: "phalanx::path", file = file!());
        let mut legal = legalise(window, placements, leaves, setup.lowerings);
        drop_whole_copies(&mut legal, leaves);
        let Legal { mut graph, placements, moved, origins, expansions } = legal;
        let constants = graph.scalars[window.scalars.len()..].to_vec();
        graph.leaves = graph.leaves.iter().map(nobody).collect();
        graph.nodes.iter_mut().for_each(|node| node.node = nobody(&node.node));
        let (units, steps, exchanges) = {
            let context = Context::new(&graph, &placements, leaves);
            let Fused { units, .. } = fuse(&context);
            let (steps, exchanges) = order(&context, &units, setup.mesh);
            (units, steps, exchanges)
        };
        let plan = Plan {
            graph,
            constants,
            placements: placements.into(),
            leaves: leaves.to_vec(),
            moved: moved.into(),
            origins: origins.into(),
            expansions: expansions.into(),
            units,
            steps,
            exchanges,
            policy: *setup.policy,
        };
        if cfg!(debug_assertions) {
            plan.assert_sound(setup.mesh);
        }
        plan
    }

    /// The same plan with the numbers of another window of the same pattern, and thus the same
    /// kernels. `placements` are those of the other window; their pattern is that of this plan's,
    /// and they are ignored on one device. `None` if the exchanges differ in more than numbers.
    pub fn refilled(
        &self,
        window: &Graph,
        placements: &[Placement],
        leaves: &[Sharding],
        setup: Setup<'_>,
    ) -> Option<Plan> {
        let mesh = setup.mesh;
        // Phases depend on where the operation is placed, on one device too.
        let placed = match (placements, &*self.expansions) {
            ([], [_, ..]) => propagate(window, leaves, setup),
            _ => Vec::new(),
        };
        let placements = if placed.is_empty() { placements } else { &placed };
        let refill = Refill::new(window, placements, &self.expansions, setup.lowerings)?;
        let nodes = self.graph.nodes.iter().zip(&*self.origins);
        let graph = Graph {
            nodes: nodes.map(|(node, origin)| refill.node(node, *origin)).collect(),
            leaves: window.leaves.iter().map(nobody).collect(),
            scalars: window.scalars.iter().copied().chain(refill.constants()).collect(),
        };
        let placements: Arc<[Placement]> = match mesh.devices() {
            // On one device every value is whole, whatever its extents.
            1 => self.placements.clone(),
            _ => {
                let nodes = graph.nodes.iter().zip(&*self.origins);
                nodes.map(|(node, origin)| refill.placement(node, *origin)).collect()
            }
        };
        let units: Vec<Unit> = self
            .units
            .iter()
            .map(|unit| match unit {
                Unit::Group(group) => Unit::Group(group.refilled(&graph, &placements)),
                other => other.clone(),
            })
            .collect();
        let (mut steps, mut exchanges) = (self.steps.clone(), Vec::new());
        if mesh.devices() > 1 {
            let context = Context::new(&graph, &placements, leaves);
            let mut nodes = graph.nodes.iter().zip(&*self.origins);
            let is_served = |(node, &origin): (&NodeData, &Origin)| {
                refill.is_served(&context, node, (origin, &self.origins))
            };
            if !nodes.all(is_served) {
                return None;
            }
            let stays = |unit: &Unit| match unit {
                Unit::Group(group) if group.is_in_parts => context.folds_in_parts(group),
                Unit::Group(group) => context.stays_inside(group),
                _ => true,
            };
            if !units.iter().all(stays) {
                return None;
            }
            (steps, exchanges) = order(&context, &units, mesh);
        }
        let plan = (steps == self.steps).then(|| Plan {
            constants: refill.constants().collect(),
            graph,
            placements,
            leaves: leaves.to_vec(),
            moved: self.moved.clone(),
            origins: self.origins.clone(),
            expansions: refill.into_expansions(),
            units,
            steps,
            exchanges,
            policy: *setup.policy,
        });
        if cfg!(debug_assertions) {
            plan.iter().for_each(|plan| plan.assert_sound(mesh));
        }
        plan
    }

    /// The graph with what fusion derives from it.
    pub fn context(&self) -> Context<'_> {
        Context::new(&self.graph, &self.placements, &self.leaves)
    }

    /// A node of the graph.
    pub fn node(&self, node: NodeId) -> &NodeData {
        &self.graph[node]
    }

    /// Whether a node has effects beside its value, so that it always runs.
    pub fn has_effects(&self, node: NodeId) -> bool {
        matches!(&self.node(node).op, NodeOp::Structured(op) if op.has_effects())
    }

    /// A unit, if it is a group.
    pub fn group(&self, unit: UnitId) -> Option<&Group> {
        match &self.units[unit.index()] {
            Unit::Group(group) => Some(group),
            Unit::Reshape(_) | Unit::Routine(_) | Unit::Compress(_) => None,
        }
    }

    /// The exchanges, each with its id.
    pub fn numbered_exchanges(&self) -> impl Iterator<Item = (ExchangeId, &Exchange)> {
        let exchanges = self.exchanges.iter().enumerate();
        exchanges.map(|(position, exchange)| (ExchangeId::new(position), exchange))
    }

    /// The dtype and monoid of the combination of a partial node.
    pub fn combined_item(&self, node: NodeId) -> Option<(DType, Monoid)> {
        let placement = &self.placements[node.index()];
        let partial = placement.partial()?;
        let data = self.node(node);
        let dtype = match partial.monoid {
            Monoid::ArgMin | Monoid::ArgMax => self.graph.source(data.inputs[0].source).1,
            _ => data.dtype,
        };
        Some((dtype, partial.monoid))
    }

    /// As `combined_item`, for a node whose monoid is compound: until the combination, its shards
    /// hold items of several parts.
    pub fn packed_item(&self, node: NodeId) -> Option<(DType, Monoid)> {
        self.combined_item(node).filter(|(_, monoid)| monoid.is_compound())
    }
}

/// A node with the same shape and dtype that keeps no value alive: the cache keeps plans for longer
/// than windows.
fn nobody(node: &Arc<Node>) -> Arc<Node> {
    Node::temporary(node.shape().clone(), node.dtype())
}

fn order(context: &Context<'_>, units: &[Unit], mesh: &Mesh) -> (Vec<Step>, Vec<Exchange>) {
    let mut steps = Vec::new();
    let mut exchanges: Vec<Exchange> = Vec::new();
    // Nodes with partial values that are not combined yet, in program order.
    let mut partial: Vec<NodeId> = Vec::new();
    for (position, unit) in units.iter().enumerate() {
        let id = UnitId::new(position);
        let reads = reads_of(context, unit);
        let needs: BTreeSet<NodeId> = reads
            .iter()
            .filter_map(|load| if let Source::Node(node) = load.source { Some(node) } else { None })
            .filter(|node| partial.contains(node))
            .collect();
        if !needs.is_empty() {
            // All pending partial values are combined together, not only those that this unit
            // needs.
            combine(context, &mut steps, std::mem::take(&mut partial));
        }
        if let Unit::Routine(node) = unit {
            for HaloBox { source, axes, loads } in halo_boxes(context, *node) {
                steps.push(Step::Exchange(ExchangeId::new(exchanges.len())));
                let parts = vec![ExchangePart { unit: id, axes, loads }];
                exchanges.push(Exchange { source, parts });
            }
            partial.extend(context.placements[node.index()].partial().is_some().then_some(*node));
        }
        if let Unit::Group(group) = unit {
            for (source, part) in parts_of(context, group, id) {
                match shared(&exchanges, source, &part, units, mesh) {
                    Some(exchange) => exchanges[exchange.index()].parts.push(part),
                    None => {
                        steps.push(Step::Exchange(ExchangeId::new(exchanges.len())));
                        exchanges.push(Exchange { source, parts: vec![part] });
                    }
                }
            }
            partial.extend(
                group
                    .members
                    .iter()
                    .map(|member| member.node)
                    .filter(|&node| context.placements[node.index()].partial().is_some()),
            );
        }
        steps.push(Step::Unit(id));
    }
    combine(context, &mut steps, partial);
    (start_early(steps, units, &exchanges), exchanges)
}

/// Moves each exchange before the last routine ahead of it, if what it sends is known by then: its
/// messages are under way while the routine runs. No exchange passes more than one routine, so the
/// memory for what arrives stays small.
fn start_early(steps: Vec<Step>, units: &[Unit], exchanges: &[Exchange]) -> Vec<Step> {
    let mut ordered: Vec<Step> = Vec::with_capacity(steps.len());
    // The place of the last routine.
    let mut routine: Option<usize> = None;
    for step in steps {
        let Step::Exchange(exchange) = step else {
            if let Step::Unit(unit) = step
                && matches!(units[unit.index()], Unit::Routine(_))
            {
                routine = Some(ordered.len());
            }
            ordered.push(step);
            continue;
        };
        let source = exchanges[exchange.index()].source;
        let is_known = |routine: usize| {
            !ordered[routine..].iter().any(|step| match step {
                Step::Combine(nodes) => nodes.iter().any(|&node| source == Source::Node(node)),
                Step::Unit(unit) => units[unit.index()].computes(source),
                Step::Exchange(_) => false,
            })
        };
        match routine.filter(|&routine| is_known(routine)) {
            Some(place) => {
                ordered.insert(place, step);
                routine = Some(place + 1);
            }
            None => ordered.push(step),
        }
    }
    ordered
}

/// One step for each set of mesh axes, monoid and dtypes, so that each is one coalesced collective.
fn combine(context: &Context<'_>, steps: &mut Vec<Step>, mut partial: Vec<NodeId>) {
    let key = |node: NodeId| {
        let (_, dtype) = context.graph.source(context.graph[node].inputs[0].source);
        (context.placements[node.index()].partial().cloned(), dtype, context.graph[node].dtype)
    };
    while let Some(&first) = partial.first() {
        let (together, rest) = partial.into_iter().partition(|&node| key(node) == key(first));
        steps.push(Step::Combine(together));
        partial = rest;
    }
}

/// The reads of a group that leave its blocks: one part for each value and direction of reading.
fn parts_of(context: &Context<'_>, group: &Group, unit: UnitId) -> Vec<(Source, ExchangePart)> {
    let space = group.space();
    let mut parts: Vec<(Source, ExchangePart)> = Vec::new();
    for read in &loads_of(context, group) {
        let Some(sharding) = context.sharding(read.source) else { continue };
        if is_aligned(sharding, &read.map, &space) {
            continue;
        }
        let known = parts.iter_mut().find(|(source, part)| {
            *source == read.source && same_direction(&part.loads[0].map, &read.map)
        });
        match known {
            Some((_, part)) => part.loads.push(read.clone()),
            None => {
                let part =
                    ExchangePart { unit, axes: group.axes.clone(), loads: vec![read.clone()] };
                parts.push((read.source, part));
            }
        }
    }
    parts
}

/// An exchange that can also serve `part`, if the joint box is no larger than both boxes together:
/// kernels that read the same neighbours fetch them once. If a routine runs between, the exchange
/// must fetch the box already: what comes later needs no memory before.
fn shared(
    exchanges: &[Exchange],
    source: Source,
    part: &ExchangePart,
    units: &[Unit],
    mesh: &Mesh,
) -> Option<ExchangeId> {
    // Only three devices are examined, so the time does not grow with the mesh.
    let devices = [0, mesh.devices() / 2, mesh.devices() - 1];
    let found = exchanges.iter().position(|exchange| {
        let first = exchange.parts[0].unit.index();
        let between = &units[first..part.unit.index()];
        let is_apart = between.iter().any(|unit| matches!(unit, Unit::Routine(_)));
        exchange.source == source
            && same_direction(&exchange.parts[0].loads[0].map, &part.loads[0].map)
            && devices.iter().all(|&device| {
                let coordinates = mesh.coordinates(device);
                let (a, b) = (exchange.need(mesh, &coordinates), part.need(mesh, &coordinates));
                let added = if is_apart { 0 } else { volume(&b) };
                volume(&bounding(&a, &b)) <= volume(&a) + added
            })
    });
    found.map(ExchangeId::new)
}
