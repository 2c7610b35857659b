//! Errors of the configuration.

use crate::environment::{InvalidValue, Variable};
use crate::placement::LauncherFlaw;
use std::fmt;
use std::path::PathBuf;

/// The shortest accepted secret, in bytes.
pub(super) const SHORTEST_TOKEN: usize = 16;
/// The longest accepted file with a secret, in bytes.
pub(super) const LONGEST_TOKEN: u64 = 64 << 10;

/// An error of the configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A variable's value does not have the required form.
    #[error("{variable} is `{value}`, but takes {allowed}")]
    InvalidValue {
        /// The variable's name.
        variable: &'static str,
        /// The value.
        value: String,
        /// The form of a value.
        allowed: &'static str,
    },
    /// A variable is missing that another one requires.
    #[error("{needed_by} is set, but {variable} is not")]
    Missing {
        /// The missing variable's name.
        variable: &'static str,
        /// The variable that requires it.
        needed_by: &'static str,
    },
    /// The rank of a process is not below the number of processes.
    #[error("PHALANX_RANK is {rank}, but PHALANX_SIZE is {size}: ranks run from 0 to {}", size - 1)]
    RankOutOfRange {
        /// The rank of this process.
        rank: usize,
        /// The number of processes.
        size: usize,
    },
    /// The file with the secret cannot be read.
    #[error("the token file {} cannot be read", path.display())]
    TokenUnreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// The file with the secret does not protect it.
    #[error("the token file {} does not protect its secret: {flaw}", path.display())]
    TokenUnsafe {
        /// The file.
        path: PathBuf,
        /// The flaw of the file.
        flaw: TokenFlaw,
    },
    /// A launcher's variable has no usable value.
    #[error(transparent)]
    Launcher(#[from] LauncherFlaw),
    /// Processes that can communicate already could not be introduced to each other.
    #[error("process {rank}{flaw}")]
    Introduction {
        /// The rank of the process at fault.
        rank: usize,
        /// The fault.
        flaw: IntroductionFlaw,
    },
}

/// Why processes that can communicate already do not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntroductionFlaw {
    /// A launcher has set how the processes meet.
    #[error(" was started by a launcher that has set PHALANX_SIZE")]
    Launched,
    /// A process uses loopback but is on another machine than process 0.
    #[error(" is on {host} and process 0 on {first}, but connections are on loopback")]
    OtherMachine {
        /// The name of its machine.
        host: String,
        /// The name of process 0's machine.
        first: String,
    },
    /// The system, or the process's environment, refused something.
    #[error(": {reason}")]
    Refused {
        /// The error text.
        reason: String,
    },
    /// The way that the launcher or the system offers for meeting has failed.
    #[error(": {reason}")]
    Unmet {
        /// The way and its error text.
        reason: String,
    },
    /// The launcher offers no way by which its processes learn of each other.
    #[error(
        " was started by {launcher}, which offers no way to find the address of process 0{tried}"
    )]
    NoWay {
        /// The name of the launcher.
        launcher: &'static str,
        /// The ways that were tried, and why they do not work.
        tried: String,
    },
    /// The number of texts differs from the number of processes.
    #[error(" received the texts of {received} processes instead of {size}")]
    Count {
        /// The number of texts.
        received: usize,
        /// The number of processes.
        size: usize,
    },
    /// The text of a process cannot be parsed.
    #[error(" sent a text that cannot be parsed; is it another version?")]
    Garbled,
}

/// Why a token file does not protect its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFlaw {
    /// It has fewer bytes than a secret requires.
    Short {
        /// The number of its bytes.
        length: usize,
    },
    /// Other users can read or write it.
    Open {
        /// Its permission bits.
        mode: u32,
    },
    /// It belongs to another user, who may change it.
    Foreign {
        /// The id of that user.
        user: u32,
    },
    /// It is a folder, a pipe, a device or a socket.
    NoFile,
    /// It has more bytes than any secret.
    Long {
        /// The largest number of bytes allowed.
        most: u64,
    },
}

impl fmt::Display for TokenFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenFlaw::Short { length } => {
                write!(f, "it holds {length} bytes, and {SHORTEST_TOKEN} are needed")
            }
            TokenFlaw::Open { mode } => {
                write!(f, "other users can open it (its mode is {mode:03o})")
            }
            TokenFlaw::Foreign { user } => write!(f, "it belongs to another user ({user})"),
            TokenFlaw::NoFile => f.write_str("it is no file, but a folder, pipe or device"),
            TokenFlaw::Long { most } => {
                write!(f, "it holds more than {most} bytes")
            }
        }
    }
}

impl ConfigError {
    /// `variable` is missing, which `needed_by` requires.
    pub(super) fn missing(variable: &'static str, needed_by: &'static str) -> ConfigError {
        ConfigError::Missing { variable, needed_by }
    }

    /// The system, or the environment of process `rank`, refused something.
    pub(crate) fn refused(rank: usize, reason: impl Into<String>) -> ConfigError {
        let flaw = IntroductionFlaw::Refused { reason: reason.into() };
        ConfigError::Introduction { rank, flaw }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            ConfigError::InvalidValue { .. } => "PX090",
            ConfigError::Missing { .. } => "PX091",
            ConfigError::RankOutOfRange { .. } => "PX092",
            ConfigError::TokenUnreadable { .. } => "PX093",
            ConfigError::TokenUnsafe { .. } => "PX094",
            ConfigError::Introduction { .. } | ConfigError::Launcher(_) => "PX099",
        }
    }

    /// How to correct the error.
    pub const fn hint(&self) -> &'static str {
        match self {
            ConfigError::InvalidValue { .. } => {
                "`phalanx info` lists every variable and its values"
            }
            ConfigError::Missing { .. } => {
                "start with `phalanx run`, or set every start-up variable of docs/environment.md"
            }
            ConfigError::RankOutOfRange { .. } => {
                "number the processes from 0, and give all of them the same PHALANX_SIZE"
            }
            ConfigError::TokenUnreadable { .. } => {
                "write the same secret to a file on every machine and name it in PHALANX_TOKEN_FILE"
            }
            ConfigError::TokenUnsafe { .. } => {
                "write 32 random bytes to it, and make it readable by its owner only: chmod 600"
            }
            ConfigError::Launcher(_) => {
                "correct it, or start with `phalanx run`, whose variables override it"
            }
            ConfigError::Introduction { flaw, .. } => match flaw {
                IntroductionFlaw::NoWay { .. } => {
                    "set PHALANX_RENDEZVOUS=file:PATH on all processes, to a path that all can open"
                }
                IntroductionFlaw::Launched => {
                    "give no communicator under `phalanx run`, or start with mpirun alone"
                }
                IntroductionFlaw::OtherMachine { .. } => {
                    "set PHALANX_BIND on each machine to the address at which the others reach it"
                }
                IntroductionFlaw::Unmet { .. } => {
                    "let all processes call `init`, or make their first array, within \
                     PHALANX_TIMEOUT seconds; another way to meet is PHALANX_RENDEZVOUS=file:PATH, \
                     a path that all can open"
                }
                IntroductionFlaw::Refused { .. } => "`phalanx info` shows the detected environment",
                IntroductionFlaw::Count { .. } | IntroductionFlaw::Garbled => {
                    "give a communicator of all processes that call init, and run one version"
                }
            },
        }
    }
}

impl From<InvalidValue> for ConfigError {
    fn from(invalid: InvalidValue) -> ConfigError {
        let Variable { name, allowed, .. } = *invalid.variable;
        ConfigError::InvalidValue { variable: name, value: invalid.value, allowed }
    }
}
