//! Errors in data that are deferred until the program observes a value.
//!
//! An operation that may fail on its data records a condition: a replicated 0-d bool, so that all
//! ranks read the same value. Outside of [`deferred_errors`] the operation reads the condition at
//! once. Inside, the mesh keeps it ([`MeshHandle::check_later`]).

use super::capture::discard_capture;
use crate::array::Array;
use phalanx_graph::{Cause, Error, Held, MeshHandle, Site};
use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    /// The number of nested scopes of [`deferred_errors`] on this thread.
    static SCOPES: Cell<usize> = const { Cell::new(0) };
    /// Whether a matrix that cannot be factorised is an error on this thread.
    static CHECKS_MATRICES: Cell<bool> = const { Cell::new(true) };
}

/// Runs `body` with checks of data deferred: operations that may fail on their data do not wait.
///
/// Such an operation, for instance an integer `power`, otherwise closes the window at its call and
/// waits. Inside `body`, on the calling thread, it only records. Its result is unspecified where it
/// failed. The first failure is raised by the next observation of an array of the same mesh
/// (`evaluate`, `item`, `to_vec`, `flush` and similar), inside or after `body`, or by the end of
/// the session. The error names the line of the operation. The second failure is raised by the
/// observation after that. A Local observation raises only failures that are already computed.
///
/// Local.
///
/// ```
/// # use phalanx_array as phalanx;
/// # use phalanx::{Array, Error};
/// # fn example(base: &Array, exponents: &[Array]) -> Result<(), Error> {
/// let powers: Vec<Array> =
///     phalanx::deferred_errors(|| exponents.iter().map(|e| base.power(e)).collect());
/// // All of them are computed together. `flush` fails if an exponent was negative.
/// phalanx::flush()?;
/// # Ok(())
/// # }
/// ```
pub fn deferred_errors<R>(body: impl FnOnce() -> R) -> R {
    let _scope = DeferredErrors::begin();
    body()
}

/// A scope of [`deferred_errors`] on the thread that began it. The scope ends when it is dropped.
/// It serves bindings of languages whose blocks are not closures. Local.
pub struct DeferredErrors {
    /// Not `Send`: the scope counts on its thread.
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

/// Whether a matrix that cannot be factorised is an error on this thread. It is one unless
/// [`check_matrices`] has changed this. Local.
pub fn checks_matrices() -> bool {
    CHECKS_MATRICES.get()
}

/// Sets whether a matrix that cannot be factorised is an error on this thread from now on. If it is
/// not, the results of such a matrix are NaN, and functions that are Collective only for this check
/// are Local. Local; pass the same value on every rank.
pub fn check_matrices(checks: bool) {
    CHECKS_MATRICES.set(checks);
}

/// Whether checks of an array's data are deferred: the calling thread is inside of
/// [`deferred_errors`], or operations are captured.
pub(crate) fn is_deferring(array: &Array) -> bool {
    SCOPES.get() > 0 || array.mesh_of_base().is_ok_and(MeshHandle::is_capturing)
}

impl Array {
    /// Whether this 0-d bool array holds. Collective over the mesh.
    pub(crate) fn holds(&self, site: Site) -> Result<bool, Error> {
        Ok(self.to_host_for(Cause::Data, site)?.bytes[0] != 0)
    }

    /// Returns `error` if this 0-d bool array holds; inside of [`deferred_errors`], the next
    /// observation returns it. `Ok(true)` means that the condition was read and does not hold.
    /// Collective over the mesh; Local inside of `deferred_errors`.
    pub(crate) fn refuse(&self, error: Error, site: Site) -> Result<bool, Error> {
        if is_deferring(self) {
            let condition = Held::new(self.base_node()?);
            self.mesh()?.check_later(condition, error);
            return Ok(false);
        }
        if self.holds(site)? { Err(error) } else { Ok(true) }
    }
}

/// At the end of a session: ends a capture that the program has not ended, raises the first
/// deferred failure that has not been raised, and then the floating-point errors that `errstate`
/// asks for. Pending conditions are computed first. Collective over the mesh.
#[doc(hidden)]
pub fn raise_deferred(mesh: &MeshHandle, site: Site) -> Result<(), Error> {
    discard_capture(mesh, site);
    mesh.raise_pending(site)?;
    crate::floating::finish(mesh)
}
