//! The plane `nccl` of a group: NCCL carries what resides in GPU memory, and our own kernels carry
//! short data and combine what NCCL cannot.

use super::combine::Combination;
use super::endpoint::Endpoint;
use super::messages::Outbox;
use super::peers::{MOST_BYTES, Peers};
use super::reach::connect;
use super::reduction::native;
use super::texts::Kernel;
use super::transfer::{parts, same, split_up, transfer};
use crate::call::Call;
use crate::group::SCRATCH_BYTES;
use crate::order::{Items, own_part};
use crate::planes::{DevicePlane, HostGroup};
use crate::transport::Fabric;
use crate::{CollectiveError, Message, Operation};
use phalanx_device::cuda::{Function, NcclCommunicator, NcclId, Stream};
use phalanx_device::{Buffer, Completion, Device, DeviceError, Event, EventError, Moment, Slice};
use phalanx_ops::{DType, Monoid};
use phalanx_waiting::look;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Up to this many bytes, every member combines all of the data when our own kernel combines.
const SHORT_BYTES: usize = 256 << 10;

/// One device's side of a group of GPUs, in whose memory all slices reside.
pub(crate) struct NcclPlane {
    host: Arc<HostGroup>,
    endpoint: Arc<Endpoint>,
    /// The GPU of each member.
    identities: Arc<[Arc<str>]>,
    /// Whether each member has its own GPU.
    is_direct: bool,
    /// The connection, once made, and the messages waiting to start on it.
    outbox: Mutex<Option<Arc<Outbox>>>,
    /// Set once the connection is made; `None` if the members cannot access each other's memory.
    peers: OnceLock<Option<Arc<Peers>>>,
    /// The combining kernels that the communicator group has used.
    combined: Mutex<HashMap<(DType, Monoid), Function>>,
    /// The memory that these kernels read, equally long on all members. The stream orders its uses.
    scratch: Mutex<Option<Buffer>>,
}

impl NcclPlane {
    pub(crate) fn new(
        host: Arc<HostGroup>,
        endpoint: Arc<Endpoint>,
        identities: Arc<[Arc<str>]>,
    ) -> NcclPlane {
        let distinct: HashSet<&Arc<str>> = identities.iter().collect();
        let is_direct = distinct.len() == identities.len();
        NcclPlane {
            host,
            endpoint,
            identities,
            is_direct,
            outbox: Mutex::default(),
            peers: OnceLock::new(),
            combined: Mutex::default(),
            scratch: Mutex::default(),
        }
    }

    fn fabric(&self) -> &Fabric {
        &self.host.group.fabric
    }

    fn rank(&self) -> usize {
        self.host.group.rank
    }

    fn size(&self) -> usize {
        self.identities.len()
    }

    /// The connection of the communicator group. All members make it together at their first call.
    fn outbox(&self) -> Result<Arc<Outbox>, CollectiveError> {
        let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outbox) = &*outbox {
            return Ok(outbox.clone());
        }
        self.fabric().failure.check()?;
        let connected = self.link()?;
        let peers = connect(&self.host, &self.endpoint)?;
        self.peers.get_or_init(|| peers);
        let made = Outbox::new(&self.endpoint, &connected, self.rank());
        *outbox = Some(made.clone());
        Ok(made)
    }

    fn link(&self) -> Result<Arc<NcclCommunicator>, CollectiveError> {
        let fail = |error: DeviceError| self.endpoint.fail(&error);
        let options = self.endpoint.gpu.options();
        let id = Buffer::from_vec(vec![0u8; NcclId::BYTES]);
        if self.rank() == 0 {
            id.write(0, &NcclId::new(options).map_err(fail)?.bytes());
        }
        self.host.broadcast(&id.whole(), 0)?;
        let mut bytes = [0; NcclId::BYTES];
        id.read(0, &mut bytes);
        self.endpoint.gpu.load_all().map_err(fail)?;
        // This allocates memory, which must not happen beside the work of other communicator
        // groups.
        self.endpoint.stream.synchronize().map_err(fail)?;
        self.endpoint.gpu.synchronize();
        let is_alive = || {
            look();
            !self.fabric().failure.is_set()
        };
        let (rank, size) = (self.rank(), self.size());
        let id = NcclId::from_bytes(bytes);
        let connected = NcclCommunicator::new(&self.endpoint.stream, &id, rank, size, &is_alive);
        let Some(connected) = connected.map_err(fail)? else {
            return Err(self.fabric().failure.get().unwrap_or(CollectiveError::Closed));
        };
        let connected = Arc::new(connected);
        self.endpoint.watch.add(&connected)?;
        Ok(connected)
    }

    /// Enqueues a collective, after the messages that have not started.
    fn enqueue(
        &self,
        kept: &[&Slice],
        work: impl FnOnce(&NcclCommunicator) -> Result<(), DeviceError>,
    ) -> Result<Event, CollectiveError> {
        if kept.iter().all(|slice| slice.len == 0) && self.is_alone() {
            return Ok(Event::ready());
        }
        let outbox = self.outbox()?;
        outbox.begin();
        let kept = kept.iter().map(|slice| (*slice).clone()).collect();
        let stream = [&*self.endpoint.stream];
        let enqueued = self.endpoint.enqueue(&stream, kept, || work(outbox.link()))?;
        Ok(Event::driven(Arc::new(enqueued)))
    }

    /// Enqueues the messages of an exchange, which progress together, after the messages that have
    /// not started: copy engines carry long ones of members that can access each other's memory,
    /// NCCL carries the rest. All members must call it for the same exchange.
    fn carry(&self, sends: Vec<Message>, receives: Vec<Message>) -> Result<Event, CollectiveError> {
        if self.is_alone() && sends.iter().chain(&receives).all(|message| message.data.len == 0) {
            return Ok(Event::ready());
        }
        let outbox = self.outbox()?;
        outbox.begin();
        let copies = self.peers.get().and_then(Option::as_ref).map(|peers| peers.copies());
        let is_long = |message: &Message| {
            copies.is_some_and(|copies| copies.carry(message.peer, message.bytes()))
        };
        let divided = |all: Vec<Message>| all.into_iter().partition::<Vec<_>, _>(is_long);
        let ((long_sends, sends), (long_receives, receives)) = (divided(sends), divided(receives));
        let mut events = Vec::new();
        if let (Some(copies), false) = (copies, long_sends.is_empty() && long_receives.is_empty()) {
            let kept = long_sends.iter().chain(&long_receives).map(|one| one.data.clone());
            let streams = self.endpoint.copying.both();
            let enqueued = self.endpoint.enqueue(&streams, kept.collect(), || {
                // SAFETY: the slices are in this device's memory and are kept until the streams are
                // past the messages.
                unsafe { copies.enqueue(&long_sends, &long_receives) }
            })?;
            events.push(Event::driven(Arc::new(enqueued)));
        }
        if sends.iter().chain(&receives).any(|message| message.data.len > 0) {
            events.push(Event::driven(Arc::new(outbox.post(sends, receives))));
            outbox.begin();
        }
        Ok(all(events))
    }

    /// The peers, if data of at most `most` bytes of a member can be exchanged in one kernel;
    /// starts waiting messages first. All members decide alike.
    fn at_once(&self, most: usize) -> Result<Option<&Peers>, CollectiveError> {
        if !(1..=MOST_BYTES).contains(&most) || self.is_alone() {
            return Ok(None);
        }
        self.fabric().failure.check()?;
        let outbox = self.outbox()?;
        let Some(Some(peers)) = self.peers.get() else { return Ok(None) };
        outbox.begin();
        Ok(Some(peers))
    }

    fn is_alone(&self) -> bool {
        self.size() == 1
    }

    /// Runs `take`, which loads a kernel or allocates from the driver, while no device of the
    /// communicator group waits for another: the driver may wait for a device meanwhile. All
    /// members must call it at the same point of their work.
    fn at_rest<T>(
        &self,
        take: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<T, CollectiveError> {
        self.outbox()?.begin();
        // A member here has enqueued all work for which the others wait, and no member enqueues
        // more before all have run `take`.
        self.host.barrier()?;
        let taken = take().map_err(|error| self.endpoint.fail(&error))?;
        self.host.barrier()?;
        Ok(taken)
    }

    /// The kernel for a combination that NCCL does not offer.
    fn combiner(&self, items: Items) -> Result<Function, CollectiveError> {
        let key = (items.dtype, items.monoid);
        let known = self.combined.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        if let Some(function) = known {
            return Ok(function);
        }
        let load = || Kernel::Combine(items.dtype, items.monoid).load(&self.endpoint.gpu);
        let function = self.at_rest(load)?;
        self.combined.lock().unwrap_or_else(PoisonError::into_inner).insert(key, function);
        Ok(function)
    }

    /// Memory of at least this many bytes, equal on all members, for the next work of the stream.
    fn scratch(&self, bytes: usize) -> Result<Slice, CollectiveError> {
        let known = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.len() >= bytes) {
            return Ok(known.whole());
        }
        let made = self.at_rest(|| self.endpoint.gpu.clone().allocate(bytes))?;
        let kept = (bytes <= SCRATCH_BYTES).then(|| made.clone());
        *self.scratch.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(made.whole())
    }

    /// Combines items that NCCL cannot: every member receives its part of all members' data and
    /// combines it in the order of ranks. With `gathers`, all members receive all parts, in place.
    fn combine(
        &self,
        items: Items,
        [send, receive]: [&Slice; 2],
        counts: &[usize],
        gathers: bool,
    ) -> Result<Event, CollectiveError> {
        let (rank, members) = (self.rank(), counts.len());
        if send.len == 0 || members == 1 {
            return self.enqueue(&[send, receive], |link| {
                let places = [send.device_pointer(), receive.device_pointer()];
                if send.len == 0 || places[0] == places[1] {
                    Ok(())
                } else {
                    // SAFETY: both slices reside in this device's memory and are kept.
                    unsafe { link.stream().copy(places, send.len) }
                }
            });
        }
        let (function, own) = (self.combiner(items)?, counts[rank]);
        let is_short = gathers && send.len <= SHORT_BYTES;
        let most = counts.iter().copied().max().unwrap_or(0);
        let scratch = self.scratch(if is_short { send.len } else { most } * members)?;
        let scratch = scratch.slice(0, if is_short { send.len } else { own } * members);
        self.enqueue(&[send, receive, &scratch], |link| {
            let combination = |to: &Slice| Combination {
                from: scratch.device_pointer().address(),
                to: to.device_pointer().address(),
                items: (to.len / items.size()) as u64,
                stride: to.len as u64,
                members: members as u64,
            };
            if is_short {
                // SAFETY: the slices reside in this device's memory and are kept; there is room for
                // the data of every member.
                return unsafe {
                    link.all_gather([send.device_pointer(), scratch.device_pointer()], send.len)?;
                    combination(receive).launch(function, link.stream())
                };
            }
            let sends = split_up(send, counts);
            transfer(link, rank, &sends, &split_up(&scratch, &vec![own; members]))?;
            let result = if gathers { sends[rank].data.clone() } else { receive.clone() };
            // SAFETY: as above.
            unsafe { combination(&result).launch(function, link.stream())? };
            if gathers { transfer(link, rank, &same(&result, 0..members), &sends) } else { Ok(()) }
        })
    }

    fn all_reduce(&self, data: &Slice, items: Items) -> Result<Event, CollectiveError> {
        if let Some(peers) = self.at_once(data.len)? {
            peers.all_reduce(&self.host, data, items)?;
            return Ok(Event::ready());
        }
        let Some((element, reduction, _)) = native(items.dtype, items.monoid) else {
            let counts = shares(data.len, items, self.size());
            return self.combine(items, [data, data], &counts, true);
        };
        self.enqueue(&[data], |link| {
            let (at, count) = (data.device_pointer(), data.len / element.size());
            // SAFETY: the slice is in this device's memory and is kept until the stream is past.
            unsafe { link.all_reduce([at, at], count, element, reduction) }
        })
    }

    fn reduce(&self, data: &Slice, items: Items, root: usize) -> Result<Event, CollectiveError> {
        let Some((element, reduction, _)) = native(items.dtype, items.monoid) else {
            let counts = shares(data.len, items, self.size());
            return self.combine(items, [data, data], &counts, true);
        };
        self.enqueue(&[data], |link| {
            let (at, count) = (data.device_pointer(), data.len / element.size());
            // SAFETY: as in `all_reduce`.
            unsafe { link.reduce([at, at], count, element, reduction, root) }
        })
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        self.enqueue(&[data], |link| {
            // SAFETY: as in `all_reduce`.
            unsafe { link.broadcast(data.device_pointer(), data.len, root) }
        })
    }

    fn all_gather(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        let most = counts.iter().copied().max().unwrap_or(0);
        if let Some(peers) = self.at_once(most)? {
            let gathered = peers.all_gather(send, receive, counts);
            gathered.map_err(|error| self.fabric().fail_of_device(&error))?;
            return Ok(Event::ready());
        }
        if counts.iter().any(|count| *count != send.len) {
            return self.carry(same(send, 0..counts.len()), split_up(receive, counts));
        }
        self.enqueue(&[send, receive], |link| {
            // SAFETY: as in `all_reduce`.
            unsafe { link.all_gather([send.device_pointer(), receive.device_pointer()], send.len) }
        })
    }

    fn reduce_scatter(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        items: Items,
    ) -> Result<Event, CollectiveError> {
        let Some((element, reduction, _)) = native(items.dtype, items.monoid) else {
            return self.combine(items, [send, receive], counts, false);
        };
        self.enqueue(&[send, receive], |link| {
            let (from, to) = (send.device_pointer(), receive.device_pointer());
            if counts.iter().all(|count| *count == receive.len) {
                let count = receive.len / element.size();
                // SAFETY: as in `all_reduce`.
                return unsafe { link.reduce_scatter([from, to], count, element, reduction) };
            }
            link.grouped(|| {
                for (root, range) in parts(counts).filter(|(_, range)| !range.is_empty()) {
                    let (part, count) =
                        (from.after(range.start as u64), range.len() / element.size());
                    // SAFETY: as in `all_reduce`; only the root's part is written.
                    unsafe { link.reduce([part, to], count, element, reduction, root) }?;
                }
                Ok(())
            })
        })
    }

    fn all_to_all(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        self.carry(split_up(send, send_counts), split_up(receive, receive_counts))
    }

    fn scatter(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let is_root = self.rank() == root;
        let sends = if is_root { split_up(send, counts) } else { Vec::new() };
        self.carry(sends, same(receive, root..root + 1))
    }

    fn gather(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let is_root = self.rank() == root;
        let receives = if is_root { split_up(receive, counts) } else { Vec::new() };
        self.carry(same(send, root..root + 1), receives)
    }
}

/// The bytes of each member's part when so many bytes are divided evenly, in whole items.
fn shares(bytes: usize, items: Items, members: usize) -> Vec<usize> {
    (0..members).map(|member| own_part(items, bytes, members, member).len()).collect()
}

/// Several events as one.
fn all(mut events: Vec<Event>) -> Event {
    match events.len() {
        0 => Event::ready(),
        1 => events.swap_remove(0),
        _ => Event::driven(Arc::new(All(events))),
    }
}

/// Several events as one completion.
struct All(Vec<Event>);

impl Completion for All {
    fn is_done(&self) -> bool {
        self.0.iter().all(Event::is_done)
    }

    fn wait(&self) -> Result<(), EventError> {
        self.0.iter().try_for_each(Event::wait)
    }

    fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        self.0.iter().flat_map(|event| event.spans(begun)).collect()
    }
}

impl DevicePlane for NcclPlane {
    fn name(&self) -> Option<&'static str> {
        (self.is_direct && !self.is_alone()).then_some("nccl")
    }

    fn takes_device_memory(&self) -> bool {
        self.is_direct
    }

    fn waits_in_device_work(&self) -> bool {
        true
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        self.outbox().map(drop)
    }

    fn takes_rows(&self, peer: usize, bytes: usize, pitch: usize) -> bool {
        let peers = self.peers.get().and_then(Option::as_ref);
        peers.is_some_and(|peers| peers.copies().carry(peer, bytes) && pitch <= Stream::MOST_PITCH)
    }

    fn collective(&self, call: Call<'_>) -> Result<Event, CollectiveError> {
        match call {
            Call::AllReduce { data, items } => self.all_reduce(data, items),
            Call::Reduce { data, items, root } => self.reduce(data, items, root),
            Call::Broadcast { data, root } => self.broadcast(data, root),
            Call::AllGather { send, receive, counts } => self.all_gather(send, receive, counts),
            Call::ReduceScatter { send, receive, counts, items } => {
                self.reduce_scatter(send, receive, counts, items)
            }
            Call::AllToAll { send, send_counts, receive, receive_counts } => {
                self.all_to_all(send, send_counts, receive, receive_counts)
            }
            Call::Scatter { send, receive, counts, root } => {
                self.scatter(send, receive, counts, root)
            }
            Call::Gather { send, receive, counts, root } => {
                self.gather(send, receive, counts, root)
            }
        }
    }

    /// Messages of GPUs begin when a thread waits for them or enqueues other work; those of an
    /// exchange begin at once. Messages of the host take its own plane.
    fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        let of = |all: &[Message], is_far: bool| -> Vec<Message> {
            let is_it = |one: &&Message| one.data.buffer.remote().is_some() == is_far;
            all.iter().filter(is_it).cloned().collect()
        };
        self.fabric().failure.check()?;
        let far = (of(sends, true), of(receives, true));
        let far = if operation == Operation::Exchange {
            self.carry(far.0, far.1)?
        } else {
            let outbox = self.outbox()?;
            let posted = outbox.post(far.0, far.1);
            if operation == Operation::SendReceive {
                outbox.begin();
            }
            Event::driven(Arc::new(posted))
        };
        let near = (of(sends, false), of(receives, false));
        if near.0.is_empty() && near.1.is_empty() {
            return Ok(far);
        }
        let near = self.host.group.messages(operation, &near.0, &near.1)?;
        Ok(all(vec![near, far]))
    }

    fn of_division(&self, host: &Arc<HostGroup>, members: &[usize]) -> NcclPlane {
        let identities = members.iter().map(|member| self.identities[*member].clone()).collect();
        NcclPlane::new(host.clone(), self.endpoint.clone(), identities)
    }
}
