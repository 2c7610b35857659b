//! Messages between GPUs: successive messages start together.
//!
//! A send is complete when the receiver has the bytes, and later work of the stream waits for it.
//! Two members that both send first and then receive would wait for ever. Therefore messages are
//! collected until a thread waits for one of them or enqueues other work.

use super::member::{Endpoint, Enqueued};
use crate::CollectiveError;
use phalanx_device::cuda::NcclCommunicator;
use phalanx_device::{Completion, DeviceError, DevicePointer, EventError, Slice};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Bytes to send to, or to receive from, a member.
pub(super) struct Part {
    pub(super) peer: usize,
    pub(super) data: Slice,
}

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
    sends: Vec<Part>,
    receives: Vec<Part>,
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
    pub(super) fn post(self: &Arc<Self>, sends: Vec<Part>, receives: Vec<Part>) -> Posted {
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
        let slices = sends.iter().chain(&receives).map(|part| part.data.clone()).collect();
        let work = || transfer(&self.link, self.rank, &sends, &receives);
        let begun = self.endpoint.enqueue(slices, work);
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
}

/// The address of a slice in the device's memory.
pub(super) fn address(slice: &Slice) -> DevicePointer {
    slice.device_pointer()
}

/// Enqueues sends and receives that progress together, in list order within a pair.
pub(super) fn transfer(
    link: &NcclCommunicator,
    rank: usize,
    sends: &[Part],
    receives: &[Part],
) -> Result<(), DeviceError> {
    let is_own = |part: &&Part| part.peer == rank;
    let is_others = |part: &&Part| part.peer != rank && part.data.len > 0;
    let mut sent: VecDeque<&Part> = sends.iter().filter(is_own).collect();
    let mut own = Vec::new();
    for to in receives.iter().filter(is_own) {
        let Some(from) = sent.pop_front() else {
            unreachable!("bug: a message of oneself that was not sent")
        };
        assert_eq!(from.data.len, to.data.len, "bug: a message to oneself changes its length");
        let places = [address(&from.data), address(&to.data)];
        if places[0] != places[1] && to.data.len > 0 {
            own.push((places, to.data.len));
        }
    }
    assert!(sent.is_empty(), "bug: a message to oneself that is not received");
    if !sends.iter().chain(receives).any(|part| is_others(&part)) {
        // SAFETY: both slices lie in this device's memory and are kept until the stream is past the
        // copy.
        return own.into_iter().try_for_each(|(places, bytes)| unsafe { link.copy(places, bytes) });
    }
    link.grouped(|| {
        // Messages to oneself also use NCCL, at the same time as the rest.
        for ([from, to], bytes) in own {
            // SAFETY: both slices lie in this device's memory and are kept until the stream is past
            // the message.
            unsafe {
                link.send(from, bytes, rank)?;
                link.receive(to, bytes, rank)?;
            }
        }
        for Part { peer, data } in sends.iter().filter(is_others) {
            // SAFETY: the slice is in this device's memory and is kept until the stream is past
            // the message.
            unsafe { link.send(address(data), data.len, *peer) }?;
        }
        for Part { peer, data } in receives.iter().filter(is_others) {
            // SAFETY: as above.
            unsafe { link.receive(address(data), data.len, *peer) }?;
        }
        Ok(())
    })
}
