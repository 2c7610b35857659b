//! Joins along a new axis, and the joins that NumPy names by a direction.

use crate::array::Array;
use crate::manipulation::argument::{AxisList, axis_of, refused, sound};
use crate::manipulation::atleast::{atleast_1d, atleast_2d, atleast_3d};
use crate::manipulation::join::try_concatenate;
use phalanx_graph::{Error, Site, call_site, within};

fn joined(arrays: &[Array], axis: i64, site: Site) -> Result<Array, Error> {
    try_concatenate(&arrays.iter().collect::<Vec<_>>(), &AxisList::from(axis), None, site)
}

/// The arrays, each transformed by `see`, joined along an axis.
fn joined_views(arrays: &[&Array], see: impl Fn(&Array) -> Array, axis: i64, site: Site) -> Array {
    Array::catch(within(site, || {
        sound(arrays.iter().copied())?;
        let seen: Vec<Array> = arrays.iter().map(|array| see(array)).collect();
        joined(&seen, axis, site)
    }))
}

/// The arrays joined along a new axis, which is axis `axis` of the result.
///
/// Shapes: all equal. Dtype: the promotion of all. Local (records one write for each array).
/// Errors: `OpError::Argument` for no arrays or for shapes that differ, `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn stack(arrays: &[&Array], axis: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound(arrays.iter().copied())?;
        let Some(first) = arrays.first() else {
            return Err(refused("stack", "arrays", "none", site));
        };
        let first = first.shape();
        let shapes = arrays.iter().map(|array| array.shape());
        if let Some((place, other)) = shapes.enumerate().find(|(_, shape)| *shape != first) {
            let what = format!(
                "shapes {first:?} (operand 0) and {other:?} (operand {place}), which must be equal,"
            );
            return Err(refused("stack", "arrays", what, site));
        }
        let axis = axis_of(axis, first.len() + 1, site)? as i64;
        Ok(joined_views(arrays, |array| array.expand_dims(axis), axis, site))
    })())
}

/// The arrays stacked vertically, along the first axis; a vector is a row. Errors: as for
/// [`concatenate`](crate::concatenate).
#[track_caller]
#[must_use]
pub fn vstack(arrays: &[&Array]) -> Array {
    joined_views(arrays, atleast_2d, 0, call_site())
}

/// Alias of [`vstack`].
#[track_caller]
#[must_use]
pub fn row_stack(arrays: &[&Array]) -> Array {
    vstack(arrays)
}

/// The arrays side by side: joined along the second axis, or along the only axis of vectors.
/// Errors: as for [`concatenate`](crate::concatenate).
#[track_caller]
#[must_use]
pub fn hstack(arrays: &[&Array]) -> Array {
    let axis = arrays.first().is_some_and(|first| first.ndim() > 1).into();
    joined_views(arrays, atleast_1d, axis, call_site())
}

/// The arrays joined along the third axis, each as a view of [`atleast_3d`](crate::atleast_3d).
/// Errors: as for [`concatenate`](crate::concatenate).
#[track_caller]
#[must_use]
pub fn dstack(arrays: &[&Array]) -> Array {
    joined_views(arrays, atleast_3d, 2, call_site())
}

/// Vectors joined as the columns of a matrix, and matrices side by side. Errors: as for
/// [`concatenate`](crate::concatenate).
#[track_caller]
#[must_use]
pub fn column_stack(arrays: &[&Array]) -> Array {
    let column =
        |array: &Array| if array.ndim() < 2 { atleast_2d(array).t() } else { array.clone() };
    joined_views(arrays, column, 1, call_site())
}
