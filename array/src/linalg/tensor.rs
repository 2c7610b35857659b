//! Linear equations whose unknowns are an array: NumPy's `linalg.tensorsolve` and `tensorinv`.

use super::solve::{inv, solve};
use crate::array::Array;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::error::OpError;

/// NumPy's `linalg.tensorsolve`: the array `x` with `tensordot(a, x, x.ndim()) = b`. The `axes` of
/// `a` are moved to its end first.
///
/// Collective over the mesh, as [`solve`]. Errors: `OpError::Axis`, `OpError::NotSquare` if the
/// numbers of unknowns and equations differ, those of [`solve`].
#[track_caller]
#[must_use]
pub fn tensorsolve(a: &Array, b: &Array, axes: &[i64]) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        b.ok()?;
        let ndim = a.ok()?.ndim() as i64;
        let mut order: Vec<i64> = (0..ndim).collect();
        for &axis in axes {
            let axis = a.axis(axis, site)? as i64;
            order.retain(|&other| other != axis);
            order.push(axis);
        }
        let a = a.transpose(order);
        let shape = a.ok()?.shape().to_vec();
        let unknown = shape[b.ndim().min(shape.len())..].to_vec();
        let count: usize = unknown.iter().product();
        if a.size() != count * count || b.size() != count {
            let operation = "tensorsolve";
            return Err(Error::op(OpError::NotSquare { operation, shape: shape.into() }, site));
        }
        let x = solve(&a.reshape([count, count]), &b.reshape([count]));
        x.reshape(unknown).into_result()
    }))
}

/// NumPy's `linalg.tensorinv`: the inverse of `tensordot` with `a` over its axes from `first` on.
///
/// Collective over the mesh, as [`inv`]. Errors: `OpError::NotSquare` if the first axes and the
/// last axes have different numbers of elements, those of [`inv`].
#[track_caller]
#[must_use]
pub fn tensorinv(a: &Array, first: usize) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let shape = a.ok()?.shape().to_vec();
        let (rows, columns) = shape.split_at(first.min(shape.len()));
        let count: usize = columns.iter().product();
        if rows.iter().product::<usize>() != count {
            let operation = "tensorinv";
            return Err(Error::op(OpError::NotSquare { operation, shape: shape.into() }, site));
        }
        let inverse = inv(&a.reshape([count, count]));
        inverse.reshape([columns, rows].concat()).into_result()
    }))
}
