//! A member whose device is a GPU and whose messages travel by MPI.
//!
//! Slices on the host use the host's member. Slices on the GPU use the same algorithms, so they are
//! combined in the same order; the GPU copies and combines them. MPI does not know the order of the
//! device's work. Therefore a message is posted when all earlier work is complete, and a thread
//! that waits for it continues when MPI has completed it. Between GPUs of one process a message is
//! a copy.
//!
//! A library that accepts addresses of GPU memory receives them. For other libraries, data for
//! another process is copied to pinned memory (`staging`).

use super::pace::Pace;
use super::staging::{Pinned, Stager, stage};
use crate::algorithms::{self, Conversation, Lower, Memory, converse};
use crate::chunks::part_of;
use crate::group::Member;
use crate::order::Items;
use crate::planes::nccl::{Combination, Kernel};
use crate::transport::Fabric;
use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::cuda::{CudaDevice, Event as Point, Stream};
use phalanx_device::{Buffer, Device, DeviceError, Event, Slice, copy_slice};
use phalanx_ops::{DType, Monoid};
use std::cell::Cell;
use std::sync::Arc;

/// Waits until the device has completed all of its work.
///
/// Errors: the error that ended the world.
pub(super) fn settle(gpu: &Arc<CudaDevice>, fabric: &Fabric) -> Result<(), CollectiveError> {
    let fail = |error: DeviceError| fabric.fail_of_device(&error);
    let point = Point::new(gpu.context(), false, false).map_err(fail)?;
    point.record(&Stream::of_work(gpu.context())).map_err(fail)?;
    let mut pace = Pace::default();
    while !point.is_done().map_err(fail)? {
        fabric.failure.check()?;
        pace.pause();
    }
    Ok(())
}

/// The memory of a GPU: copies and combinations are work of the device.
struct GpuMemory<'a> {
    member: &'a DeviceMember,
    /// Whether the device may have work that touches slices of the collective; at first it may,
    /// from the caller.
    has_work: Cell<bool>,
}

impl GpuMemory<'_> {
    fn gpu(&self) -> &Arc<CudaDevice> {
        &self.member.gpu
    }

    fn fabric(&self) -> &Fabric {
        &self.member.host.fabric
    }
}

impl Memory for GpuMemory<'_> {
    fn is_on_host(&self) -> bool {
        false
    }

    fn settle(&self) -> Result<(), CollectiveError> {
        if self.has_work.replace(false) { settle(self.gpu(), self.fabric()) } else { Ok(()) }
    }

    fn outgoing(&self, data: &Slice, to: usize) -> Result<Slice, CollectiveError> {
        self.settle()?;
        if !self.member.is_staged_with(to) {
            return Ok(data.clone());
        }
        let copy = self.member.outgoing(data.len);
        self.copy(data, &copy)?;
        // The copy is complete: the host waits for what it reads.
        self.has_work.set(false);
        Ok(copy)
    }

    fn incoming(&self, place: &Slice, from: usize) -> Result<Slice, CollectiveError> {
        match self.member.is_staged_with(from) {
            true => Ok(self.member.incoming(place.len)),
            false => self.settle().map(|()| place.clone()),
        }
    }

    /// Memory of the device's pool, which reuses it in the order of the device's work.
    fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
        // Earlier work that uses this memory may be incomplete.
        self.has_work.set(true);
        let scratch = self.gpu().clone().allocate(len);
        scratch.map_err(|error| self.fabric().fail_of_device(&error))
    }

    fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
        if source.len == 0 || source.as_ptr() == target.as_ptr() {
            return Ok(());
        }
        self.has_work.set(true);
        copy_slice(source, target);
        Ok(())
    }

    fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError> {
        assert_eq!(accumulator.len, incoming.len, "bug: items of different lengths are combined");
        let function = Kernel::Combine(items.dtype, items.monoid).load(self.gpu());
        let function = function.map_err(|error| self.fabric().fail_of_device(&error))?;
        let places = [accumulator, incoming].map(|slice| slice.as_ptr() as u64);
        let [first, second] = match lower {
            Lower::Accumulator => places,
            Lower::Incoming => [places[1], places[0]],
        };
        let combination = Combination {
            from: first,
            to: places[0],
            items: (accumulator.len / items.size()) as u64,
            stride: second.wrapping_sub(first),
            members: 2,
        };
        self.has_work.set(true);
        // SAFETY: both slices lie in this device's memory, whole items of the function's kind, and
        // no message touches them; memory returns to the pool behind this work.
        let launched =
            unsafe { combination.launch(function, &Stream::of_work(self.gpu().context())) };
        launched.map_err(|error| self.fabric().fail_of_device(&error))
    }
}

/// One device's side of a communicator group of GPUs whose messages travel by MPI.
pub(crate) struct DeviceMember {
    host: Arc<Member>,
    gpu: Arc<CudaDevice>,
    /// Whether MPI receives addresses of the GPU's memory.
    is_direct: bool,
    /// The pinned memory of the GPU's messages in all communicator groups: for sends and for
    /// receives.
    pinned: Arc<[Pinned; 2]>,
}

impl DeviceMember {
    pub(crate) fn new(
        host: Arc<Member>,
        gpu: Arc<CudaDevice>,
        is_direct: bool,
    ) -> Arc<DeviceMember> {
        Arc::new(DeviceMember { host, gpu, is_direct, pinned: Arc::default() })
    }

    /// Whether messages to and from a member travel through host memory. Both ends agree.
    fn is_staged_with(&self, peer: usize) -> bool {
        !self.is_direct && self.host.places[peer].process != self.host.fabric.rank
    }

    fn is_alone(&self) -> bool {
        self.host.places.len() == 1
    }

    /// Runs a collective on slices in the device's memory. A communicator group of one member only
    /// copies between the slices of `alone`, if given.
    fn collective(
        &self,
        (operation, bytes): (Operation, usize),
        arguments: Result<(), CollectiveError>,
        alone: Option<[&Slice; 2]>,
        work: impl FnOnce(&mut Conversation<'_>) -> Result<(), CollectiveError>,
    ) -> Result<Event, CollectiveError> {
        let fabric = &*self.host.fabric;
        let _begun = fabric.doings.under.begin(operation, bytes);
        let memory = GpuMemory { member: self, has_work: Cell::new(true) };
        let run = || {
            fabric.failure.check()?;
            arguments?;
            match alone {
                _ if !self.is_alone() => converse(&self.host, &memory, work),
                Some([source, target]) => memory.copy(source, target),
                None => Ok(()),
            }
        };
        // Device work that is still running precedes the device's later work.
        run().map(|()| Event::ready()).map_err(|error| fabric.fail(error))
    }

    /// Starts the messages of an operation without waiting for them; after the device's work if one
    /// of them resides in its memory.
    fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        let mut all = sends.iter().chain(receives);
        all.clone()
            .try_for_each(|message| self.host.check_member(message.peer))
            .map_err(|error| self.host.fabric.fail(error))?;
        if !all.clone().any(|message| is_remote(&message.data)) {
            return self.host.messages(operation, Ok(()), receives, sends);
        }
        settle(&self.gpu, &self.host.fabric)?;
        if all.any(|message| self.is_staged(message)) {
            return stage(self, operation, sends, receives);
        }
        self.host.messages(operation, Ok(()), receives, sends)
    }

    /// Performs an all-to-all as an exchange, which cuts long parts into chunks.
    fn all_to_all_in_chunks(
        &self,
        checked: Result<(), CollectiveError>,
        [send, receive]: [&Slice; 2],
        send_counts: &[usize],
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        checked.map_err(|error| self.host.fabric.fail(error))?;
        let parts = |whole: &Slice, counts: &[usize]| -> Vec<Message> {
            let part = |peer| {
                let range = part_of(counts, peer);
                Message { peer, data: whole.slice(range.start, range.len()) }
            };
            (0..counts.len()).filter(|peer| counts[*peer] > 0).map(part).collect()
        };
        let (sends, receives) = (parts(send, send_counts), parts(receive, receive_counts));
        if sends.is_empty() && receives.is_empty() {
            return Ok(Event::ready());
        }
        self.messages(Operation::AllToAll, &sends, &receives)
    }
}

impl Stager for DeviceMember {
    fn host(&self) -> &Member {
        &self.host
    }

    fn is_staged(&self, message: &Message) -> bool {
        is_remote(&message.data) && self.is_staged_with(message.peer)
    }

    fn outgoing(&self, len: usize) -> Slice {
        self.pinned[0].far_slice(&self.gpu, len)
    }

    fn incoming(&self, len: usize) -> Slice {
        self.pinned[1].far_slice(&self.gpu, len)
    }
}

/// Whether a slice resides in the memory of a device.
fn is_remote(slice: &Slice) -> bool {
    slice.buffer.remote().is_some()
}

impl Communicator for DeviceMember {
    fn rank(&self) -> usize {
        self.host.rank
    }

    fn size(&self) -> usize {
        self.host.places.len()
    }

    fn plane(&self) -> &'static str {
        self.host.plane()
    }

    fn takes_device_memory(&self) -> bool {
        true
    }

    fn all_reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        if !is_remote(data) {
            return self.host.all_reduce(data, dtype, monoid);
        }
        let items = Items { dtype, monoid };
        let checked = items.check("all_reduce", data.len);
        self.collective((Operation::AllReduce, data.len), checked, None, |remote| {
            algorithms::all_reduce(remote, data, items)
        })
    }

    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        if !is_remote(data) {
            return self.host.reduce(data, dtype, monoid, root);
        }
        let items = Items { dtype, monoid };
        let checked = self.host.check_member(root).and(items.check("reduce", data.len));
        self.collective((Operation::Reduce, data.len), checked, None, |remote| {
            algorithms::reduce(remote, data, items, root)
        })
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        if !is_remote(data) {
            return self.host.broadcast(data, root);
        }
        let checked = self.host.check_member(root);
        self.collective((Operation::Broadcast, data.len), checked, None, |remote| {
            algorithms::broadcast(remote, data, root)
        })
    }

    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        if !is_remote(send) {
            return self.host.all_gather_v(send, receive, counts);
        }
        let checked = self.host.check_all_gather(send, receive, counts);
        let begun = (Operation::AllGather, receive.len);
        self.collective(begun, checked, Some([send, receive]), |remote| {
            algorithms::all_gather(remote, send, receive, counts)
        })
    }

    fn reduce_scatter_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        if !is_remote(send) {
            return self.host.reduce_scatter_v(send, receive, counts, dtype, monoid);
        }
        let items = Items { dtype, monoid };
        let checked = self.host.check_reduce_scatter(send, receive, counts, items);
        let begun = (Operation::ReduceScatter, send.len);
        self.collective(begun, checked, Some([send, receive]), |remote| {
            algorithms::reduce_scatter(remote, send, receive, counts, items)
        })
    }

    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        if !is_remote(send) {
            return self.host.all_to_all_v(send, send_counts, receive, receive_counts);
        }
        let checked = self.host.check_all_to_all(send, send_counts, receive, receive_counts);
        if !self.is_direct {
            let both = [send, receive];
            return self.all_to_all_in_chunks(checked, both, send_counts, receive_counts);
        }
        let begun = (Operation::AllToAll, send.len);
        self.collective(begun, checked, Some([send, receive]), |remote| {
            algorithms::all_to_all(remote, send, send_counts, receive, receive_counts)
        })
    }

    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        if !is_remote(receive) {
            return self.host.scatter_v(send, receive, counts, root);
        }
        let checked = self.host.check_rooted(Operation::Scatter, counts, receive, send, root);
        // Only the root reads from it.
        let send = send.unwrap_or(receive);
        let begun = (Operation::Scatter, receive.len);
        self.collective(begun, checked, Some([send, receive]), |remote| {
            algorithms::scatter(remote, Some(send), receive, counts, root)
        })
    }

    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        if !is_remote(send) {
            return self.host.gather_v(send, receive, counts, root);
        }
        let checked = self.host.check_rooted(Operation::Gather, counts, send, receive, root);
        // Only the root writes to it.
        let receive = receive.unwrap_or(send);
        let begun = (Operation::Gather, send.len);
        self.collective(begun, checked, Some([send, receive]), |remote| {
            algorithms::gather(remote, send, Some(receive), counts, root)
        })
    }

    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError> {
        let message = Message { peer: to, data: data.clone() };
        self.messages(Operation::Send, &[message], &[])
    }

    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError> {
        let message = Message { peer: from, data: data.clone() };
        self.messages(Operation::Receive, &[], &[message])
    }

    fn send_recv(
        &self,
        send: &Slice,
        to: usize,
        receive: &Slice,
        from: usize,
    ) -> Result<Event, CollectiveError> {
        let outgoing = Message { peer: to, data: send.clone() };
        let incoming = Message { peer: from, data: receive.clone() };
        self.messages(Operation::SendReceive, &[outgoing], &[incoming])
    }

    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError> {
        self.messages(Operation::Exchange, sends, receives)
    }

    fn barrier(&self) -> Result<(), CollectiveError> {
        self.host.barrier()
    }

    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError> {
        let divided = self.host.divide(color, key)?;
        Ok(divided.map(|(host, _)| -> Arc<dyn Communicator> {
            let (gpu, is_direct, pinned) = (self.gpu.clone(), self.is_direct, self.pinned.clone());
            Arc::new(DeviceMember { host, gpu, is_direct, pinned })
        }))
    }
}
