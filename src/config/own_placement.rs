//! The place of this process among those that `phalanx run`, or a user by hand, has started.

use super::addresses::host_of;
use super::error::ConfigError;
use crate::environment::Environment;
use crate::placement::{Launcher, Placement};
use std::net::IpAddr;

/// The place of this process, if our variables describe it.
pub(super) fn own_placement(environment: &Environment) -> Result<Option<Placement>, ConfigError> {
    let Some(size) = environment.size else {
        return match environment.rank {
            Some(_) => Err(ConfigError::missing("PHALANX_SIZE", "PHALANX_RANK")),
            None => Ok(None),
        };
    };
    let rank = match environment.rank {
        Some(rank) => rank,
        None if size == 1 => 0,
        None => return Err(ConfigError::missing("PHALANX_RANK", "PHALANX_SIZE")),
    };
    if rank >= size {
        return Err(ConfigError::RankOutOfRange { rank, size });
    }
    // A loopback address means that all processes are on one host.
    let is_one_host = environment.address.as_deref().is_some_and(is_loopback) || size == 1;
    let (local_rank, local_size) = match (environment.local_rank, environment.local_size) {
        (Some(rank), Some(size)) if rank < size => (Some(rank), Some(size)),
        _ if is_one_host => (Some(rank), Some(size)),
        _ => (None, None),
    };
    Ok(Some(Placement {
        launcher: Launcher::Phalanx,
        rank,
        size,
        local_rank,
        local_size,
        nodes: Vec::new(),
        job: None,
        has_own_gpus: false,
        cores: None,
    }))
}

/// Whether the address `host:port` is a loopback address.
fn is_loopback(address: &str) -> bool {
    let host = host_of(address);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
