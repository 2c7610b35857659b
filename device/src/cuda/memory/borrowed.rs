//! Foreign memory that enqueued work may still read.

use crate::cuda::driver::{Context, Mark};
use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The owner of foreign memory.
pub(in crate::cuda) type Owner = Arc<dyn Any + Send + Sync>;

/// Owners of foreign memory, each with the end of the work that reads it, the oldest first.
#[derive(Default)]
pub(super) struct Borrowed(Mutex<VecDeque<(Mark, Owner)>>);

impl Borrowed {
    /// Keeps an owner until the work before the mark is done.
    pub fn keep(&self, mark: Mark, owner: Owner) {
        let mut borrowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        borrowed.push_back((mark, owner));
    }

    /// Releases foreign memory that no work reads any more.
    pub fn release_done(&self, context: &Context) {
        loop {
            // Dropping an owner may run any code, so the lock is not held.
            let mut borrowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match borrowed.front() {
                Some((mark, _)) if mark.is_past(context) => {}
                _ => return,
            }
            let done = borrowed.pop_front();
            drop(borrowed);
            drop(done);
        }
    }
}
