//! Conditions that wait for an observation, and what happens where they hold.

use super::state::{
    FloatingErrorKind, FloatingErrorMode, FloatingErrorReport, FloatingErrors, floating_errors,
};
use crate::array::Array;
use crate::error::{DataError, Error, Site, within};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::sync::{PoisonError, RwLock};

/// For each kind of error that an operation may have met, a 0-d array of bool that says whether it
/// did.
pub(super) type Met = SmallVec<[(FloatingErrorKind, Array); 2]>;

/// What an operation may have met.
struct Check {
    /// Ascends with the program.
    number: u64,
    met: Met,
    site: Site,
    then: Then,
}

enum Then {
    /// What the thread did about errors when it recorded the operation.
    Handle { errors: FloatingErrors, operation: &'static str },
    /// Warns of the data, whatever `errstate` says.
    Warn(&'static str),
}

/// A warning about data, as NumPy's `RuntimeWarning`.
#[derive(Clone, Copy, Debug)]
pub struct Warning {
    /// NumPy's text.
    pub text: &'static str,
    /// The line of the operation.
    pub site: Site,
}

/// How many pending warnings a thread keeps. It drops the oldest of more.
const MOST_WARNINGS: usize = 1024;

thread_local! {
    static CHECKS: RefCell<Vec<Check>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
    /// Whether the thread is reading conditions.
    static IS_SETTLING: Cell<bool> = const { Cell::new(false) };
}

/// The function that receives warnings.
static WARN: RwLock<Option<fn(Warning)>> = RwLock::new(None);

/// Sends warnings about data, such as "All-NaN slice encountered", to a function from now on;
/// without one, as at first, no operation looks for them. Those that depend on elements arrive at
/// the next observation on the thread of the operation, the others in its call. Returns the
/// function before.
///
/// Local: all ranks set one, or none does.
pub fn report_warnings(warn: Option<fn(Warning)>) -> Option<fn(Warning)> {
    let mut current = WARN.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *current, warn)
}

fn reporter_of_warnings() -> Option<fn(Warning)> {
    *WARN.read().unwrap_or_else(PoisonError::into_inner)
}

/// Whether warnings about data are asked for.
pub(crate) fn warns() -> bool {
    reporter_of_warnings().is_some()
}

/// Warns of data now.
pub(crate) fn warn(text: &'static str, site: Site) {
    if let Some(warn) = reporter_of_warnings() {
        warn(Warning { text, site });
    }
}

/// Warns of a call at `site`, at the next observation, if a 0-d array of bool holds. Local.
pub fn warn_where(text: &'static str, condition: Array, site: Site) {
    let met = Met::from_iter([(FloatingErrorKind::Invalid, condition)]);
    push(met, site, Then::Warn(text));
    CHECKS.with_borrow_mut(|checks| {
        let is_warning = |check: &Check| matches!(check.then, Then::Warn(_));
        if checks.iter().filter(|check| is_warning(check)).count() > MOST_WARNINGS
            && let Some(oldest) = checks.iter().position(is_warning)
        {
            checks.remove(oldest);
        }
    });
}

/// Notes what an operation may have met.
pub(super) fn note(operation: &'static str, met: Met, site: Site) {
    if !met.is_empty() {
        push(met, site, Then::Handle { errors: floating_errors(), operation });
    }
}

fn push(met: Met, site: Site, then: Then) {
    let number = NEXT.get();
    NEXT.set(number + 1);
    CHECKS.with_borrow_mut(|checks| checks.push(Check { number, met, site, then }));
}

/// The number of the next check.
pub(super) fn next_number() -> u64 {
    NEXT.get()
}

/// Checks that have been taken out of the queue of their thread.
pub(super) struct Taken(Vec<Check>);

/// Takes the checks from a number on.
pub(super) fn taken(from: u64) -> Taken {
    CHECKS.with_borrow_mut(|checks| {
        let place = checks.iter().position(|check| check.number >= from);
        Taken(checks.split_off(place.unwrap_or(checks.len())))
    })
}

/// Raises or reports what the operations met that have been computed. `is_collective` says that all
/// `processes` do this here: only then may one read what others compute.
pub(crate) fn observed(is_collective: bool, processes: usize) -> Result<(), Error> {
    let is_empty = CHECKS.with_borrow(Vec::is_empty);
    if is_empty || IS_SETTLING.get() || !(is_collective || processes == 1) {
        return Ok(());
    }
    let known = CHECKS.with_borrow_mut(|checks| {
        let is_pending = |check: &Check| check.met.iter().any(|(_, met)| met.is_pending());
        let count = checks.iter().position(is_pending).unwrap_or(checks.len());
        checks.drain(..count).collect()
    });
    settle(Taken(known))
}

/// Reads what operations met, and does what is asked for about it. Collective if a check is
/// pending.
pub(super) fn settle(checks: Taken) -> Result<(), Error> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_SETTLING.set(self.0);
        }
    }
    let _restore = Restore(IS_SETTLING.replace(true));
    for check in checks.0 {
        let mut met: SmallVec<[FloatingErrorKind; 2]> = SmallVec::new();
        for (kind, array) in &check.met {
            if within(check.site, || array.item::<bool>())? {
                met.push(*kind);
            }
        }
        let bits = met.iter().map(|kind| 1 << *kind as u8).sum();
        met.iter().try_for_each(|kind| check.handle(*kind, bits))?;
    }
    Ok(())
}

impl Check {
    /// Does what is asked for about an error that the operation met.
    fn handle(&self, kind: FloatingErrorKind, bits: u8) -> Result<(), Error> {
        let site = self.site;
        let (errors, operation) = match &self.then {
            Then::Warn(text) => {
                warn(text, site);
                return Ok(());
            }
            Then::Handle { errors, operation } => (errors, *operation),
        };
        let words = kind.words();
        match (errors.mode(kind), &errors.reporter) {
            (FloatingErrorMode::Ignore, _) => {}
            (FloatingErrorMode::Raise, _) => {
                return Err(Error::data(DataError::Floating { words, operation }, site));
            }
            (FloatingErrorMode::Report, Some(report)) => {
                report(&FloatingErrorReport { kind, bits, operation, site });
            }
            (FloatingErrorMode::Report, None) => {
                eprintln!("warning: {words} encountered in {operation}\n  from    {site}");
            }
        }
        Ok(())
    }
}
