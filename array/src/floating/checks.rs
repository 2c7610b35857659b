//! Conditions that wait for an observation, and what happens where they hold.

use super::state::{
    FloatingErrorKind, FloatingErrorMode, FloatingErrorReport, FloatingErrors, floating_errors,
};
use crate::array::Array;
use crate::error::{DataError, Error, Site, outside, within};
use crate::window::MeshHandle;
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
    /// The mesh of the operation. Ranks observe the values of one mesh together, and may observe
    /// those of another alone.
    mesh: MeshHandle,
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
    // The check ends outside of the borrow: its array may be the last of an owner's.
    drop(CHECKS.with_borrow_mut(|checks| {
        let is_too_many = checks.iter().filter(|check| check.is_warning()).count() > MOST_WARNINGS;
        let oldest = checks.iter().position(Check::is_warning).filter(|_| is_too_many);
        oldest.map(|oldest| checks.remove(oldest))
    }));
}

/// Notes what an operation may have met.
pub(super) fn note(operation: &'static str, met: Met, site: Site) {
    if !met.is_empty() {
        push(met, site, Then::Handle { errors: floating_errors(), operation });
    }
}

fn push(met: Met, site: Site, then: Then) {
    // An array without a mesh carries an error, which its observation returns.
    let Some(Ok(mesh)) = met.first().map(|(_, array)| array.mesh()) else { return };
    let number = NEXT.get();
    NEXT.set(number + 1);
    CHECKS.with_borrow_mut(|checks| checks.push(Check { number, mesh, met, site, then }));
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

/// Raises or reports what operations of a mesh met that have been computed, in the order of the
/// program up to the first that has not. `is_collective` says that all processes of the mesh do
/// this here: a process alone neither reads what others compute nor raises what they do not.
pub(crate) fn observed(mesh: &MeshHandle, is_collective: bool) -> Result<(), Error> {
    let is_empty = CHECKS.with_borrow(Vec::is_empty);
    if is_empty || IS_SETTLING.get() || !(is_collective || mesh.engine().process().1 == 1) {
        return Ok(());
    }
    let mut is_known = true;
    let known = taken_where(|check| {
        let is_of_mesh = check.mesh.same(mesh);
        is_known &= !is_of_mesh || check.met.iter().all(|(_, met)| !met.is_pending());
        is_of_mesh && is_known
    });
    settle(known).map_err(|(error, rest)| {
        CHECKS.with_borrow_mut(|checks| checks.splice(..0, rest.0).for_each(drop));
        error
    })
}

/// Raises or reports what operations of a mesh met, before its session ends. Collective over the
/// mesh.
pub(crate) fn finish(mesh: &MeshHandle) -> Result<(), Error> {
    let all = taken_where(|check| check.mesh.same(mesh));
    // One error is returned, as from an observation; warnings all arrive.
    settle(all).or_else(|(error, rest)| {
        let warnings = rest.0.into_iter().filter(Check::is_warning).collect();
        settle(Taken(warnings)).map_err(|(error, _)| error).and(Err(error))
    })
}

/// Takes the checks for which `belongs` holds, in the order of the program.
fn taken_where(mut belongs: impl FnMut(&Check) -> bool) -> Taken {
    CHECKS.with_borrow_mut(|checks| {
        let (known, others) = std::mem::take(checks).into_iter().partition(|it| belongs(it));
        *checks = others;
        Taken(known)
    })
}

/// Reads what operations met, and does what is asked for about it. Collective if a check is
/// pending. An error comes with the checks behind it.
fn settle(checks: Taken) -> Result<(), (Error, Taken)> {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_SETTLING.set(self.0);
        }
    }
    let _restore = Restore(IS_SETTLING.replace(true));
    let mut rest = checks.0.into_iter();
    while let Some(check) = rest.next() {
        check.settle().map_err(|error| (error, Taken(rest.by_ref().collect())))?;
    }
    Ok(())
}

impl Taken {
    /// Ends a scope: raises or reports what its operations met. Warnings outlive an error.
    pub(super) fn end(self) -> Result<(), Error> {
        settle(self).map_err(|(error, rest)| {
            rest.forget();
            error
        })
    }

    /// Forgets what operations met, but for warnings about data, which `errstate` does not rule.
    pub(super) fn forget(self) {
        let warnings = self.0.into_iter().filter(Check::is_warning);
        CHECKS.with_borrow_mut(|checks| checks.extend(warnings));
    }
}

impl Check {
    const fn is_warning(&self) -> bool {
        matches!(self.then, Then::Warn(_))
    }

    fn settle(&self) -> Result<(), Error> {
        let mut met: SmallVec<[FloatingErrorKind; 2]> = SmallVec::new();
        for (kind, array) in &self.met {
            if within(self.site, || array.item::<bool>())? {
                met.push(*kind);
            }
        }
        let bits = met.iter().map(|kind| 1 << *kind as u8).sum();
        met.iter().try_for_each(|kind| self.handle(*kind, bits))
    }

    /// Does what is asked for about an error that the operation met.
    fn handle(&self, kind: FloatingErrorKind, bits: u8) -> Result<(), Error> {
        let site = self.site;
        let (errors, operation) = match &self.then {
            Then::Warn(text) => {
                outside(|| warn(text, site));
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
                outside(|| report(&FloatingErrorReport { kind, bits, operation, site }));
            }
            (FloatingErrorMode::Report, None) => {
                eprintln!("warning: {words} encountered in {operation}\n  from    {site}");
            }
        }
        Ok(())
    }
}
