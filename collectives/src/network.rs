//! The addresses of this machine.

use socket2::{Domain, Socket, Type};
use std::ffi::CStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

/// An address reserved for documentation. No machine has it, so its route is the default route.
/// Nothing is sent.
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// The address of this machine on the named interface, such as `ib0`; IPv4 before IPv6.
pub fn interface_address(name: &str) -> Option<IpAddr> {
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: a pointer is written to a list, which is freed below.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return None;
    }
    let mut found: Vec<IpAddr> = Vec::new();
    let mut next = first;
    // SAFETY: the pointers of the list lead to entries or are null until it is freed.
    while let Some(entry) = unsafe { next.as_ref() } {
        next = entry.ifa_next;
        // SAFETY: the name of an entry ends with a zero.
        let own = unsafe { CStr::from_ptr(entry.ifa_name) };
        if own.to_bytes() != name.as_bytes() || entry.ifa_addr.is_null() {
            continue;
        }
        // SAFETY: a non-null address starts with its family, which determines its type.
        match i32::from(unsafe { (*entry.ifa_addr).sa_family }) {
            libc::AF_INET => {
                // SAFETY: an address of this family is a `sockaddr_in`.
                let address = unsafe { &*entry.ifa_addr.cast::<libc::sockaddr_in>() };
                let address = Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr));
                found.insert(0, address.into());
            }
            libc::AF_INET6 => {
                // SAFETY: an address of this family is a `sockaddr_in6`.
                let address = unsafe { &*entry.ifa_addr.cast::<libc::sockaddr_in6>() };
                let address = Ipv6Addr::from(address.sin6_addr.s6_addr);
                // A link-local address cannot be reached without the number of its interface.
                if !address.is_unicast_link_local() {
                    found.push(address.into());
                }
            }
            _ => {}
        }
    }
    // SAFETY: this is the list from `getifaddrs`, and no pointer into it is kept.
    unsafe { libc::freeifaddrs(first) };
    found.into_iter().next()
}

/// The address of this machine on the route to another one.
pub fn address_towards(other: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = match other {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    // Connecting a datagram socket chooses the route and sends nothing.
    let socket = UdpSocket::bind(SocketAddr::new(any, 0)).ok()?;
    socket.connect(SocketAddr::new(other, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified()).then_some(own)
}

/// The address of this machine on the default route.
pub fn default_address() -> Option<IpAddr> {
    address_towards(ELSEWHERE).filter(|own| !own.is_loopback())
}

/// The addresses of a host, IPv4 first, as the system resolves its name.
pub fn resolved(host: &str) -> Vec<IpAddr> {
    let found = (host, 9).to_socket_addrs().map(|all| all.map(|one| one.ip()).collect());
    let mut found: Vec<IpAddr> = found.unwrap_or_default();
    found.sort_by_key(IpAddr::is_ipv6);
    found
}

/// The name of this machine.
pub fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: at most as many bytes are written as there are, less the last, which stays zero.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) } != 0;
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let name = String::from_utf8_lossy(&name[..end]).into_owned();
    if failed || name.is_empty() { String::from("localhost") } else { name }
}

/// A port that the system gives to no other socket until this value is dropped, so that a later
/// process can listen there.
#[derive(Debug)]
pub struct ReservedPort {
    address: SocketAddr,
    _socket: Option<Socket>,
}

impl ReservedPort {
    /// A free port of an address. Errors: those of the system.
    pub fn new(own: IpAddr) -> std::io::Result<ReservedPort> {
        let socket = Socket::new(Domain::for_address((own, 0).into()), Type::STREAM, None)?;
        // If both sockets have this option, Linux lets another socket bind and listen where this
        // one is only bound. Listening sockets of tokio have it.
        socket.set_reuse_address(true)?;
        socket.bind(&SocketAddr::new(own, 0).into())?;
        let address = socket.local_addr()?.as_socket();
        let address = address.ok_or(std::io::ErrorKind::AddrNotAvailable)?;
        // Other systems refuse that, but assign other ports first: close the socket.
        Ok(ReservedPort { address, _socket: cfg!(target_os = "linux").then_some(socket) })
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_reserved_port_is_given_only_by_its_number() {
        let reserved = ReservedPort::new(Ipv4Addr::LOCALHOST.into()).unwrap();
        let address = reserved.address();
        if cfg!(target_os = "linux") {
            // As a program that binds to any free port.
            let other = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            let error = other.bind(&address.into()).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
        }
        let listener = TcpListener::bind(address).unwrap();
        assert_eq!(listener.local_addr().unwrap(), address);
        TcpStream::connect(address).unwrap();
    }

    #[test]
    fn the_loopback_interface_has_its_address() {
        let loopback = ["lo", "lo0"].iter().find_map(|name| interface_address(name));
        assert!(loopback.is_some_and(|address| address.is_loopback()), "{loopback:?}");
        assert_eq!(interface_address("no-such-interface"), None);
        assert_eq!(address_towards(IpAddr::V4(Ipv4Addr::LOCALHOST)), loopback);
    }

    #[test]
    fn names_are_resolved() {
        assert!(resolved("localhost").iter().all(IpAddr::is_loopback));
        assert!(resolved("no such host").is_empty());
        assert!(!host_name().is_empty());
        assert!(default_address().is_none_or(|own| !own.is_loopback()));
    }
}
