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
    let of = |facts: &Facts, name: &str| {
        facts.iter().find(|fact| fact.0 == name).map(|fact| fact.1.clone())
    };
    let all = world.facts();
    let libraries: Vec<String> =
        all.iter().map(|facts| of(facts, LIBRARY).unwrap_or_else(|| String::from(NONE))).collect();
    if let Some(other) = libraries.iter().position(|library| *library != libraries[0]) {
        let [first, other_library] = [&libraries[0], &libraries[other]];
        let line = format!(
            "own routines, because libraries differ: {first} on rank 0, {other_library} on rank \
             {other}"
        );
        return (None, line);
    }
    let Some(library) = own else { return (None, String::from("own routines")) };
    let others = all.iter().filter_map(|facts| of(facts, THREADS)?.parse::<usize>().ok());
    let threads = others.chain([threads(config, devices, library)]).min().unwrap_or(1);
    let plural = if threads == 1 { "" } else { "s" };
    let line = format!("{library}, {threads} thread{plural} for a device");
    (Some(Blas::new(library, threads)), line)
}

/// The library that a session of this process alone would use, and those that are passed over:
/// names with a line about each. Local.
pub fn blas(config: &Config) -> Vec<(String, String)> {
    let search = find_blas(&config.blas);
    let line = match (search.found, &config.blas) {
        (Some(library), _) => {
            let threads = library.granted(config.threads);
            let plural = if threads == 1 { "" } else { "s" };
            match library.lapack() {
                Ok(_) => format!("{library}, {threads} thread{plural}"),
                Err(_) => format!("{library}, {threads} thread{plural}; factorisations by faer"),
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
