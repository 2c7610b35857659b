//! Errors in data that are put off until the program observes something.
//!
//! An operation that may fail on its data records a condition beside it: a 0-d bool, replicated, so
//! that all ranks see it alike. Out of [`deferred_errors`] the operation reads the condition at
//! once; inside, the mesh keeps it as a [`Check`].

use crate::array::Array;
use crate::engine::Cause;
use crate::error::{Error, Site};
use crate::graph::{Held, Node};
use crate::window::MeshHandle;
use phalanx_ops::AffineMap;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

thread_local! {
    /// How many scopes of [`deferred_errors`] the thread is in.
    static SCOPES: Cell<usize> = const { Cell::new(0) };
    /// Whether matrices that cannot be factorised are errors on the thread.
    static CHECKS_MATRICES: Cell<bool> = const { Cell::new(true) };
}

/// A condition that was recorded, and the error to raise where it holds.
pub(crate) struct Check {
    condition: Held,
    error: Error,
}

/// Runs `body`, in which operations that may fail on their data do not wait to see whether they do.
///
/// Such an operation, an integer `power` for instance, otherwise closes the window at its call and
/// waits. Inside `body`, on the calling thread, it only records, and what it gives where it failed
/// is unspecified. The first failure is raised instead by the next observation of an array of the
/// same mesh (`evaluate`, `item`, `to_vec`, `flush` and their like), inside of `body` or after it,
/// or by the end of the session, with the line of the operation; the next one, by the observation
/// after that. An observation that is Local tells of failures that are known by then.
///
/// Local.
///
/// ```
/// # use phalanx_array as phalanx;
/// # use phalanx::{Array, Error};
/// # fn example(base: &Array, exponents: &[Array]) -> Result<(), Error> {
/// let powers: Vec<Array> =
///     phalanx::deferred_errors(|| exponents.iter().map(|e| base.power(e)).collect());
/// // All of them are computed together, and here it shows whether an exponent was negative.
/// phalanx::flush()?;
/// # Ok(())
/// # }
/// ```
pub fn deferred_errors<R>(body: impl FnOnce() -> R) -> R {
    let _scope = DeferredErrors::begin();
    body()
}

/// A scope of [`deferred_errors`] on the thread that began it, until it is dropped: for bindings of
/// languages whose blocks are no closures. Local.
pub struct DeferredErrors {
    /// The scope belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl DeferredErrors {
    /// Begins a scope.
    #[must_use]
    pub fn begin() -> DeferredErrors {
        SCOPES.set(SCOPES.get() + 1);
        DeferredErrors { _not_send: PhantomData }
    }
}

impl Drop for DeferredErrors {
    fn drop(&mut self) {
        SCOPES.set(SCOPES.get() - 1);
    }
}

/// Whether a matrix that cannot be factorised is an error on this thread, as it is unless
/// [`check_matrices`] says otherwise. Local.
pub fn checks_matrices() -> bool {
    CHECKS_MATRICES.get()
}

/// Says whether a matrix that cannot be factorised is an error on this thread from now on. Where it
/// is none, what is made of the matrix is NaN, and functions that are Collective for this check
/// alone are Local. Local: every rank says the same.
pub fn check_matrices(checks: bool) {
    CHECKS_MATRICES.set(checks);
}

/// Whether the calling thread is inside of [`deferred_errors`].
pub(crate) fn is_deferring() -> bool {
    SCOPES.get() > 0
}

impl Array {
    /// Whether this 0-d array of bool holds. Collective over the mesh.
    pub(crate) fn holds(&self, site: Site) -> Result<bool, Error> {
        Ok(self.to_host_for(Cause::Data, site)?.bytes[0] != 0)
    }

    /// Returns `error` if this 0-d array of bool holds: at once, or inside of [`deferred_errors`]
    /// at the next observation. Says whether it was seen that it does not hold. Collective over the
    /// mesh, inside of `deferred_errors` Local.
    pub(crate) fn refuse(&self, error: Error, site: Site) -> Result<bool, Error> {
        if SCOPES.get() > 0 {
            let condition = Held::new(self.base_node()?);
            self.mesh()?.checks().push_back(Check { condition, error });
            return Ok(false);
        }
        if self.holds(site)? { Err(error) } else { Ok(true) }
    }
}

impl MeshHandle {
    /// Raises the first failure among the conditions that have been computed.
    ///
    /// `is_collective` says that all ranks do this here. Where only some may, the failure is kept,
    /// so that the others hear of it at the next place where all do.
    pub(crate) fn raise_known(&self, is_collective: bool) -> Result<(), Error> {
        let takes = is_collective || self.engine().process().1 == 1;
        loop {
            let (condition, error) = match self.checks().front() {
                Some(check) if check.condition.result().is_some() => {
                    (check.condition.clone(), check.error.clone())
                }
                _ => return Ok(()),
            };
            let outcome = self.holds(&condition);
            if let Err(error) = &outcome
                && error.is_interrupt()
            {
                return outcome.map(drop);
            }
            let failed = !matches!(outcome, Ok(false));
            if takes || !failed {
                self.checks().pop_front();
            }
            match outcome {
                Ok(false) => {}
                Ok(true) => return Err(error),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// At the end of a session: raises the first failure that was put off and not raised yet, and
    /// what operations met that `errstate` asks for; conditions that are pending
    /// are computed for that. Collective over the mesh.
    pub fn raise_deferred(&self, site: Site) -> Result<(), Error> {
        self.raise_known(true)?;
        let pending = self.checks().front().map(|check| check.condition.clone());
        match pending {
            Some(condition) => self.close_for(&condition, Cause::Observation, site)?,
            None => return crate::floating::finish(self),
        }
        self.raise_known(true)?;
        crate::floating::finish(self)
    }

    fn holds(&self, condition: &Arc<Node>) -> Result<bool, Error> {
        let value = match condition.result() {
            Some(result) => result.clone()?,
            None => unreachable!("bug: a condition is read before it is computed"),
        };
        self.engine().wait(&value)?;
        match self.engine().read(&value, &[], &AffineMap::identity(&[]))? {
            Some(host) => Ok(host.bytes[0] != 0),
            None => unreachable!("bug: a 0-d value is held by every process"),
        }
    }
}
