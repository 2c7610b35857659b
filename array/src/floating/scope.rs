//! Scopes in which floating-point errors are checked: NumPy's `errstate`.

use super::checks;
use super::state::{FloatingErrors, set_floating_errors};
use phalanx_graph::Error;
use std::marker::PhantomData;

/// Runs `body` with the settings `errors` for floating-point errors, and then reads the conditions
/// of its operations: NumPy's `with errstate(...)`.
///
/// Collectivity  Collective if a checked operation of `body` is pending, else Local.
/// Errors        `DataError::Floating` in the mode `Raise`, with the line of the operation.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::{Array, Error, FloatingErrorMode, FloatingErrors};
/// # fn example(x: &Array, y: &Array) -> Result<(), Error> {
/// let errors = FloatingErrors::all(FloatingErrorMode::Raise);
/// let quotient = phalanx::errstate(errors, || x / y)?; // an error where y has a zero
/// # drop(quotient);
/// # Ok(())
/// # }
/// ```
pub fn errstate<R>(errors: FloatingErrors, body: impl FnOnce() -> R) -> Result<R, Error> {
    let scope = FloatingErrorScope::begin(errors);
    let result = body();
    scope.end()?;
    Ok(result)
}

/// A scope of [`errstate`] on the thread that began it. It serves bindings of languages whose
/// blocks are not closures. If it is dropped without [`FloatingErrorScope::end`], the errors of its
/// operations are not reported.
pub struct FloatingErrorScope {
    before: Option<FloatingErrors>,
    first_check: u64,
    /// Not `Send`: the settings belong to a thread.
    _not_send: PhantomData<*const ()>,
}

impl FloatingErrorScope {
    /// Begins a scope. Local.
    #[must_use]
    pub fn begin(errors: FloatingErrors) -> FloatingErrorScope {
        let before = Some(set_floating_errors(errors));
        FloatingErrorScope { before, first_check: checks::next_number(), _not_send: PhantomData }
    }

    /// Ends the scope, and raises or reports the errors of its operations. Collectivity and errors:
    /// those of [`errstate`].
    pub fn end(mut self) -> Result<(), Error> {
        self.restore();
        checks::taken(self.first_check).end()
    }

    fn restore(&mut self) {
        if let Some(before) = self.before.take() {
            set_floating_errors(before);
        }
    }
}

impl Drop for FloatingErrorScope {
    fn drop(&mut self) {
        if self.before.is_some() {
            self.restore();
            checks::taken(self.first_check).forget();
        }
    }
}
