//! Errors of the launcher, and their presentation.

use crate::run::Outcome;
use phalanx::io::IoError;
use phalanx::{ConfigError, InitError};
use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;

/// An error of the launcher.
#[derive(Debug, thiserror::Error)]
pub enum LauncherError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The processes did not meet.
    #[error(transparent)]
    Meeting(#[from] Box<InitError>),
    /// The processes lost each other.
    #[error(transparent)]
    Session(#[from] Box<phalanx::Error>),
    /// The measured prices could not be saved.
    #[error(transparent)]
    Table(#[from] IoError),
    /// A rank did not end well.
    #[error("rank {rank} {outcome}")]
    RankFailed {
        /// The rank that failed first.
        rank: usize,
        /// How it ended.
        outcome: Outcome,
    },
    /// The hosts cannot take the ranks.
    #[error("--hosts: {reason}")]
    Hosts {
        /// The reason.
        reason: String,
    },
    /// No program has this name.
    #[error("the program `{}` is not found", program.display())]
    ProgramNotFound {
        /// The name.
        program: OsString,
    },
    /// The system refused to start the program.
    #[error("the program {} cannot be run", program.display())]
    ProgramRefused {
        /// The program's path.
        program: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// Something that every world needs is unavailable.
    #[error("{} failed", need.name())]
    Preparation {
        /// The thing that is needed.
        need: Need,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
}

/// A resource that the launcher needs before ranks start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A secret file.
    TokenFile,
    /// A free port.
    Port,
    /// Its own path.
    OwnPath,
    /// A process or thread.
    Process,
    /// A reader of standard output.
    Output,
    /// A file for the output of a rank.
    Log,
}

impl Need {
    const fn name(self) -> &'static str {
        match self {
            Need::TokenFile => "writing the token file",
            Need::Port => "reserving a loopback port",
            Need::OwnPath => "finding the path of this program",
            Need::Process => "starting the processes",
            Need::Output => "writing to standard output",
            Need::Log => "making the files of --logs",
        }
    }
}

impl LauncherError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            LauncherError::Config(error) => error.code(),
            LauncherError::Meeting(error) => error.code(),
            LauncherError::Session(error) => error.code(),
            LauncherError::Table(error) => error.code(),
            LauncherError::RankFailed { .. } => "PX095",
            LauncherError::ProgramNotFound { .. } => "PX096",
            LauncherError::ProgramRefused { .. } => "PX097",
            LauncherError::Preparation { .. } | LauncherError::Hosts { .. } => "PX098",
        }
    }

    /// How to correct the error.
    pub fn hint(&self) -> &'static str {
        match self {
            LauncherError::Config(error) => error.hint(),
            LauncherError::Meeting(error) => error.hint(),
            LauncherError::Session(error) => error.hint(),
            LauncherError::Table(error) => error.hint(),
            LauncherError::RankFailed { .. } => {
                "read the output lines of that rank above, which are marked with its number"
            }
            LauncherError::Hosts { .. } => {
                "ask for fewer ranks, or for more places: --hosts a:8,b:8"
            }
            LauncherError::ProgramNotFound { .. } => {
                "give its path, such as ./program, or the name of a program in a folder of PATH"
            }
            LauncherError::ProgramRefused { .. } => {
                "check that the file is a program for this machine and may be executed"
            }
            LauncherError::Preparation { need, .. } => match need {
                Need::TokenFile => {
                    "check that the folder for temporary files (TMPDIR) can be written"
                }
                Need::Port => "check that the loopback network is up",
                Need::OwnPath => "start phalanx by its full path",
                Need::Process => "check the limit of processes (ulimit -u), or start fewer",
                Need::Output => "check the destination of standard output",
                Need::Log => "name a folder that can be made and written",
            },
        }
    }

    /// The error as printed: code and message, then causes, then the hint.
    pub fn report(&self) -> String {
        let mut report = format!("error[{}]: {self}", self.code());
        // A transparent error repeats its inner error's message, never the inner error itself.
        let mut cause = self.source();
        while let Some(error) = cause {
            report += &format!("\n  cause   {error}");
            cause = error.source();
        }
        report + "\n  hint    " + self.hint()
    }

    /// The exit code that `phalanx --help` promises.
    pub fn exit_code(&self) -> u8 {
        match self {
            LauncherError::Config(_) | LauncherError::Hosts { .. } => 2,
            LauncherError::RankFailed { outcome, .. } => outcome.exit_code(),
            LauncherError::ProgramNotFound { .. } => 127,
            LauncherError::ProgramRefused { .. } => 126,
            LauncherError::Preparation { .. }
            | LauncherError::Meeting(_)
            | LauncherError::Session(_)
            | LauncherError::Table(_) => 1,
        }
    }
}
