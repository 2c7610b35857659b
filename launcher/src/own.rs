//! How this program is started. It starts itself again as the program of each rank.

use crate::error::{LauncherError, Need};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

/// The words that start this program.
#[derive(Clone, Debug)]
pub struct Own {
    /// The program and its first arguments; empty if this is an executable of its own.
    words: Vec<OsString>,
}

impl Own {
    /// The running executable is this program.
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

    /// A command that starts this program.
    pub fn command(&self) -> Result<Command, LauncherError> {
        let (program, arguments) = self.program_and_arguments()?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(command)
    }

    /// The interpreter for Python scripts.
    pub fn interpreter(&self) -> &OsStr {
        self.words.first().map_or(OsStr::new("python3"), OsString::as_os_str)
    }
}
