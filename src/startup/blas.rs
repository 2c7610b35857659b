//! The library that multiplies and factorises matrices on CPU devices: each process finds one, and
//! all use it if it is the same.

use crate::config::{BlasChoice, Config};
use phalanx_collectives::{Facts, World};
use phalanx_device::blas::{Blas, BlasLibrary, find_blas};

/// The names of the library and of its number of threads among the facts of a rank.
const LIBRARY: &str = "BLAS";
const THREADS: &str = "BLAS threads";
/// The library of a rank that has none.
const NONE: &str = "none";

/// The library that this process would use.
pub(crate) fn own_blas(config: &Config) -> Option<&'static BlasLibrary> {
    let search = find_blas(&config.blas);
    for passed in &search.passed_over {
        let (path, reason) = (passed.path.display(), &passed.reason);
        let is_named = matches!(&config.blas, BlasChoice::Path(named) if *named == passed.path);
        if is_named {
            tracing::warn!("{path} is not used for products of matrices: {reason}");
        } else {
            tracing::debug!("{path} is not used for products of matrices: {reason}");
        }
    }
    search.found
}

/// The threads of a library for one device of this process, if all its devices get equally many.
fn threads(config: &Config, devices: usize, library: &BlasLibrary) -> usize {
    library.granted(config.threads / devices.max(1))
}

/// What the results of a process's library depend on.
pub(crate) fn blas_facts(
    config: &Config,
    devices: usize,
    own: Option<&'static BlasLibrary>,
) -> Facts {
    let identity = own.map_or_else(|| String::from(NONE), BlasLibrary::identity);
    let threads = own.map(|library| threads(config, devices, library).to_string());
    let facts = [(LIBRARY, Some(identity)), (THREADS, threads)];
    facts.into_iter().filter_map(|(name, fact)| Some((String::from(name), fact?))).collect()
}

/// The library of all ranks, with the smallest number of threads that a device of any rank has, and
/// a line about it. If ranks have different libraries, none is used, so that all have equal bits.
pub(crate) fn common_blas(
    config: &Config,
    devices: usize,
    own: Option<&'static BlasLibrary>,
    world: &World,
) -> (Option<Blas>, String) {
    let threads = own.map_or(1, |library| threads(config, devices, library));
    match (agreed_threads(world.facts(), threads), own) {
        (Err(line), _) => (None, line),
        (Ok(_), None) => (None, String::from("own routines")),
        (Ok(_), Some(library)) if !library.is_reproducible() && is_split(world) => {
            let reason = "does not promise equal bits on several devices";
            (None, format!("own routines, because {library} {reason}"))
        }
        (Ok(threads), Some(library)) => {
            let line = format!("{library}, {} for a device", counted(threads));
            (Some(Blas::new(library, threads)), line)
        }
    }
}

fn is_split(world: &World) -> bool {
    world.device_counts().iter().sum::<usize>() > 1
}

/// The smallest number of threads of all ranks, if they have the same library; else a line about
/// the first two that differ. `own` is this rank's number.
fn agreed_threads(ranks: &[Facts], own: usize) -> Result<usize, String> {
    fn of<'a>(facts: &'a Facts, name: &str) -> Option<&'a str> {
        facts.iter().find(|fact| fact.0 == name).map(|fact| fact.1.as_str())
    }
    let library = |rank: usize| of(&ranks[rank], LIBRARY).unwrap_or(NONE);
    if let Some(rank) = (1..ranks.len()).find(|&rank| library(rank) != library(0)) {
        return Err(format!(
            "own routines, because libraries differ: {} on rank 0, {} on rank {rank}",
            library(0),
            library(rank)
        ));
    }
    let others = ranks.iter().filter_map(|facts| of(facts, THREADS)?.parse::<usize>().ok());
    Ok(others.fold(own, usize::min))
}

/// A number of threads in words.
fn counted(threads: usize) -> String {
    if threads == 1 { String::from("1 thread") } else { format!("{threads} threads") }
}

/// The library that a session of this process alone would use, and those that are passed over:
/// names with a line about each. Local.
pub fn blas(config: &Config) -> Vec<(String, String)> {
    let search = find_blas(&config.blas);
    let line = match (search.found, &config.blas) {
        (Some(library), _) => {
            let threads = counted(library.granted(config.threads));
            match library.lapack() {
                Ok(_) => format!("{library}, {threads}"),
                Err(_) => format!("{library}, {threads}; factorisations by faer"),
            }
        }
        (None, BlasChoice::Own) => String::from("own: gemm and faer (PHALANX_BLAS)"),
        (None, _) => String::from("own: gemm and faer, because no library was found"),
    };
    let mut lines = vec![(String::from("BLAS"), line)];
    let is_missing = |reason: &str| reason == "not found";
    let is_named =
        |path: &std::path::Path| matches!(&config.blas, BlasChoice::Path(named) if named == path);
    let mut missing = Vec::new();
    for passed in search.passed_over {
        let path = passed.path.display().to_string();
        if is_missing(&passed.reason) && !is_named(&passed.path) {
            missing.push(path);
        } else {
            lines.push((String::new(), format!("passed over: {path}: {}", passed.reason)));
        }
    }
    if !missing.is_empty() {
        lines.push((String::new(), format!("not found: {}", missing.join(", "))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_use_a_library_that_all_have_with_the_fewest_threads() {
        let rank = |library: &str, threads: &str| -> Facts {
            let fact = |name: &str, value: &str| (String::from(name), String::from(value));
            vec![fact(LIBRARY, library), fact(THREADS, threads)]
        };
        assert_eq!(agreed_threads(&[], 3), Ok(3));
        assert_eq!(agreed_threads(&[rank("a", "4"), rank("a", "2")], 4), Ok(2));
        let line = agreed_threads(&[rank("a", "4"), rank("a", "4"), rank("b", "4")], 4);
        let line = line.expect_err("the libraries differ");
        assert!(line.ends_with("libraries differ: a on rank 0, b on rank 2"), "{line}");
        let line = agreed_threads(&[rank("a", "4"), Facts::new()], 4);
        assert!(line.is_err_and(|line| line.ends_with("a on rank 0, none on rank 1")));
    }

    #[test]
    fn a_named_library_that_is_missing_has_a_line() {
        let config = Config::default().blas(BlasChoice::Path("/no/such/library.so".into()));
        let lines = blas(&config);
        let line = "passed over: /no/such/library.so: not found";
        assert!(lines.iter().any(|(_, found)| found == line), "{lines:?}");
        let lines = blas(&Config::default().blas(BlasChoice::Own));
        assert_eq!(lines[0].1, "own: gemm and faer (PHALANX_BLAS)");
    }
}
