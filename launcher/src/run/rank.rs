//! One process of a run.

use super::log::Log;
use super::program::Program;
use super::relay::{Channel, Relays};
use super::ssh::remote_command;
use super::world::World;
use crate::error::{LauncherError, Need};
use crate::own::Own;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

/// A process of a rank. It leads its own process group, so that a signal also reaches processes
/// that it started.
///
/// The process is not reaped before [`Rank::finish`]. Until then the system cannot reuse its id, so
/// signals never reach another process.
pub struct Rank {
    child: Child,
    group: Pid,
    /// For a rank on another host: that rank ends when this input closes.
    _input: Option<ChildStdin>,
}

impl Rank {
    /// Starts the process of a rank; `relays` relay its lines.
    ///
    /// Rank 0 inherits the launcher's standard input, unless that is a terminal: a process outside
    /// of the terminal's process group may not read it. It also inherits standard output, unless
    /// that is logged. The other ranks, and a rank 0 on another host, read nothing.
    pub fn start(
        own: &Own,
        world: &World,
        number: usize,
        program: &Program,
        relays: &Relays,
        log: Option<&Log>,
    ) -> Result<Rank, LauncherError> {
        let refused = |source| LauncherError::Preparation { need: Need::Process, source };
        let host = world.host(number);
        let mut command = match host {
            None => {
                let mut command = own.command()?;
                command.arg("start-rank").arg(std::process::id().to_string()).arg("--");
                command.arg(&program.path).args(&program.arguments);
                command.env_remove("PHALANX_BIND").envs(world.variables(number));
                command
            }
            Some(host) => {
                let words = remote_command(own, world, host, number, program)?;
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command
            }
        };
        command.process_group(0);
        let reads = number == 0 && !std::io::stdin().is_terminal();
        command.stdin(match host {
            Some(_) => Stdio::piped(),
            None if reads => Stdio::inherit(),
            None => Stdio::null(),
        });
        let keeps_output = number == 0 && log.is_none();
        command.stdout(if keeps_output { Stdio::inherit() } else { Stdio::piped() });
        command.stderr(Stdio::piped());
        let mut child = command.spawn().map_err(refused)?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.expect("bug: the number of a child is a positive process number");
        if let Some(output) = child.stdout.take() {
            relays.pass_on(number, output, Channel::Output, log.cloned());
        }
        if let Some(errors) = child.stderr.take() {
            relays.pass_on(number, errors, Channel::Errors, log.cloned());
        }
        let mut input = child.stdin.take();
        if let Some(input) = &mut input {
            // If the host cannot be reached, the command ends and prints the reason.
            let _ = input.write_all(&[world.token(), b"\n"].concat());
        }
        Ok(Rank { child, group, _input: input })
    }

    /// The process group, whose id is also the process's.
    pub fn group(&self) -> Pid {
        self.group
    }

    /// Sends a signal to the process and the processes that it started.
    pub fn signal(&self, signal: Signal) {
        // It fails only if no process of the process group is left, as intended.
        let _ = kill_process_group(self.group, signal);
    }

    /// Reaps a process that has ended.
    pub fn finish(mut self) {
        // The outcome is known already; this frees the process's id.
        let _ = self.child.wait();
    }
}
