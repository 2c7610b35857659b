//! A communicator that counts its calls, so that tests can compare communication with plans.

use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::{Event, Slice};
use phalanx_ops::{DType, Monoid};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Calls of one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// The number of calls.
    pub calls: u64,
    /// The bytes that other members request from this one, whatever the algorithm really sends: the
    /// data of a reduction, the root's data of a broadcast, parts and messages for others.
    pub bytes: u64,
}

/// Counts by operation, shared by a communicator and its splits.
#[derive(Clone, Debug, Default)]
pub struct Counts(Arc<Mutex<BTreeMap<Operation, Count>>>);

/// A communicator that counts calls and forwards them to another communicator.
pub struct Counting {
    inner: Arc<dyn Communicator>,
    counts: Counts,
}

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

    fn add(&self, operation: Operation, bytes: usize) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(operation).or_default();
        count.calls += 1;
        count.bytes += bytes as u64;
    }
}

impl Counting {
    /// Counts the calls of `inner`.
    pub fn new(inner: Arc<dyn Communicator>) -> Counting {
        Counting { inner, counts: Counts::default() }
    }

    /// A handle to the counts.
    pub fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Adds `bytes` if the communicator group has other members.
    fn add_shared(&self, operation: Operation, bytes: usize) {
        self.counts.add(operation, if self.inner.size() > 1 { bytes } else { 0 });
    }

    /// Adds all of `counts` except this member's part.
    fn add_parts(&self, operation: Operation, counts: &[usize]) {
        let own = counts.get(self.inner.rank()).copied().unwrap_or(0);
        self.counts.add(operation, counts.iter().sum::<usize>() - own);
    }

    fn add_message(&self, operation: Operation, data: &Slice, to: usize) {
        self.counts.add(operation, if to == self.inner.rank() { 0 } else { data.len });
    }
}

impl Communicator for Counting {
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
        self.add_shared(Operation::AllReduce, data.len);
        self.inner.all_reduce(data, dtype, monoid)
    }

    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        self.add_message(Operation::Reduce, data, root);
        self.inner.reduce(data, dtype, monoid, root)
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        self.add_shared(Operation::Broadcast, if self.rank() == root { data.len } else { 0 });
        self.inner.broadcast(data, root)
    }

    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        self.add_shared(Operation::AllGather, send.len);
        self.inner.all_gather_v(send, receive, counts)
    }

    fn reduce_scatter_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        self.add_parts(Operation::ReduceScatter, counts);
        self.inner.reduce_scatter_v(send, receive, counts, dtype, monoid)
    }

    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        self.add_parts(Operation::AllToAll, send_counts);
        self.inner.all_to_all_v(send, send_counts, receive, receive_counts)
    }

    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        self.add_parts(Operation::Scatter, if self.rank() == root { counts } else { &[] });
        self.inner.scatter_v(send, receive, counts, root)
    }

    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        self.add_message(Operation::Gather, send, root);
        self.inner.gather_v(send, receive, counts, root)
    }

    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError> {
        self.add_message(Operation::Send, data, to);
        self.inner.send(data, to)
    }

    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError> {
        self.counts.add(Operation::Receive, 0);
        self.inner.recv(data, from)
    }

    fn send_recv(
        &self,
        send: &Slice,
        to: usize,
        receive: &Slice,
        from: usize,
    ) -> Result<Event, CollectiveError> {
        self.add_message(Operation::SendReceive, send, to);
        self.inner.send_recv(send, to, receive, from)
    }

    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError> {
        let others = sends.iter().filter(|message| message.peer != self.rank());
        self.counts.add(Operation::Exchange, others.map(Message::bytes).sum());
        self.inner.exchange(sends, receives)
    }

    fn takes_rows(&self, peer: usize, bytes: usize, pitch: usize) -> bool {
        self.inner.takes_rows(peer, bytes, pitch)
    }

    fn barrier(&self) -> Result<(), CollectiveError> {
        self.counts.add(Operation::Barrier, 0);
        self.inner.barrier()
    }

    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError> {
        self.counts.add(Operation::Split, 0);
        let group = self.inner.split(color, key)?;
        let counts = self.counts.clone();
        Ok(group.map(|inner| Arc::new(Counting { inner, counts }) as Arc<dyn Communicator>))
    }
}
