//! Programs with messages by MPI, under the launcher of Open MPI where it is installed.

use crate::faults::left::Before;
use crate::faults::random::Draw;
use crate::launchers::open_mpi;
use crate::wire::Wire;
use crate::world::{Ended, PROGRAM, World, free_address, token};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

trials![
    random_programs_have_the_same_bits_by_mpi_and_over_tcp,
    a_rank_killed_under_mpirun_is_named_by_all_others,
    a_rank_stopped_under_mpirun_ends_the_job,
    random_faults_under_mpirun_leave_nothing,
    processes_that_no_launcher_of_mpi_has_started_get_the_reason,
    a_rank_without_the_library_keeps_all_from_mpi,
    tickets_that_come_later_than_messages_are_compared,
];

/// How long a rank may be silent here, in seconds. On a busy machine a running rank may send
/// no sign of life for some of them.
const STALL: &str = "6";

/// How ranks get their numbers here, and how one gets a signal soon, on request.
const RANK: &str = "export PHALANX_RANK=$OMPI_COMM_WORLD_RANK; \
     if [ \"$PHALANX_RANK\" = \"$DIES\" ]; then (sleep $PAUSE; kill -$SIGNAL $$) & fi; \
     exec \"$0\" \"$@\"";

/// The output of four processes under mpirun, or nothing without mpirun.
fn run(devices: &str, options: &[&str], words: &[&str]) -> Option<Output> {
    let token = token("a secret of this test");
    let mut command = mpirun(RANK, devices, options, words, token.path())?;
    Some(command.output().expect("mpirun starts"))
}

/// Four processes under mpirun that start with a script, or nothing without mpirun.
fn mpirun(
    script: &str,
    devices: &str,
    options: &[&str],
    words: &[&str],
    token: &Path,
) -> Option<Command> {
    let launcher = open_mpi()?;
    let program = std::env::current_exe().expect("a program has a path");
    let mut command = Command::new("timeout");
    command.arg("60").arg(launcher.path).args(["--allow-run-as-root", "--oversubscribe"]);
    command.args(options);
    command.args(["-n", "4", "sh", "-c"]).arg(script).arg(program).arg(PROGRAM).args(words);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PHALANX_") {
            command.env_remove(name);
        }
    }
    command.env("PHALANX_SIZE", "4").env("PHALANX_THREADS", "1").env("PHALANX_DEVICES", devices);
    command.env("PHALANX_ADDRESS", free_address()).env("PHALANX_TOKEN_FILE", token);
    command.env("PHALANX_TRANSPORT", "mpi").env("PHALANX_STALL", STALL);
    command.env("PHALANX_TIMEOUT", "15").stdin(Stdio::null());
    Some(command)
}

/// The lines that start with a word, in alphabetical order.
fn sorted<'a>(lines: impl Iterator<Item = &'a str>, beginning: &str) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.filter(|line| line.starts_with(beginning)).collect();
    lines.sort_unstable();
    lines
}

fn random_programs_have_the_same_bits_by_mpi_and_over_tcp() {
    for (seed, devices) in [("5", "cpu:1"), ("6", "cpu:2")] {
        let words = ["generated", seed, "96", "32", "1024", "keep"];
        let Some(output) = run(devices, &[], &words) else { return };
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
    let words = ["go_on", "split", "2", "KILL"];
    let Some(output) = run("cpu:1", &[], &words) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    // The launcher ends the others soon, perhaps before they report. If it may not, it reports the
    // job as a success.
    let Some(output) = run("cpu:1", &["--enable-recovery"], &words) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    let told = errors.matches("error[PX060]: rank 2 died").count();
    assert_eq!(told, 3, "{errors}");
}

fn a_rank_stopped_under_mpirun_ends_the_job() {
    for victim in ["0", "3"] {
        let words = ["go_on", "split", victim, "STOP"];
        let Some(output) = run("cpu:1", &[], &words) else { return };
        let errors = String::from_utf8_lossy(&output.stderr);
        // Of `timeout` it would be 124.
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let told = format!("rank {victim} has been silent for {STALL} s, at step ");
        assert!(errors.contains("error[PX168]: ") && errors.contains(&told), "{errors}");
    }
}

fn random_faults_under_mpirun_leave_nothing() {
    let is_full = std::env::var_os("PHALANX_TEST_FULL").is_some_and(|value| value == "1");
    for seed in 0..if is_full { 20 } else { 4 } {
        let mut draw = Draw::new(1000 + seed);
        let (victim, signal) = (draw.below(4), draw.of(&["KILL", "STOP", "TERM", "QUIT"]));
        let (work, devices) = (draw.of(&["split", "replicated"]), draw.of(&["cpu:1", "cpu:2"]));
        // From the start of MPI on.
        let pause = format!("{}.{}", draw.below(3), draw.below(10));
        let told = format!("seed {seed}: {signal} of rank {victim} after {pause} s, {work}");
        println!("{told}");
        let fault = (victim, signal, &pause[..]);
        let Some(left) = left_of_session(&told, [devices, work], fault) else { return };
        // Open MPI removes only segments that it has announced, which happens a moment after it
        // makes them; and another job may leave shared memory at the same time.
        if !left.is_empty() {
            println!("{told}: {left:?} are left; once more");
            let again = left_of_session(&told, [devices, work], fault);
            assert_eq!(again, Some(Vec::new()), "{told}: left of a session or of shared memory");
        }
    }
}

/// The remains of the launcher's session and of shared memory, after one of four processes
/// got a signal; nothing without mpirun. Nothing else may be left, and the job fails.
fn left_of_session(
    told: &str,
    [devices, work]: [&str; 2],
    (victim, signal, pause): (u64, &str, &str),
) -> Option<Vec<OsString>> {
    let (before, token) = (Before::now(), token("a secret of this test"));
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let address = free_address();
    let mut command = mpirun(RANK, devices, &[], &["go_on", work], token.path())?;
    command.env("TMPDIR", folder.path());
    command.env("OMPI_MCA_btl_vader_backing_directory", folder.path());
    command.env("PHALANX_ADDRESS", &address);
    command.env("DIES", victim.to_string()).env("SIGNAL", signal).env("PAUSE", pause);
    let output = command.output().expect("mpirun starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!matches!(output.status.code(), Some(0 | 124) | None), "{told}: {errors}");
    let memory = before.left(told, &token.path().to_string_lossy(), &address);
    let left = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    let left = left.map(|entry| entry.file_name());
    Some(left.chain(memory.into_iter().map(OsString::from)).collect())
}

fn processes_that_no_launcher_of_mpi_has_started_get_the_reason() {
    if run("cpu:1", &[], &["nothing"]).is_none() {
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

/// As `RANK`, where one rank has no library.
const ONE_WITHOUT: &str = "export PHALANX_RANK=$OMPI_COMM_WORLD_RANK; \
     if [ \"$PHALANX_RANK\" = 2 ]; then export PHALANX_MPI_LIBRARY=/nonexistent/libmpi.so; fi; \
     exec \"$0\" \"$@\"";

fn a_rank_without_the_library_keeps_all_from_mpi() {
    let words = ["generated", "5", "96", "32", "1024", "keep"];
    let token = token("a secret of this test");
    let command = mpirun(ONE_WITHOUT, "cpu:1", &[], &words, token.path());
    let Some(mut command) = command else { return };
    let output = command.output().expect("mpirun starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    let expected = "error[PX165]: MPI cannot be used: rank 2: \
                    PHALANX_MPI_LIBRARY: /nonexistent/libmpi.so";
    assert!(!output.status.success() && errors.contains(expected), "{errors}");
}

/// Tickets travel over TCP, and may be later than a rank's last message by MPI.
fn tickets_that_come_later_than_messages_are_compared() {
    let (token, address) = (token("a secret of this test"), free_address());
    let wire = Wire::late_to(address.clone(), Duration::from_millis(300));
    let script = format!("[ $OMPI_COMM_WORLD_RANK = 1 ] && export PHALANX_ADDRESS=$WIRE; {RANK}");
    let words = ["leave_loop_early", "replicated"];
    let Some(mut command) = mpirun(&script, "cpu:1", &[], &words, token.path()) else { return };
    command.env("PHALANX_ADDRESS", address).env("WIRE", &wire.address);
    let output = command.output().expect("mpirun starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("error[PX062]: "), "{output:?}");
}
