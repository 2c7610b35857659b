//! Halos: the elements beyond a device's block that a structured operation reads.

use smallvec::SmallVec;

/// The elements of an operand that a device reads beyond its block of the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halo {
    /// For each axis, how many elements before a place and behind it are read.
    pub sides: SmallVec<[(usize, usize); 4]>,
    /// The elements that stand for those outside of the operand.
    pub beyond: Beyond,
}

/// The elements of an axis that stand for those outside of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// The first or the last element, or none.
    Edge,
    /// The axis, reflected at its ends: as many elements from an end as are outside of it.
    Folded,
    /// The axis again: elements from the other end.
    Wrapped,
}
