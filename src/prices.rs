//! What messages cost on the program's machines: measured on request, kept in a file, and read by
//! process 0 of a session.

use crate::config::{Config, ConfigError, Devices, Transport};
use crate::environment::Environment;
use crate::session::{DEVICES, InitError, InitFailure, gpus, world};
use phalanx_array::io::{IoError, write_atomically};
use phalanx_collectives::{CollectiveError, Communicator, GpuPath, Rendezvous, World, host_name};
pub use phalanx_collectives::{Price, Prices};
use phalanx_device::{Buffer, Device, DeviceError, Slice};
use phalanx_distributed::Policy;
use phalanx_graph::{Limits, call_site};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The bytes of a short message and of a long one.
const SHORT: usize = 8;
const LONG: usize = 8 << 20;
/// The number of round trips timed together, and of repetitions; the best counts.
const SHORT_TRIPS: usize = 200;
const LONG_TRIPS: usize = 3;
const REPEATS: usize = 5;

/// The result of measuring a plane: its price, or why it has none.
pub type Outcome = Result<Price, String>;

/// The result of `phalanx info --measure` on process 0; empty on the others.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Each plane, and its price or why it has none.
    pub planes: Vec<(&'static str, Outcome)>,
    /// On process 0: the path of the written table, or why it was not written. `None` if there is
    /// neither a cache folder nor a file that a variable names.
    pub file: Option<Result<PathBuf, IoError>>,
}

/// The file name for a set of hosts: this host, or those of a launcher.
pub(crate) fn file_name(nodes: &[String]) -> String {
    let name = if nodes.is_empty() { host_name() } else { nodes.join("+") };
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "._-+".contains(letter);
    let name: String =
        name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    // Long lists are cut, so a hash over the whole name distinguishes them.
    let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    match name.len() {
        0..=120 => name,
        _ => format!("{}-{sum:016x}", &name[..100]),
    }
}

/// The table of a file, if it exists. A file that a variable names must exist and be valid.
pub(crate) fn read(
    environment: &Environment,
    file: Option<&Path>,
) -> Result<Option<Prices>, ConfigError> {
    let Some(file) = file else { return Ok(None) };
    let known = std::fs::read_to_string(file).map_err(|error| error.to_string());
    match known.and_then(|text| text.parse::<Prices>().map_err(|error| error.to_string())) {
        Ok(prices) => Ok(Some(prices)),
        Err(reason) if environment.prices.is_some() => Err(ConfigError::InvalidValue {
            variable: "PHALANX_PRICES",
            value: format!("{} ({reason})", file.display()),
            allowed: "a file that `phalanx info --measure` wrote",
        }),
        // No table was measured, or another version wrote it.
        Err(_) => Ok(None),
    }
}

/// Measures the planes that processes started like this one have, and writes the table.
///
/// Collective over the processes of the launcher. Errors: those of the processes' meeting, and
/// `PX051` of GPUs. A plane that cannot be used is not an error.
#[track_caller]
pub fn measure(config: &Config) -> Result<Measured, InitError> {
    let site = call_site();
    measured(config).map_err(|failure| InitError::new(failure, site))
}

fn measured(config: &Config) -> Result<Measured, InitFailure> {
    let mut planes: Vec<(&'static str, Outcome)> = Vec::new();
    let mut note = |plane, outcome: Result<Option<Price>, CollectiveError>| match outcome {
        Ok(Some(price)) => planes.push((plane, Ok(price))),
        // Process 0 has the price.
        Ok(None) => {}
        Err(error) => planes.push((plane, Err(error.to_string()))),
    };
    note("local", of_cpus());
    let devices = gpus(config).map_err(phalanx_scheduler::RunError::from)?;
    if devices.len() > 1 {
        note("local-gpus", of_gpus(&devices));
    }
    // A world with one device for each process. Messages travel between the first and the last.
    let config = Config { devices: Devices::Cpu(1), prices: None, ..config.clone() };
    let mut hosts = vec![host_name()];
    if config.size() == 1 {
        note("tcp", on_loopback());
    } else {
        let found = of_processes(&config, Transport::Tcp, devices.first())?;
        note("tcp", found.on_hosts);
        found.on_gpus.into_iter().for_each(|price| note("nccl-gpus", price));
        hosts.extend(found.hosts);
        if config.is_launched_by_mpi(config.rank(), config.size()) {
            let found = of_processes(&config, Transport::Mpi, devices.first())?;
            note("mpi", found.on_hosts);
            found.on_gpus.into_iter().for_each(|price| note("mpi-gpus", price));
        }
    }
    if config.rank() != 0 {
        return Ok(Measured { planes: Vec::new(), file: None });
    }
    // Keep the results of an earlier run on the same hosts, which may have had more processes.
    let known = config.prices_file.as_deref().map(std::fs::read_to_string);
    let known = known.and_then(|text| text.ok()?.parse::<Prices>().ok());
    let known = known.filter(|known| known.are_of(hosts.iter().map(String::as_str)));
    let mut prices = known.unwrap_or_default();
    prices.set_hosts(hosts);
    for (plane, outcome) in &planes {
        if let Ok(price) = outcome {
            prices.set(plane, *price);
        }
    }
    let file = config.prices_file.map(|file| {
        // If this fails, the write fails too and returns the error.
        let _ = file.parent().map(std::fs::create_dir_all);
        write_atomically(&file, |writer| write!(writer, "{prices}")).map(|()| file)
    });
    Ok(Measured { planes, file })
}

fn of_device(device: &Arc<dyn Device>, bytes: usize) -> Result<Slice, CollectiveError> {
    let failed = |error: DeviceError| CollectiveError::Network { reason: error.to_string() };
    Ok(device.clone().allocate(bytes).map_err(failed)?.whole())
}

fn host(bytes: usize) -> Result<Slice, CollectiveError> {
    Ok(Buffer::from_vec(vec![0; bytes]).whole())
}

/// Allocates memory for a member's messages.
type Memory<'a> = &'a (dyn Fn(usize) -> Result<Slice, CollectiveError> + Sync);

/// The price between the first and the last of the members of this process, each of which measures
/// in its own thread.
fn of_threads(
    members: &[Arc<dyn Communicator>],
    price: impl Fn(usize, &dyn Communicator) -> Result<Option<Price>, CollectiveError> + Sync,
) -> Result<Option<Price>, CollectiveError> {
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

fn of_cpus() -> Result<Option<Price>, CollectiveError> {
    of_threads(&World::local(2)?.communicators(), |_, member| between_ends(member, &host))
}

fn of_gpus(devices: &[Arc<dyn Device>]) -> Result<Option<Price>, CollectiveError> {
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
    let price = member.prepare().and_then(|()| between_ends(member, &memory));
    // Without this, the others would wait for this one.
    price.inspect_err(|error| world.abort(error.clone()))
}

/// Between two worlds of this process that meet on loopback.
fn on_loopback() -> Result<Option<Price>, CollectiveError> {
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
        let price = between_ends(&*world.communicators()[0], &host)?;
        world.shutdown();
        Ok(price)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(move || one(second));
        let price = one(first)?;
        other.join().unwrap_or(Ok(None)).map(|_| price)
    })
}

/// The price of a plane on the process that measured it, or why the plane cannot be used.
type Found = Result<Option<Price>, CollectiveError>;

/// The prices of messages between processes.
struct Between {
    on_hosts: Found,
    /// Present if all processes have a GPU.
    on_gpus: Option<Found>,
    /// The hosts of the processes, if these have met.
    hosts: Vec<String>,
}

/// Measures between the first and the last process. The error is one of their meeting.
fn of_processes(
    config: &Config,
    transport: Transport,
    device: Option<&Arc<dyn Device>>,
) -> Result<Between, InitFailure> {
    let config = Config { transport, ..config.clone() }.meet()?;
    let (policy, limits) = (Policy::default(), Limits::default());
    let devices: Vec<Arc<dyn Device>> = device.into_iter().cloned().collect();
    let meet = |devices: &[_]| world(&config, None, 1, devices, None, &policy, &limits);
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
    let price = between_ends(&*world.communicators()[0], &host)?;
    let on_gpus = match apart {
        Some(error) => device.map(|_| Err(error)),
        None => {
            world.attach(&devices).map_err(phalanx_scheduler::RunError::from)?;
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

/// The price of messages between the first and the last member, returned on the first. Collective.
fn between_ends(
    member: &dyn Communicator,
    memory: Memory<'_>,
) -> Result<Option<Price>, CollectiveError> {
    let (rank, last) = (member.rank(), member.size() - 1);
    let fastest = |bytes: usize, trips: usize| -> Result<f64, CollectiveError> {
        let data = memory(bytes)?;
        let mut best = f64::INFINITY;
        // The first repetition warms up.
        for repeat in 0..=REPEATS {
            member.barrier()?;
            let begun = Instant::now();
            for _ in 0..trips {
                if rank == 0 {
                    member.send(&data, last)?.wait()?;
                    member.recv(&data, last)?.wait()?;
                } else if rank == last {
                    member.recv(&data, 0)?.wait()?;
                    member.send(&data, 0)?.wait()?;
                }
            }
            // The read waits for the work enqueued on a GPU.
            data.buffer.read(0, &mut [0; 4]);
            let seconds = begun.elapsed().as_secs_f64() / (2 * trips) as f64;
            if repeat > 0 {
                best = best.min(seconds);
            }
        }
        Ok(best)
    };
    let (latency, long) = (fastest(SHORT, SHORT_TRIPS)?, fastest(LONG, LONG_TRIPS)?);
    let bandwidth = LONG as f64 / (long - latency).max(long / 2.0);
    Ok((rank == 0).then_some(Price { latency, bandwidth }))
}
