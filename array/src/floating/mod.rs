//! Floating-point errors and warnings about data: NumPy's `errstate`, without a wait in each call.
//!
//! Errors are ignored until a program enables them. Then each operation also records whether it met
//! an error: 0-d arrays that fuse with its kernel. The next observation reads them, and raises or
//! reports the errors with the line of the operation.

mod checks;
mod conditions;
mod discards;
mod scope;
mod state;

pub use checks::{Warning, WarningReceiver, report_warnings, warn_where};
pub(crate) use checks::{finish, observed, warn, warns};
pub(crate) use conditions::{
    check_cast, check_elementwise, check_number, check_product, check_reduction, check_scan,
    error_of_number, kind_of_infinity, looks,
};
pub(crate) use discards::{warn_assigned, warn_discarded, warn_filled};
pub use scope::{FloatingErrorScope, errstate};
pub(crate) use state::is_on;
pub use state::{
    FloatingErrorKind, FloatingErrorMode, FloatingErrorReport, FloatingErrorReporter,
    FloatingErrors, floating_errors, set_floating_errors,
};
