//! The file with the secret of a run is removed, however the run ends.

use crate::program::{Running, phalanx, run_script};
use rustix::process::Signal;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

const TWO_DAYS: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// A run of two ranks whose temporary files are in a folder of their own.
fn run_in(folder: &Path, script: &str) -> Command {
    let mut command = run_script(2, script);
    command.env("TMPDIR", folder);
    command
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Makes a file look as if it had been written two days ago.
fn age(path: &Path) {
    let times = FileTimes::new().set_modified(SystemTime::now() - TWO_DAYS);
    File::options().append(true).open(path).unwrap().set_times(times).unwrap();
}

#[test]
fn the_secret_is_removed_when_the_run_ends_fails_or_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let script = "[ -s \"$PHALANX_TOKEN_FILE\" ] || exit 9; [ $PHALANX_RANK = 0 ] || exit $0";
    for status in ["0", "7"] {
        let output = run_in(folder.path(), script).arg(status).output().unwrap();
        assert_eq!(output.status.code(), status.parse().ok(), "{output:?}");
        assert_eq!(files(folder.path()), [""; 0].map(PathBuf::from));
    }
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let script = "trap '' INT TERM; echo ready >&2; while :; do sleep 0.05; done";
        let mut running = Running::start(run_in(folder.path(), script));
        running.lines(2);
        assert_eq!(files(folder.path()).len(), 1);
        // The ranks ignore it, or end of it at once; either way a second one ends all.
        running.signal(signal);
        running.signal(Signal::QUIT);
        running.end();
        assert_eq!(files(folder.path()), [""; 0].map(PathBuf::from));
    }
}

#[test]
fn a_later_run_removes_the_secret_of_a_killed_launcher() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = Running::start(run_in(folder.path(), "echo ready >&2; exec sleep 600"));
    killed.lines(2);
    killed.signal(Signal::KILL);
    killed.end();
    let left = files(folder.path());
    assert_eq!(left.len(), 1, "no launcher was left to remove it");
    let well = || assert!(run_in(folder.path(), "true").status().unwrap().success());
    well();
    assert_eq!(files(folder.path()), left, "it may belong to a run that has just begun");
    age(&left[0]);
    well();
    assert_eq!(files(folder.path()), [""; 0].map(PathBuf::from));
}

#[test]
fn the_secret_of_a_long_run_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut long = Running::start(run_in(folder.path(), "echo ready >&2; exec sleep 600"));
    long.lines(2);
    let its = files(folder.path());
    age(&its[0]);
    assert!(run_in(folder.path(), "true").status().unwrap().success());
    assert_eq!(files(folder.path()), its);
    long.signal(Signal::INT);
    long.end();
    // A run of one rank has no secret.
    let mut alone = phalanx();
    alone.env("TMPDIR", folder.path()).args(["run", "-n", "1", "sh", "-c", "ls -A $TMPDIR"]);
    assert_eq!(alone.output().unwrap().stdout, b"");
}
