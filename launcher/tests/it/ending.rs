//! How runs end: well, with a status, by a signal, by an interrupt.

use crate::program::{Running, errors, phalanx, run_script};
use rustix::process::Signal;
use std::os::unix::process::ExitStatusExt;

/// Says that it runs, then waits for longer than any test.
const WAIT: &str = "echo ready >&2; exec sleep 600";

#[test]
fn a_run_that_ends_well_says_nothing() {
    let output = run_script(4, "true").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b""[..], &b""[..]));
}

#[test]
fn the_status_of_the_rank_that_failed_is_the_runs() {
    let output = run_script(3, "[ $PHALANX_RANK != 1 ] || exit 7").output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert!(errors(&output).contains("error[PX095]: rank 1 ended with status 7"));
}

#[test]
fn the_first_failure_counts() {
    // The others fail because rank 2 has ended, as ranks of a world do.
    let script =
        "[ $PHALANX_RANK = 2 ] && exit 9; trap 'exit 5' TERM; while :; do sleep 0.05; done";
    let output = run_script(3, script).output().unwrap();
    assert_eq!(output.status.code(), Some(9), "{}", errors(&output));
    assert!(errors(&output).contains("error[PX095]: rank 2 ended with status 9"));
}

#[test]
fn a_killed_rank_is_named_and_the_others_end() {
    let script = format!("[ $PHALANX_RANK = 1 ] && kill -9 $$; {WAIT}");
    let output = run_script(3, &script).output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 9));
    let errors = errors(&output);
    assert!(errors.contains("error[PX095]: rank 1 was ended by signal 9 (SIGKILL)"), "{errors}");
}

#[test]
fn processes_that_a_rank_started_end_with_it() {
    // The inner shell ignores the request to end and keeps standard output open, so this waits for
    // its end.
    let script = "[ $PHALANX_RANK = 1 ] && exit 3; (trap '' TERM; sleep 600; echo survived); true";
    let output = run_script(2, script).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"");
}

#[test]
fn an_interrupt_ends_all() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut running = Running::start(run_script(3, WAIT));
        assert_eq!(running.lines(3), ["[0] ready", "[1] ready", "[2] ready"]);
        running.signal(signal);
        let (status, rest) = running.end();
        assert_eq!(status.code(), Some(code));
        assert!(rest.last().unwrap().starts_with("phalanx: interrupted by signal"), "{rest:?}");
    }
}

#[test]
fn an_interrupt_reaches_the_program_once() {
    let script = "trap 'echo caught >&2; exit 0' INT; echo ready >&2; while :; do sleep 0.05; done";
    let mut running = Running::start(run_script(2, script));
    running.lines(2);
    running.signal(Signal::INT);
    let (status, mut rest) = running.end();
    assert_eq!(status.code(), Some(130));
    rest.sort();
    assert_eq!(rest[..2], ["[0] caught", "[1] caught"]);
    assert_eq!(rest.len(), 3, "{rest:?}");
}

#[test]
fn a_second_interrupt_kills_ranks_that_ignored_the_first() {
    let script = "trap 'echo no >&2' INT; echo ready >&2; while :; do sleep 0.05; done";
    let mut running = Running::start(run_script(2, script));
    running.lines(2);
    running.signal(Signal::INT);
    assert_eq!(running.lines(2), ["[0] no", "[1] no"]);
    running.signal(Signal::INT);
    assert_eq!(running.end().0.code(), Some(130));
}

/// Only Linux can be asked to end a process with its parent.
#[cfg(target_os = "linux")]
#[test]
fn ranks_die_with_a_launcher_that_is_killed() {
    // No launcher is left to remove the file with the secret.
    let folder = tempfile::tempdir().unwrap();
    let mut command = run_script(2, "echo $$ >&2; exec sleep 600");
    command.env("TMPDIR", folder.path());
    let mut running = Running::start(command);
    let ranks = running.lines(2);
    running.signal(Signal::KILL);
    // The ranks hold the pipe of standard error, whose end thus shows that they have ended.
    let (status, _) = running.end();
    assert_eq!(status.signal(), Some(9));
    for line in ranks {
        let process = line.split(' ').nth(1).unwrap();
        while let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) {
            if stat.rsplit(')').next().unwrap().trim_start().starts_with(['Z', 'X']) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

#[test]
fn a_program_that_is_not_there_is_127() {
    let output = phalanx().args(["run", "-n", "2", "no-such-program-here"]).output().unwrap();
    assert_eq!(output.status.code(), Some(127));
    assert!(errors(&output).contains("error[PX096]: the program `no-such-program-here`"));
}

#[test]
fn a_file_that_is_no_program_is_126() {
    let output = phalanx().args(["run", "-n", "2", "./Cargo.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(126), "{}", errors(&output));
    assert!(errors(&output).contains("] error[PX097]: the program ./Cargo.toml cannot be run"));
}

#[test]
fn a_wrong_command_line_is_2() {
    for arguments in [&["run"][..], &["run", "-n", "0", "true"], &["walk"], &[]] {
        let output = phalanx().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let output = phalanx().args(["run", "--devices", "gpu", "true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("error[PX090]: PHALANX_DEVICES is `gpu`"));
}
