//! Worlds of the processes of an MPI job, seen by one of them.

use phalanx_collectives::mpi::{Library, Mpi, MpiOptions};
use phalanx_collectives::{CollectiveError, Communicator, Rendezvous, Transport, World};
use phalanx_device::{Buffer, Slice};
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

/// A process of a world, and those members of the group that live in it.
pub struct Fixture {
    pub worlds: Vec<World>,
    pub members: Vec<Arc<dyn Communicator>>,
}

/// A plane: a name, and worlds of a number of members.
pub type Plane = (&'static str, fn(usize) -> Fixture);

/// The plane that has to pass the table here.
pub const PLANES: &[Plane] = &[("mpi", mpi)];

/// No planes: what MPI carries here lies on the host.
pub fn on_gpus() -> Vec<(Plane, usize)> {
    Vec::new()
}

/// The library, in a process that a launcher has started.
pub fn library() -> Option<Arc<Mpi>> {
    let launched = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
    if launched.iter().all(|name| std::env::var_os(name).is_none()) {
        return None;
    }
    let library = std::env::var_os("PHALANX_MPI_LIBRARY").map(Into::into);
    let options = MpiOptions { library, ..MpiOptions::default() };
    Some(Mpi::load(&options).expect("a library under its launcher"))
}

/// The processes of the job, with as many devices as make so many members. Of fewer members than
/// processes, the last processes have none.
pub fn mpi(members: usize) -> Fixture {
    let Some(mpi) = library() else { return local(members) };
    let (rank, size) = (mpi.rank(), mpi.size());
    let devices = (members / size + usize::from(rank < members % size)).max(1);
    let world = join(&mpi, devices, Transport::Mpi).expect("a world");
    assert_eq!((world.transport(), world.without_mpi()), ("mpi", None));
    let mut group = world.communicators();
    if members < size {
        let color = (rank < members).then_some(0);
        group = group[0].split(color, 0).unwrap().into_iter().collect();
    }
    Fixture { worlds: vec![world], members: group }
}

/// Meets the other processes of the job; rank 0's address travels by MPI.
pub fn join(
    mpi: &Arc<Mpi>,
    devices: usize,
    transport: Transport,
) -> Result<World, CollectiveError> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut address = listener.local_addr().unwrap().to_string().into_bytes();
    address.resize(32, b' ');
    mpi.broadcast(&mut address, 0)?;
    let address = String::from_utf8(address).unwrap();
    let meeting = Rendezvous {
        token: b"a shared secret".to_vec(),
        timeout: Duration::from_secs(60),
        listener: (mpi.rank() == 0).then_some(listener),
        local_devices: devices,
        transport,
        mpi: Library::open(&MpiOptions::default()).map_err(|error| error.to_string()),
        ..Rendezvous::new(mpi.rank(), mpi.size(), address.trim())
    };
    meeting.join()
}

/// One process.
pub fn local(members: usize) -> Fixture {
    let world = World::local(members).unwrap();
    Fixture { members: world.communicators(), worlds: vec![world] }
}

/// As many members as these processes would have.
pub fn connected(devices: &[usize]) -> Fixture {
    mpi(devices.iter().sum())
}

/// As `mpi`: here it takes the place of the network.
pub fn tcp(members: usize) -> Fixture {
    mpi(members)
}

impl Fixture {
    /// Never: there are no GPUs.
    pub fn is_at_once(&self) -> bool {
        false
    }

    /// Runs `work` as every member of this process, each on its thread. A panic of one ends the
    /// world for the others.
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
                        let error = CollectiveError::Aborted { rank, error_code, message };
                        self.worlds[0].abort(error);
                    }
                    outcome
                })
            };
            let threads: Vec<_> = self.members.iter().map(start).collect();
            let outcomes: Vec<_> =
                threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            let whole = outcomes.into_iter();
            whole.map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// Leaves in peace.
    pub fn shutdown(&self) {
        self.worlds[0].shutdown();
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
