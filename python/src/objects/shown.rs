//! The array behind a Python object. Setting its shape, strides, dtype or the flag that allows
//! writes replaces the array. The object of a known element makes its array when one is needed.

use phalanx::{Argument, Array, DType, KnownElement, Op, Scalar};
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The array behind an object.
///
/// Other threads may read the array while it is replaced, so no replaced array is dropped before
/// the object. An array that was current before is used again: a loop over some shapes keeps one
/// array for each shape. All of them are views of one base.
pub struct Shown {
    first: First,
    others: OnceLock<Box<Other>>,
    /// The position of the current array; 0 is the first.
    current: AtomicUsize,
}

/// The array behind a new object.
enum First {
    Array(Array),
    /// An element, and its array when something has needed one.
    Known(KnownElement, OnceLock<Array>),
}

struct Other {
    array: Array,
    next: OnceLock<Box<Other>>,
}

impl Shown {
    /// The array behind a new object.
    pub fn new(array: Array) -> Shown {
        Shown::of(First::Array(array))
    }

    /// The element behind a new object.
    pub fn of_known(element: KnownElement) -> Shown {
        Shown::of(First::Known(element, OnceLock::new()))
    }

    fn of(first: First) -> Shown {
        Shown { first, others: OnceLock::new(), current: AtomicUsize::new(0) }
    }

    /// The element behind the object, as long as nothing has needed its array, which other code
    /// could reach.
    #[inline]
    pub fn known(&self) -> Option<&KnownElement> {
        match &self.first {
            First::Known(element, array) if array.get().is_none() => Some(element),
            _ => None,
        }
    }

    /// The array behind the object when it was made.
    pub fn first(&self) -> &Array {
        match &self.first {
            First::Array(array) => array,
            First::Known(element, array) => array.get_or_init(|| element.array()),
        }
    }

    /// Makes another array current.
    pub fn set(&self, array: Array) {
        if is_same(self.first(), &array) {
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
        let (mut array, mut slot) = (self.first(), &self.others);
        for _ in 0..current {
            let other = slot.get().unwrap_or_else(|| panic!("bug: an array that was not set"));
            (array, slot) = (&other.array, &other.next);
        }
        array
    }
}

/// What an element answers without an array; an array answers by its own methods.
impl Shown {
    /// See [`Array::shape`].
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.known().map_or_else(|| (**self).shape(), |_| &[])
    }

    /// See [`Array::ndim`].
    #[inline]
    pub fn ndim(&self) -> usize {
        self.known().map_or_else(|| (**self).ndim(), |_| 0)
    }

    /// See [`Array::size`].
    #[inline]
    pub fn size(&self) -> usize {
        self.known().map_or_else(|| (**self).size(), |_| 1)
    }

    /// See [`Array::dtype`].
    #[inline]
    pub fn dtype(&self) -> DType {
        self.known().map_or_else(|| (**self).dtype(), KnownElement::dtype)
    }

    /// See [`Array::is_element`].
    #[inline]
    pub fn is_element(&self) -> bool {
        self.known().is_some() || (**self).is_element()
    }

    /// See [`Array::element`].
    #[inline]
    pub fn element(&self) -> Option<Scalar> {
        self.known().map_or_else(|| (**self).element(), KnownElement::element)
    }

    /// See [`Array::element_beside`].
    #[inline]
    pub fn element_beside(&self, other: &Shown) -> Option<Scalar> {
        let is_beside = match (self.known(), other.known()) {
            (Some(own), Some(other)) => own.mesh().same(other.mesh()),
            (Some(own), None) => other.is_on(own.mesh()),
            (None, Some(other)) => self.is_on(other.mesh()),
            (None, None) => return (**self).element_beside(other),
        };
        if is_beside { self.element() } else { None }
    }

    /// See [`Array::apply_to_known`].
    #[inline]
    pub fn apply_to_known(&self, op: Op, arguments: &[Argument]) -> Option<KnownElement> {
        match self.known() {
            Some(element) => element.apply(op, arguments),
            None => (**self).apply_to_known(op, arguments),
        }
    }
}
