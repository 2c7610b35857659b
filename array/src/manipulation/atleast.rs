//! Arrays with at least one, two or three axes.

use crate::array::Array;
use phalanx_graph::{call_site, within};
use phalanx_ops::Index;

const NEW: Index = Index::NewAxis;
const ALL: Index = Index::Range { start: None, stop: None, step: 1 };

/// The array, or a view with new leading axes of extent 1, so that it has at least `ndim` axes:
/// NumPy's `array(a, copy=False, ndmin=ndim)`. Local. Errors: `OpError::TooManyAxes`.
///
/// ```
/// # use phalanx_array as phalanx;
/// # fn example(vector: &phalanx::Array) {
/// assert_eq!(phalanx::atleast_nd(vector, 3).shape(), [1, 1, vector.size()]);
/// # }
/// ```
#[track_caller]
#[must_use]
pub fn atleast_nd(array: &Array, ndim: usize) -> Array {
    let site = call_site();
    if array.ndim() >= ndim {
        return array.clone();
    }
    let missing = std::iter::repeat_n(1, ndim - array.ndim());
    let shape: Vec<usize> = missing.chain(array.shape().iter().copied()).collect();
    within(site, || array.reshape(shape))
}

/// The array, or a view of shape `(1,)` of a 0-d array. Local.
#[track_caller]
#[must_use]
pub fn atleast_1d(array: &Array) -> Array {
    let site = call_site();
    if array.ndim() > 0 { array.clone() } else { within(site, || array.reshape([1usize])) }
}

/// The array if it has two or more axes, else a view with new leading axes of extent 1. Local.
#[track_caller]
#[must_use]
pub fn atleast_2d(array: &Array) -> Array {
    let site = call_site();
    within(site, || match array.shape() {
        [] => array.reshape([1usize, 1]),
        [_] => array.slice([NEW, ALL]),
        _ => array.clone(),
    })
}

/// The array if it has three or more axes, else a view with three: `(n,)` becomes `(1, n, 1)` and
/// `(m, n)` becomes `(m, n, 1)`. Local.
#[track_caller]
#[must_use]
pub fn atleast_3d(array: &Array) -> Array {
    let site = call_site();
    within(site, || match array.shape() {
        [] => array.reshape([1usize, 1, 1]),
        [_] => array.slice([NEW, ALL, NEW]),
        [_, _] => array.slice([ALL, ALL, NEW]),
        _ => array.clone(),
    })
}
