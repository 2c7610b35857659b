//! The memory of plans: all of it is reserved before the first step, by agreement of all ranks.

use super::Session;
use crate::error::RunError;
use crate::finalise::Place;
use crate::instance::Instance;
use crate::job::{JobMemory, Outcome};
use crate::ready::Ready;
use crate::shards::Shards;
use phalanx_array::Graph;
use phalanx_device::{Buffer, DeviceError};
use phalanx_ops::{DType, Scalar};
use std::collections::VecDeque;
use std::sync::Arc;

/// Why a plan gets no memory; the same on all ranks.
pub(super) enum Refusal {
    /// A device has too little for the plan.
    Plan(RunError),
    /// A device had too little for data that the plan needs.
    Data(RunError),
    /// The world has ended.
    World(RunError),
}

/// What there is no memory for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lack {
    Plan = 1,
    Data = 2,
}

/// Plans under way, oldest first.
#[derive(Default)]
pub(super) struct Flights(VecDeque<Flight>);

/// A plan under way.
pub(super) struct Flight {
    pub outcome: Arc<Outcome>,
    /// For each local device, memory that nobody needs once the plan has run. A later plan may be
    /// given it at once: a device runs its plans one after the other.
    pub retired: Vec<Vec<Buffer>>,
}

impl Flights {
    /// The number of plans that have not ended.
    pub fn len(&mut self) -> usize {
        while self.0.front().is_some_and(|flight| flight.outcome.is_done()) {
            self.0.pop_front();
        }
        self.0.len()
    }

    /// Gives back what plans held that have ended; how they did is kept for the session's end.
    pub fn give_back_ended(&mut self) {
        for flight in self.0.iter_mut().take_while(|flight| flight.outcome.is_done()) {
            flight.retired.iter_mut().for_each(Vec::clear);
        }
    }

    /// How the plans end, the oldest first.
    pub fn outcomes(&self) -> Vec<Arc<Outcome>> {
        self.0.iter().map(|flight| flight.outcome.clone()).collect()
    }

    pub fn push(&mut self, flight: Flight) {
        self.0.push_back(flight);
    }

    /// Waits for the oldest plan.
    pub fn pop(&mut self) -> Option<Result<(), phalanx_array::Error>> {
        self.0.pop_front().map(|flight| flight.outcome.wait_surely())
    }

    /// Waits for all; how they ended stays with their values.
    pub fn land(&mut self) {
        while self.pop().is_some() {}
    }

    fn take(&mut self, local: usize, bytes: usize) -> Option<Buffer> {
        self.0.iter_mut().find_map(|flight| {
            let retired = &mut flight.retired[local];
            let place = retired.iter().position(|buffer| buffer.len() == bytes)?;
            Some(retired.swap_remove(place))
        })
    }
}

impl Session {
    /// All memory of a plan, before its first step.
    fn reserve(
        &self,
        flights: &mut Flights,
        ready: &Ready,
        graph: &Graph,
    ) -> Result<Vec<JobMemory>, (Lack, DeviceError)> {
        for leaf in &graph.leaves {
            if let Some(Ok(value)) = leaf.result()
                && let Some(refusal) = Shards::of(value).refusal()
            {
                return Err((Lack::Data, refusal.clone()));
            }
        }
        let mut memory = Vec::with_capacity(self.devices().len());
        for (local, (device, instance)) in self.devices().iter().zip(&ready.instances).enumerate() {
            let Instance { slots, locals, .. } = instance;
            let mut allocate = |sizes: &[usize]| {
                let one = |&bytes: &usize| match flights.take(local, bytes) {
                    Some(buffer) => Ok(buffer),
                    None => device.clone().allocate(bytes).map_err(|error| (Lack::Plan, error)),
                };
                sizes.iter().map(one).collect::<Result<Vec<Buffer>, _>>()
            };
            let leaves = graph.leaves.iter().map(|leaf| match leaf.result() {
                Some(Ok(value)) => Shards::of(value).buffers()[local].clone(),
                _ => unreachable!("bug: checked above"),
            });
            memory.push(JobMemory {
                leaves: leaves.collect(),
                slots: allocate(slots)?,
                locals: allocate(locals)?,
            });
        }
        Ok(memory)
    }

    /// All memory of a plan, or an error on every rank.
    pub(super) fn reserve_agreed(
        &self,
        flights: &mut Flights,
        ready: &Ready,
        graph: &Graph,
    ) -> Result<Vec<JobMemory>, Refusal> {
        let refused = |(lack, refusal)| match lack {
            Lack::Plan => Refusal::Plan(self.too_little(refusal)),
            Lack::Data => Refusal::Data(self.too_little(refusal)),
        };
        let mut memory = self.reserve(flights, ready, graph);
        if memory.is_err() {
            // What is under way may still hold memory that nobody needs afterwards.
            flights.land();
            memory = self.reserve(flights, ready, graph);
        }
        if self.world().size() == 1 {
            return memory.map_err(refused);
        }
        if self.options.memory_limit.is_none() {
            // Without an agreed limit nobody expects a refusal, so it ends the world.
            let end = |(_, refusal)| Refusal::World(self.fatal(self.too_little(refusal)));
            return memory.map_err(end);
        }
        // With one, every rank hears of a refusal, and the program may go on. The error is the same
        // on all ranks, so that programs that look at it go on alike.
        let mut words = [0u64; 4];
        if let Err((lack, DeviceError::OutOfMemory { requested, in_use, limit, .. })) = &memory {
            let lack = *lack as u64;
            words = [lack, *requested as u64, *in_use as u64, limit.unwrap_or(0) as u64];
        }
        let own = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let all = self.processes.gather(own, |_| size_of_val(&words)).map_err(Refusal::World)?;
        let is_data = all.iter().any(|bytes| word(&bytes[..8]) == Lack::Data as usize);
        for (rank, bytes) in all.iter().enumerate() {
            let [is_refused, requested, in_use, limit] =
                std::array::from_fn(|at| word(&bytes[at * 8..at * 8 + 8]));
            if is_refused != 0 {
                let device = format!("a device of rank {rank}");
                let limit = Some(limit).filter(|&limit| limit > 0);
                let refusal = DeviceError::OutOfMemory { device, requested, in_use, limit };
                let lack = if is_data { Lack::Data } else { Lack::Plan };
                return Err(refused((lack, refusal)));
            }
        }
        memory.map_err(refused)
    }

    /// The error of a device's refusal.
    pub(super) fn too_little(&self, refusal: DeviceError) -> RunError {
        RunError::Memory { refusal, largest: self.live.largest() }
    }
}

/// For each local device, what nobody needs once a plan has run: the memory of leaves given to it
/// and of values that are not live afterwards, slabs and messages.
pub(super) fn retired(
    memory: &[JobMemory],
    live: &[Place],
    donated: impl Fn(u32) -> bool,
) -> Vec<Vec<Buffer>> {
    let of_device = |memory: &JobMemory| {
        let slots = memory.slots.iter().enumerate();
        let slots = slots.filter(|(slot, _)| !live.contains(&Place::Slot(*slot)));
        let leaves = memory.leaves.iter().enumerate();
        let leaves = leaves.filter(|(leaf, _)| {
            let leaf = *leaf as u32;
            donated(leaf) && !live.contains(&Place::Leaf(leaf))
        });
        let dying = slots.chain(leaves).map(|(_, buffer)| buffer);
        dying.chain(&memory.locals).cloned().collect()
    };
    memory.iter().map(of_device).collect()
}

/// The number in eight bytes of a message.
pub(super) fn word(bytes: &[u8]) -> usize {
    Scalar::from_bytes(DType::U64, bytes).to_element::<u64>() as usize
}
