//! The reductions as functions, under NumPy's names.

use super::axes::Axes;
use crate::array::Array;

macro_rules! functions {
    ($($name:ident $method:ident)*) => {$(
        #[doc = concat!(
            "NumPy's `", stringify!($name), "`; see [`Array::", stringify!($method), "`]."
        )]
        #[track_caller]
        #[must_use]
        pub fn $name(array: &Array, axes: impl Into<Axes>) -> Array {
            array.$method(axes)
        }
    )*};
}

functions! {
    sum sum prod prod min min max max amin min amax max any any all all argmin argmin
    argmax argmax mean mean count_nonzero count_nonzero ptp ptp
}

/// NumPy's `var`; see [`Array::var`].
#[track_caller]
#[must_use]
pub fn var(array: &Array, axes: impl Into<Axes>, ddof: f64) -> Array {
    array.var(axes, ddof)
}

/// NumPy's `std`; see [`Array::std`].
#[track_caller]
#[must_use]
pub fn std(array: &Array, axes: impl Into<Axes>, ddof: f64) -> Array {
    array.std(axes, ddof)
}
