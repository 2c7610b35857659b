//! Checks: conditions that are read at an observation, and the action if they hold.

use super::state::{
    FloatingErrorKind, FloatingErrorMode, FloatingErrorReport, FloatingErrors, floating_errors,
};
use crate::array::Array;
use phalanx_graph::{Cause, DataError, Error, ErrorKind, MeshHandle, Site, outside, within};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::sync::{PoisonError, RwLock};

/// For each kind of error that an operation may have met, a 0-d bool array: whether it met one.
pub(super) type Met = SmallVec<[(FloatingErrorKind, Array); 2]>;

/// The conditions of an operation, and the action if they hold.
struct Check {
    /// Ascending in program order.
    number: u64,
    /// The mesh of the operation. Its ranks observe its values together; values of another mesh may
    /// be observed by some of them alone.
    mesh: MeshHandle,
    met: Met,
    site: Site,
    then: Then,
}

enum Then {
    /// Floating-point errors, with the thread's settings at the time of recording.
    Handle { errors: FloatingErrors, operation: &'static str },
    /// A warning about data, which is independent of `errstate`.
    Warn(&'static str),
}

/// A warning about data or about a cast.
#[derive(Clone, Copy, Debug)]
pub struct Warning {
    /// The name of NumPy's class: `RuntimeWarning`, or `ComplexWarning` for a cast that discards
    /// imaginary parts.
    pub class: &'static str,
    /// NumPy's text.
    pub text: &'static str,
    /// The line of the operation.
    pub site: Site,
}

/// The number of pending warnings that a thread keeps. It drops the oldest ones.
const MOST_WARNINGS: usize = 1024;

thread_local! {
    static CHECKS: RefCell<Vec<Check>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
    /// Whether the thread is reading conditions.
    static IS_SETTLING: Cell<bool> = const { Cell::new(false) };
}

/// A function that receives warnings. Its error replaces the result of the call that it is warned
/// of, or of the observation at which the warning arrives.
pub type WarningReceiver = fn(Warning) -> Result<(), Error>;

/// The function that receives warnings.
static WARN: RwLock<Option<WarningReceiver>> = RwLock::new(None);

/// Sets the function that receives warnings, and returns the previous one. Without a function,
/// which is the default, no operation checks for them. There are warnings about data, such as
/// "All-NaN slice encountered", and warnings of casts that discard imaginary parts.
///
/// A warning that depends on elements arrives at the next observation on the thread of the
/// operation; other warnings arrive during its call. A warning of a cast arrives before anything is
/// written, so an error of the function leaves the target of a write unchanged.
///
/// Local; set a function on all ranks or on none.
pub fn report_warnings(receiver: Option<WarningReceiver>) -> Option<WarningReceiver> {
    let mut current = WARN.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *current, receiver)
}

fn reporter_of_warnings() -> Option<WarningReceiver> {
    *WARN.read().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a function receives warnings about data.
pub(crate) fn warns() -> bool {
    reporter_of_warnings().is_some()
}

/// Sends a warning about the data of `result` now. If the receiver refuses it, the result carries
/// its error.
pub(crate) fn warn(text: &'static str, result: &Array, site: Site) {
    if let Err(error) = send("RuntimeWarning", text, site) {
        result.poison(error);
    }
}

/// Sends a warning now. Errors: that of the receiver.
pub(super) fn send(class: &'static str, text: &'static str, site: Site) -> Result<(), Error> {
    match reporter_of_warnings() {
        Some(receive) => outside(|| receive(Warning { class, text, site })),
        None => Ok(()),
    }
}

/// Warns of the call at `site` at the next observation, if a 0-d bool array holds. Local.
pub fn warn_where(text: &'static str, condition: Array, site: Site) {
    let met = Met::from_iter([(FloatingErrorKind::Invalid, condition)]);
    push(met, site, Then::Warn(text));
    // The check is dropped after the borrow ends, because dropping its array may run other code.
    drop(CHECKS.with_borrow_mut(|checks| {
        let is_too_many = checks.iter().filter(|check| check.is_warning()).count() > MOST_WARNINGS;
        let oldest = checks.iter().position(Check::is_warning).filter(|_| is_too_many);
        oldest.map(|oldest| checks.remove(oldest))
    }));
}

/// Records the conditions of an operation.
pub(super) fn note(operation: &'static str, met: Met, site: Site) {
    if !met.is_empty() {
        push(met, site, Then::Handle { errors: floating_errors(), operation });
    }
}

fn push(met: Met, site: Site, then: Then) {
    // An array without a mesh carries an error, which its observation returns.
    let Some(Ok(mesh)) = met.first().map(|(_, array)| array.mesh()) else { return };
    // The conditions of captured operations are those of no run.
    if mesh.is_capturing() {
        return;
    }
    let number = NEXT.get();
    NEXT.set(number + 1);
    CHECKS.with_borrow_mut(|checks| checks.push(Check { number, mesh, met, site, then }));
}

/// The number of the next check.
pub(super) fn next_number() -> u64 {
    NEXT.get()
}

/// Checks that were taken from the queue of their thread.
pub(super) struct Taken(Vec<Check>);

/// Takes the checks with this number and later ones.
pub(super) fn taken(from: u64) -> Taken {
    CHECKS.with_borrow_mut(|checks| {
        let place = checks.iter().position(|check| check.number >= from);
        Taken(checks.split_off(place.unwrap_or(checks.len())))
    })
}

/// Raises or reports the errors of a mesh whose conditions are computed: in program order, up to
/// the first one that is not computed. `is_collective` means that all processes of the mesh make
/// this call. With several processes and without it, nothing is read or raised.
pub(crate) fn observed(mesh: &MeshHandle, is_collective: bool) -> Result<(), Error> {
    let is_empty = CHECKS.with_borrow(Vec::is_empty);
    if is_empty || IS_SETTLING.get() || !(is_collective || mesh.engine().process().1 == 1) {
        return Ok(());
    }
    // The observed value may have run at once, while a condition of an earlier operation waits for
    // a plan: then that plan runs now.
    let is_waiting = |check: &Check| check.mesh.same(mesh) && check.is_pending();
    let waiting =
        CHECKS.with_borrow(|checks| checks.iter().find(|it| is_waiting(it)).map(|it| it.site));
    if let Some(site) = waiting.filter(|_| mesh.most_at_once() > 0) {
        // An error that is not of data is that of other arrays, which carry it.
        match mesh.close(Cause::Data, site) {
            Err(error) if error.is_interrupt() || matches!(error.kind(), ErrorKind::Data(_)) => {
                return Err(error);
            }
            _ => {}
        }
    }
    let mut is_known = true;
    let known = taken_where(|check| {
        let is_of_mesh = check.mesh.same(mesh);
        is_known &= !is_of_mesh || !check.is_pending();
        is_of_mesh && is_known
    });
    settle(known).map_err(|(error, rest)| {
        CHECKS.with_borrow_mut(|checks| checks.splice(..0, rest.0).for_each(drop));
        error
    })
}

/// Raises or reports all errors of a mesh before its session ends. Collective over the mesh.
pub(crate) fn finish(mesh: &MeshHandle) -> Result<(), Error> {
    let all = taken_where(|check| check.mesh.same(mesh));
    // Only the first error is returned, as by an observation; all warnings are sent.
    settle(all).or_else(|(error, rest)| {
        let warnings = rest.0.into_iter().filter(Check::is_warning).collect();
        settle(Taken(warnings)).map_err(|(error, _)| error).and(Err(error))
    })
}

/// Takes the checks for which `belongs` holds, in program order.
fn taken_where(mut belongs: impl FnMut(&Check) -> bool) -> Taken {
    CHECKS.with_borrow_mut(|checks| {
        let (known, others) = std::mem::take(checks).into_iter().partition(|it| belongs(it));
        *checks = others;
        Taken(known)
    })
}

/// Reads the conditions and takes their actions. Collective if a check is pending. An error is
/// returned with the checks after it.
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
    /// Ends a scope: raises or reports the errors of its operations. After an error, only warnings
    /// are kept.
    pub(super) fn end(self) -> Result<(), Error> {
        settle(self).map_err(|(error, rest)| {
            rest.forget();
            error
        })
    }

    /// Drops the checks except warnings about data, which are independent of `errstate`.
    pub(super) fn forget(self) {
        let warnings = self.0.into_iter().filter(Check::is_warning);
        CHECKS.with_borrow_mut(|checks| checks.extend(warnings));
    }
}

impl Check {
    const fn is_warning(&self) -> bool {
        matches!(self.then, Then::Warn(_))
    }

    /// Whether a condition is not computed.
    fn is_pending(&self) -> bool {
        self.met.iter().any(|(_, met)| met.is_pending())
    }

    fn settle(&self) -> Result<(), Error> {
        let mut met: SmallVec<[FloatingErrorKind; 2]> = SmallVec::new();
        for (kind, array) in &self.met {
            if within(self.site, || array.item::<bool>())? {
                met.push(*kind);
            }
        }
        match &self.then {
            Then::Warn(text) => {
                met.iter().try_for_each(|_| send("RuntimeWarning", text, self.site))
            }
            Then::Handle { errors, operation } => handle(errors, operation, &met, self.site),
        }
    }
}

/// Takes the actions for the errors that an operation met.
fn handle(
    errors: &FloatingErrors,
    operation: &'static str,
    met: &[FloatingErrorKind],
    site: Site,
) -> Result<(), Error> {
    let bits = met.iter().map(|kind| 1 << *kind as u8).sum();
    for &kind in met {
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
    }
    Ok(())
}

/// Takes the action for an error that is known during the call of the operation that met it.
pub(super) fn meet(
    operation: &'static str,
    kind: FloatingErrorKind,
    site: Site,
) -> Result<(), Error> {
    handle(&floating_errors(), operation, &[kind], site)
}
