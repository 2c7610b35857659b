//! How this program is started, for it starts itself again: as the program of each rank.

use crate::error::{LauncherError, Need};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

/// The words that start this program.
#[derive(Clone, Debug)]
pub struct Own {
    /// The program and its first arguments; nothing if it is a program of its own.
    words: Vec<OsString>,
}

impl Own {
    /// This program is the running one.
    pub fn this_program() -> Own {
        Own { words: Vec::new() }
    }

    /// An interpreter runs this program: `python -m phalanx`.
    pub fn started_by(words: Vec<OsString>) -> Own {
        Own { words }
    }

    /// The path of the program, and its first arguments.
    pub fn program_and_arguments(&self) -> Result<(PathBuf, Vec<OsString>), LauncherError> {
        match self.words.split_first() {
            Some((program, arguments)) => Ok((program.into(), arguments.to_vec())),
            None => {
                let path = std::env::current_exe();
                let refused = |source| LauncherError::Preparation { need: Need::OwnPath, source };
                Ok((path.map_err(refused)?, Vec::new()))
            }
        }
    }

    /// A command that starts it.
    pub fn command(&self) -> Result<Command, LauncherError> {
        let (program, arguments) = self.program_and_arguments()?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(command)
    }

    /// The interpreter of Python's scripts.
    pub fn interpreter(&self) -> &OsStr {
        self.words.first().map_or(OsStr::new("python3"), OsString::as_os_str)
    }
}
