//! The user's choice of a library.

use std::fmt;
use std::path::PathBuf;

/// Which library multiplies and factorises matrices on CPU devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BlasChoice {
    /// The first usable library of this machine; Phalanx's own routines if there is none.
    #[default]
    Auto,
    /// Phalanx's own routines, whose results do not depend on a library or on the number of
    /// threads.
    Own,
    /// The library at this path; if it cannot be used, as `Auto`.
    Path(PathBuf),
}

impl fmt::Display for BlasChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlasChoice::Auto => f.write_str("auto"),
            BlasChoice::Own => f.write_str("own"),
            BlasChoice::Path(path) => path.display().fmt(f),
        }
    }
}
