//! Launches: the addresses of a kernel's accesses, and the boxes that wait for slabs.

use super::boxes::strides_of;
use super::builder::{Builder, Slab};
use super::steps::{At, LocalStep, Memory};
use crate::build::{Buffer, Built, BuiltAccess, ScalarSource};
use crate::finalise::{FinalLaunch, FinalStep};
use crate::fuse::Group;
use crate::ids::ExchangeId;
use crate::plan::{Exchange, read_box, space_box};
use phalanx_graph::Source;
use phalanx_kernels::ir::{Access, AxisId};
use phalanx_ops::sharding::{intersect, volume};
use phalanx_ops::{AxisMap, Bytes, IndexBox, Scalar};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

impl Builder<'_> {
    pub fn launch(&mut self, final_step: &FinalStep, launch: &FinalLaunch, kernel: usize) {
        let Some(group) = self.plan.group(launch.unit) else {
            unreachable!("bug: only groups are launched")
        };
        let space = space_box(&group.axes, self.mesh, &self.coordinates);
        for &node in &*launch.tables {
            let memory = self.memory_of(Source::Node(node));
            self.instance.steps.push(LocalStep::Zero { memory, bytes: self.bytes_of(node) });
        }
        for access in &launch.built.accesses {
            if let Buffer::OutputPart(node, 1) = access.buffer
                && let Some((dtype, monoid)) = self.plan.packed_item(node)
            {
                let items = volume(&self.block_of_node(node));
                let buffer = self.local(Bytes::of(items, monoid.item_size(dtype)));
                self.packed.insert(node, buffer);
            }
        }
        for copy in &*launch.copies {
            self.copy_unwritten(group, &space, copy);
        }
        let served = self.served(launch);
        let is_owner = !group.is_for_owners || self.owns_what_is_written(group);
        let boxes = if is_owner {
            self.cut(group, &space, &launch.built, &served)
        } else {
            SmallVec::new()
        };
        let lands = group.members.iter().any(|member| self.finished.lands(member.node));
        let (mut interior, mut rim) = (Vec::new(), Vec::new());
        for part in boxes {
            let (step, waits) = self.launch_on(group, &launch.built, kernel, &served, &part);
            match waits {
                // The messages store these elements where the kernel would.
                true if lands => {}
                true => rim.push((step, part)),
                false => interior.push((step, part)),
            }
        }
        mark_first_launches(group, &launch.built, interior.iter_mut().chain(&mut rim));
        self.instance.steps.extend(interior.into_iter().map(|(step, _)| step));
        self.wait_for_slabs(final_step);
        self.instance.steps.extend(rim.into_iter().map(|(step, _)| step));
        self.free_slabs(final_step);
    }

    /// For each access of a launch, the exchange that serves it.
    fn served(&self, launch: &FinalLaunch) -> SmallVec<[Option<ExchangeId>; 8]> {
        let exchange = |access: &BuiltAccess| match access.buffer {
            Buffer::Input(source) => {
                let serves =
                    |exchange: &Exchange| exchange.serves(launch.unit, source, &access.map);
                let mut exchanges = self.plan.numbered_exchanges();
                exchanges.find(|(_, exchange)| serves(exchange)).map(|(id, _)| id)
            }
            _ => None,
        };
        launch.built.accesses.iter().map(exchange).collect()
    }

    /// The launch of a kernel on a box, and whether it reads slabs.
    fn launch_on(
        &self,
        group: &Group,
        built: &Built,
        kernel: usize,
        served: &[Option<ExchangeId>],
        part: &IndexBox,
    ) -> (LocalStep, bool) {
        let mut accesses = Vec::with_capacity(built.accesses.len());
        let mut waits = false;
        for ((access, served), own) in built.accesses.iter().zip(served).zip(&built.kernel.accesses)
        {
            let guard = access.guard.map(|guard| &built.guards[guard.index()]);
            let (at, in_slab) = self.resolve(group, access, guard, *served, part);
            waits |= in_slab;
            accesses.push(along_axes(built, own, access, at));
        }
        let ranges = built.axes.iter().map(|&axis| &part[axis as usize]);
        let step = LocalStep::Launch {
            kernel,
            extents: ranges.clone().map(ExactSizeIterator::len).collect(),
            origins: ranges.map(|range| range.start as i64).collect(),
            accesses,
            guards: guard_arguments(built),
            scalars: scalar_arguments(group, built, part),
        };
        (step, waits)
    }

    /// Waits for the slabs that a step needs. Only the first step waits; later ones find them
    /// filled.
    pub fn wait_for_slabs(&mut self, step: &FinalStep) {
        for (id, exchange) in self.plan.numbered_exchanges() {
            if step.waits_for(exchange, self.plan)
                && let Some(slabs) = &mut self.slabs[id.index()]
                && !std::mem::replace(&mut slabs.has_arrived, true)
            {
                let unpack = std::mem::take(&mut slabs.unpack);
                self.instance.steps.push(LocalStep::Wait { exchange: id, unpack });
                self.free.append(&mut slabs.staging);
            }
        }
    }

    /// Frees the slabs that no step after this one reads.
    pub fn free_slabs(&mut self, step: &FinalStep) {
        for (id, exchange) in self.plan.numbered_exchanges() {
            if step.waits_for(exchange, self.plan)
                && self.last_step(exchange).is_some_and(|last| std::ptr::eq(last, step))
                && let Some(slabs) = &self.slabs[id.index()]
            {
                self.free.extend(slabs.regions.iter().filter_map(Slab::buffer));
            }
        }
    }

    /// The last step that runs and reads the slabs of an exchange.
    fn last_step(&self, exchange: &Exchange) -> Option<&FinalStep> {
        self.finished.steps.iter().rev().find(|step| step.waits_for(exchange, self.plan))
    }

    /// The position of an access's element at the start of a box, with byte strides along the
    /// value's axes, and whether it is in a slab.
    fn resolve(
        &self,
        group: &Group,
        access: &BuiltAccess,
        guard: Option<&IndexBox>,
        served: Option<ExchangeId>,
        part: &IndexBox,
    ) -> (At, bool) {
        let (source, number) = match access.buffer {
            Buffer::Input(source) => (source, 0),
            Buffer::Output(node) => (Source::Node(node), 0),
            Buffer::OutputPart(node, number) => (Source::Node(node), number),
        };
        let mut item = self.item(source);
        let (mut offset, mut own) = (0, None);
        if let (Source::Node(node), false) = (source, matches!(access.buffer, Buffer::Input(_)))
            && let Some((dtype, monoid)) = self.plan.packed_item(node)
        {
            // Until it is combined, an output is addressed by its parts.
            item = monoid.item_size(dtype);
            offset = monoid.part_offset(dtype, number);
            own = self.packed.get(&node).map(|&buffer| Memory::Local(buffer));
        }
        let block = self.block(source);
        let memory = |own: Option<Memory>| own.unwrap_or_else(|| self.memory_of(source));
        if served.is_none() {
            let at = locate(access, part, memory(own), &block, item);
            return (At { offset: at.offset + offset as isize, ..at }, false);
        }
        // An access that reads nothing may point anywhere.
        let reaches = read_box(&group.axes, part, &access.map, guard);
        let is_inside =
            reaches.as_ref().is_none_or(|reaches| intersect(reaches, &block) == *reaches);
        if is_inside {
            let at = locate(access, part, memory(own), &block, item);
            return (At { offset: at.offset + offset as isize, ..at }, false);
        }
        let slabs = served.and_then(|id| self.slabs[id.index()].as_ref());
        let slab = slabs.and_then(|slabs| {
            slabs
                .regions
                .iter()
                .find(|slab| reaches.as_ref().is_some_and(|r| intersect(r, &slab.region) == *r))
        });
        match slab {
            Some(Slab { memory, block, .. }) => (locate(access, part, *memory, block, item), true),
            None => {
                unreachable!("bug: {reaches:?} is neither in the block {block:?} nor in a slab")
            }
        }
    }
}

/// The position of an access with strides along the kernel axes that it names.
fn along_axes(built: &Built, own: &Access, access: &BuiltAccess, at: At) -> At {
    let stride = |axis: &AxisId| {
        let group_axis = built.axes[axis.index()];
        let maps = access.map.axes.iter().zip(&at.strides);
        let follows = maps.filter(|(map, _)| map.axis == Some(group_axis));
        follows.map(|(map, stride)| map.step as isize * stride).sum()
    };
    At { strides: own.axes.iter().map(stride).collect(), ..at }
}

/// The position of an access's element at the start of a part of the space, in memory with a block
/// of the value.
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

/// The scalar arguments of a launch on a part of the space.
fn scalar_arguments(group: &Group, built: &Built, part: &IndexBox) -> Arc<[ScalarSource]> {
    let is_counted = |source: &ScalarSource| matches!(source, ScalarSource::Points(_));
    if !built.scalars.iter().any(is_counted) {
        return built.scalars.clone();
    }
    let given = |source: &ScalarSource| match source {
        ScalarSource::Points(level) => {
            let axes = group.axes.iter().zip(part).filter(|(axis, _)| axis.level == *level);
            let points: usize = axes.map(|(_, range)| range.len()).product();
            ScalarSource::Number(Scalar::new(points as i64))
        }
        other => *other,
    };
    built.scalars.iter().map(given).collect()
}

/// Gives each launch of a group in parts, in the order in which they run, whether no launch before
/// has stored its results. Two boxes have the same points of the grid, or none in common.
fn mark_first_launches<'l>(
    group: &Group,
    built: &Built,
    launches: impl Iterator<Item = &'l mut (LocalStep, IndexBox)>,
) {
    if !built.scalars.contains(&ScalarSource::IsFirst) {
        return;
    }
    let grid = |part: &IndexBox| -> IndexBox {
        let along = group.axes.iter().zip(part).filter(|(axis, _)| axis.level == 0);
        along.map(|(_, range)| range.clone()).collect()
    };
    let mut seen: Vec<IndexBox> = Vec::new();
    for (step, part) in launches {
        let LocalStep::Launch { scalars, .. } = step else { continue };
        let is_first = !seen.contains(&grid(part));
        seen.push(grid(part));
        let given = |source: &ScalarSource| match source {
            ScalarSource::IsFirst => ScalarSource::Number(Scalar::new(is_first)),
            other => *other,
        };
        *scalars = scalars.iter().map(given).collect();
    }
}

/// The bounds of each guard on the kernel axes that it names.
fn guard_arguments(built: &Built) -> Vec<Vec<(i64, i64)>> {
    let of = |(axes, guard): (&Vec<AxisId>, &IndexBox)| {
        let range = |axis: &AxisId| &guard[built.axes[axis.index()] as usize];
        axes.iter().map(range).map(|range| (range.start as i64, range.end as i64)).collect()
    };
    built.kernel.guards.iter().zip(&built.guards).map(of).collect()
}
