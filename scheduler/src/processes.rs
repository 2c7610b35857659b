//! Processes: what they do together outside of plans: tickets, short messages, ending at the same
//! point.

use crate::digest::{data_digest, join_digests, ticket_digest};
use crate::error::RunError;
use crate::identity::Identity;
use phalanx_array::{Error, Evaluated, Graph, HostArray, Site};
use phalanx_collectives::{
    CollectiveError, Communicator, GivenData, Message, Ticket, TicketKind, World,
};
use phalanx_device::Buffer;
use rustc_hash::FxHashMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// All processes of the world, seen by one of them.
pub(crate) struct Processes {
    world: Arc<World>,
    /// The first device of every process; `None` in a world of one. Plans in flight use other
    /// communicators.
    control: Option<Arc<dyn Communicator>>,
    tickets: AtomicU64,
    /// A digest of the settings that plans depend on.
    settings: u128,
    given: Mutex<Given>,
    /// Whether the program has been given an error.
    has_told: AtomicBool,
}

/// Data that the program has declared to be equal on all ranks, and that no window has used yet, by
/// its place in memory.
#[derive(Default)]
struct Given {
    data: FxHashMap<usize, (Weak<dyn Evaluated>, GivenData)>,
    /// When to look again for data that nobody can use any more.
    sweep_at: usize,
}

impl Processes {
    /// Collective over the world.
    pub fn meet(world: Arc<World>, settings: u128) -> Result<Processes, RunError> {
        let control = if world.size() > 1 { Some(first_devices(&world)?) } else { None };
        Ok(Processes {
            world,
            control,
            tickets: AtomicU64::new(0),
            settings,
            given: Mutex::default(),
            has_told: AtomicBool::new(false),
        })
    }

    /// Whether the world goes on. Local.
    pub fn check(&self) -> Result<(), RunError> {
        self.world.failure().map_or(Ok(()), |failure| Err(RunError::Collective(failure)))
    }

    /// Waits until all ranks are known to have done the same up to this ticket.
    pub fn await_ticket(&self, ticket: u64) -> Result<(), Error> {
        let verdict = self.world.await_ticket(ticket);
        verdict.map_err(|failure| Error::failure(RunError::Collective(failure), None))
    }

    /// Says what this process is about to do together with the others; waits only for a rank that
    /// has fallen far behind.
    pub fn post(&self, kind: TicketKind, digest: u128, cause: &str, site: Site) {
        if self.control.is_some() {
            self.post_with(kind, digest, cause, site, Vec::new());
        }
    }

    /// Says that this process closes a window of this identity; waits as `post` does. Returns the
    /// number of the ticket; `None` in a world of one.
    pub fn post_close(
        &self,
        graph: &Graph,
        window: &Identity,
        cause: &str,
        site: Site,
    ) -> Option<u64> {
        self.control.as_ref()?;
        let mut data = Vec::new();
        let mut is_given = vec![false; graph.leaves.len()];
        {
            let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
            if !given.data.is_empty() {
                for (leaf, is_given) in graph.leaves.iter().zip(&mut is_given) {
                    if let Some(Ok(value)) = leaf.result()
                        && let Some((_, entry)) = given.data.remove(&place(value))
                    {
                        *is_given = true;
                        data.push(entry);
                    }
                }
            }
        }
        if data.len() > Ticket::MOST_DATA {
            let rest = data.split_off(Ticket::MOST_DATA - 1);
            let digest = join_digests(rest.iter().map(|entry| entry.digest));
            data.extend(rest.into_iter().next().map(|entry| GivenData { digest, ..entry }));
        }
        let digest = ticket_digest(graph, window, &is_given, cause, self.settings);
        Some(self.post_with(TicketKind::Close, digest, cause, site, data))
    }

    fn post_with(
        &self,
        kind: TicketKind,
        digest: u128,
        cause: &str,
        site: Site,
        data: Vec<GivenData>,
    ) -> u64 {
        let number = self.tickets.fetch_add(1, Ordering::Relaxed) + 1;
        self.world.post_ticket(Ticket {
            number,
            kind,
            digest,
            cause: String::from(cause),
            site: site.to_string(),
            data,
        });
        number
    }

    /// Remembers data that every rank declares to be equal, for the ticket of the first window that
    /// uses it. Nothing in a world of one process.
    pub fn declare(&self, value: &Arc<dyn Evaluated>, data: &HostArray, site: Site) {
        if self.control.is_none() {
            return;
        }
        let site = site.to_string();
        let entry = (Arc::downgrade(value), GivenData { digest: data_digest(data), site });
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if given.data.len() >= given.sweep_at {
            given.data.retain(|_, (value, _)| value.strong_count() > 0);
            given.sweep_at = (2 * given.data.len()).max(64);
        }
        // The weak reference keeps the place in memory from being used for another value.
        given.data.insert(place(value), entry);
    }

    /// Passes on what a call gives the program, and notes whether that is an error.
    pub fn tell<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if outcome.is_err() {
            self.has_told.store(true, Ordering::Relaxed);
        }
        outcome
    }

    /// Whether the world has failed and the program, which is about to leave, has not heard of it.
    pub fn is_unheard(&self) -> bool {
        let failure = self.world.failure().filter(|error| *error != CollectiveError::Closed);
        failure.is_some() && !self.has_told.load(Ordering::Relaxed)
    }

    /// Tells whoever reads standard error of a failure that the program did not ask for.
    pub fn report(&self, error: &Error, site: Site) {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        // Nothing is to be done about a standard error that is closed, in the end of a session.
        let _ = writeln!(
            std::io::stderr(),
            "{first} (seen when the session made at {}:{} ended without `finish`)",
            site.file(),
            site.line()
        );
    }

    /// Ends the world on all ranks because of an error that the others do not have.
    pub fn abort(&self, error_code: &str, message: String) {
        // Whoever says why the world ends need not be told.
        self.has_told.store(true, Ordering::Relaxed);
        let (rank, error_code) = (self.world.rank(), String::from(error_code));
        self.world.abort(CollectiveError::Aborted { rank, error_code, message });
    }

    /// Every process's bytes, by rank; `count` says how many each of them gives. Collective.
    pub fn gather(
        &self,
        own: Vec<u8>,
        count: impl Fn(usize) -> usize,
    ) -> Result<Vec<Vec<u8>>, RunError> {
        let Some(control) = &self.control else { return Ok(vec![own]) };
        let counts: Vec<usize> = (0..self.world.size()).map(count).collect();
        let receive = Buffer::from_vec(vec![0u8; counts.iter().sum()]);
        let send = Buffer::from_vec(own);
        let gathered = control
            .all_gather_v(&send.whole(), &receive.whole(), &counts)
            .and_then(|event| Ok(event.wait()?));
        if gathered.is_err() {
            // Whoever gathers gives the error to the program.
            self.has_told.store(true, Ordering::Relaxed);
        }
        gathered?;
        let mut offset = 0;
        let mut part = |count: &usize| {
            let mut bytes = vec![0; *count];
            receive.read(offset, &mut bytes);
            offset += count;
            bytes
        };
        Ok(counts.iter().map(&mut part).collect())
    }

    /// Waits until every process is about to end. Collective.
    ///
    /// Rank 0 hears from each rank itself, after all tickets of that rank: when it answers, no
    /// ticket is left that could differ, and no rank has ended without hearing of one that did.
    pub fn part(&self) -> Result<(), RunError> {
        let Some(control) = &self.control else { return Ok(()) };
        let words = Buffer::from_vec(vec![0u8; self.world.size()]);
        let to = |peer: usize| Message { peer, data: words.slice(peer, 1) };
        let others: Vec<Message> = match self.world.rank() {
            0 => (1..self.world.size()).map(to).collect(),
            _ => vec![to(0)],
        };
        let wait = |sends: &[Message], receives: &[Message]| -> Result<(), RunError> {
            Ok(control.exchange(sends, receives)?.wait().map_err(CollectiveError::from)?)
        };
        if self.world.rank() == 0 {
            wait(&[], &others)?;
            self.check()?;
            wait(&others, &[])
        } else {
            wait(&others, &[])?;
            wait(&[], &others)
        }
    }
}

/// Where a value lies in memory.
fn place(value: &Arc<dyn Evaluated>) -> usize {
    Arc::as_ptr(value).cast::<()>() as usize
}

/// The communicator of the first device of every process. Collective over all devices.
fn first_devices(world: &World) -> Result<Arc<dyn Communicator>, RunError> {
    let communicators = world.communicators();
    let split = |local: usize| communicators[local].split((local == 0).then_some(0), 0);
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
