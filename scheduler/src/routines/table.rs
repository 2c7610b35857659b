//! The table of routines that communicate while they run.

use super::call::CollectiveRoutine;
use super::read::Reads;
use super::route::Routes;
use super::search::Searches;
use super::write::Writes;
use phalanx_ops::Structured;
use std::fmt;

/// The routine of each structured operation that communicates while it runs.
#[derive(Clone, Copy)]
pub struct Routines(fn(&Structured) -> Option<&'static dyn CollectiveRoutine>);

impl Routines {
    /// The routines that `find` returns; the same on all ranks.
    pub const fn new(find: fn(&Structured) -> Option<&'static dyn CollectiveRoutine>) -> Routines {
        Routines(find)
    }

    /// The routine of an operation.
    pub fn of(self, op: &Structured) -> Option<&'static dyn CollectiveRoutine> {
        (self.0)(op)
    }
}

impl Default for Routines {
    fn default() -> Routines {
        Routines::new(|op| match op {
            Structured::Route(_) => Some(&Routes),
            Structured::Take(_) | Structured::TakeAlong(_) => Some(&Reads),
            Structured::Put(_) => Some(&Writes),
            Structured::SearchSorted(_) => Some(&Searches),
            _ => None,
        })
    }
}

impl fmt::Debug for Routines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Routines")
    }
}
