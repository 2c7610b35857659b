//! A rank on another host: the command that ssh runs there, and what that command does.
//!
//! The secret is the first line of standard input, because all users can see a command line. The
//! input stays open while the launcher lives. When it closes, the rank and the processes that it
//! started end.

use super::outcome::Outcome;
use super::token::keep_token;
use crate::error::{LauncherError, Need};
use crate::own::Own;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// How long a rank may take to end after a request.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Never asks for a password, because nobody could type it, and notices a lost host.
const OPTIONS: [&str; 6] =
    ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"];

/// The words of the ssh command that starts a rank on another host.
pub fn ssh(
    host: &str,
    own: &Own,
    folder: &Path,
    variables: &[(OsString, OsString)],
    program: &Path,
    arguments: &[OsString],
) -> Result<Vec<OsString>, LauncherError> {
    let (launcher, before) = own.program_and_arguments()?;
    let mut line = OsString::from("cd ");
    line.push(quoted(folder.as_os_str()));
    line.push(" && exec env");
    for (name, value) in variables {
        let mut assignment = name.clone();
        assignment.push("=");
        assignment.push(value);
        line.push(" ");
        line.push(quoted(&assignment));
    }
    let words = std::iter::once(launcher.into_os_string()).chain(before);
    let words = words.chain(["start-rank", "0", "--remote", "--"].map(OsString::from));
    let words = words.chain([program.as_os_str().to_owned()]).chain(arguments.iter().cloned());
    for word in words {
        line.push(" ");
        line.push(quoted(&word));
    }
    let mut ssh: Vec<OsString> = vec!["ssh".into()];
    ssh.extend(OPTIONS.map(OsString::from));
    ssh.extend([host.into(), line]);
    Ok(ssh)
}

/// A word as a shell reads it back: unchanged, or in single quotes.
pub fn quoted(word: &OsStr) -> OsString {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-=:,@%+".contains(byte);
    if !word.is_empty() && word.as_bytes().iter().all(plain) {
        return word.to_owned();
    }
    let mut quoted = vec![b'\''];
    for byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}

/// Runs a rank on this host for a launcher on another one. Returns its exit code.
pub fn attend(program: &OsStr, arguments: &[OsString]) -> Result<u8, LauncherError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for word in ["a", "a/b-c.d=e", "", "a b", "it's", "$HOME `x` \"y\" ; & | * \n", "'"] {
            let script = format!("printf %s {}", quoted(OsStr::new(word)).display());
            let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
        assert_eq!(quoted(OsStr::new("a/b-c.d=e")), "a/b-c.d=e");
    }

    #[test]
    fn the_command_holds_variables_and_no_secret() {
        let own = Own::started_by(vec!["/bin/py".into(), "-m".into(), "phalanx".into()]);
        let variables = [("PHALANX_RANK".into(), "1".into()), ("X".into(), "a b".into())];
        let arguments = ["it's".into()];
        let folder = Path::new("/home/me/my work");
        let words = ssh("b", &own, folder, &variables, Path::new("/bin/prog"), &arguments);
        let words = words.unwrap_or_else(|error| panic!("{}", error.report()));
        assert_eq!(words[0], "ssh");
        assert_eq!(words[words.len() - 2], "b");
        assert_eq!(
            words[words.len() - 1],
            "cd '/home/me/my work' && exec env PHALANX_RANK=1 'X=a b' /bin/py -m phalanx \
             start-rank 0 --remote -- /bin/prog 'it'\\''s'"
        );
    }
}
