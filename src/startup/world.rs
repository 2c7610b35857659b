//! The world of processes: meets the others, and compares the settings that must be equal.

use super::devices::gpu;
use crate::config::{Config, Listener, Startup, Transport};
use crate::placement::Launcher;
use phalanx_collectives::mpi::Library;
use phalanx_collectives::{CollectiveError, Facts, Pmi, Rendezvous, World, device_facts};
use phalanx_device::Device;
use phalanx_device::cuda::{Compiler, Properties};
use phalanx_distributed::Policy;
use phalanx_graph::Limits;
use phalanx_ops::Mesh;
use phalanx_waiting::interruptible;
use std::sync::Arc;

/// The key of the agreement between ranks on their kinds of devices.
pub(crate) const DEVICES: &str = "devices";
/// The name of the memory limit among the facts of a rank.
const MEMORY_LIMIT: &str = "memory_limit";

/// The name of the wish for a timeline among the facts of a rank.
const RECORDS: &str = "PHALANX_TRACE";

/// Meets the other processes, or makes a world of this one, with `count` devices of this process.
/// All ranks receive the facts.
#[allow(clippy::too_many_arguments, reason = "each is agreed in another way")]
pub(crate) fn world(
    config: &Config,
    memory_limit: Option<usize>,
    count: usize,
    devices: &[Arc<dyn Device>],
    mesh: Option<&Mesh>,
    policy: &Policy,
    limits: &Limits,
    facts: Facts,
) -> Result<World, CollectiveError> {
    let Some(startup) = &config.startup else { return World::local(count) };
    let mut rendezvous = Rendezvous::new(startup.rank, startup.size, startup.address.clone());
    rendezvous.bind = startup.bind;
    rendezvous.token = startup.token.clone();
    rendezvous.timeout = startup.timeout;
    rendezvous.stall = config.stall;
    rendezvous.is_encrypted = config.is_encrypted;
    rendezvous.local_devices = count;
    let unusable = |error: std::io::Error| CollectiveError::Listen {
        address: startup.address.clone(),
        reason: error.to_string(),
    };
    rendezvous.listener =
        startup.listener.as_ref().map(Listener::handle).transpose().map_err(unusable)?;
    rendezvous.agreement = agreement(config, devices, mesh, policy, limits);
    rendezvous.facts = device_facts(devices);
    rendezvous.facts.extend(facts);
    rendezvous.facts.extend(config.trace.as_ref().map(|_| fact(RECORDS, String::new())));
    rendezvous.facts.extend(memory_limit.map(|limit| fact(MEMORY_LIMIT, limit.to_string())));
    rendezvous.transport = config.transport;
    rendezvous.mpi = mpi(config, startup);
    rendezvous.prices.clone_from(&config.prices);
    // A user who interrupts the wait for the other ranks gets no world.
    let world = interruptible(None, || rendezvous.join()).unwrap_or(Err(CollectiveError::Closed));
    world.inspect(|world| {
        let (transport, reason) = (world.transport(), world.without_mpi().unwrap_or_default());
        tracing::info!(transport, reason, "processes exchange their messages");
    })
}

/// The settings that must be equal on all ranks.
fn agreement(
    config: &Config,
    devices: &[Arc<dyn Device>],
    mesh: Option<&Mesh>,
    policy: &Policy,
    limits: &Limits,
) -> Facts {
    Facts::from_iter([
        // First, because settings may differ when versions differ.
        fact("version", String::from(env!("CARGO_PKG_VERSION"))),
        fact(DEVICES, kinds(devices)),
        // Matrix products of a library may differ in their last bits between instruction sets.
        fact("instruction set", instruction_set()),
        fact("PHALANX_STALL", config.stall.map_or(0.0, |stall| stall.as_secs_f64()).to_string()),
        fact("PHALANX_TF32", u8::from(config.cuda.tf32).to_string()),
        fact("mesh", mesh.map_or(String::from("a line of all devices"), Mesh::to_string)),
        fact("policy", format!("{policy:?}")),
        fact("limits", format!("{limits:?}")),
    ])
}

fn fact(name: &str, value: String) -> (String, String) {
    (String::from(name), value)
}

/// The smallest memory limit of all ranks, so that all ranks refuse the same work.
pub(crate) fn common_limit(world: &World, own: Option<usize>) -> Option<usize> {
    let limits = world.facts().iter().flatten().filter(|(name, _)| name == MEMORY_LIMIT);
    let limits = limits.filter_map(|(_, limit)| limit.parse::<usize>().ok());
    limits.chain(own).min()
}

/// Whether the session records a timeline: rank 0 decides.
pub(crate) fn records(world: &World, config: &Config) -> bool {
    match world.facts() {
        [first, _, ..] => first.iter().any(|(name, _)| name == RECORDS),
        _ => config.trace.is_some(),
    }
}

/// The MPI library, or why it carries no messages.
fn mpi(config: &Config, startup: &Startup) -> Result<Library, String> {
    let is_launched = config.is_launched_by_mpi(startup.rank, startup.size);
    match config.transport {
        Transport::Tcp => Err(String::from("PHALANX_TRANSPORT is tcp")),
        Transport::Auto if config.is_encrypted => {
            Err(String::from("PHALANX_TLS is 1, and MPI does not encrypt"))
        }
        Transport::Auto if !is_launched => {
            Err(String::from("no MPI launcher started this process with this rank"))
        }
        Transport::Auto | Transport::Mpi => {
            let library = Library::open(&config.mpi).map_err(|error| match error {
                CollectiveError::MpiUnavailable { reason } => reason,
                error => error.to_string(),
            })?;
            let launcher = config.placement.as_ref().map(|placement| placement.launcher);
            let begins_anew = !library.is_initialised().unwrap_or(false);
            if begins_anew && Pmi::has_spoken() && launcher == Some(Launcher::Slurm) {
                return Err(String::from(
                    "srun's PMI accepts one client in each process, and the processes have \
                     already met through it (PHALANX_RENDEZVOUS=pmi)",
                ));
            }
            Ok(library)
        }
    }
}

/// The kinds of devices, as far as bits of results depend on them: the number of blocks that a GPU
/// runs at once decides how it divides a sum, and the compiler decides its code.
fn kinds(devices: &[Arc<dyn Device>]) -> String {
    let kind = |device: &Arc<dyn Device>| {
        let Some(gpu) = gpu(device) else {
            return String::from(if device.is_null() { "none that compute" } else { "CPU" });
        };
        let Properties { capability, multiprocessors, .. } = gpu.properties();
        let compiler = Compiler::new(*capability, gpu.options());
        let version = compiler.map_or_else(|_| String::from("none"), |found| found.version());
        format!("sm_{capability} with {multiprocessors} multiprocessors, NVRTC {version}")
    };
    let mut kinds: Vec<String> = devices.iter().map(kind).collect();
    kinds.dedup();
    if kinds.is_empty() { String::from("CPU") } else { kinds.join("; ") }
}

/// The vector instructions of this machine, as far as results depend on them: matrix products
/// choose their kernels by them.
fn instruction_set() -> String {
    #[cfg(target_arch = "x86_64")]
    let level = if std::arch::is_x86_feature_detected!("avx512f") {
        "x86-64 with AVX-512"
    } else if std::arch::is_x86_feature_detected!("fma") {
        "x86-64 with FMA"
    } else {
        "x86-64"
    };
    #[cfg(not(target_arch = "x86_64"))]
    let level = std::env::consts::ARCH;
    String::from(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_device::NullDevice;

    #[test]
    fn kinds_of_devices_are_listed_once() {
        let planned = || -> Arc<dyn Device> { NullDevice::new(0, None) };
        assert_eq!(kinds(&[]), "CPU");
        assert_eq!(kinds(&[planned(), planned()]), "none that compute");
    }

    #[test]
    fn ranks_of_different_versions_receive_both() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let address = socket.local_addr().expect("a bound socket has an address").to_string();
        let token = b"0123456789abcdef0123456789abcdef".to_vec();
        let startup = Startup {
            rank: 0,
            size: 2,
            address: address.clone(),
            bind: std::net::Ipv4Addr::LOCALHOST.into(),
            token: token.clone(),
            timeout: std::time::Duration::from_secs(60),
            listener: Some(Listener::new(socket)),
            left: None,
        };
        let own = std::thread::spawn(move || {
            let (config, limits) = (Config::default().startup(startup), Limits::default());
            world(&config, None, 1, &[], None, &Policy::default(), &limits, Facts::new()).err()
        });
        // This version does not know what else another version compares.
        let agreement = vec![(String::from("version"), String::from("0.0.9"))];
        let other = Rendezvous { token, agreement, ..Rendezvous::new(1, 2, address) }.join();
        let version = env!("CARGO_PKG_VERSION");
        let text = format!("version differs: {version} on rank 0, 0.0.9 on rank 1");
        for error in [own.join().expect("no panic"), other.err()] {
            let error = error.expect("there is no such world");
            assert_eq!((error.code(), error.to_string()), ("PX068", text.clone()));
        }
    }
}
