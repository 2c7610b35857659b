//! Memory that routines need beside their blocks. The plan reserves it.

use super::read::Reads;
use super::search::Searches;
use super::write::Writes;
use phalanx_ops::structured::Operand;
use phalanx_ops::{Bytes, Structured};

/// The sizes of the pieces of memory that the routine of an operation may use, for operands whose
/// blocks do not exceed these extents on any of the members; the same on all.
pub(crate) fn room(op: &Structured, largest: &[Operand<'_>], members: usize) -> Vec<Bytes> {
    match op {
        Structured::Take(_) | Structured::TakeAlong(_) => Reads::room(op, largest, members),
        Structured::Put(_) => Writes::room(largest, members),
        Structured::SearchSorted(_) => Searches::room(largest, members),
        _ => Vec::new(),
    }
}
