//! A member whose device is a GPU: NCCL carries its GPU slices, the host's member its host slices.

use super::combine::Combination;
use super::messages::{Outbox, Part, address, transfer};
use super::peers::{MOST_BYTES, Peers};
use super::reduction::native;
use super::texts::Kernel;
use super::watch::Watch;
use crate::group::{Member, SCRATCH_BYTES};
use crate::order::{Items, own_part};
use crate::transport::Fabric;
use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::cuda::{
    CudaDevice, Event as Point, Function, NcclCommunicator, NcclId, Stream,
};
use phalanx_device::{Buffer, Completion, Device, DeviceError, Event, EventError, Slice};
use phalanx_ops::{DType, Monoid};
use phalanx_waiting::look;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Up to this many bytes, every member combines all of the data when our own kernel combines.
const SHORT_BYTES: usize = 256 << 10;
/// The highest priority of streams; the driver uses the nearest that it supports.
const URGENT: i32 = -8;

/// A GPU as seen by all communicator groups of which it is a member. They share its stream, so that
/// its messages follow the order of its plans.
pub(crate) struct Endpoint {
    gpu: Arc<CudaDevice>,
    stream: Arc<Stream>,
    fabric: Arc<Fabric>,
    watch: Arc<Watch>,
}

/// Work that a communicator group has enqueued in the stream.
pub(super) struct Enqueued {
    gpu: Arc<CudaDevice>,
    fabric: Arc<Fabric>,
    end: Point,
    /// Memory that must not be reused before the device's later work is ordered after `end`.
    #[allow(dead_code, reason = "held until the work comes after the end")]
    kept: Vec<Slice>,
    is_ordered: AtomicBool,
}

impl Endpoint {
    /// Errors: `DeviceError::Cuda`.
    pub(crate) fn new(
        gpu: Arc<CudaDevice>,
        fabric: &Arc<Fabric>,
        watch: &Arc<Watch>,
    ) -> Result<Arc<Endpoint>, DeviceError> {
        let stream = Arc::new(Stream::new(gpu.context(), true, Some(URGENT))?);
        Ok(Arc::new(Endpoint { gpu, stream, fabric: fabric.clone(), watch: watch.clone() }))
    }

    /// Enqueues work in the stream, after the device's earlier work. `kept` is the memory that the
    /// work uses.
    pub(super) fn enqueue(
        &self,
        kept: Vec<Slice>,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<Enqueued, CollectiveError> {
        self.fabric.failure.check()?;
        let enqueue = || {
            self.stream.follow(self.gpu.context())?;
            work()?;
            let end = Point::new(self.gpu.context(), false, false)?;
            end.record(&self.stream)?;
            Ok(end)
        };
        let end = match enqueue() {
            Ok(end) => end,
            Err(error) => {
                // Enqueued parts may still run in the stream, and their end is unknown.
                std::mem::forget(kept);
                return Err(self.fail(&error));
            }
        };
        let (gpu, fabric) = (self.gpu.clone(), self.fabric.clone());
        Ok(Enqueued { gpu, fabric, end, kept, is_ordered: AtomicBool::new(false) })
    }

    fn fail(&self, error: &DeviceError) -> CollectiveError {
        self.fabric.fail_of_device(error)
    }
}

impl Enqueued {
    /// Makes the device's later work wait for the end.
    fn order(&self) -> Result<(), DeviceError> {
        if self.is_ordered.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        Stream::of_work(self.gpu.context()).wait_event(&self.end)
    }
}

impl Completion for Enqueued {
    fn is_done(&self) -> bool {
        true
    }

    fn wait(&self) -> Result<(), EventError> {
        self.fabric.failure.check().map_err(EventError::new)?;
        self.order().map_err(|error| EventError::new(self.fabric.fail_of_device(&error)))
    }
}

impl Drop for Enqueued {
    fn drop(&mut self) {
        if let Err(error) = self.order() {
            self.gpu.fail(error);
        }
    }
}

/// One device's side of a communicator group of GPUs.
pub(crate) struct GpuMember {
    host: Arc<Member>,
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

impl GpuMember {
    pub(crate) fn new(
        host: Arc<Member>,
        endpoint: Arc<Endpoint>,
        identities: Arc<[Arc<str>]>,
    ) -> Arc<GpuMember> {
        let distinct: HashSet<&Arc<str>> = identities.iter().collect();
        let is_direct = distinct.len() == identities.len();
        Arc::new(GpuMember {
            host,
            endpoint,
            identities,
            is_direct,
            outbox: Mutex::default(),
            peers: OnceLock::new(),
            combined: Mutex::default(),
            scratch: Mutex::default(),
        })
    }

    fn fabric(&self) -> &Fabric {
        &self.host.fabric
    }

    /// Whether a slice travels by NCCL.
    fn is_remote(&self, data: &Slice) -> bool {
        self.is_direct && data.buffer.remote().is_some()
    }

    /// The connection of the communicator group. All members make it together at their first call.
    fn outbox(&self) -> Result<Arc<Outbox>, CollectiveError> {
        let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outbox) = &*outbox {
            return Ok(outbox.clone());
        }
        self.fabric().failure.check()?;
        let connected = self.connect()?;
        let peers = Peers::connect(&self.host, &self.endpoint.gpu, &self.endpoint.watch)?;
        self.peers.get_or_init(|| peers);
        let made = Outbox::new(&self.endpoint, &connected, self.host.rank);
        *outbox = Some(made.clone());
        Ok(made)
    }

    fn connect(&self) -> Result<Arc<NcclCommunicator>, CollectiveError> {
        let fail = |error: DeviceError| self.endpoint.fail(&error);
        let options = self.endpoint.gpu.options();
        let id = Buffer::from_vec(vec![0u8; NcclId::BYTES]);
        if self.host.rank == 0 {
            id.write(0, &NcclId::new(options).map_err(fail)?.bytes());
        }
        self.host.broadcast(&id.whole(), 0)?.wait()?;
        let mut bytes = [0; NcclId::BYTES];
        id.read(0, &mut bytes);
        self.endpoint.gpu.load_all().map_err(fail)?;
        // This allocates memory, which must not happen beside the work of other communicator
        // groups.
        self.endpoint.stream.synchronize().map_err(fail)?;
        self.endpoint.gpu.synchronize();
        let goes_on = || {
            look();
            !self.fabric().failure.is_set()
        };
        let (rank, size) = (self.host.rank, self.identities.len());
        let id = NcclId::from_bytes(bytes);
        let connected = NcclCommunicator::new(&self.endpoint.stream, &id, rank, size, &goes_on);
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
        arguments: Result<(), CollectiveError>,
        kept: &[&Slice],
        work: impl FnOnce(&NcclCommunicator) -> Result<(), DeviceError>,
    ) -> Result<Event, CollectiveError> {
        arguments.map_err(|error| self.fabric().fail(error))?;
        if kept.iter().all(|slice| slice.len == 0) && self.is_alone() {
            return Ok(Event::ready());
        }
        let outbox = self.outbox()?;
        outbox.begin();
        let kept = kept.iter().map(|slice| (*slice).clone()).collect();
        let enqueued = self.endpoint.enqueue(kept, || work(outbox.link()))?;
        Ok(Event::driven(Arc::new(enqueued)))
    }

    /// The peers, if data of at most `most` bytes of a member can be exchanged in one kernel;
    /// starts waiting messages first. All members decide alike.
    fn at_once(
        &self,
        arguments: &Result<(), CollectiveError>,
        most: usize,
    ) -> Result<Option<&Peers>, CollectiveError> {
        if arguments.is_err() || !(1..=MOST_BYTES).contains(&most) || self.is_alone() {
            return Ok(None);
        }
        self.fabric().failure.check()?;
        let outbox = self.outbox()?;
        let Some(Some(peers)) = self.peers.get() else { return Ok(None) };
        outbox.begin();
        Ok(Some(peers))
    }

    fn is_alone(&self) -> bool {
        self.identities.len() == 1
    }

    /// Runs `take`, which loads a kernel or allocates from the driver, while no device of the
    /// communicator group waits for another: the driver may wait for a device meanwhile. All
    /// members must call it at the same point of their work.
    fn at_rest<T>(
        &self,
        take: impl FnOnce() -> Result<T, DeviceError>,
    ) -> Result<T, CollectiveError> {
        self.outbox()?.begin();
        // A member here has enqueued all work for which the others wait, and nobody enqueues more
        // before all have run `take`.
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
        checked: Result<(), CollectiveError>,
        items: Items,
        [send, receive]: [&Slice; 2],
        counts: &[usize],
        gathers: bool,
    ) -> Result<Event, CollectiveError> {
        checked.map_err(|error| self.fabric().fail(error))?;
        let (rank, members) = (self.host.rank, counts.len());
        if send.len == 0 || members == 1 {
            return self.enqueue(Ok(()), &[send, receive], |link| {
                let places = [address(send), address(receive)];
                match send.len == 0 || places[0] == places[1] {
                    true => Ok(()),
                    // SAFETY: both slices lie in this device's memory and are kept.
                    false => unsafe { link.copy(places, send.len) },
                }
            });
        }
        let (function, own) = (self.combiner(items)?, counts[rank]);
        let is_short = gathers && send.len <= SHORT_BYTES;
        let most = counts.iter().copied().max().unwrap_or(0);
        let scratch = self.scratch(if is_short { send.len } else { most } * members)?;
        let scratch = scratch.slice(0, if is_short { send.len } else { own } * members);
        self.enqueue(Ok(()), &[send, receive, &scratch], |link| {
            let combination = |to: &Slice| Combination {
                from: address(&scratch).address(),
                to: address(to).address(),
                items: (to.len / items.size()) as u64,
                stride: to.len as u64,
                members: members as u64,
            };
            if is_short {
                // SAFETY: the slices lie in this device's memory and are kept; there is room for
                // the data of every member.
                return unsafe {
                    link.all_gather([address(send), address(&scratch)], send.len)?;
                    combination(receive).launch(function, link.stream())
                };
            }
            let sends = split_up(send, counts);
            transfer(link, rank, &sends, &split_up(&scratch, &vec![own; members]))?;
            let result = if gathers { sends[rank].data.clone() } else { receive.clone() };
            // SAFETY: as above.
            unsafe { combination(&result).launch(function, link.stream())? };
            match gathers {
                true => transfer(link, rank, &same(&result, 0..members), &sends),
                false => Ok(()),
            }
        })
    }

    /// Posts messages of GPUs. They start when a thread waits for them or enqueues other work.
    fn post(
        &self,
        arguments: Result<(), CollectiveError>,
        sends: Vec<Part>,
        receives: Vec<Part>,
        begins: bool,
    ) -> Result<Event, CollectiveError> {
        arguments.map_err(|error| self.fabric().fail(error))?;
        self.fabric().failure.check()?;
        let outbox = self.outbox()?;
        let posted = outbox.post(sends, receives);
        if begins {
            outbox.begin();
        }
        Ok(Event::driven(Arc::new(posted)))
    }
}

/// The bytes of each member's part when so many bytes are divided evenly, in whole items.
fn shares(bytes: usize, items: Items, members: usize) -> Vec<usize> {
    (0..members).map(|member| own_part(items, bytes, members, member).len()).collect()
}

/// The byte ranges of the parts of a slice with these lengths.
fn parts(counts: &[usize]) -> impl Iterator<Item = (usize, Range<usize>)> {
    counts.iter().enumerate().scan(0, |offset, (peer, count)| {
        let start = *offset;
        *offset += count;
        Some((peer, start..*offset))
    })
}

/// The parts of a slice, one for each member.
fn split_up(data: &Slice, counts: &[usize]) -> Vec<Part> {
    let part = |(peer, range): (usize, Range<usize>)| Part {
        peer,
        data: data.slice(range.start, range.len()),
    };
    parts(counts).map(part).collect()
}

/// The same bytes to, or from, each of the given members.
fn same(data: &Slice, members: impl Iterator<Item = usize>) -> Vec<Part> {
    members.map(|peer| Part { peer, data: data.clone() }).collect()
}

fn part_of(message: &Message) -> Part {
    Part { peer: message.peer, data: message.data.clone() }
}

/// Two events as one completion.
struct Both([Event; 2]);

impl Completion for Both {
    fn is_done(&self) -> bool {
        self.0.iter().all(Event::is_done)
    }

    fn wait(&self) -> Result<(), EventError> {
        self.0.iter().try_for_each(Event::wait)
    }
}

impl Communicator for GpuMember {
    fn rank(&self) -> usize {
        self.host.rank
    }

    fn size(&self) -> usize {
        self.identities.len()
    }

    fn plane(&self) -> &'static str {
        if self.is_direct && !self.is_alone() { "nccl" } else { self.host.plane() }
    }

    fn takes_device_memory(&self) -> bool {
        self.is_direct
    }

    fn waits_in_device_work(&self) -> bool {
        self.is_direct
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        if self.is_direct { self.outbox().map(drop) } else { Ok(()) }
    }

    fn all_reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        if !self.is_remote(data) {
            return self.host.all_reduce(data, dtype, monoid);
        }
        let items = Items { dtype, monoid };
        let checked = items.check("all_reduce", data.len);
        if let Some(peers) = self.at_once(&checked, data.len)? {
            peers.all_reduce(&self.host, data, items)?;
            return Ok(Event::ready());
        }
        let Some((element, reduction, _)) = native(dtype, monoid) else {
            let counts = shares(data.len, items, self.size());
            return self.combine(checked, items, [data, data], &counts, true);
        };
        self.enqueue(checked, &[data], |link| {
            let (at, count) = (address(data), data.len / element.size());
            // SAFETY: the slice is in this device's memory and is kept until the stream is past.
            unsafe { link.all_reduce([at, at], count, element, reduction) }
        })
    }

    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        if !self.is_remote(data) {
            return self.host.reduce(data, dtype, monoid, root);
        }
        let items = Items { dtype, monoid };
        let checked = items.check("reduce", data.len);
        let checked = self.host.check_member(root).and(checked);
        let Some((element, reduction, _)) = native(dtype, monoid) else {
            let counts = shares(data.len, items, self.size());
            return self.combine(checked, items, [data, data], &counts, true);
        };
        self.enqueue(checked, &[data], |link| {
            let (at, count) = (address(data), data.len / element.size());
            // SAFETY: as in `all_reduce`.
            unsafe { link.reduce([at, at], count, element, reduction, root) }
        })
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        if !self.is_remote(data) {
            return self.host.broadcast(data, root);
        }
        self.enqueue(self.host.check_member(root), &[data], |link| {
            // SAFETY: as in `all_reduce`.
            unsafe { link.broadcast(address(data), data.len, root) }
        })
    }

    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        if !self.is_remote(send) {
            return self.host.all_gather_v(send, receive, counts);
        }
        let checked = self.host.check_all_gather(send, receive, counts);
        let most = counts.iter().copied().max().unwrap_or(0);
        if let Some(peers) = self.at_once(&checked, most)? {
            let gathered = peers.all_gather(send, receive, counts);
            gathered.map_err(|error| self.fabric().fail_of_device(&error))?;
            return Ok(Event::ready());
        }
        self.enqueue(checked, &[send, receive], |link| {
            if counts.iter().all(|count| *count == send.len) {
                // SAFETY: as in `all_reduce`.
                return unsafe { link.all_gather([address(send), address(receive)], send.len) };
            }
            let sends = same(send, 0..counts.len());
            transfer(link, self.host.rank, &sends, &split_up(receive, counts))
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
        if !self.is_remote(send) {
            return self.host.reduce_scatter_v(send, receive, counts, dtype, monoid);
        }
        let items = Items { dtype, monoid };
        let checked = self.host.check_reduce_scatter(send, receive, counts, items);
        let Some((element, reduction, _)) = native(dtype, monoid) else {
            return self.combine(checked, items, [send, receive], counts, false);
        };
        self.enqueue(checked, &[send, receive], |link| {
            let (from, to) = (address(send), address(receive));
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

    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        if !self.is_remote(send) {
            return self.host.all_to_all_v(send, send_counts, receive, receive_counts);
        }
        let checked = self.host.check_all_to_all(send, send_counts, receive, receive_counts);
        self.enqueue(checked, &[send, receive], |link| {
            let (sends, receives) =
                (split_up(send, send_counts), split_up(receive, receive_counts));
            transfer(link, self.host.rank, &sends, &receives)
        })
    }

    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        if !self.is_remote(receive) {
            return self.host.scatter_v(send, receive, counts, root);
        }
        let rank = self.host.rank;
        let send = send.filter(|_| rank == root);
        let checked = self.host.check_rooted(Operation::Scatter, counts, receive, send, root);
        let kept: Vec<&Slice> = send.into_iter().chain([receive]).collect();
        self.enqueue(checked, &kept, |link| {
            let sends = send.map_or_else(Vec::new, |send| split_up(send, counts));
            let receives =
                same(receive, std::iter::once(root).filter(|_| send.is_some() || rank != root));
            transfer(link, rank, &sends, &receives)
        })
    }

    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        if !self.is_remote(send) {
            return self.host.gather_v(send, receive, counts, root);
        }
        let rank = self.host.rank;
        let receive = receive.filter(|_| rank == root);
        let checked = self.host.check_rooted(Operation::Gather, counts, send, receive, root);
        let kept: Vec<&Slice> = receive.into_iter().chain([send]).collect();
        self.enqueue(checked, &kept, |link| {
            let receives = receive.map_or_else(Vec::new, |receive| split_up(receive, counts));
            let sends =
                same(send, std::iter::once(root).filter(|_| receive.is_some() || rank != root));
            transfer(link, rank, &sends, &receives)
        })
    }

    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError> {
        if !self.is_remote(data) {
            return self.host.send(data, to);
        }
        let part = Part { peer: to, data: data.clone() };
        self.post(self.host.check_member(to), vec![part], Vec::new(), false)
    }

    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError> {
        if !self.is_remote(data) {
            return self.host.recv(data, from);
        }
        let part = Part { peer: from, data: data.clone() };
        self.post(self.host.check_member(from), Vec::new(), vec![part], false)
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
        self.exchange(&[outgoing], &[incoming])
    }

    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError> {
        let is_remote = |message: &&Message| self.is_remote(&message.data);
        let of_gpu =
            |all: &[Message]| all.iter().filter(is_remote).map(part_of).collect::<Vec<_>>();
        let of_host =
            |all: &[Message]| all.iter().filter(|one| !is_remote(one)).cloned().collect::<Vec<_>>();
        let far = (of_gpu(sends), of_gpu(receives));
        let near = (of_host(sends), of_host(receives));
        if far.0.is_empty() && far.1.is_empty() {
            return self.host.exchange(sends, receives);
        }
        let mut peers = far.0.iter().chain(&far.1);
        let checked = peers.try_for_each(|part| self.host.check_member(part.peer));
        let far = self.post(checked, far.0, far.1, true)?;
        if near.0.is_empty() && near.1.is_empty() {
            return Ok(far);
        }
        let near = self.host.exchange(&near.0, &near.1)?;
        Ok(Event::driven(Arc::new(Both([near, far]))))
    }

    fn barrier(&self) -> Result<(), CollectiveError> {
        self.host.barrier()
    }

    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError> {
        let Some((host, members)) = self.host.divide(color, key)? else { return Ok(None) };
        let identities = members.iter().map(|member| self.identities[*member].clone()).collect();
        Ok(Some(GpuMember::new(host, self.endpoint.clone(), identities)))
    }
}
