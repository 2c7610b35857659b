//! The meeting of a launcher's processes: how they learn where process 0 waits, and the secret.
//!
//! Process 0 starts to listen. Its text travels to all by the first way that works here: the
//! launcher's PMIx or PMI, a file that all can open, or MPI. All later steps are those of processes
//! of `phalanx run`.

use crate::config::{Config, ConfigError, IntroductionFlaw, Left, Listener, Startup};
use crate::placement::Placement;
use phalanx_collectives::mpi::Library;
use phalanx_collectives::{
    Exchange, ExchangeError, MeetingFile, MpiExchange, Pmi, Pmix, address_towards, default_address,
    host_name, interface_address, resolved,
};
use phalanx_waiting::interruptible;
use std::fmt::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

/// The number of random bytes in the secret.
const TOKEN_BYTES: usize = 32;
/// The first line of a text that reports a failure.
pub(crate) const FAILED: &str = "failed";
/// The first line of a text that states where process 0 waits.
const AT: &str = "at";
/// The longest reason of a failure in characters; some launchers accept only short texts.
const LONGEST_REASON: usize = 300;
/// The time limit of the test whether somebody listens.
const PROBE: Duration = Duration::from_secs(1);

/// A way to pass a text from process 0 to all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The launcher's PMIx server.
    Pmix,
    /// The launcher's PMI-1, on the socket with this descriptor.
    Pmi(i32),
    /// A file at this path, which all can open.
    File(PathBuf),
    /// A broadcast of MPI. MPI is initialised if the program has not done so.
    Mpi,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Pmix => f.write_str("PMIx"),
            Way::Pmi(_) => f.write_str("PMI"),
            Way::File(path) => write!(f, "the file {}", path.display()),
            Way::Mpi => f.write_str("MPI"),
        }
    }
}

/// The settings by which processes of a launcher learn where process 0 waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The ways; the first that works is used.
    pub ways: Vec<Way>,
    /// The address of this machine on which this process accepts connections, if set.
    pub bind: Option<IpAddr>,
    /// The network interface with that address, if set.
    pub interface: Option<String>,
    /// The time limit of start-up.
    pub timeout: Duration,
}

impl Default for Meeting {
    fn default() -> Meeting {
        let timeout = Duration::from_secs(60);
        Meeting { ways: Vec::new(), bind: None, interface: None, timeout }
    }
}

impl Config {
    /// Adds what the processes of a launcher need to meet: where process 0 waits, and the secret.
    /// Returns the same configuration if these are known, or for a single process.
    /// [`init`](crate::init) calls it.
    ///
    /// Collectivity  Collective over the processes of the launcher.
    /// Errors        PX099.
    pub fn meet(self) -> Result<Config, ConfigError> {
        let placement = self.placement.as_ref().filter(|placement| placement.size > 1);
        let (Some(placement), None) = (placement, &self.startup) else { return Ok(self) };
        let Placement { rank, size, .. } = *placement;
        let mut exchange = self.exchange(placement)?;
        let own = (rank == 0).then(|| waiting(placement, &self.meeting));
        let text = match &own {
            Some(Ok((_, text, _))) => Some(text.clone()),
            Some(Err(error)) => {
                let reason: String = error.to_string().chars().take(LONGEST_REASON).collect();
                Some(format!("{FAILED}\n{reason}"))
            }
            None => None,
        };
        let timeout = self.meeting.timeout;
        let refused = |rank, reason| ConfigError::Introduction {
            rank,
            flaw: IntroductionFlaw::Refused { reason },
        };
        let heard = interruptible(None, || exchange.broadcast(text.as_deref(), timeout));
        let heard =
            heard.map_err(|_| refused(rank, String::from("the user interrupted the wait")))?;
        let heard = heard.map_err(|error| {
            let flaw = IntroductionFlaw::Unmet { reason: error.to_string() };
            ConfigError::Introduction { rank, flaw }
        })?;
        let (listener, bind) = match own.transpose()? {
            Some((bind, _, listener)) => (Some(listener), Some(bind)),
            None => (None, None),
        };
        let mut lines = heard.split('\n');
        let (address, token) = match (lines.next(), lines.next(), lines.next()) {
            (Some(AT), Some(address), Some(token)) => (address.to_owned(), token.into()),
            (Some(FAILED), Some(reason), _) => return Err(refused(0, reason.to_owned())),
            _ => {
                let flaw = IntroductionFlaw::Garbled;
                return Err(ConfigError::Introduction { rank: 0, flaw });
            }
        };
        let bind = match (bind, self.meeting.bind, &self.meeting.interface) {
            (Some(bind), ..) | (None, Some(bind), _) => bind,
            (None, None, Some(interface)) => interface_of(rank, interface)?,
            (None, None, None) => address_beside(&address),
        };
        let left = Some(Left::new(Box::new(exchange)));
        let startup = Startup { rank, size, address, bind, token, timeout, listener, left };
        Ok(self.startup(startup))
    }

    /// Opens the first usable way.
    fn exchange(&self, placement: &Placement) -> Result<Box<dyn Exchange>, ConfigError> {
        let mut tried = String::new();
        for way in &self.meeting.ways {
            let opened: Result<Box<dyn Exchange>, _> = match way {
                Way::Pmix => Pmix::open().map(|pmix| Box::new(pmix) as Box<dyn Exchange>),
                Way::Pmi(socket) => Pmi::new(*socket).map(|pmi| Box::new(pmi) as Box<dyn Exchange>),
                Way::File(path) => {
                    let job = placement.job.clone();
                    let job = job.unwrap_or_else(|| format!("{} processes", placement.size));
                    Ok(Box::new(MeetingFile::new(path.clone(), &job, somebody_listens)))
                }
                Way::Mpi => self.by_mpi(placement),
            };
            match opened {
                Ok(exchange) => return Ok(exchange),
                Err(error) => {
                    let _ = write!(tried, "; {error}");
                }
            }
        }
        let launcher = placement.launcher.name();
        let flaw = IntroductionFlaw::NoWay { launcher, tried };
        Err(ConfigError::Introduction { rank: placement.rank, flaw })
    }

    fn by_mpi(&self, placement: &Placement) -> Result<Box<dyn Exchange>, ExchangeError> {
        let library = Library::open(&self.mpi);
        let library = library.map_err(|error| ExchangeError::new("MPI", error.to_string()))?;
        let exchange = MpiExchange::new(library, placement.rank, placement.size)?;
        Ok(Box::new(exchange))
    }
}

/// For process 0: the address on which it listens, its text, and the socket.
fn waiting(
    placement: &Placement,
    meeting: &Meeting,
) -> Result<(IpAddr, String, Listener), ConfigError> {
    let bind = own_address(0, Some(placement), meeting)?;
    let (listener, port) = listen(0, bind)?;
    let told = match bind.is_unspecified() {
        // If process 0 listens on all addresses, state the one that the others most likely reach.
        true => default_address().or_else(by_name).unwrap_or(Ipv4Addr::LOCALHOST.into()),
        false => bind,
    };
    let text = format!("{AT}\n{}\n{}", SocketAddr::new(told, port), secret(0)?);
    Ok((bind, text, listener))
}

/// The address on which a process accepts connections before it knows of others: the given one,
/// that of the given interface, or loopback if all processes are on this host. Otherwise the
/// address on the route to the launcher's other hosts, on the default route, or of the host's name.
pub(crate) fn own_address(
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
fn by_name() -> Option<IpAddr> {
    resolved(&host_name()).into_iter().find(|address| !address.is_loopback())
}

/// The host of `host:port`, without the brackets of an IPv6 address.
pub(crate) fn host_of(address: &str) -> &str {
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
    match found.is_loopback() && !is_meant {
        // Some systems resolve the host's own name to loopback, which other hosts cannot reach.
        true => default_address().unwrap_or(found),
        false => found,
    }
}

/// The address of an interface.
pub(crate) fn interface_of(rank: usize, name: &str) -> Result<IpAddr, ConfigError> {
    interface_address(name).ok_or_else(|| {
        let reason = format!("the network interface {name} (PHALANX_INTERFACE) has no address");
        ConfigError::Introduction { rank, flaw: IntroductionFlaw::Refused { reason } }
    })
}

/// A socket that listens on an address, and its port.
pub(crate) fn listen(rank: usize, bind: IpAddr) -> Result<(Listener, u16), ConfigError> {
    let refused = |error: std::io::Error| ConfigError::Introduction {
        rank,
        flaw: IntroductionFlaw::Refused { reason: format!("{bind}: {error}") },
    };
    let listener = TcpListener::bind(SocketAddr::new(bind, 0)).map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?.port();
    Ok((Listener::new(listener), port))
}

/// A new secret.
pub(crate) fn secret(rank: usize) -> Result<String, ConfigError> {
    let mut secret = [0; TOKEN_BYTES];
    getrandom::fill(&mut secret).map_err(|error| {
        let reason = error.to_string();
        ConfigError::Introduction { rank, flaw: IntroductionFlaw::Refused { reason } }
    })?;
    let mut token = String::new();
    for byte in secret {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

/// Whether somebody listens where a text states that process 0 waits.
fn somebody_listens(text: &str) -> bool {
    let mut lines = text.split('\n');
    match (lines.next(), lines.next().map(str::parse::<SocketAddr>)) {
        (Some(AT), Some(Ok(address))) => TcpStream::connect_timeout(&address, PROBE).is_ok(),
        // A failure is passed once, by a process that ends with it.
        (Some(FAILED), _) => true,
        _ => false,
    }
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

    #[test]
    fn a_launcher_without_a_way_is_an_error_that_says_so() {
        let config = Config { placement: Some(placement(2, None, &[])), ..Config::default() };
        let error = config.clone().meet().unwrap_err();
        assert_eq!(error.code(), "PX099");
        assert!(error.to_string().contains("mpirun (Open MPI), which offers no way"), "{error}");
        let ways = vec![Way::Pmi(9999)];
        let config = Config { meeting: Meeting { ways, ..Meeting::default() }, ..config };
        let error = config.meet().unwrap_err();
        assert!(error.to_string().contains("PMI_FD is 9999, which is not open"), "{error}");
        // A single process, and one that knows process 0's address, exchange nothing.
        let alone = Config { placement: Some(placement(1, None, &[])), ..Config::default() };
        assert_eq!(alone.clone().meet().unwrap(), alone);
    }

    #[test]
    fn the_way_to_where_somebody_listens_is_known() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        assert!(somebody_listens(&format!("at\n{address}\nsecret")));
        drop(socket);
        assert!(!somebody_listens(&format!("at\n{address}\nsecret")));
        assert!(!somebody_listens("at\nhost:1\nsecret") && !somebody_listens(""));
        assert!(somebody_listens("failed\nno"));
    }
}
