//! Worlds to test in: threads of this process, alone or connected over loopback.

use phalanx_collectives::{CollectiveError, Communicator, Rendezvous, World};
use phalanx_device::{Buffer, Slice};
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The processes of a world and their devices, all in this process.
pub struct Fixture {
    pub worlds: Vec<World>,
    pub members: Vec<Arc<dyn Communicator>>,
}

/// A plane: a name, and worlds of a number of members.
pub type Plane = (&'static str, fn(usize) -> Fixture);

/// Every plane that has to pass the table.
pub const PLANES: &[Plane] = &[("local", local), ("tcp", tcp), ("hybrid", hybrid)];

/// One process.
pub fn local(members: usize) -> Fixture {
    Fixture::of(vec![World::local(members).unwrap()])
}

/// As many processes as members.
pub fn tcp(members: usize) -> Fixture {
    connected(&vec![1; members])
}

/// Two processes, of which the second has more devices.
pub fn hybrid(members: usize) -> Fixture {
    if members == 1 { local(1) } else { connected(&[members / 2, members - members / 2]) }
}

/// Processes with the given numbers of devices.
pub fn connected(devices: &[usize]) -> Fixture {
    let meetings = meetings(devices.len())
        .into_iter()
        .zip(devices)
        .map(|(meeting, devices)| Rendezvous { local_devices: *devices, ..meeting });
    let worlds = join_all(meetings.collect());
    Fixture::of(worlds.into_iter().map(|world| world.expect("a world")).collect())
}

/// Rendezvous of `size` ranks at a free port.
pub fn meetings(size: usize) -> Vec<Rendezvous> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut listener = Some(listener);
    let meeting = |rank| Rendezvous {
        token: b"a shared secret".to_vec(),
        timeout: Duration::from_secs(20),
        listener: listener.take(),
        ..Rendezvous::new(rank, size, address.clone())
    };
    (0..size).map(meeting).collect()
}

/// Joins all at the same time.
pub fn join_all(meetings: Vec<Rendezvous>) -> Vec<Result<World, CollectiveError>> {
    let threads: Vec<_> =
        meetings.into_iter().map(|meeting| std::thread::spawn(move || meeting.join())).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

impl Fixture {
    pub fn of(worlds: Vec<World>) -> Fixture {
        let members = worlds.iter().flat_map(World::communicators).collect();
        Fixture { worlds, members }
    }

    /// Runs `work` as every member, each on its thread. A panic of one ends the world for the
    /// others.
    pub fn run<T: Send>(&self, work: impl Fn(&dyn Communicator) -> T + Sync) -> Vec<T> {
        let work = &work;
        std::thread::scope(|scope| {
            let start = |member: &Arc<dyn Communicator>| {
                let member = member.clone();
                scope.spawn(move || {
                    let outcome = catch_unwind(AssertUnwindSafe(|| work(&*member)));
                    if outcome.is_err() {
                        let message = String::from("a member panicked");
                        let error_code = String::from("test");
                        let rank = member.rank();
                        self.worlds[0].abort(CollectiveError::Aborted {
                            rank,
                            error_code,
                            message,
                        });
                    }
                    outcome
                })
            };
            let threads: Vec<_> = self.members.iter().map(start).collect();
            let outcomes: Vec<_> =
                threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            outcomes
                .into_iter()
                .map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        })
    }

    /// Leaves in peace on all ranks.
    pub fn shutdown(&self) {
        std::thread::scope(|scope| {
            for world in &self.worlds {
                scope.spawn(|| world.shutdown());
            }
        });
    }
}

/// A slice that holds a copy of the bytes.
pub fn slice(bytes: &[u8]) -> Slice {
    Buffer::from_vec(bytes.to_vec()).whole()
}

/// A slice of bytes that no result should keep.
pub fn place(len: usize) -> Slice {
    slice(&vec![0xa5; len])
}

/// The bytes of a slice.
pub fn bytes(slice: &Slice) -> Vec<u8> {
    // SAFETY: tests read their own slices, after the event of the last operation on them.
    unsafe { slice.bytes() }.to_vec()
}
