//! Loans of elements that other code writes in host memory. During a loan, the elements cannot be
//! read or written through the array.

use super::handle::Array;
use super::loans::Lent;
use phalanx_graph::{Error, Failure, HostArray, Site, call_site, within};
use std::sync::atomic::{AtomicU64, Ordering};

/// Lent elements are used.
#[derive(Debug, thiserror::Error)]
#[error("the elements are lent to a library that may write them (lent at {since})")]
struct StillLent {
    since: Site,
}

impl Failure for StillLent {
    fn code(&self) -> &'static str {
        "PX039"
    }
    fn hint(&self) -> &'static str {
        "wait for the request that receives them, or drop the view through which they are written, \
         before the array is used again"
    }
    fn numpy_class(&self) -> &'static str {
        "BufferError"
    }
}

/// A loan of elements. [`Loan::end`] ends it; dropping it leaves the elements as they were.
pub struct Loan {
    array: Array,
    number: u64,
}

impl Array {
    /// Lends the elements: pass the returned data to the code that writes them, and then to
    /// [`Loan::end`]. During the loan these elements can be neither read nor written, through any
    /// view. Other elements of the same base can. Collective as [`Array::to_host`].
    ///
    /// Errors: those of `to_host`; `OpError::Argument` for a view that cannot be written; `PX039`
    /// for elements that are already lent.
    #[track_caller]
    pub fn lend(&self) -> Result<(HostArray, Loan), Error> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let site = call_site();
        self.check_writable(site)?;
        let host = within(site, || self.to_host())?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        if self.size() > 0 {
            let lent = Lent { number, places: self.occupied()?, since: site };
            self.loans()?.with(|loans| loans.push(lent));
        }
        Ok((host, Loan { array: self.clone(), number }))
    }

    /// Refuses the use of elements that are lent.
    pub(crate) fn check_not_lent(&self, site: Option<Site>) -> Result<(), Error> {
        let loans = self.loans()?;
        if !loans.is_any() || self.size() == 0 {
            return Ok(());
        }
        let own = self.occupied()?;
        let meeting = |lent: &&Lent| own.meets(&lent.places);
        match loans.with(|list| list.iter().find(meeting).map(|lent| lent.since)) {
            Some(since) => Err(Error::failure(StillLent { since }, site)),
            None => Ok(()),
        }
    }
}

impl Loan {
    /// Ends the loan: writes `host`, which must be equal on all ranks, to the lent elements. Local
    /// (records an update). If the write fails, the array carries the error.
    #[track_caller]
    pub fn end(mut self, host: &HostArray) -> Result<(), Error> {
        let site = call_site();
        self.unlist();
        let value = match self.array.mesh() {
            Ok(mesh) => mesh.enter(|| Array::from_host_at(host, site)),
            Err(error) => return Err(error),
        };
        let written = within(site, || self.array.try_assign(value));
        written.inspect_err(|error| self.array.poison(error.clone()))
    }

    fn unlist(&mut self) {
        if let Ok(loans) = self.array.loans() {
            loans.with(|list| list.retain(|lent| lent.number != self.number));
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.unlist();
    }
}
