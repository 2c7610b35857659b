//! Waits for transfers: MPI's engine advances those that it moves only while a thread drives it.

use super::doing::Doings;
use super::transfer::Transfer;
use crate::failure::Failure;
use crate::planes::mpi::Engine;
use crate::{CollectiveError, Operation};
use phalanx_device::{Completion, EventError, Moment};
use std::sync::Arc;

/// Waits for the end of a transfer. If the world fails first, the transfer is cancelled. `engine`
/// is the world's, if it has one.
pub(super) fn wait(
    transfer: &Transfer,
    engine: Option<&Engine>,
    failure: &Failure,
    doings: &Doings,
) -> Result<(), CollectiveError> {
    let _waiting = (!transfer.is_done()).then(|| doings.waits.begin(Some(transfer.process)));
    let engine = engine.filter(|_| transfer.is_by_engine());
    match engine {
        Some(engine) => engine.drive(Some(transfer), || transfer.is_done()),
        None => transfer.sleep(failure),
    }
    if transfer.is_done() {
        return Ok(());
    }
    if let Some(engine) = engine {
        engine.withdraw();
    }
    if transfer.cancel() { failure.check() } else { Ok(()) }
}

/// The completion of several transfers.
pub(crate) struct Transfers {
    pub(super) transfers: Vec<Arc<Transfer>>,
    /// The engine, if it moves one of them.
    pub(super) engine: Option<Arc<Engine>>,
    pub(super) failure: Arc<Failure>,
    pub(super) doings: Arc<Doings>,
    /// The operation and the bytes that it moves, for reports of this process's activity.
    pub(super) begun: (Operation, usize),
}

impl Completion for Transfers {
    fn is_done(&self) -> bool {
        if let Some(engine) = &self.engine {
            engine.look_if_allowed();
        }
        self.failure.is_set() || self.transfers.iter().all(|transfer| transfer.is_done())
    }

    fn wait(&self) -> Result<(), EventError> {
        let _begun = self.doings.under.begin(self.begun.0, self.begun.1);
        let wait = |transfer: &Arc<Transfer>| {
            wait(transfer, self.engine.as_deref(), &self.failure, &self.doings)
        };
        // Wait for every transfer, so that none of them is in use after an error.
        self.transfers.iter().map(wait).fold(Ok(()), Result::and).map_err(EventError::new)
    }

    fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        let ended = self.transfers.iter().filter_map(|transfer| transfer.ended()).max();
        ended.map(|ended| [begun.clone(), Moment::Host(ended)]).into_iter().collect()
    }
}
