//! Costs: the bytes that the steps of a plan read, write and send, their operations, and the peak
//! of memory.

use crate::build::Buffer;
use crate::finalise::{Final, FinalLaunch, FinalStep};
use crate::ids::ExchangeId;
use crate::instance::{Instance, LocalStep, instantiate};
use crate::plan::{Plan, bounding, space_box};
use phalanx_distributed::image;
use phalanx_graph::{LeafId, NodeId, NodeOp, Source};
use phalanx_kernels::ir::{AccessId, Expr, Kernel, Stmt};
use phalanx_ops::sharding::{intersect, is_empty, volume};
use phalanx_ops::{AffineMap, Bytes, DType, IndexBox, Mesh, Sharding};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The most devices among which the busiest is searched; in larger meshes a sample is.
const MOST_VISITED: usize = 64;

/// The cost of a step, in bytes and operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cost {
    pub sent: Bytes,
    pub read: Bytes,
    /// The bytes that a launch reads in the order of the memory, and those that it reads across it,
    /// as in a transpose. A value that is read in both ways counts twice here, and once in `read`.
    pub ordered: Bytes,
    pub strided: Bytes,
    pub wrote: Bytes,
    pub flops: u64,
    /// Whether a launch computes with numbers of more than 4 bytes.
    pub is_wide: bool,
    /// The number of boxes of a launch; boxes without slabs run before the slabs arrive.
    pub boxes: usize,
    /// The number of boxes that wait for slabs.
    pub rims: usize,
}

impl Cost {
    fn max(self, other: Cost) -> Cost {
        Cost {
            sent: self.sent.max(other.sent),
            read: self.read.max(other.read),
            ordered: self.ordered.max(other.ordered),
            strided: self.strided.max(other.strided),
            wrote: self.wrote.max(other.wrote),
            flops: self.flops.max(other.flops),
            is_wide: self.is_wide || other.is_wide,
            boxes: self.boxes.max(other.boxes),
            rims: self.rims.max(other.rims),
        }
    }
}

/// The costs of a plan on its busiest device, which may differ from figure to figure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Costs {
    pub steps: Vec<Cost>,
    /// All steps together.
    pub total: Cost,
    /// The size of the leaves.
    pub inputs: Bytes,
    /// The size of leaves, slots, slabs and messages together.
    pub peak: Bytes,
}

/// The sharding of a value.
pub(crate) fn sharding(plan: &Plan, source: Source) -> Option<&Sharding> {
    match source {
        Source::Node(node) => Some(&plan.placements[node.index()].output),
        Source::Leaf(leaf) => Some(&plan.leaves[leaf.index()]),
        Source::Scalar(_) => None,
    }
}

/// What a device does in a plan, and what that costs.
pub(crate) struct OnDevice {
    pub instance: Instance,
    pub costs: Costs,
}

/// A plan on the devices that are examined; the first of the mesh comes first.
pub(crate) fn examined(plan: &Plan, finished: &Final, mesh: &Mesh) -> Vec<OnDevice> {
    let on_device = |device| {
        let instance = instantiate(plan, finished, mesh, device);
        let costs = costs_on(plan, finished, mesh, device, &instance);
        OnDevice { instance, costs }
    };
    visited(mesh).into_iter().map(on_device).collect()
}

/// The costs of a plan on the busiest of some devices.
pub(crate) fn busiest(devices: &[OnDevice]) -> Costs {
    let mut costs = Costs::default();
    for OnDevice { costs: one, .. } in devices {
        costs.total = costs.total.max(one.total);
        costs.inputs = costs.inputs.max(one.inputs);
        costs.peak = costs.peak.max(one.peak);
        costs.steps.resize(one.steps.len(), Cost::default());
        costs.steps.iter_mut().zip(&one.steps).for_each(|(most, step)| *most = most.max(*step));
    }
    costs
}

/// The costs of a plan on one device.
pub(crate) fn costs_on(
    plan: &Plan,
    finished: &Final,
    mesh: &Mesh,
    device: usize,
    instance: &Instance,
) -> Costs {
    Device { plan, finished, mesh, device, instance }.costs()
}

/// The devices to examine: all, or the first two, the middle one and the last two.
fn visited(mesh: &Mesh) -> Vec<usize> {
    let devices = mesh.devices();
    if devices <= MOST_VISITED {
        return (0..devices).collect();
    }
    vec![0, 1, devices / 2, devices - 2, devices - 1]
}

/// A plan on one device.
struct Device<'a> {
    plan: &'a Plan,
    finished: &'a Final,
    mesh: &'a Mesh,
    device: usize,
    instance: &'a Instance,
}

impl Device<'_> {
    fn costs(&self) -> Costs {
        let instance = self.instance;
        let mut launches = 0;
        let steps: Vec<Cost> = self
            .finished
            .steps
            .iter()
            .map(|step| match step {
                FinalStep::Exchange(exchange) => {
                    Cost { sent: sent(instance, *exchange), ..Cost::default() }
                }
                FinalStep::Combine(nodes) => Cost {
                    sent: nodes.iter().map(|&node| self.combined(node)).sum(),
                    ..Cost::default()
                },
                FinalStep::Launch(launch) => {
                    launches += 1;
                    self.launch(launch, boxes(instance, launches - 1))
                }
                FinalStep::Routine(node) => self.routine(*node),
                FinalStep::Compress(node) => {
                    let inputs = self.plan.node(*node).inputs.iter();
                    let read = inputs.map(|input| self.block_bytes(input.source)).sum();
                    Cost { read, wrote: self.block_bytes(Source::Node(*node)), ..Cost::default() }
                }
            })
            .collect();
        let total = steps.iter().fold(Cost::default(), |total, step| Cost {
            sent: total.sent + step.sent,
            read: total.read + step.read,
            ordered: total.ordered + step.ordered,
            strided: total.strided + step.strided,
            wrote: total.wrote + step.wrote,
            flops: total.flops + step.flops,
            is_wide: total.is_wide || step.is_wide,
            boxes: total.boxes + step.boxes,
            rims: total.rims + step.rims,
        });
        let leaves = (0..self.plan.leaves.len()).map(LeafId::new);
        let inputs = leaves.map(|leaf| self.block_bytes(Source::Leaf(leaf))).sum();
        let made: Bytes = instance.slots.iter().chain(&instance.locals).copied().sum();
        Costs { steps, total, inputs, peak: inputs + made }
    }

    fn block(&self, source: Source) -> IndexBox {
        let (shape, _) = self.plan.graph.source(source);
        let coordinates = self.mesh.coordinates(self.device);
        match sharding(self.plan, source) {
            Some(sharding) => sharding.block(shape, self.mesh, &coordinates),
            None => IndexBox::new(),
        }
    }

    fn block_bytes(&self, source: Source) -> Bytes {
        Bytes::of(volume(&self.block(source)), self.plan.graph.source(source).1.size())
    }

    /// The size of a partial value that the device puts into an all-reduce.
    fn combined(&self, node: NodeId) -> Bytes {
        let item =
            self.plan.combined_item(node).map_or(0, |(dtype, monoid)| monoid.item_size(dtype));
        Bytes::of(volume(&self.block(Source::Node(node))), item)
    }

    fn launch(&self, launch: &FinalLaunch, (boxes, rims): (usize, usize)) -> Cost {
        let Some(group) = self.plan.group(launch.unit) else {
            unreachable!("bug: only groups are launched")
        };
        let space = space_box(&group.axes, self.mesh, &self.mesh.coordinates(self.device));
        let built = &launch.built;
        let loaded: BTreeSet<AccessId> =
            built.kernel.values.iter().filter_map(|v| load_of(&v.expr)).collect();
        let innermost = built.accesses.iter().find_map(|access| match access.buffer {
            Buffer::Output(_) => access.map.axes.last()?.axis,
            _ => None,
        });
        // Whether neighbours in the result are far from each other in a value that is read.
        let is_strided = |map: &AffineMap| match (innermost, map.axes.split_last()) {
            (Some(inner), Some((last, others))) => {
                last.axis != Some(inner) && others.iter().any(|axis| axis.axis == Some(inner))
            }
            _ => false,
        };
        // For each value, the boxes that are read in the order of its memory and across it.
        let mut reads: BTreeMap<String, (usize, [Option<IndexBox>; 2])> = BTreeMap::new();
        let mut wrote = Bytes(0);
        for (id, access) in built.kernel.access_ids().zip(&built.accesses) {
            let source = match access.buffer {
                Buffer::Input(source) => source,
                Buffer::Output(node) | Buffer::OutputPart(node, _) => Source::Node(node),
            };
            let inside = match access.guard {
                Some(guard) => intersect(&space, &built.guards[guard.index()]),
                None => space.clone(),
            };
            if is_empty(&inside) {
                continue;
            }
            let (_, dtype) = self.plan.graph.source(source);
            let reached = image(&access.map, &inside);
            if loaded.contains(&id) {
                // Elements that several loads read in one way count once.
                let known = reads.entry(format!("{:?}", access.buffer));
                let (_, ways) = known.or_insert_with(|| (dtype.size(), [None, None]));
                let way = &mut ways[usize::from(is_strided(&access.map))];
                *way = Some(match way.take() {
                    Some(known) => bounding(&known, &reached),
                    None => reached,
                });
            } else if let Buffer::OutputPart(..) = access.buffer {
                let param = &built.kernel[built.kernel[id].param];
                wrote += Bytes::of(volume(&reached), param.dtype.size());
            } else if launch.tables.iter().any(|&table| source == Source::Node(table)) {
                wrote += self.block_bytes(source);
            } else {
                wrote += Bytes::of(volume(&reached), dtype.size());
            }
        }
        let (mut read, mut ordered, mut strided) = (Bytes(0), Bytes(0), Bytes(0));
        for (item, [in_order, across]) in reads.values() {
            let bytes = |reached: &IndexBox| Bytes::of(volume(reached), *item);
            let [one, other] = [in_order, across].map(|way| way.as_ref().map_or(Bytes(0), bytes));
            let both = in_order.as_ref().zip(across.as_ref());
            let twice = both.map_or(Bytes(0), |(one, other)| bytes(&intersect(one, other)));
            read += Bytes(one.0 + other.0 - twice.0);
            ordered += one;
            strided += other;
        }
        for copy in &*launch.copies {
            let written = image_of_store(launch, copy.node, &space);
            let item = self.plan.node(copy.node).dtype.size();
            let all = self.block_bytes(Source::Node(copy.node));
            let kept = Bytes(all.0.saturating_sub(Bytes::of(written, item).0));
            read += kept;
            ordered += kept;
            wrote += kept;
        }
        if let [member] = group.members.as_slice()
            && self.finished.lands(member.node)
        {
            // Messages have brought the rest.
            let input = &self.plan.node(member.node).inputs[0];
            let moved = image(&self.plan.graph.map_of(input), &space);
            let own = intersect(&moved, &self.block(input.source));
            let arrived = volume(&moved) - volume(&own);
            let arrived = Bytes::of(arrived, self.plan.node(member.node).dtype.size());
            read = Bytes(read.0 - arrived.0);
            ordered = Bytes(ordered.0.saturating_sub(arrived.0));
            wrote = Bytes(wrote.0 - arrived.0);
        }
        let extents: Vec<u64> =
            built.axes.iter().map(|&axis| space[axis as usize].len() as u64).collect();
        let points = extents[..built.kernel.grid].iter().product();
        let flops = operations(&built.kernel, &built.kernel.body, points, &extents);
        let is_wide = built.kernel.values.iter().any(|value| match value.expr {
            Expr::Op { .. } => value.dtype.is_inexact() && real_size(value.dtype) > 4,
            Expr::Special { .. } => true,
            _ => false,
        });
        Cost { sent: Bytes(0), read, ordered, strided, wrote, flops, is_wide, boxes, rims }
    }

    fn routine(&self, node: NodeId) -> Cost {
        let data = self.plan.node(node);
        let NodeOp::Structured(op) = &data.op else {
            unreachable!("bug: a routine of no structured operation")
        };
        if op.passes_on() && self.finished.is_in_place(data.inputs[0].source, node) {
            return Cost::default();
        }
        let shapes: SmallVec<[&[usize]; 3]> =
            data.inputs.iter().map(|input| self.plan.graph.source(input.source).0).collect();
        let elements = volume(&self.block(Source::Node(node))) as u64;
        let blocks: SmallVec<[Bytes; 3]> =
            data.inputs.iter().map(|input| self.block_bytes(input.source)).collect();
        let wrote = self.block_bytes(Source::Node(node));
        let sent = self.plan.placements[node.index()].together().map_or(Bytes(0), |mesh_axes| {
            let parts: usize =
                mesh_axes.iter().map(|&axis| self.mesh.extent(axis.into())).product();
            let Bytes(routed) = op.routed(&blocks, wrote);
            Bytes(routed / parts * (parts - 1))
        });
        Cost {
            sent,
            read: blocks.iter().copied().sum(),
            wrote,
            flops: elements * op.flops_of_element(&shapes) * operations_of_number(data.dtype),
            boxes: 1,
            ..Cost::default()
        }
    }
}

/// The number of elements of a member that a launch stores.
fn image_of_store(launch: &FinalLaunch, node: NodeId, space: &[Range<usize>]) -> usize {
    let stores =
        launch.built.accesses.iter().filter(|access| access.buffer == Buffer::Output(node));
    stores.map(|access| volume(&image(&access.map, space))).max().unwrap_or(0)
}

fn load_of(expr: &Expr) -> Option<AccessId> {
    if let Expr::Load { access, .. } = expr { Some(*access) } else { None }
}

/// The bytes of a number, or of one part of a complex number.
pub(crate) fn real_size(dtype: DType) -> usize {
    if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() }
}

/// A complex product and sum take four times the operations of a real one.
pub(crate) fn operations_of_number(dtype: DType) -> u64 {
    if dtype.is_complex() { 4 } else { 1 }
}

/// The number of operations of statements that run at this many points.
fn operations(kernel: &Kernel, body: &[Stmt], points: u64, extents: &[u64]) -> u64 {
    let of_statement = |statement: &Stmt| match statement {
        Stmt::Let(value) => match &kernel[*value].expr {
            Expr::Op { op, .. } => points * u64::from(op.flops()),
            Expr::Special { function, .. } => points * u64::from(function.flops()),
            Expr::Select { .. } => points,
            _ => 0,
        },
        Stmt::Loop { axes, body, folds } => {
            let points = points * axes.iter().map(|axis| extents[axis.index()]).product::<u64>();
            let each: u64 = folds.iter().map(|fold| u64::from(fold.monoid.flops())).sum();
            operations(kernel, body, points, extents) + points * each
        }
        Stmt::Store { .. } => 0,
        Stmt::Accumulate { .. } => points,
    };
    body.iter().map(of_statement).sum()
}

/// The bytes that a device sends in an exchange.
fn sent(instance: &Instance, number: ExchangeId) -> Bytes {
    let of_step = |step: &LocalStep| match step {
        LocalStep::Start { exchange, sends, .. } if *exchange == number => {
            sends.iter().map(|packet| packet.bytes).sum()
        }
        _ => Bytes(0),
    };
    instance.steps.iter().map(of_step).sum()
}

/// The number of boxes of a launch, and the number of those that wait for slabs.
fn boxes(instance: &Instance, number: usize) -> (usize, usize) {
    let (mut boxes, mut rims, mut has_waited) = (0, 0, false);
    for step in &instance.steps {
        match step {
            LocalStep::Launch { kernel, .. } if *kernel == number => {
                boxes += 1;
                rims += usize::from(has_waited);
            }
            LocalStep::Wait { .. } => has_waited = boxes > 0,
            _ => {}
        }
    }
    (boxes, rims)
}
