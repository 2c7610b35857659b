//! Runs that are started again, from the last checkpoint of their program.

use crate::programs::ENDS_LATER;
use crate::world::{Ended, PROGRAM, World};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

trials![
    a_run_is_started_again_and_continues_from_its_checkpoint,
    a_run_that_keeps_failing_ends_with_its_status,
    an_interrupted_run_is_not_started_again,
    a_damaged_checkpoint_is_an_error_on_every_rank,
    a_full_disk_keeps_the_checkpoint_before,
];

/// `phalanx run` of a program of the tests.
fn run(options: &[&str], words: &[&str]) -> Output {
    let own = std::env::current_exe().expect("a program has a path");
    let mut command = Command::new("timeout");
    command.arg("60").arg(env!("CARGO_BIN_EXE_phalanx")).arg("run").args(options);
    command.arg(own).arg(PROGRAM).args(words).stdin(Stdio::null());
    command.env(ENDS_LATER, "1").output().expect("phalanx runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The rests of the lines that start with a word.
fn values<'a>(lines: &'a str, name: &str) -> Vec<&'a str> {
    lines.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
}

fn path(folder: &Path) -> String {
    folder.join("state.npz").to_str().expect("the path is text").to_owned()
}

fn a_run_is_started_again_and_continues_from_its_checkpoint() {
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let output = run(&["-n", "3", "--restart", "2"], &["save_steps", &path(folder.path()), "once"]);
    let (lines, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{lines}\n{errors}");
    assert_eq!(values(&lines, "first"), ["0", "4"], "{errors}");
    assert!(errors.contains("rank 1 was ended by signal 9 (SIGKILL); restart 1 of 2"), "{errors}");
    assert!(!errors.contains("restart 2"), "{errors}");
    // The same as without a failure.
    let other = tempfile::tempdir().expect("a temporary folder is made");
    let ended = World::of(1, "save_steps", &[&path(other.path()), "never"]).run();
    ended[0].assert_well();
    assert_eq!(values(&lines, "sum"), [ended[0].value("sum")]);
    // Only the last state is left.
    let names = |folder: &Path| std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!((names(folder.path()), names(other.path())), (1, 1));
}

fn a_run_that_keeps_failing_ends_with_its_status() {
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let words = ["save_steps", &path(folder.path()), "always"];
    let output = run(&["-n", "2", "--restart", "1"], &words);
    let (lines, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(128 + 9), "{lines}\n{errors}");
    assert_eq!(values(&lines, "first"), ["0", "4"], "{errors}");
    assert!(errors.contains("error[PX095]: rank 1 was ended by signal 9"), "{errors}");
}

fn an_interrupted_run_is_not_started_again() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phalanx"));
    command.args(["run", "--restart", "3", "sh", "-c", "echo $PHALANX_ATTEMPT; exec sleep 50"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("phalanx runs");
    let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
    assert_eq!(lines.next().and_then(Result::ok).as_deref(), Some("0"));
    let kill = Command::new("kill").args(["-INT", &process.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let output = process.wait_with_output().expect("phalanx ends");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(128 + 2), "{errors}");
    assert!(!errors.contains("restart"), "{errors}");
}

fn a_damaged_checkpoint_is_an_error_on_every_rank() {
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let path = path(folder.path());
    std::fs::write(&path, b"PK\x03\x04 and no more").expect("the file is written");
    let ended: Vec<Ended> = World::of(2, "save_steps", &[&path, "never"]).run();
    ended[0].error("PX088");
    assert!(ended[1].error("PX032").starts_with("on rank 0: "), "{ended:#?}");
}

fn a_full_disk_keeps_the_checkpoint_before() {
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let path = path(folder.path());
    World::of(2, "save_steps", &[&path, "never"]).run().iter().for_each(Ended::assert_well);
    let before = std::fs::read(&path).expect("a checkpoint");
    // No file may be longer than 2 disk blocks of 512 or 1024 bytes; the signal of the limit is
    // ignored.
    let limited = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
    let world = World::of(2, "save_again", &[&path]);
    let ended = world.before(0, &["sh", "-c", limited, "sh"]).run();
    assert!(ended[0].error("PX081").contains("state.npz"), "{ended:#?}");
    assert!(ended[1].error("PX032").starts_with("on rank 0: cannot write "), "{ended:#?}");
    assert!(std::fs::read(&path).expect("a checkpoint") == before, "the checkpoint has changed");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
