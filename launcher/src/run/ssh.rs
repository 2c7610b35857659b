//! The command that starts a rank on another host, by ssh.
//!
//! It does not contain the secret, because all users can see a command line: the secret is the
//! first line of standard input.

use super::program::Program;
use super::world::World;
use crate::error::{LauncherError, Need};
use crate::own::Own;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Never asks for a password, because no user could type it, and notices a lost host.
const OPTIONS: [&str; 6] =
    ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"];

/// Variables besides ours that ranks on other hosts receive too: the paths of modules and
/// libraries.
const PASSED_ON: [&str; 3] = ["LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV"];

/// The words that start a rank on another host.
pub fn remote_command(
    own: &Own,
    world: &World,
    host: &str,
    rank: usize,
    program: &Program,
) -> Result<Vec<OsString>, LauncherError> {
    let folder = std::env::current_dir();
    let folder =
        folder.map_err(|source| LauncherError::Preparation { need: Need::OwnPath, source })?;
    let set: Vec<(&str, OsString)> =
        world.variables(rank).filter(|pair| pair.0 != "PHALANX_TOKEN_FILE").collect();
    let is_kept = |name: &OsString| {
        let of_this_host = ["PHALANX_BIND", "PHALANX_TOKEN_FILE"];
        let is_ours = name.as_encoded_bytes().starts_with(b"PHALANX_");
        let is_asked = is_ours && of_this_host.iter().all(|other| name != other);
        (is_asked || PASSED_ON.iter().any(|other| name == other))
            && set.iter().all(|pair| name != pair.0)
    };
    let kept = std::env::vars_os().filter(|pair| is_kept(&pair.0));
    let mut variables: Vec<(OsString, OsString)> = kept.collect();
    variables.sort();
    variables.extend(set.into_iter().map(|(name, value)| (OsString::from(name), value)));
    // A relative path refers to this folder, to which the command changes first.
    ssh(host, own, &folder, &variables, program)
}

/// The words of the ssh command that starts a rank on another host.
fn ssh(
    host: &str,
    own: &Own,
    folder: &Path,
    variables: &[(OsString, OsString)],
    program: &Program,
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
    let words =
        words.chain([program.path.as_os_str().to_owned()]).chain(program.arguments.iter().cloned());
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

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
        let program = Program { path: "/bin/prog".into(), arguments: vec!["it's".into()] };
        let folder = Path::new("/home/me/my work");
        let words = ssh("b", &own, folder, &variables, &program);
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
