//! The array behind a Python object. Setting its shape, strides, dtype or the flag that allows
//! writes replaces the array.

use phalanx::Array;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The array behind an object.
///
/// Other threads may read the array while it is replaced, so no replaced array is dropped before
/// the object. An array that was current before is used again: a loop over some shapes keeps one
/// array for each shape. All of them are views of one base.
pub struct Shown {
    first: Array,
    others: OnceLock<Box<Other>>,
    /// The position of the current array; 0 is the first.
    current: AtomicUsize,
}

struct Other {
    array: Array,
    next: OnceLock<Box<Other>>,
}

impl Shown {
    /// The array behind a new object.
    pub fn new(array: Array) -> Shown {
        Shown { first: array, others: OnceLock::new(), current: AtomicUsize::new(0) }
    }

    /// The array behind the object when it was made.
    pub fn first(&self) -> &Array {
        &self.first
    }

    /// Makes another array current.
    pub fn set(&self, array: Array) {
        if is_same(&self.first, &array) {
            return self.current.store(0, Ordering::Release);
        }
        let (mut place, mut slot) = (1, &self.others);
        loop {
            let other = slot
                .get_or_init(|| Box::new(Other { array: array.clone(), next: OnceLock::new() }));
            if is_same(&other.array, &array) {
                return self.current.store(place, Ordering::Release);
            }
            (place, slot) = (place + 1, &other.next);
        }
    }
}

/// Whether two arrays of one base and one first element are equal in dtype, shape, strides and
/// the flag that allows writes.
fn is_same(a: &Array, b: &Array) -> bool {
    a.dtype() == b.dtype()
        && a.shape() == b.shape()
        && a.strides() == b.strides()
        && a.is_writeable() == b.is_writeable()
}

impl Deref for Shown {
    type Target = Array;

    fn deref(&self) -> &Array {
        let current = self.current.load(Ordering::Acquire);
        let (mut array, mut slot) = (&self.first, &self.others);
        for _ in 0..current {
            let other = slot.get().unwrap_or_else(|| panic!("bug: an array that was not set"));
            (array, slot) = (&other.array, &other.next);
        }
        array
    }
}
