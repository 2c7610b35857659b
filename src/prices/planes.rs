//! Each plane by which messages travel, and its price: inside a process, between processes, and
//! between GPUs.

use super::round_trip::{Found, LONG, LONG_OF_GPUS, between_ends};
use crate::config::{Config, Transport};
use crate::startup::{DEVICES, InitFailure, world};
use phalanx_collectives::{
    CollectiveError, Communicator, Facts, GpuPath, Price, Rendezvous, World,
};
use phalanx_device::{Buffer, Device, DeviceError, Slice};
use phalanx_distributed::Policy;
use phalanx_graph::Limits;
use phalanx_scheduler::RunError;
use std::net::TcpListener;
use std::sync::Arc;

fn of_device(device: &Arc<dyn Device>, bytes: usize) -> Result<Slice, CollectiveError> {
    let failed = |error: DeviceError| CollectiveError::Network { reason: error.to_string() };
    Ok(device.clone().allocate(bytes).map_err(failed)?.whole())
}

fn host(bytes: usize) -> Result<Slice, CollectiveError> {
    Ok(Buffer::from_vec(vec![0; bytes]).whole())
}

/// The price between the first and the last of the members of this process, each of which measures
/// in its own thread.
fn of_threads(
    members: &[Arc<dyn Communicator>],
    price: impl Fn(usize, &dyn Communicator) -> Found + Sync,
) -> Found {
    std::thread::scope(|scope| {
        let price = &price;
        let start = |(at, member): (usize, &'_ Arc<dyn Communicator>)| {
            let member = member.clone();
            scope.spawn(move || price(at, &*member))
        };
        let threads: Vec<_> = members.iter().enumerate().map(start).collect();
        let ended = threads.into_iter().map(|thread| thread.join().unwrap_or(Ok(None)));
        let outcomes: Result<Vec<Option<Price>>, CollectiveError> = ended.collect();
        Ok(outcomes?.into_iter().flatten().next())
    })
}

/// Between two devices of one process.
pub(super) fn of_cpus() -> Found {
    of_threads(&World::local(2)?.communicators(), |_, member| between_ends(member, &host, LONG))
}

/// Between the first and the last of several GPUs of this process.
pub(super) fn of_gpus(devices: &[Arc<dyn Device>]) -> Found {
    let failed = |reason: String| CollectiveError::Network { reason };
    let mut world = World::local(devices.len())?;
    world.attach(devices).map_err(|error| failed(error.to_string()))?;
    let members = world.communicators();
    if !members.iter().all(|member| member.takes_device_memory()) {
        return Err(failed(String::from("NCCL cannot be used by these GPUs")));
    }
    of_threads(&members, |at, member| between_gpus(&world, member, &devices[at]))
}

/// Between the GPUs of the first and the last member.
fn between_gpus(world: &World, member: &dyn Communicator, gpu: &Arc<dyn Device>) -> Found {
    let memory = |bytes| of_device(gpu, bytes);
    let price = member.prepare().and_then(|()| between_ends(member, &memory, LONG_OF_GPUS));
    // Without this, the others would wait for this one.
    price.inspect_err(|error| world.abort(error.clone()))
}

/// Between two worlds of this process that meet on loopback.
pub(super) fn on_loopback() -> Found {
    let refused = |error: std::io::Error| CollectiveError::Listen {
        address: String::from("127.0.0.1"),
        reason: error.to_string(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?.to_string();
    let first = Rendezvous { listener: Some(listener), ..Rendezvous::new(0, 2, address.clone()) };
    let second = Rendezvous::new(1, 2, address);
    let one = |meeting: Rendezvous| {
        let world = meeting.join()?;
        let price = between_ends(&*world.communicators()[0], &host, LONG)?;
        world.shutdown();
        Ok(price)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(move || one(second));
        let price = one(first)?;
        other.join().unwrap_or(Ok(None)).map(|_| price)
    })
}

/// The prices of messages between processes.
pub(super) struct Between {
    pub(super) on_hosts: Found,
    /// Present if all processes have a GPU.
    pub(super) on_gpus: Option<Found>,
    /// The hosts of the processes, if these have met.
    pub(super) hosts: Vec<String>,
}

/// Measures between the first and the last process. The error is one of their meeting.
pub(super) fn of_processes(
    config: &Config,
    transport: Transport,
    device: Option<&Arc<dyn Device>>,
) -> Result<Between, InitFailure> {
    let config = Config { transport, ..config.clone() }.meet()?;
    let (policy, limits) = (Policy::default(), Limits::default());
    let devices: Vec<Arc<dyn Device>> = device.into_iter().cloned().collect();
    let meet =
        |devices: &[_]| world(&config, None, 1, devices, None, &policy, &limits, Facts::new());
    let mut apart = None;
    let met = match meet(&devices) {
        // All processes get this error. Hosts have prices even if their GPUs differ in kind.
        Err(error) if is_of_devices(&error) => {
            apart = Some(error);
            meet(&[])
        }
        met => met,
    };
    let mut world = match met {
        Ok(world) => world,
        Err(
            error @ (CollectiveError::MpiUnavailable { .. } | CollectiveError::Disagreement { .. }),
        ) => return Ok(Between { on_hosts: Err(error), on_gpus: None, hosts: Vec::new() }),
        Err(error) => return Err(error.into()),
    };
    let price = between_ends(&*world.communicators()[0], &host, LONG)?;
    let on_gpus = match apart {
        Some(error) => device.map(|_| Err(error)),
        None => {
            world.attach(&devices).map_err(RunError::from)?;
            let member = world.communicators().swap_remove(0);
            // All processes know this alike.
            device.zip(world.gpu_path()).map(|(device, path)| match path {
                GpuPath::Nccl { shared: None, .. } | GpuPath::Mpi { .. } => {
                    between_gpus(&world, &*member, device)
                }
                path => Err(CollectiveError::Network { reason: path.to_string() }),
            })
        }
    };
    let hosts = world.hosts().map(str::to_owned).collect();
    world.shutdown();
    Ok(Between { on_hosts: Ok(price), on_gpus, hosts })
}

/// Whether ranks did not meet because their devices are of different kinds.
fn is_of_devices(error: &CollectiveError) -> bool {
    matches!(error, CollectiveError::Disagreement { key, .. } if key == DEVICES)
}
