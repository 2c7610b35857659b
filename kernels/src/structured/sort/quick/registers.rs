//! What a level of instructions has for sorting.

/// Sorting in registers. There is a value of this type only if the processor has the instructions.
pub(in crate::structured) struct Registers<K> {
    /// The most keys that `few` sorts.
    pub most: usize,
    /// Sorts at most `most` keys at the first address into the second, which may be the same.
    pub few: unsafe fn(*const K, *mut K, usize),
    /// Splits the keys at the first address by a pivot. Those below it (with a true flag: not above
    /// it) go to the start of the first array, the others to the start of the second. One of the
    /// two may be the array that is read. Returns the number of the former.
    pub part: unsafe fn(*const K, [*mut K; 2], usize, K, bool) -> usize,
    /// Merges two runs, each an address and a number of keys, to an address with room for both that
    /// overlaps neither.
    pub merge: unsafe fn([(*const K, usize); 2], *mut K),
}

impl<K> Clone for Registers<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Registers<K> {}
