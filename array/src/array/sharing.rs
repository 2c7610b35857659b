//! Sharing of memory between arrays.

use super::handle::Array;
use super::places::Places;
use phalanx_graph::Error;

impl Array {
    /// Whether two arrays have an element in common: views of one array whose elements overlap.
    /// Local.
    ///
    /// Interleaved views (`a[::2]` and `a[1::2]`) have none in common. The work may grow
    /// exponentially with the number of axes whose strides have no common divisors; strides of
    /// slices and transposes have them.
    #[must_use]
    pub fn shares_memory(&self, other: &Array) -> bool {
        places(self, other).is_some_and(|(a, b)| a.meets(&b))
    }

    /// Whether the elements of two arrays are in overlapping ranges of one array. Local.
    #[must_use]
    pub fn may_share_memory(&self, other: &Array) -> bool {
        places(self, other).is_some_and(|(a, b)| a.are_near(&b))
    }

    /// The places of an array that has elements.
    pub(super) fn occupied(&self) -> Result<Places, Error> {
        let item = self.base_dtype()?.size();
        Ok(Places::of(self.base_view()?, self.base_shape()?, item))
    }
}

/// NumPy's `shares_memory`; see [`Array::shares_memory`]. Local.
#[must_use]
pub fn shares_memory(a: &Array, b: &Array) -> bool {
    a.shares_memory(b)
}

/// NumPy's `may_share_memory`; see [`Array::may_share_memory`]. Local.
#[must_use]
pub fn may_share_memory(a: &Array, b: &Array) -> bool {
    a.may_share_memory(b)
}

/// The places of two arrays; `None` if they have no elements or different bases.
fn places(a: &Array, b: &Array) -> Option<(Places, Places)> {
    if a.size() == 0 || b.size() == 0 || !a.has_base_of(b) {
        return None;
    }
    Some((a.occupied().ok()?, b.occupied().ok()?))
}
