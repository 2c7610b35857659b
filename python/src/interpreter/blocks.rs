//! Blocks of `with` statements. A block belongs to the thread that entered it, because it changes
//! settings of that thread. The object of a block may be used and dropped by any thread.

use super::errors::refused;
use super::mistakes::Mistake;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An open block, and the value that it keeps until it ends.
struct Open {
    number: u64,
    kept: Box<dyn Any>,
}

thread_local! {
    /// The blocks of the thread.
    static OPEN: RefCell<Vec<Open>> = const { RefCell::new(Vec::new()) };
}

/// The blocks that an object has entered.
#[derive(Default)]
pub struct Blocks(Mutex<Vec<u64>>);

impl Blocks {
    /// Enters a block, which keeps a value on the thread.
    pub fn enter(&self, kept: impl Any) {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        OPEN.with_borrow_mut(|open| open.push(Open { number, kept: Box::new(kept) }));
        self.entered().push(number);
    }

    /// Leaves the block of the object that the thread entered last; returns the kept value.
    pub fn leave<T: Any>(&self, name: &str) -> PyResult<T> {
        let mut entered = self.entered();
        let found = OPEN.with_borrow_mut(|open| {
            let of_thread = |number: &u64| open.iter().position(|block| block.number == *number);
            let last = entered.iter().enumerate().rev();
            let (place, at) =
                last.filter_map(|(place, number)| Some((place, of_thread(number)?))).next()?;
            entered.remove(place);
            Some(open.remove(at))
        });
        let is_elsewhere = !entered.is_empty();
        drop(entered);
        match found.map(|block| block.kept.downcast::<T>()) {
            Some(Ok(kept)) => Ok(*kept),
            Some(Err(_)) => unreachable!("bug: a block keeps another type than its own"),
            None if is_elsewhere => Err(refused::<PyRuntimeError>(
                Mistake::State,
                format!("phalanx.{name}: a block ends on the thread that entered it"),
            )),
            None => Err(refused::<PyRuntimeError>(
                Mistake::State,
                format!("phalanx.{name}: the block was not entered"),
            )),
        }
    }

    fn entered(&self) -> MutexGuard<'_, Vec<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
