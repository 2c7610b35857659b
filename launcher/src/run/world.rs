//! The settings that the processes of a run share.

use super::hosts::{Hosts, Seat};
use super::token::write_token;
use crate::arguments::Run;
use crate::error::{LauncherError, Need};
use phalanx::environment::{Environment, InvalidValue};
use phalanx::{ConfigError, ReservedPort};
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::num::NonZero;
use tempfile::NamedTempFile;

/// The ports from which a port on another host is drawn: below those that systems assign.
const PORTS: std::ops::Range<u16> = 20_000..32_768;
/// The settings that the processes of a run share. Dropping it removes the secret's file.
pub struct World {
    seats: Vec<Seat>,
    shared: Vec<(&'static str, OsString)>,
    token: Vec<u8>,
    _token_file: Option<NamedTempFile>,
    /// The port on which rank 0 listens, if it is on this host.
    _port: Option<ReservedPort>,
}

impl World {
    /// Checks the variables that the ranks will read, and makes what they need to meet. `attempt`
    /// is the number of earlier attempts of the run.
    pub fn prepare(arguments: &Run, attempt: usize) -> Result<World, LauncherError> {
        let places = arguments.hosts.as_ref().map_or(1, Hosts::places);
        let size = arguments.ranks.unwrap_or(places);
        let seats = match &arguments.hosts {
            None => (0..size)
                .map(|local_rank| Seat { host: None, local_rank, local_size: size })
                .collect(),
            Some(hosts) => hosts
                .seats(size, &phalanx::host_name())
                .map_err(|reason| LauncherError::Hosts { reason })?,
        };
        let mut shared = Vec::new();
        shared.push(("PHALANX_SIZE", size.to_string().into()));
        if let Some(devices) = &arguments.devices {
            shared.push(("PHALANX_DEVICES", devices.into()));
        }
        if let Some(timeout) = &arguments.timeout {
            shared.push(("PHALANX_TIMEOUT", timeout.into()));
        }
        if arguments.restart > 0 {
            shared.push(("PHALANX_ATTEMPT", attempt.to_string().into()));
        }
        let environment = parse(&shared).map_err(ConfigError::from)?;
        if environment.transport.is_none() {
            // Under mpirun all ranks of this run would take themselves for the same MPI process.
            shared.push(("PHALANX_TRANSPORT", "tcp".into()));
        }
        let is_one_host = seats.iter().all(|seat: &Seat| seat.host.is_none());
        if environment.threads.is_none() && is_one_host {
            shared.push(("PHALANX_THREADS", threads_of_a_rank(size).to_string().into()));
        }
        let (mut token_file, mut token) = (None, Vec::new());
        if size > 1 && !arguments.dry_run {
            let unwritten = |source| LauncherError::Preparation { need: Need::TokenFile, source };
            let file = write_token().map_err(unwritten)?;
            token = std::fs::read(file.path()).map_err(unwritten)?;
            shared.push(("PHALANX_TOKEN_FILE", file.path().into()));
            token_file = Some(file);
        }
        let mut port = None;
        if size > 1 {
            let address;
            (address, port) = first_address(&seats)
                .map_err(|source| LauncherError::Preparation { need: Need::Port, source })?;
            shared.push(("PHALANX_ADDRESS", address.into()));
        }
        Ok(World { seats, shared, token, _token_file: token_file, _port: port })
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.seats.len()
    }

    /// The host of a rank, if it is not this one.
    pub fn host(&self, rank: usize) -> Option<&str> {
        self.seats[rank].host.as_deref()
    }

    /// The secret.
    pub fn token(&self) -> &[u8] {
        &self.token
    }

    /// The variables of one rank.
    pub fn variables(&self, rank: usize) -> impl Iterator<Item = (&'static str, OsString)> {
        let Seat { local_rank, local_size, .. } = self.seats[rank];
        let own = [
            ("PHALANX_RANK", rank),
            ("PHALANX_LOCAL_RANK", local_rank),
            ("PHALANX_LOCAL_SIZE", local_size),
        ];
        let own = own.map(|(name, number)| (name, OsString::from(number.to_string())));
        self.shared.iter().cloned().chain(own)
    }
}

/// The address of rank 0. It is loopback if all ranks are on this host. Otherwise it is this host's
/// address on the route to the first other host, or the other host of rank 0. A port on this host
/// is reserved.
fn first_address(seats: &[Seat]) -> std::io::Result<(String, Option<ReservedPort>)> {
    let reserved = |own| {
        let port = ReservedPort::new(own)?;
        Ok((port.address().to_string(), Some(port)))
    };
    let Some(other) = seats.iter().find_map(|seat| seat.host.as_deref()) else {
        return reserved(Ipv4Addr::LOCALHOST.into());
    };
    let name = |host: &str| host.rsplit_once('@').map_or(host, |(_, name)| name).to_owned();
    match seats.first().and_then(|seat| seat.host.as_deref()) {
        Some(first) => {
            let mut random = [0; 2];
            getrandom::fill(&mut random)?;
            let port = PORTS.start + u16::from_ne_bytes(random) % (PORTS.end - PORTS.start);
            Ok((format!("{}:{port}", name(first)), None))
        }
        None => {
            let towards = phalanx::resolved(&name(other)).into_iter();
            let own = towards.filter_map(phalanx::address_towards).next();
            let own = own.filter(|own| !own.is_loopback()).or_else(phalanx::default_address);
            reserved(own.unwrap_or(Ipv4Addr::LOCALHOST.into()))
        }
    }
}

/// Reads the variables as a rank will, so that a wrong one causes a single error.
fn parse(shared: &[(&'static str, OsString)]) -> Result<Environment, InvalidValue> {
    Environment::parse(|name| {
        let own = shared.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone());
        match name {
            // These belong to an outer run; each rank gets its own.
            "PHALANX_RANK" | "PHALANX_ADDRESS" | "PHALANX_BIND" | "PHALANX_TOKEN_FILE"
            | "PHALANX_LOCAL_RANK" | "PHALANX_LOCAL_SIZE" => None,
            _ => own.or_else(|| std::env::var_os(name)),
        }
    })
}

/// Divides the cores, because ranks that each use all of them slow each other down.
fn threads_of_a_rank(ranks: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    (cores / ranks).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(ranks: usize, devices: Option<&str>) -> Run {
        Run {
            ranks: Some(ranks),
            hosts: None,
            dry_run: false,
            devices: devices.map(str::to_owned),
            timeout: None,
            restart: 0,
            logs: None,
            command: vec!["true".into()],
        }
    }

    fn value(world: &World, rank: usize, name: &str) -> Option<String> {
        let mut variables = world.variables(rank);
        variables.find(|pair| pair.0 == name).map(|pair| pair.1.to_string_lossy().into_owned())
    }

    #[test]
    fn a_world_of_several_shares_address_and_secret() {
        use std::os::unix::fs::PermissionsExt;
        let world = World::prepare(&arguments(3, Some("cpu:2")), 0).unwrap();
        assert_eq!(value(&world, 2, "PHALANX_RANK").unwrap(), "2");
        assert_eq!(value(&world, 2, "PHALANX_SIZE").unwrap(), "3");
        assert_eq!(value(&world, 2, "PHALANX_DEVICES").unwrap(), "cpu:2");
        assert!(value(&world, 0, "PHALANX_ADDRESS").unwrap().starts_with("127.0.0.1:"));
        let file = value(&world, 0, "PHALANX_TOKEN_FILE").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&file).unwrap().len(), 64);
        drop(world);
        assert!(!std::path::Path::new(&file).exists(), "the secret is removed with the world");
    }

    #[test]
    fn two_worlds_have_different_secrets() {
        let secret =
            |world: &World| std::fs::read(value(world, 0, "PHALANX_TOKEN_FILE").unwrap()).unwrap();
        let first = World::prepare(&arguments(2, None), 0).unwrap();
        let second = World::prepare(&arguments(2, None), 0).unwrap();
        assert_ne!(secret(&first), secret(&second));
    }

    #[test]
    fn a_world_of_one_needs_neither() {
        let world = World::prepare(&arguments(1, None), 0).unwrap();
        assert_eq!(value(&world, 0, "PHALANX_ADDRESS"), None);
        assert_eq!(value(&world, 0, "PHALANX_TOKEN_FILE"), None);
    }

    #[test]
    fn wrong_devices_are_refused_before_anything_starts() {
        let error = World::prepare(&arguments(2, Some("cpu:x")), 0).err().unwrap();
        assert_eq!(error.code(), "PX090");
    }
}
