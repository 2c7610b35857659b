//! Elements at other positions: reversed, rotated, rolled, tiled.

use crate::array::Array;
use crate::manipulation::argument::{AxisList, at_least, axes_of, axis_of, refused, span};
use crate::manipulation::join::{blank, write_part};
use phalanx_graph::{call_site, within};
use phalanx_ops::{Index, Shape};

const REVERSED: Index = Index::Range { start: None, stop: None, step: -1 };
const WHOLE: Index = Index::Range { start: None, stop: None, step: 1 };

/// The view with the elements in reverse order along some axes (`()` is all). Local. Errors:
/// `OpError::Axis`, `OpError::DuplicateAxis`.
#[track_caller]
#[must_use]
pub fn flip(array: &Array, axes: impl Into<AxisList>) -> Array {
    let (site, axes) = (call_site(), axes.into());
    Array::catch((|| {
        array.ok()?;
        let ndim = array.ndim();
        let flipped = match &axes.0 {
            None => (0..ndim).collect(),
            Some(axes) => axes_of(axes, ndim, site)?,
        };
        if ndim == 0 {
            // NumPy returns the element, which later writes to the array do not change.
            return Ok(array.copy_at(site));
        }
        let part = |axis| if flipped.contains(&axis) { REVERSED } else { WHOLE };
        let items: Vec<Index> = (0..ndim).map(part).collect();
        Ok(within(site, || array.slice(items)))
    })())
}

/// The view with the second axis in reverse order. Local. Errors: `OpError::Ndim`.
#[track_caller]
#[must_use]
pub fn fliplr(array: &Array) -> Array {
    let site = call_site();
    Array::catch(
        at_least(array, 2, ("fliplr", "2 or more"), site).map(|()| within(site, || flip(array, 1))),
    )
}

/// The view with the first axis in reverse order. Local. Errors: `OpError::Ndim`.
#[track_caller]
#[must_use]
pub fn flipud(array: &Array) -> Array {
    let site = call_site();
    Array::catch(
        at_least(array, 1, ("flipud", "1 or more"), site).map(|()| within(site, || flip(array, 0))),
    )
}

/// The view rotated by `turns` quarter turns in the plane of two axes, from the first axis towards
/// the second. Local. Errors: `OpError::Axis`, `OpError::Argument` for equal axes.
#[track_caller]
#[must_use]
pub fn rot90(array: &Array, turns: i64, axes: [i64; 2]) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        let ndim = array.ndim();
        let (first, second) = (axis_of(axes[0], ndim, site)?, axis_of(axes[1], ndim, site)?);
        if first == second {
            return Err(refused("rot90", "axes", format!("{axes:?}"), site));
        }
        let (first, second) = (first as i64, second as i64);
        Ok(within(site, || match turns.rem_euclid(4) {
            0 => array.clone(),
            1 => flip(array, second).swapaxes(first, second),
            2 => flip(array, [first, second]),
            _ => flip(&array.swapaxes(first, second), second),
        }))
    })())
}

/// The number of positions by which a [`roll`] of the array moves nothing, along any axes or in C
/// order. A binding whose integers are wider reduces shifts by it. Local.
#[must_use]
pub fn roll_period(array: &Array) -> usize {
    // The number of elements is a multiple of every extent.
    array.size().max(1)
}

/// The elements moved along axes; elements that leave at one end enter at the other. `shifts` has
/// one shift for all axes, or one for each. With axes `()` the elements are rolled in C order,
/// whatever the shape.
///
/// Local (records up to two writes for each combination of rolled axes). Errors: `OpError::Axis`,
/// `OpError::Argument` for a number of shifts that does not fit the number of axes.
#[track_caller]
#[must_use]
pub fn roll(array: &Array, shifts: impl Into<AxisList>, axes: impl Into<AxisList>) -> Array {
    let (site, shifts, axes) = (call_site(), shifts.into(), axes.into());
    Array::catch((|| {
        array.ok()?;
        let shifts = shifts.0.unwrap_or_default();
        let Some(axes) = axes.0 else {
            let total = shifts.iter().fold(0i64, |sum, &shift| sum.wrapping_add(shift));
            let flat = within(site, || roll(&array.ravel(), total, 0));
            return flat.ok()?.copied_as(array.shape(), site);
        };
        let count = match (shifts.len(), axes.len()) {
            (1, count) | (count, 1) => count,
            (shifts, axes) if shifts == axes => axes,
            (shifts, _) => return Err(refused("roll", "shift", format!("{shifts} of them"), site)),
        };
        let ndim = array.ndim();
        let mut moved: Shape = smallvec::smallvec![0; ndim];
        for k in 0..count {
            let axis = axis_of(axes[k % axes.len()], ndim, site)?;
            let extent = array.shape()[axis].max(1) as i64;
            let shift = shifts[k % shifts.len()].rem_euclid(extent);
            moved[axis] = ((moved[axis] as i64 + shift) % extent) as usize;
        }
        let order = crate::recording::copy_order(&[array.into()], array.shape())?;
        let mesh = array.mesh()?;
        let result = blank(&mesh, array.shape(), array.dtype(), order.as_deref(), site)?;
        let mut parts = vec![(vec![WHOLE; ndim], vec![WHOLE; ndim])];
        for (axis, &shift) in moved.iter().enumerate().filter(|&(_, &shift)| shift > 0) {
            let extent = array.shape()[axis];
            let cut = extent - shift;
            parts = parts
                .into_iter()
                .flat_map(|(from, to)| {
                    let part = |start: usize, stop: usize, at: usize| {
                        let (mut from, mut to) = (from.clone(), to.clone());
                        from[axis] = span(start, stop);
                        to[axis] = span(at, at + stop - start);
                        (from, to)
                    };
                    [part(0, cut, shift), part(cut, extent, 0)]
                })
                .collect();
        }
        for (from, to) in parts {
            let value = within(site, || array.slice(from));
            write_part(&result, &to, &value, site)?;
        }
        Ok(result)
    })())
}

/// The array repeated `counts[k]` times along axis `k`. If the array has fewer axes than `counts`,
/// leading axes of extent 1 are added; if it has more, leading counts of 1. Local (records nodes).
/// Errors: `OpError::Argument` for a negative count.
#[track_caller]
#[must_use]
pub fn tile(array: &Array, counts: impl Into<crate::ShapeArgument>) -> Array {
    let (site, counts) = (call_site(), counts.into());
    Array::catch((|| {
        array.ok()?;
        if let Some(count) = counts.0.iter().find(|&&count| count < 0) {
            return Err(refused("tile", "reps", count.to_string(), site));
        }
        let ndim = array.ndim().max(counts.0.len());
        crate::recording::check_shape(&vec![1; ndim], array.dtype(), site)?;
        let mut extents = vec![1; ndim - array.ndim()];
        extents.extend_from_slice(array.shape());
        let mut times = vec![1; ndim - counts.0.len()];
        times.extend(counts.0.iter().map(|&count| count as usize));
        let pairs = extents.iter().zip(&times);
        let shape: Shape = pairs.clone().map(|(&e, &t)| e.saturating_mul(t)).collect();
        crate::recording::check_shape(&shape, array.dtype(), site)?;
        // An axis that is repeated once needs no broadcast axis.
        let mut thin = Shape::new();
        let mut wide = Shape::new();
        for (&extent, &count) in pairs {
            if count != 1 {
                thin.push(1);
                wide.push(count);
            }
            thin.push(extent);
            wide.push(extent);
        }
        let wide = within(site, || array.reshape(thin.as_slice()).broadcast_to(wide.as_slice()));
        wide.ok()?.copied_as(&shape, site)
    })())
}
