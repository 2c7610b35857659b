//! Flights: the plans that the devices have not finished, with the memory that is free after each.

use crate::outcome::Outcome;
use phalanx_device::Buffer;
use phalanx_graph::Error;
use phalanx_ops::Bytes;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most plans in flight, unless the devices need a lower limit.
pub(super) const MOST_FLYING: usize = 2;

/// Plans in flight, oldest first.
#[derive(Default)]
pub(super) struct Flights(VecDeque<Flight>);

/// A plan in flight.
pub(super) struct Flight {
    pub outcome: Arc<Outcome>,
    /// For each local device, memory that is free after the plan. A later plan may get it at once,
    /// because a device runs its plans in order.
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

    /// Frees the memory that ended plans held, and keeps their outcomes.
    pub fn free_ended(&mut self) {
        for flight in self.0.iter_mut().take_while(|flight| flight.outcome.is_done()) {
            flight.retired.iter_mut().for_each(Vec::clear);
        }
    }

    /// The outcomes of the plans, oldest first.
    pub fn outcomes(&self) -> Vec<Arc<Outcome>> {
        self.0.iter().map(|flight| flight.outcome.clone()).collect()
    }

    pub fn push(&mut self, flight: Flight) {
        self.0.push_back(flight);
    }

    /// Waits for the oldest plan.
    pub fn pop(&mut self) -> Option<Result<(), Error>> {
        self.0.pop_front().map(|flight| flight.outcome.wait_surely())
    }

    /// Waits for all plans; their values carry any errors.
    pub fn land(&mut self) {
        while self.pop().is_some() {}
    }

    /// Memory of this size that is free after a plan on a local device.
    pub fn take(&mut self, local: usize, bytes: Bytes) -> Option<Buffer> {
        self.0.iter_mut().find_map(|flight| {
            let retired = &mut flight.retired[local];
            let place = retired.iter().position(|buffer| buffer.len() == bytes.0)?;
            Some(retired.swap_remove(place))
        })
    }
}
