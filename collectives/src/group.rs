//! A member of a communicator group: checks its arguments and chooses between shared memory and
//! messages.

use crate::algorithms::{self, Conversation, HostMemory, converse};
use crate::order::Items;
use crate::planes::local::LocalGroup;
use crate::planes::mpi::{Native, Route};
use crate::transport::{Channel, Exchange, Fabric, Lane, Transfer};
use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::{Buffer, Event, Slice};
use phalanx_ops::{DType, Monoid};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Scratch memory larger than this is freed after each collective.
pub(crate) const SCRATCH_BYTES: usize = 64 << 20;

/// One device's side of a communicator group.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) fabric: Arc<Fabric>,
    group: u64,
    pub(crate) rank: usize,
    /// The process and device of each member.
    pub(crate) places: Arc<[Place]>,
    /// A small number of the communicator group on which its members have agreed. No two groups of
    /// a device have the same number.
    number: u64,
    /// The number after the largest of the device's communicator groups.
    next_number: Arc<AtomicU64>,
    /// Present when all members are in this process.
    local: Option<LocalGroup>,
    /// MPI's own collectives, if messages travel by MPI and each process has one member.
    native: OnceLock<Arc<Native>>,
    splits: AtomicU64,
    scratch: Mutex<Option<Buffer>>,
}

/// A member of a communicator group made by a split, with the members' numbers in the old group.
pub(crate) type Division = (Arc<Member>, Vec<usize>);

/// The process and the device of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) process: usize,
    /// Counted within the process.
    pub(crate) device: usize,
}

type Posted = Result<Arc<Transfer>, CollectiveError>;

impl Member {
    pub(crate) fn new(
        fabric: Arc<Fabric>,
        group: u64,
        rank: usize,
        places: Arc<[Place]>,
    ) -> Arc<Member> {
        Member::numbered(fabric, group, rank, places, 0, Arc::new(AtomicU64::new(1)))
    }

    fn numbered(
        fabric: Arc<Fabric>,
        group: u64,
        rank: usize,
        places: Arc<[Place]>,
        number: u64,
        next_number: Arc<AtomicU64>,
    ) -> Arc<Member> {
        let is_local = places.iter().all(|place| place.process == fabric.rank);
        let local = is_local.then(|| {
            let board = fabric.boards.of(group, places.len());
            LocalGroup::new(board, rank, fabric.failure.clone())
        });
        let (splits, scratch, native) = (AtomicU64::new(0), Mutex::default(), OnceLock::new());
        Arc::new(Member {
            fabric,
            group,
            rank,
            places,
            number,
            next_number,
            local,
            native,
            splits,
            scratch,
        })
    }

    /// Uses MPI's own collectives from now on, unless the communicator group is local. Collective.
    pub(crate) fn use_native(&self, native: Arc<Native>) {
        if self.local.is_none() {
            let is_first = self.native.set(native).is_ok();
            assert!(is_first, "bug: a group with two communicators of MPI");
        }
    }

    /// MPI's own collectives, if the communicator group has them.
    pub(crate) fn native(&self) -> Option<&Native> {
        self.native.get().map(|native| &**native)
    }

    /// A buffer of at least `len` bytes. Later collectives use it again.
    pub(crate) fn scratch(&self, len: usize) -> Buffer {
        let mut kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            // A handle held by a transfer of an earlier collective means that its bytes are still
            // in use.
            Some(buffer) if buffer.len() >= len && buffer.is_unique() => buffer.clone(),
            _ => {
                let buffer = Buffer::from_vec(vec![0u8; len]);
                *kept = (len <= SCRATCH_BYTES).then(|| buffer.clone());
                buffer
            }
        }
    }

    pub(crate) fn post_send(&self, lane: Lane, to: usize, data: &Slice) -> Posted {
        let (channel, route) = self.channel(lane, self.rank, to);
        self.fabric.post_send(channel, route, self.places[to].process, data)
    }

    pub(crate) fn post_receive(&self, lane: Lane, from: usize, data: &Slice) -> Posted {
        let (channel, route) = self.channel(lane, from, self.rank);
        self.fabric.post_receive(channel, route, self.places[from].process, data)
    }

    fn channel(&self, lane: Lane, from: usize, to: usize) -> (Channel, Route) {
        let channel = Channel { group: self.group, lane, from: from as u32, to: to as u32 };
        let device = |member: usize| self.places[member].device;
        (channel, Route { group: self.number, from: device(from), to: device(to) })
    }

    /// Runs one collective, on shared memory or by messages. An error ends the world.
    fn collective(
        &self,
        (operation, bytes): (Operation, usize),
        arguments: Result<(), CollectiveError>,
        local: impl FnOnce(&LocalGroup) -> Result<(), CollectiveError>,
        remote: impl FnOnce(&mut Conversation<'_>) -> Result<(), CollectiveError>,
    ) -> Result<Event, CollectiveError> {
        let _begun = self.fabric.doings.under.begin(operation, bytes);
        let run = || {
            self.fabric.failure.check()?;
            arguments?;
            match &self.local {
                Some(group) => local(group),
                None => converse(self, &HostMemory(self), remote),
            }
        };
        match run() {
            Ok(()) => Ok(Event::ready()),
            Err(error) => Err(self.fabric.fail(error)),
        }
    }

    /// Starts the messages of an operation and returns an event that watches them.
    pub(crate) fn messages(
        &self,
        operation: Operation,
        arguments: Result<(), CollectiveError>,
        receives: &[Message],
        sends: &[Message],
    ) -> Result<Event, CollectiveError> {
        let lane = Lane::of(operation);
        let mut transfers = Vec::with_capacity(receives.len() + sends.len());
        let post = || {
            self.fabric.failure.check()?;
            arguments?;
            for message in receives {
                transfers.push(self.post_receive(lane, message.peer, &message.data)?);
            }
            for message in sends {
                transfers.push(self.post_send(lane, message.peer, &message.data)?);
            }
            Ok(())
        };
        let outcome: Result<(), CollectiveError> = post();
        if let Err(error) = outcome {
            let error = self.fabric.fail(error);
            // The world has failed, so waiting cancels what was posted already.
            for transfer in &transfers {
                let _ = transfer.wait(&self.fabric.failure, &self.fabric.doings);
            }
            return Err(error);
        }
        if transfers.iter().all(|transfer| transfer.is_done()) {
            return Ok(Event::ready());
        }
        let bytes = transfers.iter().map(|transfer| transfer.len()).sum();
        let (failure, doings) = (self.fabric.failure.clone(), self.fabric.doings.clone());
        let begun = (operation, bytes);
        Ok(Event::driven(Arc::new(Exchange { transfers, failure, doings, begun })))
    }

    pub(crate) fn check_member(&self, member: usize) -> Result<(), CollectiveError> {
        let size = self.places.len();
        if member < size { Ok(()) } else { Err(CollectiveError::NoSuchMember { member, size }) }
    }

    /// Checks that there is a count for each member, and that the slice has their sum.
    fn check_total(
        &self,
        operation: Operation,
        counts: &[usize],
        data: &Slice,
    ) -> Result<(), CollectiveError> {
        check(operation, self.places.len(), counts.len())?;
        check(operation, counts.iter().sum(), data.len)
    }

    fn check_own(
        &self,
        operation: Operation,
        counts: &[usize],
        data: &Slice,
    ) -> Result<(), CollectiveError> {
        check(operation, self.places.len(), counts.len())?;
        check(operation, counts[self.rank], data.len)
    }

    pub(crate) fn check_all_gather(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<(), CollectiveError> {
        let operation = Operation::AllGather;
        self.check_own(operation, counts, send)?;
        self.check_total(operation, counts, receive)
    }

    pub(crate) fn check_reduce_scatter(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        items: Items,
    ) -> Result<(), CollectiveError> {
        let operation = Operation::ReduceScatter;
        self.check_total(operation, counts, send)?;
        self.check_own(operation, counts, receive)?;
        counts.iter().try_for_each(|count| items.check("reduce_scatter", *count))
    }

    pub(crate) fn check_all_to_all(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<(), CollectiveError> {
        let operation = Operation::AllToAll;
        self.check_total(operation, send_counts, send)?;
        self.check_total(operation, receive_counts, receive)?;
        check(operation, send_counts[self.rank], receive_counts[self.rank])
    }

    /// Checks a scatter or gather: each member has its own part, and the root the whole.
    pub(crate) fn check_rooted(
        &self,
        operation: Operation,
        counts: &[usize],
        own: &Slice,
        whole: Option<&Slice>,
        root: usize,
    ) -> Result<(), CollectiveError> {
        self.check_member(root)?;
        self.check_own(operation, counts, own)?;
        match whole {
            _ if self.rank != root => Ok(()),
            Some(whole) => self.check_total(operation, counts, whole),
            None => check(operation, counts.iter().sum(), 0),
        }
    }

    /// As `split`; also returns the numbers that the new communicator group's members have in this
    /// one.
    pub(crate) fn divide(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Division>, CollectiveError> {
        /// The colour of members that join no communicator group; larger than every `u32`.
        const NONE: u64 = u64::MAX;
        let number = self.next_number.load(Ordering::Relaxed);
        let can_split = self.native().is_some_and(Native::can_split);
        let own = [color.map_or(NONE, u64::from), u64::from(key), number, u64::from(can_split)];
        let answers = Buffer::from_vec(vec![0u64; own.len() * self.places.len()]);
        let gathered =
            self.all_gather(&Buffer::from_vec(own.to_vec()).whole(), &answers.whole())?;
        gathered.wait().map_err(CollectiveError::from)?;
        let split = self.splits.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the buffer is this call's own and the gathering is over (condition 2 of
        // `Buffer`).
        let answers = unsafe {
            std::slice::from_raw_parts(answers.as_ptr().cast::<[u64; 4]>(), self.places.len())
        };
        let of_color = |color: u64| {
            let mut members: Vec<usize> =
                (0..answers.len()).filter(|member| answers[*member][0] == color).collect();
            members.sort_by_key(|member| (answers[*member][1], *member));
            members
        };
        let group = mix(mix(mix(self.group) ^ split) ^ own[0]);
        let members = if own[0] == NONE { Vec::new() } else { of_color(own[0]) };
        let rank = members.iter().position(|member| *member == self.rank);
        // MPI's split must be called by all members of this communicator group or by none.
        let is_several = |answer: &[u64; 4]| {
            let has_color = |other: &&[u64; 4]| other[0] == answer[0];
            answer[0] != NONE && answers.iter().filter(has_color).count() > 1
        };
        let mut native = None;
        if let Some(parent) = self.native()
            && answers.iter().all(|answer| answer[3] == 1)
            && answers.iter().any(is_several)
        {
            // MPI's colours are numbers of 31 bits.
            let color = members.iter().min().copied().filter(|_| members.len() > 1);
            let split = parent.split(color, rank.unwrap_or(0), group, &members);
            native = split.map_err(|error| self.fabric.fail(error))?;
        }
        let Some(rank) = rank else { return Ok(None) };
        let places = members.iter().map(|member| self.places[*member]).collect();
        // A number that none of the members has used.
        let number = members.iter().map(|member| answers[*member][2]).max().unwrap_or(number);
        self.next_number.store(number + 1, Ordering::Relaxed);
        let (fabric, next_number) = (self.fabric.clone(), self.next_number.clone());
        let member = Member::numbered(fabric, group, rank, places, number, next_number);
        if let Some(native) = native {
            member.use_native(native);
        }
        Ok(Some((member, members)))
    }
}

/// Compares the length that a call's counts require with the length of its data.
fn check(operation: Operation, expected: usize, actual: usize) -> Result<(), CollectiveError> {
    if expected == actual {
        return Ok(());
    }
    let (expected, actual) = (expected as u64, actual as u64);
    Err(CollectiveError::Counts { operation: operation.to_string(), expected, actual })
}

impl Communicator for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.places.len()
    }

    fn plane(&self) -> &'static str {
        match (&self.local, self.fabric.engine()) {
            (Some(_), _) => "local",
            (None, Some(_)) => "mpi",
            (None, None) => "tcp",
        }
    }

    fn all_reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        tracing::trace!(target: "phalanx::path", file = file!());
        let items = Items { dtype, monoid };
        self.collective(
            (Operation::AllReduce, data.len),
            items.check("all_reduce", data.len),
            |local| local.all_reduce(data, items),
            |remote| algorithms::all_reduce(remote, data, items),
        )
    }

    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let items = Items { dtype, monoid };
        self.collective(
            (Operation::Reduce, data.len),
            self.check_member(root).and(items.check("reduce", data.len)),
            |local| local.reduce(data, items, root),
            |remote| algorithms::reduce(remote, data, items, root),
        )
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        self.collective(
            (Operation::Broadcast, data.len),
            self.check_member(root),
            |local| local.broadcast(data, root),
            |remote| algorithms::broadcast(remote, data, root),
        )
    }

    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        let checked = self.check_all_gather(send, receive, counts);
        self.collective(
            (Operation::AllGather, receive.len),
            checked,
            |local| local.all_gather(send, receive, counts),
            |remote| algorithms::all_gather(remote, send, receive, counts),
        )
    }

    fn reduce_scatter_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        let items = Items { dtype, monoid };
        let checked = self.check_reduce_scatter(send, receive, counts, items);
        self.collective(
            (Operation::ReduceScatter, send.len),
            checked,
            |local| local.reduce_scatter(send, receive, counts, items),
            |remote| algorithms::reduce_scatter(remote, send, receive, counts, items),
        )
    }

    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        let checked = self.check_all_to_all(send, send_counts, receive, receive_counts);
        self.collective(
            (Operation::AllToAll, send.len),
            checked,
            |local| local.all_to_all(send, send_counts, receive, receive_counts),
            |remote| algorithms::all_to_all(remote, send, send_counts, receive, receive_counts),
        )
    }

    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let checked = self.check_rooted(Operation::Scatter, counts, receive, send, root);
        let nothing = Buffer::from_vec(Vec::<u8>::new()).whole();
        let send = Some(send.unwrap_or(&nothing));
        self.collective(
            (Operation::Scatter, receive.len),
            checked,
            |local| local.scatter(send, receive, counts, root),
            |remote| algorithms::scatter(remote, send, receive, counts, root),
        )
    }

    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let checked = self.check_rooted(Operation::Gather, counts, send, receive, root);
        let nothing = Buffer::from_vec(Vec::<u8>::new()).whole();
        let receive = Some(receive.unwrap_or(&nothing));
        self.collective(
            (Operation::Gather, send.len),
            checked,
            |local| local.gather(send, receive, counts, root),
            |remote| algorithms::gather(remote, send, receive, counts, root),
        )
    }

    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError> {
        let message = Message { peer: to, data: data.clone() };
        self.messages(Operation::Send, self.check_member(to), &[], &[message])
    }

    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError> {
        let message = Message { peer: from, data: data.clone() };
        self.messages(Operation::Receive, self.check_member(from), &[message], &[])
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
        self.messages(
            Operation::SendReceive,
            self.check_member(to).and(self.check_member(from)),
            &[incoming],
            &[outgoing],
        )
    }

    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError> {
        let mut peers = sends.iter().chain(receives);
        let checked = peers.try_for_each(|message| self.check_member(message.peer));
        self.messages(Operation::Exchange, checked, receives, sends)
    }

    fn barrier(&self) -> Result<(), CollectiveError> {
        self.collective((Operation::Barrier, 0), Ok(()), LocalGroup::barrier, algorithms::barrier)
            .map(drop)
    }

    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError> {
        Ok(self.divide(color, key)?.map(|(member, _)| member as Arc<dyn Communicator>))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.fabric.forget(self.group, self.rank);
    }
}

/// Spreads a number over 64 bits, so that communicator groups of different splits get different
/// numbers (the finalizer of splitmix64).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
