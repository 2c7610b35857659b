//! Basic indexing: the items of `s![…]`.

use phalanx_ops::Index;
use phalanx_ops::shape::saturating;
use smallvec::SmallVec;
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// A type that can be an item in [`s!`](crate::s).
pub trait IndexItem {
    /// The index item.
    fn into_index(self) -> Index;
}

/// The items of a basic index: those of [`s!`](crate::s), or a single item such as `1..-1`.
pub trait IndexItems {
    /// The type that contains the items.
    type Items: AsRef<[Index]>;
    /// The items.
    fn into_items(self) -> Self::Items;
}

impl<T: IndexItem> IndexItems for T {
    type Items = [Index; 1];
    fn into_items(self) -> [Index; 1] {
        [self.into_index()]
    }
}

macro_rules! several_items {
    ($([$($generic:tt)*] $items:ty)*) => {$(
        impl<$($generic)*> IndexItems for $items {
            type Items = $items;
            fn into_items(self) -> $items {
                self
            }
        }
    )*};
}
several_items! {
    [const N: usize] [Index; N]
    ['a, const N: usize] &'a [Index; N]
    ['a] &'a [Index]
    [] Vec<Index>
    ['a] &'a Vec<Index>
}

/// Stands for all axes not named, in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

/// Adds an axis of extent 1, in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

impl IndexItem for Index {
    fn into_index(self) -> Index {
        self
    }
}
impl IndexItem for Ellipsis {
    fn into_index(self) -> Index {
        Index::Ellipsis
    }
}
impl IndexItem for NewAxis {
    fn into_index(self) -> Index {
        Index::NewAxis
    }
}
impl IndexItem for RangeFull {
    fn into_index(self) -> Index {
        Index::Range { start: None, stop: None, step: 1 }
    }
}

macro_rules! index_items {
    ($($type:ty),*) => {$(
        impl IndexItem for $type {
            fn into_index(self) -> Index { Index::At(saturating(self)) }
        }
        impl IndexItem for Range<$type> {
            fn into_index(self) -> Index {
                let (start, stop) = (Some(saturating(self.start)), Some(saturating(self.end)));
                Index::Range { start, stop, step: 1 }
            }
        }
        impl IndexItem for RangeFrom<$type> {
            fn into_index(self) -> Index {
                Index::Range { start: Some(saturating(self.start)), stop: None, step: 1 }
            }
        }
        impl IndexItem for RangeTo<$type> {
            fn into_index(self) -> Index {
                Index::Range { start: None, stop: Some(saturating(self.end)), step: 1 }
            }
        }
    )*};
}
index_items!(i32, i64, usize);

/// The slice `item` with another step, for the macro [`s!`](crate::s).
#[doc(hidden)]
pub fn with_step(item: impl IndexItem, step: i64) -> Index {
    match item.into_index() {
        Index::Range { start, stop, .. } => Index::Range { start, stop, step },
        other => other,
    }
}

/// The integers of an index that selects one element of an array of `ndim` axes, for which NumPy
/// gives a copy (see [`Array::at`](crate::Array::at)). `None` for an index that gives a view.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::{element_index, s};
/// assert_eq!(element_index(&s![1, -1], 2).as_deref(), Some(&[1, -1][..]));
/// assert_eq!(element_index(&s![1, -1], 3), None);
/// assert_eq!(element_index(&s![1, ..], 2), None);
/// ```
#[must_use]
pub fn element_index(items: &[Index], ndim: usize) -> Option<SmallVec<[i64; 4]>> {
    let index = |item: &Index| if let Index::At(index) = item { Some(*index) } else { None };
    if items.len() == ndim { items.iter().map(index).collect() } else { None }
}
