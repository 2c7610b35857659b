//! The error of the public API: what went wrong, and the call that caused it.

use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// The user's line that caused something.
pub type Site = &'static Location<'static>;

thread_local! {
    /// The user's line that called the function which is now calling others of this crate.
    static OUTERMOST: Cell<Option<Site>> = const { Cell::new(None) };
}

/// The user's line that called the public function that asks.
///
/// A function made of others runs them inside of [`within`], so that what they record and refuse
/// has the line of its caller, not one of this crate.
#[track_caller]
pub(crate) fn call_site() -> Site {
    match OUTERMOST.get() {
        Some(site) => site,
        None => Location::caller(),
    }
}

/// Runs `body`, all of whose calls of public functions count as the call at `site`.
pub(crate) fn within<R>(site: Site, body: impl FnOnce() -> R) -> R {
    with_outermost(Some(site), body)
}

/// Runs code of the user's that a function was given: its calls have their own lines.
pub(crate) fn outside<R>(body: impl FnOnce() -> R) -> R {
    with_outermost(None, body)
}

fn with_outermost<R>(site: Option<Site>, body: impl FnOnce() -> R) -> R {
    struct Restore(Option<Site>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OUTERMOST.set(self.0);
        }
    }
    let _restore = Restore(OUTERMOST.replace(site));
    body()
}

/// A failure below `array`: of planning, memory, communication or files.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    /// The stable code.
    fn code(&self) -> &'static str;
    /// What to do about it.
    fn hint(&self) -> &'static str;
}

/// An error in the elements of an operand, which shows when they are computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// An integer to the power of a negative integer.
    #[error(
        "integers to negative integer powers are not allowed ({base} to the power of {exponent})"
    )]
    NegativePower {
        /// The dtype of the base.
        base: DType,
        /// The dtype of the exponent.
        exponent: DType,
    },
}

impl DataError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            DataError::NegativePower { .. } => "PX022",
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            DataError::NegativePower { .. } => {
                "convert the base to a float dtype with astype first, or use float_power"
            }
        }
    }
}

/// An error of the public API. Cheap to clone; an array that could not be made carries one.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    site: Option<Site>,
}

/// What went wrong.
#[derive(Debug)]
pub enum ErrorKind {
    /// The arguments of a call.
    Op(OpError),
    /// The elements of an operand.
    Data(DataError),
    /// Something that happened while work was carried out.
    Failure(Box<dyn Failure>),
}

impl Error {
    /// An error in the arguments of the call at `site`.
    pub fn op(error: OpError, site: Site) -> Error {
        Error(Arc::new(Inner { kind: ErrorKind::Op(error), site: Some(site) }))
    }

    /// An error in the elements of an operand of the call at `site`.
    pub fn data(error: DataError, site: Site) -> Error {
        Error(Arc::new(Inner { kind: ErrorKind::Data(error), site: Some(site) }))
    }

    /// A failure of the work that the call at `site` asked for.
    pub fn failure(failure: impl Failure, site: Option<Site>) -> Error {
        Error(Arc::new(Inner { kind: ErrorKind::Failure(Box::new(failure)), site }))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The stable code, such as `PX001`.
    pub fn code(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Op(error) => error.code(),
            ErrorKind::Data(error) => error.code(),
            ErrorKind::Failure(failure) => failure.code(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Op(error) => error.hint(),
            ErrorKind::Data(error) => error.hint(),
            ErrorKind::Failure(failure) => failure.hint(),
        }
    }

    /// The user's line that caused it, if one did.
    pub fn site(&self) -> Option<Site> {
        self.0.site
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: ", self.code())?;
        match &self.0.kind {
            ErrorKind::Op(error) => write!(f, "{error}")?,
            ErrorKind::Data(error) => write!(f, "{error}")?,
            ErrorKind::Failure(failure) => write!(f, "{failure}")?,
        }
        if let Some(site) = self.0.site {
            write!(f, "\n  from    {}:{}", site.file(), site.line())?;
        }
        write!(f, "\n  hint    {}", self.hint())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
