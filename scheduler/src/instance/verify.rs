//! The verifier of instances: the memory and messages of each device, and the collectives that
//! devices meet. Debug builds and tests verify the instances of each plan.

use super::builder::instantiate;
use super::exchanges::FEW_DEVICES;
use super::steps::{At, BlockAt, CopyBox, Instance, LocalStep, Memory, Packet};
use crate::build::{Buffer, Built};
use crate::finalise::{Final, FinalLaunch, FinalStep, Place};
use crate::ids::ExchangeId;
use crate::plan::Plan;
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_kernels::ir::{Access, AxisId};
use phalanx_ops::Bytes;
use phalanx_ops::sharding::volume;
use phalanx_ops::{Mesh, Sharding};
use rustc_hash::FxHashSet;
use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::ops::Range;

/// A rule that instances of a plan break.
#[derive(PartialEq, Debug, thiserror::Error)]
pub(super) enum InstanceDefect {
    #[error("node {node} has {needed} bytes on device {device}, and {place:?} has {found}")]
    Size { device: usize, node: NodeId, place: Place, needed: Bytes, found: Bytes },
    #[error("exchange {exchange} is not started and then waited for once")]
    Unpaired { exchange: ExchangeId },
    #[error("step {step} uses {memory:?} before the wait for exchange {exchange}")]
    Unwaited { step: usize, memory: Memory, exchange: ExchangeId },
    #[error("step {step} reads {memory:?}, which no step has filled")]
    Unfilled { step: usize, memory: Memory },
    #[error("collective {number} of device {device} is not that of device 0")]
    Kinds { number: usize, device: usize },
    #[error("devices {device} and {other} give collective {number} different bytes")]
    Counts { number: usize, device: usize, other: usize },
    #[error("collective {number}: {from} sends {sent:?} to {to}, which receives {received:?}")]
    Messages { number: usize, from: usize, to: usize, sent: Vec<Bytes>, received: Vec<Bytes> },
}

type Verified = Result<(), InstanceDefect>;

/// Panics (`bug:`) if the instances of these devices break a rule. On a mesh of few devices, the
/// collectives of all devices are compared.
pub(crate) fn assert_sound(
    plan: &Plan,
    finished: &Final,
    mesh: &Mesh,
    devices: Range<usize>,
    instances: &[Instance],
) {
    let verify = || {
        for (device, instance) in devices.clone().zip(instances) {
            verify_sizes(plan, finished, mesh, device, instance)?;
            verify_messages(finished, instance)?;
        }
        if mesh.devices() > FEW_DEVICES {
            return Ok(());
        }
        let instance = |device: usize| {
            if devices.contains(&device) {
                Cow::Borrowed(&instances[device - devices.start])
            } else {
                Cow::Owned(instantiate(plan, finished, mesh, device))
            }
        };
        verify_collectives(mesh, &(0..mesh.devices()).map(instance).collect::<Vec<_>>())
    };
    if let Err(defect) = verify() {
        panic!("bug: instances that break a rule: {defect}");
    }
}

/// Checks that each value fits the memory of its place.
pub(super) fn verify_sizes(
    plan: &Plan,
    finished: &Final,
    mesh: &Mesh,
    device: usize,
    instance: &Instance,
) -> Verified {
    let coordinates = mesh.coordinates(device);
    let bytes = |value: Source, sharding: &Sharding| {
        let (shape, dtype) = plan.graph.source(value);
        Bytes::of(volume(&sharding.block(shape, mesh, &coordinates)), dtype.size())
    };
    for (position, place) in finished.places.iter().enumerate() {
        let (node, Some(place)) = (NodeId::new(position), *place) else { continue };
        let (data, placement) = (plan.node(node), &plan.placements[position]);
        let needed = match data.op {
            // All elements may be selected.
            NodeOp::Compress => bytes(data.inputs[0].source, &placement.space),
            _ => bytes(Source::Node(node), &placement.output),
        };
        let found = match place {
            Place::Slot(slot) => instance.slots[slot.index()],
            Place::Leaf(leaf) => bytes(Source::Leaf(leaf), &plan.leaves[leaf.index()]),
        };
        if needed > found {
            return Err(InstanceDefect::Size { device, node, place, needed, found });
        }
    }
    Ok(())
}

/// Some bytes of a memory.
type Bit = (Memory, Range<usize>);

/// An exchange that a device has started, or one of its chunks: the bytes that it sends and those
/// that it receives.
type Flight = (ExchangeId, Vec<Bit>, Vec<Bit>);

/// Checks that buffers of messages are filled before they are read, and that before the wait for an
/// exchange no step changes what it sends or touches what it receives.
pub(super) fn verify_messages(finished: &Final, instance: &Instance) -> Verified {
    let launches = finished.steps.iter().filter_map(|step| match step {
        FinalStep::Launch(launch) => Some(&**launch),
        _ => None,
    });
    let launches: Vec<&FinalLaunch> = launches.collect();
    let mut flights: Vec<Flight> = Vec::new();
    let mut ended: FxHashSet<ExchangeId> = FxHashSet::default();
    let mut filled: Vec<bool> = instance.locals.iter().map(|&bytes| bytes == Bytes(0)).collect();
    for (step, local) in instance.steps.iter().enumerate() {
        if let LocalStep::Wait { exchange, .. } = local {
            let is_waited = |flight: &mut Flight| flight.0 == *exchange;
            let waited: Vec<Flight> = flights.extract_if(.., is_waited).collect();
            if waited.is_empty() {
                return Err(InstanceDefect::Unpaired { exchange: *exchange });
            }
            ended.insert(*exchange);
            let received = waited.into_iter().flat_map(|(_, _, received)| received);
            received.for_each(|(memory, _)| fill(&mut filled, memory));
        }
        for ((memory, bytes), is_written) in touched(local, &launches) {
            let meets = |bits: &[Bit]| {
                let overlaps =
                    |other: &Range<usize>| bytes.start < other.end && other.start < bytes.end;
                bits.iter().any(|(other, bytes)| *other == memory && overlaps(bytes))
            };
            let disturbs =
                |(_, sent, received): &&Flight| meets(received) || is_written && meets(sent);
            if let Some(&(exchange, ..)) = flights.iter().find(disturbs) {
                return Err(InstanceDefect::Unwaited { step, memory, exchange });
            }
            match memory {
                Memory::Local(_) if is_written => fill(&mut filled, memory),
                Memory::Local(buffer) if !filled[buffer.index()] => {
                    return Err(InstanceDefect::Unfilled { step, memory });
                }
                _ => {}
            }
        }
        if let LocalStep::Start { exchange, sends, receives, .. } = local {
            let bits = |packet: &Packet| {
                let together = packet.offset.0..packet.offset.0 + packet.bytes.0;
                let rows = packet.in_place.as_ref().map(|rows| (rows.memory, rows.span.clone()));
                rows.into_iter().chain([(packet.memory, together)])
            };
            let of = |packets: &[Packet]| packets.iter().flat_map(bits).collect();
            flights.push((*exchange, of(sends), of(receives)));
            if ended.contains(exchange) {
                return Err(InstanceDefect::Unpaired { exchange: *exchange });
            }
        }
    }
    flights.first().map_or(Ok(()), |&(exchange, ..)| Err(InstanceDefect::Unpaired { exchange }))
}

fn fill(filled: &mut [bool], memory: Memory) {
    if let Memory::Local(buffer) = memory {
        filled[buffer.index()] = true;
    }
}

/// The bytes that a step touches, in order, each with whether they are written. Received bytes are
/// written later.
fn touched(step: &LocalStep, launches: &[&FinalLaunch]) -> Vec<(Bit, bool)> {
    let all = |memory: Memory, is_written| ((memory, 0..usize::MAX), is_written);
    let copied = |copy: &CopyBox| [all(copy.from.memory, false), all(copy.to.memory, true)];
    let block = |at: &BlockAt, is_written| match &at.part {
        Some(part) => ((at.memory, part.clone()), is_written),
        None => all(at.memory, is_written),
    };
    match step {
        LocalStep::Start { sends, .. } => {
            let copies = sends.iter().filter_map(|packet| packet.copy.as_ref());
            let sent = sends.iter().map(|packet| all(packet.memory, false));
            copies.flat_map(copied).chain(sent).collect()
        }
        LocalStep::Wait { unpack, .. } => {
            unpack.iter().filter_map(|packet| packet.copy.as_ref()).flat_map(copied).collect()
        }
        LocalStep::Copy(copy) => copied(copy).into(),
        LocalStep::Zero { memory, .. } => vec![all(*memory, true)],
        LocalStep::Launch { kernel, accesses, extents, .. } => {
            let FinalLaunch { built, tables, .. } = launches[*kernel];
            // Loops visit other elements than those at the points of the grid, and so do tables.
            let is_plain = built.kernel.grid == extents.len() && tables.is_empty();
            let is_written = |buffer: &Buffer| !matches!(buffer, Buffer::Input(_));
            let touched = accesses.iter().zip(&built.accesses).zip(&built.kernel.accesses);
            let touched = touched.map(|((at, access), own)| {
                let bytes = if is_plain { span(built, at, own, extents) } else { 0..usize::MAX };
                ((at.memory, bytes), is_written(&access.buffer))
            });
            touched.collect()
        }
        LocalStep::Combine { parts, together, .. } => {
            let parts = parts.iter().flat_map(|part| [all(part.0, false), all(part.0, true)]);
            parts.chain(together.map(|memory| all(memory, true))).collect()
        }
        LocalStep::Routine(routine) => {
            let operands = routine.operands.iter().map(|operand| block(operand, false));
            operands.chain([block(&routine.to, true)]).collect()
        }
        LocalStep::Compress { value, mask, to, .. } => {
            vec![all(*value, false), all(*mask, false), all(*to, true)]
        }
    }
}

/// The bytes from the first to the last element that an access reaches.
fn span(built: &Built, at: &At, own: &Access, extents: &[usize]) -> Range<usize> {
    let reach =
        |(axis, stride): (&AxisId, &isize)| (extents[axis.index()].max(1) as isize - 1) * stride;
    let reaches: Vec<isize> = own.axes.iter().zip(&at.strides).map(reach).collect();
    let below: isize = reaches.iter().filter(|reach| **reach < 0).sum();
    let above: isize = reaches.iter().filter(|reach| **reach > 0).sum();
    let item = built.kernel[own.param].dtype.size();
    let start = (at.offset + below).max(0) as usize;
    start..(at.offset + above).max(0) as usize + item
}

/// Checks that all devices meet the same collectives in the same order, that the members of a
/// communicator group give them equal bytes, and that each message is sent as it is received.
pub(super) fn verify_collectives(mesh: &Mesh, instances: &[impl Borrow<Instance>]) -> Verified {
    let is_met = |step: &&LocalStep| matches!(step, LocalStep::Start { .. }) || step.communicates();
    let steps = instances.iter().map(|instance| instance.borrow().steps.iter());
    let met: Vec<Vec<&LocalStep>> = steps.map(|steps| steps.filter(is_met).collect()).collect();
    for number in 0..met.iter().map(Vec::len).max().unwrap_or(0) {
        let mut messages: BTreeMap<(usize, usize), [Vec<Bytes>; 2]> = BTreeMap::new();
        for (device, steps) in met.iter().enumerate() {
            let (Some(step), Some(first)) = (steps.get(number), met[0].get(number)) else {
                return Err(InstanceDefect::Kinds { number, device });
            };
            if !is_same(step, first) {
                return Err(InstanceDefect::Kinds { number, device });
            }
            if let LocalStep::Combine { mesh_axes, .. } = step {
                let mut coordinates = mesh.coordinates(device);
                mesh_axes.iter().for_each(|&axis| coordinates[usize::from(axis)] = 0);
                let other = mesh.device(&coordinates);
                if !counts(step).eq(counts(met[other][number])) {
                    return Err(InstanceDefect::Counts { number, device, other });
                }
            }
            if let LocalStep::Start { sends, receives, .. } = step {
                for Packet { peer, bytes, .. } in sends {
                    messages.entry((device, *peer)).or_default()[0].push(*bytes);
                }
                for Packet { peer, bytes, .. } in receives {
                    messages.entry((*peer, device)).or_default()[1].push(*bytes);
                }
            }
        }
        let differ = messages.into_iter().find(|(_, [sent, received])| sent != received);
        if let Some(((from, to), [sent, received])) = differ {
            return Err(InstanceDefect::Messages { number, from, to, sent, received });
        }
    }
    Ok(())
}

/// The bytes of each combined part.
fn counts(step: &LocalStep) -> impl Iterator<Item = Bytes> {
    let parts = if let LocalStep::Combine { parts, .. } = step { parts.as_slice() } else { &[] };
    parts.iter().map(|part| part.1)
}

/// Whether two devices meet the same collective, apart from numbers of bytes.
fn is_same(a: &LocalStep, b: &LocalStep) -> bool {
    let combined = |step: &LocalStep| match step {
        LocalStep::Combine { dtype, monoid, mesh_axes, .. } => {
            Some((*dtype, *monoid, mesh_axes.clone()))
        }
        _ => None,
    };
    match (a, b) {
        (LocalStep::Start { exchange: a, .. }, LocalStep::Start { exchange: b, .. }) => a == b,
        (LocalStep::Compress { node: a, .. }, LocalStep::Compress { node: b, .. }) => a == b,
        (LocalStep::Routine(a), LocalStep::Routine(b)) => {
            let axes = |routine: &super::Routine| {
                routine.together.as_ref().map(|together| together.mesh_axes.clone())
            };
            (a.op, axes(a)) == (b.op, axes(b))
        }
        _ => combined(a).is_some() && combined(a) == combined(b),
    }
}
