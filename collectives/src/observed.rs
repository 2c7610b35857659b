//! A communicator that tells an observer of its calls: a test that compares communication with
//! plans, or a timeline.

use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::{Event, Slice};
use phalanx_ops::{DType, Monoid};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Sees the calls of communicators.
pub trait Observer: Send + Sync {
    /// Sees a call, and runs it. `bytes` are those that other members request from this one,
    /// whatever the algorithm really sends: the data of a reduction, the root's data of a
    /// broadcast, parts and messages for others.
    ///
    /// Errors: those of the call.
    fn observe(
        &self,
        operation: Operation,
        bytes: usize,
        call: &mut dyn FnMut() -> Result<Event, CollectiveError>,
    ) -> Result<Event, CollectiveError>;
}

/// A communicator that forwards its calls to another communicator and lets an observer see them,
/// also those of its splits.
pub struct Observed {
    inner: Arc<dyn Communicator>,
    observer: Arc<dyn Observer>,
}

/// Calls of one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// The number of calls.
    pub calls: u64,
    /// Their bytes (see [`Observer::observe`]).
    pub bytes: u64,
}

/// An observer that counts the calls of each operation. Clones share their counts.
#[derive(Clone, Debug, Default)]
pub struct Counts(Arc<Mutex<BTreeMap<Operation, Count>>>);

impl Counts {
    /// The count of one operation so far.
    pub fn of(&self, operation: Operation) -> Count {
        self.all().get(&operation).copied().unwrap_or_default()
    }

    /// The counts of all operations called so far.
    pub fn all(&self) -> BTreeMap<Operation, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Resets all counts to zero.
    pub fn reset(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Observer for Counts {
    fn observe(
        &self,
        operation: Operation,
        bytes: usize,
        call: &mut dyn FnMut() -> Result<Event, CollectiveError>,
    ) -> Result<Event, CollectiveError> {
        {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(operation).or_default();
            count.calls += 1;
            count.bytes += bytes as u64;
        }
        call()
    }
}

impl Observed {
    /// Lets `observer` see the calls of `inner`.
    pub fn new(inner: Arc<dyn Communicator>, observer: Arc<dyn Observer>) -> Observed {
        Observed { inner, observer }
    }

    fn seen(
        &self,
        operation: Operation,
        bytes: usize,
        mut call: impl FnMut(&dyn Communicator) -> Result<Event, CollectiveError>,
    ) -> Result<Event, CollectiveError> {
        self.observer.observe(operation, bytes, &mut || call(&*self.inner))
    }

    /// `bytes`, if the communicator group has other members.
    fn shared(&self, bytes: usize) -> usize {
        if self.inner.size() > 1 { bytes } else { 0 }
    }

    /// All of `counts` except this member's part.
    fn parts(&self, counts: &[usize]) -> usize {
        let own = counts.get(self.inner.rank()).copied().unwrap_or(0);
        counts.iter().sum::<usize>() - own
    }

    fn message(&self, data: &Slice, to: usize) -> usize {
        if to == self.inner.rank() { 0 } else { data.len }
    }
}

impl Communicator for Observed {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn plane(&self) -> &'static str {
        self.inner.plane()
    }

    fn takes_device_memory(&self) -> bool {
        self.inner.takes_device_memory()
    }

    fn waits_in_device_work(&self) -> bool {
        self.inner.waits_in_device_work()
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        self.inner.prepare()
    }

    fn all_reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        let bytes = self.shared(data.len);
        self.seen(Operation::AllReduce, bytes, |inner| inner.all_reduce(data, dtype, monoid))
    }

    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let bytes = self.message(data, root);
        self.seen(Operation::Reduce, bytes, |inner| inner.reduce(data, dtype, monoid, root))
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        let bytes = self.shared(if self.rank() == root { data.len } else { 0 });
        self.seen(Operation::Broadcast, bytes, |inner| inner.broadcast(data, root))
    }

    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        let bytes = self.shared(send.len);
        self.seen(Operation::AllGather, bytes, |inner| inner.all_gather_v(send, receive, counts))
    }

    fn reduce_scatter_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        self.seen(Operation::ReduceScatter, self.parts(counts), |inner| {
            inner.reduce_scatter_v(send, receive, counts, dtype, monoid)
        })
    }

    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        self.seen(Operation::AllToAll, self.parts(send_counts), |inner| {
            inner.all_to_all_v(send, send_counts, receive, receive_counts)
        })
    }

    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let bytes = self.parts(if self.rank() == root { counts } else { &[] });
        self.seen(Operation::Scatter, bytes, |inner| inner.scatter_v(send, receive, counts, root))
    }

    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let bytes = self.message(send, root);
        self.seen(Operation::Gather, bytes, |inner| inner.gather_v(send, receive, counts, root))
    }

    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError> {
        self.seen(Operation::Send, self.message(data, to), |inner| inner.send(data, to))
    }

    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError> {
        self.seen(Operation::Receive, 0, |inner| inner.recv(data, from))
    }

    fn send_recv(
        &self,
        send: &Slice,
        to: usize,
        receive: &Slice,
        from: usize,
    ) -> Result<Event, CollectiveError> {
        self.seen(Operation::SendReceive, self.message(send, to), |inner| {
            inner.send_recv(send, to, receive, from)
        })
    }

    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError> {
        let others = sends.iter().filter(|message| message.peer != self.rank());
        let bytes = others.map(Message::bytes).sum();
        self.seen(Operation::Exchange, bytes, |inner| inner.exchange(sends, receives))
    }

    fn takes_rows(&self, peer: usize, bytes: usize, pitch: usize) -> bool {
        self.inner.takes_rows(peer, bytes, pitch)
    }

    fn barrier(&self) -> Result<(), CollectiveError> {
        let waits = |inner: &dyn Communicator| inner.barrier().map(|()| Event::ready());
        self.seen(Operation::Barrier, 0, waits).map(drop)
    }

    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError> {
        let mut group = None;
        self.seen(Operation::Split, 0, |inner| {
            group = inner.split(color, key)?;
            Ok(Event::ready())
        })?;
        let observed = |inner| Observed { inner, observer: self.observer.clone() };
        Ok(group.map(|inner| Arc::new(observed(inner)) as Arc<dyn Communicator>))
    }
}
