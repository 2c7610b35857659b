//! The flag that every wait of a world watches.

use crate::CollectiveError;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

/// The first fatal error of a world, if one has happened.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    failed: AtomicBool,
    error: OnceLock<CollectiveError>,
}

impl Failure {
    /// Ends the world with `error` unless it has ended already. Returns whether this call ended it.
    pub(crate) fn set(&self, error: CollectiveError) -> bool {
        self.set_after(error, || {})
    }

    /// As `set`. If this call ends the world, it calls `post` before any thread of this process
    /// sees the failure and may leave.
    pub(crate) fn set_after(&self, error: CollectiveError, post: impl FnOnce()) -> bool {
        let first = self.error.set(error).is_ok();
        if first {
            post();
        }
        self.failed.store(true, Ordering::Release);
        first
    }

    /// Whether the world has ended.
    pub(crate) fn is_set(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// The error that ended the world.
    pub(crate) fn get(&self) -> Option<CollectiveError> {
        if self.is_set() { self.error.get().cloned() } else { None }
    }

    /// The error that ended the world, as a result.
    pub(crate) fn check(&self) -> Result<(), CollectiveError> {
        match self.get() {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}
