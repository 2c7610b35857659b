//! The start-up of processes that can communicate already, such as those of an MPI program.
//!
//! One exchange of texts replaces a launcher's information: where process 0 waits, and the secret.
//! All later steps are those of launched processes.

use super::listening::{AT, FAILED, listen, own_address, secret};
use crate::config::{Config, ConfigError, IntroductionFlaw, Listener, Startup};
use crate::placement::Placement;
use std::net::{IpAddr, SocketAddr};

/// The text of a process, and the socket of process 0.
struct Own {
    text: String,
    listener: Option<Listener>,
}

impl Config {
    /// The configuration of the environment for one of `size` processes that another launcher than
    /// `phalanx run` started and that can communicate. `host` is the name of this machine. `gather`
    /// returns the texts of all processes, in rank order, on all of them.
    ///
    /// Connections use loopback, so all processes must be on one machine, unless the launcher names
    /// several hosts or `PHALANX_BIND` is set to an address of each machine.
    ///
    /// Collectivity  Collective over the processes: `gather` is called once on each, whatever
    ///               fails.
    /// Errors        PX090 and PX099, on all processes; what `gather` fails with.
    pub fn introduced<E: From<ConfigError>>(
        rank: usize,
        size: usize,
        host: &str,
        gather: impl FnOnce(String) -> Result<Vec<String>, E>,
    ) -> Result<Config, E> {
        let config = Config::from_env();
        if size <= 1 {
            let config = config?;
            // The launcher's information about this host stays valid.
            let alone = |placement| Placement { rank: 0, size: 1, ..placement };
            return Ok(Config { startup: None, placement: config.placement.map(alone), ..config });
        }
        let prepared = config.and_then(|config| {
            if config.startup.is_some() {
                let flaw = IntroductionFlaw::Launched;
                return Err(ConfigError::Introduction { rank, flaw });
            }
            let bind = own_address(rank, config.placement.as_ref(), &config.meeting)?;
            let own = introduction(rank, host, bind)?;
            Ok((config, bind, own))
        });
        let text = match &prepared {
            Ok((_, _, own)) => own.text.clone(),
            Err(error) => format!("{FAILED}\n{error}"),
        };
        let all = gather(text)?;
        let (config, bind, own) = prepared?;
        let (address, token) = understood(&all, size)?;
        let (listener, timeout) = (own.listener, config.meeting.timeout);
        let startup = Startup { rank, size, address, bind, token, timeout, listener, left: None };
        Ok(config.startup(startup))
    }
}

/// The text of this process. Process 0 also starts to listen.
fn introduction(rank: usize, host: &str, bind: IpAddr) -> Result<Own, ConfigError> {
    let head = format!("{AT}\n{}\n{bind}", host.replace('\n', " "));
    if rank != 0 {
        return Ok(Own { text: head, listener: None });
    }
    let (listener, port) = listen(rank, bind)?;
    let token = secret(rank)?;
    // A process that listens on all addresses is reached by its machine's name.
    let address = if bind.is_unspecified() {
        format!("{host}:{port}")
    } else {
        SocketAddr::new(bind, port).to_string()
    };
    let text = format!("{head}\n{address}\n{token}");
    Ok(Own { text, listener: Some(listener) })
}

/// Where process 0 waits, and the secret, if all processes can meet. The same on all of them.
fn understood(all: &[String], size: usize) -> Result<(String, Vec<u8>), ConfigError> {
    let flawed = |rank, flaw| ConfigError::Introduction { rank, flaw };
    if all.len() != size {
        return Err(flawed(0, IntroductionFlaw::Count { received: all.len(), size }));
    }
    let mut first_host = None;
    for (rank, text) in all.iter().enumerate() {
        let mut lines = text.split('\n');
        let (kind, host, bind) = (lines.next(), lines.next(), lines.next());
        if kind == Some(FAILED) {
            let reason = host.unwrap_or_default().to_owned();
            return Err(flawed(rank, IntroductionFlaw::Refused { reason }));
        }
        let (Some(AT), Some(host), Some(Ok(bind))) = (kind, host, bind.map(str::parse::<IpAddr>))
        else {
            return Err(flawed(rank, IntroductionFlaw::Garbled));
        };
        let first = *first_host.get_or_insert(host);
        if host != first && bind.is_loopback() {
            let (host, first) = (host.to_owned(), first.to_owned());
            return Err(flawed(rank, IntroductionFlaw::OtherMachine { host, first }));
        }
    }
    let mut lines = all[0].split('\n').skip(3);
    match (lines.next(), lines.next()) {
        (Some(address), Some(token)) => Ok((address.to_owned(), token.as_bytes().to_vec())),
        _ => Err(flawed(0, IntroductionFlaw::Garbled)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier, Mutex};

    /// Introduces the processes of a world, here threads.
    fn world(size: usize, hosts: &'static [&str]) -> Vec<Result<Config, ConfigError>> {
        let (texts, barrier) = (Mutex::new(vec![String::new(); size]), Barrier::new(size));
        let shared = Arc::new((texts, barrier));
        let one = |rank: usize| {
            let shared = shared.clone();
            std::thread::spawn(move || {
                Config::introduced(rank, size, hosts[rank], |own| {
                    shared.0.lock().unwrap()[rank] = own;
                    shared.1.wait();
                    Ok(shared.0.lock().unwrap().clone())
                })
            })
        };
        let threads: Vec<_> = (0..size).map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }

    #[test]
    fn all_learn_where_the_first_waits() {
        let configs: Vec<Startup> = world(3, &["a", "a", "a"])
            .into_iter()
            .map(|one| one.unwrap().startup.unwrap())
            .collect();
        assert!(configs.iter().all(|one| one.address == configs[0].address));
        assert!(configs.iter().all(|one| one.token == configs[0].token && one.token.len() == 64));
        assert_eq!(configs.iter().map(|one| one.rank).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(configs[0].listener.is_some() && configs[1].listener.is_none());
        assert_eq!(world(1, &["a"])[0].as_ref().unwrap().startup, None);
    }

    #[test]
    fn loopback_reaches_no_other_machine() {
        for refused in world(2, &["a", "b"]) {
            let error = refused.unwrap_err();
            assert_eq!(error.code(), "PX099");
            assert!(error.to_string().contains("process 1 is on b and process 0 on a"), "{error}");
        }
    }

    #[test]
    fn a_failure_of_one_process_is_reported_to_all() {
        let texts = [String::from("at\na\n127.0.0.1\n127.0.0.1:1\nff"), String::from("failed\nno")];
        let error = understood(&texts, 2).unwrap_err();
        assert!(error.to_string().contains("process 1: no"), "{error}");
        assert!(understood(&texts[..1], 2).is_err());
        assert!(understood(&[String::from("x"), String::new()], 2).is_err());
    }
}
