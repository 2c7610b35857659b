//! Messages between GPUs: successive messages start together.
//!
//! A send is complete when the receiver has the bytes, and later work of the stream waits for it.
//! Two members that both send first and then receive would wait for ever. Therefore messages are
//! collected until a thread waits for one of them or enqueues other work.

use super::endpoint::{Endpoint, Enqueued};
use super::transfer::transfer;
use crate::{CollectiveError, Message};
use phalanx_device::cuda::NcclCommunicator;
use phalanx_device::{Completion, EventError, Moment};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The outcome of messages that start together.
type Batch = Arc<OnceLock<Result<Arc<Enqueued>, CollectiveError>>>;

/// Messages that have not started.
pub(super) struct Outbox {
    endpoint: Arc<Endpoint>,
    link: Arc<NcclCommunicator>,
    rank: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    sends: Vec<Message>,
    receives: Vec<Message>,
    batch: Batch,
}

impl Outbox {
    pub(super) fn new(
        endpoint: &Arc<Endpoint>,
        link: &Arc<NcclCommunicator>,
        rank: usize,
    ) -> Arc<Outbox> {
        let (endpoint, link, waiting) = (endpoint.clone(), link.clone(), Mutex::default());
        Arc::new(Outbox { endpoint, link, rank, waiting })
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection of the communicator group.
    pub(super) fn link(&self) -> &Arc<NcclCommunicator> {
        &self.link
    }

    /// Adds messages to those that wait to start.
    pub(super) fn post(self: &Arc<Self>, sends: Vec<Message>, receives: Vec<Message>) -> Posted {
        let mut waiting = self.waiting();
        waiting.sends.extend(sends);
        waiting.receives.extend(receives);
        Posted { outbox: self.clone(), batch: waiting.batch.clone() }
    }

    /// Begins the waiting messages. They carry the outcome.
    pub(super) fn begin(&self) {
        let Waiting { sends, receives, batch } = {
            let mut waiting = self.waiting();
            if waiting.sends.is_empty() && waiting.receives.is_empty() {
                return;
            }
            std::mem::take(&mut *waiting)
        };
        let slices = sends.iter().chain(&receives).map(|message| message.data.clone()).collect();
        let work = || transfer(&self.link, self.rank, &sends, &receives);
        let begun = self.endpoint.enqueue(&[&self.endpoint.stream], slices, work);
        let _ = batch.set(begun.map(Arc::new));
    }
}

/// Messages that start at the latest when a thread waits for them.
pub(super) struct Posted {
    outbox: Arc<Outbox>,
    batch: Batch,
}

impl Completion for Posted {
    fn is_done(&self) -> bool {
        self.batch.get().is_some()
    }

    fn wait(&self) -> Result<(), EventError> {
        self.outbox.begin();
        match self.batch.get() {
            Some(Ok(enqueued)) => enqueued.wait(),
            Some(Err(error)) => Err(EventError::new(error.clone())),
            // There was nothing to send or receive.
            None => Ok(()),
        }
    }

    fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        match self.batch.get() {
            Some(Ok(enqueued)) => enqueued.spans(begun),
            _ => Vec::new(),
        }
    }
}
