//! Programs whose messages go by MPI, under the launcher of Open MPI where it is installed.

use crate::world::{Ended, PROGRAM, World, free_address, token};
use std::process::{Command, Output, Stdio};

trials![
    random_programs_have_the_same_bits_by_mpi_and_over_tcp,
    a_rank_killed_under_mpirun_is_named_by_all_others,
    a_rank_stopped_under_mpirun_ends_the_job,
    processes_that_no_launcher_of_mpi_has_started_are_told_so,
];

/// How ranks learn their numbers here, and how one dies soon if that is asked for.
const RANK: &str = "export PHALANX_RANK=$OMPI_COMM_WORLD_RANK; \
     if [ \"$PHALANX_RANK\" = \"$DIES\" ]; then (sleep 2; kill -$SIGNAL $$) & fi; \
     exec \"$0\" \"$@\"";

/// What four processes under mpirun write, or nothing without mpirun.
fn run(devices: &str, options: &[&str], dies: &str, words: &[&str]) -> Option<Output> {
    struck(devices, options, (dies, "KILL"), words)
}

/// As `run`, with the signal that one of them gets.
fn struck(
    devices: &str,
    options: &[&str],
    (victim, signal): (&str, &str),
    words: &[&str],
) -> Option<Output> {
    let version = Command::new("mpirun").arg("--version").output();
    let is_open_mpi =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI"));
    if !is_open_mpi {
        println!("skipped: mpirun of Open MPI is not installed");
        return None;
    }
    let token = token("a secret of this test");
    let program = std::env::current_exe().expect("a program has a path");
    let mut command = Command::new("timeout");
    command.args(["60", "mpirun", "--allow-run-as-root", "--oversubscribe"]).args(options);
    command.args(["-n", "4", "sh", "-c"]).arg(RANK).arg(program).arg(PROGRAM).args(words);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PHALANX_") {
            command.env_remove(name);
        }
    }
    command.env("PHALANX_SIZE", "4").env("PHALANX_THREADS", "1").env("PHALANX_DEVICES", devices);
    command.env("PHALANX_ADDRESS", free_address()).env("PHALANX_TOKEN_FILE", token.path());
    command
        .env("PHALANX_TRANSPORT", "mpi")
        .env("DIES", victim)
        .env("SIGNAL", signal)
        .env("PHALANX_STALL", "2");
    Some(command.stdin(Stdio::null()).output().expect("mpirun starts"))
}

/// The lines that begin with a word, in the order of the alphabet.
fn sorted<'a>(lines: impl Iterator<Item = &'a str>, beginning: &str) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.filter(|line| line.starts_with(beginning)).collect();
    lines.sort_unstable();
    lines
}

fn random_programs_have_the_same_bits_by_mpi_and_over_tcp() {
    for (seed, devices) in [("5", "cpu:1"), ("6", "cpu:2")] {
        let words = ["generated", seed, "96", "32", "1024", "keep"];
        let Some(output) = run(devices, &[], "none", &words) else { return };
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{text}\n{errors}");
        let over_tcp = World::of(4, words[0], &words[1..]).set("PHALANX_DEVICES", devices).run();
        over_tcp.iter().for_each(Ended::assert_well);
        let lines = over_tcp.iter().flat_map(|rank| rank.output.iter().map(String::as_str));
        let expected = sorted(lines, "bits ");
        assert!(!expected.is_empty());
        assert_eq!(sorted(text.lines(), "bits "), expected, "{errors}");
    }
}

fn a_rank_killed_under_mpirun_is_named_by_all_others() {
    let words = ["go_on", "split"];
    let Some(output) = run("cpu:1", &[], "2", &words) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    // The launcher ends the others soon, perhaps before they can tell. Kept from it, it takes the
    // job for a success.
    let Some(output) = run("cpu:1", &["--enable-recovery"], "2", &words) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    let told = errors.matches("error[PX060]: rank 2 died").count();
    assert_eq!(told, 3, "{errors}");
}

fn a_rank_stopped_under_mpirun_ends_the_job() {
    for victim in ["0", "3"] {
        let Some(output) = struck("cpu:1", &[], (victim, "STOP"), &["go_on", "split"]) else {
            return;
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        // Of `timeout` it would be 124.
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let told = format!("rank {victim} has been silent for 2 s, at step ");
        assert!(errors.contains("error[PX168]: ") && errors.contains(&told), "{errors}");
    }
}

fn processes_that_no_launcher_of_mpi_has_started_are_told_so() {
    if run("cpu:1", &[], "none", &["nothing"]).is_none() {
        return;
    }
    let ended = World::of(2, "go_on", &["split"]).set("PHALANX_TRANSPORT", "mpi").run();
    for rank in ended {
        assert_eq!(
            rank.error("PX165"),
            "MPI cannot be used: rank 0: MPI says that this is rank 0 of 1"
        );
    }
}
