//! The error of a session that does not start.

use crate::config::ConfigError;
use phalanx_array::io::IoError;
use phalanx_collectives::CollectiveError;
use phalanx_graph::{Error, Failure, Site};
use phalanx_scheduler::RunError;

/// An error of [`init`](crate::init).
#[derive(Debug, thiserror::Error)]
#[error("{failure}\n  from    {site}")]
pub struct InitError {
    failure: Box<InitFailure>,
    site: Site,
}

/// Why a session does not start.
#[derive(Debug, thiserror::Error)]
pub enum InitFailure {
    /// Another session has started and not ended.
    #[error("a session has already started at {begun}")]
    Begun {
        /// The call that started it.
        begun: Site,
    },
    /// The processes did not meet.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The processes could not exchange what they need to meet.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file of the timeline cannot be written.
    #[error(transparent)]
    Timeline(#[from] IoError),
    /// A device could not be set up.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl InitFailure {
    /// The code of a request at a time when the session does not allow it.
    pub const NOT_NOW: &'static str = "PX153";
}

impl InitError {
    pub(crate) fn new(failure: impl Into<InitFailure>, site: Site) -> InitError {
        InitError { failure: Box::new(failure.into()), site }
    }

    /// The cause of the failure.
    pub fn failure(&self) -> &InitFailure {
        &self.failure
    }

    /// The call that tried to start the session.
    pub fn site(&self) -> Site {
        self.site
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        Failure::code(&*self.failure)
    }

    /// How to correct the error.
    pub fn hint(&self) -> &'static str {
        Failure::hint(&*self.failure)
    }
}

impl Failure for InitFailure {
    fn code(&self) -> &'static str {
        match self {
            InitFailure::Begun { .. } => InitFailure::NOT_NOW,
            InitFailure::Collective(error) => error.code(),
            InitFailure::Config(error) => error.code(),
            InitFailure::Timeline(error) => error.code(),
            InitFailure::Run(error) => error.code(),
        }
    }
    fn hint(&self) -> &'static str {
        match self {
            InitFailure::Begun { .. } => {
                "call init once and keep its session; `finish` or drop it before another session \
                 starts, or nest sessions with `Session::with_options`"
            }
            InitFailure::Collective(error) => error.hint(),
            InitFailure::Config(error) => error.hint(),
            InitFailure::Timeline(error) => error.hint(),
            InitFailure::Run(error) => error.hint(),
        }
    }
}

impl Failure for InitError {
    fn code(&self) -> &'static str {
        InitError::code(self)
    }
    fn hint(&self) -> &'static str {
        InitError::hint(self)
    }
}

/// Lets `?` convert it in a function whose other errors are those of arrays.
impl From<InitError> for Error {
    fn from(error: InitError) -> Error {
        Error::failure(*error.failure, Some(error.site))
    }
}
