//! Places: the memory of each value.

use super::finished::{Final, FinalCopy, FinalLaunch, FinalStep, Place, routines_at_end};
use super::kept::{Kept, Uses, partly_written};
use super::landing::landing;
use super::overwrite::may_overwrite;
use crate::build::{Buffer, Built, BuiltAccess};
use crate::fuse::{Group, Unit, overwritten};
use crate::ids::{SlotId, UnitId};
use crate::plan::{Plan, Step};
use phalanx_graph::{Input, LeafId, NodeId, NodeOp, Source};
use phalanx_ops::Bytes;

/// Slots and leaves, with the last step that uses each.
struct Memory<'a> {
    plan: &'a Plan,
    slots: Vec<Vec<NodeId>>,
    busy_until: Vec<usize>,
    leaf_busy_until: Vec<usize>,
    places: Vec<Option<Place>>,
    /// See `Final::alike`.
    alike: Vec<(NodeId, Source)>,
}

impl Memory<'_> {
    fn place(&self, source: Source) -> Option<Place> {
        match source {
            Source::Node(node) => self.places[node.index()],
            Source::Leaf(leaf) => Some(Place::Leaf(leaf)),
            Source::Scalar(_) => None,
        }
    }

    fn busy_until(&mut self, place: Place) -> &mut usize {
        match place {
            Place::Slot(slot) => &mut self.busy_until[slot.index()],
            Place::Leaf(leaf) => &mut self.leaf_busy_until[leaf.index()],
        }
    }

    fn put(&mut self, node: NodeId, place: Place, last_use: usize, now: usize) {
        self.places[node.index()] = Some(place);
        let busy = self.busy_until(place);
        *busy = if *busy == usize::MAX { usize::MAX } else { last_use.max(now) };
        if let Place::Slot(slot) = place {
            self.slots[slot.index()].push(node);
        }
    }

    /// Memory for a node computed at step `now`: a free slot or leaf of the same size, or a new
    /// slot.
    fn allocate(&mut self, node: NodeId, last_use: usize, now: usize) -> Place {
        let size = self.largest(node);
        let free = (0..self.slots.len())
            .find(|&slot| self.busy_until[slot] < now && self.largest(self.slots[slot][0]) == size);
        if free.is_none()
            && let Some(leaf) = self.free_leaf(node, now)
        {
            self.put(node, Place::Leaf(leaf), last_use, now);
            self.alike.push((node, Source::Leaf(leaf)));
            return Place::Leaf(leaf);
        }
        let slot = free.unwrap_or_else(|| {
            self.slots.push(Vec::new());
            self.busy_until.push(0);
            self.slots.len() - 1
        });
        self.busy_until[slot] = now;
        let place = Place::Slot(SlotId::new(slot));
        self.put(node, place, last_use, now);
        place
    }

    /// A leaf that no step from `now` on reads and whose blocks are as large as the node's.
    fn free_leaf(&self, node: NodeId, now: usize) -> Option<LeafId> {
        let data = self.plan.node(node);
        let placement = &self.plan.placements[node.index()];
        let fits = |leaf: LeafId| {
            let (shape, dtype) = self.plan.graph.source(Source::Leaf(leaf));
            self.leaf_busy_until[leaf.index()] < now
                && shape == data.shape.as_slice()
                && dtype.size() == data.dtype.size()
                && self.plan.leaves[leaf.index()] == placement.output
        };
        let mut leaves = (0..self.plan.leaves.len()).map(LeafId::new);
        // The size of a selection is not known yet.
        let is_known = placement.partial().is_none() && !matches!(data.op, NodeOp::Compress);
        leaves.find(|&leaf| is_known && fits(leaf))
    }

    /// The size of the largest block of a node, and the number of elements of the node.
    fn largest(&self, node: NodeId) -> (Bytes, usize) {
        let data = self.plan.node(node);
        let output = &self.plan.placements[node.index()].output;
        let block = Bytes::of(output.largest_block(&data.shape), data.dtype.size());
        (block, phalanx_ops::shape::size(&data.shape))
    }
}

/// Assigns a place to every value of the steps that run.
pub(super) fn assign(plan: &Plan, kept: Vec<Kept>, uses: Uses) -> Final {
    let nodes = plan.graph.nodes.len();
    let mut memory = Memory {
        plan,
        slots: Vec::new(),
        busy_until: Vec::new(),
        leaf_busy_until: uses.leaves,
        places: vec![None; nodes],
        alike: Vec::new(),
    };
    let mut landings = vec![None; plan.exchanges.len()];
    let landing = |(position, step): (usize, &Kept)| match step {
        Kept::Step(Step::Exchange(id)) => landing(plan, &kept[position..], *id),
        _ => None,
    };
    let landed: Vec<Option<NodeId>> = kept.iter().enumerate().map(landing).collect();
    let mut steps = Vec::new();
    // For each of the steps, its position among the kept ones.
    let mut positions: Vec<usize> = Vec::new();
    for (now, step) in kept.into_iter().enumerate() {
        match step {
            Kept::Step(Step::Combine(nodes)) => steps.push(FinalStep::Combine(nodes)),
            Kept::Step(Step::Exchange(exchange)) => {
                if let Some(node) = landed[now] {
                    let first = steps.len() - routines_at_end(&steps).count();
                    let first = positions.get(first).copied().unwrap_or(now);
                    memory.allocate(node, uses.nodes[node.index()].max(now), first);
                    landings[exchange.index()] = Some(node);
                }
                steps.push(FinalStep::Exchange(exchange));
            }
            Kept::Step(Step::Unit(unit)) => match &plan.units[unit.index()] {
                Unit::Reshape(node) => {
                    // The same memory under another shape.
                    let Some(place) = memory.place(plan.node(*node).inputs[0].source) else {
                        unreachable!("bug: a reshape of a value that does not exist")
                    };
                    let until = (*memory.busy_until(place)).max(uses.nodes[node.index()]);
                    memory.places[node.index()] = Some(place);
                    *memory.busy_until(place) = until;
                }
                Unit::Routine(node) => {
                    let until = uses.nodes[node.index()];
                    match over_operand(plan, &mut memory, *node, now) {
                        Some(place) => memory.put(*node, place, until, now),
                        None => {
                            memory.allocate(*node, until, now);
                        }
                    }
                    steps.push(FinalStep::Routine(*node));
                }
                Unit::Compress(node) => {
                    memory.allocate(*node, uses.nodes[node.index()], now);
                    steps.push(FinalStep::Compress(*node));
                }
                Unit::Group(_) => unreachable!("bug: groups are kept as launches"),
            },
            Kept::Launch(built, unit) => {
                let launch = launch(plan, &mut memory, *built, unit, now, &uses.nodes);
                steps.push(FinalStep::Launch(Box::new(launch)));
            }
        }
        positions.resize(steps.len(), now);
    }
    let (slots, places) = (memory.slots.into(), memory.places.into());
    Final { steps, slots, places, landings: landings.into(), alike: memory.alike.into() }
}

/// The place of the operand that a structured operation may overwrite, if no later step reads it.
fn over_operand(plan: &Plan, memory: &mut Memory<'_>, node: NodeId, now: usize) -> Option<Place> {
    let data = plan.node(node);
    let operand = overwritten(data)?;
    let place = memory.place(operand)?;
    let is_there = |input: &&Input| memory.place(input.source) == Some(place);
    let others = data.inputs.iter().filter(is_there).count() > 1;
    let fits = plan.layout(operand) == plan.layout(Source::Node(node));
    let is_free = fits && !others && *memory.busy_until(place) <= now;
    memory.alike.extend(is_free.then_some((node, operand)));
    is_free.then_some(place)
}

/// Assigns places to the outputs of a kernel: over an input with no later use if that is safe,
/// otherwise in a slot.
fn launch(
    plan: &Plan,
    memory: &mut Memory<'_>,
    built: Built,
    unit: UnitId,
    now: usize,
    last_use: &[usize],
) -> FinalLaunch {
    let Some(group) = plan.group(unit) else { unreachable!("bug: only groups are launched") };
    let mut outputs: Vec<NodeId> = Vec::new();
    for access in &built.accesses {
        if let Buffer::Output(node) = access.buffer
            && !outputs.contains(&node)
        {
            outputs.push(node);
        }
    }
    let (mut copies, mut tables, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    for node in outputs {
        if memory.places[node.index()].is_some() {
            // Its messages have arrived there.
            continue;
        }
        let data = plan.node(node);
        let until = last_use[node.index()];
        let own = plan.layout(Source::Node(node));
        let candidates = match &data.op {
            NodeOp::Accumulate { .. } => {
                tables.push(node);
                Vec::new()
            }
            NodeOp::Update(_) if is_written(group, node) => {
                memory.place(data.inputs[0].source).into_iter().collect()
            }
            _ => dying_values(plan, memory, &built, node),
        };
        let safe = candidates.into_iter().find_map(|place| {
            if *memory.busy_until(place) > now {
                return None;
            }
            let apart = may_overwrite(&built, group, node, |buffer| {
                let source = value_of(buffer);
                let is_there = memory.place(source) == Some(place);
                is_there.then(|| plan.layout(source) == own)
            })?;
            Some((place, apart))
        });
        match safe {
            Some((place, more)) => {
                let read = built.accesses.iter().map(|access| value_of(&access.buffer));
                let read = read.chain(data.inputs.iter().map(|input| input.source));
                let shared: Vec<(NodeId, Source)> = read
                    .filter(|&value| memory.place(value) == Some(place))
                    .filter(|&value| plan.layout(value) == own)
                    .map(|value| (node, value))
                    .collect();
                memory.alike.extend(shared);
                memory.put(node, place, until, now);
                apart.extend(more);
            }
            None => {
                let place = memory.allocate(node, until, now);
                debug_assert!(memory.places[node.index()] == Some(place));
                if let Some(source) = partly_written(plan, group, node) {
                    let Some(from) = memory.place(source) else {
                        unreachable!("bug: an update of a value that does not exist")
                    };
                    copies.push(FinalCopy { from, source, node });
                }
            }
        }
    }
    let (copies, tables, apart) = (copies.into(), tables.into(), apart.into());
    FinalLaunch { unit, built, copies, tables, apart }
}

/// The value in a buffer.
fn value_of(buffer: &Buffer) -> Source {
    match *buffer {
        Buffer::Input(source) => source,
        Buffer::Output(node) | Buffer::OutputPart(node, _) => Source::Node(node),
    }
}

/// The places of values that the kernel loads and whose layout is the node's: inputs, and values
/// that earlier loops of the kernel stored.
fn dying_values(plan: &Plan, memory: &Memory<'_>, built: &Built, node: NodeId) -> Vec<Place> {
    let own = plan.layout(Source::Node(node));
    if plan.placements[node.index()].partial().is_some() {
        return Vec::new();
    }
    let place = |access: &BuiltAccess| {
        let source = match access.buffer {
            Buffer::Input(source) => source,
            Buffer::Output(other) if other != node => Source::Node(other),
            Buffer::Output(_) | Buffer::OutputPart(..) => return None,
        };
        memory.place(source).filter(|_| plan.layout(source) == own)
    };
    built.accesses.iter().filter_map(place).collect()
}

/// Whether a node is an update that is written through its view, not selected.
fn is_written(group: &Group, node: NodeId) -> bool {
    group.members.iter().any(|member| member.node == node && !member.is_selected)
}
