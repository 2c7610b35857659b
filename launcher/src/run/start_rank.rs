//! The start of a rank's process, before it becomes the program: `phalanx start-rank`.
//!
//! On another host than the launcher's, the secret is the first line of standard input. The input
//! stays open while the launcher lives. When it closes, the rank and the processes that it started
//! end.

use super::outcome::Outcome;
use super::token::keep_token;
use crate::arguments::{StartRank, program_and_arguments};
use crate::error::{LauncherError, Need};
use rustix::process::{Pid, Signal, getppid, kill_process_group};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// How long a rank may take to end after a request.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Becomes the program of a rank. Runs in the new process, before the program.
///
/// It asks the system to end the process when the launcher dies, even by a signal that cannot be
/// caught.
pub fn start_rank(start: &StartRank) -> Result<u8, LauncherError> {
    if start.remote {
        let (program, arguments) = program_and_arguments(&start.command);
        return attend(program, arguments);
    }
    #[cfg(target_os = "linux")]
    {
        let asked = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        asked.map_err(|errno| LauncherError::Preparation {
            need: Need::Process,
            source: errno.into(),
        })?;
    }
    // The launcher may have died before this request.
    let parent = getppid().map_or(0, |parent| parent.as_raw_nonzero().get());
    if u32::try_from(parent) != Ok(start.parent) {
        return Ok(1);
    }
    let (program, arguments) = program_and_arguments(&start.command);
    let source = Command::new(program).args(arguments).exec();
    Err(LauncherError::ProgramRefused { program: program.into(), source })
}

/// Runs a rank on this host for a launcher on another one. Returns its exit code.
fn attend(program: &OsStr, arguments: &[OsString]) -> Result<u8, LauncherError> {
    let refused = |source| LauncherError::Preparation { need: Need::Process, source };
    let mut input = std::io::stdin().lock();
    let mut token = String::new();
    input.by_ref().take(1024).read_line(&mut token).map_err(refused)?;
    let token = keep_token(token.trim())
        .map_err(|source| LauncherError::Preparation { need: Need::TokenFile, source })?;
    drop(input);
    let own = std::env::current_exe();
    let own = own.map_err(|source| LauncherError::Preparation { need: Need::OwnPath, source })?;
    let mut command = Command::new(program);
    // The rank ends with this process however that ends, as under a launcher on this host. If
    // Python runs this program, this is not possible, and the end of the input must suffice.
    if own.file_stem().is_some_and(|name| name == "phalanx") {
        command = Command::new(own);
        command.arg("start-rank").arg(std::process::id().to_string()).arg("--").arg(program);
    }
    command.args(arguments).env("PHALANX_TOKEN_FILE", token.path());
    let mut child = command.stdin(Stdio::null()).process_group(0).spawn().map_err(refused)?;
    let group = Pid::from_child(&child);
    std::thread::spawn(move || {
        // The launcher writes nothing more, so this returns when the launcher ends.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        // It fails only if no process of the process group is left.
        let _ = kill_process_group(group, Signal::TERM);
        std::thread::sleep(LAST_WORDS);
        let _ = kill_process_group(group, Signal::KILL);
    });
    let status = child.wait().map_err(refused)?;
    // Processes that the rank started may still run.
    let _ = kill_process_group(group, Signal::KILL);
    Ok(outcome(status).exit_code())
}

fn outcome(status: ExitStatus) -> Outcome {
    match (status.code(), status.signal()) {
        (Some(code), _) => Outcome::Status(code),
        (None, signal) => Outcome::Signal(signal.unwrap_or(0)),
    }
}
