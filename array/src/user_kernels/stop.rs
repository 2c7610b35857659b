//! The end of a text that cannot run.

use super::syntax::Failure;
use phalanx_graph::Error;

/// Why a text stops.
pub(super) enum Stop {
    /// It is refused.
    Text(Failure),
    /// An operation on arrays fails.
    Array(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Array(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Text(failure)
    }
}

/// What a part of a text gives.
pub(super) type Run<T> = Result<T, Stop>;
