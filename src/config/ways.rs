//! The ways by which the processes of a launcher may meet, and their order.

use super::meeting::Way;
use super::settings::Config;
use crate::environment::{Environment, MeetingWay};
use crate::placement::{Launcher, Placement};
use phalanx_collectives::Transport;
use phalanx_collectives::mpi::Library;
use std::path::PathBuf;

/// Whether the launcher offers PMIx, according to its variables.
pub(super) fn has_pmix(lookup: &dyn Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
    is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK")
}

/// The ways by which a launcher's processes may meet; the first that works is used.
pub(super) fn ways(
    environment: &Environment,
    placement: &Placement,
    config: &Config,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Vec<Way> {
    let socket = lookup("PMI_FD").and_then(|number| number.parse().ok());
    match &environment.rendezvous {
        Some(MeetingWay::File(path)) => return vec![Way::File(path.clone())],
        Some(MeetingWay::Pmix) => return vec![Way::Pmix],
        Some(MeetingWay::Mpi) => return vec![Way::Mpi],
        Some(MeetingWay::Pmi) => return socket.map(Way::Pmi).into_iter().collect(),
        Some(MeetingWay::Auto) | None => {}
    }
    let place = (placement.rank, placement.size);
    let of_program = Library::of_program(&config.mpi);
    if of_program.is_some_and(|library| library.place() == Ok(Some(place))) {
        // The program has initialised MPI, so a broadcast waits for nobody who cannot come.
        return vec![Way::Mpi];
    }
    let may_use_mpi = placement.launcher.starts_mpi() && config.transport != Transport::Tcp;
    let has_pmix = has_pmix(lookup);
    // SLURM's PMI accepts one initialisation in each process, Hydra's any number.
    let answers_once = placement.launcher == Launcher::Slurm && socket.is_some();
    let mut ways = Vec::new();
    if has_pmix {
        ways.push(Way::Pmix);
    }
    ways.extend(socket.map(Way::Pmi));
    ways.extend(meeting_file(placement, lookup("HOME")).map(Way::File));
    if may_use_mpi {
        ways.push(Way::Mpi);
        let library = (has_pmix || answers_once).then(|| Library::open(&config.mpi).ok()).flatten();
        let is_kept_back = |library: Library| {
            let is_asked_first = answers_once || has_pmix && library.begins_before_pmix();
            is_asked_first && library.can_begin().is_ok()
        };
        if library.is_some_and(is_kept_back) {
            // The exchange would keep the library from starting. On one host a file works as well;
            // elsewhere all processes start MPI, within the limit of start-up.
            let is_file = |way: &Way| matches!(way, Way::File(_));
            let is_one_host = placement.is_one_host() == Some(true);
            ways.sort_by_key(|way| (!(is_one_host && is_file(way)), *way != Way::Mpi));
        }
    }
    ways
}

/// The file in the user's home folder by which the processes of a job meet.
fn meeting_file(placement: &Placement, home: Option<String>) -> Option<PathBuf> {
    let home = home.filter(|home| !home.is_empty())?;
    let job = placement.job.as_ref()?;
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name = format!("{:?}-{job}", placement.launcher).to_ascii_lowercase();
    let name: String =
        name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    Some(PathBuf::from(home).join(".phalanx").join("meetings").join(name))
}
