//! Starts the program and shell scripts under it.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

/// The program, with no variable of ours set.
pub fn phalanx() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phalanx"));
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PHALANX_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// `phalanx run -n RANKS sh -c SCRIPT`.
pub fn run_script(ranks: usize, script: &str) -> Command {
    let mut command = phalanx();
    command.args(["run", "-n", &ranks.to_string(), "sh", "-c", script]);
    command
}

/// The output of a finished program, as lines in alphabetical order: ranks write in any order.
pub fn sorted_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The standard error of a finished program.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A program that still runs, its standard error read line by line.
pub struct Running {
    child: Child,
    errors: BufReader<std::process::ChildStderr>,
}

impl Running {
    pub fn start(mut command: Command) -> Running {
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("phalanx starts");
        let errors = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
        Running { child, errors }
    }

    /// The next line of standard error; empty at its end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.errors.read_line(&mut line).expect("standard error is text");
        line.trim_end().to_owned()
    }

    /// The next `count` lines of standard error, in alphabetical order.
    pub fn lines(&mut self, count: usize) -> Vec<String> {
        let mut lines: Vec<String> = (0..count).map(|_| self.line()).collect();
        lines.sort();
        lines
    }

    pub fn signal(&self, signal: Signal) {
        let process = Pid::from_child(&self.child);
        kill_process(process, signal).expect("phalanx runs");
    }

    /// Waits for the end; gives the status and the lines not yet read.
    pub fn end(mut self) -> (ExitStatus, Vec<String>) {
        let rest: Vec<String> = (&mut self.errors).lines().map_while(Result::ok).collect();
        (self.child.wait().expect("phalanx is ours to wait for"), rest)
    }
}

impl Drop for Running {
    /// A test that fails leaves nothing running.
    fn drop(&mut self) {
        // It fails only for a program that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command to its end with `input` as its standard input.
pub fn with_input(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("phalanx starts");
    let mut pipe = child.stdin.take().expect("standard input is a pipe");
    pipe.write_all(input).expect("rank 0 reads its input");
    drop(pipe);
    child.wait_with_output().expect("phalanx is ours to wait for")
}
