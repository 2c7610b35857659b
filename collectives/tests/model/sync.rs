//! The model checker's version of `src/sync.rs`.
//!
//! The checker orders `SeqCst` fences among each other, but treats `SeqCst` accesses as acquire and
//! release. Therefore this module puts such a fence between two successive `SeqCst` accesses of
//! counters. There is none beside a weaker access: the model orders less than the real program, and
//! never more than a program may rely on.

pub use loom::hint::spin_loop;
use loom::sync::MutexGuard;
pub use loom::thread::yield_now;
use std::cell::RefCell;
use std::sync::{Arc, LockResult};
use std::time::Duration;

/// Spinning shows the checker nothing that sleeping does not, and slows it down.
pub const SPINS: u32 = 0;
pub const YIELDS: u32 = 0;

thread_local! {
    /// The sleepers of the model that this thread checks: their locks and conditions.
    static SLEEPERS: RefCell<(Vec<Lock>, Vec<Condvar>)> = RefCell::default();
}

type Lock = Arc<loom::sync::Mutex<()>>;

/// Forgets the sleepers of the previous model.
pub fn begin() {
    SLEEPERS.take();
}

/// Ends all sleeps, as a time-out does. Time-outs happen at no other moment, so a lost wakeup is a
/// deadlock, which the checker reports.
pub fn pass_time() {
    let (locks, conditions) = SLEEPERS.with_borrow(Clone::clone);
    for (lock, condition) in locks.iter().zip(conditions) {
        drop(lock.lock());
        condition.notify_all();
    }
}

#[derive(Debug)]
pub struct Mutex<T>(Arc<loom::sync::Mutex<T>>);

impl Default for Mutex<()> {
    fn default() -> Mutex<()> {
        let lock = Lock::default();
        SLEEPERS.with_borrow_mut(|(locks, _)| locks.push(lock.clone()));
        Mutex(lock)
    }
}

impl<T> Mutex<T> {
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.0.lock()
    }
}

#[derive(Clone, Debug)]
pub struct Condvar(Arc<loom::sync::Condvar>);

impl Default for Condvar {
    fn default() -> Condvar {
        let condition = Condvar(Arc::default());
        SLEEPERS.with_borrow_mut(|(_, conditions)| conditions.push(condition.clone()));
        condition
    }
}

impl Condvar {
    pub fn wait_timeout<'a>(
        &self,
        guard: MutexGuard<'a, ()>,
        _: Duration,
    ) -> LockResult<MutexGuard<'a, ()>> {
        self.0.wait(guard)
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

pub mod atomic {
    use loom::sync::atomic::fence;
    pub use loom::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
    use std::cell::Cell;

    loom::thread_local! {
        /// Whether the last access of a counter was one with `SeqCst`.
        static SEQUENTIAL: Cell<bool> = Cell::new(false);
    }

    macro_rules! atomics {
        ($($name:ident $value:ty),*) => {$(
            #[derive(Debug, Default)]
            pub struct $name(loom::sync::atomic::$name);

            impl $name {
                pub fn new(value: $value) -> $name {
                    $name(loom::sync::atomic::$name::new(value))
                }

                pub fn load(&self, order: Ordering) -> $value {
                    self.before(order).load(order)
                }

                pub fn store(&self, value: $value, order: Ordering) {
                    self.before(order).store(value, order);
                }

                pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                    self.before(order).fetch_add(value, order)
                }

                pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                    self.before(order).fetch_sub(value, order)
                }

                pub fn compare_exchange(
                    &self,
                    current: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    self.before(success).compare_exchange(current, new, success, failure)
                }

                pub fn fetch_update(
                    &self,
                    set: Ordering,
                    fetch: Ordering,
                    mut next: impl FnMut($value) -> Option<$value>,
                ) -> Result<$value, $value> {
                    let mut value = self.load(fetch);
                    while let Some(new) = next(value) {
                        match self.compare_exchange(value, new, set, fetch) {
                            Ok(_) => return Ok(value),
                            Err(current) => value = current,
                        }
                    }
                    Err(value)
                }

                fn before(&self, order: Ordering) -> &loom::sync::atomic::$name {
                    let is_sequential = order == Ordering::SeqCst;
                    if SEQUENTIAL.with(|last| last.replace(is_sequential)) && is_sequential {
                        fence(Ordering::SeqCst);
                    }
                    &self.0
                }
            }
        )*};
    }

    atomics!(AtomicU64 u64, AtomicUsize usize);
}
