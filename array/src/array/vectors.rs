//! Conversions between arrays and vectors or slices; with the feature `ndarray`, also arrays of
//! that crate.

use crate::array::Array;
use crate::creation::from_slice;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::Element;

impl Array {
    /// A one-dimensional array of the elements of a vector, which must be equal on all ranks.
    ///
    /// Local. Errors: a `Failure` if memory is short.
    #[track_caller]
    #[must_use]
    pub fn from_vec<T: Element>(data: Vec<T>) -> Array {
        within(call_site(), || from_slice(&data, data.len()))
    }
}

impl<T: Element> From<Vec<T>> for Array {
    /// See [`Array::from_vec`].
    #[track_caller]
    fn from(data: Vec<T>) -> Array {
        Array::from_vec(data)
    }
}

impl<T: Element> From<&[T]> for Array {
    /// See [`Array::from_vec`].
    #[track_caller]
    fn from(data: &[T]) -> Array {
        within(call_site(), || from_slice(data, data.len()))
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Array {
    /// See [`Array::from_vec`].
    #[track_caller]
    fn from(data: [T; N]) -> Array {
        within(call_site(), || from_slice(&data, N))
    }
}

impl<T: Element> TryFrom<&Array> for Vec<T> {
    type Error = Error;

    /// See [`Array::to_vec`].
    #[track_caller]
    fn try_from(array: &Array) -> Result<Vec<T>, Error> {
        within(call_site(), || array.to_vec())
    }
}

#[cfg(feature = "ndarray")]
mod with_ndarray {
    use super::{Array, Element, Error, call_site, from_slice, within};
    use ndarray::{ArrayBase, ArrayD, ArrayRef, Data, Dimension, IxDyn};
    use phalanx_graph::Site;

    /// The elements in C order, independent of the strides.
    fn copied<T: Element, D: Dimension>(array: &ArrayRef<T, D>, site: Site) -> Array {
        within(site, || match array.as_slice() {
            Some(data) => from_slice(data, array.shape()),
            None => from_slice(&array.iter().copied().collect::<Vec<T>>(), array.shape()),
        })
    }

    impl<T: Element, D: Dimension> From<&ArrayRef<T, D>> for Array {
        /// A copy of the elements, which must be equal on all ranks. Local. Errors: those of
        /// [`from_slice`](crate::from_slice).
        #[track_caller]
        fn from(array: &ArrayRef<T, D>) -> Array {
            copied(array, call_site())
        }
    }

    impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Array {
        /// A copy of the elements, which must be equal on all ranks. Local. Errors: those of
        /// [`from_slice`](crate::from_slice).
        #[track_caller]
        fn from(array: &ArrayBase<S, D>) -> Array {
            copied(array, call_site())
        }
    }

    impl Array {
        /// The elements as an array of the crate `ndarray`, in C order, converted to `T` if the
        /// dtype differs. Collectivity and errors: those of [`Array::to_host`].
        #[track_caller]
        pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>, Error> {
            let elements = within(call_site(), || self.to_vec::<T>())?;
            Ok(ArrayD::from_shape_vec(IxDyn(self.shape()), elements)
                .unwrap_or_else(|error| unreachable!("bug: {error}")))
        }
    }

    impl<T: Element> TryFrom<&Array> for ArrayD<T> {
        type Error = Error;

        /// See [`Array::to_ndarray`].
        #[track_caller]
        fn try_from(array: &Array) -> Result<ArrayD<T>, Error> {
            array.to_ndarray()
        }
    }
}
