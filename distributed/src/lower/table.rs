//! The table of lowerings: which one each structured operation has.

use super::fft;
use super::gather;
use super::launch;
use super::lowering::Lowering;
use super::matmul;
use super::scan;
use super::search;
use super::sort;
use phalanx_ops::Structured;
use std::fmt;

/// The lowering of each structured operation.
#[derive(Clone, Copy)]
pub struct Lowerings(fn(&Structured) -> &'static dyn Lowering);

impl Lowerings {
    /// The lowerings that `find` returns. On all ranks, it must return the same for equal
    /// operations.
    pub const fn new(find: fn(&Structured) -> &'static dyn Lowering) -> Lowerings {
        Lowerings(find)
    }

    /// The lowering of an operation.
    pub fn of(self, op: &Structured) -> &'static dyn Lowering {
        (self.0)(op)
    }
}

impl Default for Lowerings {
    fn default() -> Lowerings {
        Lowerings::new(standard)
    }
}

impl fmt::Debug for Lowerings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lowerings")
    }
}

/// The lowerings of this crate: by rule, unless the operation has a folder of its own.
fn standard(op: &Structured) -> &'static dyn Lowering {
    match op {
        Structured::Matmul(_) => &matmul::Products,
        Structured::Fft(_) => &fft::Transforms,
        Structured::Scan(_) => &scan::Scans,
        Structured::Sort(_) => &sort::Sorts,
        Structured::Take(_) | Structured::TakeAlong(_) => &gather::Reads,
        Structured::Put(_) => &gather::Writes,
        Structured::SearchSorted(_) => &search::Searches,
        Structured::Lend(_) | Structured::Launch(_) | Structured::Returned(_) => &launch::Launches,
        _ => &ByRule,
    }
}

/// The lowering of operations without a schedule of their own.
struct ByRule;

impl Lowering for ByRule {}
