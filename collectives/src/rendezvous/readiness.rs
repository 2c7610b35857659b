//! Decides whether MPI carries messages between processes, and starts it on all ranks.
//!
//! A rank that initialises MPI waits until all others do the same. Therefore each rank first states
//! over TCP whether it has the library, and which one. Only if all have the same do all initialise
//! it, each on its own thread and within the time limit of start-up. Only if all succeed does MPI
//! carry messages.

use super::settings::Rendezvous;
use super::transport::Transport;
use crate::CollectiveError;
use crate::exchange::Pmix;
use crate::facts::{Facts, value};
use crate::network::host_name;
use crate::planes::mpi::{self, Library, Mpi, Threads};
use crate::prices::Prices;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The name of the fact that states how a process's messages may travel.
const TRANSPORT: &str = "transport";
/// Its value if a process's messages may travel by MPI; otherwise the value is the reason.
const READY: &str = "mpi";
/// The name of the fact with the library that a process has open.
const LIBRARY: &str = "MPI library";
/// The name of the fact with the price table.
const PRICES: &str = "prices";
/// The name of the fact with the host's name.
const HOST: &str = "host";
/// The pauses between two checks of a start: short ones at first.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// The facts of this process about its library.
pub(crate) fn facts(plan: &Rendezvous) -> Facts {
    let stated = match readiness(plan) {
        Ok(library) => [(TRANSPORT, String::from(READY)), (LIBRARY, library.identity())].to_vec(),
        Err(reason) => [(TRANSPORT, reason)].to_vec(),
    };
    let prices = plan.prices.iter().map(|prices| (PRICES, prices.to_string()));
    let stated = stated.into_iter().chain(prices).chain([(HOST, host_name())]);
    stated.map(|(name, value)| (String::from(name), value)).collect()
}

/// The library, if this process's messages may travel by it; otherwise the reason.
fn readiness(plan: &Rendezvous) -> Result<&Library, String> {
    if plan.transport == Transport::Tcp {
        return Err(String::from("PHALANX_TRANSPORT is tcp"));
    }
    let library = plan.mpi.as_ref().map_err(String::clone)?;
    let known = |error: CollectiveError| error.to_string();
    let is_initialised = library.is_initialised().map_err(known)?;
    if !is_initialised {
        library.can_begin()?;
    }
    if !is_initialised && library.begins_before_pmix() && Pmix::has_spoken() {
        return Err(String::from("Open MPI 5 must be initialised before PMIx (docs/launching.md)"));
    }
    if let Some(place) = library.place().map_err(known)? {
        Library::check_place(place, (plan.rank, plan.size))?;
    }
    match library.threads().map_err(known)? {
        // Our threads would call the library at the same time as the program.
        Some(threads) if plan.transport == Transport::Auto && threads < Threads::Multiple => {
            Err(format!("the library was initialised with {}", threads.name()))
        }
        Some(threads) if plan.local_devices > 1 && threads < Threads::Multiple => Err(format!(
            "the library was initialised with {}, which is enough for one device in each process",
            threads.name()
        )),
        _ => Ok(library),
    }
}

/// The hosts of the ranks that have sent these facts, one for each rank.
pub(crate) fn hosts<'a>(
    facts: impl IntoIterator<Item = &'a Facts>,
) -> impl Iterator<Item = &'a str> {
    facts.into_iter().filter_map(|facts| value(facts, HOST))
}

/// The price table for ranks of these facts: that of rank 0, if it applies to their hosts.
pub(crate) fn agreed_prices(facts: &[&Facts]) -> Option<Prices> {
    let prices: Prices = value(facts.first()?, PRICES)?.parse().ok()?;
    prices.are_of(hosts(facts.iter().copied())).then_some(prices)
}

/// Checks whether all ranks may start MPI. The error states why not, alike on all ranks.
fn may_begin<'a>(
    transport: Transport,
    facts: impl Iterator<Item = &'a Facts>,
) -> Result<(), String> {
    let facts: Vec<&Facts> = facts.collect();
    let prices = agreed_prices(&facts);
    if transport == Transport::Auto && prices.is_some_and(|it| it.is_faster("tcp", "mpi")) {
        return Err(String::from("TCP is faster in the price table (PHALANX_PRICES)"));
    }
    let mut first = None;
    for (rank, facts) in facts.into_iter().enumerate() {
        match value(facts, TRANSPORT) {
            Some(READY) => {}
            Some(reason) => return Err(format!("rank {rank}: {reason}")),
            None => return Err(format!("rank {rank} reports no MPI")),
        }
        let own = value(facts, LIBRARY).unwrap_or_default();
        let first = *first.get_or_insert(own);
        if own != first {
            return Err(format!("rank {rank} has {own}, and rank 0 has {first}"));
        }
    }
    Ok(())
}

/// How long the start of MPI may take; zero if MPI does not start.
pub(super) fn patience<'a>(plan: &Rendezvous, facts: impl Iterator<Item = &'a Facts>) -> Duration {
    may_begin(plan.transport, facts).map_or(Duration::ZERO, |()| plan.timeout)
}

/// The result of the start of MPI on this rank.
#[derive(Debug)]
pub(super) struct Start {
    /// The library, or why it may not be used.
    pub(super) mpi: Result<Arc<Mpi>, String>,
    /// Whether the library is initialised. It can be finalised if it is so on all ranks.
    pub(super) is_initialised: bool,
}

/// Starts MPI if all ranks may, and waits up to the time limit of start-up. The error states why no
/// rank starts it, alike on all ranks.
pub(super) async fn start<'a>(
    plan: &Rendezvous,
    facts: impl Iterator<Item = &'a Facts>,
) -> Result<Start, String> {
    may_begin(plan.transport, facts)?;
    let library = plan.mpi.as_ref().map_err(String::clone)?;
    // Until all are known to have succeeded, no rank may wait for others in `MPI_Finalize`.
    mpi::world_begins();
    library.begin();
    let begun = Instant::now();
    let outcome = loop {
        if let Some(outcome) = library.outcome() {
            break outcome.map_err(|error| error.to_string());
        }
        if begun.elapsed() >= plan.timeout {
            let seconds = plan.timeout.as_secs_f64();
            break Err(format!("MPI_Init_thread did not end within {seconds} s"));
        }
        sleep(PAUSES[usize::from(begun.elapsed() > PAUSES[1])]).await;
    };
    let mpi = outcome.and_then(|mpi| {
        Library::check_place((mpi.rank(), mpi.size()), (plan.rank, plan.size)).map(|()| mpi)
    });
    let is_initialised = library.is_initialised().unwrap_or(false);
    Ok(Start { mpi, is_initialised })
}

/// The starts on all ranks, as far as rank 0 knows them.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Verdict {
    /// Why messages travel over TCP; `None` if they do not.
    pub(super) without_mpi: Option<String>,
    /// Whether MPI is initialised on all ranks.
    pub(super) all_initialised: bool,
}

impl Verdict {
    /// Combines the verdicts of the ranks, in their order.
    pub(super) fn of(starts: impl Iterator<Item = (usize, Verdict)>) -> Verdict {
        let mut whole = Verdict { without_mpi: None, all_initialised: true };
        for (rank, one) in starts {
            whole.all_initialised &= one.all_initialised;
            let reason = one.without_mpi.map(|reason| format!("rank {rank}: {reason}"));
            whole.without_mpi = whole.without_mpi.or(reason);
        }
        whole
    }
}

/// This rank's report of its start. A start that no rank has tried is not an error.
pub(super) fn report(start: &Result<Start, String>) -> Verdict {
    match start {
        Ok(start) => Verdict {
            without_mpi: start.mpi.as_ref().err().cloned(),
            all_initialised: start.is_initialised,
        },
        Err(_) => Verdict { without_mpi: None, all_initialised: false },
    }
}

/// The library that carries messages, or the reason against it, after all ranks have reported.
pub(super) fn agreed(start: Result<Start, String>, verdict: Verdict) -> Result<Arc<Mpi>, String> {
    let start = start?;
    if verdict.all_initialised {
        mpi::world_ends_in_peace();
    }
    match verdict.without_mpi {
        Some(reason) => Err(reason),
        None => start.mpi,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Price;

    fn facts_of(transport: &str, library: &str) -> Facts {
        let fact = |name: &str, value: &str| (String::from(name), String::from(value));
        vec![fact(TRANSPORT, transport), fact(LIBRARY, library)]
    }

    #[test]
    fn all_begin_or_none() {
        let one = facts_of(READY, "Open MPI v4");
        let may = |all: &[Facts]| may_begin(Transport::Auto, all.iter());
        assert_eq!(may(&[one.clone(), one.clone()]), Ok(()));
        let other = facts_of(READY, "MPICH");
        assert_eq!(
            may(&[one.clone(), one.clone(), other]),
            Err(String::from("rank 2 has MPICH, and rank 0 has Open MPI v4"))
        );
        let without = facts_of("no MPI library was found", "");
        assert_eq!(
            may(&[one.clone(), without]),
            Err(String::from("rank 1: no MPI library was found"))
        );
        // Only the table of rank 0 counts.
        let mut prices = Prices::default();
        prices.set("tcp", Price { latency: 1e-6, rate: 2e9 });
        prices.set("mpi", Price { latency: 2e-6, rate: 1e9 });
        let mut with_prices = one.clone();
        with_prices.push((String::from(PRICES), prices.to_string()));
        assert_eq!(may(&[one.clone(), with_prices.clone()]), Ok(()));
        let mut both = [with_prices, one.clone()];
        assert!(may(&both).unwrap_err().starts_with("TCP is faster"));
        // A table of other hosts does not count.
        prices.set_hosts([String::from("a")]);
        both[0].last_mut().unwrap().1 = prices.to_string();
        for (rank, host) in ["a", "a"].into_iter().enumerate() {
            both[rank].push((String::from(HOST), String::from(host)));
        }
        assert!(may(&both).unwrap_err().starts_with("TCP is faster"));
        both[1].last_mut().unwrap().1 = String::from("b");
        assert_eq!(may(&both), Ok(()));
        assert_eq!(may_begin(Transport::Mpi, both.iter()), Ok(()));
        assert_eq!(may(&[one, Facts::new()]), Err(String::from("rank 1 reports no MPI")));
    }

    #[test]
    fn one_start_that_fails_is_one_of_all() {
        let verdict = |reason: Option<&str>, all_initialised| Verdict {
            without_mpi: reason.map(String::from),
            all_initialised,
        };
        let well = verdict(None, true);
        let whole = Verdict::of([(0, well.clone()), (1, well.clone())].into_iter());
        assert_eq!((whole.without_mpi, whole.all_initialised), (None, true));
        let failed = verdict(Some("too slow"), false);
        let whole = Verdict::of([(0, well.clone()), (1, failed), (2, well)].into_iter());
        assert_eq!(whole.without_mpi.as_deref(), Some("rank 1: too slow"));
        assert!(!whole.all_initialised);
    }
}
