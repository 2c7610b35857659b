//! Processes: what they do together outside of plans: tickets, short messages, ending at the same point.

use crate::error::RunError;
use phalanx_array::Site;
use phalanx_collectives::{CollectiveError, Communicator, Message, Ticket, TicketKind, World};
use phalanx_device::Buffer;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// All processes of the world, seen by one of them.
pub(crate) struct Processes {
    world: Arc<World>,
    /// The first device of every process; `None` in a world of one. Plans in flight use other communicators.
    control: Option<Arc<dyn Communicator>>,
    tickets: AtomicU64,
}

impl Processes {
    /// Collective over the world.
    pub fn meet(world: Arc<World>) -> Result<Processes, RunError> {
        let control = if world.size() > 1 { Some(first_devices(&world)?) } else { None };
        Ok(Processes { world, control, tickets: AtomicU64::new(0) })
    }

    /// Whether the world goes on. Local.
    pub fn check(&self) -> Result<(), RunError> {
        self.world.failure().map_or(Ok(()), |failure| Err(RunError::Collective(failure)))
    }

    /// Says what this process is about to do together with the others; never waits.
    pub fn post(&self, kind: TicketKind, digest: impl FnOnce() -> u128, cause: &str, site: Site) {
        if self.control.is_none() {
            return;
        }
        self.world.post_ticket(Ticket {
            number: self.tickets.fetch_add(1, Ordering::Relaxed) + 1,
            kind,
            digest: digest(),
            cause: String::from(cause),
            site: format!("{}:{}", site.file(), site.line()),
        });
    }

    /// Ends the world on all ranks because of an error that the others do not have.
    pub fn abort(&self, error_code: &str, message: String) {
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
        let event =
            control.all_gather_v(&Buffer::from_vec(own).whole(), &receive.whole(), &counts)?;
        event.wait().map_err(CollectiveError::from)?;
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
    /// Rank 0 hears from each rank itself, after all tickets of that rank: when it answers, no ticket is left that
    /// could differ, and no rank has ended without hearing of one that did.
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
