//! What the processes of a run share.

use super::token::write_token;
use crate::arguments::Run;
use crate::error::{LauncherError, Need};
use phalanx::ConfigError;
use phalanx::environment::{Environment, InvalidValue};
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::num::NonZero;
use tempfile::NamedTempFile;

/// What the processes of a run share. The secret's file goes away with it.
pub struct World {
    size: usize,
    shared: Vec<(&'static str, OsString)>,
    _token_file: Option<NamedTempFile>,
}

impl World {
    /// Checks the variables that the ranks will read and makes what they need to meet.
    pub fn prepare(arguments: &Run) -> Result<World, LauncherError> {
        let size = arguments.ranks;
        let mut shared = Vec::new();
        shared.push(("PHALANX_SIZE", size.to_string().into()));
        if let Some(devices) = &arguments.devices {
            shared.push(("PHALANX_DEVICES", devices.into()));
        }
        if let Some(timeout) = &arguments.timeout {
            shared.push(("PHALANX_TIMEOUT", timeout.into()));
        }
        let environment = parse(&shared).map_err(ConfigError::from)?;
        if environment.threads.is_none() {
            shared.push(("PHALANX_THREADS", threads_of_a_rank(size).to_string().into()));
        }
        let mut token_file = None;
        if size > 1 {
            let file = write_token()
                .map_err(|source| LauncherError::Preparation { need: Need::TokenFile, source })?;
            let address = free_address()
                .map_err(|source| LauncherError::Preparation { need: Need::Port, source })?;
            shared.push(("PHALANX_TOKEN_FILE", file.path().into()));
            shared.push(("PHALANX_ADDRESS", address.to_string().into()));
            token_file = Some(file);
        }
        Ok(World { size, shared, _token_file: token_file })
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The variables of one rank.
    pub fn variables(&self, rank: usize) -> impl Iterator<Item = (&'static str, OsString)> {
        let own = std::iter::once(("PHALANX_RANK", OsString::from(rank.to_string())));
        self.shared.iter().cloned().chain(own)
    }
}

/// Reads the variables as a rank will, so that a wrong one is one error and not one from each rank.
fn parse(shared: &[(&'static str, OsString)]) -> Result<Environment, InvalidValue> {
    Environment::parse(|name| {
        let own = shared.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone());
        match name {
            // Left from a run that this one is part of; each rank gets its own.
            "PHALANX_RANK" | "PHALANX_ADDRESS" | "PHALANX_BIND" | "PHALANX_TOKEN_FILE" => None,
            _ => own.or_else(|| std::env::var_os(name)),
        }
    })
}

/// The cores are divided, since ranks that each use all of them only get in each other's way.
fn threads_of_a_rank(ranks: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    (cores / ranks).max(1)
}

/// A loopback port that was free a moment ago. Rank 0 binds it next; the system hands out other
/// free ports first.
fn free_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(ranks: usize, devices: Option<&str>) -> Run {
        Run {
            ranks,
            devices: devices.map(str::to_owned),
            timeout: None,
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
        let world = World::prepare(&arguments(3, Some("cpu:2"))).unwrap();
        assert_eq!(value(&world, 2, "PHALANX_RANK").unwrap(), "2");
        assert_eq!(value(&world, 2, "PHALANX_SIZE").unwrap(), "3");
        assert_eq!(value(&world, 2, "PHALANX_DEVICES").unwrap(), "cpu:2");
        assert!(value(&world, 0, "PHALANX_ADDRESS").unwrap().starts_with("127.0.0.1:"));
        let file = value(&world, 0, "PHALANX_TOKEN_FILE").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&file).unwrap().len(), 64);
        drop(world);
        assert!(!std::path::Path::new(&file).exists(), "the secret must go with the world");
    }

    #[test]
    fn two_worlds_have_different_secrets() {
        let secret =
            |world: &World| std::fs::read(value(world, 0, "PHALANX_TOKEN_FILE").unwrap()).unwrap();
        let first = World::prepare(&arguments(2, None)).unwrap();
        let second = World::prepare(&arguments(2, None)).unwrap();
        assert_ne!(secret(&first), secret(&second));
    }

    #[test]
    fn a_world_of_one_needs_neither() {
        let world = World::prepare(&arguments(1, None)).unwrap();
        assert_eq!(value(&world, 0, "PHALANX_ADDRESS"), None);
        assert_eq!(value(&world, 0, "PHALANX_TOKEN_FILE"), None);
    }

    #[test]
    fn wrong_devices_are_refused_before_anything_starts() {
        let error = World::prepare(&arguments(2, Some("cpu:x"))).err().unwrap();
        assert_eq!(error.code(), "PX090");
    }
}
