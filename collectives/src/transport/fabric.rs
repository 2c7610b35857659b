//! The state that the communicators of one process share: queues, links, failure and tickets.

use super::channel::Channel;
use super::doing::Doings;
use super::frame::{Control, EAGER_BYTES, Frame, Header, Kind};
use super::inside::Inside;
use super::link::Link;
use super::mailbox::{Arrival, Mailbox};
use super::transfer::Transfer;
use super::waits::{Transfers, wait};
use crate::failure::Failure;
use crate::lead::Lead;
use crate::planes::local::Boards;
use crate::planes::mpi::{Departures, End, Engine, Route, Watcher};
use crate::records::{Dispute, Records};
use crate::tickets::Tickets;
use crate::{CollectiveError, Operation};
use phalanx_device::{DeviceError, Slice};
use phalanx_waiting::look;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long a leaving rank waits for the others to leave too.
const LINGER: Duration = Duration::from_millis(100);
/// How long a leaving rank tries to send what it has posted.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long a rank tries to send the others the reason why the world has ended.
const NEWS: Duration = Duration::from_millis(500);
/// How long ranks whose tickets differ may take to send their records; a busy machine needs time.
/// After it the world ends with the error that is known, so messages of different lengths without
/// tickets are reported this much later. It is shorter than the 5 s within which every rank is
/// promised an error.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long after its goodbye the reason why a rank leaves may arrive.
pub(super) const DEPARTURE_GRACE: Duration = Duration::from_millis(100);

/// The number of communicator groups that one `Begun` frame lists.
const BEGUN_AT_ONCE: usize = 4096;

/// The shared state of a process in a world.
#[derive(Debug)]
pub(crate) struct Fabric {
    pub(crate) rank: usize,
    pub(crate) failure: Arc<Failure>,
    pub(crate) boards: Boards,
    pub(crate) doings: Arc<Doings>,
    pub(crate) inside: Inside,
    mailbox: Mailbox,
    /// Links by rank; `None` for this process itself. Empty in a world of one process.
    pub(super) links: Vec<Option<Arc<Link>>>,
    /// Moves the messages between processes, if MPI carries them.
    engine: OnceLock<Arc<Engine>>,
    /// The ranks that have left. It is kept here because a rank may leave before the engine exists.
    pub(crate) departures: Arc<Departures>,
    pub(super) tickets: Mutex<Tickets>,
    pub(super) records: Records,
    /// On rank 0: tickets that differ, while rank 0 asks their ranks for records.
    dispute: Mutex<Option<Dispute>>,
    pub(super) lead: Lead,
    leaving: AtomicBool,
    /// Whether this process has posted the reason why the world has ended.
    has_posted_reason: AtomicBool,
    /// Whether a message had an unexpected length: the world is about to end.
    misfit: AtomicBool,
}

impl Fabric {
    pub(crate) fn new(rank: usize, links: Vec<Option<Arc<Link>>>) -> Arc<Fabric> {
        let processes = links.len().max(1);
        Arc::new(Fabric {
            rank,
            failure: Arc::default(),
            boards: Boards::default(),
            doings: Arc::new(Doings::new(rank, processes)),
            inside: Inside::default(),
            mailbox: Mailbox::default(),
            links,
            engine: OnceLock::new(),
            departures: Arc::new(Departures::new(processes)),
            tickets: Mutex::new(Tickets::new(rank, processes)),
            records: Records::default(),
            dispute: Mutex::default(),
            lead: Lead::default(),
            leaving: AtomicBool::new(false),
            has_posted_reason: AtomicBool::new(false),
            misfit: AtomicBool::new(false),
        })
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        self.links.iter().flatten()
    }

    pub(super) fn link(&self, process: usize) -> &Arc<Link> {
        self.links[process].as_ref().expect("bug: a message to a process without a link")
    }

    /// The number of bytes that this process has given to the network.
    pub(crate) fn bytes_written(&self) -> u64 {
        let by_mpi = self.engine.get().map_or(0, |engine| engine.bytes_sent());
        by_mpi + self.links().map(|link| link.bytes_written()).sum::<u64>()
    }

    /// Lets MPI move the messages between processes from now on.
    pub(crate) fn use_engine(self: &Arc<Fabric>, engine: Arc<Engine>) {
        let fabric: Arc<dyn Watcher> = self.clone();
        engine.watch(Arc::downgrade(&fabric) as Weak<dyn Watcher>);
        let is_first = self.engine.set(engine).is_ok();
        assert!(is_first, "bug: a world with two engines");
    }

    /// The engine that moves the messages between processes, if MPI carries them.
    pub(crate) fn engine(&self) -> Option<&Arc<Engine>> {
        self.engine.get()
    }

    /// Ends the world on all ranks, unless it has ended. Returns the error that ended it.
    pub(crate) fn fail(&self, error: CollectiveError) -> CollectiveError {
        let links: Vec<Arc<Link>> = self.links().cloned().collect();
        if end(self.rank, &self.failure, &links, &error) {
            self.has_posted_reason.store(true, Ordering::SeqCst);
        }
        self.failure.get().unwrap_or(error)
    }

    /// Ends the world because of a device of this process.
    pub(crate) fn fail_of_device(&self, error: &DeviceError) -> CollectiveError {
        let (rank, error_code) = (self.rank, String::from(error.code()));
        self.fail(CollectiveError::Aborted { rank, error_code, message: error.to_string() })
    }

    /// Posts a send to a member in `process`.
    pub(crate) fn post_send(
        &self,
        channel: Channel,
        route: Route,
        process: usize,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        self.failure.check()?;
        if process == self.rank {
            return self.post_local_send(channel, data);
        }
        if let Some(engine) = self.engine.get() {
            let transfer = Transfer::by_engine(data.clone(), process);
            engine.post(End::Send, transfer.clone(), channel, route)?;
            return Ok(transfer);
        }
        let link = self.link(process);
        let transfer = Transfer::new(data.clone(), process);
        let mut shard = self.mailbox.shard(&channel);
        let queue = shard.entry(channel).or_default();
        if link.has_left() {
            drop(shard);
            return Err(self.left(process));
        }
        let sequence = queue.next_send;
        queue.next_send += 1;
        let header = |kind, value| Header { kind, channel, sequence, value, payload: 0 };
        if data.len <= EAGER_BYTES && link.credit.take(data.len) {
            let claim = transfer.claim().expect("bug: a new transfer is free");
            link.post(header(Kind::Eager, 0).with(claim.bytes()));
            claim.finish();
            return Ok(transfer);
        }
        // Announced even if the receiver is ready, so that it can compare the lengths.
        link.post(header(Kind::Announce, data.len as u64).with(&[]));
        if let Some(at) = queue.cleared.iter().position(|cleared| *cleared == sequence) {
            queue.cleared.remove(at);
            link.post_bulk(channel, sequence, transfer.clone());
        } else {
            queue.announced.push_back((sequence, transfer.clone()));
        }
        Ok(transfer)
    }

    /// Posts a receive from a member in `process`.
    pub(crate) fn post_receive(
        &self,
        channel: Channel,
        route: Route,
        process: usize,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        self.failure.check()?;
        if process == self.rank {
            return self.post_local_receive(channel, data);
        }
        if let Some(engine) = self.engine.get() {
            let transfer = Transfer::by_engine(data.clone(), process);
            engine.post(End::Receive, transfer.clone(), channel, route)?;
            return Ok(transfer);
        }
        let link = self.link(process);
        let transfer = Transfer::new(data.clone(), process);
        let mut shard = self.mailbox.shard(&channel);
        let queue = shard.entry(channel).or_default();
        let sequence = queue.next_receive;
        queue.next_receive += 1;
        let clear = || clear(channel, sequence);
        match queue.arrivals.pop_front() {
            Some(Arrival::Bytes(bytes)) => {
                if self.fits(channel, bytes.len() as u64, data.len) {
                    fill(&transfer, &bytes);
                    give_back(link, bytes.len());
                }
            }
            Some(Arrival::Announced(len)) => {
                if self.fits(channel, len, data.len) {
                    queue.filling.push((sequence, transfer.clone()));
                    link.post(clear());
                }
            }
            None if link.has_left() => {
                drop(shard);
                return Err(self.left(process));
            }
            None => {
                queue.receives.push_back((sequence, transfer.clone()));
                if data.len > EAGER_BYTES {
                    link.post(clear());
                }
            }
        }
        Ok(transfer)
    }

    /// Waits for the end of a transfer. If the world fails first, the transfer is cancelled.
    pub(crate) fn wait(&self, transfer: &Transfer) -> Result<(), CollectiveError> {
        wait(transfer, self.engine.get().map(|engine| &**engine), &self.failure, &self.doings)
    }

    /// The completion of transfers that an operation has begun, with the bytes that it moves.
    pub(crate) fn completion(
        &self,
        transfers: Vec<Arc<Transfer>>,
        begun: (Operation, usize),
    ) -> Transfers {
        let has_driven = transfers.iter().any(|transfer| transfer.is_by_engine());
        let engine = self.engine.get().filter(|_| has_driven).cloned();
        let (failure, doings) = (self.failure.clone(), self.doings.clone());
        Transfers { transfers, engine, failure, doings, begun }
    }

    fn post_local_send(
        &self,
        channel: Channel,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let send = Transfer::new(data.clone(), self.rank);
        let receive = {
            let mut shard = self.mailbox.shard(&channel);
            let queue = shard.entry(channel).or_default();
            let Some((_, receive)) = queue.receives.pop_front() else {
                queue.sends.push_back(send.clone());
                return Ok(send);
            };
            receive
        };
        self.copy(channel, &send, &receive)?;
        Ok(send)
    }

    fn post_local_receive(
        &self,
        channel: Channel,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let receive = Transfer::new(data.clone(), self.rank);
        let send = {
            let mut shard = self.mailbox.shard(&channel);
            let queue = shard.entry(channel).or_default();
            let Some(send) = queue.sends.pop_front() else {
                queue.receives.push_back((0, receive.clone()));
                return Ok(receive);
            };
            send
        };
        self.copy(channel, &send, &receive)?;
        Ok(receive)
    }

    /// Makes the single copy of a message within the process.
    fn copy(
        &self,
        channel: Channel,
        send: &Transfer,
        receive: &Transfer,
    ) -> Result<(), CollectiveError> {
        if !self.fits(channel, send.len() as u64, receive.len()) {
            return Ok(());
        }
        // A cancelled end belongs to a world that has ended.
        if let (Some(source), Some(mut target)) = (send.claim(), receive.claim()) {
            target.copy_from(&source).map_err(|error| self.fail_of_device(&error))?;
            source.finish();
            target.finish();
        }
        self.failure.check()
    }

    /// Whether a message has the expected length. If not, the message never arrives and the world
    /// ends soon: ranks that send other lengths took different ways, and their tickets explain
    /// more.
    fn fits(&self, channel: Channel, sent: u64, expected: usize) -> bool {
        if sent != expected as u64 {
            let (from, to) = (channel.from as usize, channel.to as usize);
            self.misfit.store(true, Ordering::SeqCst);
            self.fail_soon(CollectiveError::Length { from, to, sent, expected: expected as u64 });
        }
        sent == expected as u64
    }

    pub(super) fn has_misfit(&self) -> bool {
        self.misfit.load(Ordering::SeqCst)
    }

    /// Ends the world with this error, unless it ends with a better one within `PATIENCE`.
    pub(super) fn fail_soon(&self, error: CollectiveError) {
        let (rank, failure) = (self.rank, self.failure.clone());
        let links: Vec<Arc<Link>> = self.links().cloned().collect();
        std::thread::spawn(move || {
            if !links.is_empty() {
                std::thread::sleep(PATIENCE);
            }
            end(rank, &failure, &links, &error);
        });
    }

    /// Handles a whole message that arrived over a link.
    pub(super) fn arrived(
        &self,
        link: &Link,
        channel: Channel,
        bytes: &[u8],
    ) -> Result<(), CollectiveError> {
        if !link.credit.arrived(bytes.len()) {
            let reason = String::from("more short messages than there is credit for");
            return Err(CollectiveError::Protocol { rank: link.peer, reason });
        }
        let posted = {
            let mut shard = self.mailbox.shard(&channel);
            let queue = shard.entry(channel).or_default();
            let posted = queue.receives.pop_front();
            if posted.is_none() {
                queue.arrivals.push_back(Arrival::Bytes(bytes.into()));
            }
            posted
        };
        let Some((_, transfer)) = posted else {
            return Ok(());
        };
        self.check_origin(link, &transfer)?;
        if self.fits(channel, bytes.len() as u64, transfer.len()) {
            fill(&transfer, bytes);
            give_back(link, bytes.len());
        }
        Ok(())
    }

    /// Handles the announcement of a long message, or of one without credit.
    pub(super) fn announced(
        &self,
        link: &Link,
        channel: Channel,
        len: u64,
    ) -> Result<(), CollectiveError> {
        let mut shard = self.mailbox.shard(&channel);
        let queue = shard.entry(channel).or_default();
        let Some((sequence, transfer)) = queue.receives.pop_front() else {
            queue.arrivals.push_back(Arrival::Announced(len));
            return Ok(());
        };
        self.check_origin(link, &transfer)?;
        if !self.fits(channel, len, transfer.len()) {
            return Ok(());
        }
        // A receive that expects a short message has not reported that its memory is ready.
        let is_short = transfer.len() <= EAGER_BYTES;
        queue.filling.push((sequence, transfer));
        if is_short {
            link.post(clear(channel, sequence));
        }
        Ok(())
    }

    /// Handles the report that the receiver of a long message is ready.
    pub(super) fn cleared(&self, link: &Link, channel: Channel, sequence: u64) {
        let mut shard = self.mailbox.shard(&channel);
        let queue = shard.entry(channel).or_default();
        let at = queue.announced.iter().position(|(announced, _)| *announced == sequence);
        match at.and_then(|at| queue.announced.remove(at)) {
            Some((_, transfer)) => link.post_bulk(channel, sequence, transfer),
            None => queue.cleared.push_back(sequence),
        }
    }

    /// The receive whose bytes are arriving.
    pub(super) fn filling(&self, channel: Channel, sequence: u64) -> Option<Arc<Transfer>> {
        let shard = self.mailbox.shard(&channel);
        let (_, transfer) = shard.get(&channel)?.filling.iter().find(|(at, _)| *at == sequence)?;
        Some(transfer.clone())
    }

    /// Removes a receive whose bytes have all arrived.
    pub(super) fn filled(&self, channel: Channel, sequence: u64) {
        if let Some(queue) = self.mailbox.shard(&channel).get_mut(&channel) {
            queue.filling.retain(|(at, _)| *at != sequence);
        }
    }

    fn check_origin(&self, link: &Link, transfer: &Transfer) -> Result<(), CollectiveError> {
        if transfer.process == link.peer {
            return Ok(());
        }
        let reason = format!("a message names a sender of rank {}", transfer.process);
        Err(CollectiveError::Protocol { rank: link.peer, reason })
    }

    /// Handles the goodbye of a rank: an error if this process still waits for a message of that
    /// rank, or still has bytes to send to it.
    pub(super) fn check_departure(&self, link: &Link) {
        self.departures.note(link.peer);
        let is_needed = self.mailbox.waits_for(link.peer) || link.owes_bulk();
        if is_needed && !self.is_leaving() {
            self.fail(CollectiveError::RankLeft { rank: link.peer });
        }
    }

    /// The error of a call that needs a rank which has said goodbye. Its tickets explain more, so
    /// this waits a moment for rank 0's verdict on them.
    fn left(&self, rank: usize) -> CollectiveError {
        let deadline = Instant::now() + DEPARTURE_GRACE;
        while Instant::now() < deadline && !self.failure.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.fail(CollectiveError::RankLeft { rank })
    }

    /// Drops the queues of a member of a communicator group that is no longer used.
    pub(crate) fn forget(&self, group: u64, member: usize) {
        self.mailbox.forget(group, member as u32);
    }

    /// On rank 0: the tickets that differ, if ranks were asked for their records.
    pub(super) fn disputed(&self) -> MutexGuard<'_, Option<Dispute>> {
        self.dispute.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::SeqCst)
    }

    /// Says goodbye to all ranks. The coordinator stays until all have left, because it compares
    /// their tickets.
    pub(crate) fn leave(&self) {
        if self.leaving.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(engine) = self.engine.get() {
            engine.flush(FAREWELL);
            // The others treat collectives that are not reported here as not started.
            for begun in self.departures.begun().chunks(BEGUN_AT_ONCE) {
                for link in self.links() {
                    link.post_control(&Control::Begun(begun.to_vec()));
                }
            }
        }
        let has_failed = self.pass_on();
        for link in self.links() {
            link.leave();
        }
        if self.rank == 0 {
            // Ranks that differ end the world within a moment, even after they have left.
            let is_peace = || self.disputed().is_none() && self.links().all(|link| link.has_left());
            while !self.failure.is_set() && !is_peace() {
                self.rest();
                look();
            }
        }
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline
            && !self.failure.is_set()
            && !self.links().all(|link| link.is_flushed())
        {
            self.rest();
        }
        if has_failed || self.pass_on() {
            self.flush(NEWS);
        }
        // A connection that closes before the other end has closed may lose bytes that are still
        // travelling.
        let deadline = Instant::now() + LINGER;
        while Instant::now() < deadline && !self.links().all(|link| link.has_left()) {
            self.rest();
        }
        let is_peaceful = !self.failure.is_set();
        self.failure.set(CollectiveError::Closed);
        if let Some(engine) = self.engine.get() {
            engine.stop(is_peaceful);
        }
    }

    /// Sends the others the reason why the world has ended, if it has: otherwise they may see the
    /// end of this process first. Returns whether the world has ended.
    pub(crate) fn pass_on(&self) -> bool {
        let Some(error) = self.failure.get() else { return false };
        if error != CollectiveError::Closed && !self.has_posted_reason.swap(true, Ordering::SeqCst)
        {
            self.links().for_each(|link| link.post_control(&Control::Abort(error.clone())));
        }
        true
    }

    /// Sleeps between two checks. Others may wait for messages that only calls of the engine's
    /// library complete, so this calls it.
    fn rest(&self) {
        if let Some(engine) = self.engine.get() {
            engine.push();
        }
        std::thread::sleep(Duration::from_millis(1));
    }

    /// Waits until everything posted has been written, or until the limit.
    pub(crate) fn flush(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline && !self.links().all(|link| link.is_flushed()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Watcher for Fabric {
    fn misfit(&self, channel: Channel, sent: u64, expected: usize) {
        self.fits(channel, sent, expected);
    }

    fn failed(&self, error: CollectiveError) {
        if !self.is_leaving() {
            self.fail(error);
        }
    }

    fn disagreed(&self, error: CollectiveError) {
        self.fail_soon(error);
    }
}

/// Ends the world on all ranks, unless it has ended.
fn end(rank: usize, failure: &Failure, links: &[Arc<Link>], error: &CollectiveError) -> bool {
    // A thread that sees the failure and leaves flushes posted frames, so post the abort first.
    let post = || links.iter().for_each(|link| link.post_control(&Control::Abort(error.clone())));
    let is_first = failure.set_after(error.clone(), post);
    if is_first {
        tracing::error!(rank, code = error.code(), %error, "the world ends");
    }
    is_first
}

/// The frame that informs the sender of a message that its receiver is ready.
fn clear(channel: Channel, sequence: u64) -> Frame {
    Header { kind: Kind::Clear, channel, sequence, value: 0, payload: 0 }.with(&[])
}

/// Returns the credit of a short message to its sender.
fn give_back(link: &Link, len: usize) {
    if let Some(portion) = link.credit.claimed(len) {
        link.post(Header { value: portion, ..Header::plain(Kind::Credit, 0) }.with(&[]));
    }
}

/// Copies a whole message into the receive's memory, unless the receive was cancelled.
fn fill(transfer: &Transfer, bytes: &[u8]) {
    if let Some(mut claim) = transfer.claim() {
        claim.bytes_mut(0..bytes.len()).copy_from_slice(bytes);
        claim.finish();
    }
}
