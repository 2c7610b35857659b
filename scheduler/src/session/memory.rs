//! The memory of plans, which all ranks reserve in agreement before the first step.

use super::flights::Flights;
use super::state::Session;
use crate::error::RunError;
use crate::finalise::Place;
use crate::ids::SlotId;
use crate::instance::Instance;
use crate::job::JobMemory;
use crate::ready::Ready;
use crate::shards::Shards;
use phalanx_device::{Buffer, DeviceError, observer};
use phalanx_graph::{Graph, LeafId, Site};
use phalanx_ops::memory::has_room;
use phalanx_ops::{Bytes, DType, Scalar};

/// Why a plan gets no memory; equal on all ranks.
pub(super) enum Refusal {
    /// A device has too little.
    Memory {
        /// The refused request.
        refusal: DeviceError,
        /// Whether the request can never succeed: it exceeds all memory of the device, or data that
        /// the plan needs was refused.
        is_final: bool,
    },
    /// The world has ended.
    World(RunError),
}

/// More memory than any device has: processors address 47 bits of it.
const MOST_MEMORY: usize = 1 << 47;

impl Session {
    /// Reserves all memory of a plan, or returns the refusal and whether it is final.
    fn reserve(
        &self,
        flights: &mut Flights,
        ready: &Ready,
        graph: &Graph,
    ) -> Result<Vec<JobMemory>, (DeviceError, bool)> {
        for leaf in &graph.leaves {
            if let Some(Ok(value)) = leaf.result()
                && let Some(refusal) = Shards::of(value).refusal()
            {
                return Err((refusal.clone(), true));
            }
        }
        let sites = sites_of_slots(ready, graph);
        let mut memory = Vec::with_capacity(self.devices().len());
        for (local, (device, instance)) in self.devices().iter().zip(&ready.instances).enumerate() {
            let Instance { slots, locals, .. } = instance;
            let leaves = graph.leaves.iter().map(|leaf| match leaf.result() {
                Some(Ok(value)) => Shards::of(value).buffers()[local].clone(),
                _ => unreachable!("bug: checked above"),
            });
            let leaves: Vec<Buffer> = leaves.collect();
            let mut allocate = |sizes: &[Bytes], sites: &[Option<String>]| {
                let one = |(slot, &bytes): (usize, &Bytes)| match flights.take(local, bytes) {
                    Some(buffer) => Ok(buffer),
                    None => {
                        let site = sites.get(slot).and_then(Clone::clone);
                        observer::for_call(site, || device.clone().allocate(bytes.0))
                    }
                };
                sizes.iter().enumerate().map(one).collect::<Result<Vec<Buffer>, _>>()
            };
            let given =
                allocate(slots, &sites).and_then(|slots| Ok((slots, allocate(locals, &[])?)));
            let (slots, locals) = given.map_err(|refusal| {
                let new = slots.iter().chain(locals).map(|bytes| bytes.0);
                let all = new.chain(leaves.iter().map(Buffer::len)).fold(0, usize::saturating_add);
                (refusal, all > device.memory_limit().unwrap_or(MOST_MEMORY))
            })?;
            memory.push(JobMemory { leaves, slots, locals });
        }
        // A refusal while a routine runs would be too late, because other devices may wait for
        // it.
        let Bytes(requested) = ready.workspace(self.devices());
        if !has_room(requested) {
            let (device, in_use) = (self.devices()[0].name(), self.devices()[0].bytes_in_use());
            let refusal = DeviceError::OutOfMemory { device, requested, in_use, limit: None };
            return Err((refusal, false));
        }
        Ok(memory)
    }

    /// Reserves all memory of a plan, or fails on every rank.
    pub(super) fn reserve_agreed(
        &self,
        flights: &mut Flights,
        ready: &Ready,
        graph: &Graph,
    ) -> Result<Vec<JobMemory>, Refusal> {
        let refused = |(refusal, is_final)| Refusal::Memory { refusal, is_final };
        let mut memory = self.reserve(flights, ready, graph);
        if memory.is_err() {
            // Plans in flight may hold memory that is free after them.
            flights.land();
            memory = self.reserve(flights, ready, graph);
        }
        if self.world().size() == 1 {
            return memory.map_err(refused);
        }
        if self.options.memory_limit.is_none() {
            // Without an agreed limit, ranks do not exchange refusals, so a refusal ends the world.
            let end = |(refusal, _)| Refusal::World(self.fatal(self.too_little(refusal)));
            return memory.map_err(end);
        }
        // With a limit, every rank receives a refusal, and the program may continue. The error is
        // equal on all ranks, so programs that handle it stay alike.
        let mut words = [0u64; 4];
        if let Err((DeviceError::OutOfMemory { requested, in_use, limit, .. }, is_final)) = &memory
        {
            let kind = 1 + u64::from(*is_final);
            words = [kind, *requested as u64, *in_use as u64, limit.unwrap_or(0) as u64];
        }
        let own = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let all = self.processes.gather(own, |_| size_of_val(&words)).map_err(Refusal::World)?;
        let refusal = |bytes: &Vec<u8>| std::array::from_fn(|at| word(&bytes[at * 8..at * 8 + 8]));
        let refusals: Vec<[usize; 4]> = all.iter().map(refusal).collect();
        let is_final = refusals.iter().any(|[kind, ..]| *kind == 2);
        for (rank, &[kind, requested, in_use, limit]) in refusals.iter().enumerate() {
            // If one is final, it is the one reported.
            if kind == 1 + usize::from(is_final) {
                let device = format!("a device of rank {rank}");
                let limit = Some(limit).filter(|&limit| limit > 0);
                let refusal = DeviceError::OutOfMemory { device, requested, in_use, limit };
                return Err(Refusal::Memory { refusal, is_final });
            }
        }
        memory.map_err(refused)
    }

    /// For each position, whether it is true on any rank. Collective over the processes.
    pub(super) fn any_rank(&self, own: Vec<bool>) -> Result<Vec<bool>, RunError> {
        let count = own.len();
        let all = self.processes.gather(own.into_iter().map(u8::from).collect(), |_| count)?;
        Ok((0..count).map(|at| all.iter().any(|bytes| bytes[at] != 0)).collect())
    }

    /// The error of a device's refusal.
    pub(super) fn too_little(&self, refusal: DeviceError) -> RunError {
        RunError::Memory { value: None, refusal: Box::new(refusal), largest: self.live.largest() }
    }
}

/// For an observer of memory, the calls whose values the slots have first; none without one.
fn sites_of_slots(ready: &Ready, graph: &Graph) -> Vec<Option<String>> {
    let mut sites = Vec::new();
    if !observer::is_observed() {
        return sites;
    }
    for (data, moved) in graph.nodes.iter().zip(&*ready.moved) {
        if let Some(Some(Place::Slot(slot))) = ready.places.get(moved.index()) {
            if sites.len() <= slot.index() {
                sites.resize(slot.index() + 1, None);
            }
            let text = |site: Site| format!("{}:{}", site.file(), site.line());
            sites[slot.index()].get_or_insert_with(|| text(data.site));
        }
    }
    sites
}

/// For each local device, the memory that is free after a plan: donated leaves, slots whose values
/// are not live, slabs and messages.
pub(super) fn retired(
    memory: &[JobMemory],
    live: &[Place],
    graph: &Graph,
    donated: &[bool],
) -> Vec<Vec<Buffer>> {
    let of_device = |memory: &JobMemory| {
        let slots = memory.slots.iter().enumerate();
        let slots = slots.filter(|(slot, _)| !live.contains(&Place::Slot(SlotId::new(*slot))));
        let leaves = memory.leaves.iter().enumerate();
        let leaves = leaves
            .filter(|(leaf, _)| donated[*leaf] && !live.contains(&Place::Leaf(LeafId::new(*leaf))));
        let dying = slots.chain(leaves).map(|(_, buffer)| buffer);
        dying.chain(&memory.locals).cloned().collect()
    };
    let retired: Vec<Vec<Buffer>> = memory.iter().map(of_device).collect();
    if cfg!(debug_assertions) {
        let kept = graph.leaves.iter().zip(donated).filter(|(_, is_donated)| !**is_donated);
        let nodes = graph.nodes.iter().map(|data| &data.node);
        let values =
            nodes.chain(kept.map(|(leaf, _)| leaf)).filter_map(|node| match node.result() {
                Some(Ok(value)) => Some(Shards::of(value).buffers()),
                _ => None,
            });
        assert!(are_free(&retired, values), "bug: memory that a value has is free after a plan");
    }
    retired
}

/// Whether each freed buffer is listed once and is none of the values'. It compares buffers, not
/// places.
fn are_free<'a>(retired: &[Vec<Buffer>], mut values: impl Iterator<Item = &'a [Buffer]>) -> bool {
    let is_among = |buffer: &Buffer, all: &[Buffer]| all.iter().any(|other| other.same(buffer));
    let is_once = |all: &Vec<Buffer>| {
        all.iter().enumerate().all(|(position, buffer)| !is_among(buffer, &all[..position]))
    };
    let is_freed = |value: &[Buffer]| {
        value.iter().zip(retired).any(|(buffer, retired)| is_among(buffer, retired))
    };
    retired.iter().all(is_once) && !values.any(is_freed)
}

/// The number in eight bytes of a message.
pub(super) fn word(bytes: &[u8]) -> usize {
    Scalar::from_bytes(DType::U64, bytes).to_element::<u64>() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_freed_once_and_not_that_of_a_value() {
        let [slot, leaf, value] = [1, 2, 3].map(|bytes| Buffer::from_vec(vec![0u8; bytes]));
        let are_free = |retired: &[&Buffer]| {
            let retired = retired.iter().map(|&buffer| buffer.clone()).collect();
            are_free(&[retired], [std::slice::from_ref(&value)].into_iter())
        };
        assert!(are_free(&[&slot, &leaf]));
        assert!(!are_free(&[&slot, &leaf, &slot]));
        assert!(!are_free(&[&slot, &value]));
    }
}
