//! Prints the commands of a run, and starts nothing.

use super::program::Program;
use super::ssh::{quoted, remote_command};
use super::world::World;
use crate::error::{LauncherError, Need};
use crate::own::Own;
use std::ffi::{OsStr, OsString};
use std::io::Write;

/// Prints the command of each rank on a line.
pub fn print(own: &Own, world: &World, program: &Program) -> Result<(), LauncherError> {
    let mut page = commands(own, world, program)?.join(OsStr::new("\n"));
    page.push("\n");
    let unwritten = |source| LauncherError::Preparation { need: Need::Output, source };
    std::io::stdout().write_all(page.as_encoded_bytes()).map_err(unwritten)
}

/// The commands of all ranks in a form that can be typed, without the secret.
fn commands(own: &Own, world: &World, program: &Program) -> Result<Vec<OsString>, LauncherError> {
    let line = |words: Vec<OsString>| {
        let words: Vec<OsString> = words.iter().map(|word| quoted(word)).collect();
        words.join(OsStr::new(" "))
    };
    let command = |rank: usize| match world.host(rank) {
        Some(host) => Ok(line(remote_command(own, world, host, rank, program)?)),
        None => {
            let mut words: Vec<OsString> = vec!["env".into()];
            for (name, value) in world.variables(rank) {
                let mut word = OsString::from(format!("{name}="));
                word.push(value);
                words.push(word);
            }
            if world.size() > 1 {
                words.push("PHALANX_TOKEN_FILE=FILE".into());
            }
            words.push(program.path.clone().into());
            words.extend(program.arguments.iter().cloned());
            Ok(line(words))
        }
    };
    (0..world.size()).map(command).collect()
}
