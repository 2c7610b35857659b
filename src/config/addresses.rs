//! The addresses of this machine on which a process accepts connections.

use super::error::ConfigError;
use phalanx_collectives::{address_towards, default_address, interface_address, resolved};
use std::net::{IpAddr, Ipv4Addr};

/// The host of `host:port`, without the brackets of an IPv6 address.
pub(super) fn host_of(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The address of this machine on the route to another one, `host:port`. If that is an address of
/// this machine, returns it.
pub(crate) fn address_beside(address: &str) -> IpAddr {
    let host = host_of(address);
    let Some(found) = resolved(host).into_iter().find_map(address_towards) else {
        return IpAddr::V4(Ipv4Addr::LOCALHOST);
    };
    let is_meant = host == "localhost" || host.parse::<IpAddr>().is_ok();
    if found.is_loopback() && !is_meant {
        // Some systems resolve the host's own name to loopback, which other hosts cannot reach.
        default_address().unwrap_or(found)
    } else {
        found
    }
}

/// The address of an interface.
pub(crate) fn interface_of(rank: usize, name: &str) -> Result<IpAddr, ConfigError> {
    interface_address(name).ok_or_else(|| {
        let reason = format!("the network interface {name} (PHALANX_INTERFACE) has no address");
        ConfigError::refused(rank, reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;

    #[test]
    fn addresses_beside_others_are_of_this_machine() {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert_eq!(address_beside("127.0.0.1:4000"), loopback);
        assert_eq!(address_beside("localhost:4000"), loopback);
        assert_eq!(address_beside("no such host:1"), loopback);
        if let Some(own) = default_address() {
            assert_eq!(address_beside(&SocketAddr::new(own, 1).to_string()), own);
        }
    }
}
