//! Finalising: what of a plan has to run given what the program can still observe, and where its values lie in memory.
//!
//! Local to a process. May drop stores and launches that no live value and no collective needs, and choose slots; never
//! adds, drops, resizes or reorders a collective.

use crate::build::{Buffer, Built, build};
use crate::fuse::{Group, Unit};
use crate::plan::{Plan, Step};
use phalanx_array::{NodeOp, Source};
use phalanx_ops::AffineMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// In memory of the plan.
    Slot(usize),
    /// In a leaf's memory.
    Leaf(u32),
}

/// A plan made definite.
pub(crate) struct Final {
    pub steps: Vec<FinalStep>,
    /// For each slot, the nodes whose values it holds, one after the other.
    pub slots: Arc<[Vec<u32>]>,
    /// Where each node's value lies, if it exists.
    pub places: Arc<[Option<Place>]>,
}

impl Final {
    /// The same for a plan with other numbers, if its kernels are right for them.
    pub fn refilled(&self, plan: &Plan) -> Option<Final> {
        let step = |step: &FinalStep| {
            Some(match step {
                FinalStep::Launch(launch) => {
                    let Unit::Group(group) = &plan.units[launch.unit] else {
                        unreachable!("bug: only groups are launched")
                    };
                    FinalStep::Launch(Box::new(FinalLaunch {
                        unit: launch.unit,
                        built: launch.built.refilled(&plan.graph, group)?,
                        copies: launch.copies.clone(),
                        tables: launch.tables.clone(),
                    }))
                }
                FinalStep::Combine(nodes) => FinalStep::Combine(nodes.clone()),
                FinalStep::Exchange(exchange) => FinalStep::Exchange(*exchange),
                FinalStep::Matmul(node) => FinalStep::Matmul(*node),
                FinalStep::Compress(node) => FinalStep::Compress(*node),
            })
        };
        let steps = self.steps.iter().map(step).collect::<Option<Vec<_>>>()?;
        Some(Final { steps, slots: self.slots.clone(), places: self.places.clone() })
    }
}

/// A step that runs.
pub(crate) enum FinalStep {
    /// See `Step::Combine`.
    Combine(Vec<u32>),
    /// See `Step::Exchange`.
    Exchange(usize),
    /// A kernel.
    Launch(Box<FinalLaunch>),
    /// A matrix product.
    Matmul(u32),
    /// A selection by a mask.
    Compress(u32),
}

/// A kernel with what must be prepared for it.
pub(crate) struct FinalLaunch {
    pub unit: usize,
    pub built: Built,
    /// Updates into a new slot: what they leave unwritten is copied from the old value first.
    pub copies: Arc<[FinalCopy]>,
    /// Tables, which start as zeros.
    pub tables: Arc<[u32]>,
}

/// The copy of what an update leaves unwritten.
#[derive(Clone)]
pub(crate) struct FinalCopy {
    pub from: Place,
    pub source: Source,
    pub node: u32,
}

/// What the program can still observe.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Liveness {
    /// For each node of the plan's graph, whether a handle refers to it.
    pub nodes: Vec<bool>,
    /// For each leaf, whether its memory may be overwritten.
    pub donated: Vec<bool>,
}

/// Makes a plan definite.
pub(crate) fn finalise(plan: &Plan, liveness: &Liveness) -> Final {
    let (kept, last_use) = needed(plan, liveness);
    assign(plan, liveness, kept, last_use)
}

enum Kept {
    Step(Step),
    Launch(Box<Built>, usize),
}

/// The steps that are needed, and the last of them that reads each node (`usize::MAX` if it outlives the plan).
fn needed(plan: &Plan, liveness: &Liveness) -> (Vec<Kept>, Uses) {
    let context = plan.context();
    let mut wanted: BTreeSet<u32> =
        (0..plan.graph.nodes.len() as u32).filter(|&node| liveness.nodes[node as usize]).collect();
    let mut kept: Vec<Kept> = Vec::new();
    for step in plan.steps.iter().rev() {
        match step {
            Step::Combine(nodes) => {
                wanted.extend(nodes);
                kept.push(Kept::Step(step.clone()));
            }
            Step::Exchange(exchange) => {
                if let Source::Node(node) = plan.exchanges[*exchange].source {
                    wanted.insert(node);
                }
                kept.push(Kept::Step(step.clone()));
            }
            Step::Unit(position) => match &plan.units[*position] {
                Unit::Group(group) => {
                    let stored: BTreeSet<u32> = group
                        .members
                        .iter()
                        .map(|member| member.node)
                        .filter(|node| wanted.contains(node))
                        .collect();
                    if stored.is_empty() {
                        continue;
                    }
                    let built = build(&context, group, &stored);
                    wanted.extend(built.reloaded.iter());
                    for read in reads(plan, group, &built) {
                        if let Source::Node(node) = read {
                            wanted.insert(node);
                        }
                    }
                    kept.push(Kept::Launch(Box::new(built), *position));
                }
                Unit::Reshape(node) | Unit::Matmul(node) | Unit::Compress(node) => {
                    if wanted.contains(node) {
                        for input in &plan.node(*node).inputs {
                            if let Source::Node(from) = input.source {
                                wanted.insert(from);
                            }
                        }
                        kept.push(Kept::Step(step.clone()));
                    }
                }
            },
        }
    }
    kept.reverse();
    let mut uses = Uses {
        nodes: liveness.nodes.iter().map(|&live| if live { usize::MAX } else { 0 }).collect(),
        leaves: liveness
            .donated
            .iter()
            .map(|&donated| if donated { 0 } else { usize::MAX })
            .collect(),
    };
    for (position, step) in kept.iter().enumerate() {
        match step {
            Kept::Step(Step::Combine(nodes)) => {
                nodes.iter().for_each(|&node| uses.read(Source::Node(node), position));
            }
            // What is sent must stay as it is until the unit that waits for the exchange; that one reads it anyway or
            // is found here through the exchange.
            Kept::Step(Step::Exchange(exchange)) => {
                uses.read(plan.exchanges[*exchange].source, position)
            }
            Kept::Step(Step::Unit(unit)) => match &plan.units[*unit] {
                Unit::Reshape(node) | Unit::Matmul(node) | Unit::Compress(node) => {
                    plan.node(*node)
                        .inputs
                        .iter()
                        .for_each(|input| uses.read(input.source, position));
                }
                Unit::Group(_) => unreachable!("bug: groups are kept as launches"),
            },
            Kept::Launch(built, unit) => {
                let Unit::Group(group) = &plan.units[*unit] else {
                    unreachable!("bug: only groups are launched")
                };
                reads(plan, group, built)
                    .into_iter()
                    .for_each(|source| uses.read(source, position));
                for exchange in plan.exchanges.iter().filter(|exchange| exchange.is_for(*unit)) {
                    uses.read(exchange.source, position);
                }
            }
        }
    }
    (kept, uses)
}

struct Uses {
    nodes: Vec<usize>,
    leaves: Vec<usize>,
}

impl Uses {
    fn read(&mut self, source: Source, position: usize) {
        let last = match source {
            Source::Node(node) => &mut self.nodes[node as usize],
            Source::Leaf(leaf) => &mut self.leaves[leaf as usize],
            Source::Scalar(_) => return,
        };
        *last = (*last).max(position);
    }
}

/// The values a built kernel reads, those included that its updates leave unwritten.
fn reads(plan: &Plan, group: &Group, built: &Built) -> Vec<Source> {
    let mut sources = Vec::new();
    for access in &built.accesses {
        match &access.buffer {
            Buffer::Input(source) => sources.push(*source),
            Buffer::Output(node) => sources.extend(partly_written(plan, group, *node)),
            Buffer::OutputIndex(_) => {}
        }
    }
    sources
}

/// The old value of an update that does not write everything.
fn partly_written(plan: &Plan, group: &Group, node: u32) -> Option<Source> {
    let data = plan.node(node);
    let is_member = group.members.iter().any(|member| member.node == node && !member.is_selected);
    match &data.op {
        NodeOp::Update(map) if is_member && !map.is_identity(&data.shape) => {
            Some(data.inputs[0].source)
        }
        _ => None,
    }
}

/// Slots, with the step until which each is in use.
struct Memory<'a> {
    plan: &'a Plan,
    slots: Vec<Vec<u32>>,
    busy_until: Vec<usize>,
    leaf_busy_until: Vec<usize>,
    places: Vec<Option<Place>>,
}

impl Memory<'_> {
    fn place(&self, source: Source) -> Option<Place> {
        match source {
            Source::Node(node) => self.places[node as usize],
            Source::Leaf(leaf) => Some(Place::Leaf(leaf)),
            Source::Scalar(_) => None,
        }
    }

    fn busy_until(&mut self, place: Place) -> &mut usize {
        match place {
            Place::Slot(slot) => &mut self.busy_until[slot],
            Place::Leaf(leaf) => &mut self.leaf_busy_until[leaf as usize],
        }
    }

    fn put(&mut self, node: u32, place: Place, last_use: usize, now: usize) {
        self.places[node as usize] = Some(place);
        let busy = self.busy_until(place);
        *busy = if *busy == usize::MAX { usize::MAX } else { last_use.max(now) };
        if let Place::Slot(slot) = place {
            self.slots[slot].push(node);
        }
    }

    /// Memory for a node made at step `now`: a slot or a leaf of the same size that is free by then, else a new slot.
    fn allocate(&mut self, node: u32, last_use: usize, now: usize) -> Place {
        let size = self.largest(node);
        let free = (0..self.slots.len())
            .find(|&slot| self.busy_until[slot] < now && self.largest(self.slots[slot][0]) == size);
        if free.is_none()
            && let Some(leaf) = self.free_leaf(node, now)
        {
            self.put(node, Place::Leaf(leaf), last_use, now);
            return Place::Leaf(leaf);
        }
        let slot = free.unwrap_or_else(|| {
            self.slots.push(Vec::new());
            self.busy_until.push(0);
            self.slots.len() - 1
        });
        self.busy_until[slot] = now;
        self.put(node, Place::Slot(slot), last_use, now);
        Place::Slot(slot)
    }

    /// A leaf that nobody reads from step `now` on and whose blocks are as large as the node's.
    fn free_leaf(&self, node: u32, now: usize) -> Option<u32> {
        let data = self.plan.node(node);
        let placement = &self.plan.placements[node as usize];
        let fits = |leaf: u32| {
            let (shape, dtype) = self.plan.graph.source(Source::Leaf(leaf));
            self.leaf_busy_until[leaf as usize] < now
                && shape == data.shape.as_slice()
                && dtype.size() == data.dtype.size()
                && self.plan.leaves[leaf as usize] == placement.output
        };
        let mut leaves = 0..self.plan.leaves.len() as u32;
        // The blocks of a selection are not yet known.
        let is_known = placement.partial.is_none() && !matches!(data.op, NodeOp::Compress);
        leaves.find(|&leaf| is_known && fits(leaf))
    }

    fn largest(&self, node: u32) -> (usize, usize) {
        let data = self.plan.node(node);
        let output = &self.plan.placements[node as usize].output;
        (
            output.largest_block(&data.shape) * data.dtype.size(),
            phalanx_ops::shape::size(&data.shape),
        )
    }
}

fn assign(plan: &Plan, _liveness: &Liveness, kept: Vec<Kept>, uses: Uses) -> Final {
    let nodes = plan.graph.nodes.len();
    let mut memory = Memory {
        plan,
        slots: Vec::new(),
        busy_until: Vec::new(),
        leaf_busy_until: uses.leaves,
        places: vec![None; nodes],
    };
    let mut steps = Vec::new();
    for (now, step) in kept.into_iter().enumerate() {
        match step {
            Kept::Step(Step::Combine(nodes)) => steps.push(FinalStep::Combine(nodes)),
            Kept::Step(Step::Exchange(exchange)) => steps.push(FinalStep::Exchange(exchange)),
            Kept::Step(Step::Unit(unit)) => match &plan.units[unit] {
                Unit::Reshape(node) => {
                    // The same memory under another shape.
                    let Some(place) = memory.place(plan.node(*node).inputs[0].source) else {
                        unreachable!("bug: a reshape of a value that does not exist")
                    };
                    let until = (*memory.busy_until(place)).max(uses.nodes[*node as usize]);
                    memory.places[*node as usize] = Some(place);
                    *memory.busy_until(place) = until;
                }
                Unit::Matmul(node) => {
                    memory.allocate(*node, uses.nodes[*node as usize], now);
                    steps.push(FinalStep::Matmul(*node));
                }
                Unit::Compress(node) => {
                    memory.allocate(*node, uses.nodes[*node as usize], now);
                    steps.push(FinalStep::Compress(*node));
                }
                Unit::Group(_) => unreachable!("bug: groups are kept as launches"),
            },
            Kept::Launch(built, unit) => {
                let launch = launch(plan, &mut memory, *built, unit, now, &uses.nodes);
                steps.push(FinalStep::Launch(Box::new(launch)));
            }
        }
    }
    Final { steps, slots: memory.slots.into(), places: memory.places.into() }
}

/// Places the outputs of a kernel: over an input that ends here if that is safe, else in a slot.
fn launch(
    plan: &Plan,
    memory: &mut Memory<'_>,
    built: Built,
    unit: usize,
    now: usize,
    last_use: &[usize],
) -> FinalLaunch {
    let Unit::Group(group) = &plan.units[unit] else {
        unreachable!("bug: only groups are launched")
    };
    let mut outputs: Vec<(u32, AffineMap)> = Vec::new();
    for access in &built.accesses {
        if let Buffer::Output(node) = access.buffer
            && !outputs.iter().any(|(known, _)| *known == node)
        {
            outputs.push((node, access.map.clone()));
        }
    }
    let (mut copies, mut tables) = (Vec::new(), Vec::new());
    // Only with one store and no loops is every load of a point known to come before its store.
    let may_overwrite = outputs.len() == 1 && group.axes.iter().all(|axis| axis.level == 0);
    for (node, store) in outputs {
        let data = plan.node(node);
        let until = last_use[node as usize];
        let candidate = match &data.op {
            NodeOp::Accumulate { .. } => {
                tables.push(node);
                None
            }
            NodeOp::Update(_) if is_written(group, node) => memory.place(data.inputs[0].source),
            _ => dying_input(plan, memory, &built, node, now),
        };
        let safe = candidate.filter(|&place| {
            may_overwrite
                && *memory.busy_until(place) <= now
                && loads_only_at(plan, &built, memory, place, (node, &store))
        });
        match safe {
            Some(place) => memory.put(node, place, until, now),
            None => {
                let place = memory.allocate(node, until, now);
                debug_assert!(memory.places[node as usize] == Some(place));
                if let Some(source) = partly_written(plan, group, node) {
                    let Some(from) = memory.place(source) else {
                        unreachable!("bug: an update of a value that does not exist")
                    };
                    copies.push(FinalCopy { from, source, node });
                }
            }
        }
    }
    FinalLaunch { unit, built, copies: copies.into(), tables: tables.into() }
}

/// An input of the kernel that nothing reads later and whose blocks have the size of the node's.
fn dying_input(
    plan: &Plan,
    memory: &mut Memory<'_>,
    built: &Built,
    node: u32,
    now: usize,
) -> Option<Place> {
    let data = plan.node(node);
    let placement = &plan.placements[node as usize];
    if placement.partial.is_some() {
        return None;
    }
    for access in &built.accesses {
        let Buffer::Input(source) = access.buffer else { continue };
        let (shape, dtype) = plan.graph.source(source);
        let sharding = match source {
            Source::Node(from) => &plan.placements[from as usize].output,
            Source::Leaf(leaf) => &plan.leaves[leaf as usize],
            Source::Scalar(_) => continue,
        };
        if shape == data.shape.as_slice()
            && dtype.size() == data.dtype.size()
            && sharding == &placement.output
            && let Some(place) = memory.place(source)
            && *memory.busy_until(place) <= now
        {
            return Some(place);
        }
    }
    None
}

/// Whether every load of what lies at `place` is of the very element that is stored there for `node`.
fn loads_only_at(
    plan: &Plan,
    built: &Built,
    memory: &Memory<'_>,
    place: Place,
    (node, store): (u32, &AffineMap),
) -> bool {
    let layout = |source: Source| {
        let (shape, dtype) = plan.graph.source(source);
        let sharding = match source {
            Source::Node(from) => Some(&plan.placements[from as usize].output),
            Source::Leaf(leaf) => Some(&plan.leaves[leaf as usize]),
            Source::Scalar(_) => None,
        };
        (shape, dtype.size(), sharding)
    };
    built.accesses.iter().all(|access| match access.buffer {
        // A guarded load is of the element itself only where its guard holds; it is not looked at more closely.
        Buffer::Input(source) => {
            memory.place(source) != Some(place)
                || (access.map.axes == store.axes
                    && access.guard.is_none()
                    && layout(source) == layout(Source::Node(node)))
        }
        Buffer::Output(_) | Buffer::OutputIndex(_) => true,
    })
}

/// Whether a node is an update that is written through its view, not computed as a selection.
fn is_written(group: &Group, node: u32) -> bool {
    group.members.iter().any(|member| member.node == node && !member.is_selected)
}
