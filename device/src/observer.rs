//! Reports of the memory blocks that devices allocate, give and take back.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A step in the life of a memory block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The pool of a device asks its allocator for a new memory block.
    Allocate,
    /// The allocator has given it.
    Allocated,
    /// A memory block is requested from the pool.
    Take,
    /// The pool has given it.
    Taken,
    /// A memory block is given back to the pool.
    Free,
    /// The pool has it.
    Freed,
}

/// What happens to a memory block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryEvent {
    /// The step.
    pub stage: Stage,
    /// The name of the device, such as `cuda:0`.
    pub device: String,
    /// The bytes that were asked for.
    pub bytes: usize,
    /// The bytes of the memory block.
    pub size: usize,
    /// Its address; 0 if it is not known yet.
    pub address: usize,
    /// The call whose result the memory is for, as file and line; none if that is not known.
    pub site: Option<String>,
}

impl MemoryEvent {
    pub(crate) fn new(
        stage: Stage,
        device: &str,
        bytes: usize,
        size: usize,
        address: usize,
    ) -> MemoryEvent {
        let site = SITE.with_borrow(Option::clone);
        MemoryEvent { stage, device: String::from(device), bytes, size, address, site }
    }
}

/// Receives what happens to memory blocks.
///
/// It is called by any thread, also while locks are held: it must neither wait nor use a device,
/// and it takes only locks under which no thread waits (for an interpreter, either).
pub trait MemoryObserver: Send + Sync {
    /// Receives an event.
    fn observe(&self, event: MemoryEvent);
}

thread_local! {
    /// The call for which the thread allocates.
    static SITE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static IS_OBSERVED: AtomicBool = AtomicBool::new(false);
static OBSERVER: RwLock<Option<Arc<dyn MemoryObserver>>> = RwLock::new(None);

/// Lets an observer receive the events of all devices of the process from now on, instead of the
/// one before. `None` for no observer. Local.
pub fn observe_memory(observer: Option<Arc<dyn MemoryObserver>>) {
    IS_OBSERVED.store(observer.is_some(), Ordering::Relaxed);
    // The one before is dropped after the lock is released.
    let _before =
        std::mem::replace(&mut *OBSERVER.write().unwrap_or_else(PoisonError::into_inner), observer);
}

/// Whether there is an observer.
pub fn is_observed() -> bool {
    IS_OBSERVED.load(Ordering::Relaxed)
}

/// Runs `body`, whose events are for the result of the call at `site`. Local.
pub fn for_call<R>(site: Option<String>, body: impl FnOnce() -> R) -> R {
    struct Reset(Option<String>);
    impl Drop for Reset {
        fn drop(&mut self) {
            SITE.set(self.0.take());
        }
    }
    let _reset = Reset(SITE.replace(site));
    body()
}

/// Tells the observer what happens; without one, `event` is not called.
pub(crate) fn note(event: impl FnOnce() -> MemoryEvent) {
    if !is_observed() {
        return;
    }
    // The lock is not held during the call: a thread that sets another observer may hold what the
    // observer needs.
    let observer = OBSERVER.read().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(observer) = observer {
        observer.observe(event());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuDevice, Device};
    use std::sync::Mutex;

    /// Keeps the events of one device.
    struct Keeping(Mutex<Vec<MemoryEvent>>);

    impl MemoryObserver for Keeping {
        fn observe(&self, event: MemoryEvent) {
            if event.bytes == 777 || event.size == 832 {
                self.0.lock().unwrap().push(event);
            }
        }
    }

    /// A single test, because a process has one observer.
    #[test]
    fn an_observer_receives_the_life_of_a_block() {
        let observer = Arc::new(Keeping(Mutex::default()));
        observe_memory(Some(observer.clone()));
        let device = CpuDevice::all(1, 1, None, None).unwrap().remove(0);
        let site = || Some(String::from("a.py:1"));
        let buffer = for_call(site(), || device.clone().allocate(777)).unwrap();
        drop(buffer);
        let again = device.clone().allocate(777).unwrap();
        observe_memory(None);
        drop(again);
        let events = observer.0.lock().unwrap();
        let stages: Vec<Stage> = events.iter().map(|event| event.stage).collect();
        use Stage::*;
        assert_eq!(stages, [Take, Allocate, Allocated, Taken, Free, Freed, Take, Taken]);
        assert_eq!((&events[0].site, &events[6].site), (&site(), &None));
        let known: Vec<bool> = events.iter().map(|event| event.address != 0).collect();
        assert_eq!(known, [false, false, true, true, true, true, false, true]);
        assert!(events.iter().all(|event| event.device == "cpu:0" && event.size == 832));
    }
}
