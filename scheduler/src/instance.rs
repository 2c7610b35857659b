//! Instances: a finalised plan as one device runs it, with every box, offset and message worked
//! out.

use crate::build::{Buffer, Built, BuiltAccess, ScalarSource};
use crate::finalise::{Final, FinalCopy, FinalLaunch, FinalStep, Place};
use crate::fuse::{Group, Unit};
use crate::plan::{Exchange, Plan, read_box, space_box};
use phalanx_array::{NodeOp, Source};
use phalanx_distributed::{image, pieces_from, pieces_to, preimage_range};
use phalanx_ops::sharding::{intersect, is_empty, subtract, volume};
use phalanx_ops::{AffineMap, AxisMap, DType, IndexBox, Mesh, Monoid, Sharding};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Memory that a step touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// A slot of the plan.
    Slot(usize),
    /// The device's shard of a leaf.
    Leaf(u32),
    /// A buffer of this device alone: a slab or a message.
    Local(usize),
}

/// A strided place in memory.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct At {
    pub memory: Memory,
    pub offset: isize,
    pub strides: SmallVec<[isize; 4]>,
}

/// A copy of a box of items.
#[derive(Clone, Debug)]
pub(crate) struct CopyBox {
    pub from: At,
    pub to: At,
    pub extents: SmallVec<[usize; 4]>,
    pub item: usize,
}

/// A message to or from another device: bytes of some memory.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub peer: usize,
    pub memory: Memory,
    pub offset: usize,
    pub bytes: usize,
}

/// What a device does.
#[derive(Clone, Debug)]
pub(crate) enum LocalStep {
    /// Packs and starts an exchange.
    Start { exchange: usize, pack: Vec<CopyBox>, sends: Vec<Packet>, receives: Vec<Packet> },
    /// Waits for an exchange and unpacks.
    Wait { exchange: usize, unpack: Vec<CopyBox> },
    /// Launches kernel `kernel` (a position among the plan's launches) on a box.
    Launch {
        kernel: usize,
        extents: SmallVec<[usize; 4]>,
        origins: SmallVec<[i64; 4]>,
        accesses: Vec<At>,
        guards: Vec<Vec<(i64, i64)>>,
        scalars: Arc<[ScalarSource]>,
    },
    /// Sets a table to zeros.
    Zero { memory: Memory, bytes: usize },
    /// Copies a box.
    Copy(CopyBox),
    /// Combines shards over mesh axes.
    /// Several parts go through `together`, so that they are one collective.
    Combine {
        parts: Vec<(Memory, usize)>,
        together: Option<Memory>,
        dtype: DType,
        monoid: Monoid,
        mesh_axes: SmallVec<[u8; 2]>,
    },
    /// Multiplies matrices of `m × k` and `k × n` elements.
    Matmul { a: Memory, b: Memory, to: Memory, sizes: [usize; 3], dtype: DType },
    /// Selects by a mask.
    Compress {
        node: u32,
        value: Memory,
        mask: Memory,
        to: Memory,
        count: usize,
        item: usize,
        is_split: bool,
    },
}

impl LocalStep {
    /// Whether the device tells others something.
    pub fn communicates(&self) -> bool {
        match self {
            LocalStep::Start { sends, receives, .. } => !sends.is_empty() || !receives.is_empty(),
            LocalStep::Combine { .. } => true,
            LocalStep::Compress { is_split, .. } => *is_split,
            LocalStep::Wait { .. }
            | LocalStep::Launch { .. }
            | LocalStep::Zero { .. }
            | LocalStep::Copy(_)
            | LocalStep::Matmul { .. } => false,
        }
    }
}

/// A plan on one device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    /// Bytes of each slot.
    pub slots: Vec<usize>,
    /// Bytes of each local buffer.
    pub locals: Vec<usize>,
    pub steps: Vec<LocalStep>,
}

/// Works out what a device of the mesh does.
pub(crate) fn instantiate(plan: &Plan, finished: &Final, mesh: &Mesh, device: usize) -> Instance {
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
        .map(|nodes| nodes.iter().map(|&node| builder.bytes_of(node)).max().unwrap_or(0))
        .collect();
    builder.instance.steps.reserve(2 * finished.steps.len());
    let mut kernel = 0;
    for (position, step) in finished.steps.iter().enumerate() {
        match step {
            FinalStep::Combine(nodes) => builder.combine(nodes),
            FinalStep::Exchange(exchange) => {
                let exchanged = &plan.exchanges[*exchange];
                let consumer = finished.steps[position..].iter().find_map(|later| match later {
                    FinalStep::Launch(launch) if exchanged.is_for(launch.unit) => Some(launch),
                    _ => None,
                });
                builder.exchange(*exchange, consumer.map(|launch| &**launch));
            }
            FinalStep::Launch(launch) => {
                builder.launch(launch, kernel);
                kernel += 1;
            }
            FinalStep::Matmul(node) => builder.matmul(*node),
            FinalStep::Compress(node) => builder.compress(*node),
        }
    }
    builder.instance
}

struct Builder<'a> {
    plan: &'a Plan,
    finished: &'a Final,
    mesh: &'a Mesh,
    device: usize,
    coordinates: SmallVec<[usize; 4]>,
    instance: Instance,
    /// For each exchange, the slabs with their buffers, and what is to be unpacked when they have
    /// arrived.
    slabs: Vec<Option<Slabs>>,
    /// For each node whose shards carry more than its element until they are combined, their
    /// buffer.
    packed: FxHashMap<u32, usize>,
    /// Local buffers that no later step needs as they are.
    free: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Slabs {
    regions: Vec<(IndexBox, usize)>,
    unpack: Vec<CopyBox>,
    /// Buffers of messages, which are free once the exchange has been waited for.
    staging: Vec<usize>,
    /// Whether a unit has waited for them.
    has_arrived: bool,
}

/// How a value is stored: its block, and its items.
struct Stored<'a> {
    block: &'a [Range<usize>],
    item: usize,
    offset: usize,
}

/// Byte strides of a C-ordered block.
fn strides_of(block: &[Range<usize>], item: usize) -> SmallVec<[isize; 4]> {
    let mut strides: SmallVec<[isize; 4]> = smallvec::smallvec![0; block.len()];
    let mut stride = item as isize;
    for axis in (0..block.len()).rev() {
        strides[axis] = stride;
        stride *= block[axis].len() as isize;
    }
    strides
}

fn box_at(memory: Memory, stored: &Stored<'_>, region: &[Range<usize>]) -> At {
    let strides = strides_of(stored.block, stored.item);
    let starts = region.iter().zip(stored.block).map(|(r, b)| r.start as isize - b.start as isize);
    let offset = starts.zip(&strides).map(|(at, stride)| at * stride).sum::<isize>()
        + stored.offset as isize;
    At { memory, offset, strides }
}

/// Where a box lies in a block if it is one run of bytes.
fn contiguous(
    region: &[Range<usize>],
    block: &[Range<usize>],
    item: usize,
) -> Option<(usize, usize)> {
    let mut whole = true;
    for (part, all) in region.iter().zip(block).rev() {
        if whole {
            whole = part == all;
        } else if part.len() != 1 {
            return None;
        }
    }
    let at = box_at(Memory::Local(0), &Stored { block, item, offset: 0 }, region);
    Some((at.offset as usize, volume(region) * item))
}

impl<'a> Builder<'a> {
    /// A local buffer: one of the same size that is free by now, else a new one.
    fn local(&mut self, bytes: usize) -> usize {
        if let Some(place) = self.free.iter().position(|&free| self.instance.locals[free] == bytes)
        {
            return self.free.swap_remove(place);
        }
        self.instance.locals.push(bytes);
        self.instance.locals.len() - 1
    }

    fn block_of_node(&self, node: u32) -> IndexBox {
        let data = self.plan.node(node);
        self.plan.placements[node as usize].output.block(&data.shape, self.mesh, &self.coordinates)
    }

    fn bytes_of(&self, node: u32) -> usize {
        let data = self.plan.node(node);
        if matches!(data.op, NodeOp::Compress) {
            // All elements of the block may be selected.
            let (shape, _) = self.plan.graph.source(data.inputs[0].source);
            let block = self.plan.placements[node as usize].space.block(
                shape,
                self.mesh,
                &self.coordinates,
            );
            return volume(&block) * data.dtype.size();
        }
        volume(&self.block_of_node(node)) * self.plan.node(node).dtype.size()
    }

    fn memory(&self, place: Place) -> Memory {
        match place {
            Place::Slot(slot) => Memory::Slot(slot),
            Place::Leaf(leaf) => Memory::Leaf(leaf),
        }
    }

    fn memory_of(&self, source: Source) -> Memory {
        let place = match source {
            Source::Node(node) => self.finished.places[node as usize],
            Source::Leaf(leaf) => Some(Place::Leaf(leaf)),
            Source::Scalar(_) => None,
        };
        match place {
            Some(place) => self.memory(place),
            None => unreachable!("bug: {source:?} has no memory"),
        }
    }

    fn sharding(&self, source: Source) -> &'a Sharding {
        match source {
            Source::Node(node) => &self.plan.placements[node as usize].output,
            Source::Leaf(leaf) => &self.plan.leaves[leaf as usize],
            Source::Scalar(_) => unreachable!("bug: a scalar has no sharding"),
        }
    }

    fn block(&self, source: Source) -> IndexBox {
        self.sharding(source).block(self.plan.graph.source(source).0, self.mesh, &self.coordinates)
    }

    /// The bytes of an element of a source.
    fn item(&self, source: Source) -> usize {
        self.plan.graph.source(source).1.size()
    }

    fn exchange(&mut self, number: usize, consumer: Option<&FinalLaunch>) {
        let exchange = &self.plan.exchanges[number];
        let source = exchange.source;
        let (shape, _) = self.plan.graph.source(source);
        let sharding = self.sharding(source);
        let item = self.item(source);
        let block = self.block(source);
        let from = self.memory_of(source);
        let own_need = exchange.need(self.mesh, &self.coordinates);
        let (missing, incoming) = pieces_to(sharding, shape, self.mesh, self.device, &own_need);
        let need_of = |peer: usize| exchange.need(self.mesh, &self.mesh.coordinates(peer));
        let peers = exchange.peers(self.mesh, &block);
        let outgoing = pieces_from(sharding, shape, self.mesh, self.device, peers, &need_of);
        debug_assert_eq!(
            outgoing,
            pieces_from(sharding, shape, self.mesh, self.device, 0..self.mesh.devices(), &need_of)
        );

        // What is sent from where it lies must not be overwritten by the consumer before it has
        // been sent.
        let is_overwritten = consumer.is_some_and(|launch| {
            launch.built.accesses.iter().any(|access| match access.buffer {
                Buffer::Output(node) => {
                    self.finished.places[node as usize].map(|p| self.memory(p)) == Some(from)
                }
                _ => false,
            })
        });
        let mut staging = Vec::new();
        let (mut pack, mut sends) = (Vec::new(), Vec::new());
        for transfer in &outgoing {
            let bytes = volume(&transfer.region) * item;
            let direct = contiguous(&transfer.region, &block, item).filter(|_| !is_overwritten);
            let (memory, offset) = match direct {
                Some((offset, _)) => (from, offset),
                None => {
                    staging.push(self.local(bytes));
                    let staging = Memory::Local(staging[staging.len() - 1]);
                    pack.push(CopyBox {
                        from: box_at(
                            from,
                            &Stored { block: &block, item, offset: 0 },
                            &transfer.region,
                        ),
                        to: box_at(
                            staging,
                            &Stored { block: &transfer.region, item, offset: 0 },
                            &transfer.region,
                        ),
                        extents: transfer.region.iter().map(Range::len).collect(),
                        item,
                    });
                    (staging, 0)
                }
            };
            sends.push(Packet { peer: transfer.peer, memory, offset, bytes });
        }
        let regions: Vec<(IndexBox, usize)> = missing
            .into_iter()
            .map(|region| (region.clone(), self.local(volume(&region) * item)))
            .collect();
        let (mut unpack, mut receives) = (Vec::new(), Vec::new());
        for transfer in &incoming {
            let (slab, buffer) = &regions[transfer.slab];
            let bytes = volume(&transfer.region) * item;
            let (memory, offset) = match contiguous(&transfer.region, slab, item) {
                Some((offset, _)) => (Memory::Local(*buffer), offset),
                None => {
                    staging.push(self.local(bytes));
                    let staging = Memory::Local(staging[staging.len() - 1]);
                    unpack.push(CopyBox {
                        from: box_at(
                            staging,
                            &Stored { block: &transfer.region, item, offset: 0 },
                            &transfer.region,
                        ),
                        to: box_at(
                            Memory::Local(*buffer),
                            &Stored { block: slab, item, offset: 0 },
                            &transfer.region,
                        ),
                        extents: transfer.region.iter().map(Range::len).collect(),
                        item,
                    });
                    (staging, 0)
                }
            };
            receives.push(Packet { peer: transfer.peer, memory, offset, bytes });
        }
        self.instance.steps.push(LocalStep::Start { exchange: number, pack, sends, receives });
        if consumer.is_none() {
            self.instance.steps.push(LocalStep::Wait { exchange: number, unpack: Vec::new() });
            self.free.append(&mut staging);
            self.free.extend(regions.iter().map(|(_, buffer)| *buffer));
        }
        let has_arrived = consumer.is_none();
        self.slabs[number] = Some(Slabs { regions, unpack, staging, has_arrived });
    }

    fn launch(&mut self, launch: &FinalLaunch, kernel: usize) {
        let Unit::Group(group) = &self.plan.units[launch.unit] else {
            unreachable!("bug: only groups are launched")
        };
        let space = space_box(&group.axes, self.mesh, &self.coordinates);
        for &node in &*launch.tables {
            let memory = self.memory_of(Source::Node(node));
            self.instance.steps.push(LocalStep::Zero { memory, bytes: self.bytes_of(node) });
        }
        for access in &launch.built.accesses {
            if let Buffer::OutputIndex(node) = access.buffer
                && let Some((dtype, monoid)) = self.plan.packed_item(node)
            {
                let buffer =
                    self.local(volume(&self.block_of_node(node)) * monoid.item_size(dtype));
                self.packed.insert(node, buffer);
            }
        }
        for copy in &*launch.copies {
            self.copy_unwritten(group, &space, copy);
        }
        // Which exchange serves each access.
        let exchanges = &self.plan.exchanges;
        let served: SmallVec<[Option<usize>; 8]> = launch
            .built
            .accesses
            .iter()
            .map(|access| match access.buffer {
                Buffer::Input(source) => exchanges
                    .iter()
                    .position(|exchange| exchange.serves(launch.unit, source, &access.map)),
                _ => None,
            })
            .collect();
        let is_owner = !group.is_for_owners || self.owns_what_is_written(group);
        let boxes = match is_owner {
            true => self.cut(group, &space, &launch.built, &served),
            false => SmallVec::new(),
        };
        let mut rim = Vec::new();
        for part in boxes {
            let mut accesses = Vec::with_capacity(launch.built.accesses.len());
            let mut waits = false;
            for (position, (access, served)) in
                launch.built.accesses.iter().zip(&served).enumerate()
            {
                let guard = access.guard.map(|guard| &launch.built.guards[guard]);
                let (at, in_slab) = self.resolve(group, access, guard, *served, &part);
                waits |= in_slab;
                accesses.push(self.along_axes(&launch.built, position, access, at));
            }
            let step = LocalStep::Launch {
                kernel,
                extents: launch.built.axes.iter().map(|&axis| part[axis as usize].len()).collect(),
                origins: launch
                    .built
                    .axes
                    .iter()
                    .map(|&axis| part[axis as usize].start as i64)
                    .collect(),
                accesses,
                guards: guard_arguments(&launch.built),
                scalars: launch.built.scalars.clone(),
            };
            if waits { rim.push(step) } else { self.instance.steps.push(step) }
        }
        for (number, exchange) in self.plan.exchanges.iter().enumerate() {
            // The first unit that needs it waits; later ones find the slabs filled.
            if exchange.is_for(launch.unit)
                && let Some(slabs) = &mut self.slabs[number]
                && !std::mem::replace(&mut slabs.has_arrived, true)
            {
                let unpack = std::mem::take(&mut slabs.unpack);
                self.instance.steps.push(LocalStep::Wait { exchange: number, unpack });
                self.free.append(&mut slabs.staging);
            }
        }
        self.instance.steps.extend(rim);
        for (number, exchange) in self.plan.exchanges.iter().enumerate() {
            if exchange.is_for(launch.unit)
                && self.last_unit(exchange) == Some(launch.unit)
                && let Some(slabs) = &self.slabs[number]
            {
                self.free.extend(slabs.regions.iter().map(|(_, buffer)| *buffer));
            }
        }
    }

    /// The last unit that runs and reads what an exchange fetches.
    fn last_unit(&self, exchange: &Exchange) -> Option<usize> {
        self.finished.steps.iter().rev().find_map(|step| match step {
            FinalStep::Launch(launch) if exchange.is_for(launch.unit) => Some(launch.unit),
            _ => None,
        })
    }

    /// Whether the position of split axes that a group's update fixes lies in this device's block.
    fn owns_what_is_written(&self, group: &Group) -> bool {
        group.members.iter().all(|member| {
            let NodeOp::Update(target) = &self.plan.node(member.node).op else { return true };
            let block = self.block_of_node(member.node);
            let fixed = target.axes.iter().zip(&block).filter(|(axis, _)| axis.axis.is_none());
            fixed.into_iter().all(|(axis, own)| own.contains(&(axis.start as usize)))
        })
    }

    /// The boxes of a launch, in each of which every read comes from one buffer: the interior, then
    /// the rim.
    fn cut(
        &self,
        group: &Group,
        space: &IndexBox,
        built: &Built,
        served: &[Option<usize>],
    ) -> SmallVec<[IndexBox; 1]> {
        if space.iter().zip(&group.axes).any(|(range, axis)| axis.level == 0 && range.is_empty()) {
            return SmallVec::new();
        }
        if served.iter().all(Option::is_none) {
            return SmallVec::from_elem(space.clone(), 1);
        }
        let mut cuts: Vec<Vec<usize>> =
            space.iter().map(|range| vec![range.start, range.end]).collect();
        for (access, served) in built.accesses.iter().zip(served) {
            let (Some(_), Buffer::Input(source)) = (served, &access.buffer) else { continue };
            let block = self.block(*source);
            for (map, own) in access.map.axes.iter().zip(&block) {
                let Some(axis) = map.axis else { continue };
                if map.step == 0 || group.axes[axis as usize].level > 0 {
                    continue;
                }
                let inside = preimage_range(own, map.start, map.step);
                // Outside of its guard nothing is loaded, so that nothing has to be told apart
                // there.
                let range = match access.guard {
                    Some(guard) => {
                        let guard = &built.guards[guard][axis as usize];
                        let range = &space[axis as usize];
                        range.start.max(guard.start)..range.end.min(guard.end)
                    }
                    None => space[axis as usize].clone(),
                };
                for cut in [inside.start, inside.end] {
                    if cut > range.start as i64 && cut < range.end as i64 {
                        cuts[axis as usize].push(cut as usize);
                    }
                }
            }
        }
        let mut boxes: SmallVec<[IndexBox; 1]> = SmallVec::from_elem(IndexBox::new(), 1);
        for positions in &mut cuts {
            positions.sort_unstable();
            let is_whole = positions.len() == 2;
            if !is_whole {
                positions.dedup();
            }
            boxes = boxes
                .iter()
                .flat_map(|part| {
                    positions.windows(2).map(move |pair| {
                        let mut part = part.clone();
                        part.push(pair[0]..pair[1]);
                        part
                    })
                })
                .collect();
        }
        boxes
    }

    /// Where the element of an access at the start of a box lies, with byte strides along the
    /// value's axes.
    fn resolve(
        &self,
        group: &Group,
        access: &BuiltAccess,
        guard: Option<&IndexBox>,
        served: Option<usize>,
        part: &IndexBox,
    ) -> (At, bool) {
        let (source, index_half) = match access.buffer {
            Buffer::Input(source) => (source, false),
            Buffer::Output(node) => (Source::Node(node), false),
            Buffer::OutputIndex(node) => (Source::Node(node), true),
        };
        let mut item = self.item(source);
        let (mut offset, mut own) = (0, None);
        if let (Source::Node(node), false) = (source, matches!(access.buffer, Buffer::Input(_)))
            && let Some((dtype, monoid)) = self.plan.packed_item(node)
        {
            // Before it is combined, an output is addressed by its parts: the value first, the
            // index behind it.
            item = monoid.item_size(dtype);
            offset = if index_half { Monoid::index_offset(dtype) } else { 0 };
            own = self.packed.get(&node).map(|&buffer| Memory::Local(buffer));
        }
        let block = self.block(source);
        let memory = |own: Option<Memory>| own.unwrap_or_else(|| self.memory_of(source));
        if served.is_none() {
            let at = locate(access, part, memory(own), &block, item);
            return (At { offset: at.offset + offset as isize, ..at }, false);
        }
        // Where nothing is read, any place will do.
        let reaches = read_box(&group.axes, part, &access.map, guard);
        let is_inside =
            reaches.as_ref().is_none_or(|reaches| intersect(reaches, &block) == *reaches);
        if is_inside {
            let at = locate(access, part, memory(own), &block, item);
            return (At { offset: at.offset + offset as isize, ..at }, false);
        }
        let slabs = served.and_then(|number| self.slabs[number].as_ref());
        let slab = slabs.and_then(|slabs| {
            slabs
                .regions
                .iter()
                .find(|(region, _)| reaches.as_ref().is_some_and(|r| intersect(r, region) == *r))
        });
        match slab {
            Some((region, buffer)) => {
                (locate(access, part, Memory::Local(*buffer), region, item), true)
            }
            None => {
                unreachable!("bug: {reaches:?} is neither in the block {block:?} nor in a slab")
            }
        }
    }

    /// Strides along the kernel axes that an access names.
    fn along_axes(&self, built: &Built, position: usize, access: &BuiltAccess, at: At) -> At {
        let strides = built.kernel.accesses[position]
            .axes
            .iter()
            .map(|&axis| {
                let group_axis = built.axes[axis];
                let follows = access
                    .map
                    .axes
                    .iter()
                    .zip(&at.strides)
                    .filter(|(map, _)| map.axis == Some(group_axis));
                follows.map(|(map, stride)| map.step as isize * stride).sum()
            })
            .collect();
        At { strides, ..at }
    }

    /// Copies what an update leaves unwritten of this device's block.
    fn copy_unwritten(&mut self, group: &Group, space: &IndexBox, copy: &FinalCopy) {
        let data = self.plan.node(copy.node);
        let NodeOp::Update(target) = &data.op else {
            unreachable!("bug: only updates leave something unwritten")
        };
        let Some(member) = group.members.iter().find(|member| member.node == copy.node) else {
            unreachable!("bug: node {} is not a member", copy.node)
        };
        let map: AffineMap = target.then(&member.from_group);
        let block = self.block_of_node(copy.node);
        let mut followed = 0u64;
        let is_box = map.axes.iter().all(|axis| {
            let twice = axis.axis.is_some_and(|a| followed >> a & 1 == 1);
            if let Some(a) = axis.axis {
                followed |= 1 << a;
            }
            axis.step.abs() <= 1 && !twice
        });
        let is_owner = !group.is_for_owners || self.owns_what_is_written(group);
        let regions = if is_box && is_owner && !is_empty(space) {
            subtract(&block, &image(&map, space))
        } else {
            vec![block.clone()]
        };
        let item = data.dtype.size();
        for region in regions {
            self.instance.steps.push(LocalStep::Copy(CopyBox {
                from: box_at(
                    self.memory(copy.from),
                    &Stored { block: &block, item, offset: 0 },
                    &region,
                ),
                to: box_at(
                    self.memory_of(Source::Node(copy.node)),
                    &Stored { block: &block, item, offset: 0 },
                    &region,
                ),
                extents: region.iter().map(Range::len).collect(),
                item,
            }));
        }
    }

    fn combine(&mut self, nodes: &[u32]) {
        let Some((dtype, monoid)) = self.plan.combined_item(nodes[0]) else { return };
        let Some(partial) = &self.plan.placements[nodes[0] as usize].partial else { return };
        let mesh_axes = partial.mesh_axes.clone();
        let mut parts: Vec<(Memory, usize)> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let items = volume(&self.block_of_node(node));
            let memory = match self.packed.get(&node) {
                Some(&buffer) => Memory::Local(buffer),
                None => self.memory_of(Source::Node(node)),
            };
            parts.push((memory, items * monoid.item_size(dtype)));
        }
        let total = parts.iter().map(|part| part.1).sum();
        let together = (parts.len() > 1).then(|| Memory::Local(self.local(total)));
        self.instance.steps.push(LocalStep::Combine { parts, together, dtype, monoid, mesh_axes });
        for &node in nodes {
            let Some(&buffer) = self.packed.get(&node) else { continue };
            // Of the combined pairs, the indices are the value.
            let block = self.block_of_node(node);
            let item = self.plan.node(node).dtype.size();
            let pair = Stored {
                block: &block,
                item: monoid.item_size(dtype),
                offset: Monoid::index_offset(dtype),
            };
            self.instance.steps.push(LocalStep::Copy(CopyBox {
                from: box_at(Memory::Local(buffer), &pair, &block),
                to: box_at(
                    self.memory_of(Source::Node(node)),
                    &Stored { block: &block, item, offset: 0 },
                    &block,
                ),
                extents: block.iter().map(Range::len).collect(),
                item,
            }));
        }
    }

    fn matmul(&mut self, node: u32) {
        let data = self.plan.node(node);
        let block = self.block_of_node(node);
        let k = self.plan.graph.source(data.inputs[0].source).0[1];
        self.instance.steps.push(LocalStep::Matmul {
            a: self.memory_of(data.inputs[0].source),
            b: self.memory_of(data.inputs[1].source),
            to: self.memory_of(Source::Node(node)),
            sizes: [block[0].len(), k, block[1].len()],
            dtype: data.dtype,
        });
    }

    fn compress(&mut self, node: u32) {
        let data = self.plan.node(node);
        let (shape, _) = self.plan.graph.source(data.inputs[0].source);
        let space = &self.plan.placements[node as usize].space;
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

/// The element of an access at the start of a part of the space, in memory that holds a block of
/// the value.
fn locate(
    access: &BuiltAccess,
    part: &IndexBox,
    memory: Memory,
    block: &[Range<usize>],
    item: usize,
) -> At {
    let strides = strides_of(block, item);
    let first = |map: &AxisMap| {
        map.start as isize
            + map.axis.map_or(0, |a| map.step as isize * part[a as usize].start as isize)
    };
    let distance =
        access.map.axes.iter().zip(block).map(|(map, own)| first(map) - own.start as isize);
    At { memory, offset: distance.zip(&strides).map(|(at, stride)| at * stride).sum(), strides }
}

/// The bounds of each guard on the kernel axes that it names.
fn guard_arguments(built: &Built) -> Vec<Vec<(i64, i64)>> {
    let of = |(axes, guard): (&Vec<usize>, &IndexBox)| {
        let range = |&axis: &usize| &guard[built.axes[axis] as usize];
        axes.iter().map(range).map(|range| (range.start as i64, range.end as i64)).collect()
    };
    built.kernel.guards.iter().zip(&built.guards).map(of).collect()
}
