//! The error of the public API: the cause and the call site.

use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A line of the user's program that made a call, in any language.
#[derive(Clone, Copy)]
pub struct Site(&'static dyn Place);

/// A line of a program.
///
/// A binding of another language makes one for each line that calls, never frees it, and runs the
/// calls of the line inside of [`called_from`].
pub trait Place: Sync {
    /// The file.
    fn file(&self) -> &str;
    /// The line number, from 1; 0 if this is not a line, such as the end of the program.
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
    /// The site of a place.
    #[inline]
    pub const fn new(place: &'static dyn Place) -> Site {
        Site(place)
    }

    /// The Rust line that calls the function in which this is called.
    #[track_caller]
    pub fn caller() -> Site {
        Site(Location::caller())
    }

    /// The file.
    pub fn file(self) -> &'static str {
        self.0.file()
    }

    /// The line number, from 1; 0 if this is not a line.
    pub fn line(self) -> u32 {
        self.0.line()
    }

    /// A number that identifies the place within this process.
    #[inline]
    pub(crate) fn identity(self) -> usize {
        std::ptr::from_ref(self.0).cast::<()>() as usize
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line() {
            // A place that is not a line, such as the end of the program, is printed by name.
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

/// The user's line that called the public function that is running.
#[derive(Clone, Copy)]
struct Outermost {
    site: Site,
    /// Whether a function of `array` makes the calls, rather than a binding of another language.
    is_nested: bool,
}

thread_local! {
    static OUTERMOST: Cell<Option<Outermost>> = const { Cell::new(None) };
}

/// The user's line that called the public function in which this is called.
///
/// A function that calls other public functions runs them inside of [`within`]. Their nodes and
/// errors then have the line of its caller, not a line of the library.
#[inline]
#[track_caller]
pub fn call_site() -> Site {
    match OUTERMOST.get() {
        Some(outermost) => outermost.site,
        None => Site::caller(),
    }
}

/// Runs `body`. All its calls of public functions count as the call at `site`. Local.
pub fn within<R>(site: Site, body: impl FnOnce() -> R) -> R {
    with_outermost(Some(Outermost { site, is_nested: true }), body)
}

/// Runs `body` with `site` as the user's line of its calls of public functions. Use it in bindings
/// of other languages, where [`call_site`] would return a line of the binding. Local.
pub fn called_from<R>(site: Site, body: impl FnOnce() -> R) -> R {
    with_outermost(Some(Outermost { site, is_nested: false }), body)
}

/// Runs `body`, of which one call is the call at `site` in another form: it reports its
/// floating-point errors as if the user had made it. Local.
pub fn in_place_of<R>(site: Site, body: impl FnOnce() -> R) -> R {
    with_outermost(Some(Outermost { site, is_nested: is_nested() }), body)
}

/// Whether the call is made by another function of the library, inside of [`within`].
#[inline]
pub fn is_nested() -> bool {
    OUTERMOST.get().is_some_and(|outermost| outermost.is_nested)
}

/// Runs a function that the user passed: its calls have their own lines.
pub fn outside<R>(body: impl FnOnce() -> R) -> R {
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
    /// Advice to the user.
    fn hint(&self) -> &'static str;
    /// The name of the exception class that NumPy or Python raises for such a failure.
    fn numpy_class(&self) -> &'static str {
        "RuntimeError"
    }
    /// Whether the user interrupted a wait. The result is not lost.
    fn is_interrupt(&self) -> bool {
        false
    }
}

/// An error in the elements of an operand, found when they are computed.
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
    /// A position below zero or beyond its axis, for an operation in which negative positions do
    /// not count from the end.
    #[error("{operation}: {argument} must be at least 0 and less than {extent}")]
    PositionsBeyond {
        /// The operation.
        operation: &'static str,
        /// The argument.
        argument: &'static str,
        /// The axis's extent.
        extent: usize,
    },
    /// Starts of rows that descend, or that do not range from 0 to the number of entries.
    #[error(
        "{operation}: starts must run from 0 to the number of entries ({entries}) without \
         descending"
    )]
    Starts {
        /// The operation.
        operation: &'static str,
        /// The number of entries.
        entries: usize,
    },
    /// A position or choice beyond the available elements.
    #[error("a position is out of bounds for {size} elements")]
    PositionRange {
        /// The number of elements.
        size: usize,
    },
    /// Edges of bins that do not ascend, or neither ascend nor descend.
    #[error("bins must be monotonically {expected}")]
    NotMonotone {
        /// The required order.
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
        /// The name of the factorisation.
        decomposition: &'static str,
    },
    /// A slice in which all elements are NaN.
    #[error("{operation}: all-NaN slice encountered")]
    AllNan {
        /// The operation.
        operation: &'static str,
    },
    /// A floating-point error for which `errstate` has the mode `raise`.
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
    /// A negative element where none is allowed.
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

    /// Advice to the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            DataError::NegativePower { .. } => {
                "convert the base to a float dtype with astype first, or use float_power"
            }
            DataError::AllNan { .. } => {
                "leave out or fill the slices where isnan().all(axis) is true"
            }
            DataError::Floating { .. } => "check the operands, or set another mode with errstate",
            DataError::ZeroWeights => "check the sum of the weights along the axes",
            DataError::Negative { .. } => {
                "subtract the smallest element first, or leave the negative ones out"
            }
            DataError::IndexRange { .. } | DataError::PositionRange { .. } => {
                "positions run from 0, or from -1 backwards; see take's modes"
            }
            DataError::PositionsBeyond { .. } => "add the extent to negative positions first",
            DataError::Starts { .. } => "see Csr::from_triplets for entries in any order",
            DataError::NotMonotone { .. } => "sort the edges first",
            DataError::Singular => "see linalg::lstsq and pinv for matrices without an inverse",
            DataError::NotPositiveDefinite => "check the eigenvalues with linalg::eigvalsh",
            DataError::NotConverged { .. } => "look for infinities and NaN in the matrix",
        }
    }
}

/// An error of the public API. It is cheap to clone. An array that could not be made carries one.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    site: Option<Site>,
    /// Whether the program has seen the error since an array last took it.
    is_seen: AtomicBool,
}

/// The kind of an error.
#[derive(Debug)]
pub enum ErrorKind {
    /// An error in the arguments of a call.
    Op(OpError),
    /// An error in the elements of an operand.
    Data(DataError),
    /// A failure during execution.
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

    /// A failure of the work that the call at `site` requested.
    pub fn failure(failure: impl Failure, site: Option<Site>) -> Error {
        Error::new(ErrorKind::Failure(Box::new(failure)), site)
    }

    fn new(kind: ErrorKind, site: Option<Site>) -> Error {
        Error(Arc::new(Inner { kind, site, is_seen: AtomicBool::new(false) }))
    }

    /// Records that an array carries the error. The program counts as not having seen it there.
    pub(crate) fn is_carried(&self) {
        self.0.is_seen.store(false, Ordering::Relaxed);
    }

    /// The error, marked as seen because it is returned to the program.
    pub fn reported(self) -> Error {
        self.0.is_seen.store(true, Ordering::Relaxed);
        self
    }

    /// Whether the program has seen the error.
    pub(crate) fn is_seen(&self) -> bool {
        self.0.is_seen.load(Ordering::Relaxed)
    }

    /// Whether both are clones of one error; errors with equal text can differ.
    pub(crate) fn same(&self, other: &Error) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The kind of the error. Marks it as seen.
    pub fn kind(&self) -> &ErrorKind {
        self.0.is_seen.store(true, Ordering::Relaxed);
        &self.0.kind
    }

    /// The stable code, such as `PX001`. Marks the error as seen.
    pub fn code(&self) -> &'static str {
        self.0.is_seen.store(true, Ordering::Relaxed);
        match &self.0.kind {
            ErrorKind::Op(error) => error.code(),
            ErrorKind::Data(error) => error.code(),
            ErrorKind::Failure(failure) => failure.code(),
        }
    }

    /// Advice to the user.
    pub fn hint(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Op(error) => error.hint(),
            ErrorKind::Data(error) => error.hint(),
            ErrorKind::Failure(failure) => failure.hint(),
        }
    }

    /// The name of the exception class that NumPy raises for the error, such as `ValueError`.
    pub fn numpy_class(&self) -> &'static str {
        match &self.0.kind {
            ErrorKind::Op(error) => error.numpy_class(),
            ErrorKind::Data(error) => error.numpy_class(),
            ErrorKind::Failure(failure) => failure.numpy_class(),
        }
    }

    /// Whether the user interrupted a wait. The awaited result may still arrive.
    pub fn is_interrupt(&self) -> bool {
        matches!(&self.0.kind, ErrorKind::Failure(failure) if failure.is_interrupt())
    }

    /// The user's line that caused the error, if a line did.
    #[inline]
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
