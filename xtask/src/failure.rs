//! Failures of developer commands.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a developer command failed.
#[derive(Debug)]
pub enum Failure {
    /// The arguments are no command.
    Usage {
        /// The arguments.
        words: String,
    },
    /// A requirement of the tests has an unknown name.
    Requirement {
        /// The name.
        name: String,
        /// The names that they know.
        known: String,
    },
    /// A program could not be started.
    Start {
        /// Its command line.
        command: String,
        /// The system's error.
        source: io::Error,
    },
    /// A program failed.
    Program {
        /// Its command line.
        command: String,
        /// How it ended, such as `exit status: 1`.
        ending: String,
    },
    /// A file could not be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A program's output is not what was expected.
    Output {
        /// Its command line.
        command: String,
        /// The missing part.
        missing: &'static str,
    },
    /// No suitable Python was found.
    Python {
        /// For each candidate, the reason why it is unsuitable.
        candidates: Vec<String>,
    },
    /// House rules are broken; they are printed already.
    Untidy {
        /// How many times.
        count: usize,
    },
    /// A package is larger than it may be.
    Large {
        /// The package.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest size allowed.
        most: u64,
    },
    /// Tests failed; they and their number are printed already.
    Tests {
        /// How many.
        count: usize,
    },
    /// Plans or kernels differ; the differences are printed already.
    Differences {
        /// In how many files.
        files: usize,
    },
}

impl Failure {
    /// The failure for arguments that are no command.
    pub fn usage<'word>(words: impl Iterator<Item = &'word String>) -> Failure {
        Failure::Usage { words: words.map(String::as_str).collect::<Vec<_>>().join(" ") }
    }

    /// Makes the failure of an operation on a file, for `map_err`.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Failure + '_ {
        |source| Failure::File { path: path.to_owned(), source }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage { words } => write!(f, "no command `{words}`; see `cargo xtask help`"),
            Failure::Requirement { name, known } => {
                write!(f, "PHALANX_TEST_REQUIRE has `{name}`, which is none of {known}")
            }
            Failure::Start { command, source } => write!(f, "`{command}` did not start: {source}"),
            Failure::Program { command, ending } => write!(f, "`{command}` ended with {ending}"),
            Failure::File { path, source } => write!(f, "{}: {source}", path.display()),
            Failure::Output { command, missing } => write!(f, "`{command}` gave no {missing}"),
            Failure::Python { candidates } => {
                write!(f, "no Python >= 3.11 with venv and pip was found; searched:")?;
                for candidate in candidates {
                    write!(f, "\n  {candidate}")?;
                }
                write!(f, "\n  hint    install one, with its venv package (Debian: python3-venv)")
            }
            Failure::Untidy { count } => write!(f, "broken house rules: {count}"),
            Failure::Large { path, bytes, most } => {
                write!(f, "{} has {bytes} bytes; it may have {most}", path.display())
            }
            Failure::Tests { count } => write!(f, "tests failed: {count}"),
            Failure::Differences { files } => write!(f, "golden files that differ: {files}"),
        }
    }
}
