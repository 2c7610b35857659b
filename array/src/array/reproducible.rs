//! Scopes in which results have the same bits on any number of devices.

use phalanx_graph::MeshHandle;
use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    /// What the innermost scope on this thread says; `None` outside of all.
    static SCOPE: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Runs `body`; operations that it records on the calling thread have results with the same bits on
/// any number of devices and processes and for any sharding, as long as all devices are CPUs or all
/// are GPUs. The page "Reproducible results" says how, and for which operations.
///
/// A value is computed in this way if it was recorded in `body`, wherever it is observed. Local;
/// call it on every rank, because the mode is part of what is recorded.
///
/// ```
/// # use phalanx_array as phalanx;
/// # use phalanx::Array;
/// # fn example(x: &Array) -> Array {
/// phalanx::reproducible(|| x.sum(()))
/// # }
/// ```
pub fn reproducible<R>(body: impl FnOnce() -> R) -> R {
    let _scope = Reproducible::begin(true);
    body()
}

/// A scope of [`reproducible`] on the thread that began it. The scope ends when it is dropped. It
/// serves bindings of languages whose blocks are not closures. Local.
pub struct Reproducible {
    /// What the scope around this one says.
    outer: Option<bool>,
    /// Not `Send`: the scope belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

impl Reproducible {
    /// Begins a scope in which results have the same bits on any number of devices, or, with
    /// `false`, one in which they may differ in their last bits.
    #[must_use]
    pub fn begin(is_on: bool) -> Reproducible {
        Reproducible { outer: SCOPE.replace(Some(is_on)), _not_send: PhantomData }
    }
}

impl Drop for Reproducible {
    fn drop(&mut self) {
        SCOPE.set(self.outer);
    }
}

/// Whether operations on arrays of a mesh are recorded in this way now.
#[inline]
pub(crate) fn is_reproducible(mesh: &MeshHandle) -> bool {
    SCOPE.get().unwrap_or_else(|| mesh.is_reproducible())
}
