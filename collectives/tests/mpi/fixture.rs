//! Worlds of the processes of an MPI job, as one of them sees them.

use phalanx_collectives::mpi::{Library, Mpi, MpiOptions};
use phalanx_collectives::{
    CollectiveError, Communicator, GpuPath, Rendezvous, Transport, World, device_facts,
};
use phalanx_device::cuda::{CudaDevice, CudaOptions, cuda_devices};
use phalanx_device::{Buffer, Device, Slice};
use std::cell::RefCell;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A process of a world, and the members of the group in this process.
pub struct Fixture {
    pub worlds: Vec<World>,
    pub members: Vec<Arc<dyn Communicator>>,
    /// The device of each member, which holds the slices of its thread.
    devices: Vec<Arc<dyn Device>>,
}

thread_local! {
    /// The memory for slices of this thread; `None` for the host.
    static DEVICE: RefCell<Option<Arc<dyn Device>>> = const { RefCell::new(None) };
}

/// A plane: a name, and worlds of a number of members.
pub type Plane = (&'static str, fn(usize) -> Fixture);

/// The plane that must pass the table here.
pub const PLANES: &[Plane] = &[("mpi", mpi)];

/// The plane of GPUs with MPI messages: one GPU for each process, and two if there are several;
/// empty without GPUs. `COLLECTIVES_GPUS` states whether MPI must accept GPU memory (`direct`) or
/// must not (`staged`).
pub fn on_gpus() -> Vec<(Plane, usize)> {
    let Some(mpi) = library() else { return Vec::new() };
    let count = cuda_devices(&options()).unwrap_or(0);
    let path = (count > 0).then(|| {
        let fixture = gpus(mpi.size());
        fixture.shutdown();
        fixture.worlds[0].gpu_path().cloned()
    });
    let path = path.flatten();
    let found = match &path {
        Some(GpuPath::Mpi { .. }) => "direct",
        Some(GpuPath::Staged { .. }) => "staged",
        _ => "none",
    };
    let required = std::env::var("COLLECTIVES_GPUS");
    assert!(required.as_deref().unwrap_or(found) == found, "GPUs talk otherwise: {path:?}");
    if found == "none" {
        println!("skipped on GPUs: {path:?}");
        return Vec::new();
    }
    let sizes = [1, 2].into_iter().filter(|devices| *devices <= count);
    sizes.map(|devices| (("mpi", gpus as fn(usize) -> Fixture), devices * mpi.size())).collect()
}

pub fn options() -> CudaOptions {
    let folders = std::env::var_os("PHALANX_CUDA_PATH");
    let folders = folders.map(|folders| std::env::split_paths(&folders).collect());
    CudaOptions { folders: folders.unwrap_or_default(), ..CudaOptions::default() }
}

/// The processes of the job, which share the GPUs. Each has the same share of the members.
pub fn gpus(members: usize) -> Fixture {
    static GPUS: OnceLock<Vec<Arc<dyn Device>>> = OnceLock::new();
    let mpi = library().expect("a launcher has started this process");
    let open = |at| CudaDevice::new(at, None, &options()).expect("a GPU") as Arc<dyn Device>;
    let count = cuda_devices(&options()).unwrap_or(0);
    let all = GPUS.get_or_init(|| (0..count).map(open).collect());
    let own = members / mpi.size();
    let devices: Vec<_> = (0..own).map(|at| all[(mpi.rank() + at) % count].clone()).collect();
    let meeting = |meeting| Rendezvous { facts: device_facts(&devices), ..meeting };
    let mut world = meet(&mpi, own, Transport::Mpi, meeting).expect("a world");
    world.attach(&devices).expect("GPUs that work");
    Fixture { members: world.communicators(), worlds: vec![world], devices }
}

/// The library, if a launcher has started this process.
pub fn library() -> Option<Arc<Mpi>> {
    let launched = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
    if launched.iter().all(|name| std::env::var_os(name).is_none()) {
        return None;
    }
    Some(Mpi::load(&mpi_options()).expect("a library under its launcher"))
}

fn mpi_options() -> MpiOptions {
    let library = std::env::var_os("PHALANX_MPI_LIBRARY").map(Into::into);
    let cuda = std::env::var_os("PHALANX_MPI_CUDA").map(|value| value == "1");
    MpiOptions { library, cuda, ..MpiOptions::default() }
}

/// The processes of the job, with enough devices for this many members. If there are fewer members
/// than processes, the last processes have none.
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
    Fixture { worlds: vec![world], members: group, devices: Vec::new() }
}

/// Meets the other processes of the job; rank 0's address travels by MPI.
pub fn join(
    mpi: &Arc<Mpi>,
    devices: usize,
    transport: Transport,
) -> Result<World, CollectiveError> {
    meet(mpi, devices, transport, |meeting| meeting)
}

/// As `join`, with a changed rendezvous.
fn meet(
    mpi: &Arc<Mpi>,
    devices: usize,
    transport: Transport,
    change: impl FnOnce(Rendezvous) -> Rendezvous,
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
        mpi: Library::open(&mpi_options()).map_err(|error| error.to_string()),
        ..Rendezvous::new(mpi.rank(), mpi.size(), address.trim())
    };
    change(meeting).join()
}

/// One process.
pub fn local(members: usize) -> Fixture {
    let world = World::local(members).unwrap();
    Fixture { members: world.communicators(), worlds: vec![world], devices: Vec::new() }
}

/// As many members as these processes have devices.
pub fn connected(devices: &[usize]) -> Fixture {
    mpi(devices.iter().sum())
}

/// As `mpi`, which replaces the network here.
pub fn tcp(members: usize) -> Fixture {
    mpi(members)
}

impl Fixture {
    /// Whether GPU data is combined in the order of the host.
    pub fn is_at_once(&self) -> bool {
        !self.devices.is_empty()
    }

    /// Runs `work` as every member of this process, each on its thread. A panic of one ends the
    /// world for the others.
    pub fn run<T: Send>(&self, work: impl Fn(&dyn Communicator) -> T + Sync) -> Vec<T> {
        let work = &work;
        std::thread::scope(|scope| {
            let start = |(at, member): (usize, &Arc<dyn Communicator>)| {
                let (member, device) = (member.clone(), self.devices.get(at).cloned());
                scope.spawn(move || {
                    DEVICE.set(device);
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
            let threads: Vec<_> = self.members.iter().enumerate().map(start).collect();
            let outcomes: Vec<_> =
                threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            let whole = outcomes.into_iter();
            whole.map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// Leaves normally.
    pub fn shutdown(&self) {
        self.worlds[0].shutdown();
    }
}

/// A slice that holds a copy of the bytes.
pub fn slice(bytes: &[u8]) -> Slice {
    DEVICE.with_borrow(|device| match device {
        Some(device) => device.upload(bytes).expect("memory of a GPU").whole(),
        None => Buffer::from_vec(bytes.to_vec()).whole(),
    })
}

/// A slice of bytes that no result should keep.
pub fn place(len: usize) -> Slice {
    slice(&vec![0xa5; len])
}

/// The bytes of a slice, after the event of the last operation on it.
pub fn bytes(slice: &Slice) -> Vec<u8> {
    let mut bytes = vec![0; slice.len];
    slice.buffer.read(slice.offset, &mut bytes);
    bytes
}
