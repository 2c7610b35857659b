//! The socket of process 0, its secret, and the texts by which the others learn of them.

use crate::config::{ConfigError, Listener, Meeting, interface_of};
use crate::placement::Placement;
use phalanx_collectives::{address_towards, default_address, host_name, resolved};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

/// The number of random bytes in the secret.
const TOKEN_BYTES: usize = 32;
/// The first line of a text that reports a failure.
pub(super) const FAILED: &str = "failed";
/// The first line of a text that states where process 0 waits.
pub(super) const AT: &str = "at";

/// The address on which a process accepts connections before it knows of others: the given one,
/// that of the given interface, or loopback if all processes are on this host. Otherwise the
/// address on the route to the launcher's other hosts, on the default route, or of the host's name.
pub(super) fn own_address(
    rank: usize,
    placement: Option<&Placement>,
    meeting: &Meeting,
) -> Result<IpAddr, ConfigError> {
    if let Some(bind) = meeting.bind {
        return Ok(bind);
    }
    if let Some(interface) = &meeting.interface {
        return interface_of(rank, interface);
    }
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let Some(placement) = placement.filter(|placement| placement.is_one_host() != Some(true))
    else {
        return Ok(loopback);
    };
    let own = host_name();
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let others = placement.nodes.iter().filter(|node| short(node) != short(&own));
    let towards = others.take(1).flat_map(|other| resolved(other)).find_map(address_towards);
    let found = towards.filter(|own| !own.is_loopback()).or_else(default_address).or_else(by_name);
    Ok(found.unwrap_or(loopback))
}

/// The address of this host's name, unless it is loopback.
pub(super) fn by_name() -> Option<IpAddr> {
    resolved(&host_name()).into_iter().find(|address| !address.is_loopback())
}

/// A socket that listens on an address, and its port.
pub(super) fn listen(rank: usize, bind: IpAddr) -> Result<(Listener, u16), ConfigError> {
    let refused = |error: std::io::Error| ConfigError::refused(rank, format!("{bind}: {error}"));
    let listener = TcpListener::bind(SocketAddr::new(bind, 0)).map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?.port();
    Ok((Listener::new(listener), port))
}

/// A new secret.
pub(super) fn secret(rank: usize) -> Result<String, ConfigError> {
    let mut secret = [0; TOKEN_BYTES];
    getrandom::fill(&mut secret).map_err(|error| ConfigError::refused(rank, error.to_string()))?;
    let mut token = String::new();
    for byte in secret {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Launcher;

    fn placement(size: usize, local_size: Option<usize>, nodes: &[&str]) -> Placement {
        Placement {
            launcher: Launcher::OpenMpi,
            rank: 0,
            size,
            local_rank: local_size.map(|_| 0),
            local_size,
            nodes: nodes.iter().map(|node| (*node).to_owned()).collect(),
            job: None,
            has_own_gpus: false,
            cores: None,
        }
    }

    #[test]
    fn the_address_is_the_given_one_or_loopback_on_one_host() {
        let address = |placement: Option<&Placement>, meeting: &Meeting| {
            own_address(0, placement, meeting).map_err(|error| error.to_string())
        };
        let loopback: Result<_, String> = Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let plain = Meeting::default();
        assert_eq!(address(None, &plain), loopback);
        assert_eq!(address(Some(&placement(4, Some(4), &[])), &plain), loopback);
        assert_eq!(address(Some(&placement(4, None, &["a"])), &plain), loopback);
        let given = IpAddr::from([10, 0, 0, 7]);
        let bound = Meeting { bind: Some(given), interface: Some("x".into()), ..plain.clone() };
        assert_eq!(address(Some(&placement(4, Some(4), &[])), &bound), Ok(given));
        let absent = Meeting { interface: Some("no-such-interface".into()), ..plain.clone() };
        let error = address(Some(&placement(4, Some(4), &[])), &absent).unwrap_err();
        assert!(error.contains("no-such-interface (PHALANX_INTERFACE) has no address"), "{error}");
        // On several hosts it is that of the default route, if there is one.
        let several = address(Some(&placement(4, Some(2), &["a.invalid", "b.invalid"])), &plain);
        let expected = default_address().or_else(by_name);
        assert_eq!(several, expected.map_or(loopback, Ok));
    }
}
