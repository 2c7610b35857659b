//! The builder: its state for one device, and the steps of combinations, routines and selections.

use super::boxes::{Stored, copy_box};
use super::steps::{BlockAt, Instance, LocalStep, Memory, Packet, Routine, Together};
use crate::finalise::{Final, FinalStep, Place};
use crate::ids::LocalId;
use crate::plan::Plan;
use crate::routines::room;
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_ops::sharding::volume;
use phalanx_ops::structured::Operand;
use phalanx_ops::{Bytes, IndexBox, Mesh, Shape, Sharding};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Computes the steps of a device of the mesh.
pub(crate) fn instantiate(plan: &Plan, finished: &Final, mesh: &Mesh, device: usize) -> Instance {
    tracing::trace!(target: "phalanx::path", file = file!());
    let mut builder = Builder {
        plan,
        finished,
        mesh,
        device,
        coordinates: mesh.coordinates(device),
        instance: Instance::default(),
        slabs: vec![None; plan.exchanges.len()],
        packed: FxHashMap::default(),
        free: Vec::new(),
    };
    builder.instance.slots = finished
        .slots
        .iter()
        .map(|nodes| nodes.iter().map(|&node| builder.bytes_of(node)).max().unwrap_or_default())
        .collect();
    builder.instance.steps.reserve(2 * finished.steps.len());
    let mut kernel = 0;
    for (position, step) in finished.steps.iter().enumerate() {
        match step {
            FinalStep::Combine(nodes) => builder.combine(nodes),
            FinalStep::Exchange(exchange) => {
                let exchanged = &plan.exchanges[exchange.index()];
                let mut later = finished.steps[position..].iter();
                let consumer = later.find(|step| step.waits_for(exchanged, plan));
                builder.exchange(*exchange, &finished.steps[..position], consumer);
            }
            FinalStep::Launch(launch) => {
                builder.launch(step, launch, kernel);
                kernel += 1;
            }
            FinalStep::Routine(node) => builder.routine(step, *node),
            FinalStep::Compress(node) => builder.compress(*node),
        }
    }
    builder.instance
}

/// The state for a device, with the part of its instance that is built.
pub(super) struct Builder<'a> {
    pub plan: &'a Plan,
    pub finished: &'a Final,
    pub mesh: &'a Mesh,
    pub device: usize,
    pub coordinates: SmallVec<[usize; 4]>,
    pub instance: Instance,
    /// For each exchange that was started, its slabs.
    pub slabs: Vec<Option<Slabs>>,
    /// For each node whose shards hold items of several parts until they are combined, their
    /// buffer.
    pub packed: FxHashMap<NodeId, LocalId>,
    /// Local buffers whose contents no later step needs.
    pub free: Vec<LocalId>,
}

/// A box of a value that a device receives.
#[derive(Clone, Debug)]
pub(super) struct Slab {
    pub region: IndexBox,
    pub memory: Memory,
    /// What the memory holds: the box, or the block in which it lands.
    pub block: IndexBox,
}

impl Slab {
    /// The buffer of the box alone.
    pub fn buffer(&self) -> Option<LocalId> {
        if let Memory::Local(buffer) = self.memory { Some(buffer) } else { None }
    }
}

/// The slabs of an exchange.
#[derive(Clone, Debug)]
pub(super) struct Slabs {
    pub regions: Vec<Slab>,
    /// What must be copied once it has arrived.
    pub unpack: Vec<Packet>,
    /// Buffers of messages, which are free after the wait for the exchange.
    pub staging: Vec<LocalId>,
    /// Whether a unit has waited for them.
    pub has_arrived: bool,
}

impl<'a> Builder<'a> {
    /// A local buffer: a free one of the same size, or a new one.
    pub fn local(&mut self, bytes: Bytes) -> LocalId {
        let is_alike = |free: &LocalId| self.instance.locals[free.index()] == bytes;
        if let Some(place) = self.free.iter().position(is_alike) {
            return self.free.swap_remove(place);
        }
        self.instance.locals.push(bytes);
        LocalId::new(self.instance.locals.len() - 1)
    }

    pub fn block_of_node(&self, node: NodeId) -> IndexBox {
        let data = self.plan.node(node);
        self.plan.placements[node.index()].output.block(&data.shape, self.mesh, &self.coordinates)
    }

    pub fn bytes_of(&self, node: NodeId) -> Bytes {
        let data = self.plan.node(node);
        if matches!(data.op, NodeOp::Compress) {
            // All elements of the block may be selected.
            let (shape, _) = self.plan.graph.source(data.inputs[0].source);
            let block =
                self.plan.placements[node.index()].space.block(shape, self.mesh, &self.coordinates);
            return Bytes::of(volume(&block), data.dtype.size());
        }
        Bytes::of(volume(&self.block_of_node(node)), data.dtype.size())
    }

    pub fn memory(&self, place: Place) -> Memory {
        match place {
            Place::Slot(slot) => Memory::Slot(slot),
            Place::Leaf(leaf) => Memory::Leaf(leaf),
        }
    }

    pub fn memory_of(&self, source: Source) -> Memory {
        let place = match source {
            Source::Node(node) => self.finished.places[node.index()],
            Source::Leaf(leaf) => Some(Place::Leaf(leaf)),
            Source::Scalar(_) => None,
        };
        match place {
            Some(place) => self.memory(place),
            None => unreachable!("bug: {source:?} has no memory"),
        }
    }

    pub fn sharding(&self, source: Source) -> &'a Sharding {
        match source {
            Source::Node(node) => &self.plan.placements[node.index()].output,
            Source::Leaf(leaf) => &self.plan.leaves[leaf.index()],
            Source::Scalar(_) => unreachable!("bug: a scalar has no sharding"),
        }
    }

    pub fn block(&self, source: Source) -> IndexBox {
        self.sharding(source).block(self.plan.graph.source(source).0, self.mesh, &self.coordinates)
    }

    /// The bytes of an element of a source.
    pub fn item(&self, source: Source) -> usize {
        self.plan.graph.source(source).1.size()
    }

    fn combine(&mut self, nodes: &[NodeId]) {
        let Some((dtype, monoid)) = self.plan.combined_item(nodes[0]) else { return };
        let Some(partial) = self.plan.placements[nodes[0].index()].partial() else { return };
        let mesh_axes = partial.mesh_axes.clone();
        let mut parts: Vec<(Memory, Bytes)> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let items = volume(&self.block_of_node(node));
            let memory = match self.packed.get(&node) {
                Some(&buffer) => Memory::Local(buffer),
                None => self.memory_of(Source::Node(node)),
            };
            parts.push((memory, Bytes::of(items, monoid.item_size(dtype))));
        }
        let total = parts.iter().map(|part| part.1).sum();
        let together = (parts.len() > 1).then(|| Memory::Local(self.local(total)));
        self.instance.steps.push(LocalStep::Combine { parts, together, dtype, monoid, mesh_axes });
        for &node in nodes {
            let Some(&buffer) = self.packed.get(&node) else { continue };
            // The last part of a combined item is the value.
            let block = self.block_of_node(node);
            let item = self.plan.node(node).dtype.size();
            let items = Stored {
                memory: Memory::Local(buffer),
                block: &block,
                item: monoid.item_size(dtype),
                offset: monoid.part_offset(dtype, monoid.parts() - 1),
            };
            let value = Stored::whole(self.memory_of(Source::Node(node)), &block, item);
            self.instance.steps.push(LocalStep::Copy(copy_box(&items, &value, &block)));
        }
    }

    fn routine(&mut self, step: &FinalStep, node: NodeId) {
        let data = self.plan.node(node);
        let NodeOp::Structured(op) = data.op else {
            unreachable!("bug: a routine of no structured operation")
        };
        let block = |source: Source| {
            let (memory, dtype) = (self.memory_of(source), self.plan.graph.source(source).1);
            BlockAt::new(memory, dtype, &self.block(source))
        };
        let (mut operands, mut scalars) = (SmallVec::<[BlockAt; 3]>::new(), SmallVec::new());
        for input in &data.inputs {
            match input.source {
                Source::Scalar(scalar) => scalars.push(scalar),
                source => operands.push(block(source)),
            }
        }
        let to = block(Source::Node(node));
        operands.extend(self.halo(step));
        self.wait_for_slabs(step);
        let together = self.plan.placements[node.index()].together().map(|mesh_axes| {
            let largest: SmallVec<[Shape; 3]> =
                data.inputs.iter().map(|input| self.largest(input.source)).collect();
            let members = mesh_axes.iter().map(|&axis| self.mesh.extent(axis.into())).product();
            let sizes = {
                let pairs = largest.iter().zip(&operands);
                let pairs: Vec<Operand<'_>> =
                    pairs.map(|(shape, at)| (&**shape, at.dtype)).collect();
                room(&op, &pairs, members)
            };
            let room = sizes.into_iter().map(|bytes| self.local(bytes)).collect();
            Together { mesh_axes: SmallVec::from_slice(mesh_axes), largest, room }
        });
        let room = together.as_ref().map_or_else(Vec::new, |together| together.room.clone());
        let routine = Routine { node, op, operands, scalars, to, together };
        self.instance.steps.push(LocalStep::Routine(Box::new(routine)));
        self.free.extend(room);
        self.free_slabs(step);
    }

    /// The slabs that are fetched for a routine, which follow its operands.
    fn halo(&self, step: &FinalStep) -> Vec<BlockAt> {
        let mut fetched = Vec::new();
        for (id, exchange) in self.plan.numbered_exchanges() {
            if step.waits_for(exchange, self.plan)
                && let Some(slabs) = &self.slabs[id.index()]
            {
                let dtype = self.plan.graph.source(exchange.source).1;
                let slabs = slabs.regions.iter();
                fetched.extend(slabs.map(|slab| BlockAt::new(slab.memory, dtype, &slab.region)));
            }
        }
        fetched
    }

    /// Extents that no block of a source exceeds.
    fn largest(&self, source: Source) -> Shape {
        let shape = self.plan.graph.source(source).0;
        let axes = self.sharding(source).axes.iter().zip(shape);
        axes.map(|(split, &extent)| match split {
            Some(split) => split.bounds.largest_block(),
            None => extent,
        })
        .collect()
    }

    fn compress(&mut self, node: NodeId) {
        let data = self.plan.node(node);
        let (shape, _) = self.plan.graph.source(data.inputs[0].source);
        let space = &self.plan.placements[node.index()].space;
        self.instance.steps.push(LocalStep::Compress {
            node,
            value: self.memory_of(data.inputs[0].source),
            mask: self.memory_of(data.inputs[1].source),
            to: self.memory_of(Source::Node(node)),
            count: volume(&space.block(shape, self.mesh, &self.coordinates)),
            item: data.dtype.size(),
            is_split: !space.is_replicated(),
        });
    }
}
