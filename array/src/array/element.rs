//! Elements: arrays without axes that never change, as NumPy's scalars are.

use super::handle::Array;

impl Array {
    /// Says of the array's base that it is an element, which never changes, or that it is none. The
    /// first to say so decides; returns whether it is as said. Where it is not, the caller goes on
    /// with a copy, so that nobody writes an element through a view of it, and no element changes
    /// with the array that it was taken of. Local.
    #[must_use]
    pub fn claim(&self, is_element: bool) -> bool {
        self.live().is_ok_and(|live| *live.cell.is_element.get_or_init(|| is_element) == is_element)
    }

    /// Whether the array's base is said to be an element. Local.
    pub fn is_element(&self) -> bool {
        self.live().is_ok_and(|live| live.cell.is_element.get() == Some(&true))
    }
}
