//! Diagonals, as views in which one axis moves along two.

use crate::array::Array;
use crate::manipulation::argument::{axis_of, refused};
use phalanx_graph::{Error, View, call_site, in_place_of};
use phalanx_ops::error::OpError;
use phalanx_ops::{AffineMap, AxisMap, DType, Shape};

/// The map of diagonal `offset` of an array of `shape`: all axes but `first` and `second`, and then
/// the axis along the diagonal.
pub(crate) fn diagonal_map(shape: &[usize], offset: i64, first: usize, second: usize) -> AffineMap {
    let (rows, columns) = (shape[first] as i64, shape[second] as i64);
    let (row, column) = (offset.saturating_neg().max(0), offset.max(0));
    let length = rows.saturating_sub(row).min(columns.saturating_sub(column)).max(0);
    let mut kept: Shape =
        (0..shape.len()).filter(|&k| k != first && k != second).map(|k| shape[k]).collect();
    let last = kept.len() as u8;
    let mut place = 0;
    let axes = (0..shape.len())
        .map(|axis| {
            let (to, start) = match axis {
                _ if axis == first => (last, row.min((rows - 1).max(0))),
                _ if axis == second => (last, column.min((columns - 1).max(0))),
                _ => {
                    place += 1;
                    (place - 1, 0)
                }
            };
            AxisMap { axis: Some(to), start, step: 1 }
        })
        .collect();
    kept.push(length as usize);
    AffineMap { shape: kept, axes }
}

impl Array {
    /// The view of a diagonal of the matrices that two axes make. Its last axis runs along the
    /// diagonal: element `k` is the element at `(k, k + offset)`. The view is read-only, as in
    /// NumPy. Local.
    ///
    /// Errors: `OpError::Axis`, `OpError::Ndim` for fewer than two axes, `OpError::Argument` for
    /// equal axes.
    #[track_caller]
    #[must_use]
    pub fn diagonal(&self, offset: i64, first: i64, second: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            let ndim = self.ndim();
            if ndim < 2 {
                let error = OpError::Ndim { operation: "diagonal", expected: "2 or more", ndim };
                return Err(Error::op(error, site));
            }
            let (first, second) = (axis_of(first, ndim, site)?, axis_of(second, ndim, site)?);
            if first == second {
                return Err(refused("diagonal", "axis2", second.to_string(), site));
            }
            let map = diagonal_map(self.shape(), offset, first, second);
            let view = self.base_view()?.through(&map, self.base_shape()?);
            self.with_view(View { is_read_only: true, ..view })
        })())
    }

    /// The sum along a diagonal of the matrices that two axes make. Integers narrower than 64 bits
    /// are summed in 64 bits, as in [`Array::sum`]. Local (records nodes). Errors: as for
    /// [`Array::diagonal`].
    #[track_caller]
    #[must_use]
    pub fn trace(&self, offset: i64, first: i64, second: i64) -> Array {
        let site = call_site();
        in_place_of(site, || self.diagonal(offset, first, second).sum(-1))
    }

    /// As [`Array::trace`], with the dtype of the sum.
    #[track_caller]
    #[must_use]
    pub fn trace_as(&self, offset: i64, first: i64, second: i64, dtype: DType) -> Array {
        let site = call_site();
        in_place_of(site, || {
            let diagonal = self.diagonal(offset, first, second).astype(dtype);
            let sum = diagonal.sum(-1);
            if sum.dtype() == dtype { sum } else { sum.astype(dtype) }
        })
    }
}
