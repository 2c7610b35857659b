//! Reading and writing at positions along one axis, or among all elements: `take` and `put`.

use super::linear::{along, steps};
use super::positions::{Mode, argument_array, from_either_end, resolved, whole};
use crate::array::{Argument, Array, check_casting_at, is_reproducible};
use crate::floating::warn_discarded;
use crate::manipulation::{moveaxis, with_extent};
use crate::recording::record_structured;
use phalanx_graph::{DataError, Error, Site, call_site, in_place_of, within};
use phalanx_ops::structured::{Put, Take};
use phalanx_ops::{Casting, Op, Structured};

impl Array {
    /// The elements at `positions` along an axis; positions may count from the end. The axes of the
    /// positions replace the axis.
    pub(super) fn take_resolved(
        &self,
        positions: &Array,
        axis: usize,
        site: Site,
    ) -> Result<Array, Error> {
        if self.shape()[axis] == 0 && positions.size() > 0 {
            let error = DataError::IndexRange { axis, extent: 0 };
            return Err(Error::data(error, site));
        }
        let mut shape: Vec<usize> = self.shape()[..axis].to_vec();
        shape.extend(positions.shape());
        shape.extend(&self.shape()[axis + 1..]);
        let (own, few) = within(site, || (self.unrepeated(), positions.unrepeated()));
        let taken_shape = [&own.shape()[..axis], few.shape(), &own.shape()[axis + 1..]].concat();
        let taken = if own.shape()[axis] == self.shape()[axis] {
            let line = if few.ndim() == 1 { few } else { within(site, || few.reshape([-1])) };
            let take = Structured::Take(Take { axis: axis as u8 });
            let taken = record_structured(take, &[&own, &line], site)?;
            if taken.shape() == taken_shape.as_slice() {
                taken
            } else {
                within(site, || taken.reshape(taken_shape.as_slice()))
            }
        } else {
            // Broadcasting repeats one element along the axis, so all positions have the same
            // element.
            let ndim = few.ndim();
            let one = own.shape().iter().enumerate();
            let one = one.flat_map(|(at, &extent)| vec![extent; if at == axis { ndim } else { 1 }]);
            // The copy is needed for a single position too: the result must not share memory with
            // the array.
            within(site, || own.reshape(one.collect::<Vec<_>>().as_slice()).copy())
        };
        within(site, || taken.repeated_to(&shape).into_result())
    }

    /// NumPy's `take` along an axis: the elements at `positions`, whose axes replace the axis.
    ///
    /// Shapes `(…, n, …), (k…) -> (…, k…, …)`. If the axis is split, each position goes to the
    /// device that owns it, and the elements come back; an axis of few bytes is gathered instead.
    /// Collective if positions may be outside the axis, else Local. Errors: `OpError::Axis`,
    /// `OpError::Cast`, `DataError::IndexRange`.
    #[track_caller]
    #[must_use]
    pub fn take(&self, positions: &Array, axis: i64) -> Array {
        self.take_with(positions, axis, Mode::Raise)
    }

    /// As [`Array::take`]; `mode` selects the treatment of positions outside the axis.
    #[track_caller]
    #[must_use]
    pub fn take_with(&self, positions: &Array, axis: i64, mode: Mode) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            // NumPy takes from an array without axes as from a vector.
            if self.ndim() == 0 && matches!(axis, 0 | -1) {
                let vector = within(site, || self.reshape([1]));
                return within(site, || vector.take_with(positions, axis, mode).into_result());
            }
            let axis = self.axis(axis, site)?;
            let given = whole(positions, site)?;
            // Positions that broadcasting repeats are checked once.
            let positions = &within(site, || given.unrepeated());
            let (before, extent) = (&self.shape()[..axis], self.shape()[axis]);
            // NumPy does not check positions if an axis before this one is empty.
            let is_read = !before.contains(&0);
            if is_read && (extent > 0 || mode == Mode::Raise) {
                let positions = from_either_end(positions, (axis, extent), mode, site)?;
                let taken = self.take_resolved(&positions, axis, site)?;
                let shape = [before, given.shape(), &self.shape()[axis + 1..]].concat();
                return within(site, || taken.repeated_to(&shape).into_result());
            }
            let after = &self.shape()[axis + 1..];
            let shape = [before, given.shape(), after].concat();
            if !shape.contains(&0) {
                let error = DataError::IndexRange { axis, extent };
                return Err(Error::data(error, site));
            }
            let mesh = self.mesh()?;
            mesh.enter(|| within(site, || crate::creation::zeros(shape, self.dtype())))
                .into_result()
        })())
    }

    /// NumPy's `put`: writes `values`, repeated as often as needed, at `positions` among the
    /// elements in C order.
    ///
    /// Collective if positions may be outside the array, else Local. Errors: as for
    /// [`Array::assign`], `OpError::Cast`, `DataError::IndexRange`.
    #[track_caller]
    pub fn put(&self, positions: &Array, values: impl Into<Argument>, mode: Mode) {
        let (site, values) = (call_site(), values.into());
        if let Err(error) = self.write_put(positions, values, mode, site) {
            self.poison(error);
        }
    }

    /// As [`Array::put`], but an error is returned and leaves the array unchanged.
    #[track_caller]
    pub fn try_put(
        &self,
        positions: &Array,
        values: impl Into<Argument>,
        mode: Mode,
    ) -> Result<(), Error> {
        self.write_put(positions, values.into(), mode, call_site())
    }

    fn write_put(
        &self,
        positions: &Array,
        values: Argument,
        mode: Mode,
        site: Site,
    ) -> Result<(), Error> {
        self.ok()?;
        values.strong().map_or(Ok(()), |from| warn_discarded(from, self.dtype(), site))?;
        let positions = &whole(positions, site)?;
        let count = positions.size();
        if self.size() == 0 && count > 0 {
            return Err(Error::data(DataError::IndexRange { axis: 0, extent: 0 }, site));
        }
        let values = within(site, || -> Result<Array, Error> {
            let values = argument_array(&values, self, site)?;
            let given = values.size();
            if count == 0 || given == 0 {
                return Ok(values);
            }
            let line = values.reshape([-1]);
            if given == 1 || given == count {
                return Ok(line.broadcast_to([count]));
            }
            let rounds = count.div_ceil(given);
            let many = line.reshape([1, given]).broadcast_to([rounds, given]).reshape([-1]);
            many.slice(crate::s![..count]).into_result()
        })?;
        if count == 0 || values.size() == 0 {
            return Ok(());
        }
        let positions = resolved(positions, (0, self.size()), mode, site)?;
        let put = Put { axis: 0, op: None, in_order: false };
        within(site, || {
            let positions = positions.reshape([-1]);
            let new = || {
                let new = self.reshape([-1]).put_resolved(put, &positions, &values, site)?;
                new.reshape(self.shape()).into_result()
            };
            self.rewrite(new, site)
        })
    }

    /// A copy with new lines at positions along an axis. The values have the axes of the positions
    /// first and then the other axes of the array, and as many elements as the lines. An operation
    /// with one operand takes no values.
    pub(super) fn put_lines(
        &self,
        op: Option<Op>,
        axis: usize,
        positions: &Array,
        values: Option<&Array>,
        site: Site,
    ) -> Result<Array, Error> {
        let count = positions.size();
        let mut line = vec![1; self.ndim()];
        line[axis] = count;
        let lines = with_extent(self.shape(), axis, count);
        let mut rows = vec![count];
        rows.extend((0..self.ndim()).filter(|&other| other != axis).map(|at| self.shape()[at]));
        within(site, || {
            let positions = positions.reshape(line.as_slice()).broadcast_to(lines.as_slice());
            // An operation that reads no values receives the positions instead.
            let values = values.map_or(positions.clone(), |values| {
                moveaxis(&values.reshape(rows.as_slice()), 0, axis as i64)
            });
            let in_order = is_reproducible(&self.mesh()?);
            let put = Put { axis: axis as u8, op, in_order };
            self.put_resolved(put, &positions, values.ok()?, site)
        })
    }

    /// A copy with values at positions. The shapes of the values and of the positions differ from
    /// that of the array only along the axis. Values that replace elements are cast; the values of
    /// an operation have the dtype of its loop.
    pub(crate) fn put_resolved(
        &self,
        put: Put,
        positions: &Array,
        values: &Array,
        site: Site,
    ) -> Result<Array, Error> {
        let values = match put.op {
            None => values.converted(self.dtype(), site),
            Some(_) => values.clone(),
        };
        record_structured(Structured::Put(put), &[self, positions, &values], site)
    }
}

/// As [`Array::take`]. Without an axis, it takes from the elements in C order.
#[track_caller]
#[must_use]
pub fn take(array: &Array, positions: &Array, axis: Option<i64>, mode: Mode) -> Array {
    match axis {
        Some(axis) => array.take_with(positions, axis, mode),
        None => {
            let site = call_site();
            Array::catch(within(site, || taken_flat(array, positions, mode, site)))
        }
    }
}

/// [`take`], written into `out`: NumPy's `take(out=…)`. Collectivity: as for [`take`]. Errors:
/// those of [`take`] and of [`Array::store_taken`].
#[track_caller]
pub fn take_into(
    array: &Array,
    positions: &Array,
    axis: Option<i64>,
    mode: Mode,
    out: &Array,
) -> Result<(), Error> {
    let site = call_site();
    // As in NumPy, the output is checked before the positions.
    check_casting_at(out.ok()?.dtype(), array.ok()?.dtype(), Casting::Safe, site)?;
    in_place_of(site, || take(array, positions, axis, mode)).store_at(out, Casting::Unsafe, site)
}

/// The elements at positions among all elements in C order. Elements that a view repeats are not
/// materialised.
fn taken_flat(array: &Array, positions: &Array, mode: Mode, site: Site) -> Result<Array, Error> {
    let few = array.ok()?.unrepeated();
    if few.size() == array.size() || array.size() == 0 {
        return array.reshape([-1]).take_with(positions, 0, mode).into_result();
    }
    let positions = resolved(&whole(positions, site)?, (0, array.size()), mode, site)?;
    let mut place = positions.multiply(0);
    for (axis, step) in steps(few.shape()).into_iter().enumerate() {
        if few.shape()[axis] > 1 {
            place = &place + along(&positions, array.shape(), axis, site)? * step;
        }
    }
    few.reshape([-1]).take_with(&place, 0, Mode::Wrap).into_result()
}
