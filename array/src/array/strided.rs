//! Views with strides that the program chooses, and questions about the base of an array.

use super::handle::Live;
use super::places::first_byte;
use crate::array::Array;
use crate::creation::arange;
use crate::indexing::Mode;
use crate::manipulation::{MemoryOrder, refused};
use phalanx_graph::{Error, View, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, Shape};
use std::cmp::Reverse;

/// An axis that moves: the distance of neighbours, in elements of the memory, and their number.
#[derive(Clone, Copy)]
struct Moving {
    axis: usize,
    step: i64,
    count: usize,
}

impl Array {
    /// Whether no other array uses the same base. Local.
    pub fn is_sole(&self) -> bool {
        self.handles() == Some(1)
    }

    /// The whole base of this array, as an array. Local. Errors: the error that the array carries.
    pub fn whole_base(&self) -> Result<Array, Error> {
        Ok(Array(Ok(Live::whole(self.live()?.cell.clone()))))
    }

    /// The position in the base's memory of the first byte of this array.
    pub(crate) fn first_byte(&self) -> Result<usize, Error> {
        let view = self.base_view()?;
        if view.is_whole() {
            return Ok(0);
        }
        Ok(first_byte(view, self.base_shape()?, self.base_dtype()?.size()))
    }

    /// The same elements in the same memory with another shape, one extent of which may be -1:
    /// NumPy's `a.shape = shape`. `None` if a copy would be needed. Local.
    ///
    /// Errors: `OpError::Reshape`, and the error that the array carries.
    #[track_caller]
    pub fn reshaped_in_place(&self, shape: &[i64]) -> Result<Option<Array>, Error> {
        let site = call_site();
        let reshaped = within(site, || self.reshape(shape));
        reshaped.ok()?;
        Ok(reshaped.has_base_of(self).then_some(reshaped))
    }

    /// A view of the same bytes as elements of another dtype, NumPy's `a.view(dtype)`. A write
    /// through it changes the bytes.
    ///
    /// A dtype of another size scales the last axis, which must be contiguous. A byte read as bool
    /// is true unless it is 0. A write stores 0 or 1, also a write into an array of bools through a
    /// view of another dtype. Local. Errors: `OpError::Reinterpret`.
    #[track_caller]
    #[must_use]
    pub fn view(&self, dtype: DType) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            let view = self.base_view()?.reinterpreted(dtype, self.base_shape()?);
            self.with_view(view.map_err(|error| Error::op(error, site))?)
        })())
    }

    /// The elements at `strides`, in bytes, from the first element of this array: NumPy's
    /// `as_strided`. They may be outside of the array, but not outside of its base.
    ///
    /// If no element is reached twice, the result is a view through which the array can be written.
    /// If several axes reach the same element, as in overlapping windows, the result is a read-only
    /// copy of the present elements. Local (a copy records nodes). Errors: `OpError::Argument` for
    /// strides that leave the base.
    #[track_caller]
    #[must_use]
    pub fn strided(&self, shape: &[usize], strides: &[isize]) -> Array {
        let site = call_site();
        within(site, || match self.first_byte() {
            Ok(start) => self.laid(self.dtype(), shape, strides, start as i64),
            Err(error) => Array::broken(error),
        })
    }

    /// A read-only view that reports `strides` as its own: those of the elements of which it is a
    /// copy. Local. Errors: `OpError::Argument` for a wrong number of strides.
    #[track_caller]
    #[must_use]
    pub fn with_strides_of_windows(&self, strides: &[isize]) -> Array {
        Array::catch((|| {
            let view = self.base_view()?.clone();
            if strides.len() != self.ndim() {
                return Err(beyond(strides));
            }
            let strides = strides.iter().map(|&step| step as i64).collect();
            self.with_view(View { strides, is_read_only: true, ..view })
        })())
    }

    /// An array over the memory of this contiguous array from byte `offset`: NumPy's
    /// `ndarray(shape, dtype, buffer, offset, strides)`. Local (see [`Array::strided`]). Errors:
    /// `OpError::Argument` for elements outside of the array.
    #[track_caller]
    #[must_use]
    pub fn over_memory(
        &self,
        dtype: DType,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Array {
        let site = call_site();
        within(site, || {
            let start = || {
                let start = self.first_byte()? + offset;
                let (low, high) = span(shape, strides, dtype.size());
                let end = self.size() * self.dtype().size();
                let is_beyond =
                    low < -(offset as i64) || (offset as i64).saturating_add(high) > end as i64;
                if is_beyond && !shape.contains(&0) {
                    return Err(beyond(strides));
                }
                Ok::<_, Error>(start as i64)
            };
            match start() {
                Ok(start) => self.laid(dtype, shape, strides, start),
                Err(error) => Array::broken(error),
            }
        })
    }

    /// An array over the memory of this array, from byte `offset`: NumPy's `ndarray(shape, dtype,
    /// buffer, offset, strides, order)`. Without strides, the elements are without gaps in `order`.
    /// Local (see [`Array::strided`]). Errors: `OpError::Arguments` for a buffer that is too small
    /// for these elements, `OpError::Argument` for an array that is neither in C nor in Fortran
    /// order, and for strides that leave it.
    #[track_caller]
    #[must_use]
    pub fn over_buffer(
        &self,
        dtype: DType,
        shape: &[usize],
        strides: Option<&[isize]>,
        offset: usize,
        order: MemoryOrder,
    ) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            if !self.is_in_order(MemoryOrder::A)? {
                return Err(refused(
                    "ndarray",
                    "buffer",
                    "of an array that is not contiguous",
                    site,
                ));
            }
            if let Some(strides) = strides {
                return self.over_memory(dtype, shape, strides, offset).into_result();
            }
            let end = shape.iter().try_fold(dtype.size(), |size, &extent| size.checked_mul(extent));
            let end = end.and_then(|size| size.checked_add(offset));
            if end.is_none_or(|end| end > self.size() * self.dtype().size()) {
                let problem = "the buffer is too small for the requested array";
                return Err(Error::op(OpError::Arguments { operation: "ndarray", problem }, site));
            }
            let strides = strides_without_gaps(shape, dtype.size(), order);
            self.over_memory(dtype, shape, &strides, offset).into_result()
        }))
    }

    /// The same elements in the same memory with another shape, which keep their order in memory:
    /// NumPy's `a.resize(shape)`. `None` for a shape with another number of elements, which an
    /// array never changes. Local.
    ///
    /// Errors: `OpError::Argument` for a negative extent, and for an array that is neither in C nor
    /// in Fortran order.
    #[track_caller]
    pub fn resized_in_place(&self, shape: &[i64]) -> Result<Option<Array>, Error> {
        let site = call_site();
        if !self.is_in_order(MemoryOrder::A)? {
            return Err(refused("resize", "array", "not contiguous", site));
        }
        if let Some(extent) = shape.iter().find(|&&extent| extent < 0) {
            return Err(refused("resize", "extent", extent.to_string(), site));
        }
        let count = shape.iter().try_fold(1i64, |count, &extent| count.checked_mul(extent));
        if count != Some(self.size() as i64) {
            return Ok(None);
        }
        within(site, || {
            if self.is_in_order(MemoryOrder::C)? {
                return self.reshaped_in_place(shape);
            }
            let reversed: Vec<i64> = shape.iter().rev().copied().collect();
            Ok(self.t().reshaped_in_place(&reversed)?.map(|turned| turned.t()))
        })
    }

    /// The elements of the base at `strides`, from its byte `start`.
    fn laid(&self, dtype: DType, shape: &[usize], strides: &[isize], start: i64) -> Array {
        Array::catch((|| {
            let whole = self.whole_base()?;
            let bytes = (whole.size() * whole.dtype().size()) as i64;
            let (low, high) = span(shape, strides, dtype.size());
            if !shape.contains(&0) && (start + low < 0 || start.saturating_add(high) > bytes) {
                return Err(beyond(strides));
            }
            if shape.contains(&0) {
                return whole.emptied(dtype, shape, strides);
            }
            let item = dtype.size() as i64;
            let is_even = start % item == 0 && strides.iter().all(|&step| step as i64 % item == 0);
            let flat = whole.reshape([-1]);
            let read_only = self.base_view()?.is_read_only;
            let laid = if is_even {
                // Bytes after the last whole element are in no element.
                let flat = match bytes % item {
                    0 => flat,
                    left => part(&flat.view(DType::U8), 0, bytes - left, 1),
                };
                let steps: Vec<i64> = strides.iter().map(|&step| step as i64 / item).collect();
                by_steps(&flat.view(dtype), shape, &steps, start / item)
            } else {
                let inner: Shape = shape.iter().copied().chain([dtype.size()]).collect();
                let steps: Vec<i64> = strides.iter().map(|&step| step as i64).chain([1]).collect();
                let seen = by_steps(&flat.view(DType::U8), &inner, &steps, start);
                seen.copied_unless_contiguous().view(dtype).slice([Index::Ellipsis, Index::At(0)])
            };
            let view = laid.base_view()?.clone();
            let strides = strides.iter().map(|&step| step as i64).collect();
            let is_read_only = view.is_read_only || read_only;
            laid.with_view(View { strides, is_read_only, ..view })
        })())
    }

    /// An array without elements over the same base.
    fn emptied(&self, dtype: DType, shape: &[usize], strides: &[isize]) -> Result<Array, Error> {
        let none = part(&self.reshape([-1]).view(DType::U8), 0, 0, 1);
        let made = none.view(dtype).reshape(shape);
        let view = made.base_view()?.clone();
        let strides = strides.iter().map(|&step| step as i64).collect();
        made.with_view(View { strides, ..view })
    }

    /// The array, or a copy if its last axis is not contiguous.
    fn copied_unless_contiguous(self) -> Array {
        let is_one = self.strides().last() == Some(&(self.dtype().size() as isize));
        if is_one { self } else { self.copy() }
    }
}

/// The strides in bytes of an array of elements of `item` bytes without gaps between them, in
/// Fortran order for `MemoryOrder::F` and else in C order. As in NumPy, an extent of 0 counts as 1.
/// Local.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::{MemoryOrder, strides_without_gaps};
/// assert_eq!(strides_without_gaps(&[2, 3], 8, MemoryOrder::C), [24, 8]);
/// assert_eq!(strides_without_gaps(&[2, 3], 8, MemoryOrder::F), [8, 16]);
/// ```
#[must_use]
pub fn strides_without_gaps(shape: &[usize], item: usize, order: MemoryOrder) -> Vec<isize> {
    let (mut strides, mut step) = (vec![0; shape.len()], item as isize);
    let mut along = |axis: usize| {
        strides[axis] = step;
        step *= shape[axis].max(1) as isize;
    };
    match order {
        MemoryOrder::F => (0..shape.len()).for_each(&mut along),
        _ => (0..shape.len()).rev().for_each(&mut along),
    }
    strides
}

fn beyond(strides: &[isize]) -> Error {
    refused("ndarray", "strides", format!("{strides:?}"), call_site())
}

/// The first byte, and the byte after the last one, of elements at `strides`, relative to the first
/// element.
fn span(shape: &[usize], strides: &[isize], item: usize) -> (i64, i64) {
    let (mut low, mut high) = (0i64, item as i64);
    for (&extent, &stride) in shape.iter().zip(strides) {
        let reach = (stride as i64).saturating_mul(extent.saturating_sub(1) as i64);
        low = low.saturating_add(reach.min(0));
        high = high.saturating_add(reach.max(0));
    }
    (low, high)
}

/// Every `step`-th position of the last axis from `start` to before `stop`.
fn part(array: &Array, start: i64, stop: i64, step: i64) -> Array {
    let range = Index::Range { start: Some(start), stop: Some(stop), step };
    array.slice([Index::Ellipsis, range])
}

/// The elements of a vector at `steps`, from the element `start`.
fn by_steps(flat: &Array, shape: &[usize], steps: &[i64], start: i64) -> Array {
    let mut moving: Vec<Moving> = Vec::new();
    let mut lowest = start;
    for (axis, (&count, &step)) in shape.iter().zip(steps).enumerate() {
        if count > 1 && step != 0 {
            lowest += (step * (count as i64 - 1)).min(0);
            moving.push(Moving { axis, step, count });
        }
    }
    moving.sort_by_key(|one| (Reverse(one.step.abs()), one.axis));
    match peeled(flat, &moving, lowest) {
        Some(found) => arranged(&found, &moving, shape),
        None => gathered(flat, shape, steps, start),
    }
}

/// The elements as a view with one axis for each moving one, from the longest step to the shortest,
/// all in ascending direction. `None` if an element is reached in several ways.
fn peeled(flat: &Array, moving: &[Moving], lowest: i64) -> Option<Array> {
    let (mut found, mut start) = (flat.clone(), lowest);
    let Some((last, outer)) = moving.split_last() else {
        return Some(part(flat, lowest, lowest + 1, 1));
    };
    for (place, one) in outer.iter().enumerate() {
        let (step, count) = (one.step.abs(), one.count as i64);
        let length = found.shape().last().copied().unwrap_or(0) as i64;
        let inner = moving[place + 1..].iter();
        let reach: i64 = inner.map(|next| next.step.abs() * (next.count as i64 - 1)).sum();
        // A row is as long as the step, or as a divisor of it if the last row is incomplete.
        let (row, first) = divisors(step).into_iter().find_map(|row| {
            let taken = step.checked_mul(count - 1)?.checked_add(row)?;
            let first = start.min(length - taken);
            (first >= 0 && start - first + reach < row).then_some((row, first))
        })?;
        let rows = part(&found, first, first + step * (count - 1) + row, 1);
        let before: Vec<i64> =
            rows.shape()[..rows.ndim() - 1].iter().map(|&extent| extent as i64).collect();
        let shape: Vec<i64> = before.iter().copied().chain([-1, row]).collect();
        let whole = Index::Range { start: None, stop: None, step: 1 };
        let every = Index::Range { start: None, stop: None, step: step / row };
        let index: Vec<Index> = before.iter().map(|_| whole).chain([every]).collect();
        found = rows.reshape(shape.as_slice()).slice(index);
        start -= first;
    }
    let step = last.step.abs();
    let end = start + step * (last.count as i64 - 1) + 1;
    Some(part(&found, start, end, step))
}

/// The divisors of a number, in descending order.
fn divisors(number: i64) -> Vec<i64> {
    let small: Vec<i64> = (1..=number.isqrt()).filter(|divisor| number % divisor == 0).collect();
    let large = small.iter().map(|divisor| number / divisor);
    let all = large.chain(small.iter().rev().copied());
    let mut all: Vec<i64> = all.collect();
    all.dedup();
    all
}

/// The view of [`peeled`] with the requested axes, in the requested order and direction.
fn arranged(found: &Array, moving: &[Moving], shape: &[usize]) -> Array {
    if moving.is_empty() {
        let ones = vec![1i64; shape.len()];
        let one = found.reshape(ones.as_slice());
        return if one.shape() == shape { one } else { one.broadcast_to(shape) };
    }
    let direction =
        |one: &Moving| Index::Range { start: None, stop: None, step: one.step.signum() };
    let turned = found.slice(moving.iter().map(direction).collect::<Vec<_>>());
    let mut order: Vec<usize> = (0..moving.len()).collect();
    order.sort_by_key(|&place| moving[place].axis);
    let axes: Vec<i64> = order.iter().map(|&place| place as i64).collect();
    let turned = turned.transpose(axes);
    let moves = |axis: usize| moving.iter().any(|one| one.axis == axis);
    let spread: Vec<i64> =
        (0..shape.len()).map(|axis| if moves(axis) { shape[axis] as i64 } else { 1 }).collect();
    let spread = turned.reshape(spread.as_slice());
    if spread.shape() == shape { spread } else { spread.broadcast_to(shape) }
}

/// A read-only copy of the elements.
fn gathered(flat: &Array, shape: &[usize], steps: &[i64], start: i64) -> Array {
    let mut positions = arange(start, start + 1, 1i64).reshape(vec![1i64; shape.len()].as_slice());
    for (axis, (&count, &step)) in shape.iter().zip(steps).enumerate() {
        let along: Vec<i64> =
            (0..shape.len()).map(|at| if at == axis { count as i64 } else { 1 }).collect();
        let further = arange(0i64, count as i64, 1i64).reshape(along.as_slice()) * step;
        positions = &positions + further;
    }
    // All positions are within bounds, because the strides were checked.
    let found = flat.take_with(&positions, 0, Mode::Wrap);
    Array::catch((|| {
        let view = found.base_view()?.clone();
        found.with_view(View { is_read_only: true, ..view })
    })())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_descend() {
        assert_eq!(divisors(12), [12, 6, 4, 3, 2, 1]);
        assert_eq!(divisors(9), [9, 3, 1]);
        assert_eq!(divisors(1), [1]);
    }

    #[test]
    fn spans_hold_all_elements() {
        assert_eq!(span(&[2, 3], &[12, 4], 4), (0, 24));
        assert_eq!(span(&[2, 3], &[-12, 4], 4), (-12, 12));
        assert_eq!(span(&[], &[], 8), (0, 8));
    }
}
