//! Starts this program under MPI launchers.

use crate::absence;
use crate::ending::MISFITS;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A launcher: its command, its options, and the library of its kind.
struct Launcher {
    command: PathBuf,
    options: &'static [&'static str],
    library: Option<PathBuf>,
}

const OPEN_MPI: &[&str] = &["--allow-run-as-root", "--oversubscribe"];
/// The libraries of MPICH, and of the standard's binary interface (version 5), next to a launcher.
const OF_MPICH: [&str; 2] = ["libmpich.so.12", "libmpi.so.12"];
const OF_THE_STANDARD: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so.0"];

/// The launchers found, one for each binary interface.
fn launchers() -> Vec<Launcher> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = ["mpirun", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"];
    let commands = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .filter(|command| command.is_file());
    let mut kinds = BTreeMap::new();
    for command in commands {
        let Ok(output) = Command::new(&command).arg("--version").output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains("Open MPI") {
            let launcher = Launcher { command, options: OPEN_MPI, library: None };
            kinds.entry("Open MPI").or_insert(launcher);
        } else if text.contains("HYDRA") {
            let beside = |names: [&str; 2]| {
                let folder = command.parent()?.parent()?.join("lib");
                names.map(|name| folder.join(name)).into_iter().find(|library| library.is_file())
            };
            let launcher = |library| Launcher { command: command.clone(), options: &[], library };
            let library = beside(OF_MPICH).unwrap_or_else(|| OF_MPICH[0].into());
            kinds.entry("MPICH").or_insert_with(|| launcher(Some(library)));
            if let Some(library) = beside(OF_THE_STANDARD) {
                kinds.entry("MPI 5").or_insert_with(|| launcher(Some(library)));
            }
        }
    }
    kinds.into_values().collect()
}

impl Launcher {
    /// Runs the tests whose names begin with one of `filters` in this many processes.
    fn run(&self, processes: usize, options: &[&str], filters: &[&str]) -> Output {
        let program = std::env::current_exe().unwrap();
        // If Open MPI is kept from ending the others, a rank that has left normally may wait
        // without end in `MPI_Finalize` for failed ranks.
        let limit = if options.contains(&"--enable-recovery") { "60" } else { "300" };
        let mut command = Command::new("timeout");
        command.args(["--kill-after=10", limit]).arg(&self.command);
        command.args(self.options).args(options).args(["-n", &processes.to_string()]);
        command.arg(program).args(["--test-threads=1", "--color=never"]).args(filters);
        if std::env::var_os("PHALANX_MPI_LIBRARY").is_none()
            && let Some(library) = &self.library
        {
            command.env("PHALANX_MPI_LIBRARY", library);
        }
        // A nested job would read the variables of the outer one.
        command.stdin(Stdio::null()).output().unwrap()
    }
}

fn each(run: impl Fn(&Launcher)) {
    if std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() || std::env::var_os("PMI_SIZE").is_some()
    {
        println!("skipped: this is a process of an MPI job already");
        return;
    }
    let launchers = launchers();
    if launchers.iter().all(|launcher| launcher.library.is_some()) {
        absence::lacks("openmpi", "mpirun of Open MPI");
    }
    if launchers.iter().all(|launcher| launcher.library.is_none()) {
        absence::lacks("mpich", "mpiexec of MPICH");
    }
    launchers.iter().for_each(run);
}

#[test]
fn the_table_holds_on_four_processes_of_every_mpi_that_is_installed() {
    each(|launcher| {
        let output = launcher.run(4, &[], &["movement::", "conformance::", "beyond::"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}:\n{text}\n{errors}", launcher.command);
        // Lines of several processes may be interleaved.
        assert_eq!(text.matches("test result: ").count(), 4, "{text}");
        assert!(!text.contains("FAILED") && !text.contains("running 0 tests"), "{text}");
    });
}

const KILLED: &str = "ending::a_rank_is_killed_in_the_middle";

#[test]
fn a_killed_process_is_an_error_that_names_it_on_all_others() {
    each(|launcher| {
        let filters = [KILLED, "--nocapture"];
        let output = launcher.run(4, &[], &filters);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{:?}:\n{errors}", launcher.command);
        // A launcher soon ends the others, perhaps before they report. Open MPI's can be kept from
        // that, and then reports success.
        if launcher.library.is_some() {
            return;
        }
        for call in ["all_gather", "all_reduce", "barrier", "split"] {
            let setting = format!("ENDING_CALL={call}");
            let output = launcher.run(4, &["--enable-recovery", "-x", &setting], &filters);
            let text = String::from_utf8_lossy(&output.stdout);
            let reports = text.matches("the world ended: rank 2 died").count();
            assert_eq!(reports, 3, "{:?}, {call}:\n{text}", launcher.command);
        }
    });
}

#[test]
fn a_process_that_leaves_is_waited_for_only_if_it_has_begun() {
    each(|launcher| {
        let output = launcher.run(4, &[], &["ending::a_rank_that_has_done_its_part_may_leave"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}:\n{text}\n{errors}", launcher.command);
        assert_eq!(text.matches("1 passed").count(), 4, "{text}");
        // Other launchers notice an end without `MPI_Finalize` and end all.
        if launcher.library.is_none() {
            let filters = ["ending::a_rank_that_leaves_is_an_error", "--nocapture"];
            let output = launcher.run(4, &["--enable-recovery"], &filters);
            let text = String::from_utf8_lossy(&output.stdout);
            let reports = text.matches("the world ended: rank 1 ").count();
            assert_eq!(reports, 3, "{:?}:\n{text}", launcher.command);
        }
    });
}

#[test]
fn members_that_disagree_about_a_message_get_an_error() {
    each(|launcher| {
        // Other launchers notice an end without `MPI_Finalize` and end all.
        if launcher.library.is_some() {
            return;
        }
        for number in 0..MISFITS.len() {
            let setting = format!("ENDING_MISFIT={number}");
            let filters = ["ending::messages_whose_ends", "--nocapture"];
            let output = launcher.run(3, &["--enable-recovery", "-x", &setting], &filters);
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            let passed = text.matches("1 passed").count();
            assert_eq!(passed, 3, "{:?}, {number}:\n{text}\n{errors}", launcher.command);
        }
    });
}

#[test]
fn members_that_give_different_lengths_get_an_error_of_the_library() {
    each(|launcher| {
        // Other launchers notice an end without `MPI_Finalize` and end all.
        if launcher.library.is_some() {
            return;
        }
        let filters = ["ending::members_that_disagree_get_an_error", "--nocapture"];
        let output = launcher.run(4, &["--enable-recovery"], &filters);
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let reports = text.matches("the world ended: a collective failed: ").count();
        assert_eq!(reports, 4, "{:?}:\n{text}\n{errors}", launcher.command);
    });
}
