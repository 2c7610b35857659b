//! Runs other programs.

use crate::environment::PREFIX;
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A program to run. Our own variables are removed from its environment, so that a command depends
/// on its arguments only.
pub struct Program {
    command: Command,
    name: OsString,
    /// Whether what its tests lack counts.
    counts_lacks: bool,
}

impl Program {
    /// A program by name or path.
    pub fn new(name: impl AsRef<OsStr>) -> Program {
        let mut command = Command::new(&name);
        // Tests start Python hundreds of times, which must not compile the same modules each time.
        command.env_remove("PYTHONDONTWRITEBYTECODE");
        for (variable, _) in std::env::vars_os() {
            if variable.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
                command.env_remove(variable);
            }
        }
        Program { command, name: name.as_ref().to_owned(), counts_lacks: true }
    }

    /// Shows the program under another name.
    pub fn named(mut self, name: &str) -> Program {
        self.name = name.into();
        self
    }

    /// Does not count what the program's tests lack.
    pub fn without_lacks(mut self) -> Program {
        self.counts_lacks = false;
        self
    }

    /// Whether what the program's tests lack counts.
    pub fn counts_lacks(&self) -> bool {
        self.counts_lacks
    }

    /// Adds arguments.
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Program {
        self.command.args(arguments);
        self
    }

    /// Sets the folder to run in.
    pub fn folder(mut self, folder: &Path) -> Program {
        self.command.current_dir(folder);
        self
    }

    /// Sets a variable.
    pub fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    /// Removes a variable.
    pub fn without_variable(mut self, name: &str) -> Program {
        self.command.env_remove(name);
        self
    }

    /// The command line, for messages.
    pub fn line(&self) -> String {
        let mut line = self.name.to_string_lossy().into_owned();
        for argument in self.command.get_args() {
            line += " ";
            line += &argument.to_string_lossy();
        }
        line
    }

    /// Prints the command line, runs the program and prints how long that took.
    pub fn run(mut self) -> Result<(), Failure> {
        let line = self.line();
        let status = timed(&line, || self.command.status());
        let status = status.map_err(|source| Failure::Start { command: line.clone(), source })?;
        if status.success() {
            Ok(())
        } else {
            Err(Failure::Program { command: line, ending: status.to_string() })
        }
    }

    /// Runs the program and returns its standard output.
    pub fn output(&mut self) -> Result<String, Failure> {
        let line = self.line();
        let output = self.command.stderr(Stdio::inherit()).output();
        let output = output.map_err(|source| Failure::Start { command: line.clone(), source })?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(Failure::Program { command: line, ending: output.status.to_string() })
        }
    }

    /// Prints the command line, runs the program and prints how long that took. Returns its
    /// standard output, and whether it succeeded.
    pub fn collect(mut self) -> Result<(String, bool), Failure> {
        let line = self.line();
        let output = timed(&line, || self.command.stderr(Stdio::inherit()).output());
        let output = output.map_err(|source| Failure::Start { command: line, source })?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success()))
    }

    /// Prints the command line, runs the program and prints how long that took. Passes each line of
    /// its standard output to `see` and prints it. Returns whether the program succeeded.
    pub fn watch(mut self, mut see: impl FnMut(&str)) -> Result<bool, Failure> {
        let line = self.line();
        let status = timed(&line, || {
            let mut child = self.command.stdout(Stdio::piped()).spawn()?;
            let output = child.stdout.take().expect("bug: standard output is a pipe");
            for text in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let text = String::from_utf8_lossy(&text);
                println!("{text}");
                see(&text);
            }
            child.wait()
        });
        let status = status.map_err(|source| Failure::Start { command: line, source })?;
        Ok(status.success())
    }
}

/// Prints a command line, runs it and prints how long that took.
fn timed<T>(line: &str, run: impl FnOnce() -> T) -> T {
    println!("$ {line}");
    let start = Instant::now();
    let outcome = run();
    println!("{:.1} s: {line}", start.elapsed().as_secs_f64());
    outcome
}
