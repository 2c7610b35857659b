//! Processes: their communication outside of plans, which is tickets, short messages and a common
//! end.

use crate::digest::{join_digests, ticket_digest};
use crate::error::RunError;
use crate::identity::Identity;
use crate::recorded::RecordedWindow;
use phalanx_collectives::{
    CollectiveError, Communicator, GivenData, Message, Ticket, TicketKind, World,
};
use phalanx_device::{Buffer, Event};
use phalanx_graph::{Error, Graph, Site};
use phalanx_waiting::{aside, interruptible};
use std::io::Write;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All processes of the world, as one of them sees them.
pub(crate) struct Processes {
    world: Arc<World>,
    /// Connects the first device of every process; `None` in a world of one. Plans use other
    /// communicators.
    control: Option<Arc<dyn Communicator>>,
    tickets: AtomicU64,
    /// A digest of the settings that plans depend on.
    settings: u128,
    declared: Mutex<Declared>,
    /// Whether a call has returned an error to the program.
    has_reported: AtomicBool,
    /// Code and text of the error of the last call; `None` if it succeeded.
    last: Mutex<Option<(String, String)>>,
}

/// Digests of data that the program declared equal on all ranks since the last ticket, in order,
/// with their call sites. Once the list is full, the last entry covers all further data.
#[derive(Default)]
struct Declared(Vec<(u128, Site)>);

impl Declared {
    fn add(&mut self, digest: u128, site: Site) {
        let is_full = self.0.len() == Ticket::MOST_DATA;
        match self.0.last_mut() {
            Some((all, _)) if is_full => *all = join_digests(*all, digest),
            _ => self.0.push((digest, site)),
        }
    }

    /// Takes the entries for the next ticket.
    fn take(&mut self) -> Vec<GivenData> {
        let entry = |(digest, site): (u128, Site)| GivenData { digest, site: site.to_string() };
        self.0.drain(..).map(entry).collect()
    }
}

impl Processes {
    /// Connects the processes. Collective over the world.
    pub fn meet(world: Arc<World>, settings: u128) -> Result<Processes, RunError> {
        let meet = || awaited(&world, || first_devices(&world));
        let control = if world.size() > 1 { Some(meet()?) } else { None };
        Ok(Processes {
            world,
            control,
            tickets: AtomicU64::new(0),
            settings,
            declared: Mutex::default(),
            has_reported: AtomicBool::new(false),
            last: Mutex::default(),
        })
    }

    /// Returns the reason if the world has ended. Local.
    pub fn check(&self) -> Result<(), RunError> {
        self.world.failure().map_or(Ok(()), |failure| Err(RunError::Collective(failure)))
    }

    /// Waits until all ranks have posted equal tickets up to this one.
    pub fn await_ticket(&self, ticket: u64) -> Result<(), Error> {
        let verdict = awaited(&self.world, || Ok(self.world.await_ticket(ticket)?));
        verdict.map_err(|failure| Error::failure(failure, None))
    }

    /// Posts a ticket for the next ticketed step of this process. Waits only if another rank is
    /// far behind.
    pub fn post(&self, kind: TicketKind, digest: u128, cause: &str, site: Site) {
        if self.control.is_some() {
            self.post_ticket(kind, digest, cause, site, None);
        }
    }

    /// Posts a ticket for closing the window of this identity, and waits as `post` does. Returns
    /// the number of the ticket; `None` in a world of one.
    pub fn post_close(
        &self,
        graph: &Graph,
        window: &Identity,
        cause: &str,
        site: Site,
    ) -> Option<u64> {
        self.control.as_ref()?;
        let digest = ticket_digest(graph, window, cause, self.settings);
        let recorded = Arc::new(RecordedWindow::of(graph));
        Some(self.post_ticket(TicketKind::Close, digest, cause, site, Some(recorded)))
    }

    fn post_ticket(
        &self,
        kind: TicketKind,
        digest: u128,
        cause: &str,
        site: Site,
        recorded: Option<Arc<RecordedWindow>>,
    ) -> u64 {
        let (number, data) = {
            let mut declared = self.declared();
            (self.tickets.fetch_add(1, Ordering::Relaxed) + 1, declared.take())
        };
        if let Some(recorded) = recorded {
            self.world.record(number, recorded);
        }
        let (cause, site) = (String::from(cause), site.to_string());
        let ticket = Ticket { number, kind, digest, cause, site, data };
        // An interrupt here has ended the world; the next ticketed step reports it.
        let _ = awaited(&self.world, || {
            self.world.post_ticket(ticket);
            Ok(())
        });
        number
    }

    fn declared(&self) -> MutexGuard<'_, Declared> {
        self.declared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the site of a read, for reports on other ranks; a read may post no ticket.
    pub fn observes(&self, site: Site) {
        if self.control.is_some() {
            self.world.note_observation("observes a value", &site.to_string());
        }
    }

    /// Adds a digest of data that must be equal on all ranks to the next ticket. Does nothing in a
    /// world of one process.
    pub fn declare(&self, digest: impl FnOnce() -> u128, site: Site) {
        if self.control.is_some() {
            self.declared().add(digest(), site);
        }
    }

    /// Returns the result of a call to the program, and notes whether it is an error.
    pub fn note_result<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if outcome.is_err() {
            self.has_reported.store(true, Ordering::Relaxed);
        }
        if self.control.is_some() {
            let last = outcome.as_ref().err().map(|error| {
                let text = error.to_string();
                let line = text.lines().next().unwrap_or_default();
                let line = line.split_once("]: ").map_or(line, |(_, line)| line);
                (String::from(error.code()), String::from(line))
            });
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
        }
        outcome
    }

    /// The program ends its session without `finish`. If the last call returned an error, that
    /// error is the reason, and the other ranks receive it.
    pub fn pass_on_last(&self) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some((code, message)), None) = (last, self.world.failure()) {
            self.abort(&code, message);
        }
    }

    /// Whether the world has failed and no call has reported that to the program, which is about to
    /// leave.
    pub fn is_unreported(&self) -> bool {
        let failure = self.world.failure().filter(|error| *error != CollectiveError::Closed);
        failure.is_some() && !self.has_reported.load(Ordering::Relaxed)
    }

    /// Writes a failure to standard error that no call has returned to the program.
    pub fn report(&self, error: &Error, site: Site) {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        // At the end of a session, a closed standard error cannot be reported anywhere.
        let _ = writeln!(
            std::io::stderr(),
            "{first} (seen when the session made at {}:{} ended without `finish`)",
            site.file(),
            site.line()
        );
    }

    /// Ends the world on all ranks with an error that only this one has.
    pub fn abort(&self, error_code: &str, message: String) {
        // This process gives the reason for the end, so it needs no report of it.
        self.has_reported.store(true, Ordering::Relaxed);
        let (rank, error_code) = (self.world.rank(), String::from(error_code));
        let error = CollectiveError::Aborted { rank, error_code, message };
        aside(|| self.world.abort(error));
    }

    /// Leaves the world.
    pub fn leave(&self) {
        let _ = awaited(&self.world, || {
            self.world.shutdown();
            Ok(())
        });
    }

    /// The bytes of every process, by rank; `count` returns their number for a rank. Collective.
    pub fn gather(
        &self,
        own: Vec<u8>,
        count: impl Fn(usize) -> usize,
    ) -> Result<Vec<Vec<u8>>, RunError> {
        let Some(control) = &self.control else { return Ok(vec![own]) };
        let counts: Vec<usize> = (0..self.world.size()).map(count).collect();
        let receive = Buffer::from_vec(vec![0u8; counts.iter().sum()]);
        let send = Buffer::from_vec(own);
        let (send, all) = (send.whole(), receive.whole());
        let gathered = self.awaited(|| control.all_gather_v(&send, &all, &counts));
        if gathered.is_err() {
            // The caller of `gather` returns the error to the program.
            self.has_reported.store(true, Ordering::Relaxed);
        }
        gathered?;
        Ok(split_up(&receive, &counts))
    }

    /// The bytes of every process, by rank; `None` on other ranks than rank 0. Collective.
    pub fn gather_first(&self, own: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, RunError> {
        let Some(control) = &self.control else { return Ok(Some(vec![own])) };
        const WORD: usize = size_of::<u64>();
        let lengths = self.gather((own.len() as u64).to_ne_bytes().to_vec(), |_| WORD)?;
        let counted = lengths.into_iter().map(|length| length.try_into().unwrap_or([0; WORD]));
        let counts: Vec<usize> =
            counted.map(|length| u64::from_ne_bytes(length) as usize).collect();
        let is_first = self.rank() == 0;
        let receive = Buffer::from_vec(vec![0u8; if is_first { counts.iter().sum() } else { 0 }]);
        let (send, all) = (Buffer::from_vec(own).whole(), receive.whole());
        self.awaited(|| control.gather_v(&send, is_first.then_some(&all), &counts, 0))?;
        Ok(is_first.then(|| split_up(&receive, &counts)))
    }

    /// Sends a word to another process, which receives it (`receive_word`).
    pub fn send_word(&self, peer: usize, word: u64) -> Result<(), RunError> {
        let Some(control) = &self.control else { return Ok(()) };
        let word = Buffer::from_vec(vec![word]).whole();
        self.awaited(|| control.send(&word, peer))
    }

    /// Receives a word that another process sends.
    pub fn receive_word(&self, peer: usize) -> Result<u64, RunError> {
        let Some(control) = &self.control else { return Ok(0) };
        let word = Buffer::from_vec(vec![0u64]);
        self.awaited(|| control.recv(&word.whole(), peer))?;
        let mut bytes = [0; size_of::<u64>()];
        word.read(0, &mut bytes);
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Waits for work of the control plane.
    fn awaited(
        &self,
        work: impl FnOnce() -> Result<Event, CollectiveError>,
    ) -> Result<(), RunError> {
        awaited(&self.world, || Ok(work()?.wait().map_err(CollectiveError::from)?))
    }

    /// The rank of this process.
    pub fn rank(&self) -> usize {
        self.world.rank()
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.world.size()
    }

    /// Waits until every process is about to end. Collective.
    ///
    /// Each rank sends rank 0 the number of tickets that it has posted, and rank 0 waits for all of
    /// these tickets, which may arrive after that message. So when rank 0 answers, all tickets are
    /// compared, and each rank that ends has received the report of any difference.
    pub fn part(&self) -> Result<(), RunError> {
        let Some(control) = &self.control else { return Ok(()) };
        let own = self.tickets.load(Ordering::Relaxed);
        let counts = Buffer::from_vec(vec![own; self.world.size()]);
        const WORD: usize = size_of::<u64>();
        let to = |peer: usize| Message { peer, data: counts.slice(peer * WORD, WORD), rows: None };
        let others: Vec<Message> = match self.world.rank() {
            0 => (1..self.world.size()).map(to).collect(),
            _ => vec![to(0)],
        };
        let wait = |sends: &[Message], receives: &[Message]| {
            self.awaited(|| control.exchange(sends, receives))
        };
        if self.world.rank() == 0 {
            wait(&[], &others)?;
            let mut posted = vec![0; counts.len()];
            counts.read(0, &mut posted);
            let counted = posted.chunks_exact(WORD).map(|count| count.try_into().unwrap_or([0; 8]));
            // The last ticket of the rank with the fewest is its exit; another rank's ticket of
            // that number differs from it.
            let fewest = counted.map(u64::from_ne_bytes).min().unwrap_or(own);
            awaited(&self.world, || Ok(self.world.await_ticket(fewest)?))?;
            wait(&others, &[])
        } else {
            wait(&others, &[])?;
            wait(&[], &others)
        }
    }
}

/// The parts of a buffer that have these lengths.
fn split_up(all: &Buffer, counts: &[usize]) -> Vec<Vec<u8>> {
    let mut offset = 0;
    let mut part = |count: &usize| {
        let mut bytes = vec![0; *count];
        all.read(offset, &mut bytes);
        offset += count;
        bytes
    };
    counts.iter().map(&mut part).collect()
}

/// Runs a wait for other processes. If the user interrupts it, the world ends for all of them.
pub(crate) fn awaited<T>(
    world: &Arc<World>,
    wait: impl FnOnce() -> Result<T, RunError>,
) -> Result<T, RunError> {
    let _entered = world.enter();
    let own = world.clone();
    let give_up = move || {
        let (error_code, message) = (RunError::Interrupted.code(), RunError::Interrupted);
        own.abort(CollectiveError::Aborted {
            rank: own.rank(),
            error_code: String::from(error_code),
            message: message.to_string(),
        });
    };
    interruptible(Some(Rc::new(give_up)), wait).unwrap_or(Err(RunError::Interrupted))
}

/// The communicator of the first device of every process. Collective over all devices.
fn first_devices(world: &World) -> Result<Arc<dyn Communicator>, RunError> {
    let communicators = world.communicators();
    let split = |local: usize| communicators[local].split((local == 0).then_some(0), 0);
    // With one device, this thread makes the call: a library may allow no other.
    if let [_] = &*communicators
        && let Some(control) = split(0)?
    {
        return Ok(control);
    }
    let split = &split;
    let groups = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..communicators.len()).map(|local| scope.spawn(move || split(local))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect::<Result<Vec<_>, _>>()
    })?;
    match groups.into_iter().flatten().next() {
        Some(control) => Ok(control),
        None => unreachable!("bug: a coloured member joins a group"),
    }
}
