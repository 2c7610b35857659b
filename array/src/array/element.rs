//! Elements: 0-d arrays that never change, like NumPy's scalars.

use super::handle::Array;

impl Array {
    /// Declares that the array's base is an element, which never changes, or that it is not. The
    /// first declaration decides; the result is whether it agrees with this one. If it does not,
    /// use a copy: then no write through a view changes an element, and no element changes with the
    /// array that it was taken from. Local.
    #[must_use]
    pub fn claim(&self, is_element: bool) -> bool {
        self.live().is_ok_and(|live| *live.cell.is_element.get_or_init(|| is_element) == is_element)
    }

    /// Whether the array's base is declared an element. Local.
    pub fn is_element(&self) -> bool {
        self.live().is_ok_and(|live| live.cell.is_element.get() == Some(&true))
    }
}
