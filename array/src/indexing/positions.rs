//! Arguments of indexing: positions, checked against the extent of their axis, and values.

use crate::array::{Argument, Array, assigned_number, cast_scalar};
use crate::manipulation::axis_of;
use crate::math::select;
use phalanx_graph::{DataError, Error, NodeOp, Operand, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;
use phalanx_ops::{DType, Kind, Scalar, Shape};

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
pub(super) fn from_either_end(
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
        if known.is_some_and(|known| known.is_within(0, length - 1)) {
            return Ok(wide);
        }
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
pub(crate) fn check_integers(positions: &Array, site: Site) -> Result<(), Error> {
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
        Argument::Array(array) => return array.clone().into_result(),
        Argument::Scalar(scalar) => cast_scalar(dtype, *scalar, site)?,
        Argument::Weak(weak) => assigned_number(dtype, *weak, site)?,
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
        Argument::Array(array) => return array.clone().into_result(),
        Argument::Scalar(scalar) => *scalar,
        Argument::Weak(weak) => {
            let near = Scalar::from_weak(beside.dtype(), *weak);
            match *weak {
                weak if near.to_weak().to_complex() == weak.to_complex() => near,
                large if large.held_by(DType::I64).is_err() => Scalar::from_weak(DType::F64, large),
                weak => Scalar::from_weak(default_dtype(weak), weak),
            }
        }
    };
    array_of(scalar, beside, site)
}

/// Zeros of this shape instead of positions at which nothing is read. Errors: the positions are not
/// integers.
pub(super) fn unread(positions: &Array, shape: &[usize], site: Site) -> Result<Array, Error> {
    check_integers(positions, site)?;
    let mesh = positions.mesh()?;
    mesh.enter(|| within(site, || crate::creation::zeros(shape, DType::I64))).into_result()
}
