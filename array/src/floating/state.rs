//! The settings of a thread for floating-point errors.

use phalanx_graph::Site;
use std::cell::RefCell;
use std::rc::Rc;

/// A kind of floating-point error, in NumPy's order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatingErrorKind {
    /// A division by zero.
    Divide,
    /// A result that is too large.
    Over,
    /// A result that is too small. No operation detects it.
    Under,
    /// A result that is NaN.
    Invalid,
}

impl FloatingErrorKind {
    /// All kinds.
    pub const ALL: [FloatingErrorKind; 4] = [
        FloatingErrorKind::Divide,
        FloatingErrorKind::Over,
        FloatingErrorKind::Under,
        FloatingErrorKind::Invalid,
    ];

    /// NumPy's words for the kind, as in "divide by zero encountered in divide".
    pub const fn words(self) -> &'static str {
        match self {
            FloatingErrorKind::Divide => "divide by zero",
            FloatingErrorKind::Over => "overflow",
            FloatingErrorKind::Under => "underflow",
            FloatingErrorKind::Invalid => "invalid value",
        }
    }
}

/// The action when an operation meets an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FloatingErrorMode {
    /// No action; the operation does not check.
    #[default]
    Ignore,
    /// The next observation returns `DataError::Floating`.
    Raise,
    /// The next observation calls the reporter; without one it writes a line to standard error.
    Report,
}

/// An error that an operation met.
#[derive(Clone, Copy, Debug)]
pub struct FloatingErrorReport {
    /// The kind.
    pub kind: FloatingErrorKind,
    /// NumPy's bits of all kinds that the operation met: 1, 2, 4 and 8 in the order of the kinds.
    pub bits: u8,
    /// NumPy's name of the operation.
    pub operation: &'static str,
    /// The line of the operation.
    pub site: Site,
}

/// The function that receives reports.
pub type FloatingErrorReporter = Rc<dyn Fn(&FloatingErrorReport)>;

/// The settings of a thread for floating-point errors: NumPy's `seterr` and `seterrcall`.
#[derive(Clone, Default)]
pub struct FloatingErrors {
    /// The mode of each kind, in the order of [`FloatingErrorKind::ALL`].
    pub modes: [FloatingErrorMode; 4],
    /// The function that receives reports.
    pub reporter: Option<FloatingErrorReporter>,
}

impl FloatingErrors {
    /// The same mode for all kinds.
    pub const fn all(mode: FloatingErrorMode) -> FloatingErrors {
        FloatingErrors { modes: [mode; 4], reporter: None }
    }

    /// The mode of a kind.
    pub const fn mode(&self, kind: FloatingErrorKind) -> FloatingErrorMode {
        self.modes[kind as usize]
    }
}

thread_local! {
    static CURRENT: RefCell<FloatingErrors> =
        const { RefCell::new(FloatingErrors::all(FloatingErrorMode::Ignore)) };
}

/// The settings of this thread for floating-point errors. Local.
pub fn floating_errors() -> FloatingErrors {
    CURRENT.with_borrow(FloatingErrors::clone)
}

/// Sets the settings of this thread for floating-point errors, and returns the previous ones.
/// Local; use the same settings on all ranks.
pub fn set_floating_errors(errors: FloatingErrors) -> FloatingErrors {
    CURRENT.replace(errors)
}

/// Whether the thread checks for errors of a kind.
pub(super) fn looks_for(kind: FloatingErrorKind) -> bool {
    CURRENT.with_borrow(|errors| errors.mode(kind) != FloatingErrorMode::Ignore)
}

/// Whether the thread checks for errors of any kind.
pub(crate) fn is_on() -> bool {
    CURRENT.with_borrow(|errors| errors.modes != [FloatingErrorMode::Ignore; 4])
}
