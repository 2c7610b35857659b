//! The error of the public API: what went wrong, and the call that caused it.

use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The user's line that caused something, in whatever language the program is written.
#[derive(Clone, Copy)]
pub struct Site(&'static dyn Place);

/// A line of a program.
///
/// A binding of another language makes one for each line that calls, which stays for ever, and runs
/// the calls of the line inside of [`within`].
pub trait Place: Sync {
    /// The file.
    fn file(&self) -> &str;
    /// The line's number, from 1.
    fn line(&self) -> u32;
}

impl Place for Location<'static> {
    fn file(&self) -> &str {
        Location::file(self)
    }
    fn line(&self) -> u32 {
        Location::line(self)
    }
}

impl Site {
    /// The line of a place.
    pub const fn new(place: &'static dyn Place) -> Site {
        Site(place)
    }

    /// The line of Rust that calls the function which asks.
    #[track_caller]
    pub fn caller() -> Site {
        Site(Location::caller())
    }

    /// The file.
    pub fn file(self) -> &'static str {
        self.0.file()
    }

    /// The line's number, from 1.
    pub fn line(self) -> u32 {
        self.0.line()
    }

    /// A number that this place has in this process alone.
    pub(crate) fn identity(self) -> usize {
        std::ptr::from_ref(self.0).cast::<()>() as usize
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line() {
            // What is no line of a program, such as its end, is told by its name alone.
            0 => f.write_str(self.file()),
            line => write!(f, "{}:{line}", self.file()),
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Site {
    fn eq(&self, other: &Site) -> bool {
        (self.file(), self.line()) == (other.file(), other.line())
    }
}

impl Eq for Site {}

/// The user's line that called the function which is now calling others of this crate.
#[derive(Clone, Copy)]
struct Outermost {
    site: Site,
    /// Whether a function of this crate calls, and not the user by way of another language.
    is_nested: bool,
}

thread_local! {
    static OUTERMOST: Cell<Option<Outermost>> = const { Cell::new(None) };
}

/// The user's line that called the public function that asks.
///
/// A function made of others runs them inside of [`within`], so that what they record and refuse
/// has the line of its caller, not one of this crate.
#[track_caller]
pub fn call_site() -> Site {
    match OUTERMOST.get() {
        Some(outermost) => outermost.site,
        None => Site::caller(),
    }
}

/// Runs `body`, all of whose calls of public functions count as the call at `site`. Local.
pub fn within<R>(site: Site, body: impl FnOnce() -> R) -> R {
    with_outermost(Some(Outermost { site, is_nested: true }), body)
}

/// Runs `body`, whose calls of public functions are those of a user whose line is `site`: for
/// bindings of other languages, where [`call_site`] would find a line of the binding. Local.
pub fn called_from<R>(site: Site, body: impl FnOnce() -> R) -> R {
    with_outermost(Some(Outermost { site, is_nested: false }), body)
}

/// Whether the call is one that a function of this crate makes inside of [`within`].
pub(crate) fn is_nested() -> bool {
    OUTERMOST.get().is_some_and(|outermost| outermost.is_nested)
}

/// Runs code of the user's that a function was given: its calls have their own lines.
pub(crate) fn outside<R>(body: impl FnOnce() -> R) -> R {
    with_outermost(None, body)
}

fn with_outermost<R>(outermost: Option<Outermost>, body: impl FnOnce() -> R) -> R {
    struct Restore(Option<Outermost>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OUTERMOST.set(self.0);
        }
    }
    let _restore = Restore(OUTERMOST.replace(outermost));
    body()
}

/// A failure below `array`: of planning, memory, communication or files.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    /// The stable code.
    fn code(&self) -> &'static str;
    /// What to do about it.
    fn hint(&self) -> &'static str;
    /// The name of the exception class that NumPy, or Python, has for such a failure.
    fn numpy_class(&self) -> &'static str {
        "RuntimeError"
    }
    /// Whether the user has given up a wait. Nothing is lost by that.
    fn is_interrupt(&self) -> bool {
        false
    }
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
    /// A position beyond its axis.
    #[error("an index is out of bounds for axis {axis} with size {extent}")]
    IndexRange {
        /// The axis.
        axis: usize,
        /// The axis's extent.
        extent: usize,
    },
    /// A position below zero or beyond its axis, where negative ones do not count from the end.
    #[error("{operation}: {argument} must be from 0 to before {extent}")]
    PositionsBeyond {
        /// The operation.
        operation: &'static str,
        /// The argument.
        argument: &'static str,
        /// The axis's extent.
        extent: usize,
    },
    /// Starts of rows that descend, or do not reach from the first entry to the last.
    #[error("{operation}: starts must not descend, and lead from 0 to the {entries} entries")]
    Starts {
        /// The operation.
        operation: &'static str,
        /// How many entries there are.
        entries: usize,
    },
    /// A position or choice beyond those there are.
    #[error("a position is out of bounds for {size} elements")]
    PositionRange {
        /// How many there are.
        size: usize,
    },
    /// Edges of bins that do not ascend, or neither ascend nor descend.
    #[error("bins must be monotonically {expected}")]
    NotMonotone {
        /// How they must go.
        expected: &'static str,
    },
    /// A matrix that has no inverse.
    #[error("singular matrix")]
    Singular,
    /// A matrix without a Cholesky factor.
    #[error("matrix is not positive definite")]
    NotPositiveDefinite,
    /// A factorisation that did not converge.
    #[error("{decomposition} did not converge")]
    NotConverged {
        /// Which one.
        decomposition: &'static str,
    },
    /// A slice in which nothing is a number.
    #[error("{operation}: all-NaN slice encountered")]
    AllNan {
        /// The operation.
        operation: &'static str,
    },
    /// A floating-point error where [`errstate`](crate::errstate) asks to raise.
    #[error("{words} encountered in {operation}")]
    Floating {
        /// NumPy's words for the kind of error.
        words: &'static str,
        /// The operation.
        operation: &'static str,
    },
    /// Weights whose sum is zero.
    #[error("weights sum to zero and cannot be normalised")]
    ZeroWeights,
    /// A negative element where there may be none.
    #[error("{operation}: {argument} has negative elements")]
    Negative {
        /// The operation.
        operation: &'static str,
        /// The argument.
        argument: &'static str,
    },
}

impl DataError {
    /// The name of the exception class that NumPy raises.
    pub const fn numpy_class(&self) -> &'static str {
        match self {
            DataError::NegativePower { .. }
            | DataError::PositionRange { .. }
            | DataError::NotMonotone { .. }
            | DataError::Starts { .. }
            | DataError::AllNan { .. }
            | DataError::Negative { .. } => "ValueError",
            DataError::IndexRange { .. } | DataError::PositionsBeyond { .. } => "IndexError",
            DataError::Singular
            | DataError::NotPositiveDefinite
            | DataError::NotConverged { .. } => "LinAlgError",
            DataError::ZeroWeights => "ZeroDivisionError",
            DataError::Floating { .. } => "FloatingPointError",
        }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            DataError::NegativePower { .. } => "PX022",
            DataError::AllNan { .. } => "PX130",
            DataError::Floating { .. } => "PX155",
            DataError::ZeroWeights => "PX131",
            DataError::Negative { .. } => "PX132",
            DataError::PositionsBeyond { .. } => "PX135",
            DataError::Starts { .. } => "PX136",
            DataError::IndexRange { .. } => "PX028",
            DataError::PositionRange { .. } => "PX029",
            DataError::NotMonotone { .. } => "PX123",
            DataError::Singular => "PX120",
            DataError::NotPositiveDefinite => "PX121",
            DataError::NotConverged { .. } => "PX122",
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            DataError::NegativePower { .. } => {
                "convert the base to a float dtype with astype first, or use float_power"
            }
            DataError::AllNan { .. } => "look for slices of isnan().all(axis) first",
            DataError::Floating { .. } => "look at the operands, or ask errstate for another mode",
            DataError::ZeroWeights => "check the sum of the weights along the axes",
            DataError::Negative { .. } => "subtract the smallest element first, or leave it out",
            DataError::IndexRange { .. } | DataError::PositionRange { .. } => {
                "positions run from 0, or from -1 backwards; see take's modes"
            }
            DataError::PositionsBeyond { .. } => "add the extent to negative positions first",
            DataError::Starts { .. } => "see Csr::from_triplets for entries in any order",
            DataError::NotMonotone { .. } => "sort the edges first",
            DataError::Singular => "see linalg::lstsq and pinv for matrices without an inverse",
            DataError::NotPositiveDefinite => "see linalg::eigvalsh for what the eigenvalues are",
            DataError::NotConverged { .. } => "look for infinities and NaN in the matrix",
        }
    }
}

/// An error of the public API. Cheap to clone; an array that could not be made carries one.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    site: Option<Site>,
    /// Whether somebody has looked at it since an array carries it.
    is_seen: AtomicBool,
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
        Error::new(ErrorKind::Op(error), Some(site))
    }

    /// An error in the elements of an operand of the call at `site`.
    pub fn data(error: DataError, site: Site) -> Error {
        Error::new(ErrorKind::Data(error), Some(site))
    }

    /// A failure of the work that the call at `site` asked for.
    pub fn failure(failure: impl Failure, site: Option<Site>) -> Error {
        Error::new(ErrorKind::Failure(Box::new(failure)), site)
    }

    fn new(kind: ErrorKind, site: Option<Site>) -> Error {
        Error(Arc::new(Inner { kind, site, is_seen: AtomicBool::new(false) }))
    }

    /// Notes that an array carries the error: whoever saw it before may not see it there.
    pub(crate) fn is_carried(&self) {
        self.0.is_seen.store(false, Ordering::Relaxed);
    }

    /// The error, given to the program, which thereby sees it.
    pub(crate) fn told(self) -> Error {
        self.0.is_seen.store(true, Ordering::Relaxed);
        self
    }

    /// Whether somebody has looked at it.
    pub(crate) fn is_seen(&self) -> bool {
        self.0.is_seen.load(Ordering::Relaxed)
    }

    /// Whether this is the same error, and not one that reads alike.
    pub(crate) fn same(&self, other: &Error) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        self.0.is_seen.store(true, Ordering::Relaxed);
        &self.0.kind
    }

    /// The stable code, such as `PX001`.
    pub fn code(&self) -> &'static str {
        self.0.is_seen.store(true, Ordering::Relaxed);
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

    /// The name of the exception class that NumPy raises for it, such as `ValueError`.
    pub fn numpy_class(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Op(error) => error.numpy_class(),
            ErrorKind::Data(error) => error.numpy_class(),
            ErrorKind::Failure(failure) => failure.numpy_class(),
        }
    }

    /// Whether the user has given up a wait. What was waited for may still come.
    pub fn is_interrupt(&self) -> bool {
        matches!(&self.0.kind, ErrorKind::Failure(failure) if failure.is_interrupt())
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
            write!(f, "\n  from    {site}")?;
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
