//! Reading and writing at positions along an axis.

use super::advanced::AnyIndex;
use super::find::{along, steps};
use crate::array::Argument;
use crate::array::Array;
use crate::array::without_leading;
use crate::manipulation::{axis_of, with_extent};
use crate::math::select;
use crate::recording::record_structured;
use phalanx_graph::{DataError, Error, NodeOp, Operand, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;
use phalanx_ops::structured::{Put, Take, TakeAlong};
use phalanx_ops::{DType, Kind, Op, Scalar, Shape, Structured, Weak};

/// The treatment of positions outside the axis.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// They are an error in the data.
    #[default]
    Raise,
    /// They wrap around.
    Wrap,
    /// They are clipped to the ends; negative positions become 0.
    Clip,
}

/// Positions along an axis in the form of the structured operations: `i64`, from 0 to `extent - 1`.
///
/// Negative positions count from the end. Positions outside the axis are an error in the data. The
/// check closes the window (Collective), unless the range of the positions is known, for example
/// for host data, `arange`, `argsort` and `nonzero`.
pub(super) fn resolved(
    positions: &Array,
    (axis, extent): (usize, usize),
    mode: Mode,
    site: Site,
) -> Result<Array, Error> {
    let wide = from_either_end(positions, (axis, extent), mode, site)?;
    let known = wide.base_node()?.interval().filter(|_| wide.shows_base());
    if mode != Mode::Raise || known.is_some_and(|known| known.is_within(0, extent as i64 - 1)) {
        return Ok(wide);
    }
    within(site, || Ok(select(&wide.less(0), &wide + extent as i64, &wide)))
}

/// As [`resolved`], but with `Mode::Raise` the result may have negative positions that count from
/// the end, which `Structured::Take` accepts.
fn from_either_end(
    positions: &Array,
    (axis, extent): (usize, usize),
    mode: Mode,
    site: Site,
) -> Result<Array, Error> {
    check_integers(positions, site)?;
    let known = positions.base_node()?.interval().filter(|_| positions.shows_base());
    let length = extent as i64;
    within(site, || {
        let wide = positions.converted(DType::I64, site);
        if mode == Mode::Clip {
            return Ok(wide.maximum(0).minimum((length - 1).max(0)));
        }
        if mode == Mode::Wrap {
            return if extent == 0 { Ok(wide) } else { wide.remainder(length).into_result() };
        }
        if positions.size() > 0 && !known.is_some_and(|known| known.is_within(-length, length - 1))
        {
            let outside = wide.less(-length).logical_or(wide.greater_equal(length));
            let error = Error::data(DataError::IndexRange { axis, extent }, site);
            outside.any_at(site)?.refuse(error, site)?;
        }
        Ok(wide)
    })
}

/// Returns an error for positions that are not integers.
pub(super) fn check_integers(positions: &Array, site: Site) -> Result<(), Error> {
    match positions.ok()?.dtype().kind() {
        Kind::Signed | Kind::Unsigned => Ok(()),
        _ => Err(Error::op(OpError::Indices { dtypes: vec![positions.dtype()] }, site)),
    }
}

/// Positions with the casts of `take` and `put`: bools become 0 and 1, and floats are errors.
pub(super) fn whole(positions: &Array, site: Site) -> Result<Array, Error> {
    match positions.ok()?.dtype().kind() {
        Kind::Bool => Ok(positions.converted(DType::I64, site)),
        Kind::Signed | Kind::Unsigned => Ok(positions.clone()),
        Kind::Float | Kind::Complex => {
            let (from, to) = (positions.dtype(), DType::I64);
            Err(Error::op(OpError::cast(from, to), site))
        }
    }
}

impl Array {
    /// An axis counted from 0; negative axes count from the end.
    pub(crate) fn axis(&self, axis: i64, site: Site) -> Result<usize, Error> {
        axis_of(axis, self.ndim(), site)
    }

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
            let line = within(site, || few.reshape([-1]));
            let take = Structured::Take(Take { axis: axis as u8 });
            let taken = record_structured(take, &[&own, &line], site)?;
            within(site, || taken.reshape(taken_shape.as_slice()))
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
    /// Shapes `(…, n, …), (k…) -> (…, k…, …)`. Every device receives the array whole along the
    /// axis. Collective if positions may be outside the axis, else Local. Errors: `OpError::Axis`,
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
        let put = Put { axis: 0, op: None };
        within(site, || {
            let new =
                self.reshape([-1]).put_resolved(put, &positions.reshape([-1]), &values, site)?;
            self.try_assign(new.reshape(self.shape()))
        })
    }

    /// A copy with new rows at positions along the first axis. The rows are in C order of the
    /// positions, and `values` has as many elements as these rows. An operation with one operand
    /// takes no values.
    pub(super) fn put_rows(
        &self,
        op: Option<Op>,
        positions: &Array,
        values: Option<&Array>,
        site: Site,
    ) -> Result<Array, Error> {
        let count = positions.size();
        let mut column = vec![1; self.ndim()];
        column[0] = count;
        let rows = with_extent(self.shape(), 0, count);
        within(site, || {
            let positions = positions.reshape(column.as_slice()).broadcast_to(rows.as_slice());
            // An operation that reads no values receives the positions instead.
            let values = values.map_or(positions.clone(), |values| values.reshape(rows.as_slice()));
            self.put_resolved(Put { axis: 0, op }, &positions, values.ok()?, site)
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

/// The positions along an axis as `i64`, checked to be from 0 to `extent - 1`. Negative positions
/// are errors too. The names are those of the operation and of its argument.
pub(crate) fn checked_positions(
    (operation, argument): (&'static str, &'static str),
    positions: &Array,
    extent: usize,
    site: Site,
) -> Result<Array, Error> {
    let positions = whole(positions, site)?;
    let known = positions.base_node()?.interval().filter(|_| positions.shows_base());
    let wide = positions.converted(DType::I64, site);
    if !known.is_some_and(|known| known.is_within(0, extent as i64 - 1)) && positions.size() > 0 {
        within(site, || {
            let outside = wide.less(0).logical_or(wide.greater_equal(extent as i64));
            let error = DataError::PositionsBeyond { operation, argument, extent };
            outside.any_at(site)?.refuse(Error::data(error, site), site)
        })?;
    }
    Ok(wide)
}

/// An argument as an array to be written into `target`.
pub(super) fn argument_array(
    argument: &Argument,
    target: &Array,
    site: Site,
) -> Result<Array, Error> {
    let dtype = target.dtype();
    let scalar = match argument {
        Argument::Array(array) => return array.ok().cloned(),
        Argument::Scalar(scalar) => scalar.cast(dtype),
        Argument::Weak(weak) => {
            Scalar::assigned(dtype, *weak).map_err(|error| Error::op(error, site))?
        }
    };
    array_of(scalar, target, site)
}

/// A number as a 0-d array on the mesh of another array.
pub(super) fn array_of(scalar: Scalar, beside: &Array, site: Site) -> Result<Array, Error> {
    let (mesh, dtype) = (beside.mesh()?, scalar.dtype());
    let node = mesh.record(NodeOp::Fill, &[Operand::Scalar(scalar)], Shape::new(), dtype, site)?;
    Ok(Array::from_node(mesh, node))
}

/// An argument as an array to be compared with another array. A number without a dtype takes that
/// of the other array if it fits.
pub(crate) fn operand_array(
    argument: &Argument,
    beside: &Array,
    site: Site,
) -> Result<Array, Error> {
    let scalar = match argument {
        Argument::Array(array) => return array.ok().cloned(),
        Argument::Scalar(scalar) => *scalar,
        Argument::Weak(weak) => {
            let near = Scalar::from_weak(beside.dtype(), *weak);
            match *weak {
                weak if near.to_weak().to_complex() == weak.to_complex() => near,
                Weak::Int(large) if i64::try_from(large).is_err() => {
                    Scalar::from_weak(DType::F64, *weak)
                }
                weak => Scalar::from_weak(default_dtype(weak), weak),
            }
        }
    };
    array_of(scalar, beside, site)
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

/// An array and resolved positions along one of its axes, both broadcast along the other axes. As
/// in NumPy, positions are not checked if nothing is read.
fn aligned(
    operation: &'static str,
    array: &Array,
    positions: &Array,
    axis: usize,
    site: Site,
) -> Result<(Array, Array), Error> {
    if positions.ok()?.ndim() != array.ndim() {
        let (expected, ndim) = ("as many as the array", positions.ndim());
        return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
    }
    let [left, right] = [array, positions].map(|array| with_extent(array.shape(), axis, 1));
    let shape = phalanx_ops::shape::broadcast(&left, &right).map_err(|_| {
        let shapes = vec![left, positions.shape().into()];
        Error::op(OpError::IndexShapes { shapes }, site)
    })?;
    let with = |array: &Array| {
        let own = with_extent(&shape, axis, array.shape()[axis]);
        within(site, || array.broadcast_to(own.as_slice()).into_result())
    };
    let resolved = match shape.contains(&0) {
        true => unread(positions, positions.shape(), site)?,
        false => resolved(positions, (axis, array.shape()[axis]), Mode::Raise, site)?,
    };
    Ok((with(array)?, with(&resolved)?))
}

/// Zeros of this shape instead of positions at which nothing is read. Errors: the positions are not
/// integers.
pub(super) fn unread(positions: &Array, shape: &[usize], site: Site) -> Result<Array, Error> {
    check_integers(positions, site)?;
    let mesh = positions.mesh()?;
    mesh.enter(|| within(site, || crate::creation::zeros(shape, DType::I64))).into_result()
}

fn check_vector(operation: &'static str, positions: &Array, site: Site) -> Result<(), Error> {
    match positions.ok()?.ndim() {
        1 => Ok(()),
        ndim => Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site)),
    }
}

/// NumPy's `take_along_axis`: `y[…, k, …] = a[…, positions[…, k, …], …]`; the other axes broadcast.
/// Without an axis, `positions` is a vector of positions among all elements in C order.
///
/// Collective if positions may be outside the axis, else Local. Errors: `OpError::Axis`,
/// `OpError::Ndim`, `OpError::IndexShapes`, `OpError::Indices`, `DataError::IndexRange`.
#[track_caller]
#[must_use]
pub fn take_along_axis(array: &Array, positions: &Array, axis: impl Into<Option<i64>>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch((|| {
        array.ok()?;
        let Some(axis) = axis else {
            check_vector("take_along_axis", positions, site)?;
            let line = within(site, || array.reshape([-1]));
            return within(site, || take_along_axis(&line, positions, 0)).into_result();
        };
        let axis = array.axis(axis, site)?;
        let (array, positions) = aligned("take_along_axis", array, positions, axis, site)?;
        let take = Structured::TakeAlong(TakeAlong { axis: axis as u8 });
        record_structured(take, &[&array, &positions], site)
    })())
}

/// NumPy's `put_along_axis`: `a[…, positions[…, k, …], …] = values[…, k, …]`; the other axes
/// broadcast. At positions that occur several times, the last value is kept. Without an axis,
/// `positions` is a vector of positions among all elements in C order.
///
/// Collectivity and errors: as for [`take_along_axis`] and [`Array::assign`]. If the positions are
/// wider than the array along the other axes, every device receives the whole array.
#[track_caller]
pub fn put_along_axis(
    array: &Array,
    positions: &Array,
    values: impl Into<Argument>,
    axis: impl Into<Option<i64>>,
) {
    let site = call_site();
    if let Err(error) = within(site, || try_put_along_axis(array, positions, values, axis)) {
        array.poison(error);
    }
}

/// As [`put_along_axis`], but an error is returned and leaves the array unchanged.
#[track_caller]
pub fn try_put_along_axis(
    array: &Array,
    positions: &Array,
    values: impl Into<Argument>,
    axis: impl Into<Option<i64>>,
) -> Result<(), Error> {
    let (site, values) = (call_site(), values.into());
    array.ok()?;
    let Some(axis) = axis.into() else {
        check_vector("put_along_axis", positions, site)?;
        return within(site, || array.try_put(positions, values, Mode::Raise));
    };
    let axis = array.axis(axis, site)?;
    let (widened, positions) = aligned("put_along_axis", array, positions, axis, site)?;
    if widened.shape() != array.shape() {
        // There are several lines of positions for one line of the array.
        let index = |own: usize| {
            if own == axis {
                return Ok(AnyIndex::Array(positions.clone()));
            }
            let (mesh, extent) = (array.mesh()?, array.shape()[own]);
            let mut shape = vec![1; array.ndim()];
            shape[own] = extent;
            let all = mesh.enter(|| crate::creation::arange(0, extent as i64, 1));
            Ok(AnyIndex::Array(all.reshape(shape).into_result()?))
        };
        return within(site, || {
            let items = (0..array.ndim()).map(index).collect::<Result<Vec<_>, Error>>()?;
            array.try_assign_index(items, values)
        });
    }
    let values = argument_array(&values, array, site)?;
    let values = within(site, || {
        let values = without_leading(&values, positions.ndim());
        values.broadcast_to(positions.shape()).into_result()
    })?;
    let put = Put { axis: axis as u8, op: None };
    let new = array.put_resolved(put, &positions, &values, site)?;
    within(site, || array.try_assign(&new))
}
