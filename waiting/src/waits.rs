//! Waits, and the attendant of a language whose interpreter serves one thread at a time.
//!
//! While a thread waits, other threads may use an interpreter that serves one thread at a time, and
//! the user may interrupt the wait. A binding of such a language installs an [`Attendant`]. Every
//! wait of a thread that calls Phalanx uses [`aside`], [`interruptible`] or [`lock`];
//! without an attendant, these only wait.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// An attendant of waits: the interpreter of a language.
pub trait Attendant: Sync {
    /// Runs `wait` on the calling thread while other threads may use the interpreter.
    fn aside(&self, wait: &mut dyn FnMut());

    /// Whether the user interrupts the thread's wait. Called inside of `aside`.
    fn is_interrupted(&self) -> bool;
}

/// The user interrupted a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

/// The interval at which a wait checks for an interrupt.
pub const LOOK: Duration = Duration::from_millis(50);
/// From this many bytes on, a copy counts as a wait.
const LONG_COPY: usize = 1 << 18;

static ATTENDANT: OnceLock<&'static dyn Attendant> = OnceLock::new();

thread_local! {
    /// The current wait of the thread.
    static WAIT: RefCell<Option<Wait>> = const { RefCell::new(None) };
}

struct Wait {
    /// Whether the user can interrupt it.
    is_interruptible: bool,
    is_interrupted: bool,
    looked: Instant,
    /// Ends the work that the thread waits for.
    give_up: Option<Rc<dyn Fn()>>,
}

/// Installs the attendant of all waits. Only the first call has an effect.
pub fn attend(attendant: &'static dyn Attendant) {
    let _ = ATTENDANT.set(attendant);
}

/// Whether an attendant is installed.
pub fn is_attended() -> bool {
    ATTENDANT.get().is_some()
}

/// Runs `body`, a short wait that the user cannot interrupt.
pub fn aside<R>(body: impl FnOnce() -> R) -> R {
    within(false, None, body).0
}

/// Runs `body`, which takes as long as copying, reading or writing this many bytes: as [`aside`] if
/// that is long, otherwise directly.
pub fn copying<R>(bytes: usize, body: impl FnOnce() -> R) -> R {
    if bytes < LONG_COPY { body() } else { aside(body) }
}

/// Runs `body`, a wait that calls [`look`] often. When the user interrupts it, `look` calls
/// `give_up` and returns true from then on; either must make `body` return.
pub fn interruptible<R>(
    give_up: Option<Rc<dyn Fn()>>,
    body: impl FnOnce() -> R,
) -> Result<R, Interrupted> {
    let (result, is_interrupted) = within(true, give_up, body);
    if is_interrupted { Err(Interrupted) } else { Ok(result) }
}

/// Whether the user has interrupted the thread's wait; asks the attendant once in each interval.
/// Always false on threads without a wait, such as those of devices.
pub fn look() -> bool {
    let is_time = WAIT.with_borrow(|wait| {
        let wait = wait.as_ref().filter(|wait| wait.is_interruptible)?;
        Some((wait.is_interrupted, wait.looked.elapsed() >= LOOK))
    });
    let (Some((false, true)), Some(attendant)) = (is_time, ATTENDANT.get()) else {
        return is_time.is_some_and(|(is_interrupted, _)| is_interrupted);
    };
    // The attendant may run user code, whose waits are separate from this one.
    let Some(mut wait) = WAIT.take() else { return false };
    wait.is_interrupted = attendant.is_interrupted();
    wait.looked = Instant::now();
    let (is_interrupted, give_up) = (wait.is_interrupted, wait.give_up.clone());
    WAIT.set(Some(wait));
    if is_interrupted && let Some(give_up) = give_up {
        give_up();
    }
    is_interrupted
}

/// Locks a mutex that may be held for the time of a wait.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        // The thread that holds it may need the interpreter before it unlocks.
        Err(TryLockError::WouldBlock) => {
            aside(|| mutex.lock().unwrap_or_else(PoisonError::into_inner))
        }
    }
}

/// Runs `body` as a wait, or as part of the thread's current wait; also returns whether the wait
/// was interrupted.
fn within<R>(
    is_interruptible: bool,
    give_up: Option<Rc<dyn Fn()>>,
    body: impl FnOnce() -> R,
) -> (R, bool) {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            WAIT.take();
        }
    }
    let is_inner = WAIT.with_borrow(Option::is_some);
    let Some(attendant) = ATTENDANT.get().filter(|_| !is_inner) else {
        let result = body();
        let is_interrupted =
            WAIT.with_borrow(|wait| wait.as_ref().is_some_and(|wait| wait.is_interrupted));
        return (result, is_interrupted);
    };
    let (mut body, mut result) = (Some(body), None);
    attendant.aside(&mut || {
        let Some(body) = body.take() else { return };
        let looked = Instant::now();
        let give_up = give_up.clone();
        WAIT.set(Some(Wait { is_interruptible, is_interrupted: false, looked, give_up }));
        let _end = End;
        let answer = body();
        let is_interrupted =
            WAIT.with_borrow(|wait| wait.as_ref().is_some_and(|wait| wait.is_interrupted));
        result = Some((answer, is_interrupted));
    });
    result.unwrap_or_else(|| unreachable!("bug: an attendant did not run the wait"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Counts the waits, and interrupts them when the flag is set.
    #[derive(Default)]
    struct Counting {
        waits: AtomicUsize,
        interrupts: AtomicBool,
    }

    impl Attendant for Counting {
        fn aside(&self, wait: &mut dyn FnMut()) {
            self.waits.fetch_add(1, Ordering::SeqCst);
            wait();
        }
        fn is_interrupted(&self) -> bool {
            self.interrupts.load(Ordering::SeqCst)
        }
    }

    /// A single test, because a process has one attendant.
    #[test]
    fn waits_are_attended_and_end_when_the_user_asks() {
        static ATTENDANT: Counting =
            Counting { waits: AtomicUsize::new(0), interrupts: AtomicBool::new(false) };
        let waits = || ATTENDANT.waits.load(Ordering::SeqCst);
        assert_eq!(aside(|| 1), 1);
        assert!(!is_attended());
        attend(&ATTENDANT);
        assert_eq!((aside(|| 2), waits()), (2, 1));
        assert_eq!((aside(|| aside(|| 3)), waits()), (3, 2), "a wait inside of one is part of it");

        let mutex = Mutex::new(4);
        assert_eq!((*lock(&mutex), waits()), (4, 2), "nobody else holds it");
        std::thread::scope(|scope| {
            let held = lock(&mutex);
            let waiter = scope.spawn(|| *lock(&mutex));
            while waits() < 3 {
                std::thread::yield_now();
            }
            drop(held);
            assert_eq!(waiter.join().unwrap(), 4);
        });

        assert_eq!(interruptible(None, look), Ok(false));
        ATTENDANT.interrupts.store(true, Ordering::SeqCst);
        assert!(!look(), "a thread that does not wait");
        let until = |done: &dyn Fn() -> bool| {
            while !done() {
                std::thread::yield_now();
            }
        };
        assert_eq!(interruptible(None, || until(&look)), Err(Interrupted));
        let given_up = Rc::new(Cell::new(false));
        let (seen, give_up) = (given_up.clone(), given_up.clone());
        let give_up: Rc<dyn Fn()> = Rc::new(move || give_up.set(true));
        let wait = || {
            until(&|| {
                look();
                seen.get()
            });
        };
        assert_eq!(interruptible(Some(give_up), wait), Err(Interrupted));
        assert!(given_up.get());
        assert!(aside(|| !look()), "an interrupted wait continues");
    }
}
