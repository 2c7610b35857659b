//! The meeting of a launcher's processes: how they learn where process 0 waits, and the secret.
//!
//! Process 0 starts to listen. Its text travels to all by the first way that works here: the
//! launcher's PMIx or PMI, a file that all can open, or MPI. All later steps are those of processes
//! of `phalanx run`.

use super::listening::{AT, FAILED, by_name, listen, own_address, secret};
use crate::config::{
    Config, ConfigError, IntroductionFlaw, Left, Listener, Meeting, Startup, Way, address_beside,
    interface_of,
};
use crate::placement::Placement;
use phalanx_collectives::mpi::Library;
use phalanx_collectives::{
    Exchange, ExchangeError, MeetingFile, MpiExchange, Pmi, Pmix, default_address,
};
use phalanx_waiting::interruptible;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// The longest reason of a failure in characters; some launchers accept only short texts.
const LONGEST_REASON: usize = 300;
/// The time limit of the test whether somebody listens.
const PROBE: Duration = Duration::from_secs(1);

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
        let received = interruptible(None, || exchange.broadcast(text.as_deref(), timeout));
        let received =
            received.map_err(|_| ConfigError::refused(rank, "the user interrupted the wait"))?;
        let received = received.map_err(|error| {
            let flaw = IntroductionFlaw::Unmet { reason: error.to_string() };
            ConfigError::Introduction { rank, flaw }
        })?;
        let (listener, bind) = match own.transpose()? {
            Some((bind, _, listener)) => (Some(listener), Some(bind)),
            None => (None, None),
        };
        let mut lines = received.split('\n');
        let (address, token) = match (lines.next(), lines.next(), lines.next()) {
            (Some(AT), Some(address), Some(token)) => (address.to_owned(), token.into()),
            (Some(FAILED), Some(reason), _) => return Err(ConfigError::refused(0, reason)),
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
    let address = if bind.is_unspecified() {
        // If process 0 listens on all addresses, state the one that the others most likely reach.
        default_address().or_else(by_name).unwrap_or(Ipv4Addr::LOCALHOST.into())
    } else {
        bind
    };
    let text = format!("{AT}\n{}\n{}", SocketAddr::new(address, port), secret(0)?);
    Ok((bind, text, listener))
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
    use std::net::TcpListener;

    /// Open MPI does not state the hosts.
    fn placement(size: usize) -> Placement {
        Placement {
            launcher: Launcher::OpenMpi,
            rank: 0,
            size,
            local_rank: None,
            local_size: None,
            nodes: Vec::new(),
            job: None,
            has_own_gpus: false,
            cores: None,
        }
    }

    #[test]
    fn a_launcher_without_a_way_is_an_error_that_says_so() {
        let config = Config { placement: Some(placement(2)), ..Config::default() };
        let error = config.clone().meet().unwrap_err();
        assert_eq!(error.code(), "PX099");
        assert!(error.to_string().contains("mpirun (Open MPI), which offers no way"), "{error}");
        let ways = vec![Way::Pmi(9999)];
        let config = Config { meeting: Meeting { ways, ..Meeting::default() }, ..config };
        let error = config.meet().unwrap_err();
        assert!(error.to_string().contains("PMI_FD is 9999, which is not open"), "{error}");
        // A single process, and one that knows process 0's address, exchange nothing.
        let alone = Config { placement: Some(placement(1)), ..Config::default() };
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
