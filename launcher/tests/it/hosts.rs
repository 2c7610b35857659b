//! Ranks on other hosts, which a stand-in for ssh starts on this one.

use crate::program::{errors, phalanx, sorted_lines};
use crate::ssh;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder with the stand-in, and a command of `phalanx` that finds it.
fn with_ssh() -> (TempDir, Command) {
    let (folder, path) = ssh::stand_in();
    let mut command = phalanx();
    command.env("PATH", path);
    (folder, command)
}

#[test]
fn ranks_of_other_hosts_are_started_by_ssh() {
    let (folder, mut command) = with_ssh();
    let script = "echo $PHALANX_RANK $PHALANX_LOCAL_RANK/$PHALANX_LOCAL_SIZE $PHALANX_SIZE \
                  \"$1\" $(wc -c < $PHALANX_TOKEN_FILE) $(stat -c %a $PHALANX_TOKEN_FILE)";
    command.args(["run", "--hosts", "localhost:1,b.invalid:2", "sh", "-c", script, "x", "it's a"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let lines = sorted_lines(&output.stdout);
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_start_matches("[1] ")).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_start_matches("[2] ")).collect();
    let mut lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.sort_unstable();
    let expected = ["0 0/1 3 it's a 64 600", "1 0/2 3 it's a 64 600", "2 1/2 3 it's a 64 600"];
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.ends_with(expected), "{lines:?}");
    }
    assert_eq!(ssh::hosts(&folder), ["b.invalid", "b.invalid"]);
}

#[test]
fn a_dry_run_prints_the_commands_and_starts_nothing() {
    let (folder, mut command) = with_ssh();
    let words = ["run", "--dry-run", "--hosts", "here.invalid:2,b.invalid:1", "-n", "3"];
    command.args(words).args(["sh", "-c", "echo 'a b'"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let page = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines.len(), 3, "{page}");
    for (line, host) in lines.iter().zip(["here.invalid", "here.invalid", "b.invalid"]) {
        assert!(line.starts_with("ssh -o BatchMode=yes "), "{line}");
        assert!(line.contains(&format!(" {host} 'cd ")), "{line}");
        assert!(line.contains("PHALANX_ADDRESS=here.invalid:"), "{line}");
    }
    assert!(lines[2].contains("PHALANX_RANK=2") && lines[2].contains("PHALANX_LOCAL_SIZE=1"));
    assert!(!page.contains("TOKEN"), "the secret and its file stay here: {page}");
    assert!(ssh::hosts(&folder).is_empty(), "nothing was started");

    let mut command = phalanx();
    let output = command.args(["run", "--dry-run", "-n", "2", "true"]).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.starts_with("env PHALANX_SIZE=2 "), "{page}");
    assert!(page.contains("PHALANX_RANK=1") && page.contains("PHALANX_TOKEN_FILE=FILE"), "{page}");
}

#[test]
fn ends_of_ranks_on_other_hosts_are_honest() {
    for (script, code) in [("exit 7", 7), ("kill -9 $$", 128 + 9)] {
        let (_folder, mut command) = with_ssh();
        let script = format!("[ $PHALANX_RANK = 1 ] || exec sleep 60; {script}");
        command.args(["run", "--hosts", "a.invalid,b.invalid", "sh", "-c", &script]);
        let begun = Instant::now();
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    }
}

#[test]
fn nothing_survives_the_launcher_on_other_hosts() {
    let (folder, mut command) = with_ssh();
    let file = folder.path().join("process");
    let script = format!("echo $$ > {}; exec sleep 60", file.display());
    command.args(["run", "--hosts", "a.invalid", "sh", "-c", &script]);
    let mut running = command.spawn().unwrap();
    let number = || std::fs::read_to_string(&file).unwrap_or_default().trim().to_owned();
    let limit = Instant::now() + Duration::from_secs(30);
    while number().is_empty() {
        assert!(Instant::now() < limit, "the rank does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    // A signal that no process can catch.
    running.kill().unwrap();
    running.wait().unwrap();
    let process = format!("/proc/{}/stat", number());
    let is_there = || {
        let stat = std::fs::read_to_string(Path::new(&process)).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while is_there() {
        assert!(Instant::now() < limit, "the rank is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn hosts_that_cannot_be_are_refused() {
    for words in [
        &["--hosts", "a:0"][..],
        &["--hosts", "-oProxyCommand=x"],
        &["--hosts", "a:1,b:1", "-n", "3"],
    ] {
        let output = phalanx().arg("run").args(words).arg("true").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    }
}
