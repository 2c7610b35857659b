//! Worlds for tests: threads of this process, alone or connected over loopback, each with a GPU if
//! there are several.

use crate::absence;
use phalanx_collectives::{CollectiveError, Communicator, Rendezvous, World, device_facts};
use phalanx_device::cuda::{CudaDevice, CudaOptions, cuda_devices};
use phalanx_device::{Buffer, Device, Slice};
use std::cell::RefCell;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The processes of a world and their devices, all in this process.
pub struct Fixture {
    pub worlds: Vec<World>,
    pub members: Vec<Arc<dyn Communicator>>,
    /// The device of each member, which holds the slices of its thread.
    devices: Vec<Arc<dyn Device>>,
    /// Held because groups of several tests would wait for each other on the same GPUs.
    #[allow(dead_code, reason = "held until the fixture is dropped")]
    turn: Option<MutexGuard<'static, ()>>,
}

thread_local! {
    /// The memory for slices of this thread; `None` for the host.
    static DEVICE: RefCell<Option<Arc<dyn Device>>> = const { RefCell::new(None) };
}

/// A plane: a name, and worlds of a number of members.
pub type Plane = (&'static str, fn(usize) -> Fixture);

/// Every plane that must pass the table.
pub const PLANES: &[Plane] = &[("local", local), ("tcp", tcp), ("hybrid", hybrid)];

/// One process.
pub fn local(members: usize) -> Fixture {
    Fixture::of(vec![World::local(members).unwrap()])
}

/// As many processes as members.
pub fn tcp(members: usize) -> Fixture {
    connected(&vec![1; members])
}

/// Two processes; the second has more devices if the number is odd.
pub fn hybrid(members: usize) -> Fixture {
    if members == 1 { local(1) } else { connected(&[members / 2, members - members / 2]) }
}

/// The planes of GPUs, with the numbers of members for which there are GPUs and NCCL; empty if
/// there are fewer than two GPUs.
pub fn on_gpus() -> Vec<(Plane, usize)> {
    let count = cuda_devices(&options()).unwrap_or(0);
    let planes: [Plane; 2] = [("nccl", one_process), ("nccl of processes", processes)];
    let members = (2..=count.min(8)).filter(|members| [2, 3, 4, 8].contains(members));
    let all: Vec<_> = members.flat_map(|members| planes.map(|plane| (plane, members))).collect();
    if all.is_empty() {
        absence::lacks("gpus", "second GPU");
    }
    all
}

pub fn options() -> CudaOptions {
    let folders = std::env::var_os("PHALANX_CUDA_PATH");
    let folders = folders.map(|folders| std::env::split_paths(&folders).collect());
    CudaOptions { folders: folders.unwrap_or_default(), ..CudaOptions::default() }
}

/// The first GPUs, and the guard that gives the test exclusive use of them.
fn gpus(members: usize) -> (Vec<Arc<dyn Device>>, Option<MutexGuard<'static, ()>>) {
    static GPUS: OnceLock<Vec<Arc<dyn Device>>> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = |at| CudaDevice::new(at, None, &options()).expect("a GPU") as Arc<dyn Device>;
    let count = cuda_devices(&options()).unwrap_or(0);
    let all = GPUS.get_or_init(|| (0..count).map(open).collect());
    (all[..members].to_vec(), Some(turn))
}

fn one_process(members: usize) -> Fixture {
    let (mut world, (devices, turn)) = (World::local(members).unwrap(), gpus(members));
    world.attach(&devices).expect("streams");
    Fixture { devices, turn, ..Fixture::of(vec![world]) }
}

/// As many processes as members, as the library sees it.
fn processes(members: usize) -> Fixture {
    let (devices, turn) = gpus(members);
    let meetings = meetings(members).into_iter().zip(&devices).map(|(meeting, device)| {
        Rendezvous { facts: device_facts(std::slice::from_ref(device)), ..meeting }
    });
    let worlds = join_all(meetings.collect()).into_iter().zip(&devices).map(|(world, device)| {
        let mut world = world.expect("a world");
        world.attach(std::slice::from_ref(device)).expect("a stream");
        world
    });
    let worlds = worlds.collect();
    Fixture { devices, turn, ..Fixture::of(worlds) }
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
        Fixture { worlds, members, devices: Vec::new(), turn: None }
    }

    /// Whether the members' GPUs can access each other's memory: one kernel moves short data.
    pub fn is_at_once(&self) -> bool {
        let gpus = || {
            let gpu = |device: &'_ Arc<dyn Device>| {
                device.as_any().downcast_ref::<CudaDevice>().and_then(CudaDevice::handle)
            };
            self.devices.iter().filter_map(gpu)
        };
        gpus().all(|gpu| gpus().all(|other| gpu.reach(other.ordinal())))
    }

    /// Runs `work` as every member, each on its thread. A panic of one ends the world for the
    /// others.
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
                        self.worlds[0].abort(CollectiveError::Aborted {
                            rank,
                            error_code,
                            message,
                        });
                    }
                    outcome
                })
            };
            let threads: Vec<_> = self.members.iter().enumerate().map(start).collect();
            let outcomes: Vec<_> =
                threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            outcomes
                .into_iter()
                .map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        })
    }

    /// Leaves normally on all ranks.
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
    DEVICE.with_borrow(|device| match device {
        Some(device) => device.upload(bytes).expect("memory of a GPU").whole(),
        None => Buffer::from_vec(bytes.to_vec()).whole(),
    })
}

/// A slice of bytes that no result should keep.
pub fn place(len: usize) -> Slice {
    slice(&vec![0xa5; len])
}

/// The bytes of a slice: tests read their own slices, after the event of the last operation.
pub fn bytes(slice: &Slice) -> Vec<u8> {
    let mut bytes = vec![0; slice.len];
    slice.buffer.read(slice.offset, &mut bytes);
    bytes
}
